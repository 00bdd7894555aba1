package search

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

type asked struct {
	stub
	queries []nn.Query
	moves   []int
}

func (a *asked) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	a.queries, a.moves = append(a.queries, *q), append(a.moves, q.Game.NumMoves())
	return a.stub.Evaluate(ctx, q, out)
}

func TestQueries(t *testing.T) {
	p := Defaults()
	p.Pass.IgnorePreRootHistory = true
	p.Net.Symmetry, p.Net.PolicyTemperature = 3, 1.5
	p.Utility.DrawEquivalentWinsForWhite = 0
	e := &asked{}
	tree := treeAt(t, p, e, newGame(t, 9, 3, 40))
	searched(t, tree, 60)
	depths := map[int]int{}
	for i, q := range e.queries {
		depth := e.moves[i] - 2
		depths[depth]++
		o := q.Options
		require.Equal(t, depth == 0, o.HistoryHidden)
		require.Equal(t, depth, o.MaxHistory)
		require.Equal(t, depth == 0, o.ConservativePassRoot)
		require.True(t, o.PassingHacks)
		require.Zero(t, o.DrawWins())
		require.Equal(t, int8(3), q.Symmetry)
		require.Equal(t, float32(1.5), q.PolicyTemperature)
		require.Equal(t, depth == 0, q.NeedOwnership)
		if depth == 0 {
			require.Equal(t, float32(0.2), q.Optimism)
		} else {
			require.Equal(t, float32(1), q.Optimism)
		}
		require.False(t, math.Signbit(float64(o.PlayoutDoublingAdvantage)), "-0 is another number to caches")
	}
	require.Equal(t, 1, depths[0])
	require.Positive(t, depths[2])
}

// TestAdvantage: the advantage belongs to one colour, whichever side is to move.
func TestAdvantage(t *testing.T) {
	for _, strong := range []board.Color{board.Empty, board.Black, board.White} {
		p := Plain()
		p.Net.PlayoutDoublingAdvantage, p.Net.AdvantageFor = 1.5, strong
		e := &asked{}
		tree := treeAt(t, p, e, newGame(t, 5))
		r := searched(t, tree, 100)
		owner := strong
		if owner == board.Empty {
			owner = board.Black // the side to move at the root
		}
		for i, q := range e.queries {
			toMove := board.Black
			if e.moves[i]%2 == 1 {
				toMove = board.White
			}
			want := float32(1.5)
			if toMove != owner {
				want = -want
			}
			require.Equal(t, want, q.Options.PlayoutDoublingAdvantage)
		}
		require.Equal(t, strong != board.Empty, tree.Advance(board.Black, r.Moves[0].Move))
	}
}
