package quant

import (
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// graph is a float network prepared for quantization, with what the passes need
// to know of it.
type graph struct {
	m         *onnx.Model
	producers map[string]*onnx.Node
	users     map[string][]*onnx.Node
	consts    map[string]*onnx.Tensor
	shapes    map[string]onnx.Shape
}

// newGraph simplifies a copy of m and writes every norm that is left as a
// product and a sum.
func newGraph(m *onnx.Model) (*graph, error) {
	c := m.Clone()
	if err := onnx.Simplify(c, nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGraph, err)
	}
	onnx.SplitBatchNorm(c.Graph)
	g := &graph{m: c}
	return g, g.index()
}

// index looks at the graph anew, after it was changed.
func (g *graph) index() error {
	shapes, err := onnx.InferShapes(g.m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGraph, err)
	}
	g.shapes = shapes
	g.producers = g.m.Graph.Producers()
	g.users = g.m.Graph.Users()
	g.consts = g.m.Graph.InitializerMap()
	return nil
}

func narrowed(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

// row returns the shape of one row of a value, nil where it is not known.
func (g *graph) row(name string) []int {
	s := g.shapes[name]
	if len(s) < 2 {
		return nil
	}
	out := make([]int, 0, len(s)-1)
	for _, d := range s[1:] {
		if !d.Known() {
			return nil
		}
		out = append(out, int(d.Size))
	}
	return out
}

// only returns the one node that uses a value, if there is just one and the
// value is no output of the graph.
func (g *graph) only(name string) *onnx.Node {
	if u := g.users[name]; len(u) == 1 && !g.m.Graph.IsOutput(name) {
		return u[0]
	}
	return nil
}

// conv is a convolution that can be computed in integers.
type conv struct {
	node *onnx.Node
	in   string // the activations
	out  string // the result, after the ReLU where one is fused
	relu bool
	// in, out and kernel sizes
	inputs, outputs, kernel int
	work                    float64 // multiplications for one row
	tokens                  bool    // it is a token product, see tokens.go
}

// convs lists the convolutions with constant weights and no groups, in order.
func (g *graph) convs() []*conv { return g.layers(g.convOf) }

// layers lists what of(node) finds, in order of the nodes.
func (g *graph) layers(of func(*onnx.Node) *conv) []*conv {
	var list []*conv
	for _, n := range g.m.Graph.Nodes {
		if c := of(n); c != nil {
			list = append(list, c)
		}
	}
	return list
}

func (g *graph) convOf(n *onnx.Node) *conv {
	if !n.Is("Conv") || n.Int("group", 1) != 1 || n.Str("auto_pad", "NOTSET") != "NOTSET" {
		return nil
	}
	w := g.consts[n.Input(1)]
	in, out := g.row(n.Input(0)), g.row(n.Output(0))
	if w == nil || w.Type != onnx.Float || len(w.Dims) != 4 || len(in) != 3 || len(out) != 3 {
		return nil
	}
	if b := n.Input(2); b != "" && g.consts[b] == nil {
		return nil
	}
	c := &conv{node: n, in: n.Inputs[0], out: n.Outputs[0], inputs: int(w.Dims[1]), outputs: int(w.Dims[0]), kernel: int(w.Dims[2] * w.Dims[3])}
	c.work = float64(c.inputs) * float64(c.outputs) * float64(c.kernel) * float64(out[1]*out[2])
	if u := g.only(c.out); u != nil && u.Is("Relu") {
		c.out, c.relu = u.Outputs[0], true
	}
	return c
}

// checkWeights refuses layers whose weights are not finite.
func (g *graph) checkWeights(selected []*conv) error {
	for _, c := range selected {
		w, bias, err := g.weight(c)
		if err != nil {
			return err
		}
		for _, x := range slices.Concat(w, bias) {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("%w: layer %q has weights that are NaN or infinite", ErrGraph, c.node.Outputs[0])
			}
		}
	}
	return nil
}

// weight returns the weights of a convolution, [out, in, height, width], and
// its biases.
func (g *graph) weight(c *conv) (w, bias []float32, err error) {
	if w, err = g.consts[c.node.Inputs[1]].Float32s(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrGraph, err)
	}
	if c.tokens {
		return transposed(w, c.inputs, c.outputs), make([]float32, c.outputs), nil
	}
	if b := c.node.Input(2); b != "" {
		if bias, err = g.consts[b].Float32s(); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrGraph, err)
		}
		return w, bias, nil
	}
	return w, make([]float32, c.outputs), nil
}

// totalWork counts the multiplications of all convolutions and matrix products
// with constant weights.
func (g *graph) totalWork() float64 {
	sum := 0.0
	for _, c := range g.convs() {
		sum += c.work
	}
	for _, n := range g.m.Graph.Nodes {
		if !n.Is("MatMul", "Gemm") {
			continue
		}
		w, out := g.consts[n.Input(1)], g.row(n.Output(0))
		if w == nil || len(w.Dims) != 2 || len(out) == 0 {
			continue
		}
		rows := 1
		for _, d := range out[:len(out)-1] {
			rows *= d
		}
		sum += float64(rows) * float64(w.Dims[0]) * float64(w.Dims[1])
	}
	return sum
}

// selected returns the convolutions that are worth it and not excluded, and the
// token products that are.
func (g *graph) selected(o Options) (convs, tokens []*conv) {
	convs, tokens = g.convs(), g.tokenProducts()
	least := o.LeastWork * g.totalWork()
	if o.LeastWork == 0 {
		largest := 0.0
		for _, c := range slices.Concat(convs, tokens) {
			largest = max(largest, c.work)
		}
		least = min(leastOfAll*g.totalWork(), leastOfLargest*largest)
	}
	no := func(c *conv) bool {
		return c.work <= 0 || c.work < least || slices.Contains(o.Float, c.node.Outputs[0])
	}
	return slices.DeleteFunc(convs, no), slices.DeleteFunc(tokens, no)
}

// The shares of all multiplications and of the largest convolution's, either of
// which is worth the conversions. The first alone would leave nothing of a deep
// network: its largest convolution may be less than a hundredth of it.
const (
	leastOfAll     = 0.01
	leastOfLargest = 0.15
)
