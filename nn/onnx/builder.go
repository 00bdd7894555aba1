package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Value names a tensor of a graph under construction. "" is an optional input
// that is left out.
type Value string

// ErrBuild marks a graph that was built wrongly.
var ErrBuild = errors.New("cannot build graph")

// MinOpset and MaxOpset bound the opsets of the default domain that Builder writes.
// The rest of the package also knows the operators of opsets 9 to 12.
const (
	MinOpset = 13
	MaxOpset = 21
)

// Builder writes a graph node by node. Nothing in it panics: the first mistake
// is kept and [Builder.Model] returns it; after a mistake every call returns ""
// and does nothing. Names follow from the order of the calls alone, so equal
// calls make byte-identical files.
//
// A builder that [Builder.In] returned writes to the same graph and puts its
// prefix before the names of nodes and values.
type Builder struct {
	prefix string
	*build
}

// build is shared by all builders of one graph.
type build struct {
	opset   int64
	opsets  map[string]int64
	graph   *Graph
	err     error
	taken   map[string]bool   // names of values in use
	counts  map[string]int    // number of nodes by prefix and operator
	consts  map[string]Value  // constants that the builder has named, by content
	outputs map[string]Value  // graph output -> its value
	rename  map[string]string // value -> its name as an output of the finished graph
	shapes  *Inference
}

// NewBuilder begins a graph for an opset of the default domain, between
// MinOpset and MaxOpset.
func NewBuilder(name string, opset int64) *Builder {
	b := &Builder{build: &build{
		opset:   opset,
		graph:   &Graph{Name: name},
		taken:   map[string]bool{},
		counts:  map[string]int{},
		consts:  map[string]Value{},
		outputs: map[string]Value{},
		rename:  map[string]string{},
	}}
	if opset < MinOpset || opset > MaxOpset {
		b.Fail("opset %d is not between %d and %d", opset, MinOpset, MaxOpset)
	}
	b.shapes = newInference(opset)
	return b
}

// Extend returns a builder that continues a model: its values can be used by their names, new nodes
// come after its nodes and new outputs after its outputs. The model is not changed; its metadata
// and producer are not copied.
func Extend(m *Model) (*Builder, error) {
	if err := Check(m); err != nil {
		return nil, err
	}
	c := m.Clone()
	if err := InlineFunctions(c); err != nil {
		return nil, err
	}
	shapes, err := infer(c)
	if err != nil {
		return nil, err
	}
	b := NewBuilder(c.Graph.Name, c.Opset)
	b.graph, b.opsets, b.shapes = c.Graph, c.Opsets, shapes
	for _, v := range c.Graph.Inputs {
		b.taken[v.Name] = true
	}
	for _, t := range c.Graph.Initializers {
		b.taken[t.Name] = true
	}
	for _, n := range c.Graph.Nodes {
		for _, out := range n.Outputs {
			b.taken[out] = true
		}
	}
	for _, v := range c.Graph.Outputs {
		b.outputs[v.Name] = Value(v.Name)
		b.rename[v.Name] = v.Name // a second output of this value must be a copy
	}
	return b, b.err
}

// In returns a builder of the same graph that names nodes and values under
// "scope.", inside its own prefix if it has one.
func (b *Builder) In(scope string) *Builder {
	return &Builder{prefix: b.prefix + scope + ".", build: b.build}
}

// Err returns the first mistake so far.
func (b *build) Err() error { return b.err }

// Fail records a mistake, unless there is one already.
func (b *build) Fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%w: "+format, append([]any{ErrBuild}, args...)...)
	}
}

// claim reserves a value's name, or fails if the name is in use.
func (b *build) claim(name string) bool {
	switch {
	case b.err != nil:
	case name == "":
		b.Fail("a value needs a name")
	case b.taken[name]:
		b.Fail("two values are named %q", name)
	default:
		b.taken[name] = true
		return true
	}
	return false
}

