package learn

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/autodiff"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

// childEnv is an environment variable that holds a childRun as JSON. If it is set, the test binary
// trains with that configuration and exits.
const childEnv = "KOSUMI_TEST_TRAIN"

// childRun is the configuration of a child process.
type childRun struct {
	Model, Data, Out string
	Taught           string // a second folder, which half of the batches come from; "": none
	Steps            int64
}

func (c childRun) config() RunConfig {
	conf := RunConfig{
		Learn: Config{Model: c.Model, Batch: 8, Method: autodiff.Adam, Rate: 1e-3, Threads: 1, Average: Average{Every: 24, Window: 4}},
		Data:  []string{c.Data}, Out: c.Out, Steps: c.Steps, Validation: 0.2, ValidateEvery: 20, CheckpointEvery: 4, LogEvery: 3, Seed: 5,
		Size: board.Square(5),
	}
	if c.Taught != "" {
		conf.Data, conf.Shares = append(conf.Data, c.Taught), map[string]float64{c.Taught: 0.5}
	}
	return conf
}

// teachGames writes rows of games with invented targets, as if from a teacher.
func teachGames(t testing.TB, games int) string {
	t.Helper()
	dir := writeGames(t, features.V7, board.Square(5), games)
	paths, err := rows.ListFolders(dir)()
	require.NoError(t, err)
	for _, path := range paths {
		set := learntest.ReadRows(t, path)
		for i := range set.N {
			lesson := &rows.Taught{Policy: make([]float32, 26), Value: rows.Value{Win: 0.75, Loss: 0.25, Score: float32(i % 9)}, HasScore: true, Stdev: 4, Ownership: make([]float32, 25)}
			lesson.Policy[i%26], lesson.Policy[25] = 2, 1
			require.NoError(t, set.Teach(i, lesson))
		}
		require.NoError(t, set.WriteFile(path))
	}
	return dir
}

func TestMain(m *testing.M) {
	text, ok := os.LookupEnv(childEnv)
	if !ok {
		os.Exit(m.Run())
	}
	var c childRun
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	if _, err := Run(context.Background(), c.config()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (c childRun) command(t testing.TB) *exec.Cmd {
	text, err := json.Marshal(c)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	return cmd
}

// trained returns the report of a run.
func trained(t testing.TB, c RunConfig) *Report {
	t.Helper()
	report, err := Run(t.Context(), c)
	require.NoError(t, err)
	return report
}

// TestKill kills a run on ordinary and taught rows at random moments. The run resumes each time
// and ends with the networks and metrics of an undisturbed run.
func TestKill(t *testing.T) {
	testshared.Slow(t)
	t.Parallel()
	kills := 2
	if *long {
		kills = 50
	}
	c := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), 12), Taught: teachGames(t, 8), Steps: 24}
	if *long {
		c.Steps = 60
	}
	whole := c
	whole.Out = filepath.Join(t.TempDir(), "whole")
	began := time.Now()
	require.NoError(t, whole.command(t).Run())
	took := time.Since(began)

	c.Out = filepath.Join(t.TempDir(), "killed")
	rng := rand.New(rand.NewPCG(testshared.Seed(t), 1))
	killed, rounds := 0, 0
	for {
		cmd := c.command(t)
		require.NoError(t, cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		var timer <-chan time.Time
		if killed < kills {
			timer = time.After(time.Duration(rng.Int64N(int64(took))))
		}
		select {
		case <-timer:
			_ = cmd.Process.Kill()
			<-done
			killed++
			continue
		case err := <-done:
			require.NoError(t, err, "after %d kills", killed)
		}
		rounds++
		equalRuns(t, whole.Out, c.Out)
		if killed >= kills {
			break
		}
		require.NoError(t, os.RemoveAll(c.Out)) // the run ended before the kill: try again
	}
	t.Logf("killed %d times in %d rounds", killed, rounds)
}

