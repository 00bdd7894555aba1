package onnxgo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
)

// TestLoweredOperators: lowered graphs have only operators that onnx-go computes right, used as gorgonia needs.
func TestLoweredOperators(t *testing.T) {
	good := map[string]bool{"Abs": true, "Add": true, "Concat": true, "Conv": true, "Div": true, "Exp": true, "Identity": true, "Log": true,
		"MatMul": true, "MaxPool": true, "Mul": true, "Neg": true, "Relu": true, "Reshape": true, "Sigmoid": true, "Sub": true, "Tanh": true}
	size := board.Size{W: 5, H: 4}
	for _, n := range []*nntest.Network{nntest.DualHead(size, 2, 4, 1), nntest.FourHeads(size, 4, 1)} {
		file, err := onnx.Read(n.Model)
		require.NoError(t, err)
		m, err := lower(file, &n.Spec)
		require.NoError(t, err)
		require.NoError(t, onnx.Check(m))
		_, err = onnx.InferShapes(m)
		require.NoError(t, err)
		seen := map[string]bool{}
		uses := map[string]int{}
		for _, node := range m.Graph.Nodes {
			require.True(t, good[node.OpType], node.OpType)
			for i, in := range node.Inputs {
				require.NotContains(t, node.Inputs[:i], in, "a value reaches a node once")
				uses[in]++
			}
			require.False(t, seen[node.Name])
			seen[node.Name] = true
		}
		for _, node := range m.Graph.Nodes {
			if node.Is("Reshape") {
				require.Equal(t, 1, uses[node.Inputs[0]], "a reshaped value has no other reader")
			}
		}
		for _, out := range m.Graph.Outputs {
			require.Zero(t, uses[out.Name], "outputs have no readers")
		}
	}
}

// FuzzLower: any bytes give an error or a model.
func FuzzLower(f *testing.F) {
	var specs []nn.Spec
	for _, n := range []*nntest.Network{nntest.DualHead(board.Square(3), 1, 2, 1), nntest.FourHeads(board.Square(3), 2, 1)} {
		f.Add(n.Model)
		specs = append(specs, n.Spec)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for i := range specs {
			file, err := onnx.Read(data)
			if err != nil {
				return
			}
			m, err := lower(file, &specs[i])
			if err != nil {
				continue
			}
			_ = nntest.Bytes(t, m)
		}
	})
}
