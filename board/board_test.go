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

var (
	diagram = testshared.Diagram
	at      = testshared.Point
	play    = testshared.Play
)

func vertices(s board.Size, points []board.Point) string {
	points = slices.Clone(points)
	slices.Sort(points)
	var list []string
	for _, p := range points {
		list = append(list, s.Vertex(p))
	}
	return strings.Join(list, " ")
}

// TestNoChain: an empty point has no chain, although the zero value of a head is point 0.
func TestNoChain(t *testing.T) {
	b := diagram(t, "X..\n...\n...")
	require.Zero(t, b.ChainSize(8))
	require.Zero(t, b.Liberties(8))
	require.Equal(t, board.NoPoint, b.ChainHead(8))
	require.Empty(t, b.Chain(nil, 8))
	require.Empty(t, b.LibertyPoints(nil, 8))
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
