package model

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/arch"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
	"kosumi/nn/quant"
)

var small = board.Square(7)

// freshNetwork writes a small network that serves every board.
func freshNetwork(t *testing.T) string {
	t.Helper()
	net, err := katago.Fresh("kb3c32", 1)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "fresh.bin.gz")
	require.NoError(t, katago.WriteFile(path, net))
	return path
}

// freshMini writes the tutorial's network for 9x9.
func freshMini(t *testing.T) string {
	t.Helper()
	conf, err := arch.Parse("mini")
	require.NoError(t, err)
	m, err := arch.Build(conf.On(9, 9), 1)
	require.NoError(t, err)
	data, err := m.Marshal()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "mini.onnx")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

func library(t testing.TB) {
	t.Helper()
	if _, err := ort.Load(""); err != nil {
		testshared.Absent(t, "onnxruntime is needed: run make deps: %v", err)
	}
}

func openOnCPU(t *testing.T, path string, c Config) (*Model, *testshared.Log) {
	t.Helper()
	log := new(testshared.Log)
	c.Provider, c.Log = ort.CPU, slog.New(slog.NewTextHandler(log, nil))
	m, err := Open(path, c)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m, log
}

// answer evaluates the empty board.
func answer(t *testing.T, m *Model, b nn.Backend, size board.Size) (out nn.Output) {
	t.Helper()
	spec, err := m.Spec(size)
	require.NoError(t, err)
	g, err := board.NewGame(size, board.Chinese())
	require.NoError(t, err)
	err = m.evaluate(context.Background(), b, spec, size, []*board.Game{g}, func(_ int, o *nn.Output, ok bool) {
		require.True(t, ok)
		out = *o
	})
	require.NoError(t, err)
	return out
}

// TestRewrittenFilesRun writes networks in int8 and fp16 as files, which have to
// be close to the original, know what they are, and run as they are.
func TestRewrittenFilesRun(t *testing.T) {
	library(t)
	for _, c := range []struct {
		path           string
		size           board.Size
		integer, float int
	}{
		{freshNetwork(t), small, 8, 5},
		{freshMini(t), board.Square(9), 9, 2},
	} {
		m, _ := openOnCPU(t, c.path, Config{CacheDir: "none"})
		o := QuantizeOptions{Positions: 64, Held: 64, Games: 8}
		whole, err := m.Quantize(context.Background(), c.size, o)
		require.NoError(t, err)
		require.Len(t, whole.Summary.Integer, c.integer, c.path)
		require.Len(t, whole.Summary.Float, c.float, "%s: %v", c.path, whole.Summary.Float)
		require.Equal(t, 64, whole.Summary.Rows)
		half, err := m.Half(context.Background(), c.size, o)
		require.NoError(t, err)
		for precision, q := range map[string]*Quantized{int8Precision: whole, halfPrecision: half} {
			r := q.Report
			require.Equal(t, 64, r.Positions)
			require.Zero(t, r.Unusable)
			require.Less(t, r.PolicyKL, 0.001, precision)
			require.GreaterOrEqual(t, r.PolicyKL, -1e-6)
			require.Less(t, r.Winrate, 0.005, precision)
			require.Less(t, r.Lead, 0.1, precision)
			require.Less(t, r.Ownership, 0.005, precision)
			require.Empty(t, r.fault())

			data, err := q.Model.Marshal()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "net.onnx")
			require.NoError(t, os.WriteFile(path, data, 0o644))
			file, _ := openOnCPU(t, path, Config{Precision: "auto", CacheDir: "none"})
			b, err := file.Open(c.size, 2)
			require.NoError(t, err)
			defer b.Close()
			require.Equal(t, precision, file.DescribeAt(c.size).Precision)
			require.ErrorIs(t, file.Serves(board.Square(13)), nn.ErrSize)
			original, err := m.OpenOriginal(c.size, 2)
			require.NoError(t, err)
			defer original.Close()
			want, got := answer(t, m, original, c.size), answer(t, file, b, c.size)
			require.InDelta(t, want.Value(), got.Value(), 0.02)
			require.InDeltaSlice(t, want.Policy[:c.size.Area()+1], got.Policy[:c.size.Area()+1], 0.01)

			_, err = file.Quantize(context.Background(), c.size, o)
			require.ErrorIs(t, err, ErrPrecision, "it was rewritten already")
			other, _ := openOnCPU(t, path, Config{Precision: "fp32", CacheDir: "none"})
			_, err = other.Open(c.size, 1)
			require.ErrorIs(t, err, ErrPrecision)
			require.ErrorContains(t, err, "original")
		}
	}
}

