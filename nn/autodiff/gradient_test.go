package autodiff

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// opCase is one form of an operator. build returns the value to differentiate.
type opCase struct {
	name  string
	opset int64 // 0 means 17
	ins   [][]int64
	build func(b *onnx.Builder, x []onnx.Value) onnx.Value
	// draw makes an element of input i; nil draws from a normal distribution.
	draw func(i int, rng *rand.Rand) float64
}

func positive(_ int, rng *rand.Rand) float64 { return 0.5 + rng.Float64() }

type (
	B = *onnx.Builder
	V = []onnx.Value
)

func unaryCase(name string, f func(b B, x onnx.Value) onnx.Value) opCase {
	return opCase{name: name, ins: [][]int64{{3, 4}}, build: func(b B, x V) onnx.Value { return f(b, x[0]) }}
}

// apart draws from a grid of step 0.01 without 0, so that the small steps of a difference quotient
// change neither a number's sign nor which of two different numbers is larger.
func apart(_ int, rng *rand.Rand) float64 {
	return (float64(rng.IntN(400))/100 + 0.05) * float64(1-2*rng.IntN(2))
}

var opCases = []opCase{
	unaryCase("Identity", func(b B, x onnx.Value) onnx.Value { return b.Op("Identity", nil, x) }),
	unaryCase("Neg", func(b B, x onnx.Value) onnx.Value { return b.Op("Neg", nil, x) }),
	unaryCase("Exp", func(b B, x onnx.Value) onnx.Value { return b.Exp(x) }),
	unaryCase("Sin", func(b B, x onnx.Value) onnx.Value { return b.Op("Sin", nil, x) }),
	unaryCase("Cos", func(b B, x onnx.Value) onnx.Value { return b.Op("Cos", nil, x) }),
	unaryCase("Erf", func(b B, x onnx.Value) onnx.Value { return b.Op("Erf", nil, x) }),
	unaryCase("Sigmoid", func(b B, x onnx.Value) onnx.Value { return b.Sigmoid(x) }),
	unaryCase("Tanh", func(b B, x onnx.Value) onnx.Value { return b.Tanh(x) }),
	unaryCase("Softplus", func(b B, x onnx.Value) onnx.Value { return b.Softplus(x) }),
	{name: "Log", ins: [][]int64{{3, 4}}, draw: positive, build: func(b B, x V) onnx.Value { return b.Log(x[0]) }},
	{name: "Sqrt", ins: [][]int64{{3, 4}}, draw: positive, build: func(b B, x V) onnx.Value { return b.Sqrt(x[0]) }},
	{name: "Reciprocal", ins: [][]int64{{3, 4}}, draw: positive, build: func(b B, x V) onnx.Value { return b.Op("Reciprocal", nil, x[0]) }},
	{name: "Abs", ins: [][]int64{{3, 4}}, draw: apart, build: func(b B, x V) onnx.Value { return b.Op("Abs", nil, x[0]) }},
	{name: "Relu", ins: [][]int64{{3, 4}}, draw: apart, build: func(b B, x V) onnx.Value { return b.Relu(x[0]) }},
	{name: "LeakyRelu", ins: [][]int64{{3, 4}}, draw: apart, build: func(b B, x V) onnx.Value { return b.Op("LeakyRelu", onnx.Attrs{"alpha": onnx.AttrFloat(0.1)}, x[0]) }},
	{name: "Mish", opset: 18, ins: [][]int64{{3, 4}}, build: func(b B, x V) onnx.Value { return b.Op("Mish", nil, x[0]) }},
	{name: "Clip", ins: [][]int64{{5, 4}}, draw: apart, build: func(b B, x V) onnx.Value { return b.Clip(x[0], -1, 1.5) }},

	{name: "Add", ins: [][]int64{{2, 3, 4}, {3, 1}}, build: func(b B, x V) onnx.Value { return b.Add(x[0], x[1]) }},
	{name: "Add to a scalar", ins: [][]int64{{}, {2, 3}}, build: func(b B, x V) onnx.Value { return b.Add(x[0], x[1]) }},
	{name: "Sum", ins: [][]int64{{2, 3}, {3}, {2, 1}}, build: func(b B, x V) onnx.Value { return b.Op("Sum", nil, x...) }},
	{name: "Sub", ins: [][]int64{{4, 1}, {2, 1, 3}}, build: func(b B, x V) onnx.Value { return b.Sub(x[0], x[1]) }},
	{name: "Mul", ins: [][]int64{{2, 3, 4, 5}, {3, 1, 1}}, build: func(b B, x V) onnx.Value { return b.Mul(x[0], x[1]) }},
	{name: "Mul by itself", ins: [][]int64{{3, 4}}, build: func(b B, x V) onnx.Value { return b.Mul(x[0], x[0]) }},
	{name: "Div", ins: [][]int64{{2, 3}, {2, 1}}, draw: positive, build: func(b B, x V) onnx.Value { return b.Div(x[0], x[1]) }},
	{name: "Pow", ins: [][]int64{{2, 3}, {3}}, draw: positive, build: func(b B, x V) onnx.Value { return b.Pow(x[0], x[1]) }},
	{name: "Pow 2", ins: [][]int64{{2, 3}}, build: func(b B, x V) onnx.Value { return b.Pow(x[0], b.Scalar(2)) }},
	{name: "Max", ins: [][]int64{{2, 3}, {3}}, draw: apart, build: func(b B, x V) onnx.Value { return b.Max(x...) }},
	{name: "Min", ins: [][]int64{{2, 3}, {2, 1}}, draw: apart, build: func(b B, x V) onnx.Value { return b.Min(x...) }},
	{name: "Where", ins: [][]int64{{2, 3}, {3}}, build: func(b B, x V) onnx.Value {
		return b.Op("Where", nil, b.Const(onnx.NewTensor("", []bool{true, false, true, false, false, true}, 2, 3)), x[0], x[1])
	}},

	{name: "Reshape", ins: [][]int64{{2, 6}}, build: func(b B, x V) onnx.Value { return b.Reshape(x[0], 3, -1) }},
	{name: "Flatten", ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value { return b.Flatten(x[0]) }},
	{name: "Squeeze", ins: [][]int64{{2, 1, 3}}, build: func(b B, x V) onnx.Value { return b.Op("Squeeze", nil, x[0], b.Ints(1)) }},
	{name: "Unsqueeze", ins: [][]int64{{2, 3}}, build: func(b B, x V) onnx.Value { return b.Unsqueeze(x[0], 0, 3) }},
	{name: "Transpose", ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value { return b.Transpose(x[0], 2, 0, 1) }},
	{name: "Transpose by default", ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value { return b.Op("Transpose", nil, x[0]) }},
	{name: "Concat", ins: [][]int64{{2, 3}, {2, 1}, {2, 2}}, build: func(b B, x V) onnx.Value { return b.Concat(-1, x...) }},
	{name: "Slice", ins: [][]int64{{4, 5}}, build: func(b B, x V) onnx.Value { return b.Slice(x[0], 1, 1, -1) }},
	{name: "Slice of two axes", ins: [][]int64{{4, 5}}, build: func(b B, x V) onnx.Value {
		return b.SliceAxes(x[0], []int64{1, -2}, []int64{-3, 0}, []int64{99, 2}, nil)
	}},
	{name: "Slice backwards", ins: [][]int64{{4, 5}}, build: func(b B, x V) onnx.Value {
		return b.SliceAxes(x[0], []int64{0, 1}, []int64{-1, 4}, []int64{-5, 0}, []int64{-1, -2})
	}},
	{name: "Split", ins: [][]int64{{2, 6}}, build: func(b B, x V) onnx.Value {
		parts := b.Node("", "Split", 3, onnx.Attrs{"axis": onnx.AttrInt(1)}, x[0], b.Ints(1, 2, 3))
		return b.Mul(parts[0], parts[2]) // parts[1] is not used
	}},
	{name: "Expand", ins: [][]int64{{3, 1}}, build: func(b B, x V) onnx.Value { return b.Op("Expand", nil, x[0], b.Ints(2, 3, 4)) }},
	{name: "Pad", ins: [][]int64{{2, 3}}, build: func(b B, x V) onnx.Value { return b.Op("Pad", nil, x[0], b.Ints(1, 0, 0, 2)) }},
	{name: "Gather", ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value {
		return b.Gather(x[0], b.Const(onnx.NewTensor("", []int64{2, 0, -1, 2}, 2, 2)), 1)
	}},
	{name: "Gather one", ins: [][]int64{{2, 3}}, build: func(b B, x V) onnx.Value { return b.Gather(x[0], b.Int(1), 0) }},

	{name: "ReduceSum", ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value { return b.ReduceSum(x[0], false, 0, 2) }},
	{name: "ReduceSum of all", ins: [][]int64{{2, 3}}, build: func(b B, x V) onnx.Value { return b.ReduceSum(x[0], true) }},
	{name: "ReduceMean", ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value { return b.ReduceMean(x[0], true, 0, 2) }},
	{name: "ReduceMean by input", opset: 18, ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value { return b.ReduceMean(x[0], false, -1) }},
	{name: "ReduceMax", ins: [][]int64{{2, 3, 4}}, draw: apart, build: func(b B, x V) onnx.Value {
		return b.Op("ReduceMax", onnx.Attrs{"keepdims": onnx.AttrInt(0), "axes": onnx.AttrInts(1, 2)}, x[0])
	}},
	{name: "GlobalAveragePool", ins: [][]int64{{2, 3, 4, 5}}, build: func(b B, x V) onnx.Value { return b.Op("GlobalAveragePool", nil, x[0]) }},
	{name: "GlobalMaxPool", ins: [][]int64{{2, 3, 4, 5}}, draw: apart, build: func(b B, x V) onnx.Value { return b.Op("GlobalMaxPool", nil, x[0]) }},
	{name: "Softmax", ins: [][]int64{{3, 5}}, build: func(b B, x V) onnx.Value { return b.Softmax(x[0], -1) }},
	{name: "Softmax of the middle", ins: [][]int64{{2, 3, 4}}, build: func(b B, x V) onnx.Value { return b.Softmax(x[0], 1) }},
	{name: "LogSoftmax", ins: [][]int64{{3, 5}}, build: func(b B, x V) onnx.Value { return b.LogSoftmax(x[0], -1) }},
	{name: "LayerNormalization", ins: [][]int64{{2, 3, 8}, {8}, {8}}, build: func(b B, x V) onnx.Value {
		return b.Op("LayerNormalization", onnx.Attrs{"axis": onnx.AttrInt(-1), "epsilon": onnx.AttrFloat(1e-3)}, x...)
	}},
	{name: "BatchNormalization", ins: [][]int64{{2, 3, 4, 5}, {3}, {3}}, build: fixedNorm},
	{name: "BatchNormalization of rows", ins: [][]int64{{4, 3}, {3}, {3}}, build: fixedNorm},

	{name: "MatMul", ins: [][]int64{{3, 4}, {4, 5}}, build: func(b B, x V) onnx.Value { return b.MatMul(x[0], x[1]) }},
	{name: "MatMul of many rows", ins: [][]int64{{2, 3, 4}, {4, 5}}, build: func(b B, x V) onnx.Value { return b.MatMul(x[0], x[1]) }},
	{name: "MatMul of batches", ins: [][]int64{{2, 3, 4, 5}, {3, 5, 2}}, build: func(b B, x V) onnx.Value { return b.MatMul(x[0], x[1]) }},
	{name: "MatMul by batches", ins: [][]int64{{4, 5}, {3, 5, 2}}, build: func(b B, x V) onnx.Value { return b.MatMul(x[0], x[1]) }},
	gemmCase(0, 0), gemmCase(0, 1), gemmCase(1, 0), gemmCase(1, 1),

	convCase("3x3", []int64{2, 3, 5, 4}, []int64{4, 3, 3, 3}, onnx.ConvOptions{Pads: []int64{1, 1, 1, 1}}),
	convCase("1x1", []int64{2, 3, 5, 4}, []int64{4, 3, 1, 1}, onnx.ConvOptions{}),
	convCase("5x3 without padding", []int64{2, 3, 6, 7}, []int64{2, 3, 5, 3}, onnx.ConvOptions{}),
	convCase("uneven padding", []int64{2, 3, 5, 4}, []int64{4, 3, 3, 2}, onnx.ConvOptions{Pads: []int64{1, 0, 2, 1}}),
	convCase("wide padding", []int64{1, 2, 3, 4}, []int64{2, 2, 2, 2}, onnx.ConvOptions{Pads: []int64{2, 2, 2, 2}}),
	convCase("dilated", []int64{2, 2, 7, 6}, []int64{2, 2, 3, 2}, onnx.ConvOptions{Pads: []int64{2, 1, 2, 1}, Dilations: []int64{2, 3}}),
	convCase("strided", []int64{2, 2, 7, 6}, []int64{3, 2, 3, 3}, onnx.ConvOptions{Pads: []int64{1, 1, 1, 1}, Strides: []int64{2, 2}}),
	convCase("grouped", []int64{2, 4, 5, 4}, []int64{6, 2, 3, 3}, onnx.ConvOptions{Pads: []int64{1, 1, 1, 1}, Group: 2}),

	{name: "Norm of a batch", ins: [][]int64{{4, 3, 2, 2}, {3}, {3}}, build: batchNormOf},
	{name: "Norm of a batch of rows", ins: [][]int64{{4, 3}, {3}, {3}}, build: batchNormOf},
	{name: "Many uses", ins: [][]int64{{2, 3}, {3}}, build: func(b B, x V) onnx.Value {
		y := b.Mul(x[0], x[1])
		z := b.Add(b.ReduceMean(y, true, 0, 1), b.Mul(y, b.Tanh(x[0])))
		return b.Sub(b.Mul(z, z), b.Mul(z, y))
	}},
}

