package model

import (
	"log/slog"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/katago"
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
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

func openOnCPU(t *testing.T, path string, c Config) (*Model, *testshared.Log) {
	t.Helper()
	log := new(testshared.Log)
	c.Provider, c.Log = ort.CPU, slog.New(slog.NewTextHandler(log, nil))
	m, err := Open(path, c)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m, log
}

func answer(t *testing.T, m *Model, b nn.Backend, size board.Size) (out nn.Output) {
	t.Helper()
	spec, err := m.Spec(size)
	require.NoError(t, err)
	codec, err := nn.NewCodec(spec, size)
	require.NoError(t, err)
	scratch, q := codec.NewScratch(), &nn.Query{Game: newGame(t, size.W)}
	require.NoError(t, codec.Encode(q, 0, nn.Rows(spec.Inputs, b.Inputs(), 1)[0], scratch))
	require.NoError(t, b.Run(1))
	require.True(t, codec.Decode(q, 0, nn.Rows(spec.Outputs, b.Outputs(), 1)[0], scratch, &out))
	return out
}

func TestHalfOnTheCPU(t *testing.T) {
	loaded(t)
	path := freshNetwork(t)
	m, log := openOnCPU(t, path, Config{Precision: "fp16"})
	require.Contains(t, log.String(), "no faster")
	exact, _ := openOnCPU(t, path, Config{})
	want, err := exact.Open(small, 1)
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

// TestPrecisions: on provider cpu, precision auto means int16 if the processor has kernels for it. The
// error for an impossible precision says what to use or what is needed.
func TestPrecisions(t *testing.T) {
	loaded(t)
	isa, ok := kernel.Best()
	best := floatPrecision
	if ok && isa.Integers() {
		best = int16Precision
	}
	path := freshNetwork(t)
	exact, _ := openOnCPU(t, path, Config{})
	original, err := exact.Open(small, 2)
	require.NoError(t, err)
	defer original.Close()
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
		want, got := answer(t, exact, original, small), answer(t, m, b, small)
		require.InDelta(t, want.Value(), got.Value(), 0.005)
		if c.want == int16Precision {
			require.NotEqual(t, want.Policy, got.Policy, "it does compute in 16 bits")
		}
		require.NoError(t, b.Close())
		require.NoError(t, m.Close())
	}
}

// TestGraphIsShared: sessions of one size share a graph while one of them holds it.
func TestGraphIsShared(t *testing.T) {
	m, _ := openOnCPU(t, freshNetwork(t), Config{})
	run := kernelRunner("")
	first, err := m.graph(run, floatPrecision, small)
	require.NoError(t, err)
	again, err := m.graph(run, floatPrecision, small)
	require.NoError(t, err)
	require.Same(t, first, again)
	for _, other := range []func() (*onnx.Model, error){
		func() (*onnx.Model, error) { return m.graph(run, floatPrecision, board.Square(9)) },
		func() (*onnx.Model, error) { return m.graph(run, int16Precision, small) },
	} {
		g, err := other()
		require.NoError(t, err)
		require.NotSame(t, first, g)
	}
	runtime.KeepAlive(first)
}

// TestKernelsByName: if the environment names kernels that the processor lacks, the reason for
// choosing another runner says so.
func TestKernelsByName(t *testing.T) {
	t.Setenv(kernel.EnvISA, "avx")
	run, err := processorRunner(Config{}, nil, "")
	require.NoError(t, err)
	require.Contains(t, run.why, `KOSUMI_KERNELS is "avx"; this processor has [portable`)
}
