package onnxref_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// f and i are constants of float32 and int64 with their dimensions; without
// dimensions a single element is a scalar and more are a vector.
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
	{"", "Elu", nil, []*onnx.Tensor{f(fs{-1, 3})}, f(fs{-0.63212056, 3})},
	{"", "Sigmoid", nil, []*onnx.Tensor{f(fs{0, 2, -100})}, f(fs{0.5, 0.8807971, 0})},
	{"", "Tanh", nil, []*onnx.Tensor{f(fs{0, 1})}, f(fs{0, 0.7615942})},
	{"", "Softplus", nil, []*onnx.Tensor{f(fs{0, 100, -100})}, f(fs{0.6931472, 100, 0})},
	{"", "Mish", nil, []*onnx.Tensor{f(fs{1, 50, -2})}, f(fs{0.8650984, 50, -0.2525015})},
	{"", "HardSigmoid", nil, []*onnx.Tensor{f(fs{-3, 0, 1, 9})}, f(fs{0, 0.5, 0.7, 1})},
	{"", "HardSwish", nil, []*onnx.Tensor{f(fs{-4, 3, 0.6})}, f(fs{0, 3, 0.36})},
	{"", "Gelu", nil, []*onnx.Tensor{f(fs{1})}, f(fs{0.8413447})},
	{"tanh", "Gelu", attrs{"approximate": onnx.AttrString("tanh")}, []*onnx.Tensor{f(fs{1})}, f(fs{0.841192})},
	{"", "Erf", nil, []*onnx.Tensor{f(fs{0.5})}, f(fs{0.5204999})},
	{"", "Sqrt", nil, []*onnx.Tensor{f(fs{2.25})}, f(fs{1.5})},
	{"", "Exp", nil, []*onnx.Tensor{f(fs{1})}, f(fs{2.7182817})},
	{"", "Log", nil, []*onnx.Tensor{f(fs{0})}, f(fs{-inf})},
	{"", "Neg", nil, []*onnx.Tensor{i(is{3, -4})}, i(is{-3, 4})},
	{"", "Abs", nil, []*onnx.Tensor{f(fs{-3, 4})}, f(fs{3, 4})},
	{"half to even", "Round", nil, []*onnx.Tensor{f(fs{0.5, 1.5, -2.5})}, f(fs{0, 2, -2})},
	{"", "Floor", nil, []*onnx.Tensor{f(fs{-0.5})}, f(fs{-1})},
	{"", "Ceil", nil, []*onnx.Tensor{f(fs{0.2})}, f(fs{1})},
	{"", "Reciprocal", nil, []*onnx.Tensor{f(fs{4})}, f(fs{0.25})},
	{"", "Sign", nil, []*onnx.Tensor{f(fs{-3, 0, 2})}, f(fs{-1, 0, 1})},
	{"", "Add", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), f(fs{10, 20})}, f(fs{11, 22, 13, 24}, 2, 2)},
	{"columns", "Sub", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), f(fs{1, 2}, 2, 1)}, f(fs{0, 1, 1, 2}, 2, 2)},
	{"outer", "Mul", nil, []*onnx.Tensor{f(fs{1, 2}, 2, 1), f(fs{3, 4}, 1, 2)}, f(fs{3, 4, 6, 8}, 2, 2)},
	{"", "Div", nil, []*onnx.Tensor{f(fs{1}), f(fs{4})}, f(fs{0.25})},
	{"integers", "Div", nil, []*onnx.Tensor{i(is{7, -7}), i(is{2})}, i(is{3, -3})},
	{"", "Mod", nil, []*onnx.Tensor{i(is{7, -7}), i(is{3})}, i(is{1, 2})},
	{"", "Pow", nil, []*onnx.Tensor{f(fs{3, 4}), f(fs{2, 0.5})}, f(fs{9, 2})},
	{"", "Max", nil, []*onnx.Tensor{f(fs{1, 5}), f(fs{3}), f(fs{2, 9})}, f(fs{3, 9})},
	{"", "Min", nil, []*onnx.Tensor{f(fs{1, 5}), f(fs{3})}, f(fs{1, 3})},
	{"", "Sum", nil, []*onnx.Tensor{f(fs{1, 5}), f(fs{3})}, f(fs{4, 8})},
	{"", "Mean", nil, []*onnx.Tensor{f(fs{1, 5}), f(fs{3})}, f(fs{2, 4})},
	{"open below", "Clip", nil, []*onnx.Tensor{f(fs{-9, 9}), nil, f(fs{6})}, f(fs{-9, 6})},
	{"attributes", "Clip", attrs{"min": onnx.AttrFloat(0)}, []*onnx.Tensor{f(fs{-9, 9})}, f(fs{0, 9})},
	{"", "Greater", nil, []*onnx.Tensor{f(fs{1, 3}), f(fs{2})}, tensor([]bool{false, true}, nil)},
	{"", "Equal", nil, []*onnx.Tensor{i(is{1, 3}), i(is{3})}, tensor([]bool{false, true}, nil)},
	{"", "Not", nil, []*onnx.Tensor{tensor([]bool{false, true}, nil)}, tensor([]bool{true, false}, nil)},
	{"", "Where", nil, []*onnx.Tensor{tensor([]bool{false, true}, nil), f(fs{1}), f(fs{5, 6})}, f(fs{5, 1})},
	{"to integers", "Cast", attrs{"to": onnx.AttrInt(int64(onnx.Int32))}, []*onnx.Tensor{f(fs{-1.7, 2.9})}, tensor([]int32{-1, 2}, nil)},
	{"to bool", "Cast", attrs{"to": onnx.AttrInt(int64(onnx.Bool))}, []*onnx.Tensor{f(fs{0, 0.1})}, tensor([]bool{false, true}, nil)},
	{"to half", "Cast", attrs{"to": onnx.AttrInt(int64(onnx.Float16))}, []*onnx.Tensor{f(fs{1, 0.1})}, onnx.NewFloat16("", fs{1, 0.1}, 2)},

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
	{"one axis", "Conv", attrs{"pads": onnx.AttrInts(1, 0)}, []*onnx.Tensor{f(fs{1, 2, 3}, 1, 1, 3), f(fs{10, 1}, 1, 1, 2)}, f(fs{1, 12, 23}, 1, 1, 3)},
	{"same", "Conv", attrs{"auto_pad": onnx.AttrString("SAME_UPPER")}, []*onnx.Tensor{f(fs{1, 2}, 1, 1, 1, 2), f(fs{1, 1}, 1, 1, 1, 2)}, f(fs{3, 2}, 1, 1, 1, 2)},
	{"spreads", "ConvTranspose", nil, []*onnx.Tensor{f(fs{1, 10}, 1, 1, 1, 2), f(fs{1, 2, 3}, 1, 1, 1, 3)}, f(fs{1, 12, 23, 30}, 1, 1, 1, 4)},
	{"strides, pads", "ConvTranspose", attrs{"strides": onnx.AttrInts(1, 2), "pads": onnx.AttrInts(0, 1, 0, 0), "output_padding": onnx.AttrInts(0, 1)},
		[]*onnx.Tensor{f(fs{1, 10}, 1, 1, 1, 2), f(fs{1, 2, 3}, 1, 1, 1, 3), f(fs{100})}, f(fs{102, 113, 120, 130, 100}, 1, 1, 1, 5)},
	{"groups", "ConvTranspose", attrs{"group": onnx.AttrInt(2)}, []*onnx.Tensor{f(fs{3, 5}, 1, 2, 1, 1), f(fs{2, 4}, 2, 1, 1, 1)}, f(fs{6, 20}, 1, 2, 1, 1)},
	{"", "MaxPool", attrs{"kernel_shape": onnx.AttrInts(2, 2)}, []*onnx.Tensor{board}, f(fs{5, 6, 8, 9}, 1, 1, 2, 2)},
	{"padded", "AveragePool", attrs{"kernel_shape": onnx.AttrInts(2, 2), "strides": onnx.AttrInts(2, 2), "pads": onnx.AttrInts(1, 1, 0, 0)}, []*onnx.Tensor{board}, f(fs{1, 2.5, 5.5, 7}, 1, 1, 2, 2)},
	{"pads counted", "AveragePool", attrs{"kernel_shape": onnx.AttrInts(2, 2), "strides": onnx.AttrInts(2, 2), "pads": onnx.AttrInts(1, 1, 0, 0), "count_include_pad": onnx.AttrInt(1)}, []*onnx.Tensor{board}, f(fs{0.25, 1.25, 2.75, 7}, 1, 1, 2, 2)},
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
	{"", "GatherElements", attrs{"axis": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{1, 0}, 2, 1)}, f(fs{2, 3}, 2, 1)},
	{"", "Squeeze", nil, []*onnx.Tensor{board, i(is{0, -3})}, f(fs{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3)},
	{"", "Unsqueeze", nil, []*onnx.Tensor{f(fs{1, 2}), i(is{0, -1})}, f(fs{1, 2}, 1, 2, 1)},
	{"", "Expand", nil, []*onnx.Tensor{f(fs{1, 2}, 2, 1), i(is{3, 1, 2})}, f(fs{1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2}, 3, 2, 2)},
	{"", "Tile", nil, []*onnx.Tensor{f(fs{1, 2}, 1, 2), i(is{2, 2})}, f(fs{1, 2, 1, 2, 1, 2, 1, 2}, 2, 4)},
	{"", "Pad", nil, []*onnx.Tensor{f(fs{1, 2}, 1, 2), i(is{1, 0, 0, 1}), f(fs{9})}, f(fs{9, 9, 9, 1, 2, 9}, 2, 3)},
	{"cut", "Pad", nil, []*onnx.Tensor{f(fs{1, 2, 3}), i(is{-1, 1})}, f(fs{2, 3, 0})},
	{"", "Shape", attrs{"start": onnx.AttrInt(2)}, []*onnx.Tensor{board}, i(is{3, 3})},
	{"", "Size", nil, []*onnx.Tensor{board}, i(is{9})},
	{"", "Constant", attrs{"value_ints": onnx.AttrInts(4, 5)}, nil, i(is{4, 5})},
	{"", "ConstantOfShape", attrs{"value": onnx.AttrTensor(i(is{7}, 1))}, []*onnx.Tensor{i(is{2, 1})}, i(is{7, 7}, 2, 1)},
	{"", "Range", nil, []*onnx.Tensor{i(is{5}), i(is{0}), i(is{-2})}, i(is{5, 3, 1})},
	{"", "OneHot", attrs{"axis": onnx.AttrInt(0)}, []*onnx.Tensor{i(is{2, -3}), i(is{3}), f(fs{0, 5})}, f(fs{0, 5, 0, 0, 5, 0}, 3, 2)},
	{"", "CumSum", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{0})}, f(fs{1, 2, 4, 6}, 2, 2)},
	{"exclusive, reverse", "CumSum", attrs{"exclusive": onnx.AttrInt(1), "reverse": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 2, 3}), i(is{0})}, f(fs{5, 3, 0})},
	{"", "ArgMax", attrs{"axis": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 3, 3, 2, 1, 0}, 2, 3)}, i(is{1, 0}, 2, 1)},
	{"the last", "ArgMax", attrs{"axis": onnx.AttrInt(1), "keepdims": onnx.AttrInt(0), "select_last_index": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 3, 3, 2, 1, 0}, 2, 3)}, i(is{2, 0})},

	{"", "ReduceMean", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{0}, 1)}, f(fs{2, 3}, 1, 2)},
	{"", "ReduceSum", attrs{"keepdims": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2), i(is{-1}, 1)}, f(fs{3, 7})},
	{"all", "ReduceMax", attrs{"keepdims": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 2)}, f(fs{4})},
	{"outer axes", "ReduceMin", nil, []*onnx.Tensor{f(fs{1, 2, 3, 4}, 2, 1, 2), i(is{0, 2})}, f(fs{1}, 1, 1, 1)},
	{"nothing", "ReduceSum", attrs{"noop_with_empty_axes": onnx.AttrInt(1)}, []*onnx.Tensor{f(fs{1, 2})}, f(fs{1, 2})},
	{"", "ReduceProd", attrs{"keepdims": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{2, 3, 4})}, f(fs{24})},
	{"", "ReduceL2", attrs{"keepdims": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{3, -4})}, f(fs{5})},
	{"", "ReduceLogSumExp", attrs{"keepdims": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{1000, 1000})}, f(fs{1000.6931})},

	{"half to even, saturated", "QuantizeLinear", nil, []*onnx.Tensor{f(fs{-300, -1, 1, 3, 300}), f(fs{2}), tensor([]int8{10}, nil)},
		tensor([]int8{-128, 10, 10, 12, 127}, nil)},
	{"uint8 without zero", "QuantizeLinear", nil, []*onnx.Tensor{f(fs{-5, 7}), f(fs{2})}, tensor([]uint8{0, 4}, nil)},
	{"per row", "QuantizeLinear", attrs{"axis": onnx.AttrInt(0)}, []*onnx.Tensor{f(fs{4, 4}, 2, 1), f(fs{1, 2}), tensor([]int8{0, 1}, nil)}, tensor([]int8{4, 3}, []int64{2, 1})},
	{"", "DequantizeLinear", nil, []*onnx.Tensor{tensor([]uint8{0, 128, 255}, nil), f(fs{0.5}), tensor([]uint8{128}, nil)}, f(fs{-64, 0, 63.5})},
	{"per channel", "DequantizeLinear", attrs{"axis": onnx.AttrInt(1)}, []*onnx.Tensor{tensor([]int8{3, 4}, []int64{1, 2}), f(fs{1, 10})}, f(fs{3, 40}, 1, 2)},
	{"accumulator", "DequantizeLinear", nil, []*onnx.Tensor{tensor([]int32{70000}, nil), f(fs{0.25})}, f(fs{17500})},
}

