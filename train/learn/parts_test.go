package learn

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/autodiff"
	"kosumi/train/learn/learntest"
)

func TestSchedule(t *testing.T) {
	for name, c := range map[string]struct {
		Schedule
		want map[int64]float64
	}{
		"constant": {Schedule{}, map[int64]float64{1: 1, 1000: 1}},
		"warm-up":  {Schedule{Warmup: 3}, map[int64]float64{1: 0.25, 2: 0.5, 3: 0.75, 4: 1, 5: 1}},
		"linear":   {Schedule{Shape: "linear", Total: 11, Final: 0.5}, map[int64]float64{1: 1, 6: 0.75, 11: 0.5, 99: 0.5}},
		"cosine":   {Schedule{Shape: "cosine", Total: 101, Warmup: 0}, map[int64]float64{1: 1, 26: (1 + math.Sqrt2/2) / 2, 51: 0.5, 101: 0}},
		"both":     {Schedule{Shape: "cosine", Total: 12, Warmup: 1, Final: 0.2}, map[int64]float64{1: 0.5, 2: 1, 7: 0.6, 12: 0.2}},
	} {
		require.NoError(t, c.Validate(), name)
		for step, want := range c.want {
			require.InDelta(t, want, c.At(step), 1e-9, "%s at %d", name, step)
		}
	}
	for _, s := range []Schedule{{Shape: "round"}, {Shape: "cosine"}, {Warmup: -1}, {Final: 2}} {
		require.Error(t, s.Validate(), "%+v", s)
	}
}

func TestFreeze(t *testing.T) {
	for name, isTrunk := range map[string]func(string) bool{
		"kb1c16": func(w string) bool {
			return strings.HasPrefix(w, "input.") || strings.HasPrefix(w, "blocks.") || strings.HasPrefix(w, "tip.")
		},
		"mini-b1c8": func(w string) bool {
			return strings.HasPrefix(w, "conv_input") || strings.HasPrefix(w, "bn_input") || strings.HasPrefix(w, "residual_blocks")
		},
	} {
		for _, freeze := range []string{"trunk", "heads"} {
			l := open(t, Config{Model: network(t, name, 5), Batch: 4, Method: autodiff.Adam, Rate: 1e-3, Freeze: freeze})
			before, err := l.Network(false)
			require.NoError(t, err)
			stepped(t, l, randomBatch(l, board.Square(5), 4, 1))
			after, err := l.Network(false)
			require.NoError(t, err)
			moved := 0
			for i, w := range before.Graph.Initializers {
				if strings.HasSuffix(w.Name, "running_mean") || strings.HasSuffix(w.Name, "running_var") {
					continue // statistics are not weights
				}
				same := string(w.Raw) == string(after.Graph.Initializers[i].Raw)
				frozen := isTrunk(w.Name) == (freeze == "trunk") || strings.HasPrefix(w.Name, "const_") || w.Type.Size() == 8
				if frozen {
					require.True(t, same, "%s, frozen %s: %s moved", name, freeze, w.Name)
				}
				if !same {
					moved++
				}
			}
			require.Positive(t, moved)
		}
	}
}

// TestRunningStatistics: training with batch statistics changes the running statistics and needs
// full batches; training with frozen statistics does not change them.
func TestRunningStatistics(t *testing.T) {
	path := freshArch(t, "mini-b1c8", 5)
	for _, norms := range []string{"auto", "frozen"} {
		l := open(t, Config{Model: path, Batch: 4, Rate: 0, Norms: norms})
		b := randomBatch(l, board.Square(5), 4, 1)
		stepped(t, l, b)
		moved := false
		for _, s := range l.stats {
			init, err := s.Init.Float32s()
			require.NoError(t, err)
			for i, v := range l.weights.data(s.Name) {
				moved = moved || v != init[i]
			}
		}
		require.Equal(t, norms == "auto", moved, norms)
		if norms == "auto" {
			b.N = 3
			_, err := l.Step(b)
			require.ErrorIs(t, err, ErrBatch)
		}
	}
}

// TestEvaluate: Evaluate gives the same terms for 37 rows, in several batches, as one step on all of
// them, and does not change the network.
func TestEvaluate(t *testing.T) {
	l := open(t, Config{Model: learntest.FreshKataGo(t, "kb1c16"), Batch: 40, Method: autodiff.Adam, Rate: 1e-3})
	b := randomBatch(l, board.Square(5), 37, 1)
	b.Globals[25] = 0 // the first row has no weight
	before := bits(t, l)
	whole := evaluated(t, l, b, false)
	require.Equal(t, before, bits(t, l))
	require.Equal(t, 37, whole.Rows)
	require.EqualValues(t, 36, termOf(t, &whole, TermPolicy).Weight)
	step := stepped(t, l, b)
	for _, want := range step.Terms {
		got := termOf(t, &whole, want.Name)
		require.InEpsilon(t, want.Weight+1, got.Weight+1, 1e-6)
		require.InDelta(t, want.Mean, got.Mean, 1e-4*max(1, math.Abs(want.Mean)), want.Name)
	}
	require.InEpsilon(t, step.Loss*40/37, whole.Loss, 1e-4)
}

