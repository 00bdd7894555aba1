package match

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string][]string{
		`gnugo --mode gtp`:        {"gnugo", "--mode", "gtp"},
		`  a	b\ c  `:              {"a", "b c"},
		`'my engine' "x y" a"b"c`: {"my engine", "x y", "abc"},
		`a 'b\c' "d\e\"f\\"`:      {"a", `b\c`, `d\e"f\`},
		`a '' ""`:                 {"a", "", ""},
		`a \'b`:                   {"a", "'b"},
	} {
		words, err := splitWords(line, false)
		require.NoError(t, err, line)
		require.Equal(t, want, words, line)
	}
	words, err := splitWords(`C:\Go\engine.exe -config "C:\my files\x.cfg" \"`, true)
	require.NoError(t, err)
	require.Equal(t, []string{`C:\Go\engine.exe`, "-config", `C:\my files\x.cfg`, `"`}, words)
	for _, line := range []string{"", "  ", "'a", `"a`, `a\`, "'' x"} {
		_, err := splitCommand(line)
		require.Error(t, err, line)
	}
}

func repliesIn(text string) (replies []reply, err error) {
	c := &client{}
	r := bufio.NewReaderSize(strings.NewReader(text), 16)
	for {
		got, err := c.readReply(r)
		if err != nil {
			return replies, err
		}
		replies = append(replies, got)
	}
}

func TestReadReply(t *testing.T) {
	tests := map[string][]reply{
		"= D4\n\n":                               {{true, -1, "D4"}},
		"=12 D4\r\n\r\n=13\n\n":                  {{true, 12, "D4"}, {true, 13, ""}},
		"? illegal move\n\n":                     {{false, -1, "illegal move"}},
		"?7 syntax error\n\n":                    {{false, 7, "syntax error"}},
		"=\n\n= \n\n":                            {{true, -1, ""}, {true, -1, ""}},
		"= a\nb\n  \n":                           {{true, -1, "a\nb"}},
		"junk\n\n=== banner\n=x\n= yes\n\n":      {{true, -1, "yes"}},
		"=99999999999999999999 big\n\n":          {{true, -1, "big"}},
		"= " + strings.Repeat("x", 100) + "\n\n": {{true, -1, strings.Repeat("x", 100)}},
		"= cut short":                            nil,
	}
	for text, want := range tests {
		got, err := repliesIn(text)
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, want, got, "%q", text)
	}
}

func FuzzReplies(f *testing.F) {
	f.Add("= D4\n\n")
	f.Add("junk\n?3 no\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		replies, err := repliesIn(text)
		require.Error(t, err)
		for _, r := range replies {
			require.GreaterOrEqual(t, r.id, -1)
			require.NotContains(t, r.text, "\n\n")
			_, _ = parseScore(r.text)
		}
	})
}

func TestParseScore(t *testing.T) {
	for text, want := range map[string]float32{
		"B+3.5": -3.5, "w+0.5 (upper bound)": 0.5, "0": 0, "Draw": 0, " W+12\n": 12,
	} {
		got, ok := parseScore(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "B", "B+", "B+R", "W+NaN", "B+-3", "X+1", "B+1e30", "3.5"} {
		_, ok := parseScore(text)
		require.False(t, ok, text)
	}
}

func TestTail(t *testing.T) {
	var log strings.Builder
	tl := &tail{copyTo: &log}
	_, _ = tl.Write([]byte("before\n"))
	mark := tl.total()
	_, _ = tl.Write([]byte("one\x1b[31m \ttwo\n\xff"))
	require.Equal(t, "one[31m  two", tl.since(mark, 100))
	require.Equal(t, "before\none[31m  two", tl.since(0, 100))
	for range 1000 {
		_, _ = tl.Write([]byte(strings.Repeat("x", 99) + "\n"))
	}
	require.LessOrEqual(t, len(tl.mu.kept), 2*tailBytes)
	require.Len(t, tl.since(0, 50), 49)
	require.Equal(t, int(tl.total()), log.Len())
	_, err := (&tail{copyTo: failing{}}).Write([]byte("x"))
	require.NoError(t, err, "a full disk stops no game")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// words writes openings as vertices, for comparison.
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

func TestParseOpenings(t *testing.T) {
	nine := board.Square(9)
	tests := map[string][]string{
		"E5 C3 # comment\n\n# more\nb g7 b c7 w e5": {"b E5 w C3", "b G7 b C7 w E5"},
		"w E5 pass": {"w E5 b pass"},
		"boardsize 9\nkomi 7\nclear_board\nplay b E5\nplay w C3\nclear_board\nplay b A1\n": {"b E5 w C3", "b A1"},
		"play b E5\n# still the same\nplay w C3\n\nplay b A1":                              {"b E5 w C3", "b A1"},
		"play b E5\nD4 D5": {"b E5", "b D4 w D5"},
		"":                 nil,
	}
	for text, want := range tests {
		openings, err := ParseOpenings(strings.NewReader(text), nine)
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, words(openings, nine), "%q", text)
	}
	for _, text := range []string{"E5\nZ9", "hello", "play b", "play E5", "play b E5 w C3", "boardsize 13", "b", "boardsize 9 13",
		strings.Repeat("A1 ", 700), strings.Repeat("x", 2<<20)} {
		_, err := ParseOpenings(strings.NewReader(text), nine)
		require.ErrorIs(t, err, ErrOpenings, "%.30q", text)
	}
	_, err := ParseOpenings(strings.NewReader("boardsize 13 9\nN9"), board.Size{W: 13, H: 9})
	require.NoError(t, err)
}

func TestReadOpenings(t *testing.T) {
	nine := board.Square(9)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	openings, err := ReadOpenings(write("book.sgf", "(;SZ[9];B[ee](;W[cc];B[gg])(;W[gc]))(;SZ[9];B[aa])"), nine)
	require.NoError(t, err)
	require.Equal(t, []string{"b E5 w C7 b G3", "b E5 w G7", "b A9"}, words(openings, nine))
	openings, err = ReadOpenings(write("book.txt", "E5 C7"), nine)
	require.NoError(t, err)
	require.Len(t, openings, 1)
	for name, text := range map[string]string{
		"setup.sgf": "(;SZ[9]AB[aa];W[bb])", "size.sgf": "(;SZ[13];B[aa])", "point.sgf": "(;SZ[9];B[zz])",
		"bad.sgf": "(;SZ[9", "long.sgf": "(;SZ[9]" + strings.Repeat(";B[]", 700) + ")", "empty.txt": "\n", "bad.txt": "x",
		"many.sgf": "(;" + strings.Repeat("(;B[aa])", 100_001) + ")",
	} {
		_, err := ReadOpenings(write(name, text), nine)
		require.ErrorIs(t, err, ErrOpenings, name)
	}
	_, err = ReadOpenings(filepath.Join(t.TempDir(), "absent"), nine)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzParseOpenings(f *testing.F) {
	f.Add("E5 C3 # comment\nplay b E5\nclear_board\nw A1")
	f.Fuzz(func(t *testing.T, text string) {
		openings, err := ParseOpenings(strings.NewReader(text), board.Square(9))
		if err != nil {
			require.ErrorIs(t, err, ErrOpenings)
			return
		}
		again, err := ParseOpenings(strings.NewReader(strings.Join(words(openings, board.Square(9)), "\n")), board.Square(9))
		require.NoError(t, err)
		require.Equal(t, openings, again)
	})
}

func FuzzSplitCommand(f *testing.F) {
	f.Add(`a 'b c' "d\"e" f\ g`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := splitWords(line, false)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := splitWords(strings.Join(quoted, " "), false)
		require.NoError(t, err)
		require.Equal(t, words, again)
	})
}
