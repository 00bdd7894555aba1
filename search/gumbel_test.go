package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

func TestHalvingSchedule(t *testing.T) {
	// 4 moves, 16 visits: each move gets 2, then the best two get 4 more each.
	require.Equal(t, []int32{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, halvingSchedule(nil, 4, 16))
	require.Equal(t, []int32{0, 1, 2}, halvingSchedule(nil, 1, 3))
	require.Equal(t, []int32{0, 0, 0, 0, 0}, halvingSchedule(nil, 16, 5))
	for _, visits := range []int{1, 7, 64, 200} {
		require.Len(t, halvingSchedule(nil, 16, visits), visits)
	}
}

func gumbelParams() Params {
	p := Plain()
	p.Root.Gumbel.Considered = 16
	p.Choice.UseLCB = false
	return p
}

// TestGumbelVisitsFollowTheSchedule: 16 moves of equal priors are visited once each, then 8 of
// them, and so on.
func TestGumbelVisitsFollowTheSchedule(t *testing.T) {
	for _, workers := range []int{1, 4} {
		p := gumbelParams()
		p.Parallel.Workers = workers
		tree := treeAt(t, p, &stub{flat: true}, newGame(t, 9))
		r := searched(t, tree, 65)
		require.Len(t, r.Moves, 16)
		counts := map[int64]int{}
		for _, m := range r.Moves {
			counts[m.EdgeVisits]++
		}
		if workers == 1 {
			require.Equal(t, map[int64]int{1: 8, 3: 4, 7: 2, 15: 2}, counts)
		}
		sum := 0.0
		for _, v := range r.Improved {
			sum += float64(max(0, v))
		}
		require.InDelta(t, 1, sum, 1e-5)
	}
}

// oneGoodMove returns a point of a 5x5 board, and an evaluator that gives all moves the same prior
// and says that Black wins with a stone on that point.
func oneGoodMove() (board.Point, nn.Evaluator) {
	good := board.Square(5).Point(3, 1)
	return good, evenly(func(g *board.Game) float32 {
		v := float32(-0.5)
		if g.At(good) == board.Black {
			v = 0.5
		}
		if g.ToMove() == board.White {
			v = -v
		}
		return v
	})
}

// TestGumbelFindsTheGoodMove: 40 visits find the one good move among 26 candidates of equal prior, and
// the improved policy prefers it.
func TestGumbelFindsTheGoodMove(t *testing.T) {
	good, e := oneGoodMove()
	p := gumbelParams()
	p.Root.Gumbel.Considered = 26
	tree := newTree(t, p, e)
	g := newGame(t, 5)
	for range 3 {
		tree.Reset(g)
		r := searched(t, tree, 40)
		require.Equal(t, good, r.Choose(0, nil))
		require.Greater(t, r.Improved[board.Square(5).Index(good)], float32(0.9))
	}
	// A second search continues from the visits of the kept tree.
	r := searched(t, tree, 80)
	require.Equal(t, int64(80), r.Root.Visits)
	require.Equal(t, good, r.Choose(0, nil))
}

// TestGumbelInPlayDrawsByImprovedPolicy: the last moves of the halving have equal visits, but a
// draw by temperature does not treat them as equal.
func TestGumbelInPlayDrawsByImprovedPolicy(t *testing.T) {
	good, e := oneGoodMove()
	p := gumbelParams()
	p.Root.Gumbel.Considered, p.Root.Gumbel.Greedy = 26, true
	tree := treeAt(t, p, e, newGame(t, 5))
	r := searched(t, tree, 40)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		require.Equal(t, good, r.Choose(1, rng))
	}
}

// TestGumbelSamplesByPrior: with one candidate the choice is a draw from the policy.
func TestGumbelSamplesByPrior(t *testing.T) {
	p := gumbelParams()
	p.Root.Gumbel.Considered = 1
	e := &stub{flat: true, noScore: true, answer: func(g *board.Game, out *nn.Output) {
		for i := range g.Size().Area() + 1 {
			if out.Policy[i] >= 0 {
				out.Policy[i] = 0
			}
		}
		out.Policy[2], out.Policy[5] = 0.75, 0.25
	}}
	tree := treeAt(t, p, e, newGame(t, 3))
	counts := map[board.Point]int{}
	const n = 4000
	for range n {
		tree.Clear()
		r := searchedWith(t, tree, Limits{Visits: 2})
		counts[r.Choose(0, nil)]++
	}
	require.InDelta(t, 0.75*n, counts[2], 4*math.Sqrt(n*0.75*0.25))
	p.Root.Gumbel.Greedy = true
	require.NoError(t, tree.SetParams(p))
	r := searched(t, tree, 2)
	require.Equal(t, board.Point(2), r.Choose(0, nil))
}
