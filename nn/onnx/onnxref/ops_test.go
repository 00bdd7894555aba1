package onnxref_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// f and i make float32 and int64 constants of given dimensions; without dimensions one element is
// a scalar and several are a vector.
func f(list []float32, dims ...int64) *onnx.Tensor { return tensor(list, dims) }
func i(list []int64, dims ...int64) *onnx.Tensor   { return tensor(list, dims) }

func tensor[T onnx.Number](list []T, dims []int64) *onnx.Tensor {
	if dims == nil && len(list) != 1 {
		dims = []int64{int64(len(list))}
	}
	return onnx.NewTensor("", list, dims...)
}

type (
	fs    = []float32
	is    = []int64
	attrs = onnx.Attrs
)

var (
	inf   = float32(math.Inf(1))
	board = f(fs{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3)
)

var operators = []struct {
	name  string
	op    string
	attrs attrs
	in    []*onnx.Tensor
	want  *onnx.Tensor
}{
	{"", "Relu", nil, []*onnx.Tensor{f(fs{-1, 0, 2})}, f(fs{0, 0, 2})},
	{"", "LeakyRelu", attrs{"alpha": onnx.AttrFloat(0.5)}, []*onnx.Tensor{f(fs{-4, 3})}, f(fs{-2, 3})},
	{"", "Sigmoid", nil, []*onnx.Tensor{f(fs{0, 2, -100})}, f(fs{0.5, 0.8807971, 0})},
	{"", "Tanh", nil, []*onnx.Tensor{f(fs{0, 1})}, f(fs{0, 0.7615942})},
	{"", "Softplus", nil, []*onnx.Tensor{f(fs{0, 100, -100})}, f(fs{0.6931472, 100, 0})},
	{"", "Mish", nil, []*onnx.Tensor{f(fs{1, 50, -2})}, f(fs{0.8650984, 50, -0.2525015})},
	{"", "Erf", nil, []*onnx.Tensor{f(fs{0.5})}, f(fs{0.5204999})},
	{"", "Sqrt", nil, []*onnx.Tensor{f(fs{2.25})}, f(fs{1.5})},
	{"", "Exp", nil, []*onnx.Tensor{f(fs{1})}, f(fs{2.7182817})},
	{"", "Log", nil, []*onnx.Tensor{f(fs{0})}, f(fs{-inf})},
	{"", "Neg", nil, []*onnx.Tensor{i(is{3, -4})}, i(is{-3, 4})},
	{"", "Abs", nil, []*onnx.Tensor{f(fs{-3, 4})}, f(fs{3, 4})},
	{"", "Reciprocal", nil, []*onnx.Tensor{f(fs{4})}, f(fs{0.25})},
	{"", "Sign", nil, []*onnx.Tensor{f(fs{-3, 0, 2})}, f(fs{-1, 0, 1})},
	{"", "Add", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), f(fs{10, 20})}, f(fs{11, 22, 13, 24}, 2, 2)},
	{"columns", "Sub", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), f(fs{1, 2}, 2, 1)}, f(fs{0, 1, 1, 2}, 2, 2)},
	{"outer", "Mul", nil, []*onnx.Tensor{f(fs{1, 2}, 2, 1), f(fs{3, 4}, 1, 2)}, f(fs{3, 4, 6, 8}, 2, 2)},
	{"", "Div", nil, []*onnx.Tensor{f(fs{1}), f(fs{4})}, f(fs{0.25})},
	{"integers", "Div", nil, []*onnx.Tensor{i(is{7, -7}), i(is{2})}, i(is{3, -3})},
	{"", "Pow", nil, []*onnx.Tensor{f(fs{3, 4}), f(fs{2, 0.5})}, f(fs{9, 2})},
	{"", "Max", nil, []*onnx.Tensor{f(fs{1, 5}), f(fs{3}), f(fs{2, 9})}, f(fs{3, 9})},
	{"", "Min", nil, []*onnx.Tensor{f(fs{1, 5}), f(fs{3})}, f(fs{1, 3})},
	{"", "Sum", nil, []*onnx.Tensor{f(fs{1, 5}), f(fs{3})}, f(fs{4, 8})},
	{"open below", "Clip", nil, []*onnx.Tensor{f(fs{-9, 9}), nil, f(fs{6})}, f(fs{-9, 6})},
	{"", "Greater", nil, []*onnx.Tensor{f(fs{1, 3}), f(fs{2})}, tensor([]bool{false, true}, nil)},
	{"", "Equal", nil, []*onnx.Tensor{i(is{1, 3}), i(is{3})}, tensor([]bool{false, true}, nil)},
	{"", "Not", nil, []*onnx.Tensor{tensor([]bool{false, true}, nil)}, tensor([]bool{true, false}, nil)},
	{"", "Where", nil, []*onnx.Tensor{tensor([]bool{false, true}, nil), f(fs{1}), f(fs{5, 6})}, f(fs{5, 1})},
	{"to bool", "Cast", attrs{"to": onnx.AttrInt(int64(onnx.Bool))}, []*onnx.Tensor{f(fs{0, 0.1})}, tensor([]bool{false, true}, nil)},

	{"", "Gemm", attrs{"transB": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 2}, 1, 2), f(fs{1, 2, 3, 4, 5, 6}, 3, 2), f(fs{10, 20, 30})}, f(fs{15, 31, 47}, 1, 3)},
	{"scaled", "Gemm", attrs{"transA": onnx.AttrInt(1), "alpha": onnx.AttrFloat(2), "beta": onnx.AttrFloat(0.5)},
		[]*onnx.Tensor{f(fs{1, 2}, 2, 1), f(fs{3, 4}, 2, 1), f(fs{6})}, f(fs{25}, 1, 1)},
	{"", "MatMul", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), f(fs{1, 1, 0, 2}, 2, 2)}, f(fs{1, 5, 3, 11}, 2, 2)},
	{"batches", "MatMul", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 1, 2), f(fs{1, 10}, 2, 1)}, f(fs{21, 43}, 2, 1, 1)},
	{"vectors", "MatMul", nil, []*onnx.Tensor{f(fs{1, 2}), f(fs{3, 4})}, f(fs{11})},
	{"", "Softmax", nil, []*onnx.Tensor{f(fs{0, float32(math.Log(3)), 1000, 1000}, 2, 2)}, f(fs{0.25, 0.75, 0.5, 0.5}, 2, 2)},
	{"first axis", "Softmax", attrs{"axis": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{0, 1, 0, 1}, 2, 2)}, f(fs{0.5, 0.5, 0.5, 0.5}, 2, 2)},
	{"", "LogSoftmax", nil, []*onnx.Tensor{f(fs{0, float32(math.Log(3))}, 1, 2)}, f(fs{-1.3862944, -0.2876821}, 1, 2)},
	{"", "BatchNormalization", attrs{"epsilon": onnx.AttrFloat(0)}, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 1, 2, 2, 1), f(fs{2, 1}), f(fs{0, 5}), f(fs{1, 3}), f(fs{4, 0.25})},
		f(fs{0, 1, 5, 7}, 1, 2, 2, 1)},
	{"", "LayerNormalization", attrs{"epsilon": onnx.AttrFloat(0)}, []*onnx.Tensor{f(fs{1, 3, 5, 5.5}, 2, 2), f(fs{1, 2}), f(fs{0, 1})}, f(fs{-1, 3, -1, 3}, 2, 2)},

	{"sum of neighbours", "Conv", attrs{"pads": onnx.AttrInts(1, 1, 1, 1)}, []*onnx.Tensor{board, f(fs{0, 1, 0, 1, 1, 1, 0, 1, 0}, 1, 1, 3, 3)},
		f(fs{7, 11, 11, 17, 25, 23, 19, 29, 23}, 1, 1, 3, 3)},
	{"not flipped", "Conv", nil, []*onnx.Tensor{board, f(fs{1, 0, 0, 0}, 1, 1, 2, 2)}, f(fs{1, 2, 4, 5}, 1, 1, 2, 2)},
	{"bias, two out", "Conv", nil, []*onnx.Tensor{f(fs{3, 5}, 1, 2, 1, 1), f(fs{1, 1, 2, -1}, 2, 2, 1, 1), f(fs{0.5, 0})}, f(fs{8.5, 1}, 1, 2, 1, 1)},
	{"strides", "Conv", attrs{"strides": onnx.AttrInts(2, 2)}, []*onnx.Tensor{board, f(fs{1}, 1, 1, 1, 1)}, f(fs{1, 3, 7, 9}, 1, 1, 2, 2)},
	{"dilated", "Conv", attrs{"dilations": onnx.AttrInts(2, 2)}, []*onnx.Tensor{board, f(fs{1, 1, 1, 1}, 1, 1, 2, 2)}, f(fs{20}, 1, 1, 1, 1)},
	{"padded on one side", "Conv", attrs{"pads": onnx.AttrInts(1, 0, 0, 0)}, []*onnx.Tensor{board, f(fs{1, 1}, 1, 1, 2, 1)}, f(fs{1, 2, 3, 5, 7, 9, 11, 13, 15}, 1, 1, 3, 3)},
	{"groups", "Conv", attrs{"group": onnx.AttrInt(2)}, []*onnx.Tensor{f(fs{3, 5}, 1, 2, 1, 1), f(fs{2, 4}, 2, 1, 1, 1)}, f(fs{6, 20}, 1, 2, 1, 1)},
	{"spreads", "ConvTranspose", nil, []*onnx.Tensor{f(fs{1, 10}, 1, 1, 1, 2), f(fs{1, 2, 3}, 1, 1, 1, 3)}, f(fs{1, 12, 23, 30}, 1, 1, 1, 4)},
	{"strides, pads", "ConvTranspose", attrs{"strides": onnx.AttrInts(1, 2), "pads": onnx.AttrInts(0, 1, 0, 0), "output_padding": onnx.AttrInts(0, 1)},
		[]*onnx.Tensor{f(fs{1, 10}, 1, 1, 1, 2), f(fs{1, 2, 3}, 1, 1, 1, 3), f(fs{100}, 1)}, f(fs{102, 113, 120, 130, 100}, 1, 1, 1, 5)},
	{"groups", "ConvTranspose", attrs{"group": onnx.AttrInt(2)}, []*onnx.Tensor{f(fs{3, 5}, 1, 2, 1, 1), f(fs{2, 4}, 2, 1, 1, 1)}, f(fs{6, 20}, 1, 2, 1, 1)},
	{"", "GlobalAveragePool", nil, []*onnx.Tensor{board}, f(fs{5}, 1, 1, 1, 1)},
	{"", "GlobalMaxPool", nil, []*onnx.Tensor{board}, f(fs{9}, 1, 1, 1, 1)},

	{"", "Reshape", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{0, -1, 1})}, f(fs{1, 2, 3, 4}, 2, 2, 1)},
	{"", "Flatten", nil, []*onnx.Tensor{board}, f(fs{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 9)},
	{"", "Transpose", attrs{"perm": onnx.AttrInts(1, 2, 0)}, []*onnx.Tensor{f(fs{1, 2, 3, 4, 5, 6}, 1, 2, 3)}, f(fs{1, 2, 3, 4, 5, 6}, 2, 3, 1)},
	{"", "Transpose", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4, 5, 6}, 2, 3)}, f(fs{1, 4, 2, 5, 3, 6}, 3, 2)},
	{"", "Concat", attrs{"axis": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 2}, 2, 1), f(fs{3, 4, 5, 6}, 2, 2)}, f(fs{1, 3, 4, 2, 5, 6}, 2, 3)},
	{"backwards", "Slice", nil, []*onnx.Tensor{board, i(is{-1}, 1), i(is{-100}, 1), i(is{3}, 1), i(is{-2}, 1)}, f(fs{3, 1, 6, 4, 9, 7}, 1, 1, 3, 2)},
	{"two axes", "Slice", nil, []*onnx.Tensor{board, i(is{1, 0}), i(is{math.MaxInt64, 2}), i(is{2, 3})}, f(fs{4, 5, 7, 8}, 1, 1, 2, 2)},
	{"", "Gather", attrs{"axis": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{1, -2, 1})}, f(fs{2, 1, 2, 4, 3, 4}, 2, 3)},
	{"a scalar index", "Gather", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{1})}, f(fs{3, 4})},
	{"", "Squeeze", nil, []*onnx.Tensor{board, i(is{0, -3})}, f(fs{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3)},
	{"", "Unsqueeze", nil, []*onnx.Tensor{f(fs{1, 2}), i(is{0, -1})}, f(fs{1, 2}, 1, 2, 1)},
	{"", "Expand", nil, []*onnx.Tensor{f(fs{1, 2}, 2, 1), i(is{3, 1, 2})}, f(fs{1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2}, 3, 2, 2)},
	{"", "Pad", nil, []*onnx.Tensor{f(fs{1, 2}, 1, 2), i(is{1, 0, 0, 1})}, f(fs{0, 0, 0, 1, 2, 0}, 2, 3)},
	{"cut", "Pad", nil, []*onnx.Tensor{f(fs{1, 2, 3}), i(is{-1, 1})}, f(fs{2, 3, 0})},
	{"", "Shape", attrs{"start": onnx.AttrInt(2)}, []*onnx.Tensor{board}, i(is{3, 3})},
	{"", "Constant", attrs{"value_ints": onnx.AttrInts(4, 5)}, nil, i(is{4, 5})},
	{"", "ArgMax", attrs{"axis": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 3, 3, 2, 1, 0}, 2, 3)}, i(is{1, 0}, 2, 1)},

	{"", "ReduceMean", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{0}, 1)}, f(fs{2, 3}, 1, 2)},
	{"", "ReduceSum", attrs{"keepdims": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{-1}, 1)}, f(fs{3, 7})},
	{"all", "ReduceMax", attrs{"keepdims": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2)}, f(fs{4})},
	{"nothing", "ReduceSum", attrs{"noop_with_empty_axes": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 2})}, f(fs{1, 2})},
}

