package testshared

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// Game returns a game on an empty board.
func Game(t testing.TB, size board.Size, rules board.Rules) *board.Game {
	t.Helper()
	g, err := board.NewGame(size, rules)
	require.NoError(t, err)
	return g
}

// GameOn returns a game that begins with the stones of a board, Black to move.
func GameOn(t testing.TB, b *board.Board, rules board.Rules) *board.Game {
	t.Helper()
	g := Game(t, b.Size(), rules)
	require.NoError(t, g.SetupBoard(b, board.Black))
	return g
}

// Point reads a vertex such as "C4" or "pass".
func Point(t testing.TB, size board.Size, vertex string) board.Point {
	t.Helper()
	p, err := size.ParseVertex(vertex)
	require.NoError(t, err)
	return p
}

// Points reads vertices.
func Points(t testing.TB, size board.Size, vertices ...string) (list []board.Point) {
	t.Helper()
	for _, v := range vertices {
		list = append(list, Point(t, size, v))
	}
	return list
}

// Play plays moves such as "B4 W:C3 pass"; a colour marks a move out of turn.
func Play(t testing.TB, g *board.Game, moves string) {
	t.Helper()
	for _, v := range strings.Fields(moves) {
		c := g.ToMove()
		if color, rest, ok := strings.Cut(v, ":"); ok {
			v = rest
			var err error
			c, err = board.ParseColor(color)
			require.NoError(t, err)
		}
		require.NoError(t, g.Play(c, Point(t, g.Size(), v)), v)
	}
}
