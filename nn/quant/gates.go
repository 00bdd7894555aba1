package quant

import (
	"maps"
	"math"
)

// In a gated feed-forward layer, (silu(n·A) * (n·B))·C, any factor of a hidden
// unit can move from C into B. A token has one step for all units, so units of
// like range lose least to rounding.

// gate returns the token product whose outputs can be scaled in the place of the
// inputs of c: it goes into a product with something else, and that into c, and
// nowhere else. nil where there is none.
func (g *graph) gate(c *conv) *conv {
	mul := g.producers[c.in]
	if mul == nil || !mul.Is("Mul") || g.only(c.in) != c.node || len(mul.Inputs) != 2 || mul.Inputs[0] == mul.Inputs[1] {
		return nil
	}
	for i := len(mul.Inputs) - 1; i >= 0; i-- {
		n := g.producers[mul.Inputs[i]]
		if n == nil || g.only(mul.Inputs[i]) != mul {
			continue
		}
		if source := g.tokenProduct(n); source != nil && source.outputs == c.inputs {
			return source
		}
	}
	return nil
}

// hasGate reports whether the channels of some tokens can be scaled.
func (g *graph) hasGate(tokens string) bool {
	for _, n := range g.users[tokens] {
		if c := g.tokenProduct(n); c != nil && c.in == tokens && g.gate(c) != nil {
			return true
		}
	}
	return false
}

// equalizeTokens scales hidden units to where the estimated noise is least.
func (g *graph) equalizeTokens(s *Stats, tokens []*conv) error {
	for _, c := range tokens {
		source := g.gate(c)
		if source == nil || len(s.channels[c.in]) != c.inputs {
			continue
		}
		p, err := g.unitNoise(s, c)
		if err != nil {
			return err
		}
		d := p.solve()
		if err := g.scaleProduct(source.node, nil, d); err != nil {
			return err
		}
		if err := g.scaleProduct(c.node, inverse(d), nil); err != nil {
			return err
		}
		s.scale(c.in, d)
	}
	return g.index()
}

// unitNoise is the noise of one token product, its inputs and weights.
func (g *graph) unitNoise(s *Stats, c *conv) (*noise, error) {
	w, _, err := g.weight(c)
	if err != nil {
		return nil, err
	}
	inputs := site{name: c.in, gain: make([]float64, c.inputs)}
	r := reader{outputs: c.outputs, tops: make([]float64, len(w)), factor: weightNoise / (127 * 127)}
	for i := range c.inputs {
		x := s.spread(c.in, i)
		inputs.low, inputs.high = append(inputs.low, x.low), append(inputs.high, x.high)
		r.squares = append(r.squares, x.square)
		for o := range c.outputs {
			v := float64(w[o*c.inputs+i])
			inputs.gain[i] += v * v
			r.tops[o*c.inputs+i] = math.Abs(v)
		}
	}
	return &noise{channels: c.inputs, sites: []site{inputs}, readers: []reader{r}}, nil
}

// wideStems makes convolutions of few channels before a transformer wide: what
// they write is the residual stream, where its rounding stays to the end.
func (g *graph) wideStems(wide map[string]bool, selected []*conv) map[string]bool {
	all := maps.Clone(wide)
	if all == nil {
		all = map[string]bool{}
	}
	for _, c := range selected {
		if 2*c.inputs <= c.outputs && g.canBeWide(c) {
			all[c.out] = true
		}
	}
	return all
}
