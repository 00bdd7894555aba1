package board

import (
	"errors"
	"fmt"
	"strings"
)

// ErrDiagram is wrapped by the errors of ParseDiagram, ErrNoLiberty by errors
// about set-up stones that have no liberty.
var (
	ErrDiagram   = errors.New("invalid diagram")
	ErrNoLiberty = errors.New("a chain has no liberty")
)

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

// ParseDiagram reads what String writes: one row per line from the top, X, O and dots. Blanks and
// empty lines are ignored; x and o are accepted too. Every chain must have a liberty. Errors wrap
// ErrDiagram.
func ParseDiagram(diagram string) (*Board, error) {
	var colors []Color
	var size Size
	for line := range strings.Lines(diagram) {
		start := len(colors)
		for _, r := range line {
			switch r {
			case ' ', '\t', '\r', '\n':
			case '.':
				colors = append(colors, Empty)
			case 'X', 'x':
				colors = append(colors, Black)
			case 'O', 'o':
				colors = append(colors, White)
			default:
				return nil, fmt.Errorf("%w: unknown sign %q, want X, O or a dot", ErrDiagram, r)
			}
		}
		w := len(colors) - start
		switch {
		case w == 0:
			continue
		case size.H > 0 && w != size.W:
			return nil, fmt.Errorf("%w: row %d has %d points, the first one %d", ErrDiagram, size.H+1, w, size.W)
		case size.H >= MaxSize || w > MaxSize:
			return nil, fmt.Errorf("%w: %w", ErrDiagram, Size{w, size.H + 1}.Check())
		}
		size.W = w
		size.H++
	}
	if err := size.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDiagram, err)
	}
	b := NewBoard(size)
	if err := b.setUp(colors); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDiagram, err)
	}
	return b, nil
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