func fixedNorm(b B, x V) onnx.Value {
	return b.BatchNorm(x[0], x[1], x[2], b.Floats("mean", []float32{1, -2, 0.5}, 3), b.Floats("var", []float32{0.5, 2, 1}, 3), 1e-3)
}

func batchNormOf(b B, x V) onnx.Value {
	w := &writer{b: b, values: map[string]onnx.Value{"x": x[0], "g": x[1], "b": x[2]}}
	n := &onnx.Node{OpType: "BatchNormalization", Inputs: []string{"x", "g", "b", "m", "v"}, Outputs: []string{"y"}}
	if err := w.trainNorm(n, nil); err != nil {
		b.Fail("%v", err)
	}
	return w.values["y"]
}

func gemmCase(ta, tb int64) opCase {
	a, w := []int64{3, 4}, []int64{4, 5}
	name := "Gemm"
	if ta == 1 {
		a, name = []int64{4, 3}, name+" A'"
	}
	if tb == 1 {
		w, name = []int64{5, 4}, name+" B'"
	}
	return opCase{name: name, ins: [][]int64{a, w, {1, 5}}, build: func(b B, x V) onnx.Value {
		return b.Op("Gemm", onnx.Attrs{"transA": onnx.AttrInt(ta), "transB": onnx.AttrInt(tb), "alpha": onnx.AttrFloat(0.5), "beta": onnx.AttrFloat(2)}, x...)
	}}
}

