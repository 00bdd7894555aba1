package onnxgo_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
	"kosumi/nn/onnxgo"
)

type testGraph struct {
	*onnx.Builder
	rng *rand.Rand
}

type (
	G = *testGraph
	V = onnx.Value
)

// w adds a weight with random numbers around zero.
func (g *testGraph) w(name string, dims ...int64) onnx.Value {
	return g.drawn(name, func() float32 { return float32(g.rng.NormFloat64()) }, dims)
}

// positive adds a weight with numbers between 0.5 and 1.5.
func (g *testGraph) positive(name string, dims ...int64) onnx.Value {
	return g.drawn(name, func() float32 { return 0.5 + g.rng.Float32() }, dims)
}

func (g *testGraph) drawn(name string, draw func() float32, dims []int64) onnx.Value {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = draw()
	}
	return g.Floats(name, data, dims...)
}

// build makes a model with input x and output y.
func build(t *testing.T, opset int64, in []int, f func(g G, x V) V) *onnx.Model {
	t.Helper()
	g := &testGraph{onnx.NewBuilder("test", opset), rand.New(rand.NewPCG(3, 4))}
	dims := []any{"N"}
	for _, d := range in {
		dims = append(dims, d)
	}
	g.Output("y", f(g, g.Input("x", onnx.Float, dims...)))
	return nntest.Built(t, g.Builder)
}

func start(t *testing.T, m *onnx.Model, maxBatch int) (nn.Backend, error) {
	t.Helper()
	return onnxgo.Open(nntest.Bytes(t, m), nntest.SpecOf(t, m), maxBatch)
}

var boardShape, rowShape = []int{3, 4, 5}, []int{7}

