package search

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

func TestNoAllocationsPerPlayout(t *testing.T) {
	for name, p := range presets() {
		t.Run(name, func(t *testing.T) {
			requireNoAllocations(t, p, nil)
		})
	}
}

// requireNoAllocations runs playouts one at a time on a short search and requires that they allocate nothing.
func requireNoAllocations(t *testing.T, p Params, focus *atomic.Pointer[thinking.Focus]) *Tree {
	t.Helper()
	tree := treeAt(t, p, newQuick(81), newGame(t, 9))
	searchedWith(t, tree, Limits{Visits: 5000, Focus: focus}) // lets chunks, tables and scratch grow first
	tree.Clear()
	searchedWith(t, tree, Limits{Visits: 10, Focus: focus})
	s, ctx := tree.playouts.slots[0], t.Context()
	require.Zero(t, testing.AllocsPerRun(3000, func() {
		if tree.playouts.descend(s) == atLeaf {
			s.run(ctx, &tree.sh)
			require.NoError(t, applied(tree, s))
		}
	}))
	return tree
}

// pick returns a searched move that is not a pass, and not the best one if there are others.
func pick(t *testing.T, r *Result) board.Point {
	t.Helper()
	found := board.NoPoint
	for _, m := range r.Moves {
		if m.SymmetryOf == board.NoPoint && m.Move != board.Pass && m.EdgeVisits > 20 {
			if found != board.NoPoint {
				return m.Move
			}
			found = m.Move
		}
	}
	require.NotEqual(t, board.NoPoint, found)
	return found
}

func TestMemoryLimitEndsTheSearch(t *testing.T) {
	for _, graph := range []bool{false, true} {
		p := Defaults()
		p.Graph.Use = graph
		p.Memory.MaxBytes = MinBytes
		g := newGame(t, 9)
		tree := treeAt(t, p, newQuick(81), g)
		for range 6 {
			r := searchedWith(t, tree, Limits{})
			require.Equal(t, StopMemory, r.Stop)
			require.Greater(t, r.Root.Visits, int64(1000))
			require.LessOrEqual(t, r.Stats.Bytes, p.Memory.MaxBytes)
			require.LessOrEqual(t, tree.Bytes(), p.Memory.MaxBytes)
			requireSound(t, tree)
			// The kept part leaves room for a further search.
			move := pick(t, &r)
			require.True(t, tree.Advance(g.ToMove(), move))
			require.NoError(t, g.Play(g.ToMove(), move))
		}
	}
}

// TestCompactionKeepsTheTree: compaction does not change the content of the kept part of a tree.
func TestCompactionKeepsTheTree(t *testing.T) {
	for name, p := range presets() {
		t.Run(name, func(t *testing.T) {
			p.Pass.MoreHacks = false
			g := newGame(t, 7)
			tree := treeAt(t, p, &stub{errors: true}, g)
			for range 3 {
				r := searched(t, tree, 3000)
				move := pick(t, &r)
				child := tree.nodes.childOf(move)
				require.NotZero(t, child)
				want := dump(tree, child, 6)
				require.True(t, tree.Advance(g.ToMove(), move))
				require.NoError(t, g.Play(g.ToMove(), move))
				require.Equal(t, want, dump(tree, tree.nodes.root, 6))
				requireSound(t, tree)
				for i := uint32(1); i < tree.nodes.a.nodeCount; i++ {
					require.False(t, tree.nodes.a.node(i).is(flagMark))
					if p.Graph.Use && i != tree.nodes.root {
						require.Equal(t, i, tree.nodes.graph.find(tree.nodes.graph.hashes.get(i)))
					}
				}
				checkBias(t, tree)
			}
		})
	}
}

// dump lists the content of a subtree to a depth, without indices.
func dump(tree *Tree, i uint32, depth int) []any {
	n := tree.nodes.a.node(i)
	out := []any{n.visits, n.weight, n.utility, n.avg, n.own, n.flags &^ (flagMark | flagForced | flagTruncated | flagUnsorted)}
	if depth == 0 {
		return out
	}
	for _, e := range tree.nodes.a.edgesOf(n) {
		out = append(out, e.move, e.visits, e.prior, dump(tree, e.child, depth-1))
		c := tree.nodes.a.node(e.child)
		for k := int(c.edgeCount); k < int(c.priorCount); k++ {
			p, prior := tree.nodes.a.priorAt(c, k)
			out = append(out, p, prior)
		}
	}
	return out
}

