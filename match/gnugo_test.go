package match

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/internal/testshared"
)

// gnuGo returns the path of GNU Go.
func gnuGo(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"gnugo", "/usr/games/gnugo"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	testshared.Absent(t, "GNU Go is not installed (package gnugo)")
	return ""
}

// TestGNUGoJapanese: under Japanese rules the result depends on which stones are dead. GNU Go's
// own count of the final position must equal ours.
func TestGNUGoJapanese(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	command := gnuGo(t) + " --mode gtp --level 1 --max-level 1 --japanese-rules --never-resign --seed "
	komi := 6.5
	c := Config{
		A: Program{Command: command + "3"}, B: Program{Command: command + "4"},
		Games: 2, Size: board.Square(9), Rules: "japanese", Komi: &komi, Dir: t.TempDir(), MoveTimeout: time.Minute,
		Openings: [][]board.Move{{{Color: board.Black, Point: 40}}},
	}
	c.Time = clock.Settings{System: clock.Canadian, Main: 5 * time.Minute, Period: time.Minute, Stones: 10}
	var results []GameResult
	c.Progress = func(p Progress) { results = append(results, *p.Game) }
	s := runMatch(t, c)
	require.Equal(t, map[Reason]int{ReasonScore: 2}, s.Reasons)
	require.Zero(t, s.Unscored)
	require.Equal(t, 1, s.Pairs[0]+s.Pairs[1]+s.Pairs[2]+s.Pairs[3]+s.Pairs[4])
	requireGames(t, c)
	for _, r := range results {
		out, err := exec.Command(gnuGo(t), "--quiet", "--japanese-rules", "--score", "aftermath",
			"-l", filepath.Join(c.Dir, r.SGF)).CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Logf("%s: %s", r.Result, out)
		winner, points, _ := strings.Cut(r.Result, "+") // a komi of 6.5 leaves half points: B+3.5
		require.Contains(t, string(out), map[string]string{"B": "Black", "W": "White"}[winner]+" wins by "+points+" points")
	}
}
