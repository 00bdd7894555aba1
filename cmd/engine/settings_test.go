package main

import (
	"math"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"kosumi/board"
)

func TestParseConfig(t *testing.T) {
	base := defaultSettings()
	for _, c := range []struct {
		text string
		want func(s *settings)
	}{
		{"", func(*settings) {}},
		{"# nothing but a comment\n", func(*settings) {}},
		{"visits = 100\ntime = 2.5\nponder = true", func(s *settings) { s.Visits, s.Time, s.Ponder = 100, 2.5, true }},
		{`model = "a.onnx"` + "\nprovider = 'cuda'\nprecision = \"fp32\"", func(s *settings) { s.Model, s.Provider, s.Precision = "a.onnx", "cuda", "fp32" }},
		{"komi = 0.0", func(s *settings) { s.Komi, s.komiSet = 0, true }},
		{"komi = 6.5\r\n\r\nrules = \"japanese\"\r\n", func(s *settings) { s.Komi, s.komiSet, s.Rules = 6.5, true, "japanese" }},
		{"resign-threshold = -0.5\nlag-buffer = 0\nmax-memory = 64\nlog-level = \"debug\"", func(s *settings) {
			s.ResignAt, s.LagBuffer, s.MaxMemory, s.LogLevel = -0.5, 0, 64, "debug"
		}},
		{"seed = 9223372036854775807", func(s *settings) { s.Seed = math.MaxInt64 }},
	} {
		want := base
		c.want(&want)
		got, err := parseConfig([]byte(c.text), base)
		require.NoError(t, err, c.text)
		require.Equal(t, want, got, c.text)
	}
	for text, complaint := range map[string]string{
		"vists = 5":                      "unknown key vists",
		"visits = 5\n[visits]":           "TOML",
		"[gtp]\nvisits = 5":              "unknown key",
		"a.b = 1\nc = 2":                 "unknown key",
		"visits = \"5\"":                 "TOML",
		"visits = 1.5":                   "TOML",
		"visits = 1\nvisits=2":           "TOML",
		"threads = 99999999999999999999": "TOML",
		"visits":                         "TOML",
		"\x00\x01":                       "TOML",
		"ponder = 1":                     "TOML",
		"model = [\"a\"]":                "TOML",
	} {
		got, err := parseConfig([]byte(text), base)
		require.ErrorContains(t, err, complaint, text)
		require.Equal(t, base, got, "after an error nothing has changed")
	}
}

// loaded runs the flags of `engine gtp` over settings, as the command does.
func loaded(t *testing.T, args ...string) (settings, error) {
	t.Helper()
	s := defaultSettings()
	c := &cobra.Command{Use: "gtp"}
	s.networkFlags(c.Flags())
	s.playFlags(c.Flags())
	s.foreignFlags(c.Flags())
	require.NoError(t, c.ParseFlags(args))
	err := s.load(c)
	return s, err
}

// TestPrecedence puts defaults below the file and the file below flags.
func TestPrecedence(t *testing.T) {
	file := writeFile(t, "engine.toml", "visits = 100\nthreads = 7\nkomi = 5.5\nresign = false\nboardsize = \"13\"\n")
	s, err := loaded(t, "--config", file, "--visits", "9", "--resign", "--override-config", "a=1", "--override-config", "b=2")
	require.NoError(t, err)
	require.EqualValues(t, 9, s.Visits)
	require.Equal(t, 7, s.Threads)
	require.True(t, s.Resign)
	require.Equal(t, 256, s.Cache, "the default")
	require.Equal(t, []string{"a=1", "b=2"}, s.foreign.overrides)
	rules, err := s.gameRules()
	require.NoError(t, err)
	require.EqualValues(t, 5.5, rules.Komi)

	s, err = loaded(t, "--config", file, "--komi", "0")
	require.NoError(t, err)
	rules, err = s.gameRules()
	require.NoError(t, err)
	require.Zero(t, rules.Komi, "a flag that happens to be zero")

	s, err = loaded(t, "--rules", "japanese")
	require.NoError(t, err)
	rules, err = s.gameRules()
	require.NoError(t, err)
	require.EqualValues(t, 6.5, rules.Komi, "what the rules say")

	s, err = loaded(t, "--config", "/no/such/gtp.cfg")
	require.NoError(t, err, "KataGo's files are not read")
	require.Equal(t, "/no/such/gtp.cfg", s.foreign.config)
}

