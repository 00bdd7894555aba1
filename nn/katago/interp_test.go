package katago

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// exact builds a network's exact graph for the board of a position.
func exact(t testing.TB, n *Network, c *goldenCase) *onnx.Model {
	t.Helper()
	return graphOf(t, n, Size{c.w, c.h}, FormExact)
}

func inputs(c *goldenCase) map[string][]float32 {
	return map[string][]float32{InputSpatial: c.spatial, InputGlobal: c.global, InputMeta: c.meta}
}

// interpret evaluates one position by package onnxref, which needs no library.
func interpret(t testing.TB, m *onnx.Model, c *goldenCase) rawOutputs {
	t.Helper()
	out, err := onnxref.RunFloats(m, inputs(c))
	require.NoError(t, err)
	res := rawOutputs{
		value: toFloat64(out[OutputValue]), scoreValue: toFloat64(out[OutputScoreValue]), ownership: toFloat64(out[OutputOwnership]),
	}
	area := c.w * c.h
	for i, pass := range out[OutputPass] {
		res.policy = append(res.policy, append(toFloat64(out[OutputPolicy][i*area:(i+1)*area]), float64(pass)))
	}
	return res
}
