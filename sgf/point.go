package sgf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kosumi/board"
)

// Errors in the values of properties, for errors.Is.
var (
	// ErrPoint means a value that is not a point of the board.
	ErrPoint = errors.New("bad point")
	// ErrSize means a board size that this program does not play on.
	ErrSize = errors.New("unacceptable board size")
	// ErrNotGo means a record of another game, by its GM.
	ErrNotGo = errors.New("it is not a game of Go")
	// ErrValue means a value of any other kind that cannot be understood.
	ErrValue = errors.New("bad value")
)

// ParsePoint reads a move: two letters, column and row from the top left, a to z for 1 to 26
// (FF[4], Go). The empty value is a pass. So is tt (FF[3]) on boards that have no such point: boards
// up to 19x19, as in FF[4], and narrow ones such as 21x9.
func ParsePoint(size board.Size, value string) (board.Point, error) {
	value = strings.TrimSpace(value)
	if value == "" || value == "tt" && min(size.W, size.H) < 20 || strings.EqualFold(value, "pass") {
		return board.Pass, nil
	}
	if len(value) == 2 {
		x, y := coordinate(value[0]), coordinate(value[1])
		if x >= 0 && x < size.W && y >= 0 && y < size.H {
			return size.Point(x, y), nil
		}
	}
	return board.NoPoint, fmt.Errorf("%w: %q is not a point of a board of %dx%d", ErrPoint, clip(value), size.W, size.H)
}

// coordinate returns the number of a letter, -1 for none.
func coordinate(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return int(c - 'a')
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 26
	}
	return -1
}

// FormatPoint writes a move as ParsePoint reads it; a pass is the empty value.
func FormatPoint(size board.Size, p board.Point) string {
	if p < 0 {
		return ""
	}
	x, y := size.XY(p)
	return string([]byte{byte('a' + x), byte('a' + y)})
}

// AppendPoints reads one value of a list of points, which is a point or a
// rectangle between two corners such as aa:cc (FF[4], compressed point lists),
// and appends its points. The empty value appends none.
func AppendPoints(dst []board.Point, size board.Size, value string) ([]board.Point, error) {
	first, second, rectangle := strings.Cut(value, ":")
	a, err := ParsePoint(size, first)
	if err != nil {
		return dst, err
	}
	b := a
	if rectangle {
		if b, err = ParsePoint(size, second); err != nil {
			return dst, err
		}
	}
	if a < 0 && b < 0 && strings.TrimSpace(value) == "" {
		return dst, nil
	}
	if a < 0 || b < 0 {
		return dst, fmt.Errorf("%w: %q in a list of points", ErrPoint, clip(value))
	}
	return size.Rectangle(dst, a, b), nil
}

// SizeOf reads the board size of a game of Go from its root node: SZ[9], SZ[13:9] (columns, then
// rows), 19x19 when there is no SZ. The error wraps ErrSize, or ErrNotGo if GM names another game.
func SizeOf(root *Node) (board.Size, error) {
	if gm := strings.TrimSpace(root.SimpleText("GM")); gm != "" && gm != "1" {
		return board.Size{}, fmt.Errorf("%w (GM[%.10s])", ErrNotGo, gm)
	}
	text := strings.TrimSpace(root.SimpleText("SZ"))
	if text == "" {
		return board.Square(19), nil
	}
	size, err := board.ParseSize(sizeSigns.Replace(numberSigns.Replace(text)))
	if err != nil {
		return board.Size{}, fmt.Errorf("%w: SZ[%s], want %d to %d", ErrSize, clip(text), board.MinSize, board.MaxSize)
	}
	return size, nil
}

// sizeSigns normalises SGF's separator and those that people write in sizes.
var sizeSigns = strings.NewReplacer(":", "x", "×", "x", "*", "x", "路", "")

func formatSize(s board.Size) string {
	if s.W == s.H {
		return strconv.Itoa(s.W)
	}
	return fmt.Sprintf("%d:%d", s.W, s.H)
}

// clip shortens a value for an error message.
func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}
