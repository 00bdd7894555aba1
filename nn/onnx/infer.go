package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// ErrShape marks a graph whose types or shapes do not fit together.
var ErrShape = errors.New("types or shapes do not fit")

// maxVals is the length up to which the elements of integer tensors are followed through
// the graph: operators such as Reshape read shapes from them.
const maxVals = 64

// info is what is known about a value.
type info struct {
	typ   DataType // Undefined: not known
	shape Shape    // nil if unknown
	vals  []elem   // elements of an integer or bool tensor of at most maxVals; nil if unknown
	blame *Node    // node with an unknown operator that makes the shape unknown
}

// elem is one element of a small integer or bool tensor: a number, the size of a
// symbolic dimension, or unknown (the zero value).
type elem struct {
	n     int64
	known bool
	sym   string
}

func number(n int64) elem { return elem{n: n, known: true} }

// elemOf returns the element that the operator Shape makes of a dimension.
func elemOf(d Dim) elem {
	switch {
	case d.Param != "":
		return elem{sym: d.Param}
	case d.Size >= 0:
		return number(d.Size)
	}
	return elem{}
}

// dim returns the dimension whose size an element gives.
func (e elem) dim() Dim {
	switch {
	case e.sym != "":
		return Sym(e.sym)
	case e.known && e.n >= 0:
		return D(e.n)
	}
	return UnknownDim
}

// Inference follows types and shapes through a graph one node at a time and keeps what is known
// about each value. Callers may fix sizes that the file leaves open, or give results of operators
// that this package does not know.
type Inference struct {
	opset  int64
	values map[string]info
}

// NewInference returns an inference that knows the constants of a model. [Inference.Give] adds
// inputs and results of unknown operators.
func NewInference(m *Model) *Inference {
	f := newInference(m.Opset)
	for _, t := range m.Graph.Initializers {
		f.setTensor(t)
	}
	return f
}

func newInference(opset int64) *Inference {
	return &Inference{opset: opset, values: map[string]info{}}
}

func (f *Inference) get(name string) info { return f.values[name] }

func (f *Inference) setTensor(t *Tensor) { f.values[t.Name] = tensorInfo(t) }

// Give sets the type and shape of a value.
func (f *Inference) Give(name string, typ DataType, s Shape) {
	f.values[name] = info{typ: typ, shape: s}
}

// Value returns the type and shape of a value, [Undefined] and nil where they are unknown.
func (f *Inference) Value(name string) (DataType, Shape) {
	v := f.values[name]
	return v.typ, v.shape
}

// Constant returns a short tensor of integers, such as a shape, if all its elements are
// known, else nil.
func (f *Inference) Constant(name string) *Tensor { return f.values[name].tensor() }

// tensorInfo returns what is known about a constant.
func tensorInfo(t *Tensor) info {
	v := info{typ: t.Type, shape: t.Shape()}
	if n, ok := t.Len(); !ok || n > maxVals || len(t.Dims) > 1 || !t.Type.IsInt() && t.Type != Bool {
		return v
	}
	list, err := t.Int64s()
	if err != nil {
		return v
	}
	v.vals = make([]elem, len(list))
	for i, n := range list {
		v.vals[i] = number(n)
	}
	return v
}

// call is one node with what is known about its inputs; an operator's rule fills in the outputs.
type call struct {
	*Node
	opset int64
	in    []info
	out   []info
}

func (c *call) has(i int) bool { return c.Input(i) != "" }

func (c *call) at(i int) info {
	if i < 0 || i >= len(c.in) {
		return info{}
	}
	return c.in[i]
}

func (c *call) shape(i int) Shape { return c.at(i).shape }

// give fills output i.
func (c *call) give(i int, typ DataType, s Shape) {
	if i < len(c.out) {
		c.out[i] = info{typ: typ, shape: s}
	}
}

// fault is an error that ends a rule: fail panics with it, apply catches it.
type fault struct{ error }

// fail ends the rule with an error that wraps [ErrShape].
func (c *call) fail(format string, args ...any) {
	panic(fault{fmt.Errorf("%w: "+format, append([]any{ErrShape}, args...)...)})
}

// apply runs the operator's rule.
func (c *call) apply(rule func(*call)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = r.error
		default:
			panic(r)
		}
	}()
	rule(c)
	return nil
}

// sameTypes checks that the given inputs have one element type, where known,
// and returns it.
func (c *call) sameTypes(inputs ...int) DataType {
	typ := Undefined
	for _, i := range inputs {
		t := c.at(i).typ
		switch {
		case t == Undefined:
		case typ == Undefined:
			typ = t
		case t != typ:
			c.fail("input %d (%q) is %v, another is %v", i, c.Input(i), t, typ)
		}
	}
	return typ
}

// floats is sameTypes, but refuses all types except floating point.
func (c *call) floats(inputs ...int) DataType {
	typ := c.sameTypes(inputs...)
	if typ != Undefined && !typ.IsFloat() {
		c.fail("input %q is %v, a floating-point type is needed", c.Input(inputs[0]), typ)
	}
	return typ
}

