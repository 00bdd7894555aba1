package onnxgo

import (
	"errors"
	"fmt"
	"slices"

	"kosumi/nn"
	"kosumi/nn/onnx"
)

// Limits on sizes in a file.
const (
	maxNodes     = 20_000  // nodes of a model
	maxValues    = 1 << 24 // float32 values of one tensor
	maxConstants = 1 << 27 // float32 values of all constants together
)

// value is a tensor of the lowered graph: one that nodes compute, or a constant.
type value struct {
	shape  []int // shape of one row, with a batch of 1; never empty once lowered
	name   string
	consts []float32 // elements of a constant; nil for computed values
}

func (v value) isConst() bool { return v.consts != nil }

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// bounded reports whether a shape has no empty dimension and at most maxValues elements.
func bounded(shape []int) bool {
	n := 1
	for _, d := range shape {
		if d <= 0 || n > maxValues/d {
			return false
		}
		n *= d
	}
	return true
}

// lowering rewrites one model, from the outputs back to the inputs. Nodes that no output needs
// are left out.
type lowering struct {
	infos    map[string]onnx.ValueInfo
	makers   map[string]*onnx.Node   // nodes by the name of their output
	tensors  map[string]*onnx.Tensor // constants by name
	done     map[string]value
	underway map[string]bool
	graph    *onnx.Graph
	made     map[string]value // results of lowered nodes, by operator, attributes, shape and inputs
	count    int
	spent    int // values of constants
}

// fault is an error that ends the lowering of a value: fail panics with it, attempt catches it.
type fault struct{ error }

func fail(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

// attempt calls f and returns the error with which it fails.
func attempt[T any](f func() T) (v T, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = r.error
		default:
			panic(r)
		}
	}()
	return f(), nil
}

// lower returns a model that computes one row and has the inputs and outputs of spec in the same
// order. It changes file.
func lower(file *onnx.Model, spec *nn.Spec) (*onnx.Model, error) {
	if n := len(file.Graph.Nodes); n > maxNodes {
		return nil, fmt.Errorf("%w: it has %d nodes, at most %d are possible", ErrModel, n, maxNodes)
	}
	if err := fit(file, spec); err != nil {
		return nil, err
	}
	onOneRow(file.Graph, spec)
	if err := onnx.Simplify(file); err != nil {
		return nil, fmt.Errorf("%w: for one row: %w", ErrModel, err)
	}
	infos, err := onnx.InferTypes(file)
	if err != nil {
		return nil, fmt.Errorf("%w: for one row: %w", ErrModel, err)
	}
	for i := range file.Graph.Outputs {
		file.Graph.Outputs[i] = infos[file.Graph.Outputs[i].Name]
	}
	if err := fit(file, spec); err != nil {
		return nil, err
	}
	l := &lowering{
		infos: infos, makers: file.Graph.Producers(), tensors: file.Graph.InitializerMap(),
		done: map[string]value{}, underway: map[string]bool{}, graph: &onnx.Graph{Name: "lowered"}, made: map[string]value{},
	}
	for i := range spec.Inputs {
		l.input(i, &spec.Inputs[i])
	}
	for i := range spec.Outputs {
		name := spec.Outputs[i].Name
		v, err := attempt(func() value { return l.get(name) })
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", name, err)
		}
		l.graph.Outputs = append(l.graph.Outputs, info(l.named(v)))
	}
	l.separateOutputs()
	l.ownReshapes()
	return &onnx.Model{IRVersion: 8, Opset: 9, Producer: "kosumi", Graph: l.graph}, nil
}

// fit checks that a model has the inputs and outputs of spec and can compute one row at a time.
func fit(m *onnx.Model, spec *nn.Spec) error {
	rows, err := onnx.Fit(m.Graph, spec.Inputs, spec.Outputs)
	if err == nil && rows > 1 {
		err = fmt.Errorf("the network takes exactly %d rows a run, and this backend computes one at a time", rows)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", nn.ErrSpec, err)
	}
	return nil
}

// onOneRow gives the inputs the shape of one row, and drops outputs that spec does not name.
func onOneRow(g *onnx.Graph, spec *nn.Spec) {
	for i := range g.Inputs {
		in := &g.Inputs[i]
		if at := named(spec.Inputs, in.Name); at >= 0 {
			in.Shape, in.Type = onnx.ShapeOf(dims(append([]int{1}, spec.Inputs[at].Shape...))...), onnx.Float
		}
	}
	g.Values = nil
	g.Outputs = slices.DeleteFunc(g.Outputs, func(v onnx.ValueInfo) bool { return named(spec.Outputs, v.Name) < 0 })
	onnx.RemoveUnused(g)
}

func named(specs []nn.TensorSpec, name string) int {
	return slices.IndexFunc(specs, func(s nn.TensorSpec) bool { return s.Name == name })
}

func (l *lowering) fresh() string {
	l.count++
	return fmt.Sprintf("v%d", l.count)
}

func (l *lowering) input(i int, s *nn.TensorSpec) {
	v := value{shape: append([]int{1}, s.Shape...), name: fmt.Sprintf("x%d", i)}
	l.done[s.Name] = v
	l.graph.Inputs = append(l.graph.Inputs, info(v))
}

