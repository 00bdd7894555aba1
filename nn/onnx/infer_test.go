package onnx

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShapesOfForeignFiles(t *testing.T) {
	for _, file := range fixtures(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := readFixture(t, file)
			require.NoError(t, Check(m))
			for i := range m.Graph.Outputs {
				m.Graph.Outputs[i].Shape = nil // shapes must be inferred from the graph
			}
			m.Graph.Values = nil
			infos, err := InferTypes(m)
			require.NoError(t, err)
			batch := m.Graph.Feeds()[0].Shape[0]
			for i, n := range []int64{82, 1, 1, 81}[:len(m.Graph.Outputs)] {
				v := infos[m.Graph.Outputs[i].Name]
				require.Equal(t, Shape{batch, D(n)}, v.Shape)
				require.Equal(t, Float, v.Type)
			}
		})
	}
}

// shape parses a shape such as "N 2 ? 9", "scalar" or "unknown".
func shape(s string) Shape {
	switch s {
	case "unknown":
		return nil
	case "scalar":
		return Shape{}
	}
	out := Shape{}
	for _, f := range strings.Fields(s) {
		switch {
		case f == "?":
			out = append(out, UnknownDim)
		case f[0] >= '0' && f[0] <= '9':
			n, _ := strconv.Atoi(f)
			out = append(out, D(int64(n)))
		default:
			out = append(out, Sym(f))
		}
	}
	return out
}

func ints(list ...int64) *Tensor { return NewTensor("", list, int64(len(list))) }

func inferOne(t *testing.T, opset int64, n *Node, inputs ...any) ([]info, error) {
	t.Helper()
	f := newInference(opset)
	for i, in := range inputs {
		name := string(rune('a' + i))
		switch in := in.(type) {
		case nil:
			name = ""
		case string:
			f.Give(name, Float, shape(in))
		case DataType:
			f.Give(name, in, nil)
		case *Tensor:
			c := *in
			c.Name = name
			f.setTensor(&c)
		}
		n.Inputs = append(n.Inputs, name)
	}
	err := f.Node(n)
	var outs []info
	for _, name := range n.Outputs {
		outs = append(outs, f.get(name))
	}
	return outs, err
}

// operands are a node's inputs: shapes, or constants.
type operands []any

var onePad = Attrs{"pads": AttrInts(1, 1, 1, 1)}

