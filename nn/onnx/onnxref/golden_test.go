package onnxref_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

type reference map[string]json.RawMessage

func (r reference) rows(t *testing.T, name string) [][]float32 {
	t.Helper()
	var rows [][]float32
	if json.Unmarshal(r[name], &rows) == nil {
		return rows
	}
	var list []float32
	rows = nil
	require.NoError(t, json.Unmarshal(r[name], &list), name)
	for _, v := range list {
		rows = append(rows, []float32{v})
	}
	return rows
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	return []byte(testshared.Read(t, filepath.Join("../../../testdata/onnx", name)))
}

func load(t *testing.T, name string) *onnx.Model {
	t.Helper()
	m, err := onnx.Read(file(t, name))
	require.NoError(t, err)
	return m
}

func loadReference(t *testing.T, name string) (r reference) {
	t.Helper()
	require.NoError(t, json.Unmarshal(file(t, name), &r))
	return r
}

func requireReference(t *testing.T, m *onnx.Model, ref reference, outputs ...string) {
	t.Helper()
	for i, row := range ref.rows(t, "planes") {
		got, err := onnxref.RunFloats(m, map[string][]float32{m.Graph.Feeds()[0].Name: row})
		require.NoError(t, err)
		for k, name := range outputs {
			require.InDeltaSlice(t, ref.rows(t, name)[i], got[m.Graph.Outputs[k].Name], 2e-6, "row %d %s", i, name)
		}
	}
}

func TestDualHeadAsPyTorchComputesIt(t *testing.T) {
	ref := loadReference(t, "pytorch-dualhead-9x9.json")
	for _, name := range []string{"", "-plain", "-bn", "-dynamo", "-latest"} {
		t.Run("exported"+name, func(t *testing.T) {
			m := load(t, "pytorch-dualhead-9x9"+name+".onnx")
			requireReference(t, m, ref, "policy", "value")
		})
	}
}

func TestFourHeadsAsPyTorchComputesThem(t *testing.T) {
	requireReference(t, load(t, "pytorch-seed-9x9.onnx"), loadReference(t, "pytorch-seed-9x9.json"),
		"policy", "value", "score", "ownership")
}

// TestExportsComeOutAlike: after SetBatch and Simplify, the tutorial's network has the same number of nodes of
// each operator, and the results of PyTorch, whichever exporter wrote the file.
func TestExportsComeOutAlike(t *testing.T) {
	ref := loadReference(t, "pytorch-dualhead-9x9.json")
	rows := ref.rows(t, "planes")
	for _, name := range []string{"", "-plain", "-bn", "-dynamo", "-latest"} {
		t.Run("exported"+name, func(t *testing.T) {
			m := load(t, "pytorch-dualhead-9x9"+name+".onnx")
			require.NoError(t, onnx.SetBatch(m, onnx.D(3)))
			require.NoError(t, onnx.Simplify(m))
			count := map[string]int{}
			for _, n := range m.Graph.Nodes {
				count[n.OpType]++
			}
			require.Equal(t, map[string]int{"Conv": 7, "Relu": 8, "Add": 2, "Reshape": 2, "Gemm": 3, "LogSoftmax": 1, "Tanh": 1}, count)
			require.Equal(t, onnx.ShapeOf(3, 82), m.Graph.Outputs[0].Shape)
			var all []float32
			for _, row := range rows {
				all = append(all, row...)
			}
			got, err := onnxref.RunFloats(m, map[string][]float32{m.Graph.Feeds()[0].Name: all})
			require.NoError(t, err)
			for i := range rows {
				require.InDeltaSlice(t, ref.rows(t, "policy")[i], got[m.Graph.Outputs[0].Name][i*82:(i+1)*82], 2e-6)
				require.InDelta(t, ref.rows(t, "value")[i][0], got[m.Graph.Outputs[1].Name][i], 2e-6)
			}
		})
	}
	m := load(t, "pytorch-dualhead-9x9.onnx")
	m.Graph.Nodes[0].Inputs[0] = "gone"
	require.Error(t, onnx.Simplify(m))
}