func evaluate(t *testing.T, opset int64, op string, a attrs, outs int, in ...*onnx.Tensor) []*onnx.Tensor {
	t.Helper()
	b := onnx.NewBuilder("n", opset)
	var inputs []onnx.Value
	for k, c := range in {
		if c == nil {
			inputs = append(inputs, "")
			continue
		}
		named := *c
		named.Name = string(rune('a' + k))
		inputs = append(inputs, b.Tensor(&named))
	}
	for _, v := range b.Node("", op, outs, a, inputs...) {
		b.Output("result of "+string(v), v)
	}
	m := nntest.Built(t, b)
	got, err := onnxref.Run(m, nil)
	require.NoError(t, err)
	var list []*onnx.Tensor
	for _, v := range m.Graph.Outputs {
		list = append(list, got[v.Name])
	}
	return list
}

// TestOperators compares the results of every operator with results computed by hand.
func TestOperators(t *testing.T) {
	for _, c := range operators {
		t.Run(c.op+" "+c.name, func(t *testing.T) {
			out := evaluate(t, 18, c.op, c.attrs, 1, c.in...)[0]
			require.Equal(t, c.want.Type, out.Type)
			require.Equal(t, append([]int64{}, c.want.Dims...), append([]int64{}, out.Dims...))
			got := nntest.Floats(t, out)
			for k, want := range nntest.Floats(t, c.want) {
				if want != got[k] {
					require.InDelta(t, want, got[k], 1e-6*max(1, math.Abs(want)), "element %d of %v", k, got)
				}
			}
		})
	}
	parts := evaluate(t, 18, "Split", attrs{"axis": onnx.AttrInt(1)}, 2, f(fs{1, 2, 3, 4, 5, 6}, 2, 3), i(is{1, 2}))
	require.Equal(t, []float64{1, 4}, nntest.Floats(t, parts[0]))
	require.Equal(t, []float64{2, 3, 5, 6}, nntest.Floats(t, parts[1]))
	parts = evaluate(t, 17, "Split", nil, 2, f(fs{1, 2, 3}))
	require.Equal(t, []float64{1, 2}, nntest.Floats(t, parts[0]))
	require.Equal(t, []float64{3}, nntest.Floats(t, parts[1]))
	// In float32 1<<25 plus 1 is 1<<25, so the sum must be in float64.
	list := slices.Repeat(fs{1}, 1<<16)
	list[0] = 1 << 25
	require.Equal(t, []float64{float64(float32(1<<25 + 1<<16 - 1))}, nntest.Floats(t, evaluate(t, 17, "ReduceSum", nil, 1, f(list))[0]))
}

