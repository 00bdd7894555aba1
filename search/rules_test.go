package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

// The tutorials' sketches, from which this package grew, contain errors. The tests of this file
// show that each is corrected here.

// evenly gives all legal moves the same prior and the side to move a fixed value.
func evenly(value func(g *board.Game) float32) *stub {
	return &stub{flat: true, noScore: true, answer: func(g *board.Game, out *nn.Output) {
		v := value(g)
		out.Win, out.Loss = (1+v)/2, (1-v)/2
	}}
}

// TestValueSignAlternates: a value is from the view of the side to move, so it changes sign one ply
// up. The tutorial's sketch stores each node's value from the view of the player to move at that
// node, but selection at the parent reads it as if it were from the view of the parent's player.
func TestValueSignAlternates(t *testing.T) {
	for name, p := range map[string]Params{"tutorial": Tutorial(), "plain": Plain()} {
		for _, toMove := range []board.Color{board.Black, board.White} {
			// Black always wins, whichever side is to move.
			e := evenly(func(g *board.Game) float32 {
				if g.ToMove() == board.Black {
					return 0.8
				}
				return -0.8
			})
			g := newGame(t, 9)
			g.SetToMove(toMove)
			tree := treeAt(t, p, e, g)
			r := searched(t, tree, 200)
			want := 0.9
			if toMove == board.White {
				want = 0.1
			}
			require.InDelta(t, want, r.Root.Winrate, 1e-6, name)
			for _, m := range r.Moves {
				require.InDelta(t, want, m.Winrate, 1e-6, name)
			}
		}
	}
}

// TestGoodMoveIsFound: for both colours the move that wins gets the visits.
func TestGoodMoveIsFound(t *testing.T) {
	size := board.Square(9)
	good := size.Point(6, 2)
	for _, toMove := range []board.Color{board.Black, board.White} {
		e := evenly(func(g *board.Game) float32 {
			v := float32(-0.7) // without the stone the player is losing
			if g.At(good) == toMove {
				v = 0.9
			}
			if g.ToMove() != toMove {
				v = -v
			}
			return v
		})
		for name, p := range map[string]Params{"tutorial": Tutorial(), "plain": Plain(), "defaults": Defaults()} {
			g := newGame(t, 9)
			g.SetToMove(toMove)
			p.Root.SymmetryPruning = false
			tree := treeAt(t, p, e, g)
			r := searched(t, tree, 400)
			require.Equal(t, good, r.Choose(0, nil), name)
			require.Greater(t, r.Moves[0].EdgeVisits, int64(150), name)
		}
	}
}

// TestEndOfTheGame: two passes end the game, the area counts (regions, not single points), and
// the result has the sign of the side to move at each node. The tutorial's sketch takes the result
// from the root player's view at any depth, and counts only empty points with neighbours of one colour.
func TestEndOfTheGame(t *testing.T) {
	// Black owns the left three columns and White the right two: 15 to 10. The points of
	// the left column touch no stone, so the sketch would not count them.
	diagram := "..XO.\n..XO.\n..XO.\n..XO.\n..XO."
	for _, c := range []struct {
		toMove board.Color
		komi   float32
		wins   bool // the side to move wins
	}{
		{board.Black, 4.5, true}, {board.Black, 5.5, false}, {board.White, 4.5, false}, {board.White, 5.5, true},
	} {
		p := Plain()
		g := diagramGame(t, diagram, c.toMove, c.komi)
		require.NoError(t, g.Play(c.toMove, board.Pass)) // so that one more pass ends the game
		tree := treeAt(t, p, evenly(func(*board.Game) float32 { return 0 }), g)
		r := searched(t, tree, 3)
		for r.Move(board.Pass) == nil {
			r = searched(t, tree, r.Root.Visits+1)
		}
		pass := r.Move(board.Pass)
		// The player who may end the game now is the opponent of toMove.
		if c.wins {
			require.Zero(t, pass.Winrate)
		} else {
			require.Equal(t, 1.0, pass.Winrate)
		}
		score := float64(c.komi) + 10 - 15
		if c.toMove == board.White { // then Black is to move at the root
			score = -score
		}
		require.InDelta(t, score, pass.ScoreMean, 1e-6)
		require.Equal(t, pass.ScoreMean, pass.Lead)
		require.Positive(t, r.Stats.Terminals)
	}
}

// TestPolicyIndexFollowsTheSize: a move's index follows the width of the board. The tutorial's sketch
// uses row*9+column on every board.
func TestPolicyIndexFollowsTheSize(t *testing.T) {
	for _, size := range []board.Size{{W: 5, H: 5}, {W: 7, H: 9}, {W: 13, H: 13}, {W: 19, H: 19}, {W: 25, H: 25}} {
		want := size.Point(size.W-2, size.H-1)
		e := &stub{flat: true, answer: func(g *board.Game, out *nn.Output) {
			out.Policy[g.Size().Index(want)] += 1
		}}
		tree := treeAt(t, Plain(), e, gameUnder(t, size, board.TrompTaylor()))
		r := searched(t, tree, 2)
		require.Equal(t, want, r.Moves[0].Move)
		require.Len(t, r.Policy, size.Area()+1)
	}
}

