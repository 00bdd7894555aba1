package onnx

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// testModel returns a model with attributes of every kind and with most optional fields filled in.
func testModel(t testing.TB) *Model {
	t.Helper()
	b := NewBuilder("net", 17)
	b.UseDomain("com.microsoft", 1)
	x := b.Input("x", Float, "N", 2, 3, 3)
	w := b.Floats("w", []float32{1, 2, 3, 4}, 2, 2, 1, 1)
	y := b.Conv(x, w, b.Floats("bias", []float32{0.5, -0.5}, 2))
	ones := []float32{1, 2}
	y = b.BatchNorm(y, b.Floats("s", ones, 2), b.Floats("o", ones, 2), b.Floats("m", ones, 2), b.Floats("v", ones, 2), 1e-5)
	y = b.Op("Identity", nil, b.Relu(y))
	flat := b.Reshape(y, 0, -1)
	b.Output("flat", b.LogSoftmax(flat, -1))
	b.Output("y", y)
	m, err := b.Model(map[string]string{"b": "2", "a": "1"})
	require.NoError(t, err)
	m.ProducerVersion, m.Domain, m.Version, m.Doc = "0.1", "org.example", 3, "a model"
	g := m.Graph
	g.Doc = "a graph"
	g.Values = []ValueInfo{{Name: "Conv_0", Type: Float, Shape: Shape{Sym("N"), D(2), UnknownDim, D(3)}, Doc: "in between"}}
	sub := &Graph{Name: "sub", Nodes: []*Node{{OpType: "Identity", Inputs: []string{"x"}, Outputs: []string{"i"}}}, Outputs: []ValueInfo{{Name: "i"}}}
	g.Nodes = append(g.Nodes, &Node{Name: "odd", OpType: "Odd", Domain: "com.microsoft", Overload: "o", Doc: "d", Inputs: []string{"x", "", "w"}, Outputs: []string{"odd", ""},
		Attrs: Attrs{
			"f": AttrFloat(0), "i": AttrInt(-1), "s": ofString("\xff\x00"), "t": ofTensor(NewScalar("", int64(7))), "g": ofGraph(sub),
			"fs": ofFloats(1, float32(math.Inf(1))), "is": AttrInts(1, -2), "ss": ofStrings("", "b"),
			"ts": {Kind: KindTensors, Tensors: []*Tensor{NewTensor("a", []bool{true, false}, 2), {Type: String, Dims: []int64{1}, Strings: []string{"z"}}}},
			"gs": {Kind: KindGraphs, Graphs: []*Graph{sub}}, "none": AttrInts(),
		}})
	return m
}

func TestEverythingSurvivesAFile(t *testing.T) {
	m := testModel(t)
	require.NoError(t, Check(m))
	_, again := throughFile(t, m)
	m.Graph.Nodes[len(m.Graph.Nodes)-1].Attrs["none"] = Attr{Kind: KindInts} // an empty list becomes nil
	for _, tt := range again.Graph.Initializers {
		require.NoError(t, tt.Check())
	}
	require.Equal(t, m, again)
}

func TestUnknownFieldsAreKept(t *testing.T) {
	odd := msg(1234, "kept", 4321, 5)
	raw := msg(modelIR, 8, 20, "training", modelGraph, append(msg(
		graphNode, append(msg(nodeOp, "Relu", nodeInput, "x", nodeOutput, "y", nodeAttr, append(msg(attrName, "a", attrType, 11, 22, "sparse"), odd...)), odd...),
		graphInput, append(msg(valueName, "x", valueType, msg(4, "a sequence")), odd...),
		graphInitializer, append(msg(tensorName, "w", tensorType, 1, tensorDims, 0), odd...),
	), odd...))
	m := parsed(t, raw)
	out, again := throughFile(t, m)
	require.Equal(t, 5, bytes.Count(raw, []byte("kept")))
	require.Equal(t, 5, bytes.Count(out, []byte("kept")))
	for _, s := range []string{"training", "sparse", "a sequence"} {
		require.True(t, bytes.Contains(out, []byte(s)), s)
	}
	require.Equal(t, m, again)
}

func TestWriteFile(t *testing.T) {
	m := testModel(t)
	m.Graph.Initializers = append(m.Graph.Initializers, NewTensor("big", make([]float32, 5000), 5000))
	want := written(t, m)
	path := filepath.Join(t.TempDir(), "net.onnx")
	require.NoError(t, m.WriteFile(path))
	got := []byte(testshared.Read(t, path))
	require.Equal(t, want, got)
	require.Error(t, m.WriteFile(filepath.Join(path, "below a file")))
}

