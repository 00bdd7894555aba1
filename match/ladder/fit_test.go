package ladder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine/level"
	"kosumi/match"
)

// TestFit puts dials and anchors on one scale from the first anchor.
func TestFit(t *testing.T) {
	c := Config{Engine: "engine gtp", Dials: []float64{0, 4}, Dir: t.TempDir(), ZeroElo: -109,
		Anchors: []Anchor{{Program: match.Program{Name: "GNU Go 3.8 level 5"}}}}
	l := level.Ladder{Pairs: []level.Pair{{A: "loss:0", B: "loss:4", Points: 15, Games: 20}, {A: "loss:0", B: "GNU Go 3.8 level 5", Points: 10, Games: 20}}}
	require.NoError(t, c.fit(&l))
	require.Equal(t, []level.Anchor{{Name: "GNU Go 3.8 level 5", Elo: -109, Games: 20}}, l.Anchors)
	require.Len(t, l.Support, 2)
	require.Equal(t, 0.0, l.Support[0].Dial)
	require.InDelta(t, -109, l.Support[0].Elo, 15, "even with level 5")
	require.Less(t, l.Support[1].Elo, -209.0)
	require.Equal(t, 40, l.Support[0].Games)
}