// Input declares an input of the graph. Its name is taken as it is, without the
// prefix. A dimension is an int or int64, a string (symbol), or a Dim.
func (b *Builder) Input(name string, t DataType, dims ...any) Value {
	shape := make(Shape, len(dims))
	for i, d := range dims {
		switch d := d.(type) {
		case int:
			shape[i] = D(int64(d))
		case int64:
			shape[i] = D(d)
		case string:
			shape[i] = Sym(d)
		case Dim:
			shape[i] = d
		default:
			b.Fail("input %q: dimension %d is a %T, use int, int64, string or Dim", name, i, d)
		}
		if !shape[i].Known() && shape[i].Param == "" && b.err == nil {
			b.Fail("input %q: dimension %d is neither a number nor a symbol", name, i)
		}
	}
	if !b.claim(name) {
		return ""
	}
	v := ValueInfo{Name: name, Type: t, Shape: shape}
	b.graph.Inputs = append(b.graph.Inputs, v)
	b.shapes.Give(name, t, shape)
	return Value(name)
}

// Output makes v an output of the graph by the given name (without prefix).
// Type and shape follow from the graph.
func (b *Builder) Output(name string, v Value) {
	if b.err == nil && !b.taken[string(v)] {
		b.Fail("output %q shows a value %q that does not exist", name, v)
	}
	if !b.claim(name) {
		return
	}
	made := slices.ContainsFunc(b.graph.Nodes, func(n *Node) bool { return slices.Contains(n.Outputs, string(v)) })
	if _, twice := b.rename[string(v)]; twice || !made {
		// Inputs, constants and values that are an output already are copied.
		b.addNode(&Node{OpType: "Identity", Inputs: []string{string(v)}, Outputs: []string{name}})
	} else {
		b.rename[string(v)] = name
	}
	b.outputs[name] = v
	b.graph.Outputs = append(b.graph.Outputs, ValueInfo{Name: name})
}

// Tensor adds an initializer, under the prefix and the tensor's own name. The
// elements are not copied.
func (b *Builder) Tensor(t *Tensor) Value {
	if b.err != nil {
		return ""
	}
	if err := t.Check(); err != nil {
		b.Fail("%w", err)
		return ""
	}
	c := *t
	c.Name = b.prefix + t.Name
	if !b.claim(c.Name) {
		return ""
	}
	b.graph.Initializers = append(b.graph.Initializers, &c)
	b.shapes.setTensor(&c)
	return Value(c.Name)
}

// Floats adds a float32 initializer: a weight.
func (b *Builder) Floats(name string, data []float32, dims ...int64) Value {
	return b.Tensor(NewTensor(name, data, dims...))
}

// Ints returns a constant vector of int64. Equal constants are stored once.
func (b *Builder) Ints(list ...int64) Value {
	return b.Const(NewTensor("", list, int64(len(list))))
}

// Int returns a constant int64 without dimensions. Equal constants are stored once.
func (b *Builder) Int(v int64) Value { return b.Const(NewScalar("", v)) }

// Scalar returns a constant float32 without dimensions. Equal constants are
// stored once.
func (b *Builder) Scalar(v float64) Value { return b.Const(NewScalar("", float32(v))) }

// Const returns a constant of any type, shape and content, named by the
// builder. Equal constants are stored once. For weights use Tensor.
func (b *Builder) Const(t *Tensor) Value {
	if b.err != nil {
		return ""
	}
	key := fmt.Sprint(t.Type, t.Dims, "|", string(t.Raw))
	if v, ok := b.consts[key]; ok {
		return v
	}
	root := Builder{build: b.build}
	c := *t
	for {
		c.Name = fmt.Sprintf("const_%d", root.next("const"))
		if !b.taken[c.Name] {
			break
		}
	}
	v := root.Tensor(&c)
	b.consts[key] = v
	return v
}

func (b *Builder) next(kind string) int {
	key := b.prefix + kind
	n := b.counts[key]
	b.counts[key] = n + 1
	return n
}