// checkBias requires that each bias entry counts the nodes that use it and is found by its key.
func checkBias(t *testing.T, tree *Tree) {
	t.Helper()
	count := make([]int32, len(tree.nodes.bias.entries))
	for i := uint32(1); i < tree.nodes.a.nodeCount; i++ {
		count[tree.nodes.a.node(i).bias.entry]++
	}
	for i := 1; i < len(count); i++ {
		require.Equal(t, count[i], tree.nodes.bias.entries[i].nodes)
		require.Equal(t, uint32(i), tree.nodes.bias.find(tree.nodes.bias.entries[i].key))
	}
}

// TestExactAndIncrementalAveragesAgree: incremental averages give nearly the same numbers as
// exact ones.
func TestExactAndIncrementalAveragesAgree(t *testing.T) {
	fast := Defaults()
	fast.Graph.Use = false // shared nodes change without updating their parents
	fast.Bias.Factor = 0   // so do shared bias patterns
	exact := fast
	exact.Backup.ExactShare = 0
	var results []Result
	for _, p := range []Params{exact, fast} {
		tree := treeAt(t, p, &stub{errors: true}, newGame(t, 9))
		results = append(results, searched(t, tree, 8000))
		for i := uint32(1); i < tree.nodes.a.nodeCount; i++ {
			n := tree.nodes.a.node(i)
			if !n.is(flagEvaluated) || n.is(flagTerminal) || n.edgeCount == 0 {
				continue
			}
			moved := *n
			tree.nodes.rebuild(i)
			require.InDelta(t, n.utility, moved.utility, 0.02)
			require.InEpsilon(t, n.weight, moved.weight, 0.05)
			require.InEpsilon(t, n.weightSq, moved.weightSq, 0.1)
			require.InDelta(t, n.avg.winLoss, moved.avg.winLoss, 0.02)
		}
	}
	require.InDelta(t, results[0].Root.Utility, results[1].Root.Utility, 0.02)
	require.Equal(t, results[0].Moves[0].Move, results[1].Moves[0].Move)
}

