package quant

import (
	"fmt"

	"kosumi/nn/onnx"
)

// form is how a value of the float graph is held in the integer graph.
type form uint8

const (
	boards form = iota // float32 as it was: [N,C,H,W], or any other shape
	last               // float32 with the channels last, [N,H,W,C]
	bytes              // unsigned 8-bit integers with the channels last, or tokens [N,S,C]
)

var formSuffix = [...]string{boards: "", last: ".last", bytes: ".u8"}

type held struct {
	name string
	form form
}

// emitter writes the integer graph. It goes backward from the outputs and makes
// each value in the forms that are asked for, once.
type emitter struct {
	*graph
	*plan
	convs  map[string]*conv // that give bytes, by their output
	wides  map[string]*conv // that give float32, likewise
	prods  map[string]*conv // token products, which give float32, by their output
	inner  map[string]bool  // outputs before a fused ReLU, which nobody else uses
	lasts  map[string]bool  // values that are naturally held with channels last
	made   map[held]string  // name of the value in that form
	nodes  []*onnx.Node
	tensor []*onnx.Tensor
	names  *onnx.Names
	err    error
}

func newEmitter(g *graph, p *plan) *emitter {
	e := &emitter{
		graph: g, plan: p, convs: map[string]*conv{}, wides: map[string]*conv{}, prods: map[string]*conv{}, inner: map[string]bool{}, lasts: map[string]bool{},
		made: map[held]string{}, names: onnx.NewNames(g.m.Graph),
	}
	for _, c := range p.selected {
		if p.wide[c.out] {
			e.wides[c.out] = c
			continue
		}
		e.convs[c.out] = c
		if c.relu {
			e.inner[c.node.Outputs[0]] = true
		}
	}
	for _, c := range p.tokens {
		e.prods[c.out] = c
	}
	e.layouts()
	return e
}

// layouts finds the values that are best held with the channels last: results
// of integer convolutions and what is computed from them element by element.
func (e *emitter) layouts() {
	for _, n := range e.m.Graph.Nodes {
		out := n.Output(0)
		switch {
		case e.convs[out] != nil, e.wides[out] != nil:
			e.lasts[out] = true
		case pointwise(n) && e.pointwiseLast(n), n.Is("GlobalAveragePool", "GlobalMaxPool") && e.lasts[n.Inputs[0]],
			e.perPoint(n) && e.lasts[n.Inputs[0]]:
			e.lasts[out] = true
		case n.Is("Concat") && n.Int("axis", 0) == 1 && len(e.row(out)) == 3:
			all := true
			for _, in := range n.Inputs {
				all = all && e.lasts[in]
			}
			e.lasts[out] = all
		}
	}
}

// perPoint reports whether a node is a float convolution that looks at one point
// at a time, a matrix product.
func (e *emitter) perPoint(n *onnx.Node) bool {
	c := e.convOf(n)
	if c == nil || c.kernel != 1 || e.inner[n.Outputs[0]] || e.convs[n.Outputs[0]] != nil || e.wides[n.Outputs[0]] != nil {
		return false
	}
	for _, name := range []string{"pads", "strides"} {
		if v, ok := n.Ints(name); ok {
			for _, x := range v {
				if name == "pads" && x != 0 || name == "strides" && x != 1 {
					return false
				}
			}
		}
	}
	return true
}

// pointwise reports whether a node computes each element from the elements at
// the same place.
func pointwise(n *onnx.Node) bool {
	return n.Is("Add", "Sub", "Mul", "Div", "Max", "Min", "Relu", "Sigmoid", "Tanh", "Softplus", "Neg", "Sqrt", "Exp", "Log",
		"Abs", "Erf", "Pow", "LeakyRelu", "Elu", "HardSigmoid", "HardSwish", "Reciprocal", "Mish", "Clip", "Gelu", "Softsign")
}

// pointwiseLast reports whether a pointwise node has an input with channels
// last, and all others can follow.
func (e *emitter) pointwiseLast(n *onnx.Node) bool {
	if len(e.row(n.Output(0))) != 3 {
		return false
	}
	any := false
	for i, in := range n.Inputs {
		if in == "" || n.Is("Clip", "Pow") && i > 0 {
			continue
		}
		switch {
		case e.lasts[in]:
			any = true
		case e.consts[in] != nil:
			if !perChannel(e.consts[in]) {
				return false
			}
		case len(e.row(in)) != 3:
			return false
		}
	}
	return any
}

