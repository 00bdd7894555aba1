package gtp

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
)

// Command is one parsed input line.
type Command struct {
	// ID is the command's number as it was written, "" if it had none. It is
	// echoed in the reply.
	ID   string
	Name string
	// Args are the words after the name, reduced to printable ASCII.
	Args []string
	// Rest is everything after the name with bytes beyond ASCII kept, for file
	// names and free text; outer blanks are trimmed.
	Rest string
}

// maxID is the largest id: 31 bits, as the protocol has it.
const maxID = math.MaxInt32

// Parse reads a command line. It drops control characters (HT counts as a
// space) and a comment after '#'. ok is false if nothing is left: such a line
// has no reply. A line that has an id but no name gives a Command without Name.
func Parse(line string) (c Command, ok bool) {
	word, rest := nextWord(Clean(line))
	if isID(word) {
		c.ID = word
		word, rest = nextWord(rest)
	}
	c.Name = word
	c.Rest = rest
	c.Args = strings.Fields(ascii(rest))
	return c, c.ID != "" || c.Name != ""
}

// Clean drops the comment and control characters, and turns HT into a space.
func Clean(line string) string {
	line, _, _ = strings.Cut(line, "#")
	b := make([]byte, 0, len(line))
	for _, c := range []byte(line) {
		switch {
		case c == '\t':
			b = append(b, ' ')
		case c >= ' ' && c != 127:
			b = append(b, c)
		}
	}
	return string(b)
}

// nextWord splits off the first word that is not empty when reduced to ASCII;
// rest is trimmed.
func nextWord(s string) (word, rest string) {
	for word == "" && s != "" {
		word, s, _ = strings.Cut(strings.Trim(s, " "), " ")
		word = ascii(word)
	}
	return word, strings.TrimLeft(s, " ")
}

// ascii deletes everything but printable ASCII.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}

// isID reports whether a word is a command id: digits only, at most maxID.
func isID(word string) bool {
	for _, c := range []byte(word) {
		if c < '0' || c > '9' {
			return false
		}
	}
	n, err := strconv.ParseUint(word, 10, 64)
	return err == nil && n <= maxID
}

// ParseNumber reads a finite decimal number. One comma counts as the decimal
// point, since some clients write numbers in the user's locale.
func ParseNumber(s string) (float64, error) {
	for _, c := range []byte(s) {
		if !strings.ContainsRune("0123456789+-.,eE", rune(c)) {
			return 0, ErrSyntax
		}
	}
	f, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, ErrSyntax
	}
	return f, nil
}

func parseInt(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, ErrSyntax
	}
	return n, nil
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, ErrSyntax
}

// Seconds turns a number of seconds into a Duration, limited to mostSeconds.
func Seconds(s float64) time.Duration {
	return time.Duration(min(max(s, -mostSeconds), mostSeconds) * float64(time.Second))
}

func parseColor(s string) (board.Color, error) {
	c, err := board.ParseColor(s)
	if err != nil {
		return c, ErrSyntax
	}
	return c, nil
}

// notHere matches vertices of larger boards, and words for a resignation.
var notHere = regexp.MustCompile(`^(?i:resign|null|[a-z]{1,2}[0-9]+)$`)

// parseVertex reads a point or pass. A word that is not a vertex on any board is a syntax error.
// A vertex outside this board is an illegal move, and so are words that some clients send when a
// player resigns.
func parseVertex(size board.Size, s string) (board.Point, error) {
	p, err := size.ParseVertex(s)
	if err == nil {
		return p, nil
	}
	if notHere.MatchString(s) {
		return board.NoPoint, ErrIllegalMove
	}
	return board.NoPoint, ErrSyntax
}

// parseMoves reads pairs of colour and vertex, possibly none.
func parseMoves(size board.Size, args []string) ([]board.Move, error) {
	if len(args)%2 != 0 {
		return nil, ErrSyntax
	}
	moves := make([]board.Move, 0, len(args)/2)
	for i := 0; i < len(args); i += 2 {
		c, err := parseColor(args[i])
		if err != nil {
			return nil, err
		}
		p, err := parseVertex(size, args[i+1])
		if err != nil {
			return nil, err
		}
		moves = append(moves, board.Move{Color: c, Point: p})
	}
	return moves, nil
}
