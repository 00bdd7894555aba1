//go:build !race

package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestNoAllocations does not run under the race detector, which keeps on the heap
// what the compiler otherwise keeps on the stack.
func TestNoAllocations(t *testing.T) {
	for _, n := range []int{9, 19} {
		moves := recorded(board.Square(n), 7)
		empty, err := board.NewGame(board.Square(n), board.TrompTaylor())
		require.NoError(t, err)
		g, late := clone(empty), clone(empty)
		for _, m := range moves {
			_ = late.Play(m.Color, m.Point)
		}
		var past board.Board
		var scratch board.LadderScratch
		owners, legal := make([]board.Color, n*n), make([]bool, n*n+1)
		run := func() {
			g.CopyFrom(empty)
			for _, m := range moves {
				_ = g.Play(m.Color, m.Point)
			}
			g.CopyFrom(late)
			g.LegalMoves(legal)
			g.Owners(owners)
			g.Score()
			g.Hash()
			g.GraphHash(board.Hash{})
			g.PastBoard(&past, 2)
			past.Ladders(&scratch)
			g.Board().PassAlive(owners, true)
			g.Board().IndependentLife(owners, board.KeepSafeTerritory, false)
			g.Board().Area(owners)
		}
		run()
		require.Zero(t, testing.AllocsPerRun(5, run))
	}
}
