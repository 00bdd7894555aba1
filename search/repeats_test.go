package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

func game9(t *testing.T, vertices ...string) *board.Game {
	t.Helper()
	return newGame(t, 9, testshared.Points(t, board.Square(9), vertices...)...)
}

// TestRepeatPatterns: a move is charged if it repeats an earlier move of its player, also turned,
// mirrored or with colours swapped, and only then.
func TestRepeatPatterns(t *testing.T) {
	g := game9(t, "B2", "G7", "pass", "pass") // far enough apart for separate surroundings
	var r repeats
	require.False(t, r.begin(g, RepeatPenalty{Utility: 0.1, Player: board.White}), "a tree for nobody is of no use")
	require.True(t, r.begin(g, RepeatPenalty{Utility: 0.1, Player: board.White}))
	charge := func(on *board.Game, c board.Color, vertex string) float64 {
		r.setKey(5, repeatPattern(on.Board(), c, testshared.Point(t, on.Size(), vertex)))
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

// TestRepeatsLeaveKosAlone: retaking a ko is not charged.
func TestRepeatsLeaveKosAlone(t *testing.T) {
	g := game9(t, "D5", "E5", "E6", "F6", "E4", "F4", "J9", "G5")
	at := testshared.Points(t, g.Size(), "F5", "G6")
	require.True(t, takesKo(g.Board(), board.Move{Color: board.Black, Point: at[0]}))
	require.Zero(t, repeatPattern(g.Board(), board.Black, at[0]))
	require.NotZero(t, repeatPattern(g.Board(), board.Black, at[1]))
}

func TestCharge(t *testing.T) {
	n := node{utility: 0.5, utilitySq: 0.3}
	n.charge(0)
	require.Equal(t, node{utility: 0.5, utilitySq: 0.3}, n)
	n.charge(-0.1)
	require.InDelta(t, 0.4, n.utility, 1e-12)
	require.InDelta(t, 0.3+0.16-0.25, n.utilitySq, 1e-12, "the variance stays")
}

// TestOnlyThePlayersMovesAreKept: no node reached by the opponent's move has a pattern, even if
// an earlier node with the same index had one.
func TestOnlyThePlayersMovesAreKept(t *testing.T) {
	p := Defaults()
	p.Graph.Use = false
	p.RepeatPenalty = RepeatPenalty{Utility: 0.1, Player: board.Black}
	tree := treeAt(t, p, &stub{}, newGame(t, 9))
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
