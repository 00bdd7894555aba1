package loop

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/file"
	"kosumi/internal/testshared"
	"kosumi/nn/ort"
	"kosumi/sgf"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

var kills = flag.Int("kills", 3, "how often TestKilledLoopGoesOn kills the loop")

// tiny is a recipe whose iterations take a second.
const tiny = `
arch = "kb2c16"
[compute]
precision = "fp32"
sessions = 1
train_threads = 1
[bootstrap]
games = 60
rows_share = 0.2
samples = 320
[iteration]
rows = 60
[window]
min_rows = 400
taper = 100.0
max_rows = 1000
memory_mib = 16
[train]
batch = 32
ratio = 2.0
warmup_steps = 2
average_every = 64
checkpoint_seconds = 0.2
[gate]
games = 4
visits = 4
min_score = 0.0
[keep]
rows = 2.0
networks = 2
every = 0
[selfplay]
parallel = 8
[[selfplay.boards]]
width = 5
height = 5
share = 1.0
[selfplay.search]
visits = 4
considered = 4
[selfplay.rows]
share = 1.0
[[stage]]
games = 0
`

// child names an environment variable that is set in the process that TestKilledLoopGoesOn kills.
const child = "KOSUMI_LOOP_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		l, err := Open(dir, Options{})
		if err == nil {
			err = l.Run(context.Background())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKilledLoopGoesOn kills the loop at random moments and checks each time that state, rows,
// game records, networks and checkpoints agree.
func TestKilledLoopGoesOn(t *testing.T) {
	testshared.Slow(t)
	t.Parallel()
	dir := trainableLoop(t, tiny)
	rng := rand.New(rand.NewPCG(testshared.Seed(t), 0))
	stages := map[string]int{}
	var last State
	for k := range *kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), child+"="+dir)
		var log logTail
		cmd.Stderr = &log
		require.NoError(t, cmd.Start())
		time.Sleep(500*time.Millisecond + time.Duration(rng.IntN(6000))*time.Millisecond)
		require.NoError(t, cmd.Process.Kill(), log.String())
		require.ErrorContains(t, cmd.Wait(), "killed", log.String())
		last = checkFolder(t, dir, last)
		stages[last.Stage]++
		t.Logf("kill %d: iteration %d, %s, %d games, %d rows, %d samples", k+1, last.Iteration, last.Stage, last.Games, last.Rows, last.Samples)
	}
	t.Log(stages)
}

type logTail struct{ text []byte }

func (l *logTail) Write(b []byte) (int, error) { l.text = append(l.text, b...); return len(b), nil }
func (l *logTail) String() string              { return string(l.text) }

// newLoop makes the folder of a loop with a recipe.
func newLoop(t *testing.T, recipe string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "loop")
	require.NoError(t, Init(dir, []byte(recipe), false))
	return dir
}