var rules = []struct {
	name  string
	in    []int
	opset int64
	f     func(g G, x V) V
}{
	{"relu", boardShape, 17, func(g G, x V) V { return g.Relu(x) }},
	{"tanh", boardShape, 17, func(g G, x V) V { return g.Tanh(x) }},
	{"sigmoid", boardShape, 17, func(g G, x V) V { return g.Sigmoid(x) }},
	{"exp", boardShape, 17, func(g G, x V) V { return g.Exp(x) }},
	{"softplus", boardShape, 17, func(g G, x V) V { return g.Softplus(g.Mul(x, g.Scalar(40))) }},
	{"mish in parts", boardShape, 17, func(g G, x V) V { return g.Mish(x) }},
	{"mish", boardShape, 18, func(g G, x V) V { return g.Op("Mish", nil, x) }},
	{"silu", boardShape, 17, func(g G, x V) V { return g.Mul(x, g.Sigmoid(x)) }},
	{"square", boardShape, 17, func(g G, x V) V { return g.Mul(x, x) }},
	{"x-x", boardShape, 17, func(g G, x V) V { return g.Sub(x, x) }},

	{"add a number", boardShape, 17, func(g G, x V) V { return g.Add(x, g.Scalar(3)) }},
	{"number minus", boardShape, 17, func(g G, x V) V { return g.Sub(g.Scalar(3), x) }},
	{"add per channel", boardShape, 17, func(g G, x V) V { return g.Add(x, g.w("w", 3, 1, 1)) }},
	{"mul per column", boardShape, 17, func(g G, x V) V { return g.Mul(g.w("w", 5), x) }},
	{"div per row", boardShape, 17, func(g G, x V) V { return g.Div(x, g.positive("w", 4, 1)) }},
	{"sub of a map of its own", boardShape, 17, func(g G, x V) V { return g.Sub(x, g.w("w", 1, 3, 4, 5)) }},
	{"add pooled", boardShape, 17, func(g G, x V) V { return g.Add(x, g.Op("GlobalAveragePool", nil, x)) }},
	{"expand", boardShape, 17, func(g G, x V) V { return g.Op("Expand", nil, g.Op("GlobalMaxPool", nil, x), g.Ints(1, 3, 2, 6)) }},

	{"conv 3x3", boardShape, 17, func(g G, x V) V { return g.Conv(x, g.w("w", 6, 3, 3, 3), g.w("b", 6)) }},
	{"conv 3x3 without bias", boardShape, 17, func(g G, x V) V { return g.Conv(x, g.w("w", 6, 3, 3, 3), "") }},
	{"conv 5x5", boardShape, 17, func(g G, x V) V { return g.Conv(x, g.w("w", 6, 3, 5, 5), g.w("b", 6)) }},
	{"conv 1x1", boardShape, 17, func(g G, x V) V { return g.Conv(x, g.w("w", 6, 3, 1, 1), g.w("b", 6)) }},
	{"conv 1x3", boardShape, 17, func(g G, x V) V { return g.Conv(x, g.w("w", 2, 3, 1, 3), g.w("b", 2)) }},
	{"conv 3x1", boardShape, 17, func(g G, x V) V { return g.Conv(x, g.w("w", 2, 3, 3, 1), g.w("b", 2)) }},
	{"conv without pads", boardShape, 17, func(g G, x V) V { return g.Conv(x, g.w("w", 2, 3, 3, 2), g.w("b", 2), 0, 0, 0, 0) }},
	{"conv with stride", []int{2, 9, 7}, 17, func(g G, x V) V {
		return g.ConvWith(x, g.w("w", 3, 2, 3, 3), g.w("b", 3), onnx.ConvOptions{Pads: []int64{1, 1, 1, 1}, Strides: []int64{2, 2}})
	}},
	{"conv dilated", []int{2, 9, 7}, 17, func(g G, x V) V {
		return g.ConvWith(x, g.w("w", 3, 2, 3, 3), g.w("b", 3), onnx.ConvOptions{Pads: []int64{2, 2, 2, 2}, Dilations: []int64{2, 2}})
	}},
	{"conv twice", boardShape, 17, func(g G, x V) V {
		return g.Conv(g.Relu(g.Conv(x, g.w("w", 4, 3, 3, 3), g.w("b", 4))), g.w("w2", 3, 4, 3, 3), g.w("b2", 3))
	}},
	{"norm folded", boardShape, 17, func(g G, x V) V {
		y := g.Conv(x, g.w("w", 4, 3, 3, 3), g.w("b", 4))
		return g.BatchNorm(y, g.w("s", 4), g.w("c", 4), g.w("m", 4), g.positive("v", 4), 1e-3)
	}},
	{"norm alone", boardShape, 17, func(g G, x V) V {
		return g.BatchNorm(x, g.w("s", 3), g.w("c", 3), g.w("m", 3), g.positive("v", 3), 1e-3)
	}},
	{"norm of a shared convolution", boardShape, 17, func(g G, x V) V {
		y := g.Conv(x, g.w("w", 3, 3, 3, 3), g.w("b", 3))
		return g.Add(y, g.BatchNorm(y, g.w("s", 3), g.w("c", 3), g.w("m", 3), g.positive("v", 3), 1e-3))
	}},
	{"gemm", rowShape, 17, func(g G, x V) V { return g.Gemm(x, g.w("w", 7, 4), g.w("b", 4), false) }},
	{"gemm transposed", rowShape, 17, func(g G, x V) V { return g.Gemm(x, g.w("w", 4, 7), g.w("b", 4), true) }},
	{"gemm without bias", rowShape, 17, func(g G, x V) V { return g.Gemm(x, g.w("w", 4, 7), "", true) }},
	{"gemm to one", rowShape, 17, func(g G, x V) V { return g.Gemm(x, g.w("w", 1, 7), g.w("b", 1), true) }},
	{"gemm of one", []int{1}, 17, func(g G, x V) V { return g.Gemm(x, g.w("w", 5, 1), g.w("b", 5), true) }},
	{"matmul", rowShape, 17, func(g G, x V) V { return g.MatMul(x, g.w("w", 7, 4)) }},

	{"mean", boardShape, 17, func(g G, x V) V { return g.Op("GlobalAveragePool", nil, x) }},
	{"max", boardShape, 17, func(g G, x V) V { return g.Op("GlobalMaxPool", nil, x) }},
	{"max of negatives", boardShape, 17, func(g G, x V) V { return g.Op("GlobalMaxPool", nil, g.Sub(x, g.Scalar(100))) }},
	{"reduce mean", boardShape, 17, func(g G, x V) V { return g.ReduceMean(x, false, 2, 3) }},
	{"reduce mean with axes as input", boardShape, 18, func(g G, x V) V { return g.ReduceMean(x, true, -1, -2) }},
	{"reduce max", boardShape, 17, func(g G, x V) V {
		return g.Op("ReduceMax", onnx.Attrs{"keepdims": onnx.AttrInt(0), "axes": onnx.AttrInts(2, 3)}, x)
	}},
	{"softmax", rowShape, 17, func(g G, x V) V { return g.Softmax(x, 1) }},
	{"softmax of large numbers", rowShape, 17, func(g G, x V) V { return g.Softmax(g.Mul(x, g.Scalar(300)), -1) }},
	{"log softmax", rowShape, 17, func(g G, x V) V { return g.LogSoftmax(x, -1) }},
	{"softmax in between", rowShape, 17, func(g G, x V) V { return g.Gemm(g.Softmax(x, 1), g.w("w", 4, 7), g.w("b", 4), true) }},

	{"flatten", boardShape, 17, func(g G, x V) V { return g.Flatten(g.Relu(x)) }},
	{"reshape", boardShape, 17, func(g G, x V) V { return g.Reshape(x, -1, 12, 5) }},
	{"reshape the exporter's way", boardShape, 17, func(g G, x V) V {
		n := g.Unsqueeze(g.Gather(g.Op("Shape", nil, x), g.Int(0), 0), 0)
		return g.Op("Reshape", nil, x, g.Concat(0, n, g.Ints(-1)))
	}},
	{"squeeze and unsqueeze", []int{3, 1, 1}, 17, func(g G, x V) V { return g.Unsqueeze(g.Op("Squeeze", nil, x, g.Ints(2, 3)), 1) }},
	{"concat", boardShape, 17, func(g G, x V) V { return g.Concat(1, x, g.Relu(x), x) }},
	{"concat with a constant", rowShape, 17, func(g G, x V) V { return g.Concat(-1, g.Relu(x), g.Gemm(x, g.w("w", 1, 7), g.w("b", 1), true)) }},
	{"identity", boardShape, 17, func(g G, x V) V { return g.Op("Identity", nil, x) }},
	{"residual", boardShape, 17, func(g G, x V) V {
		y := g.Relu(g.Conv(x, g.w("w", 3, 3, 3, 3), g.w("b", 3)))
		return g.Relu(g.Add(g.Conv(y, g.w("w2", 3, 3, 3, 3), g.w("b2", 3)), x))
	}},
	{"a value used three times", boardShape, 17, func(g G, x V) V {
		y := g.Add(x, g.Scalar(1))
		return g.Add(g.Mul(g.Tanh(y), g.Relu(y)), g.Sub(y, g.Exp(y)))
	}},
}

