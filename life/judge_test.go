package life_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/life"
)

// TestJudge asks about a wall with two eyes, about no stones, and for the unsettled groups of an empty board.
func TestJudge(t *testing.T) {
	g := testshared.GameOn(t, testshared.Diagram(t, ".....\n.....\nOOOO.\nXXXXO\n.X.XO"), board.TrompTaylor())
	text, err := life.Judge{}.Life(t.Context(), g, []board.Point{testshared.Point(t, g.Size(), "A2")}, false, 5*time.Second)
	require.NoError(t, err)
	require.Contains(t, text, "alive")
	_, err = life.Judge{}.Life(t.Context(), g, nil, false, 5*time.Second)
	require.Error(t, err)
	g = testshared.Game(t, board.Square(5), board.TrompTaylor())
	text, err = life.Judge{}.Unsettled(t.Context(), g, 5*time.Second)
	require.NoError(t, err)
	require.Empty(t, text, "no stones")
}
