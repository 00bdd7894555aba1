package gtp

import (
	"fmt"
	"strings"

	"kosumi/board"
)

// Colours of the board on a terminal with 256 colours: wood, its lines, the stones.
const (
	woodColour  = "\x1b[48;5;179m"
	lineColour  = "\x1b[38;5;94m"
	blackColour = "\x1b[38;5;16m"
	whiteColour = "\x1b[38;5;231m"
	noColour    = "\x1b[0m"
)

func (p *terminal) drawing() string {
	g := p.engine.Game()
	if !p.options.Colour {
		text, _, _ := strings.Cut(diagram(g), "\nTo move:")
		return text + "\n" + state(g)
	}
	var b strings.Builder
	size, last := g.Size(), board.NoPoint
	if g.NumMoves() > 0 {
		last = g.LastMove(0).Point
	}
	letters := "   " + size.Letters()
	b.WriteString(letters + "\n")
	for y := range size.H {
		fmt.Fprintf(&b, "%2d%s ", size.H-y, woodColour)
		for x := range size.W {
			at := size.Point(x, y)
			b.WriteString(paint(g, at, at == last))
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s%d\n", noColour, size.H-y)
	}
	b.WriteString(letters + "\n" + state(g))
	return b.String()
}

// paint draws one point in colours; the last stone is a ring.
func paint(g *board.Game, p board.Point, last bool) string {
	stone := "●"
	if last {
		stone = "◉"
	}
	switch c := g.At(p); {
	case c == board.Black:
		return blackColour + stone
	case c == board.White:
		return whiteColour + stone
	case starPoint(g.Size(), p):
		return lineColour + "+"
	}
	return lineColour + "·"
}

func state(g *board.Game) string {
	if g.Ended() {
		return "Both have passed: the game is over. score counts it, clear_board begins a new one."
	}
	text := fmt.Sprintf("%s to move, komi %g", [...]string{"", "Black", "White"}[g.ToMove()], g.Rules().Komi)
	if n := g.NumMoves(); n > 0 {
		last := g.LastMove(0)
		text = fmt.Sprintf("Move %d was %s %s. %s", n, last.Color, g.Size().Vertex(last.Point), text)
	}
	if b, w := g.Board().Captured(board.Black), g.Board().Captured(board.White); b+w > 0 {
		text += fmt.Sprintf(", captured: %d black, %d white", b, w)
	}
	return text
}
