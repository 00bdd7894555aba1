package gtp

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// lifeEcho answers with the question that it received.
type lifeEcho struct{}

func (lifeEcho) Life(_ context.Context, _ *board.Game, stones []board.Point, all bool, limit time.Duration) (string, error) {
	return fmt.Sprint(stones, all, limit), nil
}

func (lifeEcho) Unsettled(_ context.Context, _ *board.Game, limit time.Duration) (string, error) {
	return limit.String(), nil
}

func TestLifeCommands(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"kosumi-life A1", "= [342] false 10s"},
		{"kosumi-life A1 B1 all 2.5", "= [342 343] true 2.5s"},
		{"kosumi-life 5 b1 all any", "= [343] false 5s"},
		{"kosumi-life", "? syntax error"},
		{"kosumi-life all", "? syntax error"},
		{"kosumi-life C1", "? there is no stone on C1"},
		{"kosumi-life A1 0", `? "0": want stones such as B2, then any or all, then seconds`},
		{"kosumi-life A1 pass", `? "pass": want stones such as B2, then any or all, then seconds`},
		{"kosumi-life_list", "= 10s"},
		{"kosumi-life_list 0.5", "= 500ms"},
		{"kosumi-life_list A1", `? "A1": want seconds, more than 0 and up to 1000000`},
		{"kosumi-life_list 1 2", "? syntax error"},
	} {
		stones := "play b A1\nplay b B1\n"
		require.Equal(t, "= \n\n= \n\n"+c.want+"\n\n", talk(t, newFake(), Options{Life: lifeEcho{}}, stones+c.command+"\n"), c.command)
		require.Equal(t, "? this engine does not judge life\n\n", talk(t, newFake(), Options{}, c.command+"\n"), c.command)
	}
}
