package autodiff

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// rewrite gives operators the form that training requires: it writes the graph again, node by
// node.
func (p *Prepared) rewrite(m *onnx.Model, o Options) error {
	w, err := newWriter(m)
	if err != nil {
		return err
	}
	stats := map[string]*Stat{}
	for i := range p.Stats {
		stats[p.Stats[i].Name] = &p.Stats[i]
	}
	for _, n := range m.Graph.Nodes {
		switch {
		case n.Is("BatchNormalization") && o.Norms == NormsTrain:
			err = w.trainNorm(n, stats)
		case n.Is("BatchNormalization"):
			err = w.frozenNorm(n)
		case w.holdConv(n), w.foldIntoConv(n):
		default:
			w.copy(n)
		}
		if err != nil {
			return err
		}
	}
	for _, v := range m.Graph.Outputs {
		w.b.Output(v.Name, w.in(&onnx.Node{Inputs: []string{v.Name}}, 0))
	}
	p.Model, err = w.b.Model(m.Metadata)
	return err
}

// writer writes a new version of a graph. Values of the old graph are looked up by name.
type writer struct {
	b      *onnx.Builder
	values map[string]onnx.Value
	users  map[string][]*onnx.Node
	output map[string]bool
	// held maps outputs to convolutions that are not written yet. Scales and biases of channels
	// after such a convolution are merged into its few weights, instead of applied at every point
	// of the board.
	held map[string]*heldConv
}

// heldConv is a convolution that is written later, with the operators merged into it.
type heldConv struct {
	node       *onnx.Node
	x, w, bias onnx.Value
	channels   int64
}

func newWriter(m *onnx.Model) (*writer, error) {
	w := &writer{
		b: onnx.NewBuilder(m.Graph.Name, m.Opset), values: map[string]onnx.Value{},
		users: m.Graph.Users(), output: map[string]bool{}, held: map[string]*heldConv{},
	}
	for domain, version := range m.Opsets {
		w.b.UseDomain(domain, version)
	}
	for _, v := range m.Graph.Outputs {
		w.output[v.Name] = true
	}
	weights := m.Graph.InitializerMap()
	for _, v := range m.Graph.Inputs {
		if weights[v.Name] != nil {
			continue
		}
		var dims []any
		for _, d := range v.Shape {
			dims = append(dims, d)
		}
		w.values[v.Name] = w.b.Input(v.Name, v.Type, dims...)
	}
	for _, t := range m.Graph.Initializers {
		w.values[t.Name] = w.b.Tensor(t)
	}
	return w, w.b.Err()
}

// in returns the new value of input i of a node. If the value is the result of a held convolution,
// that convolution is written first.
func (w *writer) in(n *onnx.Node, i int) onnx.Value {
	name := n.Input(i)
	if c := w.held[name]; c != nil {
		delete(w.held, name)
		c.write(w, name)
	}
	return w.values[name]
}

func (c *heldConv) write(w *writer, name string) {
	w.values[name] = w.b.Node("", "Conv", 1, c.node.Attrs, c.x, c.w, c.bias)[0]
}

// holdOrWrite takes a convolution and the name of its result. It delays writing the convolution if
// only one node uses the result; otherwise it writes the convolution at once.
func (w *writer) holdOrWrite(c *heldConv, name string) {
	if len(w.users[name]) == 1 && !w.output[name] {
		w.held[name] = c
	} else {
		c.write(w, name)
	}
}

func (w *writer) copy(n *onnx.Node) {
	ins := make([]onnx.Value, len(n.Inputs))
	for i := range ins {
		ins[i] = w.in(n, i)
	}
	for i, v := range w.b.Node(n.Domain, n.OpType, len(n.Outputs), n.Attrs, ins...) {
		w.values[n.Outputs[i]] = v
	}
}

// holdConv delays a convolution if only one node uses its result, and reports whether it did.
func (w *writer) holdConv(n *onnx.Node) bool {
	if !n.Is("Conv") || len(w.users[n.Output(0)]) != 1 || w.output[n.Output(0)] {
		return false
	}
	dims, ok := w.b.Shape(w.values[n.Input(1)]).Sizes()
	if !ok || len(dims) != 4 {
		return false
	}
	c := &heldConv{node: n, x: w.in(n, 0), w: w.in(n, 1), channels: dims[0]}
	if n.Input(2) != "" {
		c.bias = w.in(n, 2)
	}
	w.held[n.Output(0)] = c
	return true
}

