package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine/level"
	"kosumi/internal/testshared"
	"kosumi/match"
)

// gnuGo returns the command line of an opponent that always plays the same game.
func gnuGo(t testing.TB) string {
	t.Helper()
	testshared.Slow(t)
	path, err := exec.LookPath("gnugo")
	if err != nil {
		path = "/usr/games/gnugo"
	}
	if _, err := os.Stat(path); err != nil {
		testshared.Absent(t, "GNU Go is not installed (package gnugo): %v", err)
	}
	return path + " --mode gtp --level 1 --chinese-rules --never-resign --seed 1"
}

// contender returns the command line of the engine as a player of matches.
func contender(t testing.TB, visits string) string {
	return strings.Join(slices.Concat([]string{built(t), "gtp", "--log-level", "error", "--seed", "1", "--visits", visits}, frugal), " ")
}

func summaryOf(t testing.TB, o outcome) (s match.Summary, raw map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &s), o.stderr)
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &raw))
	return s, raw
}

func TestMatchWithGNUGo(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	opponent := gnuGo(t)
	for _, size := range []string{"5", "9"} {
		dir := t.TempDir()
		o := exits(t, exitDone, nil, "", "match", "--a", contender(t, "20"), "--b", opponent, "--name-b", "gnu", "--games", "2",
			"--boardsize", size, "--komi", "7.5", "--rules", "chinese", "--parallel", "2", "--out", dir, "--json",
			"--elo0", "0", "--elo1", "50")
		s, raw := summaryOf(t, o)
		for _, key := range strings.Fields("games a b draws illegal_a illegal_b crashes_a crashes_b timeouts_a timeouts_b elo elo_low elo_high sprt") {
			require.Contains(t, raw, key)
		}
		for _, side := range []string{"a", "b"} {
			for _, key := range []string{"name", "wins", "score_rate"} {
				require.Contains(t, raw[side], key)
			}
		}
		require.Equal(t, 2, s.Games)
		require.Equal(t, "Kosumi", s.A.Name)
		require.Equal(t, "gnu", s.B.Name)
		require.Equal(t, 2, s.A.Wins+s.B.Wins+s.Draws)
		require.Equal(t, match.FaultCounts{}, s.FaultCounts, "%s", o.stderr)
		records, err := filepath.Glob(filepath.Join(dir, "*.sgf"))
		require.NoError(t, err)
		require.Len(t, records, 2)
		for _, r := range records {
			text := testshared.Read(t, r)
			require.Contains(t, text, "SZ["+size+"]")
			require.Contains(t, text, "RE[")
		}
	}
}

// TestMatchResumes interrupts a match and resumes it by the same command.
func TestMatchResumes(t *testing.T) {
	testshared.Long(t)
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts to send on Windows")
	}
	opponent := gnuGo(t)
	dir := t.TempDir()
	const games = 16
	args := []string{"match", "--a", opponent, "--b", opponent, "--name-a", "one", "--name-b", "two", "--games", "16",
		"--boardsize", "5", "--rules", "chinese", "--out", dir, "--json"}
	p := start(t, nil, args...)
	p.says(t, "2 of 16:")
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	require.Equal(t, exitFailed, p.ends(t))
	require.Contains(t, p.stderr.String(), "interrupted; run the same command to resume")

	done := exits(t, exitDone, nil, "", args...)
	s, _ := summaryOf(t, done)
	require.Equal(t, games, s.Games)
	require.GreaterOrEqual(t, s.Resumed, 2)
	require.Less(t, s.Resumed, games, "the interrupt came in time")
	require.Equal(t, match.FaultCounts{}, s.FaultCounts)

	text := exits(t, exitDone, nil, "", slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--json" })...)
	require.Contains(t, text.stdout, "16 games")
	require.Contains(t, text.stdout, "Elo difference")

	lost := start(t, nil, "match", "--a", opponent, "--b", opponent, "--games", "1000", "--boardsize", "9", "--rules", "chinese", "--discard")
	lost.says(t, "1 of 1000:")
	require.NoError(t, lost.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, exitFailed, lost.ends(t))
	require.Contains(t, lost.stderr.String(), "the games are lost")
}

