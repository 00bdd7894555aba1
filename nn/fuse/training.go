package fuse

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// Training returns a training graph for the kernels, and the number of nodes replaced by kernels.
// The graph's shapes must be known; the model is not changed.
//
// A 3x3 convolution becomes a node Convolution: [N,C,H,W] by weights [O,C,3,3] and an optional bias
// [O], followed by a Relu if the attribute relu is 1. A fourth input, the result of another Relu,
// is a mask: where it is 0, the node's result is 0. The gradient of the weights, which package
// autodiff writes as a convolution of x by dy with batch and channels exchanged, becomes a node
// ConvolutionGradient of x and dy. Relu(x*scale + shift), scale and shift by channel, becomes
// ScaledRelu. Its gradient becomes ScaledReluGradient, which reads x, scale, the result, the
// result's gradient, and further terms of the gradient of x, and gives the gradients of x, of
// scale [C] and of shift [C]. All nodes are in float32.
func Training(m *onnx.Model) (*onnx.Model, int, error) {
	c := m.Clone()
	shapes, err := onnx.InferShapes(c)
	if err != nil {
		return nil, 0, fmt.Errorf("fuse: %w", err)
	}
	r := &rewriter{g: c.Graph, shapes: shapes, users: c.Graph.Users(), producers: c.Graph.Producers(), consts: c.Graph.InitializerMap()}
	moved := 0
	for _, n := range c.Graph.Nodes {
		if x, dy := r.weightGradient(n); x != "" {
			r.become(n, "ConvolutionGradient", []string{x, dy}, n.Outputs...)
			moved++
		}
	}
	onnx.RemoveUnused(c.Graph)
	r.users = c.Graph.Users()
	moved += r.scaledRelus()
	for _, n := range c.Graph.Nodes {
		if !r.isTrained(n) {
			continue
		}
		out := n.Output(0)
		inputs, relu := []string{n.Input(0), n.Input(1), n.Input(2)}, int64(0)
		if next := r.only(out); next != nil && next.Is("Relu") {
			out, relu = r.remove(next), 1
		} else if y := r.masked(next, out); y != "" {
			out, inputs = r.remove(next), append(inputs, y)
		}
		r.become(n, "Convolution", inputs, out)
		n.Attrs = onnx.Attrs{"relu": onnx.AttrInt(relu)}
		moved++
	}
	c.Graph.Nodes = slices.DeleteFunc(c.Graph.Nodes, func(n *onnx.Node) bool { return n.OpType == "" })
	if err := c.Graph.Sort(); err != nil {
		return nil, 0, fmt.Errorf("fuse: %w", err)
	}
	onnx.RemoveUnused(c.Graph)
	if moved > 0 {
		if c.Opsets == nil {
			c.Opsets = map[string]int64{}
		}
		c.Opsets[onnx.KernelDomain] = onnx.KernelVersion
	}
	c.Graph.Values = nil
	return c, moved, nil
}

// become turns a node into one of the kernels' domain.
func (r *rewriter) become(n *onnx.Node, op string, inputs []string, outputs ...string) {
	*n = onnx.Node{Name: n.Name, OpType: op, Domain: onnx.KernelDomain, Inputs: inputs, Outputs: outputs}
}

// remove marks a node for deletion and returns the name of its result.
func (r *rewriter) remove(n *onnx.Node) string {
	n.OpType = ""
	return n.Output(0)
}

// masked returns y if a node multiplies dy by 1 where y is above 0 and by 0 elsewhere; "" for
// other nodes. That is the gradient of a Relu with the result y.
func (r *rewriter) masked(n *onnx.Node, dy string) string {
	if n == nil || !n.Is("Mul") || !slices.Equal(r.shapes[n.Input(0)], r.shapes[n.Input(1)]) {
		return ""
	}
	cast := r.producers[other(n, dy)]
	if cast == nil || !cast.Is("Cast") {
		return ""
	}
	above := r.producers[cast.Input(0)]
	if above == nil || !above.Is("Greater") || !slices.Equal(r.floats(above.Input(1)), []float32{0}) {
		return ""
	}
	return above.Input(0)
}

// scaledRelus replaces Relus of values scaled per channel, and their gradients, by kernel nodes.
func (r *rewriter) scaledRelus() int {
	moved, by := 0, map[string]*onnx.Node{}
	for _, n := range r.g.Nodes {
		if x, scale, shift := r.scaledRelu(n); x != "" {
			r.become(n, "ScaledRelu", []string{x, scale, shift}, n.Output(0))
			by[n.Output(0)] = n
			moved++
		}
	}
	for _, n := range r.g.Nodes {
		for _, dy := range n.Inputs {
			if relu := by[r.masked(n, dy)]; relu != nil && r.scaledGradient(n, dy, relu) {
				moved++
				break
			}
		}
	}
	return moved
}

