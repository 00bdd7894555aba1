package onnxref

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// Run computes the outputs of a model. Inputs are given by name; those with an initializer may
// be left out. A symbolic dimension takes its size from the first input that has it.
func Run(m *onnx.Model, inputs map[string]*onnx.Tensor) (map[string]*onnx.Tensor, error) {
	all, err := Trace(m, inputs)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*onnx.Tensor, len(m.Graph.Outputs))
	for _, v := range m.Graph.Outputs {
		out[v.Name] = all[v.Name]
	}
	return out, nil
}

// RunFloats is Run for models with only float32 inputs and outputs. The rows of an input
// follow one another. The size of the symbolic dimension follows from the number of elements.
func RunFloats(m *onnx.Model, inputs map[string][]float32) (map[string][]float32, error) {
	tensors := make(map[string]*onnx.Tensor, len(inputs))
	for _, v := range m.Graph.Feeds() {
		data := inputs[v.Name]
		dims, known, open := make([]int64, len(v.Shape)), int64(1), -1
		for i, d := range v.Shape {
			if dims[i] = d.Size; !d.Known() {
				open = i
				continue
			}
			known *= d.Size
		}
		if open >= 0 {
			dims[open] = int64(len(data)) / known
		}
		tensors[v.Name] = onnx.NewTensor(v.Name, data, dims...)
	}
	outs, err := Run(m, tensors)
	if err != nil {
		return nil, err
	}
	floats := make(map[string][]float32, len(outs))
	for name, t := range outs {
		if floats[name], err = t.Float32s(); err != nil {
			return nil, err
		}
	}
	return floats, nil
}

// Trace is [Run], but returns every value of the graph, by name.
func Trace(m *onnx.Model, inputs map[string]*onnx.Tensor) (map[string]*onnx.Tensor, error) {
	m = m.Clone()
	if err := onnx.InlineFunctions(m); err != nil {
		return nil, err
	}
	if err := bind(m.Graph, inputs); err != nil {
		return nil, err
	}
	if err := onnx.Check(m); err != nil {
		return nil, err
	}
	vals, all := map[string]*array{}, map[string]*onnx.Tensor{}
	for _, t := range m.Graph.Initializers {
		a, err := load(t)
		if err != nil {
			return nil, err
		}
		vals[t.Name], all[t.Name] = a, t
	}
	for i, n := range m.Graph.Nodes {
		c := &call{Node: n}
		for _, name := range n.Inputs {
			c.in = append(c.in, vals[name])
		}
		outs, err := c.compute()
		if err != nil {
			return nil, fmt.Errorf("node %d (%s): %w", i, n, err)
		}
		for k, name := range n.Outputs {
			if name == "" {
				continue
			}
			if k >= len(outs) {
				return nil, fmt.Errorf("%w: output %d of %s", onnx.ErrUnsupported, k, n)
			}
			vals[name] = outs[k]
			if all[name], err = store(name, outs[k]); err != nil {
				return nil, fmt.Errorf("value %q: %w", name, err)
			}
		}
	}
	return all, nil
}

// bind makes the inputs constants of the graph, so that [onnx.Check] finds those that do
// not fit.
func bind(g *onnx.Graph, inputs map[string]*onnx.Tensor) error {
	sizes := map[string]int64{}
	for i := range g.Inputs {
		v := &g.Inputs[i]
		t := inputs[v.Name]
		if t == nil {
			if g.Initializer(v.Name) == nil {
				return fmt.Errorf("input %q is missing", v.Name)
			}
			continue
		}
		if t.Type != v.Type || v.Shape != nil && len(t.Dims) != len(v.Shape) {
			return fmt.Errorf("input %q is %v %v instead of %v %v", v.Name, t.Type, t.Dims, v.Type, v.Shape)
		}
		for k, d := range v.Shape {
			want := d.Size
			if d.Param != "" {
				if _, seen := sizes[d.Param]; !seen {
					sizes[d.Param] = t.Dims[k]
				}
				want = sizes[d.Param]
			}
			if want >= 0 && t.Dims[k] != want {
				return fmt.Errorf("input %q is %v, declared as %v", v.Name, t.Dims, v.Shape)
			}
		}
		v.Shape = t.Shape()
		bound := *t
		bound.Name = v.Name
		if w := g.Initializer(v.Name); w != nil {
			*w = bound
		} else {
			g.Initializers = append(g.Initializers, &bound)
		}
	}
	return nil
}