func TestRunRefuses(t *testing.T) {
	build := func() *onnx.Model {
		b := onnx.NewBuilder("n", 17)
		x, y := b.Input("x", onnx.Float, "N", 2), b.Input("y", onnx.Float, "N", 2)
		b.Output("z", b.Add(x, b.Mul(y, b.Floats("w", fs{1, 2}, 2))))
		return nntest.Built(t, b)
	}
	x := f(fs{1, 2}, 1, 2)
	for name, c := range map[string]struct {
		in   map[string]*onnx.Tensor
		says string
	}{
		"missing":         {map[string]*onnx.Tensor{"x": x}, `"y" is missing`},
		"another type":    {map[string]*onnx.Tensor{"x": x, "y": i(is{1, 2}, 1, 2)}, "int64"},
		"another rank":    {map[string]*onnx.Tensor{"x": x, "y": f(fs{1, 2})}, "instead of"},
		"another size":    {map[string]*onnx.Tensor{"x": x, "y": f(fs{1, 2, 3}, 1, 3)}, "[N 2]"},
		"another batch":   {map[string]*onnx.Tensor{"x": x, "y": f(fs{1, 2, 3, 4}, 2, 2)}, "declared as [N 2]"},
		"a broken tensor": {map[string]*onnx.Tensor{"x": x, "y": {Type: onnx.Float, Dims: []int64{1, 2}}}, "0 bytes"},
	} {
		_, err := onnxref.Run(build(), c.in)
		require.ErrorContains(t, err, c.says, name)
	}
	m := build()
	m.Graph.Nodes[0].OpType = "Xor"
	_, err := onnxref.Run(m, map[string]*onnx.Tensor{"x": x, "y": x})
	require.Error(t, err)
	m = build()
	m.Graph.Inputs = append(m.Graph.Inputs, onnx.ValueInfo{Name: "w", Type: onnx.Float, Shape: onnx.ShapeOf(2)})
	out, err := onnxref.Run(m, map[string]*onnx.Tensor{"x": x, "y": x, "w": f(fs{10, 20})})
	require.NoError(t, err, "a weight listed as an input may be replaced")
	got, err := out["z"].Float32s()
	require.NoError(t, err)
	require.Equal(t, fs{11, 42}, got)
}
