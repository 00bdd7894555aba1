package board_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

var diagram = testshared.Diagram

func at(t testing.TB, s board.Size, v string) board.Point {
	t.Helper()
	p, err := s.ParseVertex(v)
	require.NoError(t, err)
	return p
}

func vertices(s board.Size, points []board.Point) string {
	points = slices.Clone(points)
	slices.Sort(points)
	var list []string
	for _, p := range points {
		list = append(list, s.Vertex(p))
	}
	return strings.Join(list, " ")
}

func TestPlay(t *testing.T) {
	for _, c := range []struct {
		name     string
		before   string
		color    board.Color
		move     string
		after    string
		captured int
		ko       string
	}{
		{"a stone in the corner", "O...\nX...\n....\n....", board.Black, "B4", ".X..\nX...\n....\n....", 1, "none"},
		{"two chains at once", ".XO.\nXO.O\n.XO.\n....", board.Black, "C3", ".XO.\nX.XO\n.XO.\n....", 1, "B3"},
		{"ko", ".XO.\nX.XO\n.XO.\n....", board.White, "B3", ".XO.\nXO.O\n.XO.\n....", 1, "C3"},
		{"no ko after two stones", "OO..\nXX..\n....\n....", board.Black, "C4", "..X.\nXX..\n....\n....", 2, "none"},
		{"snapback is not a ko", ".OX.\nOXX.\n....\n....", board.White, "C2", ".OX.\nOXX.\n..O.\n....", 0, "none"},
		{"suicide of one", ".X..\nX...\n....\n....", board.White, "A4", ".X..\nX...\n....\n....", 0, "none"},
		{"suicide of three", ".OX.\nOX..\nX...\n....", board.White, "A4", "..X.\n.X..\nX...\n....", 0, "none"},
		{"capture before suicide", ".OX.\nOXX.\nXX..\n....", board.Black, "A4", "X.X.\n.XX.\nXX..\n....", 2, "none"},
		{"four chains", ".OXO.\nOX.XO\n.OXO.\n..O..\n.....", board.White, "C4", ".O.O.\nO.O.O\n.O.O.\n..O..\n.....", 4, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := diagram(t, c.before)
			s := b.Size()
			n := b.Play(c.color, at(t, s, c.move))
			require.Equal(t, diagram(t, c.after).String(), b.String())
			require.Equal(t, c.captured, n)
			require.Equal(t, c.ko, s.Vertex(b.KoPoint()))
			require.Equal(t, diagram(t, c.after).Hash(), b.Hash())
			b.Undo()
			require.Equal(t, diagram(t, c.before).String(), b.String())
			require.Equal(t, diagram(t, c.before).Hash(), b.Hash())
			require.Equal(t, board.NoPoint, b.KoPoint())
		})
	}
}

func TestChains(t *testing.T) {
	b := diagram(t, `
		. X X . .
		O X . X .
		O O X . .
		. . . . .`)
	s := b.Size()
	require.Equal(t, board.Size{W: 5, H: 4}, s)
	p := at(t, s, "C4")
	require.Equal(t, 3, b.ChainSize(p))
	require.Equal(t, 3, b.Liberties(p))
	require.Equal(t, "B4 C4 B3", vertices(s, b.Chain(nil, p)))
	require.Equal(t, "A4 D4 C3", vertices(s, b.LibertyPoints(nil, p)))
	require.Equal(t, b.ChainHead(p), b.ChainHead(at(t, s, "B3")))
	require.NotEqual(t, b.ChainHead(p), b.ChainHead(at(t, s, "D3")))
	q := p
	for range b.ChainSize(p) {
		q = b.NextInChain(q)
	}
	require.Equal(t, p, q)
	empty := at(t, s, "A1")
	require.Zero(t, b.ChainSize(empty))
	require.Zero(t, b.Liberties(empty))
	require.Equal(t, board.NoPoint, b.ChainHead(empty))
	require.Empty(t, b.Chain(nil, empty))
	require.Empty(t, b.LibertyPoints(nil, empty))
	require.Equal(t, "A2 B1", vertices(s, b.Neighbors(empty)))
	require.Equal(t, 5, b.Stones(board.Black))
	require.Equal(t, 3, b.Stones(board.White))
	require.Zero(t, b.Captured(board.Black))
}