// scaledRelu returns x, scale and shift of a node Relu(x*scale + shift).
func (r *rewriter) scaledRelu(n *onnx.Node) (x, scale, shift string) {
	if !n.Is("Relu") {
		return "", "", ""
	}
	add := r.producers[n.Input(0)]
	if add == nil || !add.Is("Add") || r.only(n.Input(0)) != n {
		return "", "", ""
	}
	for _, product := range add.Inputs {
		mul := r.producers[product]
		if mul == nil || !mul.Is("Mul") || r.only(product) != add || !r.oneByChannel(other(add, product), product) {
			continue
		}
		for _, x := range mul.Inputs {
			if scale := other(mul, x); slices.Equal(r.shapes[x], r.shapes[product]) && r.oneByChannel(scale, x) {
				return x, scale, other(add, product)
			}
		}
	}
	return "", "", ""
}

// oneByChannel reports whether a value has the shape [C,1,1], for boards [N,C,H,W].
func (r *rewriter) oneByChannel(value, boards string) bool {
	s, b := r.shapes[value], r.shapes[boards]
	return len(b) == 4 && b.Known() && slices.Equal(s, onnx.Shape{b[1], onnx.D(1), onnx.D(1)})
}

// scaledGradient fuses the gradients of a ScaledRelu's inputs. n is the gradient of
// x*scale + shift. If other nodes read n too, nothing is fused.
func (r *rewriter) scaledGradient(n *onnx.Node, dy string, relu *onnx.Node) bool {
	g, x, scale := n.Output(0), relu.Input(0), relu.Input(1)
	var dx, dscale, dshift *onnx.Node
	if r.g.IsOutput(g) || len(r.users[g]) != 3 {
		return false
	}
	for _, u := range r.users[g] {
		switch {
		case r.sumsByChannel(u):
			dshift = u
		case u.Is("Mul") && other(u, g) == scale:
			dx = u
		case u.Is("Mul") && other(u, g) == x && r.sumsByChannel(r.only(u.Output(0))):
			dscale = r.only(u.Output(0))
		}
	}
	if dx == nil || dscale == nil || dshift == nil {
		return false
	}
	inputs, out := []string{x, scale, relu.Output(0), dy}, r.remove(dx)
	if add := r.only(out); add != nil && add.Is("Add") && slices.Equal(r.shapes[other(add, out)], r.shapes[x]) {
		inputs, out = append(inputs, other(add, out)), r.remove(add)
	}
	r.become(n, "ScaledReluGradient", inputs, out, r.remove(dscale), r.remove(dshift))
	return true
}

// sumsByChannel reports whether a node sums boards over all but their channels and only a Reshape
// reads the sums.
func (r *rewriter) sumsByChannel(n *onnx.Node) bool {
	if n == nil || !n.Is("ReduceSum") || !r.isInts(n.Input(1), 0, 2, 3) || len(r.shapes[n.Input(0)]) != 4 {
		return false
	}
	next := r.only(n.Output(0))
	return next != nil && next.Is("Reshape")
}

// isTrained reports whether Training can turn a node into a kernel's node Convolution.
func (r *rewriter) isTrained(n *onnx.Node) bool {
	if !n.Is("Conv") || !plainConv(n, 3) {
		return false
	}
	x, w := r.shapes[n.Input(0)], r.shapes[n.Input(1)]
	return len(x) == 4 && x.Known() && len(w) == 4 && w.Known() && w[1] == x[1] && w[2] == onnx.D(3) && w[3] == onnx.D(3)
}

// weightGradient returns x and dy if a node is the gradient of a 3x3 convolution's weights:
// transpose(conv(transpose(x), transpose(dy))), where each transpose exchanges the first two axes.
func (r *rewriter) weightGradient(n *onnx.Node) (x, dy string) {
	if !permutes(n, 1, 0, 2, 3) {
		return "", ""
	}
	conv := r.producers[n.Input(0)]
	shape := r.shapes[n.Output(0)]
	if conv == nil || !conv.Is("Conv") || conv.Input(2) != "" || len(shape) != 4 || shape[2] != onnx.D(3) || shape[3] != onnx.D(3) {
		return "", ""
	}
	if pads, _ := conv.Ints("pads"); !slices.Equal(pads, []int64{1, 1, 1, 1}) || conv.Int("group", 1) != 1 {
		return "", ""
	}
	a, b := r.producers[conv.Input(0)], r.producers[conv.Input(1)]
	if !permutes(a, 1, 0, 2, 3) || !permutes(b, 1, 0, 2, 3) {
		return "", ""
	}
	s, d := r.shapes[a.Input(0)], r.shapes[b.Input(0)]
	if !s.Known() || !d.Known() || s[0] != d[0] || s[2] != d[2] || s[3] != d[3] {
		return "", ""
	}
	return a.Input(0), b.Input(0)
}