// TestMatchEndsWithAProgramThatDoesNotStart: a program that does not start does not lose games, but
// ends the match.
func TestMatchEndsWithAProgramThatDoesNotStart(t *testing.T) {
	good := gnuGo(t)
	t.Chdir(t.TempDir())
	o := exits(t, exitUsage, nil, "", "match", "--a", "false", "--b", good, "--games", "20", "--boardsize", "5")
	require.Contains(t, o.stderr, "program a does not start")
	require.NotContains(t, o.stdout+o.stderr, "Elo")
	o = exits(t, exitUsage, nil, "", "match", "--a", good, "--b", strings.Fields(good)[0], "--boardsize", "5") // GNU Go needs --mode gtp
	require.Contains(t, o.stderr, "program b does not start")
	require.Contains(t, o.stderr, "does not speak GTP")
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, left, "no folder without games")
}

// TestMatchKeepsItsGames: if no flag names a folder, games are kept in a folder named after the day;
// its name is printed first.
func TestMatchKeepsItsGames(t *testing.T) {
	opponent := gnuGo(t)
	t.Chdir(t.TempDir())
	play := func(more ...string) (o outcome, folders []string) {
		args := append([]string{"match", "--a", opponent, "--b", opponent, "--boardsize", "5", "--rules", "chinese"}, more...)
		o = exits(t, exitDone, nil, "", args...)
		folders, err := filepath.Glob("match-*")
		require.NoError(t, err)
		return o, folders
	}
	o, folders := play("--discard")
	require.Empty(t, folders)
	require.NotContains(t, o.stdout+o.stderr, "4000")
	o, folders = play()
	require.Len(t, folders, 1)
	require.Regexp(t, `^match-\d{4}-\d\d-\d\d$`, folders[0])
	require.True(t, strings.HasPrefix(o.stderr, "games: "+folders[0]+"\n"), o.stderr)
	require.FileExists(t, filepath.Join(folders[0], "game-00001.sgf"))
}

// TestMatchOfTheSameGames: the match warns that GNU Go plays the same game again and again on a
// small board, and says what to do about it.
func TestMatchOfTheSameGames(t *testing.T) {
	testshared.Long(t)
	opponent := gnuGo(t)
	o := exits(t, exitDone, nil, "", "match", "--a", opponent, "--b", opponent, "--games", "12", "--boardsize", "5", "--komi", "7.5", "--rules", "chinese", "--discard")
	require.Contains(t, o.stderr, "move for move")
	require.Regexp(t, `\d+ of them repeat others move for move: \d+ different games`, o.stdout)
	require.Contains(t, o.stdout, "match openings")
	require.Regexp(t, `Elo difference of \d+ different games, .* %: `, o.stdout)
}

// TestLadder: the weaker of two levels loses more points a move, and has the lower Elo. On 9x9 the
// difference of these two decides every game.
func TestLadder(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "ladder.json")
	said, err := exec.Command(program, "match", "ladder", "--boardsize", "9", "--dials", "0,25", "--games", "2", "--parallel", "2", "--anchors", "v1", "--sgf", dir, "-o", out).CombinedOutput()
	require.NoError(t, err, string(said))
	var ladders []level.Ladder
	require.NoError(t, json.Unmarshal([]byte(testshared.Read(t, out)), &ladders))
	require.Len(t, ladders, 1)
	support := ladders[0].Support
	require.Len(t, support, 2)
	require.Equal(t, 25.0, support[1].Dial)
	require.Positive(t, support[1].PointsLost)
	require.Greater(t, support[1].PointsLost, support[0].PointsLost)
	require.Less(t, support[1].Elo, support[0].Elo)
}
