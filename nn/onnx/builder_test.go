package onnx

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// everyOp calls every method of Builder that makes a node.
func everyOp(b *Builder) {
	x := b.Input("x", Float, "N", 4, 5, 6)
	k := b.Floats("k", make([]float32, 4*4*9), 4, 4, 3, 3)
	vec := b.Floats("vec", make([]float32, 4), 4)
	outs := []Value{
		b.Conv(x, k, vec), b.ConvWith(x, k, "", ConvOptions{Strides: []int64{2, 2}, Dilations: []int64{1, 1}, Pads: []int64{1, 1, 1, 1}}),
		b.ConvTranspose(x, k, "", ConvOptions{Pads: []int64{1, 1, 1, 1}}),
		b.BatchNorm(x, vec, vec, vec, vec, 1e-3),
		b.Relu(x), b.Op("LeakyRelu", Attrs{"alpha": AttrFloat(0.1)}, x), b.Sigmoid(x), b.Tanh(x), b.Softplus(x), b.Op("Erf", nil, x), b.Mish(x), b.Mul(x, b.Sigmoid(x)),
		b.Softmax(x, -1), b.LogSoftmax(x, -1), b.Add(x, x), b.Sub(x, x), b.Mul(x, x), b.Div(x, x), b.Pow(x, b.Scalar(2)),
		b.Sqrt(x), b.Exp(x), b.Log(x), b.Op("Neg", nil, x), b.Op("Abs", nil, x), b.Max(x, x), b.Min(x, x), b.Clip(x, 0, 6),
		b.Op("Where", nil, b.Const(NewScalar("", true)), x, x), b.MatMul(x, b.Floats("m", make([]float32, 12), 6, 2)),
		b.Op("Identity", nil, x), b.Cast(x, Double), b.Reshape(x, 0, -1), b.Flatten(x), b.Transpose(x, 0, 2, 3, 1), b.Concat(1, x, x),
		b.Slice(x, 1, 0, 2), b.Gather(x, b.Ints(1, 0), 1), b.Op("Squeeze", nil, b.Slice(x, 1, 0, 1), b.Ints(1)), b.Unsqueeze(x, 1, 3),
		b.Op("Expand", nil, vec, b.Ints(3, 4)), b.Op("Shape", nil, x), b.Op("Pad", nil, x, b.Ints(0, 0, 1, 1, 0, 0, 1, 1)), b.Op("GlobalAveragePool", nil, x), b.Op("GlobalMaxPool", nil, x),
		b.ReduceMean(x, true, 2, 3), b.ReduceSum(x, false, 1), b.Op("ReduceMax", Attrs{"keepdims": AttrInt(0)}, x),
		b.Gemm(b.Flatten(x), b.Floats("g", make([]float32, 120*2), 2, 120), b.Floats("gb", make([]float32, 2), 2), true),
	}
	outs = append(outs, b.SliceAxes(x, []int64{2, 3}, []int64{-1, 0}, []int64{-6, 6}, []int64{-1, 2}))
	for i, v := range outs {
		b.Output(fmt.Sprintf("out%d", i), v)
	}
}

func TestBuilderAtEveryOpset(t *testing.T) {
	for opset := int64(MinOpset); opset <= MaxOpset; opset++ {
		b := NewBuilder("all", opset)
		everyOp(b)
		m, err := b.Model(nil)
		require.NoError(t, err, "opset %d", opset)
		require.Equal(t, opset, m.Opset)
		for _, v := range m.Graph.Outputs {
			require.NotNil(t, v.Shape, "opset %d, %s", opset, v.Name)
			require.NotEqual(t, Undefined, v.Type)
		}
		for _, n := range m.Graph.Nodes {
			require.True(t, Known(n), n.OpType)
		}
	}
	for _, opset := range []int64{0, 12, 22, -1} {
		_, err := NewBuilder("x", opset).Model(nil)
		require.ErrorIs(t, err, ErrBuild)
	}
}

func TestBuilderNames(t *testing.T) {
	b := NewBuilder("n", 17)
	x := b.Input("x", Float, "N", 2)
	block := b.In("block").In("0")
	w := block.Floats("w", []float32{1, 2}, 2)
	require.Equal(t, Value("block.0.w"), w)
	y := block.Add(x, w)
	require.Equal(t, Value("block.0.Add_0"), y)
	require.Equal(t, Value("block.0.Add_1"), block.Add(y, w))
	require.Equal(t, Value("Relu_0"), b.Relu(y))
	require.Equal(t, b.Scalar(2), b.Scalar(2))
	require.NotEqual(t, b.Scalar(2), b.Int(2))
	require.NotEqual(t, b.Ints(2), b.Int(2))
	b.Output("twice", y)
	b.Output("again", y)
	b.Output("input", x)
	m := done(t, b)
	require.Equal(t, "twice", m.Graph.Nodes[0].Outputs[0], "the node writes the output's name")
	require.Equal(t, []string{"twice"}, m.Graph.Nodes[len(m.Graph.Nodes)-2].Inputs, "a second name is a copy")
	require.Equal(t, Shape{Sym("N"), D(2)}, m.Graph.Outputs[0].Shape)
	require.Equal(t, Float, b.Type(y))
	require.Equal(t, Shape{Sym("N"), D(2)}, b.Shape(y))
	two := done(t, b)
	require.Equal(t, m, two, "asking twice changes nothing")
}

