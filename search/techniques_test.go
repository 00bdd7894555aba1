package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// TestPathsThatMayReturnAreKeptApart: with a larger Graph.RepBound, fewer positions share nodes.
func TestPathsThatMayReturnAreKeptApart(t *testing.T) {
	nodes := map[int]int64{}
	for _, bound := range []int{3, 50} {
		p := Plain()
		p.Graph.Use, p.Graph.RepBound = true, bound
		tree := treeAt(t, p, &stub{}, newGame(t, 5))
		nodes[bound] = searched(t, tree, 3000).Stats.Nodes
	}
	require.Less(t, nodes[3], nodes[50])
}

// only makes one edge the sole move that can be selected at a node, and returns the edge.
func only(tree *Tree, i uint32, place int) *edge {
	n := tree.nodes.a.node(i)
	n.priorCount = n.edgeCount
	edges := tree.nodes.a.edgesOf(n)
	for k := range edges {
		if k != place {
			edges[k].prior = -1
		}
	}
	return &edges[place]
}

// TestCycleEndsADescent forges an edge back to an ancestor: the visit counts, nothing is
// evaluated, and the descent ends.
func TestCycleEndsADescent(t *testing.T) {
	p := Plain()
	p.Graph.Use = true
	e := &stub{}
	tree := treeAt(t, p, e, newGame(t, 5))
	searched(t, tree, 400)
	down := only(tree, tree.nodes.root, 0)
	middle := down.child
	second := only(tree, middle, 0)
	back := only(tree, second.child, 0)
	back.child = middle
	for _, ed := range []*edge{down, second, back} { // so that no catch-up visit hides the cycle
		ed.visits = tree.nodes.a.node(ed.child).visits
	}
	calls, n := e.calls.Load(), *tree.nodes.a.node(second.child)
	before := back.visits
	s := tree.playouts.slots[0]
	tree.begin(Limits{Visits: 1000})
	require.Equal(t, backedUp, tree.playouts.descend(s))
	require.Len(t, s.path, 3)
	require.Equal(t, before+1, back.visits)
	require.Equal(t, n.visits+1, tree.nodes.a.node(second.child).visits)
	require.Equal(t, calls, e.calls.Load())
	require.EqualValues(t, 1, tree.tally.stats.Playouts)
	for _, ed := range []*edge{down, second, back} {
		require.Zero(t, ed.inFlight)
	}
}

// afterPass is a position in which a pass would end the game.
func afterPass(t *testing.T, rules string) *board.Game {
	t.Helper()
	return gameUnder(t, board.Square(5), rulesOf(t, rules), 12, 6, board.Pass)
}

// passing is a network that likes to pass.
func passing() *stub {
	return &stub{answer: func(g *board.Game, out *nn.Output) { out.Policy[g.Size().Area()] += 0.5 }}
}

// TestFriendlyPass: if players agree on dead stones, a second pass does not end the game in the
// tree, but a third one does.
func TestFriendlyPass(t *testing.T) {
	for rules, ends := range map[string]int{"tromp-taylor": 2, "chinese": 3} {
		g := gameUnder(t, board.Square(5), rulesOf(t, rules), 12)
		require.Equal(t, ends == 3, g.Rules().FriendlyPassOk, rules)
		tree := treeAt(t, Plain(), passing(), g)
		searched(t, tree, 4000)
		fewest := 99
		var walk func(i uint32, passes int)
		walk = func(i uint32, passes int) {
			n := tree.nodes.a.node(i)
			if n.is(flagTerminal) {
				fewest = min(fewest, passes)
			}
			for _, e := range tree.nodes.a.edgesOf(n) {
				k := 0
				if e.move == board.Pass {
					k = passes + 1
				}
				walk(e.child, k)
			}
		}
		walk(tree.nodes.root, 0)
		require.Equal(t, ends, fewest, rules)
	}
}

// TestPassIsProbed: with MoreHacks, a pass that would end the phase is visited once without weight, unless
// restrictions apply to the side to move.
func TestPassIsProbed(t *testing.T) {
	shy := &stub{answer: func(g *board.Game, out *nn.Output) {
		out.Policy[g.Size().Area()] = 1e-6 // too unlikely to be visited otherwise
	}}
	for _, hacks := range []bool{false, true} {
		p := Plain()
		p.Pass.MoreHacks = hacks
		tree := treeAt(t, p, shy, afterPass(t, "tromp-taylor"))
		r := searched(t, tree, 40)
		require.EqualValues(t, 40, r.Root.Visits)
		pass := r.Move(board.Pass)
		require.Equal(t, hacks, pass != nil)
		if hacks {
			require.Zero(t, pass.EdgeVisits)
			require.EqualValues(t, 1, pass.Visits)
			require.Zero(t, pass.EdgeWeight)
			require.EqualValues(t, 1, r.Stats.Probes)
		}
		for color, probes := range map[board.Color]bool{r.ToMove: false, r.ToMove.Opponent(): hacks} {
			tree.Restrict(thinking.Restriction{Color: color, Points: []board.Point{0}, Depth: 1})
			restricted := searched(t, tree, 40)
			require.Equal(t, probes, restricted.Move(board.Pass) != nil)
		}
	}
}