var inferred = []struct {
	op    string
	attrs Attrs
	in    operands
	want  string
}{
	{"Conv", onePad, operands{"N 22 9 9", "64 22 3 3", "64"}, "N 64 9 9"},
	{"Conv", nil, operands{"N 22 9 9", "64 22 3 3"}, "N 64 7 7"},
	{"Conv", onePad, operands{"N 22 H W", "64 22 3 3"}, "N 64 H W"},
	{"Conv", nil, operands{"N 22 H W", "64 22 3 3"}, "N 64 ? ?"},
	{"Conv", Attrs{"strides": AttrInts(2, 3), "pads": AttrInts(0, 1, 2, 3)}, operands{"1 4 10 11", "8 4 3 5"}, "1 8 5 4"},
	{"Conv", Attrs{"dilations": AttrInts(2, 2), "pads": AttrInts(2, 2, 2, 2)}, operands{"N 4 9 9", "8 4 3 3"}, "N 8 9 9"},
	{"Conv", Attrs{"group": AttrInt(4)}, operands{"N 4 9 9", "4 1 1 1"}, "N 4 9 9"},
	{"Conv", Attrs{"auto_pad": ofString("SAME_UPPER"), "strides": AttrInts(2, 2)}, operands{"N 4 9 9", "8 4 3 3"}, "N 8 5 5"},
	{"Conv", Attrs{"auto_pad": ofString("SAME_LOWER")}, operands{"N 4 H 9", "8 4 3 3"}, "N 8 H 9"},
	{"Conv", Attrs{"auto_pad": ofString("VALID")}, operands{"N 4 9 9", "8 4 3 3"}, "N 8 7 7"},
	{"Conv", nil, operands{"N 4 9", "8 4 3"}, "N 8 7"},
	{"Conv", nil, operands{"unknown", "8 4 3"}, "unknown"},
	{"ConvTranspose", onePad, operands{"N 22 H W", "22 64 3 3"}, "N 64 H W"},
	{"ConvTranspose", Attrs{"strides": AttrInts(2, 2), "output_padding": AttrInts(1, 0)}, operands{"N 4 5 5", "4 3 3 3"}, "N 3 12 11"},
	{"ConvTranspose", Attrs{"group": AttrInt(2)}, operands{"N 4 5 5", "4 3 1 1"}, "N 6 5 5"},
	{"GlobalAveragePool", nil, operands{"N 4 H W"}, "N 4 1 1"},
	{"BatchNormalization", nil, operands{"N 4 9 9", "4", "4", "4", "4"}, "N 4 9 9"},
	{"LayerNormalization", nil, operands{"N 4 8", "8", "8"}, "N 4 8"},
	{"Relu", nil, operands{"N 4 9 9"}, "N 4 9 9"},
	{"Softmax", Attrs{"axis": AttrInt(-1)}, operands{"N 82"}, "N 82"},
	{"Clip", nil, operands{"N 82", "scalar", nil}, "N 82"},
	{"Add", nil, operands{"N 4 9 9", "4 1 1"}, "N 4 9 9"},
	{"Add", nil, operands{"N 1", "3 N 1"}, "3 N 1"},
	{"Add", nil, operands{"N 4", "M 4"}, "? 4"},
	{"Add", nil, operands{"N 4", "8 4"}, "8 4"},
	{"Add", nil, operands{"? 4", "1 4"}, "? 4"},
	{"Add", nil, operands{"scalar", "scalar"}, "scalar"},
	{"Max", nil, operands{"N 1 9", "4 1", "1"}, "N 4 9"},
	{"Where", nil, operands{NewScalar("", true), "N 1", "1 5"}, "N 5"},
	{"Gemm", Attrs{"transB": AttrInt(1)}, operands{"N 162", "82 162", "82"}, "N 82"},
	{"Gemm", Attrs{"transA": AttrInt(1)}, operands{"162 N", "162 82"}, "N 82"},
	{"MatMul", nil, operands{"N 3 81 32", "N 3 32 81"}, "N 3 81 81"},
	{"MatMul", nil, operands{"N 81 32", "32 8"}, "N 81 8"},
	{"MatMul", nil, operands{"32", "32 8"}, "8"},
	{"MatMul", nil, operands{"N 32", "32"}, "N"},
	{"MatMul", nil, operands{"32", "32"}, "scalar"},
	{"Reshape", nil, operands{"N 2 9 9", ints(0, -1)}, "N 162"},
	{"Reshape", nil, operands{"N 2 9 9", ints(-1, 162)}, "N 162"},
	{"Reshape", nil, operands{"N 2 9 9", ints(1, -1)}, "1 ?"},
	{"Reshape", nil, operands{"N M 2", ints(-1, 2)}, "? 2"},
	{"Reshape", nil, operands{"4 6", ints(2, -1, 3)}, "2 4 3"},
	{"Reshape", Attrs{"allowzero": AttrInt(1)}, operands{"0 6", ints(6, 0)}, "6 0"},
	{"Reshape", nil, operands{"unknown", ints(2, -1, 0)}, "2 ? ?"},
	{"Reshape", nil, operands{"N 2", Int64}, "unknown"},
	{"Flatten", nil, operands{"N 2 9 9"}, "N 162"},
	{"Flatten", Attrs{"axis": AttrInt(0)}, operands{"3 2 9"}, "1 54"},
	{"Flatten", Attrs{"axis": AttrInt(2)}, operands{"N M 9"}, "? 9"},
	{"Flatten", nil, operands{"unknown"}, "? ?"},
	{"Transpose", Attrs{"perm": AttrInts(0, 2, 3, 1)}, operands{"N 2 9 8"}, "N 9 8 2"},
	{"Transpose", nil, operands{"N 2 9"}, "9 2 N"},
	{"Concat", Attrs{"axis": AttrInt(1)}, operands{"N 3", "N 4", "? 5"}, "N 12"},
	{"Concat", Attrs{"axis": AttrInt(-1)}, operands{"? M", "N 4"}, "N ?"},
	{"Split", Attrs{"split": AttrInts(1, 3), "axis": AttrInt(1)}, operands{"N 4 9"}, "N 1 9"},
	{"Slice", nil, operands{"N 22 9 9", ints(0), ints(1), ints(1)}, "N 1 9 9"},
	{"Slice", nil, operands{"N 22 9 9", ints(-3, 8), ints(1<<62, -100), ints(1, 2), ints(2, -2)}, "N 2 5 9"},
	{"Slice", nil, operands{"N 22", ints(0), ints(1 << 62), ints(0)}, "N 22"},
	{"Slice", nil, operands{"N 22", ints(1), ints(3), ints(0)}, "? 22"},
	{"Slice", nil, operands{"8 22", ints(5), ints(2)}, "0 22"},
	{"Slice", nil, operands{"8 22", Int64, ints(2)}, "? ?"},
	{"Gather", Attrs{"axis": AttrInt(1)}, operands{"N 8 5", ints(1, 0, 3)}, "N 3 5"},
	{"Gather", nil, operands{"8 5", NewScalar("", int64(2))}, "5"},
	{"Squeeze", nil, operands{"N 1 9 1", ints(1, -1)}, "N 9"},
	{"Squeeze", nil, operands{"1 3 1"}, "3"},
	{"Squeeze", nil, operands{"N 3 1"}, "unknown"},
	{"Unsqueeze", nil, operands{"N 4", ints(2, 3)}, "N 4 1 1"},
	{"Unsqueeze", nil, operands{"N 4", ints(0, -1)}, "1 N 4 1"},
	{"Expand", nil, operands{"N 4 1 1", ints(1, 1, 9, 9)}, "N 4 9 9"},
	{"Expand", nil, operands{"3 1", ints(2, 1, 6)}, "2 3 6"},
	{"Pad", nil, operands{"N 4 9 9", ints(0, 0, 1, 2, 0, 0, 3, 4)}, "N 4 13 15"},
	{"Shape", nil, operands{"N 4 9 9"}, "4"},
	{"Shape", Attrs{"start": AttrInt(1), "end": AttrInt(-1)}, operands{"N 4 9 9"}, "2"},
	{"Constant", Attrs{"value_floats": ofFloats(1, 2)}, nil, "2"},
	{"Constant", Attrs{"value": ofTensor(ints(1, 2, 3))}, nil, "3"},
	{"ConstantOfShape", nil, operands{ints(3, 4)}, "3 4"},
	{"Cast", Attrs{"to": AttrInt(1)}, operands{"N 4"}, "N 4"},
	{"ReduceMean", nil, operands{"N 4 9 9", ints(2, 3)}, "N 4 1 1"},
	{"ReduceSum", Attrs{"keepdims": AttrInt(0)}, operands{"N 4 9 9", ints(-1, 1)}, "N 9"},
	{"ReduceMax", Attrs{"axes": AttrInts(2, 3), "keepdims": AttrInt(0)}, operands{"N 4 9 9"}, "N 4"},
	{"ReduceMean", nil, operands{"N 4"}, "1 1"},
	{"ReduceMean", Attrs{"keepdims": AttrInt(0)}, operands{"N 4"}, "scalar"},
	{"ReduceSum", Attrs{"noop_with_empty_axes": AttrInt(1)}, operands{"N 4"}, "N 4"},
	{"ReduceSum", nil, operands{"N 4", Int64}, "? ?"},
	{"ArgMax", Attrs{"axis": AttrInt(1), "keepdims": AttrInt(0)}, operands{"N 4"}, "N"},
	{"Greater", nil, operands{"N 4", "1"}, "N 4"},
	{"Not", nil, operands{NewTensor("", make([]bool, 3), 3)}, "3"},
}

