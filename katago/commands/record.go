package commands

import (
	"context"
	"fmt"

	"kosumi/gtp"
	"kosumi/internal/file"
	"kosumi/search/setting"
)

// largestRecord bounds the size of a game record, in bytes.
const largestRecord = 16 << 20

// loadSGF takes FILE [MOVE] and loads the position before that move, counted from 1.
func (k *handlers) loadSGF(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	name, before, err := gtp.FileAndMove(c.Rest)
	if len(c.Args) == 0 || len(c.Args) > 2 {
		return gtp.Failf("Expected one or two arguments for loadsgf but got '%s'", args(c))
	}
	if words := c.Args; err != nil || len(words) == 2 && (before < 1 || before > 10000001) {
		return gtp.Failure("Invalid value for moveNumber for loadsgf")
	}
	data, err := file.Read(name, largestRecord)
	if err != nil {
		return gtp.Because(gtp.Failf("Could not load sgf: Could not open file %s - does not exist or invalid permissions?", name), err)
	}
	was, size := k.Engine.Game().Rules(), k.Engine.Game().Size()
	if err := k.LoadSGF(name, data, before); err != nil {
		return gtp.Failf("Could not load sgf: %v", err)
	}
	g := k.Engine.Game()
	if now := g.Rules().Komi; now != was.Komi {
		k.Say("Changing komi to " + setting.General(float64(now)))
	}
	if g.Size() != size {
		k.Say(fmt.Sprintf("Initializing board with boardXSize %d boardYSize %d", g.Size().W, g.Size().H))
	}
	return nil
}
