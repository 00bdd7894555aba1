package gtp

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"kosumi/board"
	"kosumi/search/thinking"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]Command{
		"name":                           {Name: "name"},
		" 5  play\tb  D4 \r":             {ID: "5", Name: "play", Args: []string{"b", "D4"}, Rest: "b  D4"},
		"5":                              {ID: "5"},
		"2147483648 x":                   {Name: "2147483648", Args: []string{"x"}, Rest: "x"},
		"007 name":                       {ID: "007", Name: "name"},
		"-1 name":                        {Name: "-1", Args: []string{"name"}, Rest: "name"},
		"na\x00me # x":                   {Name: "name"},
		"\ufeffname":                     {Name: "name"},
		"é 3 name":                       {ID: "3", Name: "name"},
		"3 loadsgf \"ä b.sgf\" 4":        {ID: "3", Name: "loadsgf", Args: []string{"\"", "b.sgf\"", "4"}, Rest: "\"ä b.sgf\" 4"},
		"loadsgf \xff.sgf":               {Name: "loadsgf", Args: []string{".sgf"}, Rest: "\xff.sgf"},
		"99999999999999999999999999 xyz": {Name: "99999999999999999999999999", Args: []string{"xyz"}, Rest: "xyz"},
	} {
		c, ok := Parse(line)
		require.True(t, ok, "%q", line)
		if len(c.Args) == 0 {
			c.Args = nil
		}
		require.Equal(t, want, c, "%q", line)
	}
	for _, blank := range []string{"", " ", "\t\r", "#", "# interrupt", "   # x", "\x01\x7f", "é", "\x00#5 name"} {
		_, ok := Parse(blank)
		require.False(t, ok, "%q", blank)
	}
}

func TestFrame(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "=1 \n\n",
		"x":                    "=1 x\n\n",
		"a\n\n\nb\n\n":         "=1 a\nb\n\n",
		"\nboard\n":            "=1 \nboard\n\n",
		"a\r\nb\r\n":           "=1 a\nb\n\n",
		"a\n=5 x\n?no\n = ok":  "=1 a\n =5 x\n ?no\n = ok\n\n",
		"= first is harmless":  "=1 = first is harmless\n\n",
		"\n\n\n":               "=1 \n\n",
		"(;GM[1]\n\nC[a\n\n])": "=1 (;GM[1]\nC[a\n])\n\n",
	} {
		require.Equal(t, want, string(frame('=', "1", text)), "%q", text)
	}
	require.Equal(t, "? two lines\n\n", string(frame('?', "", "two\nlines\n")))
}

func TestFileAndMove(t *testing.T) {
	for rest, want := range map[string]struct {
		name string
		move int
	}{
		"a.sgf": {"a.sgf", 0}, "a.sgf 5": {"a.sgf", 5}, `"a b.sgf" 5`: {"a b.sgf", 5}, `"a b.sgf"`: {"a b.sgf", 0},
		"a b.sgf": {"a b.sgf", 0}, "a b.sgf 12": {"a b.sgf", 12}, "7": {"7", 0},
	} {
		name, move, err := FileAndMove(rest)
		require.NoError(t, err, rest)
		require.Equal(t, want.name, name)
		require.Equal(t, want.move, move)
	}
	for _, bad := range []string{"", `""`, `"a`, `"a" x`, "a -5", `"a" -1`} {
		_, _, err := FileAndMove(bad)
		require.ErrorIs(t, err, ErrSyntax, bad)
	}
}

