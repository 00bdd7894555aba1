package testshared

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// Diagram reads a board as its method String writes it: rows from the top, X for Black, O for
// White, dots for empty points. Blanks and empty lines are ignored.
func Diagram(t testing.TB, text string) *board.Board {
	t.Helper()
	rows := strings.Fields(strings.ReplaceAll(text, " ", ""))
	var stones []board.Move
	for p, sign := range strings.Join(rows, "") {
		if c := strings.IndexRune(".XO", sign); c > 0 {
			stones = append(stones, board.Move{Color: board.Color(c), Point: board.Point(p)})
		}
	}
	b := board.PlaceStones(board.Size{W: len(rows[0]), H: len(rows)}, stones)
	require.Equal(t, strings.Join(rows, "\n")+"\n", b.String(), "every chain needs a liberty")
	return b
}
