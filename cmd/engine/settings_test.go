package main

import (
	"io/fs"
	"math"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search/setting/tomlfile"
)

// loaded parses the flags of `engine gtp` into settings, as the command does.
func loaded(t *testing.T, args ...string) (settings, error) {
	t.Helper()
	s := defaultSettings()
	c := &cobra.Command{Use: "gtp"}
	s.networkFlags(c.Flags())
	s.playFlags(c.Flags())
	s.foreignFlags(c.Flags())
	require.NoError(t, c.ParseFlags(args))
	err := s.load(c, nil)
	return s, err
}

// TestPrecedence: the file overrides the defaults, and flags override the file.
func TestPrecedence(t *testing.T) {
	file := writeFile(t, "engine.toml", "visits = 100\nthreads = 7\nkomi = 5.5\nresign = false\nboardsize = \"13\"\n")
	s, err := loaded(t, "--config", file, "--visits", "9", "--resign")
	require.NoError(t, err)
	require.EqualValues(t, 9, s.Play.Limits.Visits)
	require.Equal(t, 7, s.Play.Search.Parallel.Workers)
	require.True(t, s.Play.Resign.Enabled)
	require.EqualValues(t, 256<<20, s.Cache, "the default")
	require.EqualValues(t, 5.5, s.Play.Rules.Komi)

	s, err = loaded(t, "--config", file, "--komi", "0")
	require.NoError(t, err)
	require.Zero(t, s.Play.Rules.Komi, "a flag that happens to be zero")

	s, err = loaded(t, "--rules", "japanese")
	require.NoError(t, err)
	require.EqualValues(t, 6.5, s.Play.Rules.Komi, "what the rules say")

	s, err = loaded(t, "--komi", "3.5", "--rules", "japanese")
	require.NoError(t, err)
	require.EqualValues(t, 3.5, s.Play.Rules.Komi, "in whatever order")

	_, err = loaded(t, "--config", "/no/such/gtp.cfg")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestKataGoKeys: a .cfg file and --override-config set values by KataGo's names, and flags
// override both. Keys that are not settings here are listed; wrong values are refused.
func TestKataGoKeys(t *testing.T) {
	cfg := writeFile(t, "gtp.cfg", "maxVisits = 100\nnumSearchThreads = 7 # by hand\nallowResignation = false\nrules = japanese\nkomi = 3\nlogDir = logs\nnumAnalysisThreads = 3\n")
	s, err := loaded(t, "--config", cfg, "--override-config", "maxVisits=50,koRule=SIMPLE,scoringRule=AREA,taxRule=NONE,multiStoneSuicideLegal=false,hasButton=false", "--override-config", "nosuch=1", "--threads", "5")
	require.NoError(t, err)
	require.EqualValues(t, 50, s.Play.Limits.Visits)
	require.Equal(t, 5, s.Play.Search.Parallel.Workers)
	require.False(t, s.Play.Resign.Enabled)
	require.Equal(t, board.KoSimple, s.Play.Rules.Ko)
	require.Equal(t, board.ScoringArea, s.Play.Rules.Scoring)
	require.Equal(t, map[string]string{"komi": "3", "logDir": "logs", "nosuch": "1", "numAnalysisThreads": "3"}, s.idle)
	for _, bad := range []string{"maxVisits=x", "maxVisits", "koRule=SIMPLE,koRule=SIMPLE", "koRule=NOSUCH"} {
		_, err := loaded(t, "--override-config", bad)
		require.Error(t, err, bad)
	}
}

func TestEngineConfig(t *testing.T) {
	s, err := loaded(t, "--visits", "50", "--playouts", "60", "--time", "1.5", "--boardsize", "9x13", "--threads", "3",
		"--ponder", "--resign=false", "--resign-threshold", "-0.5", "--lag-buffer", "0.25", "--seed", "4", "--max-memory", "32")
	require.NoError(t, err)
	c := s.engineConfig()
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

func TestLongDashes(t *testing.T) {
	require.Equal(t, []string{"analysis", "--model", "-1", "-h", "--x", "-", "--", "-model"},
		longDashes([]string{"analysis", "-model", "-1", "-h", "--x", "-", "--", "-model"}))
}

func TestWithSubcommand(t *testing.T) {
	for want, args := range map[string][]string{
		"gtp": nil, "--help": {"--help"}, "match": {"match", "--games"}, "-v": {"-v"},
	} {
		require.Equal(t, want, withSubcommand(newRoot(), args)[0])
	}
	require.Equal(t, []string{"gtp", "--visits", "5"}, withSubcommand(newRoot(), []string{"--visits", "5"}))
}

// FuzzConfig requires that no config file crashes the program, and that accepted ones can be
// checked and turned into an engine's configuration.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"", "visits = 5", "komi = nan", "time = inf", "boardsize = \"9x13\"", "rules = '{\"ko\":\"SIMPLE\"}'", "[a]\nb=1", "a.b.c = []",
		"seed = 0xffff", "threads = -1", "log-level = 'warn'", "max-memory = 9223372036854775807", "x = 1979-05-27T07:32:00Z", "\xef\xbb\xbfvisits=1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := tomlfile.Values(table, data)
		s := defaultSettings()
		if err != nil || table.Apply(&s, values, table.Set) != nil || s.check() != nil {
			return
		}
		c := s.engineConfig()
		require.NoError(t, c.Size.Check())
		require.Positive(t, c.Search.Parallel.Workers)
		require.False(t, math.IsNaN(float64(c.Rules.Komi)))
		require.GreaterOrEqual(t, c.Limits.Time, time.Duration(0))
	})
}
