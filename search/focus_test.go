package search

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

func focusOn(f *thinking.Focus) *atomic.Pointer[thinking.Focus] {
	p := new(atomic.Pointer[thinking.Focus])
	p.Store(f)
	return p
}

// unlikely returns the legal move with the smallest prior.
func unlikely(t *testing.T, g *board.Game, e nn.Evaluator) board.Point {
	t.Helper()
	var out nn.Output
	require.NoError(t, e.Evaluate(t.Context(), &nn.Query{Game: g}, &out))
	least, at := float32(2), board.NoPoint
	for i, p := range out.Policy[:g.Size().Area()] {
		if p >= 0 && p < least {
			least, at = p, g.Size().FromIndex(i)
		}
	}
	return at
}

// TestFocusHasNoWeight: in random positions with random focuses, focus playouts do not count at the
// root. Each adds a visit to a child of the root; the edge to the child counts that visit only when
// an ordinary visit selects the same move.
func TestFocusHasNoWeight(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 2))
	focused, probes := int64(0), int64(0)
	for n := range 60 {
		p := Defaults()
		p.Graph.Use = false // so that each edge has its own node
		p.Seed = uint64(n + 1)
		p.Parallel.Workers = 1 + n%2*7
		g := newGame(t, 3+2*rng.IntN(3))
		for range rng.IntN(12) {
			if at := board.Point(rng.IntN(g.Size().Area())); g.Legal(g.ToMove(), at) == nil {
				require.NoError(t, g.Play(g.ToMove(), at))
			}
		}
		f := &thinking.Focus{Prob: rng.Float64()}
		for range 1 + rng.IntN(4) {
			f.Moves = append(f.Moves, board.Point(rng.IntN(g.Size().Area()+1)-1)) // may be board.Pass
			f.Weights = append(f.Weights, rng.ExpFloat64()+0.01)
		}
		tree := treeAt(t, p, &stub{}, g)
		visits := int64(50 + rng.IntN(300))
		r := searchedWith(t, tree, Limits{Visits: visits, Focus: focusOn(f)})
		requireSound(t, tree)
		require.Equal(t, visits, r.Root.Visits)
		require.Equal(t, visits, r.Stats.Playouts)
		more := int64(0)
		for _, m := range r.Moves {
			if m.SymmetryOf == board.NoPoint {
				more += m.Visits - m.EdgeVisits
			}
		}
		require.InDelta(t, r.Stats.Focused-r.Stats.CatchUps, more, float64(r.Stats.Probes), "%d: %+v", n, f)
		focused += r.Stats.Focused
		probes += r.Stats.Probes
	}
	require.Greater(t, focused, 20*probes, "of most positions both sides are exact")
}

// TestFocusShare: the focus gets its share of the playouts, divided among its moves by weight.
func TestFocusShare(t *testing.T) {
	g := newGame(t, 9)
	size := g.Size()
	moves := []board.Point{size.Point(1, 3), size.Point(2, 6), board.Pass}
	p := Defaults()
	p.Root.SymmetryPruning, p.Seed = false, 7
	for _, share := range []float64{0.1, 0.5, 0.99, 1} {
		tree := treeAt(t, p, &stub{}, g)
		f := &thinking.Focus{Moves: moves, Weights: []float64{1, 2, 5}, Prob: share}
		visits := int64(4000 * (1 - min(share, 0.99)))
		r := searchedWith(t, tree, Limits{Visits: visits, Focus: focusOn(f)})
		all := float64(r.Stats.Focused)
		want := float64(visits) * min(share, 0.99) / (1 - min(share, 0.99))
		require.InEpsilon(t, want, all, 0.35, "share %v", share)
		for k, w := range f.Weights {
			m := r.Move(moves[k])
			require.InDelta(t, w/8, float64(m.Visits-m.EdgeVisits)/all, 0.06, "share %v, weight %v", share, w)
		}
		require.Equal(t, visits, r.Root.Visits)
	}
}