// TestRules compares each rewritten operator with package onnxref.
func TestRules(t *testing.T) {
	for _, tc := range rules {
		t.Run(tc.name, func(t *testing.T) { compare(t, build(t, tc.opset, tc.in, tc.f)) })
	}
}

// compare requires that the backend and package onnxref compute the same for several random inputs.
func compare(t *testing.T, m *onnx.Model) {
	t.Helper()
	b, err := start(t, m, 1)
	require.NoError(t, err)
	defer b.Close()
	rng := rand.New(rand.NewPCG(8, 8))
	for range 3 {
		in := map[string][]float32{}
		for i, v := range m.Graph.Feeds() {
			for j := range b.Inputs()[i] {
				b.Inputs()[i][j] = float32(rng.NormFloat64())
			}
			in[v.Name] = slices.Clone(b.Inputs()[i])
		}
		want, err := onnxref.RunFloats(m, in)
		require.NoError(t, err)
		require.NoError(t, b.Run(1))
		for i, v := range m.Graph.Feeds() {
			require.Equal(t, in[v.Name], b.Inputs()[i], "inputs stay as they are")
		}
		for i, v := range m.Graph.Outputs {
			for j, w := range want[v.Name] {
				require.InDelta(t, w, b.Outputs()[i][j], 1e-4*max(1, float64(max(w, -w))), "%s[%d]", v.Name, j)
			}
		}
	}
}