func TestAnalysisText(t *testing.T) {
	size := board.Square(5)
	nan := math.NaN()
	a := &thinking.Analysis{
		ToMove: board.Black,
		Moves: []thinking.Move{
			{Move: 12, Visits: 1000, Value: thinking.Value{Winrate: 0.5}, Prior: 1, LCB: -0.1, SymmetryOf: board.NoPoint, PV: []board.Point{12, board.Pass}},
			{Move: 0, Visits: 5, Value: thinking.Value{Winrate: 1}, SymmetryOf: board.NoPoint},
			{Move: 1, Visits: 30, Value: thinking.Value{Winrate: nan, Lead: math.Inf(-1)}, LCB: math.Inf(1), SymmetryOf: 12, PV: []board.Point{1}},
			{Move: board.Pass, Visits: 0, SymmetryOf: board.NoPoint},
		},
		Ownership: []float32{1, float32(nan)},
	}
	line := func(d dialect, r thinking.Request) string { return string(appendAnalysis(nil, d, size, &r, a)) }
	require.Equal(t, "info move C3 visits 1000 winrate 5000 prior 10000 lcb -1000 order 0 pv C3 pass "+
		"info move B5 visits 30 winrate 0 prior 0 lcb 0 order 1 pv B5", line(leela, thinking.Request{}))
	require.Equal(t, []string{"C3", "A5", "B5"}, listedMoves(line(leela, thinking.Request{MinMoves: 3})))
	require.Equal(t, []string{"C3", "A5", "B5", "pass"}, listedMoves(line(leela, thinking.Request{MinMoves: 9})))
	require.Equal(t, []string{"C3"}, listedMoves(line(kata, thinking.Request{MinMoves: 3, MaxMoves: 1})))
	k := line(kata, thinking.Request{Want: thinking.Details{Ownership: true, RootInfo: true, PVVisits: true}})
	require.NotContains(t, strings.ToLower(k), "nan")
	require.NotContains(t, strings.ToLower(k), "inf ")
	require.Contains(t, k, " isSymmetryOf C3 order 1 pv B5 rootInfo visits 0 ")
	require.True(t, strings.HasSuffix(k, " ownership 1.000000 0.000000"), k)
	a.Moves = a.Moves[3:]
	require.Equal(t, []string{"pass"}, listedMoves(line(kata, thinking.Request{})), "never nothing")
	a.Moves = nil
	require.Empty(t, line(kata, thinking.Request{}))
}

func listedMoves(line string) []string {
	var list []string
	for _, block := range strings.Split(line, "info move ")[1:] {
		list = append(list, strings.Fields(block)[0])
	}
	return list
}

func TestScoreText(t *testing.T) {
	for score, want := range map[float64]string{0: "0", 3.5: "W+3.5", -74: "B+74.0", 0.04: "0", -0.04: "0", math.Copysign(0, -1): "0", 0.26: "W+0.3"} {
		require.Equal(t, want, scoreText(score))
	}
}

var (
	replyStart = regexp.MustCompile(`^(=\d*|[=?]\d* .*)$`)
	fuzzSeeds  = []string{
		"name\n5 version\nquit\n",
		"boardsize 9\nplay b e5\ngenmove w\nshowboard\nundo\nfinal_score\n",
		"boardsize 5\nkata-analyze b 1 ownership true\n\nlz-analyze 50\nname\n",
		"boardsize 4\nkata-genmove_analyze w 1\nkata-search_analyze_cancellable b\n# interrupt\nstop\n",
		"boardsize 3\r\nset_position b a1 w b2\r\nprintsgf\r\nloadsgf x\r\nfinal_status_list dead\r\n",
		"kata-set-rules japanese\nkata-set-rule ko SPIGHT\nkata-get-params\nkata-set-params {\"maxVisits\":1}\n",
		"boardsize 6\nfixed_handicap 2\nplace_free_handicap 5\nkata-raw-nn all\ngogui-analyze_commands\n",
		"time_settings 1 2 3\nkata-time_settings fischer-capped 1 2 3 4\ntime_left b 1 1\nkgs-genmove_cleanup b\n",
		"kosumi-param\nkosumi-policy\nall_legal b\nmove_history\ngg-undo 2\nlist_commands",
	}
)

// FuzzServe: any input gets one well-formed reply per command, and the server ends.
func FuzzServe(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		engine := newFake()
		engine.most = 5 * time.Millisecond
		text := talk(t, engine, Options{MaxLine: 4096}, string(script),
			Handler{Name: "printsgf", Run: Text("(;)")}) // the real command would write files under any name
		want := 0
		for _, line := range strings.Split(string(script), "\n") {
			if len(line) > 4000 {
				return // a line this long may be cut off at MaxLine
			}
			c, ok := Parse(line)
			if ok {
				want++
			}
			for _, b := range []byte(c.Name + strings.Join(c.Args, "")) {
				require.True(t, b > ' ' && b <= '~' && b != '#', "%q", line)
			}
			if c.Name == "quit" {
				break
			}
		}
		require.True(t, text == "" || strings.HasSuffix(text, "\n\n"))
		got := 0
		for reply := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
			if text == "" {
				break
			}
			got++
			checkReply(t, reply)
		}
		require.Equal(t, want, got, "%q\n%s", script, text)
	})
}

// checkReply checks one reply without its final line ends.
func checkReply(t *testing.T, reply string) {
	t.Helper()
	lines := strings.Split(reply, "\n")
	require.Regexp(t, replyStart, lines[0])
	stream := !strings.Contains(lines[0], " ")
	for _, l := range lines[1:] {
		require.NotEmpty(t, l)
		require.NotContains(t, "=?", l[:1])
		if stream {
			require.Regexp(t, `^(info|play) `, l)
		}
	}
	if lines[0][0] == '?' {
		require.Len(t, lines, 1)
	}
}
