package quant

import (
	"math"

	"kosumi/nn/onnx"
)

// foldScales removes products by one positive number per channel that stand
// before an activation and its convolutions:
//
//	conv(relu(m*x + b)) = conv'(relu(x + b/m)), with m multiplied into the weights.
//
// The sums that are left may vanish too, see foldShifts.
func (g *graph) foldScales() error {
	for _, n := range g.m.Graph.Nodes {
		if m := g.scaleToFold(n); m != nil {
			if err := g.foldScale(n, m); err != nil {
				return err
			}
		}
	}
	onnx.RemoveIdentities(g.m.Graph)
	onnx.RemoveUnused(g.m.Graph)
	return g.index()
}

// scaleToFold returns the factors of a product that can be folded away.
func (g *graph) scaleToFold(n *onnx.Node) []float32 {
	if !n.Is("Mul") || len(g.row(n.Output(0))) != 3 {
		return nil
	}
	_, factors := g.channelConst(n)
	if factors == nil {
		return nil
	}
	top := float32(0)
	for _, f := range factors {
		top = max(top, f)
	}
	for _, f := range factors {
		if f < 1e-4*top {
			return nil
		}
	}
	if !g.reachesConvs(n.Outputs[0], true) {
		return nil
	}
	return factors
}

// channelConst returns the operands of a node of two: the value, and the
// constant of one number per channel. The constant is nil where there is none.
func (g *graph) channelConst(n *onnx.Node) (x string, c []float32) {
	if len(n.Inputs) != 2 {
		return "", nil
	}
	for i, in := range n.Inputs {
		t := g.consts[in]
		row := g.row(n.Inputs[1-i])
		if t == nil || t.Type != onnx.Float || len(row) != 3 || !perChannel(t) || g.consts[n.Inputs[1-i]] != nil {
			continue
		}
		v, err := t.Float32s()
		if err != nil {
			continue
		}
		if len(v) == 1 {
			v = repeat(v[0], row[0])
		}
		if len(v) == row[0] {
			return n.Inputs[1-i], v
		}
	}
	return "", nil
}

func repeat(x float32, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = x
	}
	return v
}