// TestOperators: every result below was worked out by hand or with a pocket
// calculator.
func TestOperators(t *testing.T) {
	for _, c := range operators {
		t.Run(c.op+" "+c.name, func(t *testing.T) {
			n := &onnx.Node{OpType: c.op, Attrs: c.attrs, Outputs: []string{"y"}}
			for k := range c.in {
				n.Inputs = append(n.Inputs, string(rune('a'+k)))
			}
			outs, err := onnxref.Eval(n, 18, c.in)
			require.NoError(t, err)
			require.Equal(t, c.want.Type, outs[0].Type)
			require.Equal(t, append([]int64{}, c.want.Dims...), append([]int64{}, outs[0].Dims...))
			want, err := c.want.Float64s()
			require.NoError(t, err)
			got, err := outs[0].Float64s()
			require.NoError(t, err)
			for k := range want {
				if want[k] != got[k] {
					require.InDelta(t, want[k], got[k], 1e-6*max(1, math.Abs(want[k])), "element %d of %v", k, got)
				}
			}
		})
	}
}

func TestOperatorsOfSeveralResults(t *testing.T) {
	eval := func(opset int64, op string, a attrs, outs int, in ...*onnx.Tensor) [][]float64 {
		n := &onnx.Node{OpType: op, Attrs: a, Outputs: []string{"p", "q", "r"}[:outs]}
		got, err := onnxref.Eval(n, opset, in)
		require.NoError(t, err)
		var list [][]float64
		for _, g := range got {
			v, err := g.Float64s()
			require.NoError(t, err)
			list = append(list, v)
		}
		return list
	}
	require.Equal(t, [][]float64{{1, 4}, {2, 3, 5, 6}}, eval(18, "Split", attrs{"axis": onnx.AttrInt(1)}, 2, f(fs{1, 2, 3, 4, 5, 6}, 2, 3), i(is{1, 2})))
	require.Equal(t, [][]float64{{1, 2}, {3}}, eval(18, "Split", nil, 2, f(fs{1, 2, 3})))
	// Statistics of the batch: mean 2 and variance 1; running ones move by a tenth.
	train := eval(17, "BatchNormalization", attrs{"training_mode": onnx.AttrInt(1), "epsilon": onnx.AttrFloat(0)}, 3,
		f(fs{1, 3}, 2, 1), f(fs{2}, 1), f(fs{5}, 1), f(fs{0}, 1), f(fs{0}, 1))
	require.Equal(t, []float64{3, 7}, train[0])
	require.InDelta(t, 0.2, train[1][0], 1e-6)
	require.InDelta(t, 0.1, train[2][0], 1e-6)
	// Before opset 13 softmax ran over everything from the axis on.
	old := eval(11, "Softmax", nil, 1, f(fs{0, 0, 0, 0}, 1, 2, 2))
	require.Equal(t, []float64{0.25, 0.25, 0.25, 0.25}, old[0])
}

