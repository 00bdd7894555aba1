package board_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

func TestParseLocation(t *testing.T) {
	s := board.Size{W: 9, H: 5}
	for text, want := range map[string]board.Point{
		"A5": 0, "j1": 44, "PASS": board.Pass, "pss": board.Pass, "(0,0)": 0, "( 8 , 4 )": 44, " (3,2)": 21, "(9,0)": board.NoPoint, "(0,-1)": board.NoPoint,
	} {
		p, err := s.ParseLocation(text)
		require.NoError(t, err, text)
		require.Equal(t, want, p, text)
	}
	for _, text := range []string{"", "I5", "A6", "(1,1", "(1)", "(a,1)", "(1,2,3)", "resign", "()"} {
		_, err := s.ParseLocation(text)
		require.ErrorIs(t, err, board.ErrVertex, text)
	}
	require.Equal(t, "(-1,1)", board.Square(9).OffBoardName("(9,0)"))
}

// TestPlaceStones: a later stone replaces an earlier one and may capture; a stone that would have no
// liberty is left out.
func TestPlaceStones(t *testing.T) {
	s := board.Square(3)
	for _, c := range []struct{ stones, want string }{
		{"B A1 W A1", "...\n...\nO..\n"},
		{"W A1 B A2 B B1", "...\nX..\n.X.\n"},
		{"B A2 B B1 W A1", "...\nX..\n.X.\n"},
		{"B A1 B A1", "...\n...\nX..\n"},
		{"B A2 B B2 B C1 W B1 W A1", "...\nXX.\n..X\n"},
	} {
		var moves []board.Move
		color := board.Empty
		for _, word := range strings.Fields(c.stones) {
			if next, err := board.ParseColor(word); err == nil {
				color = next
				continue
			}
			moves = append(moves, board.Move{Color: color, Point: at(t, s, word)})
		}
		b := board.PlaceStones(s, moves)
		require.Equal(t, c.want, b.String(), c.stones)
		require.Equal(t, board.NoPoint, b.KoPoint())
	}
}

// TestRestart: the history is dropped, the captures are kept.
func TestRestart(t *testing.T) {
	g := testshared.Game(t, board.Square(3), board.Japanese())
	play(t, g, "A2 A1 B1")
	g.Restart(board.Black)
	require.Zero(t, g.NumMoves())
	require.Equal(t, board.Black, g.ToMove())
	require.Equal(t, 1, g.Board().Captured(board.White))
	require.Equal(t, 2, g.Board().Stones(board.Black))
}