// opened opens a loop and closes it at the end of the test.
func opened(t *testing.T, dir string, o Options) *Loop {
	t.Helper()
	l, err := Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// trainableLoop is newLoop for tests that train. It skips the test without an onnxruntime library.
func trainableLoop(t *testing.T, recipe string) string {
	t.Helper()
	dir := newLoop(t, recipe)
	l := opened(t, dir, Options{})
	defer l.Close()
	err := l.trainer.resume()
	if errors.Is(err, ort.ErrNoLibrary) {
		testshared.Absent(t, "the learner needs onnxruntime: %v", err)
	}
	require.NoError(t, err)
	return dir
}

// checkFolder opens a killed loop and checks that nothing was lost or counted twice.
func checkFolder(t *testing.T, dir string, before State) State {
	t.Helper()
	l := opened(t, dir, Options{})
	defer l.Close()
	s := *l.state
	require.GreaterOrEqual(t, s.Games, before.Games)
	require.GreaterOrEqual(t, s.Rows, before.Rows)
	require.GreaterOrEqual(t, s.Samples, before.Samples)
	require.GreaterOrEqual(t, s.Iteration, before.Iteration)

	list, bad := openRowFiles(dir, 0).list()
	require.Empty(t, bad)
	var next uint64
	hashes := map[[6]float32]string{}
	for i, d := range list {
		if i > 0 { // older files may have been removed
			require.Equal(t, next, d.First, "games are missing, or filed twice, at %s", d.Path)
		}
		next = d.First + uint64(d.Games)
		set := learntest.ReadRows(t, d.Path)
		require.Equal(t, d.Rows, set.N)
		for k := range set.N {
			require.NoError(t, set.Check(k))
			var h [6]float32
			copy(h[:], set.Globals[k*rows.Targets+41:])
			if where, ok := hashes[h]; ok {
				require.Equal(t, where, d.Path, "one game in two files")
			}
			hashes[h] = d.Path
		}
		records, err := sgf.ReadFile(filepath.Join(filepath.Dir(d.Path), "..", "sgfs", filepath.Base(d.Path[:len(d.Path)-4])+".sgfs"))
		require.NoError(t, err)
		require.Len(t, records, d.Games)
	}
	if len(list) > 0 {
		require.Equal(t, uint64(s.Games), next)
	}
	if s.Current != "" {
		require.FileExists(t, modelPath(dir, s.Arch, s.Current))
	}
	var games int64
	for _, r := range s.History {
		games = r.Games
	}
	require.LessOrEqual(t, games, s.Games)
	if s.Samples > 0 {
		require.NoError(t, l.trainer.resume())
		got := l.trainer.learner.Counters().Samples
		require.GreaterOrEqual(t, got, s.Samples)
		require.Less(t, got, s.Target+32, "trained more than was due")
	}
	return s
}

func TestOneLoopAFolder(t *testing.T) {
	dir := newLoop(t, tiny)
	require.ErrorIs(t, Init(dir, []byte(tiny), false), ErrRecipe)
	opened(t, dir, Options{})
	_, err := Open(dir, Options{})
	require.ErrorIs(t, err, file.ErrTaken)
	require.ErrorContains(t, err, dir)
}

// runLoop runs a loop for a number of games; 0 only opens it.
func runLoop(t *testing.T, dir string, games int64) *State {
	t.Helper()
	l := opened(t, dir, Options{Games: games})
	defer l.Close()
	if games > 0 {
		require.NoError(t, l.Run(t.Context()))
	}
	s := *l.state
	return &s
}

func runToFirstNetwork(t *testing.T, dir string) *State {
	t.Helper()
	s := runLoop(t, dir, 75)
	for range 10 {
		if s.Current != "" {
			break
		}
		s = runLoop(t, dir, 1)
	}
	require.NotEmpty(t, s.Current)
	return s
}

// TestHeartbeatBesideSelfplay reports progress as often as possible while files are entered into
// the state, for the race detector.
func TestHeartbeatBesideSelfplay(t *testing.T) {
	dir := newLoop(t, tiny)
	var lines []string
	l := opened(t, dir, Options{Status: func(line string) { lines = append(lines, line) }})
	l.out.beat = 50 * time.Microsecond
	require.NoError(t, l.generator.run(t.Context()))
	require.Greater(t, len(lines), 1, "no line came before the last")
	last := -1
	for _, line := range lines {
		var iteration, games, goal, moves int
		if _, err := fmt.Sscanf(line, "iteration %d: ... self-play: %d of %d games, %d moves", &iteration, &games, &goal, &moves); err != nil {
			_, tail, found := strings.Cut(line, "Black won ")
			require.True(t, found, line)
			var percent int
			_, err := fmt.Sscanf(tail, "%d %%; %d games in all", &percent, &games)
			require.NoError(t, err, line)
		}
		require.GreaterOrEqual(t, games, last, "games are not lost: %s", line)
		last = games
	}
	require.EqualValues(t, l.state.Games, last)
}

// TestLoopEndsWithItsGames: a loop plays exactly the requested number of games, even if they end within an
// iteration. If the last game completes an iteration, the loop also trains on its rows.
func TestLoopEndsWithItsGames(t *testing.T) {
	dir := trainableLoop(t, tiny)
	c, err := ParseRecipe([]byte(tiny))
	require.NoError(t, err)
	s := runLoop(t, dir, 7)
	require.EqualValues(t, 7, s.Games)
	require.Empty(t, s.Networks)
	s = runLoop(t, dir, int64(c.Bootstrap.Games-7))
	require.EqualValues(t, c.Bootstrap.Games, s.Games)
	require.Len(t, s.Networks, 1, "the games of an iteration are trained on")
	require.Equal(t, stageSelfplay, s.Stage)
	s = runLoop(t, dir, 3)
	require.EqualValues(t, c.Bootstrap.Games+3, s.Games)
}

// TestTimeEndsTraining: a time limit ends training that would take days. The state counts the
// samples up to the checkpoint that is written then, and the next run resumes from there.
func TestTimeEndsTraining(t *testing.T) {
	t.Parallel()
	const endless = 1_000_000_000
	dir := trainableLoop(t, strings.Replace(tiny, "samples = 320", fmt.Sprint("samples = ", endless), 1))
	var l *Loop
	trained := func(more int64) {
		for l == nil || l.state.Samples < more { // a run may end before its first step
			l = opened(t, dir, Options{Time: 200 * time.Millisecond})
			require.NoError(t, l.Run(t.Context()))
			require.NoError(t, l.Close())
		}
		require.Equal(t, stageTrain, l.state.Stage)
		require.Less(t, l.state.Samples, int64(endless))
		saved, err := stateOf(dir)
		require.NoError(t, err)
		require.Equal(t, l.state.Samples, saved.Samples)
	}
	trained(1)
	first := l.state.Samples
	trained(first + 1)

	// After a crash between writing the checkpoint and writing the state, the state is older.
	newest := l.state.Samples
	l.state.Samples = 0
	require.NoError(t, l.state.save(dir))
	l = opened(t, dir, Options{})
	require.Equal(t, newest, l.state.Samples)
	require.NoError(t, l.trainer.resume())
	require.Equal(t, newest, l.trainer.learner.Counters().Samples)
}

// TestProgress: every stage reports what is done, the goal and the time left; self-play and
// gating also report moves.
func TestProgress(t *testing.T) {
	testshared.Long(t)
	dir := trainableLoop(t, tiny)
	var mu sync.Mutex
	seen := map[string][]Progress{}
	l := opened(t, dir, Options{Games: 150, Progress: func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		seen[p.Stage] = append(seen[p.Stage], p)
	}})
	l.out.beat = 100 * time.Microsecond
	require.NoError(t, l.Run(t.Context()))
	for _, stage := range []string{"self-play", "training", "gating match"} {
		require.NotEmpty(t, seen[stage], stage)
		left := false
		for _, p := range seen[stage] {
			require.Positive(t, p.Goal, p.String())
			require.GreaterOrEqual(t, p.Done, int64(0), p.String())
			left = left || p.Left > 0
			if stage != "training" {
				require.Contains(t, p.Text, "moves", p.String())
			}
		}
		require.True(t, left, stage)
	}

	// A thousand of ten thousand expected moves count as a tenth of the games, though none has
	// ended.
	st := stretch{began: time.Now().Add(-time.Minute), goal: 100, moves: 10_000}
	p := st.progress(&selfplay.Stats{Moves: 1000}, 60_000)
	require.Equal(t, "self-play: 0 of 100 games, 1000 moves, 1000 evals/s, about 9m0s left", p.String())
	p = st.progress(&selfplay.Stats{Moves: 9000, Games: 80, Length: 8000}, 0)
	require.Equal(t, "self-play: 80 of 100 games, 9000 moves, 4800 games/h, about 7s left", p.String())
	p = st.progress(&selfplay.Stats{Moves: 20_000, Games: 10, Length: 200}, 0)
	require.Equal(t, "self-play: 10 of 100 games, 20000 moves, 600 games/h, about 49s left", p.String())
	st = stretch{began: time.Now().Add(-time.Minute), rows: true, before: 200, goal: 1200, moves: 2000}
	p = st.progress(&selfplay.Stats{Moves: 500}, 0)
	require.Equal(t, "self-play: 200 of 1200 rows, 0 games, 500 moves, about 3m0s left", p.String())
}
