package quantize_test

import (
	"errors"
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
	"kosumi/nn/model"
	"kosumi/nn/ort"
	"kosumi/nn/quant"
	"kosumi/quantize"
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

func openOnCPU(t *testing.T, path string, c model.Config) (*model.Model, *testshared.Log) {
	t.Helper()
	log := new(testshared.Log)
	c.Provider, c.Log = ort.CPU, slog.New(slog.NewTextHandler(log, nil))
	m, err := model.Open(path, c)
	if errors.Is(err, model.ErrProvider) {
		testshared.Absent(t, "onnxruntime is needed: run make deps: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m, log
}

// answer evaluates the empty board.
func answer(t *testing.T, m *model.Model, b nn.Backend, size board.Size) (out nn.Output) {
	t.Helper()
	spec, err := m.Spec(size)
	require.NoError(t, err)
	g, err := board.NewGame(size, board.Chinese())
	require.NoError(t, err)
	codec, err := nn.NewCodec(spec, size)
	require.NoError(t, err)
	scratch, q := codec.NewScratch(), &nn.Query{Game: g}
	require.NoError(t, codec.Encode(q, 0, nn.Rows(spec.Inputs, b.Inputs(), 1)[0], scratch))
	require.NoError(t, b.Run(1))
	require.True(t, codec.Decode(q, 0, nn.Rows(spec.Outputs, b.Outputs(), 1)[0], scratch, &out))
	return out
}

// TestRewrittenFilesRun writes networks in int8 and fp16 as files, which have to
// be close to the original, know what they are, and run as they are.
func TestRewrittenFilesRun(t *testing.T) {
	for _, c := range []struct {
		path           string
		size           board.Size
		integer, float int
	}{
		{freshNetwork(t), small, 8, 5},
		{freshMini(t), board.Square(9), 9, 2},
	} {
		m, _ := openOnCPU(t, c.path, model.Config{})
		o := quantize.Options{Positions: 64, Held: 64, Games: 8}
		whole, err := quantize.Int8(t.Context(), m, c.size, o)
		require.NoError(t, err)
		require.Len(t, whole.Summary.Integer, c.integer, c.path)
		require.Len(t, whole.Summary.Float, c.float, "%s: %v", c.path, whole.Summary.Float)
		require.Equal(t, 64, whole.Summary.Rows)
		half, err := quantize.Half(t.Context(), m, c.size, o)
		require.NoError(t, err)
		for precision, q := range map[string]*quantize.Network{"int8": whole, "fp16": half} {
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
			file, _ := openOnCPU(t, path, model.Config{Precision: "auto"})
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

			_, err = quantize.Int8(t.Context(), file, c.size, o)
			require.ErrorIs(t, err, model.ErrPrecision, "it was rewritten already")
			_, err = model.Open(path, model.Config{Provider: ort.CPU, Precision: "fp32"})
			require.ErrorIs(t, err, model.ErrPrecision)
			require.ErrorContains(t, err, "original")
		}
	}
}

func TestCalibrationRowsAreChecked(t *testing.T) {
	m, _ := openOnCPU(t, freshNetwork(t), model.Config{})
	other, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(t, err)
	for want, o := range map[error]quantize.Options{
		nn.ErrSize:           {Calibrate: []*board.Game{other}, Verify: []*board.Game{other}},
		nn.ErrSpec:           {Rows: [][]float32{{1, 2, 3}}, Verify: []*board.Game{other}},
		quant.ErrOptions:     {Quant: quant.Options{Percentile: 2}, Positions: 8, Held: 8, Games: 2},
		quant.ErrCalibration: {Rows: hostileRows(small), Verify: []*board.Game{other}},
	} {
		_, err := quantize.Int8(t.Context(), m, small, o)
		require.ErrorIs(t, err, want)
	}
	_, err = quantize.Int8(t.Context(), m, small, quantize.Options{Rows: [][]float32{make([]float32, 22*49), make([]float32, 38)}, Verify: []*board.Game{other}})
	require.ErrorIs(t, err, nn.ErrSpec, "one row of planes, two of global values")
}

// hostileRows has a number that is none.
func hostileRows(size board.Size) [][]float32 {
	rows := [][]float32{make([]float32, 22*size.Area()), make([]float32, 19)}
	zero := float32(0)
	rows[0][5] = zero / zero
	return rows
}
