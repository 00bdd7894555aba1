package match

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		_, err := SplitCommand(line)
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
