// Package wire stands between the server and its clients: how positions, rules and numbers
// are written in the messages of package web/api ([Stones], [RulesName]), who may speak with
// the server ([Access]), and who is told of a change ([Hub]).
package wire

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/web/api"
)

// Decimal writes a number in as few digits as tell it from others.
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

// Stones writes a position as pages read it.
func Stones(g *board.Game) string {
	b := make([]byte, g.Size().Area())
	for i := range b {
		b[i] = ".bw"[g.At(board.Point(i))]
	}
	return string(b)
}

// Shown makes text of a client fit for a line of the log: no control characters, and at most
// so many bytes before an ellipsis.
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

// ReviewedStones turns stones as reviews write them into the page's.
func ReviewedStones(stones string) string { return letters.Replace(stones) }

// Blacks turns a value of the side to move into Black's.
func Blacks(c board.Color, v float64) float64 {
	if c == board.White {
		return -v
	}
	return v
}

// Ownership packs owners in [-1,1] of the side to move as bytes of Black's.
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

// Vertices returns the names of the first points, at most so many.
func Vertices(size board.Size, points []board.Point, most int) []string {
	all := make([]string, 0, min(most, len(points)))
	for _, p := range points[:min(most, len(points))] {
		all = append(all, size.Vertex(p))
	}
	return all
}

// Round rounds to so many decimals; minus zero becomes zero.
func Round(v float64, digits int) float64 {
	f := math.Pow10(digits)
	return math.Round(v*f)/f + 0
}

// Bounds of records.
const (
	MaxSGF   = 20 << 20  // bytes
	MaxNodes = 1_000_000 // of a game tree
)

// ParseSGF reads the game trees of a record, within the bounds.
func ParseSGF(data []byte) ([]*sgf.Node, error) {
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
	}{{sgf.ErrNoTree, "sgf_none"}, {sgf.ErrTooLarge, "sgf_large"}, {sgf.ErrSize, "sgf_size"}, {review.ErrNotGo, "record_not_go"}, {review.ErrNoMoves, "record_empty"}, {review.ErrTooLong, "record_long"}, {sgf.ErrPoint, "sgf_moves"}} {
		if errors.Is(err, known.err) {
			return api.Tell("bad_request", known.key, "why", why)
		}
	}
	return api.Tell("bad_request", "sgf_bad", "why", why)
}