// TestFocusOfNothing: an empty focus leaves a search unchanged, visit for visit; a focus whose
// moves cannot be searched gets no playouts.
func TestFocusOfNothing(t *testing.T) {
	size := board.Square(9)
	g := newGame(t, 9, size.Point(4, 4))
	taken, banned := size.Point(4, 4), size.Point(2, 2)
	result := func(f *atomic.Pointer[thinking.Focus]) Result {
		p := Defaults()
		p.Seed = 3
		tree := treeAt(t, p, &stub{}, g)
		tree.Restrict(thinking.Restriction{Color: board.White, Points: []board.Point{banned}, Depth: 1})
		return searchedWith(t, tree, Limits{Visits: 300, Focus: f})
	}
	want := result(nil)
	for name, f := range map[string]*thinking.Focus{
		"none": nil, "no moves": {Prob: 0.5}, "no share": {Moves: []board.Point{0}},
	} {
		got := result(focusOn(f))
		require.Equal(t, want.Moves, got.Moves, name)
	}
	// The focus has drawn random numbers, so the move lists may differ; only the numbers of visits are checked.
	for name, moves := range map[string][]board.Point{"illegal": {taken}, "forbidden": {banned}, "both": {banned, taken}} {
		got := result(focusOn(&thinking.Focus{Moves: moves, Prob: 0.9}))
		require.Zero(t, got.Stats.Focused, name)
		require.EqualValues(t, 300, got.Root.Visits)
	}
}

// TestFocusFindsAGoodMove: a focus on a good move with a tiny prior reveals that move's value, also
// in a kept tree. As in KataGo, a focus playout has no weight at the root until PUCT sends an ordinary
// visit to the move: each such visit gives weight to one focus playout, and makes no playout itself.
func TestFocusFindsAGoodMove(t *testing.T) {
	for _, prior := range []float32{1e-6, 0.1} {
		g := newGame(t, 9)
		good := g.Size().Point(6, 2)
		e := &stub{noScore: true, answer: func(g *board.Game, out *nn.Output) {
			v := float32(-0.4) // Black's view
			if g.At(good) == board.Black {
				v = 0.8
			} else if g.At(good) == board.Empty && out.Policy[good] >= 0 {
				out.Policy[good] = prior
			}
			if g.ToMove() == board.White {
				v = -v
			}
			out.Win, out.Loss = (1+v)/2, (1-v)/2
		}}
		p := Defaults()
		p.Root.SymmetryPruning, p.Seed = false, 5
		tree := treeAt(t, p, e, g)
		plain := searched(t, tree, 1)
		require.Nil(t, plain.Move(good), "nobody has looked at it")
		f := focusOn(&thinking.Focus{Moves: []board.Point{good}, Prob: 0.6})
		r := searchedWith(t, tree, Limits{Visits: 300, Focus: f})
		require.EqualValues(t, 1, r.Stats.Reused, "the tree is kept")
		m := r.Move(good)
		require.Greater(t, m.Visits, int64(300))
		require.InDelta(t, 0.9, m.Winrate, 0.02)
		if prior < 1e-3 {
			require.Zero(t, m.EdgeVisits)
			require.Equal(t, len(r.Moves)-1, m.Order)
			require.InDelta(t, plain.Root.Winrate, r.Root.Winrate, 0.02)
			continue
		}
		require.Equal(t, 0, m.Order)
		require.Greater(t, m.EdgeVisits, int64(150))
		require.Greater(t, r.Stats.CatchUps, int64(150))
		f.Store(nil)
		before := r.Root.Visits
		r = searchedWith(t, tree, Limits{Visits: before + 1, Focus: f})
		require.Equal(t, before, r.Stats.Reused, "so it is without a focus")
		require.Zero(t, r.Stats.Focused)
	}
}