func TestIsSuicide(t *testing.T) {
	b := diagram(t, `
		. X . O
		X X O .
		. O O X
		O . X .`)
	for _, c := range []struct {
		v       string
		color   board.Color
		suicide bool
		illegal [2]bool // illegal without suicide; illegal with suicide of several stones
	}{
		{"A4", board.White, true, [2]bool{true, true}},
		{"A4", board.Black, false, [2]bool{}},
		{"C4", board.Black, false, [2]bool{}},
		{"D1", board.White, true, [2]bool{true, true}},
		{"D3", board.Black, false, [2]bool{}},
		{"B1", board.Black, false, [2]bool{}},
	} {
		p := at(t, b.Size(), c.v)
		require.Equal(t, c.suicide, b.IsSuicide(c.color, p), "%v %s", c.color, c.v)
		require.Equal(t, c.illegal[0], b.IsIllegalSuicide(c.color, p, false))
		require.Equal(t, c.illegal[1], b.IsIllegalSuicide(c.color, p, true))
	}
	several := diagram(t, ".OX.\nOX..\nX...\n....")
	require.True(t, several.IsSuicide(board.White, 0))
	require.True(t, several.IsIllegalSuicide(board.White, 0, false))
	require.False(t, several.IsIllegalSuicide(board.White, 0, true))
}

func snapshot(b *board.Board) string {
	s := b.Size()
	text := fmt.Sprint(b, b.Hash(), b.KoPoint(), b.Captured(board.Black), b.Captured(board.White), b.Stones(board.Black), b.Stones(board.White))
	for p := range board.Point(s.Area()) {
		text += fmt.Sprint(" ", b.ChainSize(p), b.Liberties(p), vertices(s, b.Chain(nil, p)), vertices(s, b.LibertyPoints(nil, p)))
	}
	return text
}

// playRandomly plays n random points, including suicides, and calls f before each.
func playRandomly(rng *rand.Rand, b *board.Board, n int, f func()) {
	c := board.Black
	for range n {
		f()
		p := board.Point(rng.IntN(b.Size().Area()))
		if b.At(p) != board.Empty {
			p = board.Pass
		}
		b.Play(c, p)
		c = c.Opponent()
	}
}

func TestUndoTakesEverythingBack(t *testing.T) {
	for _, s := range []board.Size{{2, 2}, {3, 4}, {7, 7}, {19, 2}, {13, 13}} {
		rng := rand.New(rand.NewPCG(2, uint64(s.W)))
		b := board.NewBoard(s)
		var history []string
		playRandomly(rng, b, 6*s.Area(), func() { history = append(history, snapshot(b)) })
		require.Equal(t, len(history), b.CanUndo())
		for len(history) > 0 {
			b.Undo()
			require.Equal(t, history[len(history)-1], snapshot(b))
			history = history[:len(history)-1]
		}
		b.Undo() // nothing left to undo
		require.Equal(t, snapshot(board.NewBoard(s)), snapshot(b))
	}
}

func TestCopyIsIndependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	a, b := board.NewBoard(board.Square(9)), board.NewBoard(board.Square(2))
	var history []string
	playRandomly(rng, a, 60, func() { history = append(history, snapshot(a)) })
	b.CopyFrom(a)
	before := snapshot(a)
	require.Equal(t, before, snapshot(b))
	require.Equal(t, 8, b.CanUndo())
	for ago := 1; ago <= 8; ago++ {
		b.Undo()
		require.Equal(t, history[60-ago], snapshot(b))
	}
	playRandomly(rng, b, 50, func() {})
	require.Equal(t, before, snapshot(a))
	a.Undo()
	require.Equal(t, history[59], snapshot(a))
	a.CopyFrom(a)
	require.Equal(t, history[59], snapshot(a))
}

// checkChains compares the chains of a board with those found by flood fill.
func checkChains(t *testing.T, b *board.Board) {
	s := b.Size()
	ref := refOf(b)
	for p := range board.Point(s.Area()) {
		if b.At(p) == board.Empty {
			continue
		}
		require.Equal(t, vertices(s, ref.chain(p)), vertices(s, b.Chain(nil, p)))
		require.Equal(t, ref.liberties(p), b.Liberties(p))
		require.Positive(t, b.Liberties(p))
	}
}
