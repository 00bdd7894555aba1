package learn

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/autodiff"
	"kosumi/nn/kernel"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

// randomBatch makes rows with random inputs and plausible targets.
func randomBatch(l *Learner, size board.Size, n int, seed uint64) *rows.Batch {
	rng := rand.New(rand.NewPCG(seed, 7))
	e, area := l.Encoding(), size.Area()
	b := &rows.Batch{Size: size, N: n, Wants: l.Wants(),
		Spatial: make([]float32, n*e.Planes()*area), Global: make([]float32, n*e.Globals()),
		Policy: make([]float32, n*(area+1)), Globals: make([]float32, n*rows.Targets),
	}
	for i := range b.Spatial {
		if rng.IntN(4) == 0 {
			b.Spatial[i] = 1
		}
	}
	for i := range b.Global {
		b.Global[i] = float32(rng.NormFloat64() * 0.3)
	}
	distribution := func(p []float32) {
		sum := 0.0
		for i := range p {
			p[i] = float32(math.Exp(3 * rng.NormFloat64()))
			sum += float64(p[i])
		}
		for i := range p {
			p[i] /= float32(sum)
		}
	}
	for i := range n {
		distribution(b.Policy[i*(area+1) : (i+1)*(area+1)])
		g := b.Globals[i*rows.Targets : (i+1)*rows.Targets]
		g[rng.IntN(2)] = 1
		for _, k := range []int{12, 13} {
			g[k] = 0.5
		}
		g[3] = float32(rng.NormFloat64() * 10)
		g[21], g[22] = g[3], 20
		for _, k := range []int{25, 26, 27, 28, 29} {
			g[k] = 1
		}
	}
	if b.Wants.Reply {
		b.Reply = make([]float32, n*(area+1))
		for i := range n {
			distribution(b.Reply[i*(area+1) : (i+1)*(area+1)])
		}
	}
	if b.Wants.Points {
		b.Points = make([]float32, n*rows.PointMaps*area)
		for i := range b.Points {
			b.Points[i] = float32(rng.IntN(3) - 1)
		}
	}
	return b
}

func open(t testing.TB, c Config) *Learner {
	t.Helper()
	if c.Threads == 0 {
		c.Threads = 1
	}
	l, err := New(c)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func stepped(t testing.TB, l *Learner, b *rows.Batch) Result {
	t.Helper()
	r, err := l.Step(b)
	require.NoError(t, err)
	return r
}

func evaluated(t testing.TB, l *Learner, b *rows.Batch, average bool) Result {
	t.Helper()
	r, err := l.Evaluate(b, average)
	require.NoError(t, err)
	return r
}

// bits returns everything that a learner holds, for comparison.
func bits(t *testing.T, l *Learner) map[string][]float32 {
	require.NoError(t, l.weights.fetch())
	all := map[string][]float32{}
	for _, name := range l.weights.names {
		all[name] = append([]float32{}, l.weights.data(name)...)
	}
	for name, t := range l.average {
		all[averagePrefix+name] = append([]float32{}, t.Data...)
	}
	return all
}

// TestResume: a learner resumed from a checkpoint ends with the same bits as an uninterrupted one,
// also with weights in the provider's memory, as on a GPU.
func TestResume(t *testing.T) {
	testshared.Long(t)
	for _, resident := range []bool{false, true} {
		checkResume(t, resident)
	}
}

func checkResume(t *testing.T, resident bool) {
	c := Config{Model: learntest.FreshKataGo(t, "kb1c16"), Batch: 4, Method: autodiff.AdamW, WeightDecay: 0.01, ClipNorm: 1, Rate: 1e-3, Threads: 1,
		Average: Average{Every: 8, Window: 2}, Schedule: Schedule{Warmup: 3}}
	whole := open(t, c)
	c.resident = resident
	part := open(t, c)
	dir := t.TempDir()
	batches := make([]*rows.Batch, 9)
	for i := range batches {
		batches[i] = randomBatch(whole, board.Square([]int{5, 7}[i%2]), 4, uint64(i))
	}
	for i, b := range batches {
		stepped(t, whole, b)
		if i < 5 {
			stepped(t, part, b)
		}
	}
	path, err := part.Save(dir, Extra{"mine": []byte("x")})
	require.NoError(t, err)
	require.DirExists(t, path)
	again, extra, err := Resume(dir, c)
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, Extra{"mine": []byte("x")}, extra)
	require.Equal(t, part.Counters(), again.Counters())
	for _, b := range batches[5:] {
		stepped(t, again, b)
	}
	require.Equal(t, bits(t, whole), bits(t, again))
	for _, average := range []bool{false, true} {
		want := evaluated(t, whole, batches[0], average)
		got := evaluated(t, again, batches[0], average)
		require.Equal(t, want, got)
		one, err := whole.Network(average)
		require.NoError(t, err)
		other, err := again.Network(average)
		require.NoError(t, err)
		require.Equal(t, one.Graph.Initializers, other.Graph.Initializers)
	}
	c.WeightDecay = 0.02
	_, _, err = Resume(dir, c)
	require.ErrorIs(t, err, ErrCheckpoint)
	require.ErrorContains(t, err, "weight_decay was 0.01 and is 0.02 now")
	_, _, err = Resume(t.TempDir(), c)
	require.ErrorIs(t, err, ErrNoCheckpoint)
}

