package life_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/life"
)

// TestJudge asks about a wall with two eyes, and about a point without stones.
func TestJudge(t *testing.T) {
	g, err := board.NewGame(board.Square(5), board.TrompTaylor())
	require.NoError(t, err)
	at := func(v string) board.Point {
		p, err := g.Size().ParseVertex(v)
		require.NoError(t, err)
		return p
	}
	for _, v := range []string{"A2", "B2", "C2", "D2", "B1", "D1"} {
		require.NoError(t, g.PlayTolerant(board.Black, at(v)))
	}
	for _, v := range []string{"A3", "B3", "C3", "D3", "E2", "E1"} {
		require.NoError(t, g.PlayTolerant(board.White, at(v)))
	}
	text, err := life.Judge{}.Life(t.Context(), g, []board.Point{at("A2")}, false, 5*time.Second)
	require.NoError(t, err)
	require.Contains(t, text, "alive")
	_, err = life.Judge{}.Life(t.Context(), g, nil, false, 5*time.Second)
	require.Error(t, err)
	g, err = board.NewGame(board.Square(5), board.TrompTaylor())
	require.NoError(t, err)
	text, err = life.Judge{}.Unsettled(t.Context(), g, 5*time.Second)
	require.NoError(t, err)
	require.Empty(t, text, "no stones")
}
