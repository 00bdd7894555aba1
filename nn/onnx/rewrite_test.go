package onnx

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func chain(t testing.TB, nodes ...*Node) *Model {
	t.Helper()
	m := small(t)
	m.Graph.Nodes = nodes
	return m
}

func node(op, in, out string) *Node {
	return &Node{OpType: op, Inputs: []string{in}, Outputs: []string{out}}
}

func ops(g *Graph) []string {
	var list []string
	for _, n := range g.Nodes {
		list = append(list, n.OpType)
	}
	return list
}

func TestSort(t *testing.T) {
	m := chain(t, node("Tanh", "c", "b"), node("Relu", "x", "a"), node("Sigmoid", "a", "c"), node("Exp", "x", "d"))
	require.NoError(t, m.Graph.Sort())
	require.NoError(t, Check(m))
	require.Equal(t, []string{"Relu", "Sigmoid", "Tanh", "Exp"}, ops(m.Graph))
	before := ops(m.Graph)
	require.NoError(t, m.Graph.Sort())
	require.Equal(t, before, ops(m.Graph), "what is sorted stays as it is")

	inner := chain(t, node("If", "x", "b"), node("Relu", "x", "a"))
	inner.Graph.Nodes[0].Attrs = Attrs{"then_branch": branch(node("Exp", "a", "q"))}
	require.NoError(t, inner.Graph.Sort())
	require.Equal(t, []string{"Relu", "If"}, ops(inner.Graph), "a branch reads values of the graph around it")

	cycle := chain(t, node("Relu", "b", "a"), node("Tanh", "a", "b"))
	before = ops(cycle.Graph)
	require.ErrorIs(t, cycle.Graph.Sort(), ErrGraph)
	require.Equal(t, before, ops(cycle.Graph))

	// Depth is unlimited, since there is no recursion.
	long := small(t)
	long.Graph.Nodes = nil
	last := "b"
	for i := range 50000 {
		in := "x"
		if i < 49999 {
			in = "v" + strconv.Itoa(i)
		}
		long.Graph.Nodes = append(long.Graph.Nodes, node("Relu", in, last))
		last = in
	}
	require.NoError(t, long.Graph.Sort())
	require.Equal(t, "x", long.Graph.Nodes[0].Inputs[0])
}

func TestRemoveIdentities(t *testing.T) {
	yes := NewScalar("yes", true)
	for name, c := range map[string]struct {
		nodes []*Node
		want  []string
	}{
		"in the middle":         {[]*Node{node("Relu", "x", "a"), node("Identity", "a", "c"), node("Tanh", "c", "b")}, []string{"Relu", "Tanh"}},
		"several":               {[]*Node{node("Identity", "x", "a"), node("Dropout", "a", "c"), node("Identity", "c", "d"), node("Tanh", "d", "b")}, []string{"Tanh"}},
		"at the end":            {[]*Node{node("Relu", "x", "a"), node("Identity", "a", "b")}, []string{"Relu"}},
		"at the end, used":      {[]*Node{node("Relu", "x", "a"), node("Tanh", "a", "d"), node("Identity", "a", "b")}, []string{"Relu"}},
		"two at the end":        {[]*Node{node("Relu", "x", "a"), node("Identity", "a", "c"), node("Identity", "c", "b")}, []string{"Relu"}},
		"from input to output":  {[]*Node{node("Identity", "x", "b")}, []string{"Identity"}},
		"dropout in training":   {[]*Node{{OpType: "Dropout", Inputs: []string{"x", "", "yes"}, Outputs: []string{"b"}}}, []string{"Dropout"}},
		"dropout's mask":        {[]*Node{{OpType: "Dropout", Inputs: []string{"x"}, Outputs: []string{"b", "mask"}}}, []string{"Dropout"}},
		"of another domain":     {[]*Node{{OpType: "Identity", Domain: "d", Inputs: []string{"x"}, Outputs: []string{"a"}}, node("Relu", "a", "b")}, []string{"Identity", "Relu"}},
		"what nobody needs too": {[]*Node{node("Relu", "x", "b"), node("Tanh", "x", "c")}, []string{"Relu"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := chain(t, c.nodes...)
			m.Graph.Initializers = []*Tensor{yes}
			RemoveIdentities(m.Graph)
			require.Equal(t, c.want, ops(m.Graph))
			if m.Graph.Nodes[0].Domain == "" {
				require.NoError(t, Check(m))
			}
		})
	}
}

