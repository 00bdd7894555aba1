package quant

import (
	"slices"

	"kosumi/nn/onnx"
)

// equalize gives each channel a scale of its own where that changes nothing of
// what the network computes: ReLUs and sums commute with positive factors, so a
// whole residual stream may hold its channels in other units, if the
// convolutions that write it multiply their weights accordingly and those that
// read it divide. Since an activation has only one scale for all channels,
// channels of like range lose least to rounding.
//
// The idea is that of Nagel et al. (2019), cross-layer equalization, here over
// whole streams and with the estimated noise as the measure.
//
// It returns the convolutions, by output, that had better be wide.
func (g *graph) equalize(s *Stats, selected []*conv) (wide map[string]bool, err error) {
	wide = g.widen(s, selected)
	groups := g.scaleGroups()
	for _, root := range groups.roots() {
		if groups.frozen[root] {
			continue
		}
		p := g.noiseProblem(s, groups, root, selected, wide)
		if p == nil {
			continue
		}
		groups.scale[root] = p.solve()
	}
	if err := g.rescale(groups); err != nil {
		return nil, err
	}
	for tap := range s.channels {
		if d := groups.of(tap); d != nil {
			s.scale(tap, d)
		}
	}
	return wide, g.index()
}

// rescale writes the scales into the weights.
func (g *graph) rescale(s *groups) error {
	for _, n := range g.m.Graph.Nodes {
		in, out := s.of(n.Input(0)), s.of(n.Output(0))
		switch {
		case in == nil && out == nil && !n.Is("Mul"):
		case g.convOf(n) != nil:
			if err := g.scaleConv(g.convOf(n), inverse(in), out); err != nil {
				return err
			}
		case g.product(n) != nil:
			if err := g.scaleProduct(n, inverse(in), out); err != nil {
				return err
			}
		case n.Is("Add", "Sub", "Mul"):
			x, c := g.channelConst(n)
			if c == nil {
				continue
			}
			if n.Is("Mul") {
				in = s.of(x)
				out = ratio(in, out, len(c))
			}
			for i := range c {
				c[i] *= out[i]
			}
			at := slices.IndexFunc(n.Inputs, func(v string) bool { return v != x })
			n.Inputs[at] = g.newConst(n.Outputs[0]+".shift", c, int64(len(c)), 1, 1)
		}
	}
	onnx.RemoveUnused(g.m.Graph)
	return nil
}

// ratio returns out/in, where nil stands for ones.
func ratio(in, out []float32, n int) []float32 {
	r := repeat(1, n)
	for i := range r {
		if out != nil {
			r[i] *= out[i]
		}
		if in != nil {
			r[i] /= in[i]
		}
	}
	return r
}

func inverse(v []float32) []float32 {
	if v == nil {
		return nil
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = 1 / x
	}
	return out
}

// scaleProduct multiplies the rows and columns of a MatMul's or Gemm's matrix.
func (g *graph) scaleProduct(n *onnx.Node, in, out []float32) error {
	t := g.consts[n.Inputs[1]]
	w, err := t.Float32s()
	if err != nil {
		return err
	}
	rows, cols := int(t.Dims[0]), int(t.Dims[1])
	if n.Is("Gemm") && n.Int("transB", 0) != 0 {
		in, out = out, in
	}
	for r := range rows {
		for c := range cols {
			if in != nil {
				w[r*cols+c] *= in[r]
			}
			if out != nil {
				w[r*cols+c] *= out[c]
			}
		}
	}
	n.Inputs[1] = g.newConst(t.Name, w, t.Dims...)
	if d := out; n.Input(2) != "" {
		if n.Int("transB", 0) != 0 {
			d = in
		}
		if d == nil {
			return nil
		}
		b, err := g.consts[n.Inputs[2]].Float32s()
		if err != nil {
			return err
		}
		for i := range b {
			b[i] *= d[i]
		}
		n.Inputs[2] = g.newConst(n.Inputs[2], b, int64(len(b)))
	}
	return nil
}

// wideShare is the share of a stream's noise above which a convolution that
// writes it is made wide.
const wideShare = 0.15

// widen chooses the convolutions that give their results unrounded: those that
// make much of a stream's noise and read few channels, so that their patches
// are cheap.
func (g *graph) widen(s *Stats, selected []*conv) map[string]bool {
	wide := map[string]bool{}
	groups := g.scaleGroups()
	for _, root := range groups.roots() {
		if groups.frozen[root] {
			continue
		}
		p := g.noiseProblem(s, groups, root, selected, nil)
		if p == nil {
			continue
		}
		d := make([]float64, p.channels)
		for i, x := range p.solve() {
			d[i] = float64(x)
		}
		for i := range p.readers {
			p.readers[i].prepare(d, p.channels)
		}
		total := p.value(d, 0)
		for _, c := range selected {
			i := slices.IndexFunc(p.sites, func(t site) bool { return t.name == c.out })
			if i >= 0 && 2*c.inputs <= c.outputs && g.canBeWide(c) && p.sites[i].value(d) > wideShare*total {
				wide[c.out] = true
			}
		}
	}
	return wide
}