// foldIntoConv merges a node that multiplies a held convolution's result by one number per channel,
// or adds one per channel: conv(x, W)*s becomes conv(x, W*s), and a summand is added to the bias.
func (w *writer) foldIntoConv(n *onnx.Node) bool {
	if !n.Is("Mul", "Add") {
		return false
	}
	for i := range 2 {
		c := w.held[n.Input(i)]
		if c == nil || n.Input(1-i) == n.Input(i) {
			continue
		}
		v := w.values[n.Input(1-i)]
		if v == "" || !w.perChannel(v, c.channels) {
			continue
		}
		delete(w.held, n.Input(i))
		if n.Is("Mul") {
			c.scale(w.b, v)
		} else {
			c.shift(w.b, v)
		}
		w.holdOrWrite(c, n.Output(0))
		return true
	}
	return false
}

// perChannel reports whether a value is one number per channel, [C,1,1] or [1,C,1,1], the same
// for all rows of the batch.
func (w *writer) perChannel(v onnx.Value, channels int64) bool {
	dims, ok := w.b.Shape(v).Sizes()
	return ok && (slices.Equal(dims, []int64{channels, 1, 1}) || slices.Equal(dims, []int64{1, channels, 1, 1}))
}

func (c *heldConv) scale(b *onnx.Builder, s onnx.Value) {
	c.w = b.Mul(c.w, b.Reshape(s, c.channels, 1, 1, 1))
	if c.bias != "" {
		c.bias = b.Mul(c.bias, b.Reshape(s, c.channels))
	}
}

func (c *heldConv) shift(b *onnx.Builder, v onnx.Value) {
	v = b.Reshape(v, c.channels)
	if c.bias != "" {
		v = b.Add(c.bias, v)
	}
	c.bias = v
}

// frozenNorm writes a BatchNormalization with fixed statistics as a product and a sum, merged
// into the convolution before it if there is one.
func (w *writer) frozenNorm(n *onnx.Node) error {
	b := w.b
	a := b.Div(w.in(n, 1), b.Sqrt(b.Add(w.in(n, 4), b.Scalar(float64(n.Float("epsilon", 1e-5))))))
	shift := b.Sub(w.in(n, 2), b.Mul(w.in(n, 3), a))
	if c := w.held[n.Input(0)]; c != nil {
		delete(w.held, n.Input(0))
		c.scale(b, a)
		c.shift(b, shift)
		w.holdOrWrite(c, n.Output(0))
		return nil
	}
	x := w.in(n, 0)
	dims, ok := b.Shape(x).Sizes()
	if !ok || len(dims) < 2 {
		return fmt.Errorf("%v: its input has shape %v", n, b.Shape(x))
	}
	shape := channelShape(dims)
	w.values[n.Output(0)] = b.Add(b.Mul(x, b.Reshape(a, shape...)), b.Reshape(shift, shape...))
	return nil
}

// channelShape returns [1,C,1,...] for [N,C,...].
func channelShape(dims []int64) []int64 {
	shape := slices.Repeat([]int64{1}, len(dims))
	shape[1] = dims[1]
	return shape
}

// trainNorm writes a BatchNormalization that takes its statistics from the batch:
// y = (x-mean)/sqrt(var+epsilon)*scale + bias, with mean and variance over all
// axes but the channels'.
func (w *writer) trainNorm(n *onnx.Node, stats map[string]*Stat) error {
	b, x := w.b, w.in(n, 0)
	dims, ok := b.Shape(x).Sizes()
	if !ok || len(dims) < 2 {
		return fmt.Errorf("%v: its input has shape %v", n, b.Shape(x))
	}
	var axes []int64
	rows := int64(1)
	for a, d := range dims {
		if a != 1 {
			axes, rows = append(axes, int64(a)), rows*d
		}
	}
	shape := channelShape(dims)
	mean := b.ReduceMean(x, true, axes...)
	centred := b.Sub(x, mean)
	variance := b.ReduceMean(b.Mul(centred, centred), true, axes...)
	rstd := b.Div(b.Scalar(1), b.Sqrt(b.Add(variance, b.Scalar(float64(n.Float("epsilon", 1e-5))))))
	y := b.Mul(centred, b.Mul(rstd, b.Reshape(w.in(n, 1), shape...)))
	w.values[n.Output(0)] = b.Add(y, b.Reshape(w.in(n, 2), shape...))

	keep := float64(n.Float("momentum", 0.9))
	unbiased := b.Mul(variance, b.Scalar(float64(rows)/float64(max(rows-1, 1))))
	for i, v := range []onnx.Value{3: mean, 4: unbiased} {
		st := stats[n.Input(i)]
		if v == "" || st == nil || st.Next != "" {
			continue // statistics that are constant, or shared with an earlier norm, stay as they are
		}
		old := b.Mul(w.in(n, i), b.Scalar(keep))
		st.Next = NextPrefix + st.Name
		b.Output(st.Next, b.Add(old, b.Mul(b.Reshape(v, st.Dims...), b.Scalar(1-keep))))
	}
	return nil
}