// TestHalfOnTheCPU asks for fp16 by name.
func TestHalfOnTheCPU(t *testing.T) {
	library(t)
	m, log := openOnCPU(t, freshNetwork(t), Config{Precision: "fp16", CacheDir: t.TempDir()})
	require.Contains(t, log.String(), "no faster")
	want, err := m.OpenOriginal(small, 1)
	require.NoError(t, err)
	defer want.Close()
	for range 2 { // made, then from the cache
		got, err := m.Open(small, 1)
		require.NoError(t, err)
		defer got.Close()
		require.Equal(t, halfPrecision, m.DescribeAt(small).Precision)
		x, y := answer(t, m, want, small), answer(t, m, got, small)
		require.InDelta(t, x.Value(), y.Value(), 0.005)
		require.NotEqual(t, x.Policy, y.Policy, "it does compute in 16 bits")
	}
	_, err = Open(freshNetwork(t), Config{Provider: OnnxGo, Precision: "fp16"})
	require.ErrorIs(t, err, ErrPrecision)
}

// needFastInt8 skips where auto does not even try int8.
func needFastInt8(t testing.TB) {
	t.Helper()
	library(t)
	if fastInt8() == "" {
		t.Skip("this processor has no fast 8-bit instructions, so auto stays in fp32")
	}
}

// TestAutoPreparesBehind opens at once in fp32, and comes to a verdict later that
// the next start finds.
func TestAutoPreparesBehind(t *testing.T) {
	needFastInt8(t)
	later := make(chan board.Size, 1)
	conf := Config{Precision: "auto", CacheDir: t.TempDir(), Later: func(s board.Size) { later <- s }}
	m, log := openOnCPU(t, freshNetwork(t), conf)
	precision, why, err := m.Outlook(small)
	require.NoError(t, err)
	require.Equal(t, int8Precision, precision)
	require.Contains(t, why, "first use")
	b, err := m.Open(small, 1)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.NotContains(t, log.String(), "preparing", "nobody has searched yet")
	m.Searched(small)
	m.Searched(small)
	require.Eventually(t, func() bool { // ready, or turned down for being no faster here
		return strings.Contains(log.String(), "int8 is ready") || strings.Contains(log.String(), "stays in fp32")
	}, time.Minute, 10*time.Millisecond, log)
	require.Equal(t, 1, strings.Count(log.String(), "preparing int8 for 7x7 in the background"))
	taken := floatPrecision
	if strings.Contains(log.String(), "int8 is ready") {
		require.Equal(t, small, <-later)
		taken = int8Precision
	}
	b, err = m.Open(small, 1)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.Equal(t, taken, m.DescribeAt(small).Precision)

	again, log := openOnCPU(t, freshNetwork(t), conf)
	precision, _, err = again.Outlook(small)
	require.NoError(t, err)
	require.Equal(t, taken, precision)
	b, err = again.Open(small, 1)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.Equal(t, taken, again.DescribeAt(small).Precision)
	require.NotContains(t, log.String(), "preparing", "nothing is prepared twice")
}

// TestOnePrepares starts two programs' worth of models at once with one cache:
// one of them prepares, the other waits for what it makes, or gives up waiting.
func TestOnePrepares(t *testing.T) {
	library(t)
	dir := t.TempDir()
	path := freshNetwork(t)
	var both sync.WaitGroup
	logs := make([]*testshared.Log, 2)
	for i := range logs {
		var m *Model
		m, logs[i] = openOnCPU(t, path, Config{Precision: "int8", CacheDir: dir})
		both.Go(func() {
			b, err := m.Open(small, 1)
			if assert.NoError(t, err) {
				assert.NoError(t, b.Close())
				assert.Equal(t, int8Precision, m.DescribeAt(small).Precision)
			}
		})
	}
	both.Wait()
	all := logs[0].String() + logs[1].String()
	require.Equal(t, 1, strings.Count(all, "int8 is ready"), all)

	m, _ := openOnCPU(t, path, Config{Precision: "int8", CacheDir: t.TempDir()})
	cache := m.run.(*ortRunner).cache
	free, err := cache.claim(t.Context(), m.int8Key(small), m.conf.Log)
	require.NoError(t, err)
	defer free()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, m.Prepare(ctx, small), context.DeadlineExceeded)
}