// reachesConvs reports whether a value goes to nothing but convolutions with
// constant weights, by way of one sum with a constant and ReLUs.
func (g *graph) reachesConvs(name string, sum bool) bool {
	if g.m.Graph.IsOutput(name) || len(g.users[name]) == 0 {
		return false
	}
	for _, u := range g.users[name] {
		switch {
		case g.convOf(u) != nil && u.Inputs[0] == name:
		case u.Is("Relu"):
			if !g.reachesConvs(u.Outputs[0], false) {
				return false
			}
		case sum && u.Is("Add"):
			if _, c := g.channelConst(u); c == nil || !g.reachesConvs(u.Outputs[0], false) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// foldScale makes a product the identity and scales what follows.
func (g *graph) foldScale(n *onnx.Node, m []float32) error {
	x, _ := g.channelConst(n)
	n.OpType, n.Inputs = "Identity", []string{x}
	return g.scaleUsers(n.Outputs[0], m)
}

func (g *graph) scaleUsers(name string, m []float32) error {
	for _, u := range g.users[name] {
		switch {
		case u.Is("Relu"):
			if err := g.scaleUsers(u.Outputs[0], m); err != nil {
				return err
			}
		case u.Is("Add"):
			x, b := g.channelConst(u)
			for c := range b {
				b[c] /= m[c]
			}
			u.Inputs = []string{x, g.newConst(u.Outputs[0]+".shift", b, int64(len(b)), 1, 1)}
			if err := g.scaleUsers(u.Outputs[0], m); err != nil {
				return err
			}
		default:
			if err := g.scaleConv(g.convOf(u), m, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// newConst adds a float constant to the graph.
func (g *graph) newConst(base string, data []float32, dims ...int64) string {
	t := onnx.NewTensor(onnx.NewNames(g.m.Graph).New(base), data, dims...)
	g.m.Graph.Initializers = append(g.m.Graph.Initializers, t)
	g.consts[t.Name] = t
	return t.Name
}

// scaleConv multiplies the weights of each input channel by in and those of each
// output channel, with its bias, by out; nil means ones.
func (g *graph) scaleConv(c *conv, in, out []float32) error {
	w, bias, err := g.weight(c)
	if err != nil {
		return err
	}
	for o := range c.outputs {
		for i := range c.inputs {
			f := float32(1)
			if in != nil {
				f = in[i]
			}
			if out != nil {
				f *= out[o]
			}
			for k := range c.kernel {
				w[(o*c.inputs+i)*c.kernel+k] *= f
			}
		}
		if out != nil {
			bias[o] *= out[o]
		}
	}
	g.setConv(c, w, bias)
	return nil
}

// setConv gives a convolution other weights and biases.
func (g *graph) setConv(c *conv, w, bias []float32) {
	old := g.consts[c.node.Inputs[1]]
	inputs := []string{c.node.Inputs[0], g.newConst(old.Name, w, old.Dims...)}
	zero := true
	for _, b := range bias {
		zero = zero && b == 0
	}
	if !zero || c.node.Input(2) != "" {
		inputs = append(inputs, g.newConst(c.node.Outputs[0]+".bias", bias, int64(len(bias))))
	}
	c.node.Inputs = inputs
}

// foldShifts removes sums with a constant that stand on a residual stream: the
// convolution that was added last takes the constant into its bias, and whoever
// else reads the stream, the next sum, gets it taken out again through the bias
// of the convolution that it adds. A shift that would widen a convolution's
// range by much is left alone.
func (g *graph) foldShifts(s *Stats) error {
	for _, n := range g.m.Graph.Nodes {
		if !n.Is("Add") {
			continue
		}
		x, b := g.channelConst(n)
		if b == nil || g.m.Graph.IsOutput(x) || g.m.Graph.IsOutput(n.Outputs[0]) {
			continue
		}
		source := g.branch(x)
		if source == nil || !s.bears(source, b, 1) {
			continue
		}
		others := g.compensators(x, n)
		if others == nil && len(g.users[x]) > 1 {
			continue
		}
		ok := true
		for _, c := range others {
			ok = ok && s.bears(c, b, -1)
		}
		if !ok {
			continue
		}
		if err := g.shiftConv(source, b, 1, s); err != nil {
			return err
		}
		for _, c := range others {
			if err := g.shiftConv(c, b, -1, s); err != nil {
				return err
			}
		}
		n.OpType, n.Inputs = "Identity", []string{x}
	}
	onnx.RemoveIdentities(g.m.Graph)
	onnx.RemoveUnused(g.m.Graph)
	return g.index()
}

// branch returns the convolution whose bias shifts a value: one that makes it,
// or is a summand of it and goes nowhere else.
func (g *graph) branch(x string) *conv {
	n := g.producers[x]
	if n == nil {
		return nil
	}
	if c := g.convOf(n); c != nil {
		return c
	}
	if !n.Is("Add") {
		return nil
	}
	for i := len(n.Inputs) - 1; i >= 0; i-- {
		if c := g.soleConv(n.Inputs[i]); c != nil {
			return c
		}
		if in := g.producers[n.Inputs[i]]; in != nil && in.Is("Add") && g.only(n.Inputs[i]) == n {
			if c := g.branch(n.Inputs[i]); c != nil && len(g.row(n.Inputs[1-i])) == 3 && g.row(n.Inputs[1-i])[1] == 1 {
				return c
			}
		}
	}
	return nil
}

// soleConv returns the convolution that makes a value which is used once.
func (g *graph) soleConv(name string) *conv {
	n := g.producers[name]
	if n == nil || g.only(name) == nil {
		return nil
	}
	if c := g.convOf(n); c != nil && !c.relu {
		return c
	}
	return nil
}

// compensators returns for each user of x but one the convolution that can take
// a shift of x out again; nil where there is a user without.
func (g *graph) compensators(x string, but *onnx.Node) []*conv {
	var list []*conv
	for _, u := range g.users[x] {
		if u == but {
			continue
		}
		if !u.Is("Add") || len(u.Inputs) != 2 {
			return nil
		}
		other := u.Inputs[0]
		if other == x {
			other = u.Inputs[1]
		}
		c := g.soleConv(other)
		if c == nil || other == x {
			return nil
		}
		list = append(list, c)
	}
	return list
}

// bears reports whether the outputs of a convolution, each shifted by sign*b,
// still cover nearly the same range.
func (s *Stats) bears(c *conv, b []float32, sign float64) bool {
	list := s.channels[c.out]
	if list == nil || c.relu {
		return !c.relu // not quantized: any shift will do
	}
	lo, hi, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i := range list {
		l, h := s.limits(c.out, i)
		lo, hi = min(lo, l), max(hi, h)
		low, high = min(low, l+sign*float64(b[i])), max(high, h+sign*float64(b[i]))
	}
	return high-low <= 1.25*(hi-lo)
}

func (g *graph) shiftConv(c *conv, b []float32, sign float32, s *Stats) error {
	w, bias, err := g.weight(c)
	if err != nil {
		return err
	}
	for i := range bias {
		bias[i] += sign * b[i]
	}
	g.setConv(c, w, bias)
	s.shift(c.out, b, float64(sign))
	return nil
}
