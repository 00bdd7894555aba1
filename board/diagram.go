package board

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoLiberty is wrapped by errors about set-up stones that have no liberty.
var ErrNoLiberty = errors.New("a chain has no liberty")

// String returns the stones row by row from the top: X for Black, O for White, a
// dot for an empty point, a line break after each row.
func (b *Board) String() string {
	var s strings.Builder
	for p := range b.geo.area {
		s.WriteByte(".XO#"[b.cells[p].color&3])
		if (p+1)%b.geo.size.W == 0 {
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// setUp replaces the position by the given stones, one colour a point. Counters,
// ko point and undo record start anew. After an error the board is empty.
func (b *Board) setUp(colors []Color) error {
	b.reset(b.geo)
	// Stones added one by one capture nothing in between: an incomplete chain has its missing
	// stones as liberties, a complete one its real ones. So a capture reveals a chain without
	// liberties.
	for p, c := range colors {
		if c == Empty {
			continue
		}
		n := b.Play(c, Point(p))
		if n > 0 || b.cells[p].color != c {
			b.reset(b.geo)
			return fmt.Errorf("%w near %s", ErrNoLiberty, b.geo.size.Vertex(Point(p)))
		}
	}
	b.state.ko = NoPoint
	b.vacated = pointSet{}
	b.forget()
	return nil
}
