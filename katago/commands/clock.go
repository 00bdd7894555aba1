package commands

import (
	"context"
	"strings"

	"kosumi/gtp"
)

// clockCommands remember how clients set the clocks, in their words. The commands themselves
// are those of package gtp.
type clockCommands struct {
	settings, black, white string
}

// remember notes a command that succeeds.
func (k *clockCommands) remember(run gtp.HandlerFunc) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
		if err := run(ctx, c, r); err != nil {
			return err
		}
		text := c.Name + " " + args(c)
		switch {
		case c.Name != "time_left":
			*k = clockCommands{settings: text}
		case strings.EqualFold(c.Args[0][:1], "b"):
			k.black = ", " + text
		default:
			k.white = ", " + text
		}
		return nil
	}
}

// printClocks shows how the clocks were set last.
func (k *clockCommands) printClocks(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	return r.Print("Black " + k.settings + k.black + "\nWhite " + k.settings + k.white)
}