// TestEndingBonusByHand: the cost of a move that only fills sure area grows from nothing at an ownership of
// 0.95 to half a point at 1.
func TestEndingBonusByHand(t *testing.T) {
	// Black, to move, owns the left, White the right.
	const diagram = "..XO.\n..XO.\n..XO.\n..XO.\nX.XO."
	own := &stub{answer: func(g *board.Game, out *nn.Output) {
		out.HasOwnership = true
		for p := range 25 {
			out.Ownership[p] = 0.975 // Black's ownership, halfway between 0.95 and 1
			if p%5 >= 3 {
				out.Ownership[p] = -1
			}
		}
		out.Ownership[5] = 0.9
	}}
	p := Plain()
	p.Root.EndingBonusPoints = 0.5
	size := board.Square(5)
	marked := func(diagram string, toMove board.Color, p Params, rules board.Rules) *Tree {
		g := diagramGame(t, diagram, toMove, 7)
		require.NoError(t, g.SetRules(rules))
		tree := treeAt(t, p, own, g)
		searched(t, tree, 1)
		return tree
	}
	area := board.TrompTaylor()
	tree := marked(diagram, board.Black, p, area)
	require.True(t, tree.rules.hasBonus)
	bonus := func(x, y int) float64 { return float64(tree.rules.bonus[size.Index(size.Point(x, y))]) }
	require.InDelta(t, 0.25, bonus(0, 0), 1e-6, "White's view: Black loses a quarter of a point")
	require.Zero(t, bonus(0, 1), "not sure enough")
	require.InDelta(t, 0.5, bonus(4, 2), 1e-6, "in the opponent's area, no capture")
	require.Zero(t, bonus(1, 4), "joins two chains that are not pass-alive")
	require.Zero(t, tree.rules.bonus[25], "the pass")

	// Under area rules a capture is worth its points. Under territory rules it counts as filling,
	// and passing costs a third of a point.
	const atari = "..XO.\n..XO.\n..XO.\n..XOX\n..XOO"
	tree = marked(atari, board.White, p, area)
	whites := tree.rules.bonus[size.Index(size.Point(4, 2))]
	require.Zero(t, whites, "0.975 of Black, but it captures")
	territory := board.Japanese()
	territory.Komi = 7
	tree = marked(atari, board.White, p, territory)
	require.InDelta(t, -0.5*2/3, tree.rules.bonus[25], 1e-6)

	p.Root.EndingBonusPoints = 0
	tree = marked(diagram, board.Black, p, area)
	require.False(t, tree.rules.hasBonus)
	require.Zero(t, tree.rules.bonusUtility(size.Point(4, 2), &outcome{}, &tree.sh.value))
}

// TestUselessMovesAreDropped: after four passes of the opponent, moves inside pass-alive area are
// dropped.
func TestUselessMovesAreDropped(t *testing.T) {
	// Black's corner is pass-alive.
	const diagram = ".X.X...\nXXXX...\n.......\n.......\n.......\n.......\n......."
	for _, c := range []struct {
		passes int
		prune  bool
		drops  bool
	}{{4, true, true}, {3, true, false}, {4, false, false}} {
		p := Plain()
		p.Root.PruneUselessMoves = c.prune
		g := diagramGame(t, diagram, board.White, 7)
		for k := range c.passes {
			require.NoError(t, g.Play(board.White, board.Pass))
			if k < c.passes-1 {
				require.NoError(t, g.Play(board.Black, board.Point(48-2*k)))
			}
		}
		tree := treeAt(t, p, &stub{flat: true}, g)
		r := searched(t, tree, 400)
		require.Equal(t, c.drops, r.Move(0) == nil, "%+v: an eye", c)
		require.Equal(t, c.drops, r.Move(2) == nil, "%+v: an eye", c)
		require.NotNil(t, r.Move(20), "an open point")
	}
}

// TestDameBeforePass: under territory rules a neutral point is preferred to a pass of equal
// value.
func TestDameBeforePass(t *testing.T) {
	const diagram = "..XO.\n..XO.\n.X.O.\n..XO.\n..XO."
	chosen := func(on bool, rules board.Rules) board.Point {
		p := Plain()
		p.Pass.FillDameBefore = on
		g := diagramGame(t, diagram, board.Black, 0)
		require.NoError(t, g.SetRules(rules))
		tree := newTree(t, p, &stub{answer: func(g *board.Game, out *nn.Output) {
			out.HasOwnership = true
			for i := range 26 {
				if out.Policy[i] > 0 {
					out.Policy[i] = 0.001
				}
			}
			if out.Policy[12] > 0 {
				out.Policy[12] = 0.4
			}
			out.Policy[25] = 0.6
			for p := range 25 {
				out.Ownership[p] = 1
				if p%5 >= 3 {
					out.Ownership[p] = -1
				}
			}
			out.Ownership[12] = 0
			if g.ToMove() == board.White {
				for p := range 25 {
					out.Ownership[p] = -out.Ownership[p]
				}
			}
			out.Win, out.Loss, out.ScoreMean, out.ScoreMeanSq, out.Lead = 0.5, 0.5, 0, 1, 0
		}})
		tree.Reset(g)
		r := searched(t, tree, 100)
		return r.Choose(0, nil)
	}
	japanese := board.Japanese()
	japanese.Komi = 1 // makes the game even
	require.Equal(t, board.Pass, chosen(false, japanese))
	require.Equal(t, board.Point(12), chosen(true, japanese))
}

// TestFutileMovesAreSkipped: if moves that can no longer be chosen are skipped, the best move gets more visits.
func TestFutileMovesAreSkipped(t *testing.T) {
	visits := func(threshold float64) int64 {
		p := Plain()
		p.Stop.FutileVisitsThreshold = threshold
		tree := treeAt(t, p, &stub{}, newGame(t, 9))
		return searched(t, tree, 600).Moves[0].EdgeVisits
	}
	require.Greater(t, visits(1), visits(0))
}