func equalRuns(t *testing.T, a, b string) {
	t.Helper()
	for _, name := range []string{"model.onnx", "model.bin.gz"} {
		want := []byte(testshared.Read(t, filepath.Join(a, name)))
		got := []byte(testshared.Read(t, filepath.Join(b, name)))
		require.True(t, string(want) == string(got), "%s differs", name)
	}
	want, err := ReadMetrics(filepath.Join(a, MetricsFile))
	require.NoError(t, err)
	got, err := ReadMetrics(filepath.Join(b, MetricsFile))
	require.NoError(t, err)
	for _, list := range [][]Line{want, got} {
		for i := range list {
			list[i].Speed = 0
			if list[i].Kind == "step" { // after a resumption, a line's sums begin at the checkpoint
				list[i] = Line{Kind: "step", Step: list[i].Step, Samples: list[i].Samples}
			}
		}
	}
	require.Equal(t, want, got)
	var names [2][]string
	for i, dir := range []string{a, b} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			names[i] = append(names[i], e.Name())
		}
	}
	require.Equal(t, names[0], names[1], "nothing else is left")
}

// TestRun: a whole run writes all its files; one interrupted by ^C resumes and ends with the same
// weights.
func TestRun(t *testing.T) {
	c := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), 12), Steps: 22}
	c.Out = filepath.Join(t.TempDir(), "whole")
	report := trained(t, c.config())
	require.EqualValues(t, 22, report.Counters.Steps)
	require.EqualValues(t, 176, report.Counters.Samples)
	require.Len(t, report.Files, 2)
	for _, r := range []*Result{report.Before, report.After, report.Averaged} {
		require.NotNil(t, r)
		require.Positive(t, r.Rows)
		for _, name := range []string{TermPolicy, MeasurePolicyTop1, TermValue, MeasureValueAccuracy} {
			require.Positive(t, termOf(t, r, name).Weight)
		}
	}
	before := termOf(t, report.Before, TermValue)
	require.Less(t, termOf(t, report.After, TermValue).Mean, before.Mean)
	svg := []byte(testshared.Read(t, filepath.Join(c.Out, CurvesFile)))
	require.NoError(t, xml.Unmarshal(svg, new(struct{})), "an image that browsers show")
	require.Regexp(t, `>loss<.*(?s:.*)>training<.*(?s:.*)>held back<`, string(svg))
	require.FileExists(t, filepath.Join(c.Out, ReportFile))

	other := c
	other.Out = filepath.Join(t.TempDir(), "interrupted")
	rc := other.config()
	interrupt(t, rc, 13)
	again := trained(t, other.config())
	require.Equal(t, before, termOf(t, again.Before, TermValue), "what was measured at first is kept")
	equalRuns(t, c.Out, other.Out)

	rc = other.config()
	rc.Seed++
	_, err := Run(context.Background(), rc)
	require.ErrorIs(t, err, ErrCheckpoint)
	require.ErrorContains(t, err, "seed was 5 and is 6 now")
}

// interrupt runs training until about a step, then cancels it as ^C would.
func interrupt(t testing.TB, c RunConfig, at int64) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c.Progress = func(p Progress) {
		if p.Speed == 0 {
			require.Zero(t, p.Left, "no time left without a speed")
		}
		if p.Step == at {
			stop()
		}
	}
	report, err := Run(ctx, c)
	require.NoError(t, err)
	require.True(t, report.Interrupted)
	require.Less(t, report.Counters.Steps, int64(20))
	for _, path := range report.Files {
		m, err := model.Open(path, model.Config{})
		require.NoError(t, err)
		require.NoError(t, m.Close())
	}
	require.Len(t, report.Files, 2, "the network as it is then")
}

func termOf(t testing.TB, r *Result, name string) Term {
	t.Helper()
	found, ok := r.Term(name)
	require.True(t, ok)
	return found
}