// perChannel reports whether a constant is one number, or one for each channel
// of [N,C,H,W].
func perChannel(t *onnx.Tensor) bool {
	n, ok := t.Len()
	d := t.Dims
	switch {
	case !ok:
		return false
	case n == 1:
		return len(d) <= 4
	case len(d) == 4 && d[0] == 1:
		d = d[1:]
	}
	return len(d) == 3 && d[1] == 1 && d[2] == 1
}

func (e *emitter) fail(format string, args ...any) string {
	if e.err == nil {
		e.err = fmt.Errorf("%w: "+format, append([]any{ErrGraph}, args...)...)
	}
	return ""
}

// constant adds a tensor, under a free name like base.
func constant[T onnx.Number](e *emitter, base string, data []T, dims ...int64) string {
	t := onnx.NewTensor(e.names.New(base), data, dims...)
	e.tensor = append(e.tensor, t)
	return t.Name
}

func scalar[T onnx.Number](e *emitter, base string, v T) string {
	return constant(e, base, []T{v})
}

func (e *emitter) node(domain, op, out string, attrs onnx.Attrs, inputs ...string) string {
	e.nodes = append(e.nodes, &onnx.Node{Domain: domain, OpType: op, Inputs: inputs, Outputs: []string{out}, Attrs: attrs, Name: out})
	return out
}

// get returns a value in a form, making it if need be.
func (e *emitter) get(name string, f form) string {
	if e.err != nil {
		return ""
	}
	if name == "" || e.consts[name] != nil {
		return name
	}
	key := held{name, f}
	if v, ok := e.made[key]; ok {
		return v
	}
	v := e.make(name, f)
	e.made[key] = v
	return v
}

func (e *emitter) make(name string, f form) string {
	if f == bytes {
		return e.makeBytes(name)
	}
	if c := e.prods[name]; c != nil && f == boards {
		return e.makeTokenProduct(c)
	}
	if f == boards && !e.lasts[name] {
		return e.makeBoards(name)
	}
	if f == boards { // held with channels last
		src := e.get(name, last)
		return e.node("", "Transpose", name, onnx.Attrs{"perm": onnx.AttrInts(0, 3, 1, 2)}, src)
	}
	out := e.names.New(name + formSuffix[last])
	if !e.lasts[name] {
		return e.toLast(name, out)
	}
	if c := e.convs[name]; c != nil {
		p := e.params[name]
		return e.node("", "DequantizeLinear", out, nil, e.get(name, bytes), scalar(e, name+".scale", p.scale), scalar(e, name+".zero", p.zero))
	}
	if c := e.wides[name]; c != nil {
		return e.makeWide(c, out)
	}
	return e.makeLast(name, out)
}

// toLast moves the channels of [N,C,H,W] to the end.
func (e *emitter) toLast(name, out string) string {
	if row := e.row(name); len(row) == 3 && area(row) == 1 {
		src := name
		if n := e.producers[name]; n != nil && n.Is("Reshape") && len(e.row(n.Inputs[0])) == 1 {
			src = n.Inputs[0]
		}
		src = e.get(src, boards)
		shape := constant(e, name+".shape", []int64{0, 1, 1, int64(row[0])}, 4)
		return e.node("", "Reshape", out, nil, src, shape)
	}
	return e.node("", "Transpose", out, onnx.Attrs{"perm": onnx.AttrInts(0, 2, 3, 1)}, e.get(name, boards))
}

// makeBoards copies a node as it was.
func (e *emitter) makeBoards(name string) string {
	n := e.producers[name]
	if n == nil {
		return name // an input
	}
	c := n.Clone()
	for i, in := range n.Inputs {
		f := boards
		if row := e.row(in); n.Is("Flatten") && e.lasts[in] && area(row) == 1 {
			f = last // the same numbers in the same order
		}
		c.Inputs[i] = e.get(in, f)
	}
	for _, out := range n.Outputs {
		e.made[held{out, boards}] = out
	}
	e.nodes = append(e.nodes, c)
	return name
}