// TestFocusOnAnImage: a focus on a symmetric copy searches the original, and the result is
// reported for the copy.
func TestFocusOnAnImage(t *testing.T) {
	g := newGame(t, 9)
	size := g.Size()
	for _, at := range []board.Point{size.Point(2, 6), size.Point(6, 6), size.Point(2, 2)} { // all: images of (6, 2)
		tree := treeAt(t, Defaults(), &stub{flat: true}, g)
		r := searchedWith(t, tree, Limits{Visits: 100, Focus: focusOn(&thinking.Focus{Moves: []board.Point{at}, Prob: 0.5})})
		m := r.Move(at)
		require.NotNil(t, m)
		require.Equal(t, size.Point(6, 2), m.SymmetryOf)
		require.Greater(t, m.Visits-m.EdgeVisits, int64(50))
	}
}

// TestFocusIsReplaced: after another goroutine replaces the focus during a search, the new moves
// get playouts too.
func TestFocusIsReplaced(t *testing.T) {
	g := newGame(t, 9)
	size := g.Size()
	first, second := size.Point(1, 1), size.Point(7, 6)
	var f atomic.Pointer[thinking.Focus]
	f.Store(&thinking.Focus{Moves: []board.Point{first}, Prob: 0.5})
	e := &stub{}
	e.fail = func(n int64) error {
		if n == 1000 {
			f.Store(&thinking.Focus{Moves: []board.Point{second}, Prob: 0.5})
		}
		return nil
	}
	p := Defaults()
	p.Root.SymmetryPruning, p.Parallel.Workers, p.Seed = false, 4, 9
	tree := treeAt(t, p, e, g)
	r := searchedWith(t, tree, Limits{Visits: 1500, Focus: &f})
	for _, at := range []board.Point{first, second} {
		m := r.Move(at)
		require.Greater(t, m.Visits-m.EdgeVisits, int64(200), size.Vertex(at))
	}
}

func TestFocusAllocatesNothing(t *testing.T) {
	tree := requireNoAllocations(t, Defaults(), focusOn(&thinking.Focus{Moves: []board.Point{3, 40, board.Pass, 80}, Weights: []float64{1, 2, 3, 1e300}, Prob: 0.5}))
	require.Greater(t, tree.tally.stats.Focused, int64(1000))
}

// TestFocusBesidePasses: if a pass would end the phase, the probe of passing does not replace a
// focus playout.
func TestFocusBesidePasses(t *testing.T) {
	for _, prob := range []float64{0, 0.9} {
		g := newGame(t, 5, board.Pass)
		p := Defaults()
		p.Pass.Conservative, p.Seed = false, 2
		tree := treeAt(t, p, &stub{}, g)
		at := unlikely(t, g, &stub{})
		r := searchedWith(t, tree, Limits{Visits: 60, Focus: focusOn(&thinking.Focus{Moves: []board.Point{at}, Prob: prob})})
		require.EqualValues(t, 60, r.Root.Visits, fmt.Sprint(prob))
		if prob > 0 {
			m := r.Move(at)
			require.Equal(t, r.Stats.Focused, m.Visits-m.EdgeVisits)
		}
	}
}

// TestFocusKeepsCountersWhole: a node whose visits have reached the largest count, as they may in
// a finished position, gets no more, and the search continues.
func TestFocusKeepsCountersWhole(t *testing.T) {
	tree := treeAt(t, Defaults(), &stub{}, newGame(t, 3))
	f := focusOn(&thinking.Focus{Moves: []board.Point{4}, Prob: 1})
	searchedWith(t, tree, Limits{Visits: 10, Focus: f})
	edges := tree.nodes.a.edgesOf(tree.nodes.a.node(tree.nodes.root))
	for k := range edges {
		if edges[k].move == 4 {
			tree.nodes.a.node(edges[k].child).visits = mostVisits
		}
	}
	r := searchedWith(t, tree, Limits{Visits: 50, Focus: f})
	require.EqualValues(t, 50, r.Root.Visits)
	require.Zero(t, r.Stats.Focused)
}