func TestInferShape(t *testing.T) {
	for _, c := range inferred {
		t.Run(c.op+" "+c.want, func(t *testing.T) {
			outs, err := inferOne(t, 18, &Node{OpType: c.op, Attrs: c.attrs, Outputs: map[bool][]string{true: {"y", "z"}, false: {"y"}}[c.op == "Split"]}, c.in...)
			require.NoError(t, err)
			require.Equal(t, shape(c.want), outs[0].shape, "%v", outs[0].shape)
		})
	}
}

func TestInferType(t *testing.T) {
	for op, c := range map[string]struct {
		in    any
		attrs Attrs
		want  DataType
	}{
		"Cast":            {"3", Attrs{"to": AttrInt(int64(Float16))}, Float16},
		"Shape":           {"3", nil, Int64},
		"ArgMax":          {"3", nil, Int64},
		"Relu":            {NewFloat16("", make([]float32, 3), 3), nil, Float16},
		"ConstantOfShape": {ints(3), Attrs{"value": ofTensor(NewTensor("", []int8{1}, 1))}, Int8},
	} {
		outs, err := inferOne(t, 18, &Node{OpType: op, Attrs: c.attrs, Outputs: []string{"y"}}, c.in)
		require.NoError(t, err)
		require.Equal(t, c.want, outs[0].typ, op)
	}
	outs, err := inferOne(t, 18, &Node{OpType: "Greater", Outputs: []string{"y"}}, "3", "3")
	require.NoError(t, err)
	require.Equal(t, Bool, outs[0].typ)
}

