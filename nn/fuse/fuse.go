package fuse

import (
	"fmt"
	"slices"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// Rewrite returns a copy of the model in which nodes for the kernels replace the layers, and the number
// of these layers. The kernels compute in the given precision. Rewrite fails if the graph's shapes
// contradict each other.
func Rewrite(m *onnx.Model, precision kernel.Precision) (*onnx.Model, int, error) {
	c := m.Clone()
	if err := onnx.Simplify(c); err != nil {
		return nil, 0, fmt.Errorf("fuse: %w", err)
	}
	shapes, err := onnx.InferShapes(c)
	if err != nil {
		return nil, 0, fmt.Errorf("fuse: %w", err)
	}
	r := &rewriter{
		g: c.Graph, shapes: shapes, precision: precision, opset: c.Opset,
		users: c.Graph.Users(), producers: c.Graph.Producers(), consts: c.Graph.InitializerMap(),
		names: onnx.NewNames(c.Graph), gone: map[*onnx.Node]bool{}, boards: map[string]bool{},
	}
	for _, n := range slices.Clone(c.Graph.Nodes) {
		if n.Domain == onnx.KernelDomain && n.OpType == "Attention" {
			n.Attrs["precision"] = onnx.AttrInt(int64(precision)) // Attrs is not nil, since shape inference requires heads
		} else if l := r.gatedAt(n); l != nil {
			r.layers = append(r.layers, l)
		}
	}
	for _, n := range slices.Clone(c.Graph.Nodes) {
		if l := r.layerOf(n); l != nil {
			r.gone[n] = true
			r.follow(l)
			r.layers = append(r.layers, l)
		}
	}
	if len(r.layers) == 0 {
		return c, 0, nil
	}
	r.emit()
	r.pools()
	r.tokens()
	r.transposes()
	if err := c.Graph.Sort(); err != nil {
		return nil, 0, fmt.Errorf("fuse: %w", err)
	}
	onnx.RemoveUnused(c.Graph)
	if c.Opsets == nil {
		c.Opsets = map[string]int64{}
	}
	c.Opsets[onnx.KernelDomain] = onnx.KernelVersion
	c.Graph.Values = nil
	return c, len(r.layers), nil
}

type rewriter struct {
	g         *onnx.Graph
	shapes    map[string]onnx.Shape
	users     map[string][]*onnx.Node
	producers map[string]*onnx.Node
	consts    map[string]*onnx.Tensor
	names     *onnx.Names
	precision kernel.Precision
	opset     int64

	layers  []*layer
	gone    map[*onnx.Node]bool // nodes that are part of a layer
	boards  map[string]bool     // values that became [N,H,W,C]
	readers []*onnx.Node        // nodes of the default domain that read [N,H,W,C]
}

// layer is a convolution or a product of tokens, with the nodes fused into it so far. The field
// out names its result.
type layer struct {
	x                string
	in, outs, size   int
	weights          []float32 // [outs][in][size][size]
	planes, tokens   bool
	epsilon          float32   // above 0: epsilon of the root mean square norm applied to x
	bias             []float32 // nil means 0
	column, residual string    // bias per board [N,outs,1,1]; residual input
	sum              string    // name of the sum, if other nodes read it
	scale, shift     []float32 // factor and offset of the sum; nil means 1 and 0
	activation       kernel.Activation
	out              string
}

// layerOf returns the layer that begins with a node; nil if there is no kernel for it.
func (r *rewriter) layerOf(n *onnx.Node) *layer {
	switch {
	case r.gone[n]:
	case n.Is("Conv"):
		return r.convOf(n)
	case n.Is("MatMul"):
		return r.productOf(n)
	}
	return nil
}

// leastArea is the minimum number of points for which kernels are used: on fewer they are not faster.
const leastArea = 4

func (r *rewriter) convOf(n *onnx.Node) *layer {
	w, x := r.consts[n.Input(1)], r.shapes[n.Input(0)]
	if w == nil || len(w.Dims) != 4 || w.Type != onnx.Float || len(x) != 4 || !x[1].Known() || !x[2].Known() || !x[3].Known() {
		return nil
	}
	size := int(w.Dims[2])
	planes := slices.ContainsFunc(r.g.Inputs, func(v onnx.ValueInfo) bool { return v.Name == n.Input(0) })
	if w.Dims[2] != w.Dims[3] || size%2 == 0 || size > 3 && !planes || x[2].Size*x[3].Size < leastArea || !plainConv(n, size) {
		return nil
	}
	weights, err := w.Float32s()
	if err != nil {
		return nil
	}
	l := &layer{x: n.Input(0), in: int(w.Dims[1]), outs: int(w.Dims[0]), size: size, weights: weights, planes: planes, out: n.Output(0)}
	if name := n.Input(2); name != "" {
		if l.bias = r.floats(name); len(l.bias) != l.outs {
			return nil
		}
	}
	return l
}

// plainConv reports whether a convolution keeps the size of its input, without groups, strides or
// dilations.
func plainConv(n *onnx.Node, size int) bool {
	if n.Int("group", 1) != 1 {
		return false
	}
	for _, name := range []string{"strides", "dilations"} {
		if list, ok := n.Ints(name); ok && slices.ContainsFunc(list, func(v int64) bool { return v != 1 }) {
			return false
		}
	}
	switch n.Str("auto_pad", "NOTSET") {
	case "SAME_UPPER", "SAME_LOWER":
		return true
	case "NOTSET":
		pads, ok := n.Ints("pads")
		if !ok {
			return size == 1
		}
		return !slices.ContainsFunc(pads, func(v int64) bool { return v != int64(size/2) })
	}
	return size == 1
}

// productOf returns the layer of a product of tokens [N,S,in] by a constant matrix [in,outs], or nil.
func (r *rewriter) productOf(n *onnx.Node) *layer {
	w, x := r.consts[n.Input(1)], r.shapes[n.Input(0)]
	if w == nil || len(w.Dims) != 2 || w.Type != onnx.Float || len(x) != 3 || !x[1].Known() || x[1].Size < leastArea {
		return nil
	}
	from, err := w.Float32s()
	if err != nil {
		return nil
	}
	l := &layer{in: int(w.Dims[0]), outs: int(w.Dims[1]), size: 1, tokens: true, out: n.Output(0)}
	l.x, l.epsilon = r.normed(n.Input(0))
	l.weights = make([]float32, len(from))
	for i := range l.in {
		for o := range l.outs {
			l.weights[o*l.in+i] = from[i*l.outs+o]
		}
	}
	return l
}

// floats returns the values of a float32 constant, nil for anything else.
func (r *rewriter) floats(name string) []float32 {
	t := r.consts[name]
	if t == nil || t.Type != onnx.Float {
		return nil
	}
	v, err := t.Float32s()
	if err != nil {
		return nil
	}
	return v
}

// only returns the only reader of a value; nil if there are more, or the value is an
// output of the graph.
func (r *rewriter) only(name string) *onnx.Node {
	if u := r.users[name]; len(u) == 1 && !r.gone[u[0]] && !r.g.IsOutput(name) {
		return u[0]
	}
	return nil
}

// other returns the input of a sum or product that is not v.
func other(n *onnx.Node, v string) string {
	if n.Input(0) == v {
		return n.Input(1)
	}
	return n.Input(0)
}

// byChannel returns a constant as one value for each channel of the layer; nil if it has any other
// form.
func (r *rewriter) byChannel(l *layer, name string) []float32 {
	t := r.consts[name]
	if t == nil {
		return nil
	}
	values := r.floats(name)
	if len(values) == 1 && len(t.Dims) <= 1 {
		return slices.Repeat(values, l.outs)
	}
	dims := t.Dims
	if !l.tokens {
		if len(dims) < 3 || dims[len(dims)-1] != 1 || dims[len(dims)-2] != 1 {
			return nil
		}
		dims = dims[:len(dims)-2]
	}
	if len(values) != l.outs || len(dims) == 0 || dims[len(dims)-1] != int64(l.outs) {
		return nil
	}
	return values
}

// follow fuses the nodes that follow a layer into it.
func (r *rewriter) follow(l *layer) {
	for l.residual == "" {
		n := r.only(l.out)
		if n == nil || !r.takeLinear(l, n) {
			break
		}
		r.gone[n] = true
		l.out = n.Output(0)
	}
	r.takeBranch(l)
}

// takeLinear fuses a node that multiplies the layer's result by factors, or adds a bias or a residual to
// it, and reports whether it could.
func (r *rewriter) takeLinear(l *layer, n *onnx.Node) bool {
	if !n.Is("Add", "Mul") {
		return false
	}
	with := other(n, l.out)
	values := r.byChannel(l, with)
	switch {
	case n.Is("Mul"):
		if values == nil || l.column != "" {
			return false
		}
		l.multiply(values)
		return true
	case values != nil:
		l.bias = plus(l.bias, values)
		return true
	case r.consts[with] != nil:
		return false
	}
	shape, own := r.shapes[with], r.shapes[l.out]
	switch {
	case !l.tokens && l.column == "" && len(shape) == 4 && shape[1] == onnx.D(int64(l.outs)) && shape[2] == onnx.D(1) && shape[3] == onnx.D(1):
		l.column = with
		return true
	case len(shape) == len(own) && slices.Equal(shape[1:], own[1:]):
		l.residual = with
		return true
	}
	return false
}

func (l *layer) multiply(by []float32) {
	row := l.in * l.size * l.size
	l.weights = slices.Clone(l.weights)
	for o, f := range by {
		for i := range row {
			l.weights[o*row+i] *= f
		}
	}
	l.bias = times(l.bias, by)
}

func plus(a, b []float32) []float32 {
	out := slices.Clone(b)
	for i := range a {
		out[i] += a[i]
	}
	return out
}

func times(a, b []float32) []float32 {
	if a == nil {
		return nil
	}
	out := slices.Clone(a)
	for i := range out {
		out[i] *= b[i]
	}
	return out
}

// branch is a norm, an activation, or both, after a sum.
type branch struct {
	nodes        []*onnx.Node
	scale, shift []float32
	activation   kernel.Activation
	out          string
}

// takeBranch fuses a branch into the sum's layer. It takes the branch that is the only reader of the
// sum; if the sum has other readers, it takes the first branch with an activation.
func (r *rewriter) takeBranch(l *layer) {
	for _, n := range r.users[l.out] {
		if r.gone[n] {
			continue
		}
		b := r.branchAt(l, n)
		if b == nil {
			continue
		}
		alone := !r.g.IsOutput(l.out) && !slices.ContainsFunc(r.users[l.out], func(u *onnx.Node) bool { return !slices.Contains(b.nodes, u) })
		if !alone && b.activation == kernel.Identity {
			continue
		}
		if !alone {
			l.sum = l.out
		}
		for _, n := range b.nodes {
			r.gone[n] = true
		}
		l.scale, l.shift, l.activation, l.out = b.scale, b.shift, b.activation, b.out
		break
	}
	if l.sum != "" || l.residual != "" || l.column != "" {
		return
	}
	if l.scale != nil {
		l.multiply(l.scale)
		l.scale = nil
	}
	if l.shift != nil {
		l.bias, l.shift = plus(l.bias, l.shift), nil
	}
}

// branchAt returns the branch that begins with n, a reader of the sum; nil if there is none.
func (r *rewriter) branchAt(l *layer, n *onnx.Node) *branch {
	b, at := &branch{}, l.out
	for n != nil && n.Is("Add", "Mul") {
		values := r.byChannel(l, other(n, at))
		if values == nil {
			break
		}
		if n.Is("Mul") {
			b.scale, b.shift = times(ones(b.scale, l.outs), values), times(b.shift, values)
		} else {
			b.shift = plus(b.shift, values)
		}
		b.nodes = append(b.nodes, n)
		at = n.Output(0)
		n = r.only(at) // nil if the value itself is needed: by several readers or as an output
	}
	b.out = at
	if !r.g.IsOutput(at) || at == l.out {
		if act, nodes, out := r.activationAt(at); act != kernel.Identity {
			inside := func(u *onnx.Node) bool { return !slices.Contains(nodes, u) }
			if at == l.out || !slices.ContainsFunc(r.users[at], inside) {
				b.activation, b.out = act, out
				b.nodes = append(b.nodes, nodes...)
			}
		}
	}
	if len(b.nodes) == 0 || len(r.users[at]) > 1 && b.out == at && at == l.out {
		return nil
	}
	return b
}

func ones(v []float32, n int) []float32 {
	if v == nil {
		return slices.Repeat([]float32{1}, n)
	}
	return v
}

// activationAt returns the activation that is applied to x: its kind, its nodes and the name of its result.
func (r *rewriter) activationAt(x string) (kernel.Activation, []*onnx.Node, string) {
	for _, n := range r.users[x] {
		if r.gone[n] {
			continue
		}
		switch {
		case n.Is("Relu"):
			return kernel.ReLU, []*onnx.Node{n}, n.Output(0)
		case n.Is("Mish"):
			return kernel.Mish, []*onnx.Node{n}, n.Output(0)
		case n.Is("Sigmoid"):
			if mul := r.product(x, n.Output(0)); mul != nil {
				return kernel.SiLU, []*onnx.Node{n, mul}, mul.Output(0)
			}
		case n.Is("Softplus"):
			tanh := r.only(n.Output(0))
			if tanh == nil || !tanh.Is("Tanh") {
				continue
			}
			if mul := r.product(x, tanh.Output(0)); mul != nil {
				return kernel.Mish, []*onnx.Node{n, tanh, mul}, mul.Output(0)
			}
		}
	}
	return kernel.Identity, nil, ""
}

// product returns the node that multiplies x by a value, if it is that value's only reader.
func (r *rewriter) product(x, by string) *onnx.Node {
	mul := r.only(by)
	if mul != nil && mul.Is("Mul") && other(mul, by) == x {
		return mul
	}
	return nil
}
