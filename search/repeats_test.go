package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// game9 plays vertices on 9x9, Black first.
func game9(t *testing.T, vertices ...string) *board.Game {
	t.Helper()
	g, err := board.NewGame(board.Square(9), board.TrompTaylor())
	require.NoError(t, err)
	for _, v := range vertices {
		p, err := g.Size().ParseVertex(v)
		require.NoError(t, err)
		require.NoError(t, g.Play(g.ToMove(), p))
	}
	return g
}

// TestRepeatPatterns: a move is charged for where it repeats one of its player,
// turned, mirrored or in the other colours, and nowhere else.
func TestRepeatPatterns(t *testing.T) {
	g := game9(t, "B2", "G7", "pass", "pass") // further apart than surroundings reach
	var r repeats
	require.False(t, r.begin(g, RepeatPenalty{Utility: 0.1, Player: board.White}), "a tree for nobody is of no use")
	require.True(t, r.begin(g, RepeatPenalty{Utility: 0.1, Player: board.White}))
	charge := func(on *board.Game, c board.Color, vertex string) float64 {
		p, err := on.Size().ParseVertex(vertex)
		require.NoError(t, err)
		r.setKey(5, repeatPattern(on.Board(), c, p))
		return r.of(5)
	}
	fresh := game9(t)
	for _, v := range []string{"G7", "C7", "C3", "G3"} {
		require.InDelta(t, -0.1, charge(fresh, board.White, v), 0, v)
		require.InDelta(t, -0.1, charge(fresh, board.Black, v), 0, v+" in the other colour")
	}
	require.Zero(t, charge(fresh, board.White, "F7"), "another point")
	require.Zero(t, charge(fresh, board.White, "pass"))
	require.Zero(t, charge(game9(t, "G6"), board.White, "G7"), "other surroundings")
	require.False(t, r.begin(g, RepeatPenalty{Utility: 0.1, Player: board.Black}), "searched for the other side")
	require.Positive(t, r.charge, "of Black, in White's utility")
	require.False(t, r.begin(g, RepeatPenalty{}))
	require.True(t, r.begin(g, RepeatPenalty{}))
	require.Zero(t, r.of(5))
}

// TestPastPatterns: moves of earlier games are charged for in both colours, each
// once a game, and those of two games twice.
func TestPastPatterns(t *testing.T) {
	past := NewPatterns()
	empty := game9(t)
	at := func(vertex string) board.Point {
		p, err := empty.Size().ParseVertex(vertex)
		require.NoError(t, err)
		return p
	}
	first := past.Game()
	first.Add(empty.Board(), board.Move{Color: board.Black, Point: at("C3")}, 0.1)
	first.Add(empty.Board(), board.Move{Color: board.White, Point: at("G7")}, 0.1) // the same, turned
	first.Add(empty.Board(), board.Move{Color: board.Black, Point: board.Pass}, 0.1)
	require.Equal(t, 8, first.Len(), "four corners, two colours")
	require.Equal(t, 8, past.Len())
	past.Game().Add(empty.Board(), board.Move{Color: board.Black, Point: at("C7")}, 0.03)
	for player, want := range map[board.Color]float64{board.Black: 0.13, board.White: -0.13} {
		r := repeats{}
		require.False(t, r.begin(empty, RepeatPenalty{History: past, Player: player}))
		require.True(t, r.begin(empty, RepeatPenalty{History: past, Player: player}))
		r.setKey(5, repeatPattern(empty.Board(), player, at("G3")))
		require.InDelta(t, want, r.of(5), 1e-9, player)
		r.setKey(5, repeatPattern(empty.Board(), player, at("E5")))
		require.Zero(t, r.of(5))
	}
	both := repeats{}
	both.begin(game9(t, "C3", "pass"), RepeatPenalty{Utility: 0.5, History: past, Player: board.Black})
	both.setKey(5, repeatPattern(empty.Board(), board.Black, at("G7")))
	require.InDelta(t, 0.63, both.of(5), 1e-9, "in this game as well")
}

// TestTransposedPatterns: what was played on a long board counts on one that stands.
func TestTransposedPatterns(t *testing.T) {
	lying, err := board.NewGame(board.Size{W: 9, H: 7}, board.TrompTaylor())
	require.NoError(t, err)
	standing, err := board.NewGame(board.Size{W: 7, H: 9}, board.TrompTaylor())
	require.NoError(t, err)
	past := NewPatterns()
	past.Game().Add(lying.Board(), board.Move{Color: board.Black, Point: lying.Size().Point(2, 1)}, 0.1)
	for at, want := range map[[2]int]float64{{1, 2}: 0.1, {5, 6}: 0.1, {2, 1}: 0} {
		r := repeats{}
		r.begin(standing, RepeatPenalty{History: past})
		r.setKey(5, repeatPattern(standing.Board(), board.Black, standing.Size().Point(at[0], at[1])))
		require.InDelta(t, want, r.of(5), 1e-9, "%v", at)
	}
}

// TestRepeatsLeaveKosAlone: a ko is taken again and again by its nature.
func TestRepeatsLeaveKosAlone(t *testing.T) {
	g := game9(t, "D5", "E5", "E6", "F6", "E4", "F4", "J9", "G5")
	p, err := g.Size().ParseVertex("F5")
	require.NoError(t, err)
	require.True(t, takesKo(g.Board(), board.Move{Color: board.Black, Point: p}))
	require.Zero(t, repeatPattern(g.Board(), board.Black, p))
	q, err := g.Size().ParseVertex("G6")
	require.NoError(t, err)
	require.NotZero(t, repeatPattern(g.Board(), board.Black, q))
}

func TestCharge(t *testing.T) {
	n := node{utility: 0.5, utilitySq: 0.3}
	n.charge(0)
	require.Equal(t, node{utility: 0.5, utilitySq: 0.3}, n)
	n.charge(-0.1)
	require.InDelta(t, 0.4, n.utility, 1e-12)
	require.InDelta(t, 0.3+0.16-0.25, n.utilitySq, 1e-12, "the variance stays")
}

// TestOnlyThePlayersMovesAreKept: no node that the other side moved to has a
// pattern, whatever the slot that found it had found before.
func TestOnlyThePlayersMovesAreKept(t *testing.T) {
	p := Defaults()
	p.Graph.Use = false
	p.RepeatPenalty = RepeatPenalty{Utility: 0.1, Player: board.Black}
	tree := newTree(t, p, &stub{})
	tree.Reset(newGame(t, 9))
	searched(t, tree, 500)
	kept := map[bool]int{}
	var walk func(i uint32, own bool)
	walk = func(i uint32, own bool) {
		for _, e := range tree.nodes.a.edgesOf(tree.nodes.a.node(i)) {
			if tree.nodes.a.node(e.child).is(flagEvaluated) {
				require.Equal(t, own, tree.nodes.repeats.keys.get(e.child) != 0)
				kept[own]++
				walk(e.child, !own)
			}
		}
	}
	walk(tree.nodes.root, true)
	require.Greater(t, min(kept[true], kept[false]), 50)
}