// call is one node with its inputs; an input that is left out is nil.
type call struct {
	*onnx.Node
	in []*array
}

func (c *call) arg(i int) *array {
	if i >= len(c.in) {
		return nil
	}
	return c.in[i]
}

// compute returns the results of the node.
func (c *call) compute() (outs []*array, err error) {
	if c.Is("Split") {
		outs = split(c)
	} else {
		f := operators[c.OpType]
		if f == nil || !c.IsDefault() {
			return nil, fmt.Errorf("%w: operator %s of domain %q", onnx.ErrUnsupported, c.OpType, c.Domain)
		}
		outs = []*array{f(c)}
	}
	for _, a := range outs {
		a.round()
	}
	return outs, nil
}

// axis returns the attribute axis, or def without it, as an index from 0 to rank-1.
func (c *call) axis(def int64, rank int) int { return front(int(c.Int("axis", def)), rank) }

// front returns an axis as an index from 0 to rank-1; a negative axis counts from the back.
func front(axis, rank int) int {
	if axis < 0 {
		return axis + rank
	}
	return axis
}

// list returns the integers of input i or, without that input, of an attribute; nil if the node has neither.
func (c *call) list(name string, i int) []int {
	if a := c.arg(i); a != nil {
		return a.ints()
	}
	if attr, ok := c.Ints(name); ok {
		return cast[int](attr)
	}
	return nil
}

// operators has the operators of the default domain that this package computes, except Split, which
// has several results.
var operators map[string]func(*call) *array

func init() {
	operators = map[string]func(*call) *array{
		"Gemm": gemm, "MatMul": matMul, "Conv": conv, "ConvTranspose": convTranspose,
		"BatchNormalization": batchNorm, "LayerNormalization": layerNorm,
		"Softmax":    func(c *call) *array { return softmax(c, false) },
		"LogSoftmax": func(c *call) *array { return softmax(c, true) },
		"ReduceSum":  func(c *call) *array { return reduce(c, total) }, "ReduceMean": func(c *call) *array { return reduce(c, mean) },
		"ReduceMax":         func(c *call) *array { return reduce(c, slices.Max) },
		"GlobalAveragePool": func(c *call) *array { return globalPool(c, mean) }, "GlobalMaxPool": func(c *call) *array { return globalPool(c, slices.Max) },
		"Reshape": reshape, "Flatten": flatten, "Transpose": transpose, "Concat": concat, "Squeeze": squeeze, "Unsqueeze": unsqueeze,
		"Expand": expand, "Pad": pad, "Shape": shape, "Constant": constant, "Slice": slice, "Gather": gather, "ArgMax": argMax,
		"Identity": func(c *call) *array { return c.in[0] }, "Where": where, "Clip": clip, "LeakyRelu": leakyRelu,
		"Cast":     func(c *call) *array { return convert(c.in[0], onnx.DataType(c.Int("to", 0))) },
		"CastLike": func(c *call) *array { return convert(c.in[0], c.in[1].typ) },
	}
	for name, f := range unary {
		operators[name] = func(c *call) *array { return mapped(c, f) }
	}
	for name, f := range binary {
		operators[name] = func(c *call) *array { return fold(c, c.in[0].typ, f) }
	}
	for name, holds := range compare {
		operators[name] = func(c *call) *array {
			return fold(c, onnx.Bool, func(a, b float64) float64 { return truth(holds(a, b)) })
		}
	}
}

// Double returns a copy of a model that computes in float64, so that difference quotients are
// precise.
func Double(m *onnx.Model) *onnx.Model {
	m = m.Clone()
	for _, list := range [][]onnx.ValueInfo{m.Graph.Inputs, m.Graph.Outputs} {
		for i := range list {
			if list[i].Type == onnx.Float {
				list[i].Type = onnx.Double
			}
		}
	}
	for i, c := range m.Graph.Initializers {
		if c.Type == onnx.Float {
			list, _ := c.Float64s()
			m.Graph.Initializers[i] = onnx.NewTensor(c.Name, list, c.Dims...)
		}
	}
	for _, n := range m.Graph.Nodes {
		if n.Is("Cast") && n.Int("to", 0) == int64(onnx.Float) {
			n.Attrs = onnx.Attrs{"to": onnx.AttrInt(int64(onnx.Double))}
		}
	}
	m.Graph.Values = nil
	return m
}
