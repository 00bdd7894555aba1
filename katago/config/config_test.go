package config

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search"
)

func TestSyntax(t *testing.T) {
	for line, want := range map[string]string{
		"a = 1": "1", "a=1": "1", "\ta \t=\t 1 2 # c": "1 2", "a = 1#c": "1", `a = "x # \"y\" \\" # c`: `x # "y" \`, `a = 'x'`: "'x'",
		"a-B_9 = .5": ".5", "a = b = c": "b = c",
	} {
		key, value, ok := keyValue(strings.Trim(line, spaces))
		require.True(t, ok, line)
		require.Contains(t, line, key)
		require.Equal(t, want, value, line)
	}
	for _, line := range []string{"a", "a =", "= 1", "a # = 1", "a b = 1", `a = ""`, `a = "x`, `a = "x" y`, `a = "x\`, "ä = 1", "a = # 1"} {
		_, _, ok := keyValue(line)
		require.False(t, ok, line)
	}
}

func TestIncludes(t *testing.T) {
	files := fstest.MapFS{
		"cfg/main.cfg":    {Data: []byte("\ufeffa = 1\n@include=sub/one.cfg\nc = 3\n")},
		"cfg/sub/one.cfg": {Data: []byte("a = 2\n@include \"two.cfg\" # next to it\nc = 4\n")},
		"cfg/sub/two.cfg": {Data: []byte("b = 5\n")},
		"more.cfg":        {Data: []byte("\ufeff# a comment\r\nb = 6\r\n")},
		"absolute.cfg":    {Data: []byte("@include /etc/x.cfg\n")},
		"missing.cfg":     {Data: []byte("@include none.cfg\n")},
		"word.cfg":        {Data: []byte("@include\n")},
		"rules.cfg":       {Data: []byte("koRule = SIMPLE\nscoringRule = AREA\n")},
		"twice.cfg":       {Data: []byte("@include more.cfg\n@include more.cfg\n")},
	}
	c, err := load(files, []string{"cfg/main.cfg", "more.cfg"}, []string{" d = 7 ,,e=", "d="})
	require.NoError(t, err)
	require.Equal(t, []string{"a = 2", "b = 6", "c = 3"}, c.Lines())
	require.Equal(t, "cfg/main.cfg"+strings.Repeat(" and/or command-line and query overrides", 2), c.Name())
	c, err = load(files, []string{"rules.cfg"}, []string{"rules=japanese"})
	require.NoError(t, err)
	require.Equal(t, []string{"rules = japanese"}, c.Lines(), "rules excludes its parts")
	for file, want := range map[string]string{
		"absolute.cfg": "Absolute paths", "missing.cfg": "Could not open file none.cfg", "word.cfg": "Unsupported @ directive, line 1 in 'word.cfg'",
		"twice.cfg": "Circular or multiple inclusion of the same file: 'more.cfg', line 2 in 'twice.cfg'", "none.cfg": "Could not open file none.cfg",
	} {
		_, err := load(files, []string{file}, nil)
		require.ErrorContains(t, err, want)
	}
	_, err = load(files, []string{"more.cfg", "more.cfg"}, nil)
	require.ErrorContains(t, err, "multiple inclusion")
	_, err = load(files, nil, []string{"a"})
	require.EqualError(t, err, "Could not parse kv pair, could not find '=' in:a")
}

func TestValues(t *testing.T) {
	c := New(map[string]string{"i": " +5 ", "x": "1e3", "hex": "0x10", "nan": "nan", "b": "TRUE", "auto": "Auto", "w": "AREA"})
	for _, row := range []struct {
		key  Key
		want Value
	}{
		{Key{Name: "i", Kind: Int, High: 9}, Value{Kind: Int, Int: 5}}, {Key{Name: "x", Kind: Double, High: 1e4}, Value{Kind: Double, Number: 1000}},
		{Key{Name: "b", Kind: Bool}, Value{Kind: Bool, Bool: true}}, {Key{Name: "auto", Kind: Enabled}, Value{Kind: Enabled, Text: "auto"}},
	} {
		v, err := c.Get(row.key)
		require.NoError(t, err)
		require.Equal(t, row.want, v)
	}
	for _, k := range []Key{{Name: "x", Kind: Int, High: 1e4}, {Name: "hex", Kind: Double, High: 99}, {Name: "nan", Kind: Double}, {Name: "auto", Kind: Bool}, {Name: "i", Kind: Int, High: 4}, {Name: "w", Words: []string{"B", "A"}}, {Name: "none"}} {
		_, err := c.Get(k)
		require.ErrorContains(t, err, "'"+k.Name+"'")
	}
	_, err := c.Get(Key{Name: "w", Words: []string{"B", "A"}})
	require.EqualError(t, err, "Key 'w' must be one of (A|B) in config file ")
}

// TestTable: each default in the table is valid as a value in a file.
func TestTable(t *testing.T) {
	for _, p := range Params {
		if p.Default == "" || p.Name == "futileVisitsThreshold" { // no default because the key is required, or a default outside the key's range
			continue
		}
		for _, text := range []string{p.Default, p.Analysis} {
			if text == "" {
				continue
			}
			c := New(map[string]string{p.Name: text})
			_, err := c.Get(p.Key)
			require.NoError(t, err, p.Name)
		}
	}
}

// TestParameters: a change sets all of its parameters or, after an error, none.
func TestParameters(t *testing.T) {
	c := New(map[string]string{"numSearchThreads": "2", "maxVisits": "8"})
	start, err := c.Play(false)
	require.NoError(t, err)
	set := func(pairs map[string]string) (Play, PlayOptions, error) {
		return c.Parameters(pairs, start.Search, "2", false, PlayOptions{DelayMax: 1e6})
	}
	p, m, err := set(map[string]string{"maxVisits": "5", "allowResignation": "true"})
	require.NoError(t, err)
	require.True(t, m.Resign)
	require.EqualValues(t, 5, p.Search["maxVisits"].Int)
	for pairs, want := range map[[2]string]string{
		{"maxVisits", "0"}:                 "must be in the range 1 to 1125899906842624",
		{"foo", "1"}:                       "Unrecognized or non-overridable parameter in kata-set-params: foo",
		{"delayMoveScale", "x"}:            "Could not parse 'x' as double",
		{"nodeTableShardsPowerOfTwo", "9"}: "Cannot change nodeTableShardsPowerOfTwo after initialization",
		{"humanSLChosenMoveProp", "1"}:     "no human model was specified",
	} {
		before := c.Lines()
		_, _, err := set(map[string]string{pairs[0]: pairs[1], "cpuctExploration": "0.5"})
		require.ErrorContains(t, err, want)
		require.Equal(t, before, c.Lines())
	}
	p, _, err = set(map[string]string{"maxVisits": ""})
	require.NoError(t, err)
	require.EqualValues(t, int64(unlimited), p.Search["maxVisits"].Int)
}

func TestApply(t *testing.T) {
	o, err := NewOverrides(New(map[string]string{"numSearchThreads": "3", "cpuctExploration": "0.9"}), false)
	require.NoError(t, err)
	p, l := search.Defaults(), search.Limits{Visits: 9}
	before := p
	view, unknown, idle, err := o.Apply(&p, &l, map[string]string{"maxTime": "2.5", "rootPolicyTemperature": "2", "reportAnalysisWinratesAs": "white",
		"noSuch": "1", "midgameTimeFactor": "0.1"}, board.Black, false)
	require.NoError(t, err)
	require.Equal(t, board.White, view)
	require.Equal(t, []string{"noSuch"}, unknown)
	require.Empty(t, idle, "KataGo says nothing of clocks in an analysis")
	require.Equal(t, search.Limits{Visits: 9, Time: 2500 * time.Millisecond}, l)
	before.Root.PolicyTemperature, before.Root.PolicyTemperatureEarly = 2, 2
	require.Equal(t, before, p, "what the config says itself is in force already")

	view, _, idle, err = PlainOverrides(0).Apply(&p, &l, map[string]string{"midgameTimeFactor": "0.1"}, board.Black, false)
	require.NoError(t, err)
	require.Equal(t, board.Black, view)
	require.Equal(t, []string{"midgameTimeFactor"}, idle)
	_, _, _, err = o.Apply(&p, &l, map[string]string{"maxVisits": "0"}, board.Empty, false)
	require.ErrorContains(t, err, "'maxVisits' must be in the range")
}

func TestSeconds(t *testing.T) {
	require.Equal(t, time.Nanosecond, Seconds(0), "no time is a limit")
	require.Zero(t, Seconds(1e20), "and this is none")
	require.Equal(t, 1500*time.Millisecond, Seconds(1.5))
}

func FuzzLoad(f *testing.F) {
	for _, text := range []string{"a = 1\nb = \"x\\\"\" # y\n", "@include b.cfg\n", "rules = chinese\nnumSearchThreads = 3\nlogAllGTPCommunication = false\nlogSearchInfo = TRUE\n", "@include=\"a.cfg\"", "a =="} {
		f.Add(text, "a=1,b=")
	}
	f.Fuzz(func(t *testing.T, text, override string) {
		files := fstest.MapFS{"a.cfg": {Data: []byte(text)}, "b.cfg": {Data: []byte("numSearchThreads = 1\n")}}
		c, err := load(files, []string{"a.cfg"}, []string{override})
		if err != nil {
			return
		}
		for _, line := range c.Lines() {
			require.Contains(t, line, " = ")
		}
		c.GTP(false, func(string) {})
		c.Analysis(0, true, func(Log) {})
		require.Subset(t, c.Lines(), c.Clone().Lines())
	})
}
