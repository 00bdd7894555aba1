package onnxref

import (
	"fmt"
	"maps"

	"kosumi/nn/onnx"
)

// Run computes the outputs of a model. Inputs are given by name; those that an
// initializer backs may be left out. A symbolic dimension takes whatever size
// comes, the same one everywhere.
func Run(m *onnx.Model, inputs map[string]*onnx.Tensor) (map[string]*onnx.Tensor, error) {
	vals, err := run(m, inputs)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*onnx.Tensor, len(m.Graph.Outputs))
	for _, v := range m.Graph.Outputs {
		if out[v.Name], err = store(v.Name, vals[v.Name]); err != nil {
			return nil, fmt.Errorf("output %q: %w", v.Name, err)
		}
	}
	return out, nil
}

// RunFloats is Run for models whose inputs are all float32: rows of each input
// one after the other. The size of the first symbolic dimension follows from
// the number of elements; the outputs come back as float32.
func RunFloats(m *onnx.Model, inputs map[string][]float32) (map[string][]float32, error) {
	tensors := make(map[string]*onnx.Tensor, len(inputs))
	for _, v := range m.Graph.Feeds() {
		data, ok := inputs[v.Name]
		if !ok {
			return nil, fmt.Errorf("input %q is missing", v.Name)
		}
		dims, err := fit(v.Shape, len(data))
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", v.Name, err)
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

// fit finds the one open dimension of a shape from the number of elements.
func fit(s onnx.Shape, n int) ([]int64, error) {
	dims, known, open := make([]int64, len(s)), 1, -1
	for i, d := range s {
		switch {
		case d.Known():
			dims[i] = d.Size
			known *= int(d.Size)
		case open >= 0:
			return nil, fmt.Errorf("shape %v has more than one open dimension", s)
		default:
			open = i
		}
	}
	if open >= 0 && known > 0 {
		dims[open] = int64(n / known)
		known *= n / known
	}
	if known != n {
		return nil, fmt.Errorf("%d elements for shape %v", n, s)
	}
	return dims, nil
}

// Trace does as [Run] and returns every value of the graph, by name.
func Trace(m *onnx.Model, inputs map[string]*onnx.Tensor) (map[string]*onnx.Tensor, error) {
	vals, err := run(m, inputs)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*onnx.Tensor, len(vals))
	for name, a := range vals {
		if all[name], err = store(name, a); err != nil {
			return nil, fmt.Errorf("value %q: %w", name, err)
		}
	}
	return all, nil
}

// Eval computes a single node; it is an [onnx.Evaluator].
func Eval(n *onnx.Node, opset int64, inputs []*onnx.Tensor) ([]*onnx.Tensor, error) {
	c := &call{Node: n, opset: opset}
	for _, t := range inputs {
		if t == nil {
			c.in = append(c.in, nil)
			continue
		}
		a, err := load(t)
		if err != nil {
			return nil, err
		}
		c.in = append(c.in, a)
	}
	outs, err := c.compute()
	if err != nil {
		return nil, err
	}
	tensors := make([]*onnx.Tensor, len(outs))
	for i, a := range outs {
		if tensors[i], err = store(n.Output(i), a); err != nil {
			return nil, err
		}
	}
	return tensors, nil
}

func run(m *onnx.Model, inputs map[string]*onnx.Tensor) (map[string]*array, error) {
	if err := onnx.Check(m); err != nil {
		return nil, err
	}
	if len(m.Functions) > 0 {
		m = m.Clone()
		if err := onnx.InlineFunctions(m); err != nil {
			return nil, err
		}
	}
	vals := map[string]*array{}
	for _, t := range m.Graph.Initializers {
		a, err := load(t)
		if err != nil {
			return nil, err
		}
		vals[t.Name] = a
	}
	if err := feed(m.Graph, inputs, vals); err != nil {
		return nil, err
	}
	for i, n := range m.Graph.Nodes {
		if err := step(m.Opset, n, vals); err != nil {
			return nil, fmt.Errorf("node %d (%s): %w", i, n, err)
		}
	}
	return vals, nil
}

// feed checks the inputs against what the graph declares and adds them.
func feed(g *onnx.Graph, inputs map[string]*onnx.Tensor, vals map[string]*array) error {
	rest := maps.Clone(inputs)
	sizes := map[string]int64{}
	for _, v := range g.Inputs {
		t, ok := rest[v.Name]
		if !ok {
			if vals[v.Name] == nil {
				return fmt.Errorf("input %q is missing", v.Name)
			}
			continue
		}
		delete(rest, v.Name)
		if t.Type != v.Type || v.Shape != nil && len(t.Dims) != len(v.Shape) {
			return fmt.Errorf("input %q is %v %v instead of %v %v", v.Name, t.Type, t.Dims, v.Type, v.Shape)
		}
		for i, d := range v.Shape {
			want := d.Size
			if d.Param != "" {
				if _, seen := sizes[d.Param]; !seen {
					sizes[d.Param] = t.Dims[i]
				}
				want = sizes[d.Param]
			}
			if want >= 0 && t.Dims[i] != want {
				return fmt.Errorf("input %q is %v, declared as %v (%v)", v.Name, t.Dims, v.Shape, sizes)
			}
		}
		a, err := load(t)
		if err != nil {
			return fmt.Errorf("input %q: %w", v.Name, err)
		}
		vals[v.Name] = a
	}
	for name := range rest {
		return fmt.Errorf("the model has no input %q", name)
	}
	return nil
}

// step computes one node and adds its results.
func step(opset int64, n *onnx.Node, vals map[string]*array) error {
	c := &call{Node: n, opset: opset}
	for _, name := range n.Inputs {
		c.in = append(c.in, vals[name])
	}
	outs, err := c.compute()
	if err != nil {
		return err
	}
	for i, name := range n.Outputs {
		if name == "" {
			continue
		}
		if i >= len(outs) {
			return fmt.Errorf("%w: output %d of %s", onnx.ErrUnsupported, i, n.OpType)
		}
		vals[name] = outs[i]
	}
	return nil
}

// call is one node with its inputs; one that is left out is nil.
type call struct {
	*onnx.Node
	opset int64
	in    []*array
}

func (c *call) arg(i int) *array {
	if i >= len(c.in) {
		return nil
	}
	return c.in[i]
}

// kernel computes the results of an operator.
type kernel func(c *call) ([]*array, error)

func (c *call) compute() ([]*array, error) {
	k, ok := kernels[c.OpType]
	if !ok || !c.IsDefault() {
		return nil, fmt.Errorf("%w: operator %s of domain %q", onnx.ErrUnsupported, c.OpType, c.Domain)
	}
	outs, err := k(c)
	for _, a := range outs {
		a.round()
	}
	return outs, err
}

// axis turns a negative axis into a place.
func (c *call) axis(axis int64, rank int) (int, error) {
	if axis < -int64(rank) || axis >= int64(rank) {
		return 0, fmt.Errorf("%w: axis %d of %d", onnx.ErrShape, axis, rank)
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), nil
}

// list returns integers that come as an attribute or as input i; nil where
// they come as neither.
func (c *call) list(name string, i int) []int {
	if a := c.arg(i); a != nil {
		return a.ints()
	}
	attr, ok := c.Ints(name)
	if !ok {
		return nil
	}
	out := make([]int, len(attr))
	for k, v := range attr {
		out[k] = int(v)
	}
	return out
}

func errShape(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{onnx.ErrShape}, args...)...)
}

// kernels lists the operators of the default domain that this package computes.
var kernels map[string]kernel

func init() {
	kernels = map[string]kernel{}
	for _, group := range []map[string]kernel{elementwise(), linear(), spatial(), shaping(), indexing(), reducing(), quantizing()} {
		maps.Copy(kernels, group)
	}
}
