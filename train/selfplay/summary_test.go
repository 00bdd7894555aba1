package selfplay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseConfig(t *testing.T) {
	c, err := ParseConfig([]byte("parallel = 3\n[search]\nvisits = 7\n"), Defaults())
	require.NoError(t, err)
	want := Defaults()
	want.Parallel, want.Search.Visits = 3, 7
	require.Equal(t, want, c)
	c, err = ParseConfig([]byte("[[boards]]\nwidth = 5\nheight = 4\nshare = 1\n"), Defaults())
	require.NoError(t, err)
	require.Equal(t, []BoardShare{{5, 4, 1}}, c.Boards, "in place of the usual one")
	_, err = ParseConfig([]byte("visits = 7\n"), Defaults())
	require.ErrorContains(t, err, "unknown key visits")
}

// TestSummary plays some games, summarises them, and finds the number of the next game.
func TestSummary(t *testing.T) {
	dir := t.TempDir()
	next, err := NextGame(dir)
	require.NoError(t, err)
	require.Zero(t, next, "nothing is there")
	c := small(Random)
	c.Opening.Forks = 0 // the length of a fork includes moves of the game that it branched from
	s, w := newSession(t, c, dir, 10)
	require.NoError(t, s.Play(t.Context(), nil, Goal{Games: 25}))
	require.NoError(t, w.Flush())
	sum := Summarise("random", s.Stats(), nil, 0)
	require.Equal(t, sum.Games, sum.Black+sum.White+sum.Draws)
	require.Positive(t, sum.GamesPerHour)
	require.Equal(t, 25, sum.Games)
	require.GreaterOrEqual(t, float64(sum.Moves), 25*sum.MeanLength-0.5, "those of games that go on count too")
	require.Zero(t, sum.Evals)
	sum = Summarise("random", s.Stats(), nil, time.Hour)
	require.InDelta(t, 25, sum.GamesPerHour, 1e-9)
	require.Contains(t, sum.Line(), "25 games (25/h)")
	var text strings.Builder
	sum.Print(&text)
	require.Contains(t, text.String(), "random: 25 games in 3600.0 s (25 an hour)")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "tdata", "ffffffffffffffff.npz"), []byte("cut"), 0o644))
	next, err = NextGame(dir)
	require.NoError(t, err)
	require.EqualValues(t, 25, next, "files that cannot be read do not count")
}