// TestInt8IsKept asks for int8 by name: it is there with the first session, and
// damage to what was kept is mended.
func TestInt8IsKept(t *testing.T) {
	library(t)
	conf := Config{Precision: "int8", CacheDir: t.TempDir()}
	m, log := openOnCPU(t, freshNetwork(t), conf)
	b, err := m.Open(small, 1)
	require.NoError(t, err)
	want := answer(t, m, b, small)
	require.NoError(t, b.Close())
	require.Equal(t, int8Precision, m.DescribeAt(small).Precision)
	require.Contains(t, log.String(), "int8 is ready")

	again, log := openOnCPU(t, freshNetwork(t), conf)
	b, err = again.Open(small, 1)
	require.NoError(t, err)
	require.Equal(t, want.Policy, answer(t, again, b, small).Policy)
	require.NoError(t, b.Close())
	require.NotContains(t, log.String(), "preparing")

	files, err := filepath.Glob(filepath.Join(conf.CacheDir, "*int8*.onnx"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, os.WriteFile(files[0], []byte("garbage"), 0o644))
	mended, log := openOnCPU(t, freshNetwork(t), conf)
	b, err = mended.Open(small, 1)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.Contains(t, log.String(), "made anew")
	require.Equal(t, int8Precision, mended.DescribeAt(small).Precision)
}

// TestAutoFallsBack has a network whose policy hangs on differences that 8 bits
// do not hold.
func TestAutoFallsBack(t *testing.T) {
	needFastInt8(t)
	net, err := katago.Fresh("kb2c16", 3)
	require.NoError(t, err)
	for i := range net.Policy.P2.Weights {
		net.Policy.P2.Weights[i] *= 1000
	}
	path := filepath.Join(t.TempDir(), "sharp.bin.gz")
	require.NoError(t, katago.WriteFile(path, net))
	conf := Config{Precision: "auto", CacheDir: t.TempDir()}
	m, log := openOnCPU(t, path, conf)
	require.NoError(t, m.Prepare(context.Background(), small))
	require.Contains(t, log.String(), "the network stays in fp32")
	require.Contains(t, log.String(), "policy KL")
	d := m.DescribeAt(small)
	require.Equal(t, floatPrecision, d.Precision)
	require.Contains(t, d.Why, "not be accurate enough")

	again, log := openOnCPU(t, path, conf)
	require.NoError(t, again.Prepare(context.Background(), small))
	require.Empty(t, log.String(), "the verdict is kept")
	require.Equal(t, d.Why, again.DescribeAt(small).Why)

	named, log := openOnCPU(t, path, Config{Precision: "int8", CacheDir: conf.CacheDir})
	require.NoError(t, named.Prepare(context.Background(), small))
	require.Equal(t, int8Precision, named.DescribeAt(small).Precision, "as asked for")
	require.Contains(t, log.String(), "auto would not")
	again, log = openOnCPU(t, path, conf)
	require.NoError(t, again.Prepare(context.Background(), small))
	require.Empty(t, log.String(), "what was prepared on demand is judged all the same")
	require.Equal(t, floatPrecision, again.DescribeAt(small).Precision)
}

// TestNothingToQuantize has a network without convolutions.
func TestNothingToQuantize(t *testing.T) {
	library(t)
	b := onnx.NewBuilder("plain", 17)
	x := b.Flatten(b.Input("x", onnx.Float, "N", 7, 5, 5))
	matrix := func(name string, out int64) onnx.Value {
		return b.Floats(name, make([]float32, 175*out), 175, out)
	}
	b.Output("p", b.MatMul(x, matrix("wp", 26)))
	b.Output("v", b.Tanh(b.MatMul(x, matrix("wv", 1))))
	net, err := b.Model(nil)
	require.NoError(t, err)
	data, err := net.Marshal()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "plain.onnx")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	size := board.Square(5)

	named, _ := openOnCPU(t, path, Config{Precision: "int8", CacheDir: "none"})
	_, err = named.Open(size, 1)
	require.ErrorIs(t, err, ErrPrecision)
	require.ErrorIs(t, err, quant.ErrNothing)
	if fastInt8() != "" {
		m, log := openOnCPU(t, path, Config{Precision: "auto", CacheDir: t.TempDir()})
		require.NoError(t, m.Prepare(context.Background(), size))
		require.Equal(t, floatPrecision, m.DescribeAt(size).Precision)
		require.Contains(t, log.String(), "worth quantizing")
	}
}