func TestRemoveUnused(t *testing.T) {
	m := small(t)
	g := m.Graph
	g.Nodes = append(g.Nodes, node("Exp", "a", "dead"), node("Exp", "dead", "deader"))
	g.Initializers = append(g.Initializers, NewScalar("dead w", float32(1)), NewScalar("listed", float32(1)))
	g.Inputs = append(g.Inputs, ValueInfo{Name: "listed", Type: Float}, ValueInfo{Name: "unused", Type: Float})
	g.Values = []ValueInfo{{Name: "a"}, {Name: "dead"}}
	RemoveUnused(g)
	require.Equal(t, []string{"Relu", "Add"}, ops(g))
	require.Len(t, g.Initializers, 1)
	require.Equal(t, []ValueInfo{{Name: "a"}}, g.Values)
	require.Equal(t, "unused", g.Inputs[1].Name, "callers may still give it")
	require.Len(t, g.Inputs, 2)
}

func TestReplaceUsesReachesBranches(t *testing.T) {
	m := chain(t, node("Relu", "x", "a"), node("If", "x", "b"))
	m.Graph.Nodes[1].Attrs = Attrs{"then_branch": branch(node("Exp", "a", "q"))}
	require.Equal(t, []string{"x", "a"}, m.Graph.Nodes[1].Reads())
	users := m.Graph.Users()
	require.Len(t, users["a"], 1)
	require.Len(t, users["x"], 2)
	m.Graph.ReplaceUses("a", "x")
	require.Equal(t, []string{"x"}, m.Graph.Nodes[1].Reads())
	renameValues(m.Graph, map[string]string{"x": "input", "b": "output"})
	m.Graph.Inputs[0].Name = "input"
	require.ErrorIs(t, Check(m), ErrUnsupported, "every value is written; only the shape is not known")
	require.Equal(t, "output", m.Graph.Outputs[0].Name)
	require.Equal(t, []string{"input"}, m.Graph.Nodes[1].Attrs["then_branch"].G.Nodes[0].Inputs)
}

func TestNames(t *testing.T) {
	n := NewNames(small(t).Graph)
	require.Equal(t, "free", n.New("free"))
	require.Equal(t, "free_1", n.New("free"))
	require.Equal(t, "w_1", n.New("w"))
	require.Equal(t, "first_1", n.New("first"))
	require.Equal(t, "_1", n.New(""))
}

// TestFoldBatchNormRoundsOnce: merged weights and biases equal the exact products and sums,
// rounded once.
func TestFoldBatchNormRoundsOnce(t *testing.T) {
	w := []float32{0.1, -0.3, 1e-20, 7}
	bias, gamma, beta, mean, variance := []float32{0.7, -5}, []float32{0.3, -2}, []float32{0.01, 4}, []float32{1.5, -0.2}, []float32{0.33, 9}
	build := func(withBias bool) *Model {
		b := NewBuilder("n", 17)
		x := b.Input("x", Float, "N", 2, 3, 3)
		v := Value("")
		if withBias {
			v = b.Floats("b", bias, 2)
		}
		y := b.Conv(x, b.Floats("w", w, 2, 2, 1, 1), v)
		b.Output("y", b.BatchNorm(y, b.Floats("g", gamma, 2), b.Floats("be", beta, 2), b.Floats("m", mean, 2), b.Floats("v", variance, 2), 1e-3))
		return done(t, b)
	}
	for _, withBias := range []bool{true, false} {
		m := build(withBias)
		require.Equal(t, 1, FoldBatchNorm(m))
		require.NoError(t, Check(m))
		require.Equal(t, []string{"Conv"}, ops(m.Graph))
		require.Len(t, m.Graph.Initializers, 2)
		gotW, err := m.Graph.Initializers[0].Float32s()
		require.NoError(t, err)
		gotB, err := m.Graph.Initializers[1].Float32s()
		require.NoError(t, err)
		for c := range 2 {
			s := float64(gamma[c]) / math.Sqrt(float64(variance[c])+float64(float32(1e-3)))
			for i := range 2 {
				require.Equal(t, float32(float64(w[2*c+i])*s), gotW[2*c+i])
			}
			b0 := 0.0
			if withBias {
				b0 = float64(bias[c])
			}
			require.InEpsilon(t, (b0-float64(mean[c]))*s+float64(beta[c]), gotB[c], 1e-7)
		}
	}
	for name, spoil := range map[string]func(m *Model){
		"the convolution has other users": func(m *Model) {
			m.Graph.Nodes = append(m.Graph.Nodes, node("Relu", "Conv_0", "z"))
			m.Graph.Outputs = append(m.Graph.Outputs, ValueInfo{Name: "z"})
		},
		"the convolution is an output":   func(m *Model) { m.Graph.Outputs = append(m.Graph.Outputs, ValueInfo{Name: "Conv_0"}) },
		"training":                       func(m *Model) { m.Graph.Nodes[1].Attrs["training_mode"] = AttrInt(1) },
		"a weight comes from the caller": func(m *Model) { m.Graph.Inputs = append(m.Graph.Inputs, ValueInfo{Name: "w", Type: Float}) },
		"statistics come from the caller": func(m *Model) {
			m.Graph.Inputs = append(m.Graph.Inputs, ValueInfo{Name: "m", Type: Float, Shape: ShapeOf(2)})
		},
		"no convolution": func(m *Model) { m.Graph.Nodes[0].OpType = "ConvTranspose" },
	} {
		m := build(true)
		spoil(m)
		require.NoError(t, Check(m), name)
		require.Zero(t, FoldBatchNorm(m), name)
	}
}