// TestExport: an exported network, in KataGo's format or as ONNX, has the same losses as the
// learner that wrote it, also on a board size that it was not trained on.
func TestExport(t *testing.T) {
	l := open(t, Config{Model: learntest.FreshKataGo(t, "kb1c16"), Batch: 4, Method: autodiff.Adam, Rate: 1e-2, Aux: true})
	b := randomBatch(l, board.Square(5), 4, 1)
	for range 5 {
		stepped(t, l, b)
	}
	other := randomBatch(l, board.Size{W: 6, H: 4}, 4, 2)
	want := evaluated(t, l, other, false)
	dir := t.TempDir()
	for _, name := range []string{"out.bin.gz", "out.onnx", "out.txt"} {
		path := filepath.Join(dir, name)
		require.NoError(t, l.Export(path, "", false))
		again := open(t, Config{Model: path, Batch: 4})
		got := evaluated(t, again, other, false)
		for _, term := range got.Terms {
			require.InDelta(t, termOf(t, &want, term.Name).Mean, term.Mean, 1e-5, term.Name)
		}
	}
	mini := open(t, Config{Model: freshArch(t, "mini-b1c4", 5), Batch: 4})
	require.ErrorIs(t, mini.Export(filepath.Join(dir, "mini.bin.gz"), "", false), ErrNetwork)
	require.NoError(t, mini.Export(filepath.Join(dir, "mini.onnx"), "", false))
}

// TestKernelsAgree: training steps with convolutions by the kernels equal those by onnxruntime, up
// to rounding.
func TestKernelsAgree(t *testing.T) {
	if _, kernels := kernel.Best(); !kernels {
		t.Skip("this processor has no kernels")
	}
	names := []string{"kb2c32", "mini-b1c32"}
	if *long {
		names = append(names, "kb3c32", "kb2c64nbt-mish")
	}
	for _, name := range names {
		c := Config{Model: network(t, name, 5), Batch: 4, Method: autodiff.SGD, Rate: 1e-2, Aux: true}
		fast := open(t, c)
		c.plain = true
		plain := open(t, c)
		for i := range 3 {
			b := randomBatch(plain, board.Square(5), 4, uint64(i))
			want := stepped(t, plain, b)
			got := stepped(t, fast, b)
			require.InEpsilon(t, want.Loss, got.Loss, 1e-4, name)
			require.InEpsilon(t, want.GradNorm, got.GradNorm, 1e-3, name)
		}
		a, b := bits(t, plain), bits(t, fast)
		for w := range a {
			require.InDeltaSlice(t, a[w], b[w], 1e-3, "%s %s", name, w)
		}
	}
}
