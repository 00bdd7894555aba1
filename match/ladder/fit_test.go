package ladder

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/level"
)

func TestWithPairs(t *testing.T) {
	here := []level.Pair{{A: "a", B: "b", Points: 1, Games: 2}}
	known := []level.Pair{{A: "a", B: "b", Points: 3.5, Games: 4}, {A: "a", B: "c", Points: 0, Games: 2}}
	require.Equal(t, []level.Pair{{A: "a", B: "b", Points: 4.5, Games: 6}, {A: "a", B: "c", Points: 0, Games: 2}}, withPairs(here, known))
}

// TestKnownGames: the games of a known ladder count and set the scale, and its statistics of the
// players' moves count too.
func TestKnownGames(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	c := Config{
		Engine: "engine gtp", Dials: []float64{0, 4}, Games: 2, Size: board.Square(9), Dir: t.TempDir(),
		Known: level.Ladder{
			Support: []level.Support{{Dial: 0, PointsLost: 0.1, Games: 20, Nonsense: 2, Moves: 500, Suspects: 3}},
			Anchors: []level.Anchor{{Name: "GNU Go 3.8 level 5", Elo: 80, Error: 90}, {Name: "GNU Go 3.8 level 10"}},
			Pairs: []level.Pair{{A: "loss:0", B: "loss:4", Points: 15, Games: 20}, {A: "loss:0", B: "GNU Go 3.8 level 10", Points: 10, Games: 20},
				{A: "loss:4", B: "GNU Go 3.8 level 5", Points: 10, Games: 20}},
		},
	}
	l, err := Run(over, c)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, l.Pairs, 3)
	require.Len(t, l.Support, 2)
	require.Equal(t, 0.0, l.Support[0].Dial)
	require.InDelta(t, 0, l.Support[0].Elo, 15, "even with level 10")
	require.Less(t, l.Support[1].Elo, -100.0)
	require.Equal(t, 40, l.Support[0].Games)
	require.Equal(t, 500, l.Support[0].Moves)
	require.InDelta(t, 2, l.Support[0].Nonsense, 1e-9)
	require.Len(t, l.Anchors, 2)
	require.Equal(t, level.Anchor{Name: "GNU Go 3.8 level 10", Games: 20}, l.Anchors[0])
	require.Less(t, l.Anchors[1].Elo, -100.0)
}
