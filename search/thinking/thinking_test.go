package thinking_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search/thinking"
)

// TestStatusWords: parsing a status's word returns the status.
func TestStatusWords(t *testing.T) {
	for s := thinking.Alive; s <= thinking.Dame; s++ {
		got, ok := thinking.ParseStatus(s.String())
		require.True(t, ok)
		require.Equal(t, s, got)
	}
	_, ok := thinking.ParseStatus("Alive")
	require.False(t, ok)
	require.Equal(t, "unknown", thinking.Status(99).String())
}

// TestMoveOfAnalysis: a searched move is found, and no other.
func TestMoveOfAnalysis(t *testing.T) {
	a := thinking.Analysis{Moves: []thinking.Move{{Move: 3, Visits: 7}, {Move: board.Pass, Visits: 1}}, Unsearched: []thinking.Move{{Move: 4}}}
	require.EqualValues(t, 7, a.Move(3).Visits)
	require.Same(t, &a.Moves[1], a.Move(board.Pass))
	require.Nil(t, a.Move(4))
}

// TestPermits checks allowing and forbidding lists for both colours, at and beyond their depth.
func TestPermits(t *testing.T) {
	avoid := []thinking.Restriction{
		{Color: board.White, Points: []board.Point{0, board.Pass}, Depth: 1}, {Color: board.White, Points: []board.Point{2}, Depth: 5},
		{Color: board.Black, Points: []board.Point{1}, Depth: 1},
	}
	allow := []thinking.Restriction{
		{Color: board.Black, Points: []board.Point{3}, Depth: 1, Allow: true}, {Color: board.White, Points: []board.Point{0}, Depth: 1, Allow: true},
	}
	for i, p := range []board.Point{0, 1, 2, 3, board.Pass} {
		require.Equal(t, []bool{false, true, false, true, false}[i], thinking.Permits(avoid, board.White, p, 0))
		require.Equal(t, p != 2, thinking.Permits(avoid, board.White, p, 1))
		require.Equal(t, p == 3, thinking.Permits(allow, board.Black, p, 0))
		require.True(t, thinking.Permits(allow, board.Black, p, 1))
	}
}
