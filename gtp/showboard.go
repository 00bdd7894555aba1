package gtp

import (
	"context"
	"fmt"
	"strings"

	"kosumi/board"
)

// showBoard draws the board as in section 2.11 of the protocol, with the rest of the position's
// state below it.
func (s *positionCommands) showBoard(_ context.Context, _ Command, r *Reply) error {
	return r.Print("\n" + diagram(s.engine.Game()))
}

func diagram(g *board.Game) string {
	var b strings.Builder
	size, last := g.Size(), g.LastMove(0)
	letters := "   " + size.Letters()
	b.WriteString(letters + "\n")
	for y := range size.H {
		fmt.Fprintf(&b, "%2d", size.H-y)
		for x := range size.W {
			p := size.Point(x, y)
			gap := byte(' ')
			switch {
			case g.NumMoves() == 0:
			case p == last.Point:
				gap = '('
			case x > 0 && p-1 == last.Point:
				gap = ')'
			}
			b.WriteByte(gap)
			b.WriteByte(pointSymbol(g, p))
		}
		end := " "
		if x := size.W - 1; g.NumMoves() > 0 && size.Point(x, y) == last.Point {
			end = ")"
		}
		fmt.Fprintf(&b, "%s%d\n", end, size.H-y)
	}
	b.WriteString(letters + "\n")
	fmt.Fprintf(&b, "To move: %s. Moves: %d. Komi: %.1f.\n", g.ToMove(), g.NumMoves(), g.Rules().Komi)
	fmt.Fprintf(&b, "Captured stones: %d black, %d white.\n", g.Board().Captured(board.Black), g.Board().Captured(board.White))
	fmt.Fprintf(&b, "Rules: %s", g.Rules().JSON())
	return b.String()
}

// pointSymbol is X for Black, O for White, + for an empty handicap point, else
// a dot.
func pointSymbol(g *board.Game, p board.Point) byte {
	switch g.At(p) {
	case board.Black:
		return 'X'
	case board.White:
		return 'O'
	}
	if starPoint(g.Size(), p) {
		return '+'
	}
	return '.'
}

func starPoint(size board.Size, p board.Point) bool {
	x, y := size.XY(p)
	return onStarLine(size.W, x) && onStarLine(size.H, y)
}

// onStarLine reports whether line i of n, counted from 0, carries star points.
func onStarLine(n, i int) bool {
	if n < 7 {
		return false
	}
	edge := board.HandicapLine(n)
	return i == edge || i == n-1-edge || n%2 == 1 && n >= 9 && i == n/2
}
