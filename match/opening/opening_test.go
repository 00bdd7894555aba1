package opening

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// TestRunOut: a request for more openings than exist is an error: on 3x3 the first move is one of
// three, up to symmetry.
func TestRunOut(t *testing.T) {
	server, err := nn.NewServer(nntest.Uniform(), nn.ServerConfig{})
	require.NoError(t, err)
	defer server.Close()
	draw := func(ctx context.Context, count int) (lines []string, found int, err error) {
		lines, err = Draw(ctx, server, Config{
			Count: count, Least: 1, Most: 1, Temperature: 1, Balance: 0.5,
			Size: board.Square(3), Rules: board.Chinese(), Seed: 1, Found: func(n int) { found = n },
		})
		return lines, found, err
	}
	lines, found, err := draw(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, []int{3, 3}, []int{len(lines), found})
	again, _, err := draw(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, lines, again, "a seed gives one book")
	_, _, err = draw(t.Context(), 4)
	require.ErrorContains(t, err, "3 openings found")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = draw(ctx, 3)
	require.ErrorContains(t, err, "interrupted after 0 of 3 openings")
}

func words(openings [][]board.Move, size board.Size) (lines []string) {
	for _, o := range openings {
		var line []string
		for _, m := range o {
			line = append(line, m.Color.String()[:1]+" "+size.Vertex(m.Point))
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return lines
}

func TestParse(t *testing.T) {
	nine := board.Square(9)
	tests := map[string][]string{
		"E5 C3 # comment\n\n# more\nb g7 b c7 w e5": {"b E5 w C3", "b G7 b C7 w E5"},
		"w E5 pass":          {"w E5 b pass"},
		"boardsize 9\nD4 D5": {"b D4 w D5"},
		"\ufeffD4 D5":        {"b D4 w D5"},
		"":                   nil,
	}
	for text, want := range tests {
		openings, err := Parse(strings.NewReader(text), nine)
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, words(openings, nine), "%q", text)
	}
	for _, text := range []string{"E5\nZ9", "hello", "play b E5", "boardsize 13", "b", "boardsize 9 13",
		strings.Repeat("A1 ", 700), strings.Repeat("x", 2<<20)} {
		_, err := Parse(strings.NewReader(text), nine)
		require.ErrorIs(t, err, ErrFile, "%.30q", text)
	}
	_, err := Parse(strings.NewReader("boardsize 13 9\nN9"), board.Size{W: 13, H: 9})
	require.NoError(t, err)
}

func TestRead(t *testing.T) {
	nine := board.Square(9)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	openings, err := Read(write("book.sgf", "(;SZ[9];B[ee](;W[cc];B[gg])(;W[gc]))(;SZ[9];B[aa])"), nine)
	require.NoError(t, err)
	require.Equal(t, []string{"b E5 w C7 b G3", "b E5 w G7", "b A9"}, words(openings, nine))
	openings, err = Read(write("book.txt", "E5 C7"), nine)
	require.NoError(t, err)
	require.Len(t, openings, 1)
	for name, text := range map[string]string{
		"setup.sgf": "(;SZ[9]AB[aa];W[bb])", "size.sgf": "(;SZ[13];B[aa])", "chess.sgf": "(;GM[3];B[aa])", "point.sgf": "(;SZ[9];B[zz])",
		"bad.sgf": "(;SZ[9", "long.sgf": "(;SZ[9]" + strings.Repeat(";B[]", 700) + ")", "empty.txt": "\n", "bad.txt": "x",
		"many.sgf": "(;" + strings.Repeat("(;B[aa])", 100_001) + ")",
	} {
		_, err := Read(write(name, text), nine)
		require.ErrorIs(t, err, ErrFile, name)
	}
	_, err = Read(filepath.Join(t.TempDir(), "absent"), nine)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzParse(f *testing.F) {
	f.Add("E5 C3 # comment\nboardsize 9\nw A1")
	f.Fuzz(func(t *testing.T, text string) {
		openings, err := Parse(strings.NewReader(text), board.Square(9))
		if err != nil {
			require.ErrorIs(t, err, ErrFile)
			return
		}
		again, err := Parse(strings.NewReader(strings.Join(words(openings, board.Square(9)), "\n")), board.Square(9))
		require.NoError(t, err)
		require.Equal(t, openings, again)
	})
}
