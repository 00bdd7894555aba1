package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

func TestColors(t *testing.T) {
	for text, want := range map[string]board.Color{
		"b": board.Black, "W": board.White, "Black": board.Black, "WHITE": board.White,
	} {
		c, err := board.ParseColor(text)
		require.NoError(t, err)
		require.Equal(t, want, c)
	}
	for _, text := range []string{"", "x", "empty", "blac", " b"} {
		_, err := board.ParseColor(text)
		require.ErrorIs(t, err, board.ErrColor, text)
	}
	require.Equal(t, board.White, board.Black.Opponent())
	require.Equal(t, board.Black, board.White.Opponent())
	require.Equal(t, board.Empty, board.Empty.Opponent())
	require.Equal(t, "black white empty", board.Black.String()+" "+board.White.String()+" "+board.Empty.String())
}

func TestSizes(t *testing.T) {
	for _, s := range []board.Size{{2, 2}, {25, 25}, {2, 25}, {19, 9}} {
		require.NoError(t, s.Check())
	}
	for _, s := range []board.Size{{}, {1, 5}, {5, 1}, {26, 9}, {9, 26}, {-9, 9}} {
		require.ErrorIs(t, s.Check(), board.ErrSize)
		_, err := board.NewGame(s, board.Chinese())
		require.ErrorIs(t, err, board.ErrSize)
	}
	s := board.Size{W: 7, H: 4}
	for p := range board.Point(s.Area()) {
		x, y := s.XY(p)
		require.Equal(t, p, s.Point(x, y))
		require.Equal(t, p, s.FromIndex(s.Index(p)))
	}
	require.Equal(t, 28, s.Index(board.Pass))
	require.Equal(t, board.Pass, s.FromIndex(28))
	require.Equal(t, board.NoPoint, s.FromIndex(29))
	require.Equal(t, board.NoPoint, s.FromIndex(-1))
	require.False(t, s.Contains(board.Pass))
	require.False(t, s.Contains(28))
}

func TestVertices(t *testing.T) {
	s := board.Square(19)
	for text, want := range map[string]board.Point{
		"A19": 0, "T1": 360, "d4": s.Point(3, 15), "J10": s.Point(8, 9), "H10": s.Point(7, 9), "PASS": board.Pass, "pass": board.Pass,
	} {
		p, err := s.ParseVertex(text)
		require.NoError(t, err, text)
		require.Equal(t, want, p, text)
	}
	for _, text := range []string{"", "D", "4", "I5", "i5", "D0", "D04", "D20", "U1", "D4x", "D-4", "D+4", "44", "@4", "passs", "D4 ", "\x044"} {
		_, err := s.ParseVertex(text)
		require.ErrorIs(t, err, board.ErrVertex, "%q", text)
	}
	require.Equal(t, "none", s.Vertex(board.NoPoint))
	require.Equal(t, "Z25", board.Square(25).Vertex(24))
}

func FuzzParseVertex(f *testing.F) {
	for _, v := range []string{"D4", "pass", "T19", "z25", "I9", "A0"} {
		f.Add(v, uint8(19), uint8(9))
	}
	f.Fuzz(func(t *testing.T, text string, w, h uint8) {
		s := board.Size{W: int(w), H: int(h)}
		if s.Check() != nil {
			return
		}
		p, err := s.ParseVertex(text)
		if err != nil {
			require.ErrorIs(t, err, board.ErrVertex)
			require.Equal(t, board.NoPoint, p)
			return
		}
		require.True(t, p == board.Pass || s.Contains(p))
		again, err := s.ParseVertex(s.Vertex(p))
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

func TestSymmetries(t *testing.T) {
	for _, s := range []board.Size{{5, 5}, {19, 19}, {4, 7}} {
		for a := board.Symmetry(0); a < board.NumSymmetries; a++ {
			table := board.SymTable(s, a)
			for p, q := range table {
				require.Equal(t, q, s.SymMap(a, board.Point(p)))
				if int(a) < s.Symmetries() {
					require.EqualValues(t, p, s.SymMap(a.Inverse(), q))
				}
			}
		}
		require.Equal(t, board.Pass, s.SymMap(3, board.Pass))
	}
	require.Equal(t, 8, board.Square(9).Symmetries())
	require.Equal(t, 4, board.Size{W: 9, H: 10}.Symmetries())
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]board.Size{
		"9": board.Square(9), "2": board.Square(2), "25": board.Square(25), "9x13": {W: 9, H: 13}, "13X9": {W: 13, H: 9}, " 9 x 9 ": board.Square(9),
	} {
		got, err := board.ParseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "1", "26", "x", "9x", "x9", "9x9x9", "-9", "9.5", "9x26", "99999999999999999999"} {
		_, err := board.ParseSize(text)
		require.ErrorIs(t, err, board.ErrSize, text)
	}
}