func TestFloat32IsAccumulatedInFloat64(t *testing.T) {
	list := make([]float32, 1<<16)
	for k := range list {
		list[k] = 1
	}
	list[0] = 1 << 25 // in float32, adding 1 to this does nothing
	outs, err := onnxref.Eval(&onnx.Node{OpType: "ReduceSum", Outputs: []string{"y"}, Attrs: attrs{"keepdims": onnx.AttrInt(0)}}, 18, []*onnx.Tensor{f(list)})
	require.NoError(t, err)
	got, err := outs[0].Float64s()
	require.NoError(t, err)
	require.Equal(t, []float64{float64(float32(1<<25 + 1<<16 - 1))}, got)
}

func TestRunRefuses(t *testing.T) {
	build := func() *onnx.Model {
		b := onnx.NewBuilder("n", 17)
		x, y := b.Input("x", onnx.Float, "N", 2), b.Input("y", onnx.Float, "N", 2)
		b.Output("z", b.Add(x, b.Mul(y, b.Floats("w", fs{1, 2}, 2))))
		m, err := b.Model(nil)
		require.NoError(t, err)
		return m
	}
	x := f(fs{1, 2}, 1, 2)
	for name, c := range map[string]struct {
		in   map[string]*onnx.Tensor
		says string
	}{
		"missing":         {map[string]*onnx.Tensor{"x": x}, `"y" is missing`},
		"too many":        {map[string]*onnx.Tensor{"x": x, "y": x, "q": x}, `no input "q"`},
		"another type":    {map[string]*onnx.Tensor{"x": x, "y": i(is{1, 2}, 1, 2)}, "int64"},
		"another rank":    {map[string]*onnx.Tensor{"x": x, "y": f(fs{1, 2})}, "instead of"},
		"another size":    {map[string]*onnx.Tensor{"x": x, "y": f(fs{1, 2, 3}, 1, 3)}, "[N 2]"},
		"another batch":   {map[string]*onnx.Tensor{"x": x, "y": f(fs{1, 2, 3, 4}, 2, 2)}, "map[N:1]"},
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
	_, err = onnxref.RunFloats(build(), map[string][]float32{"x": {1, 2, 3}, "y": {1, 2, 3}})
	require.ErrorContains(t, err, "3 elements")
	_, err = onnxref.Eval(&onnx.Node{OpType: "Loop"}, 17, nil)
	require.ErrorIs(t, err, onnx.ErrUnsupported)
}

// TestEveryOpsetMeansTheSame runs one graph in the form of each opset.
func TestEveryOpsetMeansTheSame(t *testing.T) {
	var first map[string][]float32
	for opset := int64(onnx.MinOpset); opset <= onnx.MaxOpset; opset++ {
		b := onnx.NewBuilder("n", opset)
		x := b.Input("x", onnx.Float, "N", 2, 3)
		y := b.Softmax(b.Clip(x, -1, 2), -1)
		b.Output("reduced", b.ReduceSum(b.ReduceMean(y, true, 2), false, 1))
		b.Output("moved", b.Unsqueeze(b.ReduceSum(b.Slice(x, 1, 1, 2), false, 1), 0))
		b.Output("sum", b.ReduceSum(b.LogSoftmax(x, 2), false, 1, 2))
		m, err := b.Model(nil)
		require.NoError(t, err)
		got, err := onnxref.RunFloats(m, map[string][]float32{"x": {1, -2, 3, 4, 0, 0.5, 2, 2, 2, -1, -1, 7}})
		require.NoError(t, err, "opset %d", opset)
		if first == nil {
			first = got
		}
		require.Equal(t, first, got, "opset %d", opset)
	}
}

func BenchmarkRun(b *testing.B) {
	g := onnx.NewBuilder("n", 17)
	x := g.Input("x", onnx.Float, "N", 64, 9, 9)
	for k := range 4 {
		x = g.Conv(x, g.In(string(rune('a'+k))).Floats("w", make(fs, 64*64*9), 64, 64, 3, 3), "")
	}
	g.Output("y", x)
	m, err := g.Model(nil)
	require.NoError(b, err)
	for _, t := range m.Graph.Initializers {
		t.Raw[0] = 1
		for k := range t.Raw {
			t.Raw[k] = byte(k%7) & 0x3f
		}
	}
	in := map[string][]float32{"x": make(fs, 64*81)}
	b.ReportAllocs()
	for b.Loop() {
		_, err := onnxref.RunFloats(m, in)
		require.NoError(b, err)
	}
}
