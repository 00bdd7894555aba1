package board

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseLocation reads the name of a move in any form that KataGo's protocols
// accept: a vertex, "pass", "pss", or "(x,y)" with the column from the left and the
// row from the top, both from 0. For some coordinates outside the board, which KataGo
// refuses only when the move is made, it returns NoPoint without an error; OffBoardName
// returns KataGo's name for them.
func (s Size) ParseLocation(text string) (Point, error) {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "pss") {
		return Pass, nil
	}
	inner, isPair := strings.CutPrefix(text, "(")
	if !isPair {
		if len(text) > 2 && (text[1] == '0' || text[1] == '+') { // E05 and E+5 mean E5
			if row, err := strconv.Atoi(text[1:]); err == nil {
				text = text[:1] + strconv.Itoa(row)
			}
		}
		return s.ParseVertex(text)
	}
	x, y, err := parsePair(inner)
	if err != nil {
		return NoPoint, fmt.Errorf("%w %q: want (x,y), two numbers from 0", ErrVertex, text)
	}
	if x >= 0 && x < s.W && y >= 0 && y < s.H {
		return s.Point(x, y), nil
	}
	return NoPoint, nil
}

func parsePair(text string) (x, y int, err error) {
	inner, closed := strings.CutSuffix(text, ")")
	left, right, two := strings.Cut(inner, ",")
	if !closed || !two {
		return 0, 0, ErrVertex
	}
	if x, err = strconv.Atoi(strings.TrimSpace(left)); err == nil {
		y, err = strconv.Atoi(strings.TrimSpace(right))
	}
	return x, y, err
}

// OffBoardName returns the coordinates that KataGo prints for a text "(x,y)" that is off the board.
// KataGo keeps the board in rows of W+1 points, so the point right of a row is also the one left of the next row.
func (s Size) OffBoardName(text string) string {
	x, y, err := parsePair(strings.TrimPrefix(strings.TrimSpace(text), "("))
	if err != nil {
		return text
	}
	at := x + 1 + (y+1)*(s.W+1)
	return fmt.Sprintf("(%d,%d)", at%(s.W+1)-1, at/(s.W+1)-1)
}