// makeLast computes a value with channels last.
func (e *emitter) makeLast(name, out string) string {
	n := e.producers[name]
	c := n.Clone()
	c.Outputs[0], c.Name = out, out
	switch {
	case n.Is("GlobalAveragePool", "GlobalMaxPool"):
		op := map[string]string{"GlobalAveragePool": "ReduceMean", "GlobalMaxPool": "ReduceMax"}[n.OpType]
		src := e.get(n.Inputs[0], last)
		attrs := onnx.Attrs{"keepdims": onnx.AttrInt(1)}
		if e.m.Opset >= 18 {
			return e.node("", op, out, attrs, src, constant(e, out+".axes", []int64{1, 2}, 2))
		}
		attrs["axes"] = onnx.AttrInts(1, 2)
		return e.node("", op, out, attrs, src)
	case n.Is("Conv"):
		return e.makeProduct(e.convOf(n), false, out)
	case n.Is("Relu") && e.producers[n.Inputs[0]] != nil && e.perPoint(e.producers[n.Inputs[0]]) && e.only(n.Inputs[0]) == n:
		return e.makeProduct(e.convOf(e.producers[n.Inputs[0]]), true, out)
	case n.Is("Concat"):
		c.Attrs["axis"] = onnx.AttrInt(3)
	}
	for i, in := range n.Inputs {
		switch t := e.consts[in]; {
		case t == nil:
			c.Inputs[i] = e.get(in, last)
		case len(t.Dims) > 1:
			c.Inputs[i] = e.flat(t)
		}
	}
	e.nodes = append(e.nodes, c)
	return out
}

// makeProduct computes a float convolution with a 1x1 kernel as a matrix product
// of [points, channels], with its bias and, where relu is set, the ReLU on it.
func (e *emitter) makeProduct(c *conv, relu bool, out string) string {
	base := c.node.Inputs[1]
	weights := e.consts[base]
	flat := *weights
	flat.Name, flat.Dims = e.names.New(base+".matrix"), weights.Dims[:2]
	e.tensor = append(e.tensor, &flat)
	src := e.node("", "Reshape", e.names.New(out+".points"), nil, e.get(c.in, last), constant(e, out+".shape", []int64{-1, int64(c.inputs)}, 2))
	inputs := []string{src, flat.Name}
	if b := c.node.Input(2); b != "" {
		inputs = append(inputs, b)
	}
	mid := e.node("", "Gemm", e.names.New(out+".product"), onnx.Attrs{"transB": onnx.AttrInt(1)}, inputs...)
	if relu {
		mid = e.node("", "Relu", e.names.New(out+".relu"), nil, mid)
	}
	row := e.row(c.node.Outputs[0])
	return e.node("", "Reshape", out, nil, mid, constant(e, out+".shape", []int64{-1, int64(row[1]), int64(row[2]), int64(row[0])}, 4))
}

// flat returns a constant of one number per channel as a vector.
func (e *emitter) flat(t *onnx.Tensor) string {
	key := held{t.Name, last}
	if v, ok := e.made[key]; ok {
		return v
	}
	c := *t
	n, _ := t.Len()
	c.Name, c.Dims = e.names.New(t.Name+formSuffix[last]), []int64{n}
	e.tensor = append(e.tensor, &c)
	e.made[key] = c.Name
	return c.Name
}

// makeBytes quantizes a value, or has an integer convolution make it.
func (e *emitter) makeBytes(name string) string {
	if c := e.convs[name]; c != nil {
		return e.makeConv(c)
	}
	if split, ok := e.split[name]; ok {
		return e.makePlanes(name, split)
	}
	p, ok := e.params[name]
	if !ok {
		return e.fail("value %q has no range", name)
	}
	src := name
	if n := e.producers[name]; n != nil && n.Is("Relu") && p.zero == 0 {
		src = n.Inputs[0] // the saturation at 0 does the same
	}
	out := e.names.New(name + formSuffix[bytes])
	scale, zero := scalar(e, name+".scale", p.scale), scalar(e, name+".zero", p.zero)
	if e.lasts[src] {
		return e.node("", "QuantizeLinear", out, nil, e.get(src, last), scale, zero)
	}
	if len(e.row(name)) == 2 { // tokens, channels last as they are
		return e.node("", "QuantizeLinear", out, nil, e.get(src, boards), scale, zero)
	}
	mid := e.node("", "QuantizeLinear", e.names.New(name+".boards"+formSuffix[bytes]), nil, e.get(src, boards), scale, zero)
	if extra := e.padding(name); extra > 0 {
		pads := constant(e, name+".pads", []int64{0, 0, 0, 0, 0, extra, 0, 0}, 8)
		mid = e.node("", "Pad", e.names.New(name+".padded"), nil, mid, pads, zero)
	}
	return e.node("", "Transpose", out, onnx.Attrs{"perm": onnx.AttrInts(0, 2, 3, 1)}, mid)
}