// TestVirtualLossIsALossForTheOneWhoChooses: a virtual loss makes the move look worse to the
// player who chooses. The tutorial's sketch subtracts 3 from the child's sum, which is the opponent's
// value, so the move looks better.
func TestVirtualLossIsALossForTheOneWhoChooses(t *testing.T) {
	v := Tutorial().VirtualLoss
	// Ten visits averaging 0.2 for White, and one loss of weight 3 for the side that moves.
	u, w := v.lose(0.2, 10, 1, +1, 1)
	require.InDelta(t, (0.2*10-3)/13, u, 1e-12)
	require.Equal(t, 13.0, w)
	u, _ = v.lose(0.2, 10, 1, -1, 1) // Black moves: its loss is White's win
	require.InDelta(t, (0.2*10+3)/13, u, 1e-12)
	u, _ = v.lose(0.2, 0, 2, +1, 1)
	require.Equal(t, -1.0, u) // nothing but losses

	k := Defaults().VirtualLoss
	k.PerVisit = 1 // KataGo: a fresh leaf is pulled 80 % towards a loss
	u, w = k.lose(0.5, 0, 1, +1, 1.4)
	require.InDelta(t, 0.5+(-1.4-0.5)*0.8, u, 1e-12)
	require.Equal(t, 1.0, w)
}

// TestTutorialSelection: moves are selected by the tutorials' formula, computed by hand: Q + 1.5 *
// P * sqrt(N) / (1 + n), with Q = 0 for an unvisited move.
func TestTutorialSelection(t *testing.T) {
	tree := treeAt(t, Tutorial(), &stub{flat: true, noScore: true}, newGame(t, 5))
	r := searched(t, tree, 1)
	n := tree.nodes.a.node(tree.nodes.root)
	for n.edgeCount < 2 {
		searched(t, tree, int64(n.visits)+1)
		n = tree.nodes.a.node(tree.nodes.root)
	}
	edges := tree.nodes.a.edgesOf(n)
	for i := range edges {
		edges[i].weight, edges[i].prior = float32(3+2*i), 0.3
		edges[i].utility = float32(0.4 - 0.2*float64(i))
	}
	n.utility = 0.9
	x := tree.selector.explorer(n, edges, false)
	children := 3.0 + 5
	require.InDelta(t, 1.5*math.Sqrt(children+1), x.scale, 1e-9)
	require.Zero(t, x.fpu)
	require.InDelta(t, -0.4+1.5*math.Sqrt(9)*0.3/4, x.score(0.4, 3, 0.3), 1e-9) // Black to move
	require.Equal(t, board.Black, r.ToMove)
}

// TestSuperkoInTheTree: in games on 4x4 under several ko rules, no search contains an illegal
// move.
func TestSuperkoInTheTree(t *testing.T) {
	for _, rules := range []string{"tromp-taylor", "aga", "chinese", "japanese"} {
		for name, p := range presets() {
			p.Parallel.Workers = 4
			g := gameUnder(t, board.Square(4), rulesOf(t, rules))
			tree := treeAt(t, p, &stub{}, g)
			rng := rand.New(rand.NewPCG(1, 2))
			for turn := 0; turn < 30 && !g.Finished(); turn++ {
				r := searched(t, tree, 200)
				move := r.Choose(1, rng)
				require.NoError(t, g.Legal(g.ToMove(), move), name)
				tree.Advance(g.ToMove(), move)
				require.NoError(t, g.Play(g.ToMove(), move))
				for i := uint32(1); i < tree.nodes.a.nodeCount; i++ {
					for _, e := range tree.nodes.a.edgesOf(tree.nodes.a.node(i)) {
						require.GreaterOrEqual(t, e.prior, float32(0), "a move turned out illegal")
					}
				}
			}
		}
	}
}

// TestKoThreatIsNeeded: right after a ko capture the retake is not a candidate.
func TestKoThreatIsNeeded(t *testing.T) {
	g := diagramGame(t, ".XO..\nX.XO.\n.XO..\n.....\n.....", board.White, 0.5)
	size := g.Size()
	take := size.Point(1, 1)
	require.NoError(t, g.Play(board.White, take))
	require.ErrorIs(t, g.Legal(board.Black, size.Point(2, 1)), board.ErrKo)
	tree := treeAt(t, Plain(), &stub{flat: true}, g)
	r := searched(t, tree, 300)
	require.Nil(t, r.Move(size.Point(2, 1)))
	require.Equal(t, float32(-1), r.Policy[size.Index(size.Point(2, 1))])
}