func TestAverage(t *testing.T) {
	l := open(t, Config{Model: learntest.FreshKataGo(t, "kb1c16"), Batch: 2, Method: autodiff.SGD, Rate: 0.01, Average: Average{Every: 4, Window: 2}})
	name := l.params[0].Name
	var snapshots []float32
	for i := range 6 {
		stepped(t, l, randomBatch(l, board.Square(5), 2, uint64(i)))
		if i%2 == 1 {
			snapshots = append(snapshots, l.weights.data(name)[0])
		}
	}
	want := snapshots[0]
	want += (snapshots[1] - want) / 2
	want += (snapshots[2] - want) / 2
	require.Equal(t, want, l.average[name].Data[0])
	require.EqualValues(t, 3, l.Counters().Snapshots)
	m, err := l.Network(true)
	require.NoError(t, err)
	list, err := m.Graph.Initializer(name).Float32s()
	require.NoError(t, err)
	require.Equal(t, want, list[0])
}

// TestSkippedSteps: a loss that is not finite leaves the weights unchanged, and ten such losses in
// a row end the training.
func TestSkippedSteps(t *testing.T) {
	l := open(t, Config{Model: learntest.FreshKataGo(t, "kb1c16"), Batch: 2, Rate: 0.01})
	b := randomBatch(l, board.Square(5), 2, 1)
	b.Spatial[7] = float32(math.NaN())
	before := bits(t, l)
	for i := range maxSkipped {
		res, err := l.Step(b)
		require.True(t, res.Skipped)
		if i < maxSkipped-1 {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrDiverged)
		}
	}
	require.Equal(t, before, bits(t, l))
	require.EqualValues(t, maxSkipped, l.Counters().Skipped)
}

func TestBadBatches(t *testing.T) {
	l := open(t, Config{Model: freshArch(t, "mini-b1c8", 5), Batch: 2, Rate: 0.01})
	good := randomBatch(l, board.Square(5), 2, 1)
	for name, change := range map[string]func(){
		"size":   func() { good.Size = board.Square(7) },
		"empty":  func() { good.N = 0 },
		"many":   func() { good.N = 3 },
		"planes": func() { good.Spatial = good.Spatial[1:] },
		"policy": func() { good.Policy = nil },
	} {
		was := *good
		change()
		_, err := l.Step(good)
		require.ErrorIs(t, err, ErrBatch, name)
		*good = was
	}
	stepped(t, l, good)
}

// TestDeterminism: the same rows and seed give the same weights, even with two threads.
func TestDeterminism(t *testing.T) {
	c := Config{Model: learntest.FreshKataGo(t, "kb2c32"), Batch: 16, Method: autodiff.AdamW, Rate: 1e-3, Threads: 2, Aux: true}
	var first map[string][]float32
	for i := range 2 {
		l := open(t, c)
		for k := range 4 {
			stepped(t, l, randomBatch(l, board.Square(7), 16, uint64(k)))
		}
		if i == 0 {
			first = bits(t, l)
		} else {
			require.Equal(t, first, bits(t, l))
		}
	}
}

// TestTermsOfEachKind: each kind of network has exactly the listed losses and measures.
func TestTermsOfEachKind(t *testing.T) {
	for name, want := range map[string]string{
		"kb1c16":     "policy policy_entropy policy_top1 optimistic value value_entropy value_accuracy score_mean score_stdev lead variance_time value_error score_error ownership policy_kl winrate_error lead_error ownership_error",
		"kb1c16 aux": "policy policy_entropy policy_top1 optimistic reply soft_policy soft_reply value value_entropy value_accuracy td_value score_mean score_stdev lead variance_time value_error score_error ownership policy_kl winrate_error lead_error ownership_error",
		"synth-v7":   "policy policy_entropy policy_top1 value value_entropy value_accuracy score_mean score_stdev ownership policy_kl winrate_error lead_error ownership_error",
		"synth-v8":   "policy policy_entropy policy_top1 optimistic value value_entropy value_accuracy score_mean score_stdev lead variance_time value_error score_error ownership policy_kl winrate_error lead_error ownership_error",
		"mini":       "policy policy_entropy policy_top1 value value_accuracy policy_kl winrate_error",
		"b6c8":       "policy policy_entropy policy_top1 value value_accuracy score_mean ownership policy_kl winrate_error lead_error ownership_error",
	} {
		file, aux := strings.CutSuffix(name, " aux")
		l := open(t, Config{Model: network(t, file, 5), Batch: 2, Aux: aux})
		p, err := l.planner.evaluation(l.homeSize())
		require.NoError(t, err)
		var got []string
		for _, m := range p.measured {
			got = append(got, m.name)
		}
		require.Equal(t, want, strings.Join(got, " "), name)
		require.Equal(t, l.spec.Kind == nn.KindKataGo, l.KataGo())
	}
}
