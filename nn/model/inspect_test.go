package model

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/arch"
	"kosumi/nn/onnx"
)

func TestDescribe(t *testing.T) {
	c, err := arch.Parse("b10c128")
	require.NoError(t, err)
	m, err := arch.Build(c, 1)
	require.NoError(t, err)
	d, err := describe(m)
	require.NoError(t, err)
	require.True(t, d.Declared)
	require.Equal(t, []string{"seed", "seed22", "19x19", "softmax", "tanh"}, []string{d.Kind, d.Encoder, d.Board, d.Policy, d.Value})
	require.InDelta(t, 3.6e6, float64(d.Parameters), 0.2e6)
	require.InDelta(t, 1.13e9, float64(d.MACs), 0.05e9)
	require.Equal(t, 27, d.Operators["Conv"])
}

// TestDescribeForeign: without metadata the description follows from shapes and operators.
func TestDescribeForeign(t *testing.T) {
	read := func(name string) *onnx.Model {
		data, err := os.ReadFile("../../testdata/onnx/" + name)
		require.NoError(t, err)
		m, err := onnx.Read(data)
		require.NoError(t, err)
		return m
	}
	for name, want := range map[string][]string{
		"pytorch-dualhead-9x9.onnx":        {"dual-head", "mini7", "9x9", "log_softmax", "tanh"},
		"pytorch-dualhead-9x9-plain.onnx":  {"dual-head", "mini7", "9x9", "log_softmax", "tanh"},
		"pytorch-dualhead-9x9-dynamo.onnx": {"dual-head", "mini7", "9x9", "log_softmax", "tanh"},
		"pytorch-seed-9x9.onnx":            {"seed", "seed22", "9x9", "softmax", "tanh"},
	} {
		d, err := describe(read(name))
		require.NoError(t, err)
		require.Positive(t, d.MACs)
		require.False(t, d.Declared)
		require.Equal(t, want, []string{d.Kind, d.Encoder, d.Board, d.Policy, d.Value}, name)
	}
	m := read("pytorch-dualhead-9x9.onnx")
	m.Graph.Nodes[0].Inputs[0] = "gone"
	_, err := describe(m)
	require.ErrorIs(t, err, onnx.ErrGraph)
}
