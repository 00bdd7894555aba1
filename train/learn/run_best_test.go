package learn

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
	"kosumi/nn/fresh"
	"kosumi/nn/nntest"
	"kosumi/train/learn/learntest"
)

// heart returns the settings of a run that learns a few games by heart.
func heart(t *testing.T, games int, share float64) RunConfig {
	c := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), games), Out: t.TempDir(), Steps: 40}.config()
	c.Learn.Batch, c.Learn.Rate, c.Learn.Average = 32, 0.02, Average{}
	c.Validation, c.CheckpointEvery, c.ValidateEvery = share, 4, 0
	return c
}

// TestBestIsExported: if the middle of a run was better on held-back rows than its end, that step
// is exported, its checkpoint is kept, and the report says so.
func TestBestIsExported(t *testing.T) {
	testshared.Long(t)
	c := heart(t, 40, 0.5)
	c.Learn = c.Learn.WithDefaults()
	run := &run{RunConfig: c, asked: c.Validation}
	require.NoError(t, run.check())
	require.NoError(t, run.open())
	defer run.close()
	run.state.Total, run.ValidateEvery = 10, 5
	require.NoError(t, run.loop(t.Context()))
	best := run.state.Best
	require.EqualValues(t, 5, best.Step)
	run.state.Total, best.Result.Loss = 40, 0 // so that no later step is better
	require.NoError(t, run.loop(t.Context()))
	end, err := run.measure(false)
	require.NoError(t, err)
	best.Result.Loss, run.state.Before.Loss = 0.9*end.Loss, 0.95*end.Loss
	r := &run.report
	r.Before = run.state.Before
	require.NoError(t, run.finish())
	require.EqualValues(t, 5, r.Exported)
	require.EqualValues(t, 5, r.Best.Step)
	require.EqualValues(t, 40, run.l.Counters().Steps)
	notes := strings.Join(r.Notes, "\n")
	require.Contains(t, notes, "the loss rose from")
	require.Contains(t, notes, "exported the weights of step 5, the best of 7 measurements")
	require.NotContains(t, notes, "too little")
	require.NotContains(t, notes, "no step was better")
	list, err := Checkpoints(filepath.Join(c.Out, CheckpointsDir))
	require.NoError(t, err)
	require.Len(t, list, KeepCheckpoints+1)
	require.Equal(t, r.Best.Step, StepOf(list[KeepCheckpoints]))
	written := []byte(testshared.Read(t, filepath.Join(c.Out, "model.onnx")))

	l, err := New(c.Learn)
	require.NoError(t, err)
	defer l.Close()
	err = l.LoadWeights(list[KeepCheckpoints])
	require.NoError(t, err)
	m, err := l.Network(false)
	require.NoError(t, err)
	want := nntest.Bytes(t, m)
	require.True(t, bytes.Equal(want, written), "it is that checkpoint's")
	var report Report
	text := []byte(testshared.Read(t, filepath.Join(c.Out, ReportFile)))
	require.NoError(t, json.Unmarshal(text, &report))
	require.Equal(t, r.Notes, report.Notes)
}

// TestTooLittleHeldBack: with few rows held back the run warns at the start and at the end, and
// exports its last step.
func TestTooLittleHeldBack(t *testing.T) {
	c := heart(t, 4, 0.01)
	var log bytes.Buffer
	c.Learn.Log = slog.New(slog.NewTextHandler(&log, nil))
	c.Steps = 30
	r := trained(t, c)
	require.Equal(t, 1, r.Held)
	require.Nil(t, r.Best)
	require.EqualValues(t, 30, r.Exported)
	require.Contains(t, strings.Join(r.Notes, "\n"), "rows of 1 game are held back: too little to judge by")
	require.Contains(t, log.String(), "rows of 1 game are held back: too little to judge by")
}

// TestMuchHeldBack: a held-back share that leaves nothing to train on is lowered, not dropped.
func TestMuchHeldBack(t *testing.T) {
	testshared.Long(t)
	c := heart(t, 20, 0.01)
	c.Steps, c.Validation = 5, 0.999
	r := trained(t, c)
	require.Greater(t, r.Held, 10)
	require.Less(t, r.Held, 20)
}