// align is what the number of input channels has to be a multiple of for the
// fast integer convolution.
const align = 4

// padding is how many channels of zeros a value gets, which only values that
// come in from outside do.
func (e *emitter) padding(name string) int64 {
	if row := e.row(name); len(row) == 3 && !e.lasts[name] {
		return int64((align - row[0]%align) % align)
	}
	return 0
}

// makeConv writes the integer convolution.
func (e *emitter) makeConv(c *conv) string {
	q := e.weights[c]
	values, dims := e.layOut(c, q)
	in, out := e.params[c.in], e.params[c.out]
	base := c.node.Inputs[1]
	ints := make([]int32, c.outputs)
	for o := range ints {
		ints[o] = int32(clampRound(float64(q.bias[o])/(float64(in.scale)*float64(q.scales[o])), 1<<30))
	}
	attrs := onnx.Attrs{"channels_last": onnx.AttrInt(1), "kernel_shape": onnx.AttrInts(dims[2], dims[3])}
	for _, name := range []string{"pads", "strides", "dilations"} {
		if v, ok := c.node.Ints(name); ok {
			attrs[name] = onnx.AttrInts(v...)
		}
	}
	channels := int64(c.outputs)
	return e.node("com.microsoft", "QLinearConv", e.names.New(c.out+formSuffix[bytes]), attrs,
		e.get(c.in, bytes), scalar(e, c.in+".scale", in.scale), scalar(e, c.in+".zero", in.zero),
		constant(e, base+".s8", values, dims...), constant(e, base+".scale", q.scales, channels), constant(e, base+".zero", make([]int8, channels), channels),
		scalar(e, c.out+".scale", out.scale), scalar(e, c.out+".zero", out.zero),
		constant(e, base+".bias", ints, channels))
}

// layOut returns a convolution's weights [out, in, height, width] for the input
// channels that there really are, and their shape.
func (e *emitter) layOut(c *conv, q quantizedWeights) ([]int8, []int64) {
	dims := append([]int64(nil), e.consts[c.node.Inputs[1]].Dims...)
	values := q.values
	if _, ok := e.split[c.in]; ok {
		values, dims[1] = e.planeWeights(c, q)
	} else {
		values, dims[1] = padInputs(values, dims, e.padding(c.in))
	}
	return values, dims
}

// padInputs adds input channels of zeros to weights [out, in, height, width].
func padInputs(w []int8, dims []int64, extra int64) ([]int8, int64) {
	if extra == 0 {
		return w, dims[1]
	}
	row := int(dims[1] * dims[2] * dims[3])
	wide := row + int(extra*dims[2]*dims[3])
	out := make([]int8, int(dims[0])*wide)
	for o := range int(dims[0]) {
		copy(out[o*wide:], w[o*row:(o+1)*row])
	}
	return out, dims[1] + extra
}

// model returns the integer graph.
func (e *emitter) model() (*onnx.Model, error) {
	for _, o := range e.m.Graph.Outputs {
		if got := e.get(o.Name, boards); e.err == nil && got != o.Name {
			e.fail("output %q", o.Name)
		}
	}
	if e.err != nil {
		return nil, e.err
	}
	m := e.m.Clone()
	m.Graph.Nodes = e.nodes
	m.Graph.Initializers = append(m.Graph.Initializers, e.tensor...)
	m.Graph.Values = nil
	if m.Opsets == nil {
		m.Opsets = map[string]int64{}
	}
	m.Opsets["com.microsoft"] = 1
	feeds := append([]onnx.ValueInfo(nil), m.Graph.Inputs...)
	onnx.RemoveUnused(m.Graph)
	m.Graph.Inputs = feeds
	if err := onnx.Check(m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGraph, err)
	}
	return m, nil
}