func TestFoldBatchNormTwiceOnOneWeight(t *testing.T) {
	b := NewBuilder("n", 17)
	x := b.Input("x", Float, "N", 1, 3, 3)
	w := b.Floats("w", []float32{2}, 1, 1, 1, 1)
	one := b.Floats("one", []float32{1}, 1)
	for _, name := range []string{"p", "q"} {
		gamma := b.Floats("gamma_"+name, []float32{3}, 1)
		b.Output(name, b.BatchNorm(b.Conv(x, w, ""), gamma, one, one, one, 0))
	}
	m := done(t, b)
	require.Equal(t, 2, FoldBatchNorm(m))
	require.NoError(t, Check(m))
	for _, n := range m.Graph.Nodes {
		f, err := m.Graph.Initializer(n.Inputs[1]).Float32s()
		require.NoError(t, err)
		require.Equal(t, []float32{6}, f)
	}
}

func TestFoldConstants(t *testing.T) {
	b := NewBuilder("n", 17)
	x := b.Input("x", Float, 2, 3, 4)
	shape := b.Concat(0, b.Slice(b.Op("Shape", nil, x), 0, 0, 1), b.Ints(-1))
	c := b.Op("Constant", Attrs{"value_float": AttrFloat(2)})
	sum := b.Add(c, b.Scalar(3))
	b.Output("y", b.Mul(b.Op("Reshape", nil, x, shape), sum))
	b.Output("const", b.Op("Constant", Attrs{"value_int": AttrInt(1)}))
	m := done(t, b)
	require.NoError(t, FoldConstants(m))
	require.NoError(t, Check(m))
	require.Equal(t, []string{"Add", "Reshape", "Mul", "Constant"}, ops(m.Graph))
}

func TestSetBatch(t *testing.T) {
	allowZero := func(m *Model) *Model {
		for _, n := range m.Graph.Nodes {
			if n.Is("Reshape") {
				n.Attrs = map[string]Attr{"allowzero": AttrInt(1)}
			}
		}
		return m
	}
	build := func(batch any, reshape ...int64) *Model {
		b := NewBuilder("n", 17)
		x := b.Input("x", Float, batch, 2, 3)
		g := b.Input("g", Float, batch, 6)
		b.Output("y", b.Add(b.Reshape(x, reshape...), g))
		return done(t, b)
	}
	for name, c := range map[string]struct {
		m    *Model
		to   Dim
		want Shape
	}{
		"symbol to number":                       {build("N", 0, -1), D(8), ShapeOf(8, 6)},
		"number to symbol":                       {build(1, 1, -1), Sym("N"), Shape{Sym("N"), D(6)}},
		"number to symbol, all":                  {build(1, 1, 6), Sym("N"), Shape{Sym("N"), D(6)}},
		"number to symbol, open":                 {build(4, -1, 6), Sym("N"), Shape{Sym("N"), D(6)}},
		"number to symbol, as PyTorch writes it": {allowZero(build(1, 1, 6)), Sym("N"), Shape{Sym("N"), D(6)}},
		"number to number":                       {build(2, 2, 6), D(5), ShapeOf(5, 6)},
		"symbol to another symbol":               {build("N", 0, 6), Sym("batch"), Shape{Sym("batch"), D(6)}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, SetBatch(c.m, c.to))
			require.NoError(t, Check(c.m))
			require.Equal(t, c.want, c.m.Graph.Outputs[0].Shape)
			require.Equal(t, c.to, c.m.Graph.Inputs[1].Shape[0])
		})
	}
	same := func(m *Model, do func(m *Model) error) error {
		before := written(t, m)
		failure := do(m)
		require.Equal(t, before, written(t, m), "unchanged on error")
		return failure
	}
	require.ErrorIs(t, same(build("N", 0, 6), func(m *Model) error { return SetBatch(m, D(0)) }), ErrShape)
	require.ErrorIs(t, same(build("N", 0, 6), func(m *Model) error { return SetBatch(m, UnknownDim) }), ErrShape)

	// The batch is fixed at 2 by an operand of the sum, not by a reshape.
	b := NewBuilder("n", 17)
	x := b.Input("x", Float, 2, 3)
	b.Output("y", b.Add(x, b.Floats("w", make([]float32, 6), 2, 3)))
	m := done(t, b)
	require.ErrorIs(t, same(m, func(m *Model) error { return SetBatch(m, Sym("N")) }), ErrShape)
	require.ErrorIs(t, same(m, func(m *Model) error { return SetBatch(m, D(3)) }), ErrShape)
}
