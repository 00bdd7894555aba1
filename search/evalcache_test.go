package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

// caching returns parameters under which positions of 20 visits are remembered.
func caching() Params {
	p := Defaults()
	p.EvalCache = EvalCacheParams{Use: true, MinVisits: 20}
	return p
}

// blind is an evaluator that takes all positions for even, but for those after one
// first move of Black: it takes the move for a loss, and finds out after any answer
// that it wins.
func blind(first board.Point) *stub {
	return &stub{flat: true, answer: func(g *board.Game, out *nn.Output) {
		white := float32(0.5)
		if m := g.Moves(); len(m) == 1 && m[0].Point == first {
			white = 1
		} else if len(m) > 1 && m[0].Point == first {
			white = 0
		}
		out.Win, out.Loss = white, 1-white
		if g.ToMove() == board.Black {
			out.Win, out.Loss = 1-white, white
		}
		out.ScoreMean, out.Lead = 0, 0
	}}
}

// TestRecallSeesFromEarlierOn: what was found below a move is known to a search that
// begins before it, until it is forgotten, and to none with other parameters.
func TestRecallSeesFromEarlierOn(t *testing.T) {
	const first = board.Point(20)
	after := newGame(t, 5)
	require.NoError(t, after.Play(board.Black, first))
	p := caching()
	p.Root.SymmetryPruning = false
	tree := newTree(t, p, blind(first))
	share := func() float64 { // of the move
		tree.Reset(newGame(t, 5))
		for _, m := range searched(t, tree, 200).Moves {
			if m.Move == first {
				return float64(m.EdgeVisits) / 199
			}
		}
		return 0
	}
	before := share()
	require.Less(t, before, 0.1, "the move looks bad")
	tree.Reset(after)
	searched(t, tree, 400)
	require.NotEmpty(t, tree.nodes.cache.evals.known)
	require.Greater(t, share(), 0.4)
	other := p
	other.PUCT.Exploration = 1.5
	require.NoError(t, tree.SetParams(other))
	require.Less(t, share(), 0.1, "other parameters are other searches")
	require.NoError(t, tree.SetParams(p))
	require.Greater(t, share(), 0.4)
	tree.Forget()
	require.InDelta(t, before, share(), 1e-9)
}

// TestRecallIsShared: trees that share a cache know what each other found; those
// of other groups do not.
func TestRecallIsShared(t *testing.T) {
	p, e := caching(), &stub{}
	p.EvalCache.Shared = NewEvalCache()
	visits := func(p Params) (seen []int64) {
		tree := newTree(t, p, e)
		tree.Reset(newGame(t, 7))
		for _, m := range searched(t, tree, 300).Moves {
			seen = append(seen, m.Visits)
		}
		return seen
	}
	alone := visits(p)
	require.NotEqual(t, alone, visits(p))
	other := p
	other.EvalCache.Group = 1
	require.Equal(t, alone, visits(other))
	off := p
	off.EvalCache.Use = false
	off.EvalCache.Shared.Clear()
	require.Equal(t, alone, visits(off), "an empty cache changes nothing")
	require.Empty(t, off.EvalCache.Shared.known)
	require.Equal(t, alone, visits(p))
}

// TestRecallKeepsTrees: what nodes know moves with them when a move is made.
func TestRecallKeepsTrees(t *testing.T) {
	tree := newTree(t, caching(), &stub{})
	tree.Reset(newGame(t, 7))
	searched(t, tree, 600)
	tree.Reset(newGame(t, 7)) // so that nodes are met that are known
	r := searched(t, tree, 600)
	known := func() map[board.Hash]*cachedEval {
		found := map[board.Hash]*cachedEval{}
		for i := uint32(1); i < tree.nodes.a.nodeCount; i++ {
			if e := tree.nodes.cache.of(i); e != nil {
				found[tree.nodes.graph.hashes.get(i)] = e
			}
		}
		return found
	}
	before := known()
	require.True(t, tree.Advance(board.Black, r.Moves[0].Move))
	after := known()
	require.Greater(t, len(after), 5)
	for h, e := range after {
		require.Same(t, before[h], e)
	}
	searched(t, tree, 900)
}

// TestCachedEval: averages are drawn to what is known by how much more of it there is,
// and moves keep what is known best.
func TestCachedEval(t *testing.T) {
	e := cachedEval{avg: outcome{winLoss: 1, scoreMean: 4, lead: 6}, visits: 400}
	require.InDelta(t, 1/(1+3*0.005*(1+2*0.005*0.005)), e.share(1, 100), 1e-12, "400 visits count for 200")
	require.InDelta(t, 0.1, e.share(200, 100), 1e-12)
	require.Zero(t, (&cachedEval{}).share(1, 100), "nothing is known")
	o := outcome{scoreMean: 2, scoreMeanSq: 13}
	e.blend(&o, 0.5)
	require.Equal(t, outcome{winLoss: 0.5, scoreMean: 3, scoreMeanSq: 18, lead: 3}, o, "the spread stays")
	for _, m := range []cachedMove{{7, 0.1, 1, 30}, {board.Pass, 0, 0, 20}, {3, 0.2, 2, 25}, {7, 0.3, 3, 29}, {3, 0.4, 4, 25}} {
		e.with(m)
	}
	require.Equal(t, []cachedMove{{board.Pass, 0, 0, 20}, {3, 0.4, 4, 25}, {7, 0.1, 1, 30}}, e.moves)
}

// TestFingerprint: seeds and places to keep things are no parameters.
func TestFingerprint(t *testing.T) {
	p := caching()
	q := p
	q.Seed, q.EvalCache.Shared, q.RepeatPenalty.History = 7, NewEvalCache(), NewPatterns()
	require.Equal(t, p.fingerprint(), q.fingerprint())
	q.Choice.Temperature = 1
	require.NotEqual(t, p.fingerprint(), q.fingerprint())
}
