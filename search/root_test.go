package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

func TestRestrictions(t *testing.T) {
	size := board.Square(5)
	some := []board.Point{size.Point(1, 1), size.Point(2, 2), board.Pass}
	for _, allow := range []bool{false, true} {
		for _, depth := range []int{1, 3} {
			tree := treeAt(t, Defaults(), &stub{}, newGame(t, 5))
			tree.Restrict(thinking.Restriction{Color: board.Black, Points: some, Depth: depth, Allow: allow})
			searched(t, tree, 800)
			var check func(i uint32, ply int)
			check = func(i uint32, ply int) {
				n := tree.nodes.a.node(i)
				for _, e := range tree.nodes.a.edgesOf(n) {
					listed := e.move == some[0] || e.move == some[1] || e.move == some[2]
					if n.toMove() == board.Black && ply < depth {
						require.Equal(t, allow, listed, "ply %d", ply)
					}
					check(e.child, ply+1)
				}
			}
			check(tree.nodes.root, 0)
		}
	}
	// With no move allowed the search still ends, and lists no moves.
	tree := treeAt(t, Defaults(), &stub{}, newGame(t, 5))
	tree.Restrict(thinking.Restriction{Color: board.Black, Depth: 1, Allow: true})
	r := searched(t, tree, 50)
	require.Empty(t, r.Moves)
	require.Equal(t, int64(50), r.Root.Visits)
	// Setting the same restrictions again keeps the tree; other restrictions drop it.
	tree.Restrict(thinking.Restriction{Color: board.Black, Depth: 1, Allow: true})
	require.Equal(t, int64(50), tree.Visits())
	tree.Restrict()
	require.Zero(t, tree.Visits())
}

func TestSymmetricMovesAreSearchedOnce(t *testing.T) {
	tree := treeAt(t, Defaults(), &stub{flat: true}, newGame(t, 9))
	r := searched(t, tree, 2000)
	searchedMoves := 0
	for i := range r.Moves {
		m := &r.Moves[i]
		require.Equal(t, i, m.Order)
		if m.SymmetryOf != board.NoPoint {
			require.Equal(t, r.Move(m.SymmetryOf).Visits, m.Visits)
			require.Equal(t, m.Move, m.PV[0])
			continue
		}
		searchedMoves++
		if m.Move != board.Pass { // Black's opening moves are in the upper right
			x, y := r.Size.XY(m.Move)
			require.GreaterOrEqual(t, x, 4)
			require.LessOrEqual(t, y, 4)
		}
	}
	require.Equal(t, 15+1, searchedMoves)
	require.Len(t, r.Moves, 82)
}

// TestOneVisitObeysTheRoot: with one visit the choice follows the policy, as in KataGo, but only
// among moves that a search would consider.
func TestOneVisitObeysTheRoot(t *testing.T) {
	g := newGame(t, 9)
	size := g.Size()
	copied, own := size.Point(2, 6), size.Point(6, 2) // symmetric copies; the second is the one searched
	e := &stub{answer: func(_ *board.Game, out *nn.Output) {
		for i := range size.Area() + 1 {
			out.Policy[i] = 0.001
		}
		out.Policy[size.Index(copied)], out.Policy[size.Index(own)] = 0.5, 0.2
	}}
	tree := treeAt(t, Defaults(), e, g)
	r := searched(t, tree, 1)
	require.Empty(t, r.Moves)
	require.Equal(t, own, r.Choose(0, nil))
	tree.Restrict(thinking.Restriction{Color: board.Black, Depth: 1, Allow: true, Points: []board.Point{copied}})
	r = searched(t, tree, 1)
	require.Equal(t, copied, r.Choose(0, nil), "a copy if nothing else may be played")
}

func TestRootNoise(t *testing.T) {
	p := Plain()
	p.Root.NoiseEnabled = true
	plain, noisy := treeAt(t, Plain(), &stub{}, newGame(t, 9)), treeAt(t, p, &stub{}, newGame(t, 9))
	a, b := searched(t, plain, 800), searched(t, noisy, 800)
	require.Equal(t, a.Policy, b.Policy) // unchanged network policy
	sum, differ := 0.0, 0
	n := noisy.nodes.a.node(noisy.nodes.root)
	for k := range int(n.priorCount) {
		_, prior := noisy.nodes.a.priorAt(n, k)
		sum += float64(prior)
	}
	require.InDelta(t, 1, sum, 1e-4)
	for _, m := range a.Moves {
		if o := b.Move(m.Move); o != nil && math.Abs(float64(o.Prior-m.Prior)) > 1e-4 {
			differ++
		}
	}
	require.Positive(t, differ)
}

func TestDirichletConcentration(t *testing.T) {
	policy := []float32{0.5, 0.3, 0.1999, 0.0001, -1}
	r := Defaults().Root
	alpha := make([]float64, 5)
	sum := func() (s float64) {
		for i := range 4 {
			s += alpha[i]
		}
		return s
	}
	dirichletAlphas(alpha, policy, &r)
	require.InDelta(t, 10.83, sum(), 1e-9)
	require.Greater(t, alpha[0], alpha[3])
	require.InDelta(t, 10.83*0.5/4, alpha[3], 1e-9) // half of the concentration is divided evenly
	r.DirichletShaped, r.DirichletAlpha = false, 0.3
	dirichletAlphas(alpha, policy, &r)
	require.Equal(t, []float64{0.3, 0.3, 0.3, 0.3}, alpha[:4])

	// The noise always sums to 1, and its mean is the normalised alphas.
	p := Plain()
	p.Root.DirichletShaped, p.Root.DirichletWeight, p.Root.DirichletTotalConcentration = true, 1, 0.5
	rng := rand.New(rand.NewPCG(1, 2))
	dirichletAlphas(alpha, policy, &p.Root)
	mean := make([]float64, len(policy))
	const n = 50_000
	for range n {
		noisy := slices.Clone(policy)
		p.Root.addNoise(noisy, rng)
		total := float32(0)
		for i, x := range noisy {
			if policy[i] < 0 {
				require.Equal(t, policy[i], x)
				continue
			}
			total += x
			mean[i] += float64(x) / n
		}
		require.InDelta(t, 1, total, 1e-4)
	}
	for i := range policy {
		if policy[i] >= 0 {
			require.InDelta(t, alpha[i]/0.5, mean[i], 0.015, "move %d", i)
		}
	}
}

func TestRootSymmetriesAreAveraged(t *testing.T) {
	p := Plain()
	p.Root.NumSymmetries, p.Net.Symmetry = 4, 0
	e := &stub{}
	tree := treeAt(t, p, e, newGame(t, 9))
	r := searched(t, tree, 1)
	require.Equal(t, int64(4), e.calls.Load())
	sum := 0.0
	for _, p := range r.Policy {
		sum += float64(max(0, p))
	}
	require.InDelta(t, 1, sum, 1e-5)
}
