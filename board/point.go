package board

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Color is the state of a point or the side of a player.
type Color uint8

// The states of a point. Black and White are also the two players.
const (
	Empty Color = iota
	Black
	White
	wall // the point beyond the edge; never returned by an exported function
)

// Limits of a board. Width and height may differ.
const (
	MinSize   = 2
	MaxSize   = 25
	MaxPoints = MaxSize * MaxSize
	MaxMoves  = MaxPoints + 1 // every point and pass
)

// Point is an intersection: y*W + x, with x counted from the left and y from the
// top row, both from 0. It is also the index of the move in a policy.
type Point int16

// Points that are not on the board.
const (
	Pass    Point = -1 // the move that plays nowhere
	NoPoint Point = -2 // no such point
)

var (
	ErrColor  = errors.New("unknown colour: want black or white")
	ErrSize   = errors.New("board size out of range")
	ErrVertex = errors.New("invalid vertex")
)

// Opponent returns the other player; Empty stays Empty.
func (c Color) Opponent() Color {
	if c == Empty {
		return Empty
	}
	return c ^ 3
}

func (c Color) String() string {
	switch c {
	case Empty:
		return "empty"
	case Black:
		return "black"
	case White:
		return "white"
	}
	return fmt.Sprintf("color(%d)", uint8(c))
}

// ParseColor reads b, w, black or white in any case.
func ParseColor(s string) (Color, error) {
	switch strings.ToLower(s) {
	case "b", "black":
		return Black, nil
	case "w", "white":
		return White, nil
	}
	return Empty, fmt.Errorf("%w, got %q", ErrColor, s)
}

// Move is one turn of a player; Point is Pass for a pass.
type Move struct {
	Color Color
	Point Point
}

// Size is the width and height of a board in points.
type Size struct{ W, H int }

func Square(n int) Size { return Size{W: n, H: n} }

// ParseSize reads "9" or "9x13", width first. Errors wrap ErrSize.
func ParseSize(text string) (Size, error) {
	w, h, rectangle := strings.Cut(strings.ToLower(text), "x")
	if !rectangle {
		h = w
	}
	width, errW := strconv.Atoi(strings.TrimSpace(w))
	height, errH := strconv.Atoi(strings.TrimSpace(h))
	size := Size{W: width, H: height}
	if errW != nil || errH != nil || size.Check() != nil {
		return Size{}, fmt.Errorf("%w: %q: a number from %d to %d, or for example 9x13", ErrSize, text, MinSize, MaxSize)
	}
	return size, nil
}

// Check returns an error that wraps ErrSize unless both sides are within
// MinSize and MaxSize.
func (s Size) Check() error {
	if s.W < MinSize || s.W > MaxSize || s.H < MinSize || s.H > MaxSize {
		return fmt.Errorf("%w: %dx%d, want %d to %d on each side", ErrSize, s.W, s.H, MinSize, MaxSize)
	}
	return nil
}

// String returns the size as "19x19", width first.
func (s Size) String() string { return fmt.Sprintf("%dx%d", s.W, s.H) }

// Area returns the number of points, which is also the policy index of a pass.
func (s Size) Area() int { return s.W * s.H }

// Point returns the point in column x and row y, both from 0 and y from the top.
func (s Size) Point(x, y int) Point { return Point(y*s.W + x) }

// Line returns the number of a point's line, counted from 1 at the nearest edge.
func (s Size) Line(p Point) int {
	x, y := s.XY(p)
	return 1 + min(x, y, s.W-1-x, s.H-1-y)
}

// XY returns column and row of a point on the board.
func (s Size) XY(p Point) (x, y int) { return int(p) % s.W, int(p) / s.W }

// Rectangle appends to dst the points of the rectangle that has a and b as opposite corners, row
// by row.
func (s Size) Rectangle(dst []Point, a, b Point) []Point {
	ax, ay := s.XY(a)
	bx, by := s.XY(b)
	for y := min(ay, by); y <= max(ay, by); y++ {
		for x := min(ax, bx); x <= max(ax, bx); x++ {
			dst = append(dst, s.Point(x, y))
		}
	}
	return dst
}

// Contains reports whether p is a point of the board; Pass is not.
func (s Size) Contains(p Point) bool { return p >= 0 && int(p) < s.Area() }

// Index returns the policy index of a move: the point itself, Area for Pass.
func (s Size) Index(p Point) int {
	if p == Pass {
		return s.Area()
	}
	return int(p)
}

// FromIndex is the inverse of Index. An index out of range gives NoPoint.
func (s Size) FromIndex(i int) Point {
	switch area := s.Area(); {
	case i == area:
		return Pass
	case i < 0 || i > area:
		return NoPoint
	}
	return Point(i)
}

// columns are the names of the columns; the letter I is not used.
const columns = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

// Vertex returns the name of a move as GTP writes it: "D4" (row 1 is the bottom
// row) or "pass". For a point that is not on the board it returns "none".
func (s Size) Vertex(p Point) string {
	if p == Pass {
		return "pass"
	}
	if !s.Contains(p) {
		return "none"
	}
	x, y := s.XY(p)
	return columns[x:x+1] + strconv.Itoa(s.H-y)
}

// Letters returns the names of the columns, with blanks between them.
func (s Size) Letters() string { return strings.Join(strings.Split(columns[:s.W], ""), " ") }

// ParseVertex reads the name of a move in any case, "pass" included. The error
// wraps ErrVertex.
func (s Size) ParseVertex(v string) (Point, error) {
	if strings.EqualFold(v, "pass") {
		return Pass, nil
	}
	if len(v) < 2 || len(v) > 3 {
		return NoPoint, fmt.Errorf("%w %q: want a column letter and a row number, or pass", ErrVertex, v)
	}
	x := strings.IndexByte(columns, v[0]&^0x20)
	row := 0
	for _, c := range []byte(v[1:]) {
		if c < '0' || c > '9' {
			return NoPoint, fmt.Errorf("%w %q: want a column letter and a row number, or pass", ErrVertex, v)
		}
		row = row*10 + int(c-'0')
	}
	if x < 0 || v[0]&0x40 == 0 {
		return NoPoint, fmt.Errorf("%w %q: want a column letter and a row number, or pass", ErrVertex, v)
	}
	if v[1] == '0' || x >= s.W || row > s.H {
		return NoPoint, fmt.Errorf("%w %q: outside the %v board", ErrVertex, v, s)
	}
	return s.Point(x, s.H-row), nil
}
