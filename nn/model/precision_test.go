package model

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/arch"
	"kosumi/nn/katago"
	"kosumi/nn/kernel"
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
		m, _ := openOnCPU(t, c.path, Config{})
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

			data, err := q.Model.Marshal()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "net.onnx")
			require.NoError(t, os.WriteFile(path, data, 0o644))
			file, _ := openOnCPU(t, path, Config{Precision: "auto"})
			b, err := file.Open(c.size, 2)
			require.NoError(t, err)
			defer b.Close()
			require.Equal(t, precision, file.Describe().Precision)
			require.ErrorIs(t, file.Serves(board.Square(13)), nn.ErrSize)
			original, err := m.OpenOriginal(c.size, 2)
			require.NoError(t, err)
			defer original.Close()
			want, got := answer(t, m, original, c.size), answer(t, file, b, c.size)
			require.InDelta(t, want.Value(), got.Value(), 0.02)
			require.InDeltaSlice(t, want.Policy[:c.size.Area()+1], got.Policy[:c.size.Area()+1], 0.01)

			_, err = file.Quantize(context.Background(), c.size, o)
			require.ErrorIs(t, err, ErrPrecision, "it was rewritten already")
			_, err = Open(path, Config{Provider: ort.CPU, Precision: "fp32"})
			require.ErrorIs(t, err, ErrPrecision)
			require.ErrorContains(t, err, "original")
		}
	}
}

// TestHalfOnTheCPU asks for fp16 by name.
func TestHalfOnTheCPU(t *testing.T) {
	library(t)
	m, log := openOnCPU(t, freshNetwork(t), Config{Precision: "fp16"})
	require.Contains(t, log.String(), "no faster")
	want, err := m.OpenOriginal(small, 1)
	require.NoError(t, err)
	defer want.Close()
	got, err := m.Open(small, 1)
	require.NoError(t, err)
	defer got.Close()
	require.Equal(t, halfPrecision, m.Describe().Precision)
	x, y := answer(t, m, want, small), answer(t, m, got, small)
	require.InDelta(t, x.Value(), y.Value(), 0.005)
	require.NotEqual(t, x.Policy, y.Policy, "it does compute in 16 bits")
}

// TestPrecisions: auto takes integers where there are kernels for them, whatever the
// network, and what cannot be done is refused by name.
func TestPrecisions(t *testing.T) {
	library(t)
	isa, ok := kernel.Best()
	best := floatPrecision
	if ok && isa.Integers() {
		best = int16Precision
	}
	path := freshNetwork(t)
	for _, c := range []struct {
		config Config
		want   string
		says   string
	}{
		{Config{Provider: ort.CPU, Precision: "auto"}, best, ""},
		{Config{Provider: ort.CPU}, floatPrecision, ""},
		{Config{Provider: ort.CPU, Precision: "fp32"}, floatPrecision, ""},
		{Config{Provider: ort.CPU, Precision: "fp16"}, halfPrecision, ""},
		{Config{Provider: OnnxGo, Precision: "auto"}, floatPrecision, ""},
		{Config{Provider: OnnxGo, Precision: "fp16"}, "", "needs onnxruntime"},
		{Config{Provider: OnnxGo, Precision: "int16"}, "", "needs the CPU"},
		{Config{Provider: ort.CPU, Precision: "int8"}, "", "engine quantize"},
		{Config{Provider: ort.CPU, Precision: "int4"}, "", "use one of auto, int16, fp32, fp16"},
	} {
		m, err := Open(path, c.config)
		if c.says != "" {
			require.ErrorIs(t, err, ErrPrecision)
			require.ErrorContains(t, err, c.says)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, m.Describe().Precision)
		b, err := m.Open(small, 2)
		require.NoError(t, err)
		original, err := m.OpenOriginal(small, 2)
		require.NoError(t, err)
		want, got := answer(t, m, original, small), answer(t, m, b, small)
		require.InDelta(t, want.Value(), got.Value(), 0.005)
		if c.want == int16Precision {
			require.NotEqual(t, want.Policy, got.Policy, "it does compute in 16 bits")
		}
		require.NoError(t, b.Close())
		require.NoError(t, original.Close())
		require.NoError(t, m.Close())
	}
}

func TestCalibrationRowsAreChecked(t *testing.T) {
	library(t)
	m, _ := openOnCPU(t, freshNetwork(t), Config{})
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