// TestBeside: other networks are measured on the held-back rows too; one that does not fit is an
// error before the first step.
func TestBeside(t *testing.T) {
	child := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), 12), Out: t.TempDir(), Steps: 6}
	c := child.config()
	c.Beside = []string{child.Model, learntest.FreshKataGo(t, "kb2c16")}
	report := trained(t, c)
	require.Len(t, report.Beside, 2)
	require.Equal(t, report.Before.Terms, report.Beside[0].Result.Terms)
	require.NotEqual(t, report.Before.Loss, report.Beside[1].Result.Loss)
	require.NotZero(t, report.Beside[1].Result.Loss)
	var text strings.Builder
	report.Print(&text)
	require.Regexp(t, `before +after +averaged +kb1c16.bin.gz +kb2c16.bin.gz\n`, text.String())

	c.Out = t.TempDir()
	c.Beside = []string{freshArch(t, "mini", 9)}
	_, err := Run(t.Context(), c)
	require.ErrorContains(t, err, "no row held back fits this network")
	c.Beside = []string{"/nowhere/at/all.bin.gz"}
	_, err = Run(t.Context(), c)
	require.ErrorContains(t, err, "--beside")
	c.Validation = 0
	_, err = Run(t.Context(), c)
	require.ErrorContains(t, err, "nothing is held back to measure other networks on")
}

// TestNewFiles: files that appear during a run are used from its next pass on, also after an
// interruption.
func TestNewFiles(t *testing.T) {
	data := writeGames(t, features.V7, board.Square(5), 4)
	c := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: data, Out: t.TempDir(), Steps: 10}.config()
	c.Validation = 0
	interrupt(t, c, 3)
	more := writeGames(t, features.V7, board.Square(5), 3)
	require.NoError(t, os.Rename(more, filepath.Join(data, "more")))
	bad := filepath.Join(data, "more", "cut.npz")
	require.NoError(t, os.WriteFile(bad, []byte("PK"), 0o644))
	c.Steps = 60
	report := trained(t, c)
	require.Contains(t, report.Skipped, bad, "it was looked into")
	require.EqualValues(t, 60, report.Counters.Steps)
}

func TestRunRefuses(t *testing.T) {
	good := childRun{Model: "net.bin.gz", Data: t.TempDir(), Out: t.TempDir(), Steps: 1}.config()
	for name, change := range map[string]func(*RunConfig){
		"no data":        func(c *RunConfig) { c.Data = nil },
		"data not there": func(c *RunConfig) { c.Data = []string{"/nowhere/at/all"} },
		"no out":         func(c *RunConfig) { c.Out = "" },
		"no steps":       func(c *RunConfig) { c.Steps = 0 },
		"share":          func(c *RunConfig) { c.Validation = 1 },
		"too much":       func(c *RunConfig) { c.Shares = map[string]float64{c.Data[0]: 1.5} },
		"too little":     func(c *RunConfig) { c.Shares = map[string]float64{c.Data[0]: 0.5} },
		"nothing left": func(c *RunConfig) {
			c.Data = append(c.Data[:1:1], c.Out)
			c.Shares = map[string]float64{c.Data[0]: 1}
		},
		"named twice": func(c *RunConfig) {
			c.Data = append(c.Data[:1:1], c.Data[0])
			c.Shares = map[string]float64{c.Data[0]: 1}
		},
		"both validations":     func(c *RunConfig) { c.Validate = c.Data },
		"validation not there": func(c *RunConfig) { c.Validation, c.Validate = 0, []string{"/nowhere/at/all"} },
		"interval":             func(c *RunConfig) { c.LogEvery = -1 },
		"batch":                func(c *RunConfig) { c.Learn.Batch = 0 },
		"rate":                 func(c *RunConfig) { c.Learn.Rate = -1 },
		"loss":                 func(c *RunConfig) { c.Learn.Losses = map[string]float64{"polcy": 1} },
		"freeze":               func(c *RunConfig) { c.Learn.Freeze = "all" },
		"norms":                func(c *RunConfig) { c.Learn.Norms = "some" },
		"schedule":             func(c *RunConfig) { c.Learn.Schedule.Shape = "cosinus" },
		"method":               func(c *RunConfig) { c.Learn.Method = "adagrad" },
	} {
		c := good
		change(&c)
		_, err := Run(context.Background(), c)
		require.ErrorIs(t, err, ErrConfig, name)
	}
}

