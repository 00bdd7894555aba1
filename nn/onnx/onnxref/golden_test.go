package onnxref_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

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

func load(t *testing.T, name string) *onnx.Model {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../testdata/onnx", name))
	require.NoError(t, err)
	m, err := onnx.Read(data)
	require.NoError(t, err)
	return m
}

func loadReference(t *testing.T, name string) reference {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../testdata/onnx", name))
	require.NoError(t, err)
	var r reference
	require.NoError(t, json.Unmarshal(data, &r))
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

func TestRewritesKeepWhatANetworkComputes(t *testing.T) {
	rewrites := []struct {
		name string
		do   func(t *testing.T, m *onnx.Model)
	}{
		{"batch norm folded", func(t *testing.T, m *onnx.Model) {
			require.Equal(t, 7, onnx.FoldBatchNorm(m))
			for _, n := range m.Graph.Nodes {
				require.NotEqual(t, "BatchNormalization", n.OpType)
			}
		}},
		{"batch fixed, constants folded", func(t *testing.T, m *onnx.Model) {
			require.NoError(t, onnx.SetBatch(m, onnx.D(1)))
			require.NoError(t, onnx.FoldConstants(m))
			onnx.RemoveIdentities(m.Graph)
			for _, n := range m.Graph.Nodes {
				require.NotContains(t, []string{"Shape", "Gather", "Concat", "Constant", "Unsqueeze"}, n.OpType)
			}
		}},
		{"sorted backwards", func(t *testing.T, m *onnx.Model) {
			for i, j := 0, len(m.Graph.Nodes)-1; i < j; i, j = i+1, j-1 {
				m.Graph.Nodes[i], m.Graph.Nodes[j] = m.Graph.Nodes[j], m.Graph.Nodes[i]
			}
			require.ErrorIs(t, onnx.Check(m), onnx.ErrGraph)
			require.NoError(t, m.Graph.Sort())
		}},
		{"written and read", func(t *testing.T, m *onnx.Model) {
			data, err := m.Marshal()
			require.NoError(t, err)
			again, err := onnx.Read(data)
			require.NoError(t, err)
			*m = *again
		}},
	}
	ref := loadReference(t, "pytorch-dualhead-9x9.json")
	for _, r := range rewrites {
		t.Run(r.name, func(t *testing.T) {
			m := load(t, "pytorch-dualhead-9x9-bn.onnx")
			r.do(t, m)
			require.NoError(t, onnx.Check(m))
			requireReference(t, m, ref, "policy", "value")
		})
	}
}

// TestBatchSetFree: after SetBatch an export with a fixed batch of 1 runs any batch.
func TestBatchSetFree(t *testing.T) {
	ref := loadReference(t, "pytorch-dualhead-9x9.json")
	m := load(t, "pytorch-dualhead-9x9-plain.onnx")
	require.NoError(t, onnx.SetBatch(m, onnx.Sym("N")))
	require.NoError(t, onnx.Check(m))
	require.Equal(t, onnx.Shape{onnx.Sym("N"), onnx.D(82)}, m.Graph.Outputs[0].Shape)
	var all []float32
	for _, row := range ref.rows(t, "planes") {
		all = append(all, row...)
	}
	got, err := onnxref.RunFloats(m, map[string][]float32{m.Graph.Feeds()[0].Name: all})
	require.NoError(t, err)
	for i, row := range ref.rows(t, "policy") {
		require.InDeltaSlice(t, row, got[m.Graph.Outputs[0].Name][i*82:(i+1)*82], 2e-6)
	}
}

// TestExportsComeOutAlike: with a fixed batch and simplified, the tutorial's network is a chain
// of seven kinds of nodes from any exporter.
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
