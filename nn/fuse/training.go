package fuse

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// Training returns a training graph for the kernels, and how many of its nodes moved to
// them. The graph's shapes must be numbers; the model is not changed.
//
// A 3x3 convolution becomes a node Convolution, [N,C,H,W] by weights [O,C,3,3] and a bias
// [O] that may be left out, with a Relu behind it where the attribute relu is 1. The
// gradient of its weights, which package autodiff writes as a convolution of x by dy with
// batch and channels exchanged, becomes a node ConvolutionGradient of x and dy. Both are
// in float32.
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
			*n = onnx.Node{Name: n.Name, OpType: "ConvolutionGradient", Domain: Domain, Inputs: []string{x, dy}, Outputs: n.Outputs}
			moved++
		}
	}
	onnx.RemoveUnused(c.Graph)
	r.users = c.Graph.Users()
	for _, n := range c.Graph.Nodes {
		if !r.isTrained(n) {
			continue
		}
		relu := r.onlyRelu(n)
		n.OpType, n.Domain, n.Attrs = "Convolution", Domain, onnx.Attrs{"relu": onnx.AttrInt(0)}
		if relu != nil {
			n.Attrs["relu"] = onnx.AttrInt(1)
			n.Outputs, relu.Outputs = relu.Outputs, []string{n.Output(0) + ".before"}
			relu.OpType = ""
		}
		moved++
	}
	c.Graph.Nodes = slices.DeleteFunc(c.Graph.Nodes, func(n *onnx.Node) bool { return n.OpType == "" })
	if moved > 0 {
		if c.Opsets == nil {
			c.Opsets = map[string]int64{}
		}
		c.Opsets[Domain] = Version
	}
	c.Graph.Values = nil
	return c, moved, nil
}

// isTrained reports whether a node is a convolution for the kernels of training.
func (r *rewriter) isTrained(n *onnx.Node) bool {
	if !n.Is("Conv") || !plainConv(n, 3) {
		return false
	}
	x, w := r.shapes[n.Input(0)], r.shapes[n.Input(1)]
	return len(x) == 4 && x.Known() && len(w) == 4 && w.Known() && w[1] == x[1] && w[2] == onnx.D(3) && w[3] == onnx.D(3)
}

// onlyRelu returns the Relu that alone reads what a node computes; nil where others do.
func (r *rewriter) onlyRelu(n *onnx.Node) *onnx.Node {
	name := n.Output(0)
	if u := r.users[name]; len(u) == 1 && u[0].Is("Relu") && !r.g.IsOutput(name) {
		return u[0]
	}
	return nil
}

// weightGradient returns x and dy where a node is the gradient of a 3x3 convolution's
// weights: transpose(conv(transpose(x), transpose(dy))), each exchanging the first axes.
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
