package thinking_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/thinking"
)

// TestStatusWords requires that each status is read from the word that it is written as.
func TestStatusWords(t *testing.T) {
	for s := thinking.Alive; s <= thinking.Dame; s++ {
		got, ok := thinking.ParseStatus(s.String())
		require.True(t, ok)
		require.Equal(t, s, got)
		require.Equal(t, s != thinking.BlackTerritory && s != thinking.WhiteTerritory && s != thinking.Dame, s.OfStone())
	}
	_, ok := thinking.ParseStatus("Alive")
	require.False(t, ok)
	require.Equal(t, "unknown", thinking.Status(99).String())
}

// TestMoveOfAnalysis finds a move that was searched and no other.
func TestMoveOfAnalysis(t *testing.T) {
	a := thinking.Analysis{Moves: []thinking.Move{{Move: 3, Visits: 7}, {Move: board.Pass, Visits: 1}}, Unsearched: []thinking.Move{{Move: 4}}}
	require.EqualValues(t, 7, a.Move(3).Visits)
	require.Same(t, &a.Moves[1], a.Move(board.Pass))
	require.Nil(t, a.Move(4))
}
