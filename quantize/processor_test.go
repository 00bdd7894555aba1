package quantize_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/model"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
	"kosumi/nn/quant"
	"kosumi/quantize"
)

// TestFilesForOtherProcessors writes a network for processors with exact sums and
// for all: each computes the same everywhere, the first by another graph where
// sums saturate, and says so.
func TestFilesForOtherProcessors(t *testing.T) {
	m, _ := openOnCPU(t, freshNetwork(t), model.Config{})
	original, err := m.OpenOriginal(small, 1)
	require.NoError(t, err)
	defer original.Close()
	want := answer(t, m, original, small)
	for _, processor := range []quant.Processor{quant.VNNI, quant.Any} {
		q, err := quantize.Int8(t.Context(), m, small, quantize.Options{Quant: quant.Options{For: processor}, Positions: 32, Held: 32, Games: 4})
		require.NoError(t, err)
		require.Equal(t, processor.String(), q.Model.Metadata[meta.For])
		require.Less(t, q.Report.PolicyKL, 0.001, "the report is about exact sums")
		require.Less(t, q.Report.Lead, 0.1)
		data, err := q.Model.Marshal()
		require.NoError(t, err)

		for _, here := range []quant.Processor{quant.VNNI, quant.ARM64, quant.AVX2} {
			out, warning, err := quant.Fit(q.Model, here)
			require.NoError(t, err)
			if processor.Serves(here) {
				require.Empty(t, warning)
				require.Same(t, q.Model, out)
				continue
			}
			require.Contains(t, warning, "--for avx2")
			for _, c := range out.Graph.Initializers {
				require.NotEqual(t, onnx.Int8, c.Type, c.Name)
			}
		}
		if processor == quant.VNNI { // as older files are
			delete(q.Model.Metadata, meta.For)
			_, warning, err := quant.Fit(q.Model, quant.AVX2)
			require.NoError(t, err)
			require.NotEmpty(t, warning)
		}

		path := filepath.Join(t.TempDir(), "net.onnx")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		file, log := openOnCPU(t, path, model.Config{})
		if processor.Serves(quant.Here()) {
			require.Empty(t, log.String())
		} else {
			require.Contains(t, log.String(), "written for other processors")
		}
		b, err := file.Open(small, 1)
		require.NoError(t, err)
		defer b.Close()
		got := answer(t, file, b, small)
		require.InDelta(t, want.Value(), got.Value(), 0.02)
		require.InDelta(t, want.Lead, got.Lead, 0.3)
	}
}
