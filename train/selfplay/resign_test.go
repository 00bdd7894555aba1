package selfplay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestResignation: a side resigns after several hopeless turns in a row; in a game that is played
// on, the side that would have resigned first is recorded.
func TestResignation(t *testing.T) {
	e := &Ending{Resign: -0.9, ResignTurns: 2}
	var r resignation
	r.see(board.White, -0.95, e)
	r.see(board.Black, -0.95, e)
	r.see(board.White, -0.5, e)
	r.see(board.White, -0.95, e)
	require.Equal(t, board.Empty, r.by)
	r.see(board.White, -0.95, e)
	require.Equal(t, board.White, r.by)
	require.Equal(t, board.Empty, r.would)

	out := resignation{playOut: true}
	for _, c := range []board.Color{board.Black, board.White, board.Black, board.White} {
		out.see(c, -1, e)
	}
	require.Equal(t, board.Empty, out.by)
	require.Equal(t, board.Black, out.would)

	var never resignation
	for range 5 {
		never.see(board.Black, -1, &Ending{Resign: -1, ResignTurns: 1})
	}
	require.Equal(t, resignation{}, never)
}