// TestMixedRun: a run on two folders of rows is measured on a third. It cannot resume if the share of a
// folder is changed.
func TestMixedRun(t *testing.T) {
	testshared.Long(t)
	five, seven := writeGames(t, features.V7, board.Square(5), 6), writeGames(t, features.V7, board.Square(7), 6)
	child := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: five, Out: t.TempDir(), Steps: 20}
	config := func() RunConfig {
		c := child.config()
		c.Size, c.Validation = board.Size{}, 0
		c.Data = []string{five, seven}
		c.Shares, c.Validate = map[string]float64{seven: 0.3}, []string{writeGames(t, features.V7, board.Square(6), 2)}
		return c
	}
	c := config()
	report := trained(t, c)
	require.NotNil(t, report.Before)
	require.Equal(t, 2, report.Held)
	c.Shares = map[string]float64{seven: 0.4}
	_, err := Run(context.Background(), c)
	require.ErrorIs(t, err, ErrCheckpoint)
	require.ErrorContains(t, err, seven+"=0.4")
	c = config()
	c.Out, c.Validate = t.TempDir(), []string{t.TempDir()}
	_, err = Run(context.Background(), c)
	require.ErrorIs(t, err, rows.ErrNoRows)
	require.ErrorContains(t, err, c.Validate[0])
}

// TestScheduleOfARun: the rate follows its schedule in a run whose length is given in steps, and
// in one given in epochs.
func TestScheduleOfARun(t *testing.T) {
	child := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), 4), Steps: 4}
	rows := 0.0
	for i := range 4 {
		rows += float64(len(learntest.RandomGame(t, board.Square(5), uint64(i)).Turns) - 6)
	}
	for epochs, want := range map[float64]float64{0: 4, 0.5: rows / 2 / 8} {
		t.Run(fmt.Sprint(epochs), func(t *testing.T) {
			child.Out = t.TempDir()
			c := child.config()
			if c.Epochs = epochs; epochs > 0 {
				c.Steps = 0
			}
			c.Learn.Schedule, c.Learn.Rate, c.Validation, c.LogEvery = Schedule{Shape: "linear", Final: 0.5}, 0.01, 0, 1
			report := trained(t, c)
			require.InDelta(t, want, report.Counters.Steps, 1)
			lines, err := ReadMetrics(filepath.Join(child.Out, MetricsFile))
			require.NoError(t, err)
			require.InDelta(t, 0.01, lines[0].Rate, 1e-9)
			require.InDelta(t, 0.005, lines[len(lines)-1].Rate, 1e-9)
		})
	}
}

// TestFewGames: of few games at least one is held back and one trained on; a single game is
// trained on. An interrupted run resumes with the same split.
func TestFewGames(t *testing.T) {
	testshared.Long(t)
	for games := 1; games <= 6; games++ {
		child := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), games), Out: t.TempDir(), Steps: 4}
		c := child.config()
		c.Validation = 0.01
		ctx, stop := context.WithCancel(t.Context())
		c.Progress = func(p Progress) {
			if p.Step == 2 {
				stop()
			}
		}
		report, err := Run(ctx, c)
		require.NoError(t, err)
		require.True(t, report.Interrupted)
		c.Progress = nil
		report = trained(t, c)
		require.EqualValues(t, 4, report.Counters.Steps)
		if games == 1 {
			require.Nil(t, report.After)
			continue
		}
		require.NotNil(t, report.After, "%d games", games)
		require.Positive(t, report.After.Rows)
	}
}

// TestDivergence: a learning rate of 1e9 is noticed in runs of any length, and leaves neither a
// network nor a checkpoint; a sensible rate then works in the same folder.
func TestDivergence(t *testing.T) {
	testshared.Long(t)
	child := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), 12)}
	for _, steps := range []int64{2, 4, 15, 60} {
		for _, clip := range []float64{0, 10} {
			child.Out, child.Steps = t.TempDir(), steps
			c := child.config()
			good := c.Learn.Rate
			c.Learn.Rate, c.Learn.ClipNorm = 1e9, clip
			report, err := Run(t.Context(), c)
			require.ErrorIs(t, err, ErrDiverged, "%d steps, clip %g: %+v", steps, clip, report)
			require.ErrorContains(t, err, "lower --lr than 1e+09")
			for _, name := range []string{NetworkName + ".onnx", NetworkName + ".bin.gz", ReportFile} {
				require.NoFileExists(t, filepath.Join(c.Out, name))
			}
			c.Learn.Rate = good
			report = trained(t, c)
			require.EqualValues(t, steps, report.Counters.Steps)
		}
	}
}