// Op adds a node of the default domain with one output.
func (b *Builder) Op(op string, attrs Attrs, inputs ...Value) Value {
	return b.Node("", op, 1, attrs, inputs...)[0]
}

// Node adds any node and returns its outputs. A domain other than "" must have
// been declared by [Builder.UseDomain]. Trailing inputs of "" are left out.
func (b *Builder) Node(domain, op string, outputs int, attrs Attrs, inputs ...Value) []Value {
	outs := make([]Value, max(outputs, 1))
	if b.err != nil {
		return outs
	}
	n := &Node{OpType: op, Domain: domain, Attrs: maps.Clone(attrs)}
	if _, ok := b.opsets[domain]; !ok && domain != "" {
		b.Fail("%s: domain %q was not declared", op, domain)
		return outs
	}
	for i, in := range inputs {
		if in != "" && !b.taken[string(in)] {
			b.Fail("%s%s: input %d is %q, which does not exist", b.prefix, op, i, in)
			return outs
		}
		n.Inputs = append(n.Inputs, string(in))
	}
	for len(n.Inputs) > 0 && n.Inputs[len(n.Inputs)-1] == "" {
		n.Inputs = n.Inputs[:len(n.Inputs)-1]
	}
	for n.Name == "" || b.taken[n.Name] {
		n.Name = fmt.Sprintf("%s%s_%d", b.prefix, op, b.next(op))
	}
	for i := range outs {
		out := n.Name
		if len(outs) > 1 {
			out = fmt.Sprintf("%s.%d", n.Name, i)
		}
		if !b.claim(out) {
			return make([]Value, len(outs))
		}
		n.Outputs = append(n.Outputs, out)
		outs[i] = Value(out)
	}
	if !b.addNode(n) {
		return make([]Value, len(outs))
	}
	return outs
}

// addNode checks a node, infers its outputs and appends it.
func (b *build) addNode(n *Node) bool {
	if b.err != nil {
		return false
	}
	if err := b.shapes.Node(n); err != nil {
		b.Fail("%s: %w", strings.TrimSuffix(n.Name, "."), err)
		return false
	}
	b.graph.Nodes = append(b.graph.Nodes, n)
	return true
}

// UseDomain declares a further operator domain and its version.
func (b *Builder) UseDomain(domain string, version int64) {
	if b.opsets == nil {
		b.opsets = map[string]int64{}
	}
	if v, ok := b.opsets[domain]; ok && v != version {
		b.Fail("domain %q is wanted in versions %d and %d", domain, v, version)
	}
	b.opsets[domain] = version
}

// Shape returns the known shape of a value; nil if unknown.
func (b *Builder) Shape(v Value) Shape { return b.shapes.get(string(v)).shape }

// Type returns the element type of a value, Undefined where it is not known.
func (b *Builder) Type(v Value) DataType { return b.shapes.get(string(v)).typ }

// Model ends the graph and returns it, checked, with the given metadata.
func (b *Builder) Model(meta map[string]string) (*Model, error) {
	if b.err != nil {
		return nil, b.err
	}
	m := &Model{
		IRVersion: irVersion(b.opset),
		Opset:     b.opset,
		Opsets:    maps.Clone(b.opsets),
		Producer:  "kosumi",
		Metadata:  maps.Clone(meta),
		Graph:     b.graph.Clone(),
	}
	renameValues(m.Graph, b.rename)
	for i := range m.Graph.Outputs {
		out := &m.Graph.Outputs[i]
		v := b.shapes.get(string(b.outputs[out.Name]))
		out.Type, out.Shape = v.typ, v.shape
	}
	if err := Check(m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBuild, err)
	}
	return m, nil
}

func irVersion(opset int64) int64 {
	switch {
	case opset >= 21:
		return 10
	case opset >= 19:
		return 9
	case opset >= 15:
		return 8
	}
	return 7
}
