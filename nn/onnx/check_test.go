package onnx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// small returns a graph that computes a = Relu(x) and its output b = a + w, where w is a weight.
func small(t testing.TB) *Model {
	t.Helper()
	return &Model{IRVersion: 8, Opset: 17, Graph: &Graph{
		Name:         "small",
		Inputs:       []ValueInfo{{Name: "x", Type: Float, Shape: Shape{Sym("N"), D(3)}}},
		Initializers: []*Tensor{NewTensor("w", []float32{1, 2, 3}, 3)},
		Nodes: []*Node{
			{Name: "first", OpType: "Relu", Inputs: []string{"x"}, Outputs: []string{"a"}},
			{Name: "second", OpType: "Add", Inputs: []string{"a", "w"}, Outputs: []string{"b"}},
		},
		Outputs: []ValueInfo{{Name: "b"}},
	}}
}

func done(t testing.TB, b *Builder) *Model {
	t.Helper()
	m, err := b.Model(nil)
	require.NoError(t, err)
	return m
}

func branch(inner *Node) Attr {
	return ofGraph(&Graph{Name: "body", Nodes: []*Node{inner}, Outputs: []ValueInfo{{Name: inner.Outputs[0]}}})
}

func TestCheckFinds(t *testing.T) {
	require.NoError(t, Check(small(t)))
	for name, c := range map[string]struct {
		do   func(m *Model)
		is   error
		says string
	}{
		"no graph":            {func(m *Model) { m.Graph = nil }, ErrGraph, "no graph"},
		"no outputs":          {func(m *Model) { m.Graph.Outputs = nil }, ErrGraph, "no outputs"},
		"no opset":            {func(m *Model) { m.Opset = 0 }, ErrGraph, "version of the default"},
		"no foreign opset":    {func(m *Model) { m.Graph.Nodes[0].Domain = "com.microsoft" }, ErrGraph, `"com.microsoft" is missing`},
		"missing input":       {func(m *Model) { m.Graph.Inputs = nil }, ErrGraph, `node 0 (Relu first) uses "x", which nothing writes`},
		"cycle":               {func(m *Model) { m.Graph.Nodes[0].Inputs[0] = "b" }, ErrGraph, "cycle"},
		"written twice":       {func(m *Model) { m.Graph.Nodes[1].Outputs[0] = "a" }, ErrGraph, `"a" is written by Relu first and by Add second`},
		"input overwritten":   {func(m *Model) { m.Graph.Nodes[1].Outputs[0] = "x" }, ErrGraph, `"x" is written by an input`},
		"two weights":         {func(m *Model) { m.Graph.Initializers = append(m.Graph.Initializers, m.Graph.Initializers[0]) }, ErrGraph, `"w"`},
		"two outputs":         {func(m *Model) { m.Graph.Outputs = append(m.Graph.Outputs, m.Graph.Outputs[0]) }, ErrGraph, "listed twice"},
		"nameless input":      {func(m *Model) { m.Graph.Inputs = append(m.Graph.Inputs, ValueInfo{}) }, ErrGraph, "no name"},
		"output from nowhere": {func(m *Model) { m.Graph.Outputs[0].Name = "nowhere" }, ErrGraph, `"nowhere"`},
		"no operator":         {func(m *Model) { m.Graph.Nodes[0].OpType = "" }, ErrGraph, "no operator"},
		"too many inputs":     {func(m *Model) { m.Graph.Nodes[0].Inputs = []string{"x", "x"} }, ErrGraph, "Relu takes 1 to 1"},
		"too few inputs":      {func(m *Model) { m.Graph.Nodes[1].Inputs = []string{"a"} }, ErrGraph, "Add takes 2"},
		"input left out":      {func(m *Model) { m.Graph.Nodes[1].Inputs[1] = "" }, ErrGraph, "input 1 of Add is left out"},
		"too many outputs":    {func(m *Model) { m.Graph.Nodes[1].Outputs = []string{"b", "c"} }, ErrGraph, "2 outputs"},
		"attribute's kind":    {func(m *Model) { m.Graph.Nodes[0].Attrs = Attrs{"axis": AttrFloat(1)} }, ErrGraph, `"axis"`},
		"short tensor":        {func(m *Model) { m.Graph.Initializers[0].Raw = nil }, ErrTensor, `"w"`},
		"short tensor inside": {func(m *Model) {
			m.Graph.Nodes[0].Attrs = Attrs{"t": ofTensor(&Tensor{Type: Float, Dims: []int64{1}})}
		}, ErrTensor, "Relu first"},
		"types differ":       {func(m *Model) { m.Graph.Initializers[0] = NewTensor("w", []int64{1, 2, 3}, 3) }, ErrShape, "float32"},
		"shapes differ":      {func(m *Model) { m.Graph.Initializers[0] = NewTensor("w", []float32{1, 2}, 2) }, ErrShape, "broadcast"},
		"declared otherwise": {func(m *Model) { m.Graph.Outputs[0].Shape = ShapeOf(1, 4) }, ErrShape, `"b" is declared as [1 4] and comes out as [N 3]`},
		"declared type":      {func(m *Model) { m.Graph.Outputs[0].Type = Int64 }, ErrShape, "declared as int64"},
		"unknown operator":   {func(m *Model) { m.Graph.Nodes[0].OpType = "Novel" }, ErrUnsupported, "operator Novel"},
		"missing in a branch": {func(m *Model) {
			m.Graph.Nodes[0].Attrs = Attrs{"g": branch(&Node{OpType: "Relu", Inputs: []string{"z"}, Outputs: []string{"q"}})}
		}, ErrGraph, `attribute "g"`},
		"later, in a branch": {func(m *Model) {
			m.Graph.Nodes[0].Attrs = Attrs{"g": branch(&Node{OpType: "Relu", Inputs: []string{"b"}, Outputs: []string{"q"}})}
		}, ErrGraph, `"b"`},
		"function's body": {func(m *Model) { m.Functions = []*Function{{Name: "F", Domain: "d", Outputs: []string{"y"}}} }, ErrGraph, `function F: graph is not well formed: nothing writes output "y"`},
		"function calls itself": {func(m *Model) {
			m.Functions = []*Function{{Name: "Relu", Opset: 17, Inputs: []string{"p"}, Outputs: []string{"q"},
				Nodes: []*Node{{OpType: "Relu", Inputs: []string{"p"}, Outputs: []string{"q"}}}}}
		}, ErrGraph, "deep"},
	} {
		t.Run(name, func(t *testing.T) {
			m := small(t)
			c.do(m)
			err := Check(m)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestCheckAccepts(t *testing.T) {
	for name, do := range map[string]func(m *Model){
		"a weight listed as input": func(m *Model) {
			m.Graph.Inputs = append(m.Graph.Inputs, ValueInfo{Name: "w", Type: Float, Shape: ShapeOf(3)})
		},
		"an input as output": func(m *Model) { m.Graph.Outputs = append(m.Graph.Outputs, ValueInfo{Name: "x"}) },
		"a weight as output": func(m *Model) { m.Graph.Outputs = append(m.Graph.Outputs, ValueInfo{Name: "w"}) },
		"the outer graph": func(m *Model) {
			m.Graph.Nodes[1].Attrs = Attrs{"g": branch(&Node{OpType: "Relu", Inputs: []string{"a"}, Outputs: []string{"q"}})}
		},
		"the long domain":     func(m *Model) { m.Graph.Nodes[0].Domain = "ai.onnx" },
		"a symbol of its own": func(m *Model) { m.Graph.Outputs[0].Shape = Shape{Sym("batch"), D(3)} },
		"an unknown operator, its type declared": func(m *Model) {
			m.Graph.Nodes[0].OpType = "Novel"
			m.Graph.Values = []ValueInfo{{Name: "a", Type: Float, Shape: ShapeOf(2, 3)}}
		},
		"a wrong hint": func(m *Model) { m.Graph.Values = []ValueInfo{{Name: "a", Type: Float, Shape: ShapeOf(7)}} },
	} {
		t.Run(name, func(t *testing.T) {
			m := small(t)
			do(m)
			require.NoError(t, Check(m))
		})
	}
}

// TestInlineFunctions: attributes get the values of the call, inner values are renamed, nested functions
// are expanded, and an output of a function may be one of its inputs.
func TestInlineFunctions(t *testing.T) {
	m := small(t)
	m.Opsets = map[string]int64{"d": 1}
	m.Functions = []*Function{
		{Name: "Scale", Domain: "d", Opset: 17, Opsets: map[string]int64{"d": 1}, Inputs: []string{"p"}, Outputs: []string{"q", "p"}, Attributes: []string{"slope"},
			Defaults: map[string]Attr{"beta": AttrFloat(7)},
			Nodes: []*Node{
				{OpType: "LeakyRelu", Inputs: []string{"p"}, Outputs: []string{"a"}, Attrs: Attrs{
					"alpha": {Kind: KindFloat, Ref: "slope"}, "beta": {Kind: KindFloat, Ref: "beta"}, "gamma": {Kind: KindFloat, Ref: "not given"}}},
				{OpType: "Inner", Domain: "d", Inputs: []string{"a"}, Outputs: []string{"q"}},
			}},
		{Name: "Inner", Domain: "d", Opset: 17, Inputs: []string{"p"}, Outputs: []string{"q"},
			Nodes: []*Node{{OpType: "Tanh", Inputs: []string{"p"}, Outputs: []string{"q"}}}},
	}
	call := func(in string, outs ...string) *Node {
		return &Node{OpType: "Scale", Domain: "d", Inputs: []string{in}, Outputs: outs, Attrs: Attrs{"slope": AttrFloat(0.25)}}
	}
	m.Graph.Nodes = append([]*Node{call("x", "once"), call("once", "twice", "same")}, m.Graph.Nodes...)
	m.Graph.Nodes[2].Inputs[0] = "twice"
	m.Graph.Outputs = append(m.Graph.Outputs, ValueInfo{Name: "same"})
	require.NoError(t, Check(m))
	before := len(m.Graph.Nodes)
	require.NoError(t, InlineFunctions(m.Clone()))
	require.Len(t, m.Graph.Nodes, before, "a clone is its own")
	require.NoError(t, InlineFunctions(m))
	require.Empty(t, m.Functions)
	require.NoError(t, Check(m))
	var ops []string
	for _, n := range m.Graph.Nodes {
		ops = append(ops, n.OpType)
	}
	require.Equal(t, []string{"LeakyRelu", "Tanh", "LeakyRelu", "Tanh", "Identity", "Relu", "Add"}, ops)
	require.Equal(t, Attrs{"alpha": AttrFloat(0.25), "beta": AttrFloat(7)}, m.Graph.Nodes[0].Attrs)
}

func TestInliningIsBounded(t *testing.T) {
	m := small(t)
	m.Opsets = map[string]int64{"d": 1}
	names := []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"}
	for i, name := range names {
		f := &Function{Name: name, Domain: "d", Opset: 17, Opsets: map[string]int64{"d": 1}, Inputs: []string{"p"}, Outputs: []string{"v16"}}
		prev := "p"
		for k := range 17 {
			n := &Node{OpType: "Relu", Inputs: []string{prev}, Outputs: []string{"v" + string(rune('0'+k/10)) + string(rune('0'+k%10))}}
			if i+1 < len(names) {
				n.OpType, n.Domain = names[i+1], "d"
			}
			prev = n.Outputs[0]
			f.Nodes = append(f.Nodes, n)
		}
		f.Outputs[0] = prev
		m.Functions = append(m.Functions, f)
	}
	m.Graph.Nodes[0].OpType, m.Graph.Nodes[0].Domain = "A", "d"
	err := Check(m)
	require.ErrorIs(t, err, ErrGraph)
	require.ErrorContains(t, err, "expand to more than")
}