func TestBuilderKeepsTheFirstMistake(t *testing.T) {
	vec := func(b *Builder) Value { return b.Floats("vec", []float32{1, 2, 3}, 3) }
	img := func(b *Builder) Value { return b.Input("x", Float, "N", 4, 5, 5) }
	for name, c := range map[string]struct {
		do   func(b *Builder)
		is   error
		says string
	}{
		"dimension of a strange type": {func(b *Builder) { b.Input("x", Float, 3.5) }, ErrBuild, "float64"},
		"unknown dimension":           {func(b *Builder) { b.Input("x", Float, UnknownDim) }, ErrBuild, "neither"},
		"negative dimension":          {func(b *Builder) { b.Input("x", Float, -3) }, ErrBuild, "neither"},
		"name taken":                  {func(b *Builder) { img(b); img(b) }, ErrBuild, `two values are named "x"`},
		"no name":                     {func(b *Builder) { b.Floats("", nil) }, ErrTensor, ""},
		"bad tensor":                  {func(b *Builder) { b.Floats("w", []float32{1}, 2) }, ErrTensor, "ask for 8"},
		"value from nowhere":          {func(b *Builder) { b.Relu("nowhere") }, ErrBuild, `"nowhere"`},
		"output from nowhere":         {func(b *Builder) { b.Output("y", "nowhere") }, ErrBuild, `"nowhere"`},
		"input left out":              {func(b *Builder) { b.Add(img(b), "") }, ErrGraph, "takes 2"},
		"channels":                    {func(b *Builder) { b.Conv(img(b), b.Floats("w", make([]float32, 27), 1, 3, 3, 3), "") }, ErrShape, "4 channels"},
		"bias":                        {func(b *Builder) { b.Conv(img(b), b.Floats("w", make([]float32, 36), 1, 4, 3, 3), vec(b)) }, ErrShape, "bias"},
		"even kernel, no pads":        {func(b *Builder) { b.Conv(img(b), b.Floats("w", make([]float32, 16), 1, 4, 2, 2), "") }, ErrBuild, "pads are needed"},
		"broadcast":                   {func(b *Builder) { b.Add(img(b), vec(b)) }, ErrShape, "broadcast"},
		"types":                       {func(b *Builder) { b.Add(img(b), b.Int(3)) }, ErrShape, "int64"},
		"reshape":                     {func(b *Builder) { b.Reshape(vec(b), 2, 2) }, ErrShape, "reshaped"},
		"domain":                      {func(b *Builder) { b.Node("com.example", "Magic", 1, nil) }, ErrBuild, "not declared"},
		"domain in two versions":      {func(b *Builder) { b.UseDomain("d", 1); b.UseDomain("d", 2) }, ErrBuild, "versions 1 and 2"},
		"the caller's own":            {func(b *Builder) { b.Fail("no %s", "luck") }, ErrBuild, "no luck"},
		"no outputs":                  {func(b *Builder) { img(b) }, ErrGraph, "no outputs"},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder("n", 17)
			c.do(b)
			if first := b.Err(); first != nil {
				b.Fail("something later")
				everyOp(b) // must do nothing after a mistake, and not panic
				require.Equal(t, first, b.Err())
			}
			m, err := b.Model(nil)
			require.Nil(t, m)
			require.ErrorIs(t, err, ErrBuild)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestBuilderForeignOperators(t *testing.T) {
	b := NewBuilder("n", 17)
	b.UseDomain("com.example", 2)
	x := b.Input("x", Float, 3)
	outs := b.Node("com.example", "Magic", 2, Attrs{"power": AttrInt(9)}, x, "", x, "")
	require.Len(t, outs, 2)
	require.Nil(t, b.Shape(outs[0]))
	b.Output("y", b.Relu(outs[1]))
	_, err := b.Model(nil)
	require.ErrorIs(t, err, ErrUnsupported, "an output needs a shape")
	require.ErrorContains(t, err, "Magic")

	b = NewBuilder("n", 17)
	b.UseDomain("com.example", 2)
	x = b.Input("x", Float, 3)
	b.Node("com.example", "Magic", 1, nil, x)
	b.Output("y", b.Relu(x))
	m := done(t, b) // nobody asks for the shape
	require.Equal(t, map[string]int64{"com.example": 2}, m.Opsets)
	require.False(t, Known(m.Graph.Nodes[0]))
	require.False(t, errors.Is(Check(m), ErrUnsupported))
}

// TestExtend: a stored graph can be continued, as when a loss is appended.
func TestExtend(t *testing.T) {
	for _, file := range fixtures(t) {
		m := readFixture(t, file)
		before := written(t, m)
		b, err := Extend(m)
		require.NoError(t, err)
		out := m.Graph.Outputs[0].Name
		batch := b.Shape(Value(out))[0]
		want := b.Input("target", Float, batch, 82)
		b.Output("loss", b.ReduceMean(b.Mul(want, Value(out)), false))
		b.Output("again", Value(out))
		loss, err := b.Model(m.Metadata)
		require.NoError(t, err)
		require.Equal(t, before, written(t, m))
		require.Len(t, loss.Graph.Outputs, len(m.Graph.Outputs)+2)
		require.Equal(t, m.Graph.Outputs[0].Name, loss.Graph.Outputs[0].Name)
		require.Equal(t, Shape{}, loss.Graph.Outputs[len(m.Graph.Outputs)].Shape)
		require.Equal(t, Shape{batch, D(82)}, loss.Graph.Outputs[len(m.Graph.Outputs)+1].Shape)
		require.Len(t, loss.Graph.Feeds(), 2)
	}
	m := small(t)
	m.Graph.Nodes[0].Outputs[0], m.Graph.Nodes[1].Inputs[0] = "Relu_0", "Relu_0"
	b, err := Extend(m)
	require.NoError(t, err)
	require.Equal(t, Value("Relu_1"), b.Relu("Relu_0"), "names that the model uses are left alone")
	m.Opset = 40
	_, err = Extend(m)
	require.ErrorIs(t, err, ErrBuild)
	m.Graph = nil
	_, err = Extend(m)
	require.ErrorIs(t, err, ErrGraph)
}