func convCase(name string, x, w []int64, o onnx.ConvOptions) opCase {
	return opCase{name: "Conv " + name, ins: [][]int64{x, w, {w[0]}}, build: func(b B, v V) onnx.Value {
		return b.ConvWith(v[0], v[1], v[2], o)
	}}
}

func count(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}

// graphs returns the model of sum(r*f(x)) for random r, and the same model with its derivatives
// as outputs g0, g1, ...
func (c *opCase) graphs(t testing.TB, rng *rand.Rand) (plain, withGrads *onnx.Model, inputs map[string]*onnx.Tensor) {
	opset := c.opset
	if opset == 0 {
		opset = 17
	}
	b := onnx.NewBuilder("case", opset)
	inputs = map[string]*onnx.Tensor{}
	var xs []onnx.Value
	var names []string
	for i, dims := range c.ins {
		name := string(rune('a' + i))
		var any []any
		for _, d := range dims {
			any = append(any, d)
		}
		xs, names = append(xs, b.Input(name, onnx.Float, any...)), append(names, name)
		data := make([]float32, count(dims))
		for j := range data {
			if c.draw != nil {
				data[j] = float32(c.draw(i, rng))
			} else {
				data[j] = float32(rng.NormFloat64())
			}
		}
		inputs[name] = onnx.NewTensor(name, data, dims...)
	}
	y := c.build(b, xs)
	dims, ok := b.Shape(y).Sizes()
	require.NoError(t, b.Err())
	require.True(t, ok, "shape %v", b.Shape(y))
	weights := make([]float32, count(dims))
	for i := range weights {
		weights[i] = float32(rng.NormFloat64())
	}
	b.Output("loss", b.ReduceSum(b.Mul(y, b.Const(onnx.NewTensor("", weights, dims...))), false))
	plain = nntest.Built(t, b)
	g, grads, err := Gradients(plain, "loss", names, false)
	require.NoError(t, err)
	for i, v := range grads {
		require.NotEmpty(t, v)
		g.Output("g"+names[i], v)
	}
	return plain, nntest.Built(t, g), inputs
}