// axis returns an axis as an index from 0 to rank-1; a negative axis counts from the back.
func (c *call) axis(axis int64, rank int) int {
	if axis < -int64(rank) || axis >= int64(rank) {
		c.fail("axis %d of %d", axis, rank)
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}

// list returns the numbers that input i holds, where all are known.
func (c *call) list(i int) (list []int64, ok bool) {
	vals := c.at(i).vals
	if vals == nil {
		return nil, false
	}
	list = make([]int64, len(vals))
	for j, e := range vals {
		if !e.known {
			return nil, false
		}
		list[j] = e.n
	}
	return list, true
}

// Node infers the outputs of a node from its inputs. Outputs of an unknown operator are unknown;
// others have the type of the first input unless the rule says otherwise. Errors wrap [ErrShape] or
// [ErrGraph].
func (f *Inference) Node(n *Node) error {
	c := &call{Node: n, opset: f.opset, in: make([]info, len(n.Inputs)), out: make([]info, len(n.Outputs))}
	var blame *Node
	for i, name := range n.Inputs {
		c.in[i] = f.values[name]
		if b := c.in[i].blame; b != nil && blame == nil {
			blame = b
		}
	}
	op, known := lookup(n)
	if known {
		if err := op.arity(n); err != nil {
			return err
		}
		c.out[0].typ = c.at(0).typ
		if err := c.apply(op.infer); err != nil {
			return err
		}
	} else {
		blame = n
	}
	for i, name := range n.Outputs {
		if name == "" {
			continue
		}
		if c.out[i].shape == nil || c.out[i].typ == Undefined {
			c.out[i].blame = blame
		}
		f.values[name] = c.out[i]
	}
	return nil
}

// InferShapes returns the shape of every value of the model's graph, by name;
// values in graphs within attributes are left out. Symbolic dimensions stay
// symbolic as far as arithmetic allows. A shape that does not follow from the graph is
// the declared one; without a declaration it is nil.
//
// Errors wrap [ErrShape] where shapes do not fit, or [ErrUnsupported] where the shape of an
// output of the graph depends on an operator that this package does not know.
func InferShapes(m *Model) (map[string]Shape, error) {
	infos, err := InferTypes(m)
	if err != nil {
		return nil, err
	}
	shapes := make(map[string]Shape, len(infos))
	for name, v := range infos {
		shapes[name] = v.Shape
	}
	return shapes, nil
}

// InferTypes is [InferShapes], but returns element types too.
func InferTypes(m *Model) (map[string]ValueInfo, error) {
	f, err := infer(m)
	if err != nil {
		return nil, err
	}
	infos := make(map[string]ValueInfo, len(f.values))
	for name, v := range f.values {
		infos[name] = ValueInfo{Name: name, Type: v.typ, Shape: v.shape}
	}
	return infos, nil
}

func infer(m *Model) (*Inference, error) {
	if m == nil || m.Graph == nil {
		return nil, fmt.Errorf("%w: no graph", ErrFormat)
	}
	if len(m.Functions) > 0 {
		inlined := m.Clone()
		if err := InlineFunctions(inlined); err != nil {
			return nil, err
		}
		m = inlined
	}
	g := m.Graph
	f := begin(m)
	hints := byName(g.Values)
	promises := byName(g.Outputs)
	for i, n := range g.Nodes {
		if err := f.Node(n); err != nil {
			return nil, fmt.Errorf("node %d (%s): %w", i, n, err)
		}
		for _, name := range n.Outputs {
			// Files, PyTorch's among them, often declare wrong shapes for inner values: a
			// declaration counts only if it contradicts nothing.
			if v, ok := hints[name]; ok {
				_ = f.believe(v)
			}
			v, ok := promises[name]
			if !ok {
				continue
			}
			if err := f.believe(v); err != nil {
				return nil, fmt.Errorf("node %d (%s): %w", i, n, err)
			}
		}
	}
	for _, v := range g.Outputs {
		if got := f.get(v.Name); got.shape == nil && got.blame != nil {
			return nil, fmt.Errorf("%w: operator %s of domain %q (node %s): the shape of output %q hangs on it",
				ErrUnsupported, got.blame.OpType, got.blame.Domain, got.blame, v.Name)
		}
	}
	return f, nil
}

// begin returns an inference that knows a model's constants and the declared inputs.
func begin(m *Model) *Inference {
	f := NewInference(m)
	for _, v := range m.Graph.Inputs {
		if _, constant := f.values[v.Name]; !constant {
			f.Give(v.Name, v.Type, v.Shape)
		}
	}
	return f
}

func byName(list []ValueInfo) map[string]ValueInfo {
	m := make(map[string]ValueInfo, len(list))
	for _, v := range list {
		m[v.Name] = v
	}
	return m
}

// believe completes the inferred type and shape of a value with its declaration in the file; a
// contradiction is an error.
func (f *Inference) believe(v ValueInfo) error {
	got := f.values[v.Name]
	switch {
	case got.typ == Undefined:
		got.typ = v.Type
	case v.Type != Undefined && v.Type != got.typ:
		return fmt.Errorf("%w: %q is declared as %v and comes out as %v", ErrShape, v.Name, v.Type, got.typ)
	}
	if got.shape == nil {
		got.shape = slices.Clone(v.Shape)
	}
	if v.Shape != nil && len(v.Shape) != len(got.shape) {
		return fmt.Errorf("%w: %q is declared as %v and comes out as %v", ErrShape, v.Name, v.Shape, got.shape)
	}
	got.shape = slices.Clone(got.shape)
	for i, d := range v.Shape {
		switch have := got.shape[i]; {
		case have == UnknownDim:
			got.shape[i] = d
		case have.Known() && d.Known() && have.Size != d.Size:
			return fmt.Errorf("%w: %q is declared as %v and comes out as %v", ErrShape, v.Name, v.Shape, got.shape)
		}
	}
	f.values[v.Name] = got
	return nil
}