func TestEngineConfig(t *testing.T) {
	s, err := loaded(t, "--visits", "50", "--playouts", "60", "--time", "1.5", "--boardsize", "9x13", "--threads", "3",
		"--ponder", "--resign=false", "--resign-threshold", "-0.5", "--lag-buffer", "0.25", "--seed", "4", "--max-memory", "32")
	require.NoError(t, err)
	c, err := s.engineConfig()
	require.NoError(t, err)
	require.Equal(t, board.Size{W: 9, H: 13}, c.Size)
	require.EqualValues(t, 50, c.Limits.Visits)
	require.EqualValues(t, 60, c.Limits.Playouts)
	require.Equal(t, 1500*time.Millisecond, c.Limits.Time)
	require.Equal(t, 250*time.Millisecond, c.Lag)
	require.Equal(t, 3, c.Search.Parallel.Workers)
	require.EqualValues(t, 32<<20, c.Search.Memory.MaxBytes)
	require.True(t, c.Ponder)
	require.False(t, c.Resign.Enabled)
	require.InDelta(t, -0.5, c.Resign.Threshold, 0)
	require.EqualValues(t, 4, c.Seed)
	require.NoError(t, c.Search.Validate())
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]board.Size{
		"9": board.Square(9), "2": board.Square(2), "25": board.Square(25), "9x13": {W: 9, H: 13}, "13X9": {W: 13, H: 9}, " 9 x 9 ": board.Square(9),
	} {
		got, err := parseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "1", "26", "x", "9x", "x9", "9x9x9", "-9", "9.5", "9x26", "99999999999999999999"} {
		_, err := parseSize(text)
		require.ErrorContains(t, err, "board size", text)
	}
}

func TestLongDashes(t *testing.T) {
	require.Equal(t, []string{"analysis", "--model", "-1", "-h", "--x", "-", "--", "-model"},
		longDashes([]string{"analysis", "-model", "-1", "-h", "--x", "-", "--", "-model"}))
}

func TestWithSubcommand(t *testing.T) {
	for want, args := range map[string][]string{
		"gtp": nil, "--help": {"--help"}, "match": {"match", "--games"}, "-v": {"-v"},
	} {
		require.Equal(t, want, withSubcommand(nil, args)[0])
	}
	require.Equal(t, []string{"gtp", "--visits", "5"}, withSubcommand(nil, []string{"--visits", "5"}))
}

// FuzzConfig requires that no config file breaks the program, and that what is
// accepted can be checked and turned into an engine's configuration.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"", "visits = 5", "komi = nan", "time = inf", "boardsize = \"9x13\"", "rules = '{\"ko\":\"SIMPLE\"}'", "[a]\nb=1", "a.b.c = []",
		"seed = 0xffff", "threads = -1", "log-level = 'warn'", "max-memory = 9223372036854775807", "x = 1979-05-27T07:32:00Z", "\xef\xbb\xbfvisits=1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		base := defaultSettings()
		s, err := parseConfig(data, base)
		if err != nil {
			require.Equal(t, base, s)
			return
		}
		if s.check() != nil {
			return
		}
		c, err := s.engineConfig()
		require.NoError(t, err)
		require.NoError(t, c.Size.Check())
		require.Positive(t, c.Search.Parallel.Workers)
		require.False(t, math.IsNaN(float64(c.Rules.Komi)))
		require.GreaterOrEqual(t, c.Limits.Time, time.Duration(0))
	})
}