// TestPreparationEnds gives up what nobody waits for any more.
func TestPreparationEnds(t *testing.T) {
	library(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m, _ := openOnCPU(t, freshNetwork(t), Config{Precision: "int8", CacheDir: "none"})
	require.ErrorIs(t, m.Prepare(ctx, small), context.Canceled)
	require.NoError(t, m.Prepare(context.Background(), small), "it can be taken up again")
	require.NoError(t, m.Close())
	require.ErrorIs(t, m.Prepare(context.Background(), board.Square(26)), nn.ErrSize)
}

func TestCalibrationRowsAreChecked(t *testing.T) {
	library(t)
	m, _ := openOnCPU(t, freshNetwork(t), Config{CacheDir: "none"})
	other, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(t, err)
	for want, o := range map[error]QuantizeOptions{
		nn.ErrSize:           {Calibrate: []*board.Game{other}, Verify: []*board.Game{other}},
		nn.ErrSpec:           {Rows: [][]float32{{1, 2, 3}}, Verify: []*board.Game{other}},
		quant.ErrOptions:     {Quant: quant.Options{Percentile: 2}, Positions: 8, Held: 8, Games: 2},
		quant.ErrCalibration: {Rows: hostileRows(small), Verify: []*board.Game{other}},
	} {
		_, err := m.Quantize(context.Background(), small, o)
		require.ErrorIs(t, err, want)
	}
	_, err = m.Quantize(context.Background(), small, QuantizeOptions{Rows: [][]float32{make([]float32, 22*49), make([]float32, 38)}, Verify: []*board.Game{other}})
	require.ErrorIs(t, err, nn.ErrSpec, "one row of planes, two of global values")
}

// hostileRows has a number that is none.
func hostileRows(size board.Size) [][]float32 {
	rows := [][]float32{make([]float32, 22*size.Area()), make([]float32, 19)}
	zero := float32(0)
	rows[0][5] = zero / zero
	return rows
}

func TestVerdicts(t *testing.T) {
	good := &Report{Positions: 64}
	for want, v := range map[string]verdict{
		"":                {Report: good, Speedup: 1.2},
		"1.19 times":      {Report: good, Speedup: 1.19},
		"too few":         {Report: &Report{Positions: 47}, Speedup: 3},
		"accurate enough": {Report: &Report{Positions: 64, PolicyKL: 1}, Speedup: 3},
		"no convolutions": {Fault: "no convolutions"},
		"nothing":         {},
	} {
		if want == "" {
			require.Empty(t, v.against())
		}
		require.Contains(t, v.against(), want)
	}
}

func TestFaults(t *testing.T) {
	good := Report{Positions: 64, PolicyKL: 0.01, Winrate: 0.005, Lead: 0.3, HasLead: true}
	require.Empty(t, good.fault())
	zero := 0.0
	for want, change := range map[string]func(*Report){
		"policy KL":     func(r *Report) { r.PolicyKL = 0.021 },
		"winrate error": func(r *Report) { r.Winrate = 0.0101 },
		"lead error":    func(r *Report) { r.Lead = 0.61 },
		"NaN":           func(r *Report) { r.Unusable = 1 },
		"KL NaN":        func(r *Report) { r.PolicyKL = zero / zero },
	} {
		r := good
		change(&r)
		require.Contains(t, r.fault(), want)
	}
	good.Lead, good.HasLead = 9, false
	require.Empty(t, good.fault(), "a network without score")
}