func info(v value) onnx.ValueInfo {
	return onnx.ValueInfo{Name: v.name, Type: onnx.Float, Shape: onnx.ShapeOf(dims(v.shape)...)}
}

func (l *lowering) get(name string) value {
	if v, ok := l.done[name]; ok {
		return v
	}
	if t := l.tensors[name]; t != nil {
		l.done[name] = constant(t)
		return l.done[name]
	}
	n := l.makers[name]
	if n == nil {
		fail("%w: nothing computes %q", ErrModel, name)
	}
	if l.underway[name] {
		fail("%w: %q depends on itself", ErrModel, name)
	}
	l.underway[name] = true
	l.done[name] = l.rewrite(n, name)
	return l.done[name]
}

func (l *lowering) rewrite(n *onnx.Node, name string) value {
	rule := rules[n.OpType]
	if rule == nil || !n.IsDefault() {
		refuse(n, "it has no counterpart")
	}
	if n.Output(0) != name {
		refuse(n, "only its first output can be computed")
	}
	v, err := attempt(func() value { return rule(l, n, l.plain(n, 0)) })
	switch {
	case errors.Is(err, ErrModel), errors.Is(err, ErrOperator):
		panic(fault{err})
	case err != nil:
		refuse(n, err.Error())
	case l.spent > maxConstants:
		fail("%w: it needs more than %d constant numbers", ErrModel, maxConstants)
	}
	// The result of the rule must have as many elements as shape inference expects.
	if want, err := attempt(func() []int { return l.shapeOf(name) }); err == nil && size(want) != size(v.shape) {
		fail("%w: %s makes %v where %v was expected", ErrModel, n.OpType, v.shape, want)
	}
	return v
}

// refuse fails with an error that names the operator of n and says why it cannot be run.
func refuse(n *onnx.Node, why string) {
	op := n.OpType
	if !n.IsDefault() {
		op = n.Domain + "." + op
	}
	if n.Name != "" {
		op += fmt.Sprintf(" (node %q)", n.Name)
	}
	fail("%w: %s: %s", ErrOperator, op, why)
}

// constant reads a tensor of floating-point numbers.
func constant(t *onnx.Tensor) value {
	if !t.Type.IsFloat() {
		fail("%w: constant %q holds %v where numbers are computed with", ErrModel, t.Name, t.Type)
	}
	data, err := t.Float32s()
	if err != nil {
		fail("%w: %w", ErrModel, err)
	}
	if len(data) == 0 {
		fail("%w: constant %q is empty", ErrModel, t.Name)
	}
	return value{shape: ints(t.Dims), consts: data}
}

// outShape returns the shape of a node's first output. Like plain, it gives a scalar one axis.
func (l *lowering) outShape(n *onnx.Node) []int {
	shape := l.shapeOf(n.Output(0))
	if len(shape) == 0 {
		shape = []int{1}
	}
	return shape
}

// shapeOf returns the inferred shape of a value of the file.
func (l *lowering) shapeOf(name string) []int {
	sizes, ok := l.infos[name].Shape.Sizes()
	if !ok {
		fail("the shape of %q is not known", name)
	}
	shape := ints(sizes)
	if !bounded(shape) {
		fail("%q has the shape %v", name, sizes)
	}
	return shape
}

// emit adds a node of the lowered graph. Constants become initializers. If a node uses a
// value twice, the second use goes through an Identity: onnx-go keeps only one edge between two values.
func (l *lowering) emit(op string, attrs onnx.Attrs, shape []int, inputs ...value) value {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		in = l.named(in)
		if slices.Contains(names[:i], in.name) {
			in = l.emit("Identity", nil, in.shape, in)
		}
		names[i] = in.name
	}
	return l.node(op, attrs, shape, names)
}

// node adds a node, or returns the result of an equal one if there is one. gorgonia would merge the two
// later, after ownReshapes had counted the readers of each separately.
func (l *lowering) node(op string, attrs onnx.Attrs, shape []int, inputs []string) value {
	key := fmt.Sprint(op, attrs, shape, inputs)
	if v, ok := l.made[key]; ok {
		return v
	}
	out := value{shape: shape, name: l.fresh()}
	l.made[key] = out
	l.graph.Nodes = append(l.graph.Nodes, newNode(op, attrs, inputs, out.name))
	return out
}

func newNode(op string, attrs onnx.Attrs, inputs []string, output string) *onnx.Node {
	return &onnx.Node{Name: output, OpType: op, Attrs: attrs, Inputs: inputs, Outputs: []string{output}}
}

// named makes a constant an initializer.
func (l *lowering) named(v value) value {
	if v.name != "" {
		return v
	}
	v.name = l.fresh()
	l.spent += len(v.consts)
	l.graph.Initializers = append(l.graph.Initializers, onnx.NewTensor(v.name, v.consts, dims(v.shape)...))
	return v
}

func ints(dims []int64) (shape []int) {
	for _, d := range dims {
		shape = append(shape, int(d))
	}
	return shape
}

func dims(shape []int) []int64 {
	out := make([]int64, len(shape))
	for i, d := range shape {
		out[i] = int64(d)
	}
	return out
}