func TestInferRefuses(t *testing.T) {
	type in []any
	for _, c := range []struct {
		op    string
		attrs Attrs
		in    in
		says  string
	}{
		{"Conv", nil, in{"N 22 9 9", "64 21 3 3"}, "22 channels"},
		{"Conv", nil, in{"N 22 9 9", "64 22 3"}, "weight"},
		{"Conv", nil, in{"N 22 2 2", "64 22 3 3"}, "does not fit"},
		{"Conv", Attrs{"group": AttrInt(0)}, in{"N 22 9 9", "64 22 3 3"}, "groups"},
		{"Conv", Attrs{"pads": AttrInts(1, 1)}, in{"N 22 9 9", "64 22 3 3"}, "pads [1 1]"},
		{"Conv", Attrs{"strides": AttrInts(0, 1)}, in{"N 22 9 9", "64 22 3 3"}, "out of range"},
		{"Conv", Attrs{"kernel_shape": AttrInts(1, 1)}, in{"N 22 9 9", "64 22 3 3"}, "kernel_shape [1 1]"},
		{"Conv", Attrs{"auto_pad": ofString("SOME")}, in{"N 22 9 9", "64 22 3 3"}, `"SOME"`},
		{"Conv", nil, in{"N 22 9 9", "64 22 3 3", "63"}, "bias"},
		{"Conv", nil, in{ints(1), "64 22 3 3"}, "float32"},
		{"ConvTranspose", nil, in{"N 22 9 9", "21 64 3 3"}, "22 channels"},
		{"BatchNormalization", nil, in{"N 4 9 9", "4", "4", "5", "4"}, "4 channels"},
		{"Add", nil, in{"N 4", "N 5"}, "broadcast"},
		{"Where", nil, in{"3", "3", "3"}, "instead of bool"},
		{"Gemm", nil, in{"N 162", "82 162"}, "inner sizes 162 and 82"},
		{"Gemm", nil, in{"2 4", "4 8", "7"}, "broadcast"},
		{"Gemm", nil, in{"2 3 4", "4 8"}, "2 dimensions are needed"},
		{"MatMul", nil, in{"N 4", "5 4"}, "inner sizes"},
		{"MatMul", nil, in{"scalar", "5 4"}, "scalar"},
		{"Softmax", Attrs{"axis": AttrInt(2)}, in{"N 4"}, "axis 2 of 2"},
		{"Reshape", nil, in{"2 9", ints(4, 4)}, "cannot be reshaped"},
		{"Reshape", nil, in{"2 9", ints(-1, -1)}, "two dimensions of -1"},
		{"Reshape", nil, in{"2 9", ints(-2, 9)}, "dimension -2"},
		{"Reshape", nil, in{"18", ints(2, 0)}, "kept"},
		{"Reshape", nil, in{"18", ints(1<<62, 1<<62)}, "too large"},
		{"Reshape", nil, in{"2 9", "2"}, "instead of int64"},
		{"Transpose", Attrs{"perm": AttrInts(0, 0)}, in{"N 4"}, "not a permutation"},
		{"Transpose", Attrs{"perm": AttrInts(0)}, in{"N 4"}, "perm [0]"},
		{"Concat", Attrs{"axis": AttrInt(1)}, in{"2 4", "3 4"}, "the first is"},
		{"Concat", nil, in{"2 4", "3 4"}, "no axis"},
		{"Slice", nil, in{"4", ints(0), ints(1), ints(0), ints(0)}, "step 0"},
		{"Slice", nil, in{"4", ints(0, 0), ints(1, 1), ints(0, 0)}, "2 starts"},
		{"Slice", nil, in{"4 4", ints(0, 0), ints(1, 1), ints(0, -2)}, "twice"},
		{"Slice", nil, in{"4"}, "no starts"},
		{"Gather", nil, in{"4", ints(4)}, "index 4"},
		{"Squeeze", nil, in{"N 4", ints(1)}, "not 1"},
		{"Unsqueeze", nil, in{"N 4"}, "no axes"},
		{"Unsqueeze", nil, in{"N 4", ints(0, 0)}, "twice"},
		{"Pad", nil, in{"N 4", ints(1, 1)}, "pads [1 1]"},
		{"Pad", nil, in{"N 4", ints(0, -3, 0, -2)}, "pads"},
		{"Cast", nil, in{"N"}, "no target type"},
		{"Constant", nil, nil, "no value"},
		{"GlobalMaxPool", nil, in{"4"}, "at least 2"},
		{"Split", Attrs{"split": AttrInts(1, 3)}, in{"4"}, "2 sizes"},
	} {
		t.Run(c.op+" "+c.says, func(t *testing.T) {
			_, err := inferOne(t, 18, &Node{OpType: c.op, Attrs: c.attrs, Outputs: []string{"y"}}, c.in...)
			require.Error(t, err)
			require.ErrorContains(t, err, c.says)
		})
	}
	for _, c := range []struct {
		tokens string
		heads  int64
	}{{"N 4", 2}, {"N 4 9", 0}, {"N 4 9", 1 << 40}} {
		_, err := inferOne(t, 18, &Node{OpType: "Attention", Domain: KernelDomain, Attrs: Attrs{"heads": AttrInt(c.heads), "v_dim": AttrInt(3)}, Outputs: []string{"y"}}, c.tokens)
		require.ErrorIs(t, err, ErrShape)
	}
}