// TestAllPriorsAreReached: a node that stores few priors fetches the others when those are used
// up, so every move can be reached.
func TestAllPriorsAreReached(t *testing.T) {
	for _, workers := range []int{1, 4} {
		p := Plain()
		p.Memory.PriorsPerNode = 8
		p.Parallel.Workers = workers
		tree := treeAt(t, p, &stub{flat: true, noScore: true}, newGame(t, 5))
		searched(t, tree, 12000)
		root := tree.nodes.a.node(tree.nodes.root)
		require.Equal(t, 26, int(root.edgeCount))
		for _, e := range tree.nodes.a.edgesOf(root) {
			n := tree.nodes.a.node(e.child)
			seen := map[board.Point]bool{}
			for _, e := range tree.nodes.a.edgesOf(n) {
				require.False(t, seen[e.move])
				seen[e.move] = true
			}
			if n.visits > 100 {
				require.Len(t, seen, 25+b2i(e.move == board.Pass))
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestOwnership(t *testing.T) {
	size := board.Square(5)
	e := &stub{ownership: true, answer: func(g *board.Game, out *nn.Output) {
		for p := range size.Area() { // White owns the upper rows in every query
			v := float32(-0.5)
			if p < 10 {
				v = 0.75
			}
			if g.ToMove() == board.Black {
				v = -v
			}
			out.Ownership[p] = v
		}
	}}
	g := newGame(t, 5)
	tree := treeAt(t, Plain(), e, g)
	r := searched(t, tree, 20)
	require.Nil(t, r.Ownership)
	require.Len(t, r.Root.Raw.Ownership, 25)
	for range 3 {
		r := searchedWith(t, tree, Limits{Visits: 300, Ownership: true, MovesOwnership: true})
		sign := float32(1)
		if r.ToMove == board.Black {
			sign = -1
		}
		for _, own := range [][]float32{r.Ownership, r.Moves[0].Ownership} {
			require.Len(t, own, 25)
			require.InDelta(t, sign*0.75, own[0], 1e-4)
			require.InDelta(t, sign*-0.5, own[24], 1e-4)
		}
		require.InDelta(t, 0, r.OwnershipStdev[3], 1e-3)
		move := r.Moves[0].Move
		require.True(t, tree.Advance(g.ToMove(), move))
		require.NoError(t, g.Play(g.ToMove(), move))
	}
}

// TestSnapshots: snapshots grow while a search runs, even if the goroutines that answer its queries
// do the work, and the last snapshot is the result.
func TestSnapshots(t *testing.T) {
	two := Defaults()
	two.Parallel.Workers = 2
	for _, p := range []Params{two, combining(8)} {
		tree := treeAt(t, p, newAnswering(t, &stub{delay: 200 * time.Microsecond}, 3), newGame(t, 9))
		var empty, last Result
		tree.Snapshot(&empty)
		require.Empty(t, empty.Moves)
		ctx, enough := context.WithCancel(t.Context())
		var watch sync.WaitGroup
		watch.Go(func() {
			defer enough()
			visits := int64(1) // the root alone has no moves
			for grew := 0; grew < 3; time.Sleep(time.Millisecond) {
				var r Result
				if tree.Snapshot(&r); !r.Final && r.Root.Visits > visits {
					grew++
					visits = r.Root.Visits
					if r.Move(r.Moves[0].Move) == nil || len(r.Moves[0].PV) == 0 {
						panic("no variation")
					}
				}
			}
		})
		r, err := tree.Search(ctx, Limits{SnapshotEvery: 10 * time.Millisecond})
		watch.Wait()
		require.NoError(t, err)
		require.Equal(t, StopCancelled, r.Stop)
		requireSound(t, tree)
		tree.Snapshot(&last)
		require.Equal(t, r, last)
	}
}

func TestAdvanceDropsWhatItMust(t *testing.T) {
	size := board.Square(9)
	prepare := func(p Params, play ...board.Point) (*Tree, *board.Game, Result) {
		g := newGame(t, 9, play...)
		tree := treeAt(t, p, &stub{flat: true}, g)
		return tree, g, searched(t, tree, 2000)
	}
	tree, _, r := prepare(Defaults())
	require.False(t, tree.Advance(board.White, r.Moves[0].Move), "not White's turn")
	require.Zero(t, tree.Visits())
	_, err := tree.Search(t.Context(), Limits{Visits: 10})
	require.NoError(t, err, "the move was played all the same")

	tree, _, _ = prepare(Defaults(), size.Point(4, 4))
	require.False(t, tree.Advance(board.White, size.Point(4, 4)), "occupied")
	_, err = tree.Search(t.Context(), Limits{Visits: 10})
	require.ErrorIs(t, err, ErrNoGame)

	tree, g, _ := prepare(Defaults(), size.Point(4, 4))
	require.False(t, tree.Advance(board.White, board.Pass), "a pass now ends the game, and conservative passing does not let it")
	require.NoError(t, g.Play(board.White, board.Pass))
	require.True(t, tree.Matches(g))

	tree, _, r = prepare(Defaults())
	tree.Restrict(thinking.Restriction{Color: board.White, Points: []board.Point{3}, Depth: 2})
	r = searched(t, tree, 100)
	require.False(t, tree.Advance(board.Black, r.Moves[0].Move), "restrictions counted from the old root")
}

func TestSetParams(t *testing.T) {
	tree := treeAt(t, Defaults(), &stub{}, newGame(t, 5))
	searched(t, tree, 100)
	p := tree.Params()
	p.Parallel.Workers, p.Choice.UseLCB, p.Memory.PriorsPerNode = 4, false, 100
	require.NoError(t, tree.SetParams(p))
	require.Equal(t, int64(100), tree.Visits())
	p.PUCT.Exploration = 2
	require.NoError(t, tree.SetParams(p))
	require.Zero(t, tree.Visits())
	p.PUCT.Exploration = -1
	require.ErrorIs(t, tree.SetParams(p), ErrParams)
	require.Equal(t, 2.0, tree.Params().PUCT.Exploration)
}

func TestValidateFindsEveryFault(t *testing.T) {
	require.NoError(t, Defaults().Validate())
	require.NoError(t, Plain().Validate())
	require.NoError(t, Tutorial().Validate())
	p := Defaults()
	p.PUCT.Exploration = math.NaN()
	p.FPU.ReductionMax = -1
	p.Backup.UncertaintyCoeff = 0
	p.Root.NumSymmetries = 9
	p.Parallel.Workers = 0
	p.Memory.MaxBytes = 1
	err := p.Validate()
	require.ErrorIs(t, err, ErrParams)
	require.Equal(t, 6, strings.Count(err.Error(), "must be "))
	_, err = New(p, &stub{}, nil)
	require.ErrorIs(t, err, ErrParams)
	_, err = New(Defaults(), nil, nil)
	require.True(t, errors.Is(err, ErrParams))
}

func TestChoose(t *testing.T) {
	r := Result{Analysis: thinking.Analysis{Size: board.Square(9)}, choice: Choice{TemperatureOnlyBelow: 1}}
	rng := rand.New(rand.NewPCG(3, 4))
	require.Equal(t, board.Pass, r.Choose(1, rng))
	r.Policy = make([]float32, 82)
	for i := range r.Policy {
		r.Policy[i] = -1
	}
	r.Policy[7], r.Policy[8] = 0.9, 0.1
	require.Equal(t, board.Point(7), r.Choose(0, rng))
	r.Moves = []thinking.Move{
		{Move: 1, Selection: 80, SymmetryOf: board.NoPoint}, {Move: 2, Selection: 80, SymmetryOf: 1},
		{Move: 3, Selection: 20, SymmetryOf: board.NoPoint}, {Move: 4, SymmetryOf: board.NoPoint},
	}
	require.Equal(t, board.Point(1), r.Choose(0, nil))
	counts := map[board.Point]int{}
	for range 10000 {
		counts[r.Choose(1, rng)]++
	}
	require.Zero(t, counts[2]+counts[4])
	require.InDelta(t, 8000, counts[1], 200)
	clear(counts)
	for range 10000 {
		counts[r.Choose(0.5, rng)]++ // in the ratio 80^2 to 20^2
	}
	require.InDelta(t, 10000*16.0/17, counts[1], 150)
	c := Defaults().Choice
	require.InDelta(t, 0.5, c.TemperatureAt(0, board.Square(19)), 1e-9)
	require.InDelta(t, 0.3, c.TemperatureAt(19, board.Square(19)), 1e-9)
	require.InDelta(t, 0.3, c.TemperatureAt(9, board.Square(9)), 1e-9)
}

// TestTrusted: dropSmall sets selection values below Prune to 0 and lowers the others by at most Subtract.
// It treats the values after LCB (value) and those before it (plain) alike.
func TestTrusted(t *testing.T) {
	for _, c := range []struct {
		prune, subtract, value, plain float64
		values, plains                [2]float64
	}{
		{1, 0, 80, 60, [2]float64{80, 0}, [2]float64{60, 0.95}},
		{2, 0, 160, 60, [2]float64{160, 0}, [2]float64{60, 0.95}},
		{0, 2, 128, 64, [2]float64{126, 0}, [2]float64{63, 0}},
		{0, 2, 6.4, 6.4, [2]float64{6.3, 0.85}, [2]float64{6.3, 0.85}},
	} {
		choice := Choice{Prune: c.prune, Subtract: c.subtract}
		moves := []candidate{{value: c.value, plain: c.plain}, {value: 0.95, plain: 0.95}}
		choice.dropSmall(moves)
		for k, m := range moves {
			require.InDelta(t, c.values[k], m.value, 1e-9, "%+v", c)
			require.InDelta(t, c.plains[k], m.plain, 1e-9, "%+v", c)
		}
	}
}

// TestIllegalMoveInAPolicy: an evaluator that offers illegal moves, as a cache might after a hash
// collision, does no harm.
func TestIllegalMoveInAPolicy(t *testing.T) {
	for name, p := range presets() {
		for _, workers := range []int{1, 4} {
			p.Parallel.Workers = workers
			e := &stub{answer: func(g *board.Game, out *nn.Output) {
				out.Policy[3], out.Policy[7] = 0.4, 0.3 // even if the points are occupied
			}}
			g := newGame(t, 5, 3)
			tree := treeAt(t, p, e, g)
			r := searchedWith(t, tree, Limits{Visits: 1000})
			require.GreaterOrEqual(t, r.Root.Visits, int64(1000), name)
			require.NoError(t, g.Legal(board.White, r.Choose(0, nil)), name)
			for i := uint32(1); i < tree.nodes.a.nodeCount; i++ {
				for _, e := range tree.nodes.a.edgesOf(tree.nodes.a.node(i)) {
					require.Zero(t, e.inFlight)
				}
			}
		}
	}
}

// TestFinishedGameCanBeSearched: the root never counts as the end of the game, since play may continue
// after two passes.
func TestFinishedGameCanBeSearched(t *testing.T) {
	for name, p := range presets() {
		g := newGame(t, 5, 12, board.Pass, board.Pass)
		require.True(t, g.Finished())
		tree := treeAt(t, p, &stub{}, g)
		r := searched(t, tree, 200)
		require.Equal(t, int64(200), r.Root.Visits, name)
		require.Greater(t, len(r.Moves), 1, name)
	}
}

func TestLayout(t *testing.T) {
	require.EqualValues(t, 128, unsafe.Sizeof(node{}), "two cache lines")
	require.EqualValues(t, 32, unsafe.Sizeof(edge{}))
	require.LessOrEqual(t, unsafe.Offsetof(node{}.ownUtility), uintptr(60), "selection reads the first line only")
}