// TestGradients compares every rule with central differences, in float64.
func TestGradients(t *testing.T) {
	for _, c := range opCases {
		t.Run(c.name, func(t *testing.T) {
			worst := c.check(t, rand.New(rand.NewPCG(1, 2)))
			require.Less(t, worst, 1e-6)
			t.Logf("largest relative error %.1e", worst)
		})
	}
}

// check returns the largest difference between derivatives and difference quotients, relative to
// the input's largest derivative.
func (c *opCase) check(t testing.TB, rng *rand.Rand) float64 {
	plain, with, floats := c.graphs(t, rng)
	plain, with = onnxref.Double(plain), onnxref.Double(with)
	at := map[string][]float64{}
	for name, x := range floats {
		list, err := x.Float64s()
		require.NoError(t, err)
		at[name] = list
	}
	run := func(m *onnx.Model) map[string]*onnx.Tensor {
		ins := map[string]*onnx.Tensor{}
		for name, list := range at {
			ins[name] = onnx.NewTensor(name, list, floats[name].Dims...)
		}
		out, err := onnxref.Run(m, ins)
		require.NoError(t, err)
		return out
	}
	loss := func() float64 {
		v, err := run(plain)["loss"].Float64s()
		require.NoError(t, err)
		return v[0]
	}
	grads := run(with)
	worst := 0.0
	for name, list := range at {
		g := grads["g"+name]
		require.Equal(t, count(floats[name].Dims), count(g.Dims), name)
		require.Equal(t, append([]int64{}, floats[name].Dims...), append([]int64{}, g.Dims...), name)
		got, err := g.Float64s()
		require.NoError(t, err)
		top := 1e-3
		for _, v := range got {
			top = max(top, math.Abs(v))
		}
		for i := range list {
			const h = 1e-5
			was := list[i]
			list[i] = was + h
			up := loss()
			list[i] = was - h
			down := loss()
			list[i] = was
			worst = max(worst, math.Abs((up-down)/(2*h)-got[i])/top)
		}
	}
	return worst
}

func runDouble(t testing.TB, m *onnx.Model, inputs map[string]*onnx.Tensor) map[string]*onnx.Tensor {
	t.Helper()
	ins := map[string]*onnx.Tensor{}
	for name, v := range inputs {
		ins[name] = onnx.NewTensor(name, nntest.Floats(t, v), v.Dims...)
	}
	out, err := onnxref.Run(m, ins)
	require.NoError(t, err)
	return out
}
