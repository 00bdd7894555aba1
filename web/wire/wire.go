// Package wire connects the server and its clients: it converts positions, rules and numbers for
// the messages of package web/api ([Stones], [RulesName]), checks access ([Access]), and sends
// events ([Hub]).
package wire

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"kosumi/board"
	"kosumi/internal/handout"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/web/api"
)

// Decimal formats a number with the fewest digits that identify it.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Letter is "b" or "w", "" for no colour.
func Letter(c board.Color) string {
	switch c {
	case board.Black:
		return "b"
	case board.White:
		return "w"
	}
	return ""
}

// ParseColour is the inverse of [Letter].
func ParseColour(s string) board.Color {
	switch s {
	case "b":
		return board.Black
	case "w":
		return board.White
	}
	return board.Empty
}

// Stones returns a position as pages read it: ".", "b" or "w" for each point.
func Stones(g *board.Game) string {
	b := make([]byte, g.Size().Area())
	for i := range b {
		b[i] = ".bw"[g.At(board.Point(i))]
	}
	return string(b)
}

// Shown cleans text from a client for logs and pages: it replaces control characters by "?", and
// shortens text of more than most bytes to these and an ellipsis.
func Shown(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, text)
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most] + "..."
	}
	return text
}

var letters = strings.NewReplacer("X", "b", "O", "w")

// ReviewedStones replaces the X and O in a position of a review by the b and w that pages expect.
func ReviewedStones(stones string) string { return letters.Replace(stones) }

// Blacks converts a value from the view of side c to Black's view.
func Blacks(c board.Color, v float64) float64 {
	if c == board.White {
		return -v
	}
	return v
}

// Ownership converts values of -1 to 1 from the view of side c to Black's, and encodes them as base64 of signed bytes.
func Ownership(own []float32, c board.Color) string {
	if own == nil {
		return ""
	}
	b := make([]byte, len(own))
	for i, v := range own {
		b[i] = byte(int8(math.Round(127 * Blacks(c, float64(min(1, max(-1, v)))))))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// Vertices returns the names of the first points, up to the given number.
func Vertices(size board.Size, points []board.Point, most int) []string {
	all := make([]string, 0, min(most, len(points)))
	for _, p := range points[:min(most, len(points))] {
		all = append(all, size.Vertex(p))
	}
	return all
}

// Round rounds to a number of decimals; minus zero becomes zero.
func Round(v float64, digits int) float64 {
	f := math.Pow10(digits)
	return math.Round(v*f)/f + 0
}

// Bounds of records.
const (
	MaxSGF   = 20 << 20  // bytes
	MaxNodes = 1_000_000 // nodes of a game tree
)

// ParseSGF reads the game trees of a record, or the game of a review's HTML file. One that is too large
// is refused.
func ParseSGF(data []byte) ([]*sgf.Node, error) {
	if len(data) > MaxSGF {
		return nil, api.Tell("bad_request", "sgf_large", "n", MaxSGF>>20)
	}
	if _, page, found := bytes.Cut(data, []byte(handout.Data)); found {
		if root := gameOfPage(page); root != nil {
			return []*sgf.Node{root}, nil
		}
		return nil, api.Tell("bad_request", "sgf_page")
	}
	roots, err := sgf.Options{MaxBytes: MaxSGF, MaxElements: 4 * MaxNodes}.Parse(data)
	return roots, RecordError(err)
}

// RecordError turns the error of a record into a refusal; nil stays nil.
func RecordError(err error) error {
	if err == nil || errors.As(err, new(api.Error)) {
		return err
	}
	why := strings.ReplaceAll(strings.TrimPrefix(err.Error(), review.ErrGame.Error()+": "), "\n", "; ")
	for _, known := range []struct {
		err error
		key string
	}{{sgf.ErrNoTree, "sgf_none"}, {sgf.ErrTooLarge, "sgf_nodes"}, {sgf.ErrSize, "sgf_size"}, {sgf.ErrNotGo, "record_not_go"}, {review.ErrNoMoves, "record_empty"}, {sgf.ErrPoint, "sgf_moves"}} {
		if errors.Is(err, known.err) {
			return api.Tell("bad_request", known.key, "why", why)
		}
	}
	return api.Tell("bad_request", "sgf_bad", "why", why)
}

// Wake puts a token into a channel with room for one, unless one is there.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
