package onnxgo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnxgo"
)

func open(_ *testing.T, model []byte, spec nn.Spec, maxBatch int) (nn.Backend, error) {
	return onnxgo.Open(model, spec, maxBatch)
}

func TestBackend(t *testing.T) { nntest.TestBackend(t, open) }

func TestFixtures(t *testing.T) { nntest.TestFixtures(t, "../../testdata/onnx", open) }

// TestRefusals: a network that cannot run is refused with the name of the operator.
func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name    string
		f       func(g G, x V) V
		message string
	}{
		{"an operator without counterpart", func(g G, x V) V { return g.Op("Erf", nil, x) }, "Erf"},
		{"groups", func(g G, x V) V {
			return g.ConvWith(x, g.w("w", 4, 1, 3, 3), "", onnx.ConvOptions{Group: 4, Pads: []int64{1, 1, 1, 1}})
		}, "groups"},
		{"uneven pads", func(g G, x V) V { return g.Conv(x, g.w("w", 4, 4, 3, 3), "", 0, 0, 1, 1) }, "Conv"},
		{"half precision", func(g G, x V) V { return g.Cast(g.Relu(g.Cast(x, onnx.Float16)), onnx.Float) }, "Cast"},
		{"softmax across channels", func(g G, x V) V { return g.Softmax(x, 1) }, "Softmax"},
		{"factors of a product", func(g G, x V) V {
			return g.Op("Gemm", onnx.Attrs{"alpha": onnx.AttrFloat(0.5)}, g.Flatten(x), g.w("w", 100, 3))
		}, "Gemm"},
		{"cubes", func(g G, x V) V { return g.Pow(x, g.Scalar(3)) }, "Pow"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := start(t, build(t, 17, []int{4, 5, 5}, tc.f), 1)
			require.Nil(t, b)
			require.ErrorIs(t, err, onnxgo.ErrOperator)
			require.ErrorContains(t, err, tc.message)
		})
	}
}

// TestUnneededIsNotLookedAt: a network runs although its file also contains unsupported nodes,
// which the outputs do not need.
func TestUnneededIsNotLookedAt(t *testing.T) {
	b := onnx.NewBuilder("two outputs", 17)
	x := b.Input("x", onnx.Float, "N", 3)
	b.Output("good", b.Relu(x))
	b.Output("bad", b.Op("Erf", nil, x))
	m := nntest.Built(t, b)
	data := nntest.Bytes(t, m)
	spec := nn.Spec{Inputs: []nn.TensorSpec{{Name: "x", Shape: []int{3}}}, Outputs: []nn.TensorSpec{{Name: "good", Shape: []int{3}}}}
	s, err := onnxgo.Open(data, spec, 2)
	require.NoError(t, err)
	defer s.Close()
	copy(s.Inputs()[0], []float32{-1, 0, 1, 2, -2, 3})
	require.NoError(t, s.Run(2))
	require.Equal(t, []float32{0, 0, 1, 2, 0, 3}, s.Outputs()[0])
}

// TestOutputsThatShare: outputs are filled in even if other nodes read them, if two are the same
// value, or if one is the input.
func TestOutputsThatShare(t *testing.T) {
	b := onnx.NewBuilder("shared", 17)
	x := b.Input("x", onnx.Float, "N", 4)
	y := b.Mul(x, b.Scalar(-1))
	b.Output("y", y)
	b.Output("again", b.Op("Identity", nil, y))
	b.Output("relu", b.Relu(b.Reshape(y, -1, 2, 2)))
	b.Output("same", b.Op("Identity", nil, x))
	m := nntest.Built(t, b)
	s, err := start(t, m, 1)
	require.NoError(t, err)
	defer s.Close()
	for _, in := range [][]float32{{1, -2, 3, -4}, {-5, 6, -7, 8}} {
		copy(s.Inputs()[0], in)
		require.NoError(t, s.Run(1))
		for i, f := range in {
			require.Equal(t, -f, s.Outputs()[0][i])
			require.Equal(t, -f, s.Outputs()[1][i])
			require.Equal(t, max(-f, 0), s.Outputs()[2][i])
			require.Equal(t, f, s.Outputs()[3][i])
		}
	}
}