// TestShapesAreFollowed: exporters flatten and broadcast in roundabout ways, after which the
// batch dimension must still be known.
func TestShapesAreFollowed(t *testing.T) {
	b := NewBuilder("n", 17)
	x := b.Input("x", Float, "N", 4, 9, 9)
	batch := b.Unsqueeze(b.Gather(b.Op("Shape", nil, x), b.Int(0), 0), 0)
	flat := b.Reshape(x, 0, -1)
	b.Output("gathered", b.Op("Reshape", nil, x, b.Concat(0, batch, b.Ints(-1))))
	b.Output("sliced", b.Op("Reshape", nil, x, b.Concat(0, b.Slice(b.Op("Shape", nil, x), 0, 0, 1), b.Ints(324))))
	b.Output("computed", b.Op("Reshape", nil, x, b.Concat(0, b.Cast(b.Cast(batch, Int32), Int64), b.Mul(b.Ints(4), b.Ints(81)))))
	b.Output("divided", b.Op("Reshape", nil, x, b.Concat(0, b.Div(b.Mul(batch, b.Ints(1)), b.Ints(1)), b.Sub(b.Ints(325), b.Ints(1)))))
	// PyTorch exports expand(-1, 4, 3) this way: Equal and Where replace -1 by 1, since Expand keeps a dimension for 1.
	want := b.Ints(-1, 4, 3)
	ones := b.Op("ConstantOfShape", Attrs{"value": ofTensor(NewTensor("", []int64{1}, 1))}, b.Ints(3))
	target := b.Op("Where", nil, b.Op("Equal", nil, want, b.Mul(ones, b.Ints(-1))), ones, want)
	b.Output("expanded", b.Op("Expand", nil, b.Unsqueeze(b.ReduceSum(flat, true, 1), 2), target))
	m := done(t, b)
	n := Sym("N")
	for i, want := range []Shape{{n, D(324)}, {n, D(324)}, {n, D(324)}, {n, D(324)}, {n, D(4), D(3)}} {
		require.Equal(t, want, m.Graph.Outputs[i].Shape, m.Graph.Outputs[i].Name)
	}
}