func TestMarshalRefuses(t *testing.T) {
	_, err := (&Model{}).Marshal()
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorIs(t, (*Model)(nil).WriteFile(filepath.Join(t.TempDir(), "x.onnx")), ErrFormat)
	m := testModel(t)
	m.Graph.Initializers[0].Raw = m.Graph.Initializers[0].Raw[1:]
	_, err = m.Marshal()
	require.ErrorIs(t, err, ErrTensor)
	m = testModel(t)
	m.Graph.Nodes[0].Attrs["t"] = ofTensor(&Tensor{Type: Float, Dims: []int64{3}})
	_, err = m.Marshal()
	require.ErrorIs(t, err, ErrTensor)
	m = testModel(t)
	part := make([]byte, 64<<20)
	for range 33 {
		m.Graph.Initializers = append(m.Graph.Initializers, &Tensor{Type: Uint8, Dims: []int64{int64(len(part))}, Raw: part})
	}
	require.ErrorIs(t, m.WriteFile(filepath.Join(t.TempDir(), "x.onnx")), ErrTooLarge)
}

func TestCloneSharesOnlyBytes(t *testing.T) {
	m := testModel(t)
	before := written(t, m)
	c := m.Clone()
	require.Equal(t, m, c)
	c.Metadata["a"] = "changed"
	c.Opsets["com.microsoft"] = 9
	for _, n := range c.Graph.Nodes {
		n.Inputs[0] = "changed"
		n.Outputs[0] = "changed"
		for _, a := range n.Attrs {
			if a.G != nil {
				a.G.Nodes[0].Inputs[0] = "changed"
			}
		}
		if n.Attrs != nil {
			n.Attrs["new"] = AttrInt(1)
		}
	}
	c.Graph.Inputs[0].Shape[0] = D(9)
	c.Graph.Initializers[0].Name = "changed"
	require.Equal(t, before, written(t, m))
}

func TestFloat16(t *testing.T) {
	for h := range 1 << 16 {
		f := FromFloat16(uint16(h))
		back := Float16Bits(f)
		if f != f {
			require.True(t, FromFloat16(back) != FromFloat16(back))
			continue
		}
		require.Equal(t, uint16(h), back)
	}
	for f, want := range map[float32]uint16{
		65519.99: 0x7bff, 65520: 0x7c00, 1e30: 0x7c00, -1e30: 0xfc00, 1e-10: 0, 5.9604645e-08: 1, 2.98e-08: 0, 2.99e-08: 1,
		1 + 1.0/2048: 0x3c00, 1 + 3.0/2048: 0x3c02, 6.1035156e-05: 0x400, 6.1e-05: 0x3ff, float32(math.Inf(-1)): 0xfc00,
	} {
		require.Equal(t, want, Float16Bits(f), "%v", f)
	}
}

func TestTensorAccess(t *testing.T) {
	f, err := NewTensor("w", []float32{1, 2}, 2).Float32s()
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2}, f)
	f, err = NewFloat16("w", []float32{1, -0.5}, 2).Float32s()
	require.NoError(t, err)
	require.Equal(t, []float32{1, -0.5}, f)
	i, err := NewTensor("w", []int16{-1, 2}, 2).Int64s()
	require.NoError(t, err)
	require.Equal(t, []int64{-1, 2}, i)
	i, err = NewTensor("w", []uint32{1, math.MaxUint32}, 2).Int64s()
	require.NoError(t, err)
	require.Equal(t, []int64{1, math.MaxUint32}, i)
	d, err := NewTensor("w", []uint64{1, math.MaxUint64}, 2).Float64s()
	require.NoError(t, err)
	require.Equal(t, []float64{1, math.MaxUint64}, d)
	_, err = NewScalar("w", 1.5).Int64s()
	require.ErrorIs(t, err, ErrTensor)
	_, err = (&Tensor{Type: Complex64, Raw: make([]byte, 8)}).Float64s()
	require.ErrorIs(t, err, ErrTensor)
	_, err = NewTensor("w", []float32{1}, 2).Float32s()
	require.ErrorIs(t, err, ErrTensor)
	require.NoError(t, (&Tensor{Type: Int4, Dims: []int64{3}, Raw: make([]byte, 2)}).Check())
	require.NoError(t, NewTensor[float32]("none", nil, 0, 5).Check())
	for _, typ := range []DataType{Undefined, Float, Int4, 99, -1} {
		require.NotEmpty(t, typ.String())
	}
}