// TestWorseIsNoNetwork: a network that got worse on both held-back and training rows is not
// exported, even if its numbers are finite. An earlier export and earlier checkpoints stay.
func TestWorseIsNoNetwork(t *testing.T) {
	testshared.Long(t)
	model := filepath.Join(t.TempDir(), "mini.onnx")
	a, err := fresh.Parse("mini")
	require.NoError(t, err)
	require.NoError(t, a.On(5, 5).Write(model, 1))
	for _, share := range []float64{0.2, 0} {
		c := childRun{Model: model, Data: writeGames(t, features.Mini7, board.Square(5), 12), Out: t.TempDir(), Steps: 20}.config()
		c.Learn.Batch, c.Validation, c.ValidateEvery, c.Learn.Average = 16, share, 0, Average{}
		good := c.Learn.Rate
		first := trained(t, c)
		before := []byte(testshared.Read(t, filepath.Join(c.Out, "model.onnx")))

		c.Steps, c.Learn.Rate = 60, 1
		_, err = Run(t.Context(), c)
		require.ErrorIs(t, err, ErrDiverged)
		require.ErrorContains(t, err, "lower --lr than 1")
		after := []byte(testshared.Read(t, filepath.Join(c.Out, "model.onnx")))
		require.True(t, bytes.Equal(before, after), "what was exported stays")
		c.Steps, c.Learn.Rate = 25, good
		again := trained(t, c)
		require.EqualValues(t, 25, again.Counters.Steps)
		if share > 0 {
			require.Less(t, again.After.Loss, first.Before.Loss)
		}
	}
}

// TestAnotherRateIsTold: a run resumed with another rate, schedule or length reports the change; a
// run with other data or settings is refused, and the error names those.
func TestAnotherRateIsTold(t *testing.T) {
	testshared.Long(t)
	c := childRun{Model: learntest.FreshKataGo(t, "kb1c16"), Data: writeGames(t, features.V7, board.Square(5), 6), Out: t.TempDir(), Steps: 4}.config()
	trained(t, c)
	var log bytes.Buffer
	c.Learn.Log = slog.New(slog.NewTextHandler(&log, nil))
	c.Steps, c.Learn.Rate, c.Learn.Schedule = 6, 5e-4, Schedule{Shape: "cosine", Final: 0.1}
	r := trained(t, c)
	for _, want := range []string{"the run is one of 6 steps now; it was one of 4", "from step 4 on --lr is 0.0005; it was 0.001 before", "the schedule of the rate is cosine down to 0.1; it was constant before"} {
		require.Contains(t, strings.Join(r.Notes, "\n"), want)
		require.Contains(t, log.String(), want)
	}
	r = trained(t, c)
	require.NotContains(t, strings.Join(r.Notes, "\n"), "it was", "once")
	c.Data = append(c.Data, t.TempDir())
	_, err := Run(t.Context(), c)
	require.ErrorIs(t, err, ErrCheckpoint, "other data")
	c.Data = c.Data[:1]
	c.Steps, c.Epochs = 0, 2
	r = trained(t, c)
	require.Greater(t, r.Counters.Steps, int64(6), "epochs count now")

	c.Validation, c.WindowRows, c.MemoryBytes, c.Data = 0.3, 77, 64<<20, []string{t.TempDir()}
	_, err = Run(t.Context(), c)
	var other *SettingsError
	require.ErrorAs(t, err, &other)
	require.Equal(t, "data, validation, window, memory", other.Names())
}

func TestStateOfARun(t *testing.T) {
	require.NoError(t, (&runState{Total: 9, Held: 0.5, Best: &Mark{Step: 3}}).check())
	for _, s := range []runState{{}, {Total: -1}, {Total: 1 << 60}, {Total: 9, First: -1}, {Total: 9, Seen: -1}, {Total: 9, Measured: -1},
		{Total: 9, Held: -0.5}, {Total: 9, Best: &Mark{}}, {Total: 9, Epochs: -1}} {
		require.Error(t, s.check(), "%+v", s)
	}
	require.Equal(t, "linear down to 0.5 after 3 steps of warm-up", (&Schedule{Shape: "linear", Final: 0.5, Warmup: 3}).String())
}
