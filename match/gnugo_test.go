package match

import (
	"fmt"
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

// gnuGo returns the path of GNU Go, the opponent in real games.
func gnuGo(t *testing.T) string {
	t.Helper()
	testshared.Slow(t)
	for _, name := range []string{"gnugo", "/usr/games/gnugo"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	testshared.Absent(t, "GNU Go is not installed (package gnugo)")
	return ""
}

func TestGNUGoChinese(t *testing.T) {
	t.Parallel()
	program := gnuGo(t)
	command := func(seed int) string {
		return fmt.Sprintf("%s --mode gtp --level 1 --chinese-rules --never-resign --seed %d", program, seed)
	}
	for _, size := range []board.Size{board.Square(5), board.Square(9)} {
		t.Run(size.String(), func(t *testing.T) {
			c := Config{
				A: Program{Command: command(1), Name: "one"}, B: Program{Command: command(2)},
				Games: 4, Size: size, Rules: "chinese", Parallel: 2, Dir: t.TempDir(), MoveTimeout: time.Minute,
			}
			s := runMatch(t, c)
			require.Equal(t, 4, s.Games)
			require.Equal(t, "one", s.A.Name)
			require.Equal(t, "GNU Go", s.B.Name)
			require.Equal(t, map[Reason]int{ReasonScore: 4}, s.Reasons)
			require.Len(t, s.Warnings, 2, "GNU Go cannot be told rules: %v", s.Warnings)
			requireGames(t, c)
		})
	}
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
