package quant

import (
	"math"
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

// groups are sets of values that have to share the scales of their channels.
type groups struct {
	parent map[string]string
	frozen map[string]bool // by root: some user needs the values as they are
	scale  map[string][]float32
	order  []string
}

func (s *groups) find(v string) string {
	p, ok := s.parent[v]
	if !ok {
		s.parent[v] = v
		s.order = append(s.order, v)
		return v
	}
	if p == v {
		return v
	}
	root := s.find(p)
	s.parent[v] = root
	return root
}

func (s *groups) union(a, b string) {
	a, b = s.find(a), s.find(b)
	if a != b {
		s.parent[b] = a
		s.frozen[a] = s.frozen[a] || s.frozen[b]
	}
}

func (s *groups) freeze(v string) { s.frozen[s.find(v)] = true }

// roots lists the groups in the order in which they came up.
func (s *groups) roots() []string {
	var list []string
	for _, v := range s.order {
		if r := s.find(v); !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// of returns the scales of a value's channels, nil for ones.
func (s *groups) of(v string) []float32 {
	if _, ok := s.parent[v]; !ok {
		return nil
	}
	return s.scale[s.find(v)]
}

// scaleGroups finds the values that share scales.
func (g *graph) scaleGroups() *groups {
	s := &groups{parent: map[string]string{}, frozen: map[string]bool{}, scale: map[string][]float32{}}
	for _, v := range g.m.Graph.Feeds() {
		s.freeze(v.Name)
	}
	for _, n := range g.m.Graph.Nodes {
		if !g.commutes(s, n) {
			for _, v := range append(n.Reads(), n.Outputs...) {
				if v != "" && g.consts[v] == nil {
					s.freeze(v)
				}
			}
		}
	}
	for _, v := range g.m.Graph.Outputs {
		s.freeze(v.Name)
	}
	return s
}

// commutes notes what a node says of the scales of its values; false where it
// bears no scales but 1.
func (g *graph) commutes(s *groups, n *onnx.Node) bool {
	switch {
	case g.convOf(n) != nil, g.product(n) != nil:
		s.find(n.Inputs[0])
		s.find(n.Outputs[0])
		return true
	case n.Is("Mul"):
		x, c := g.channelConst(n)
		if c == nil {
			return false
		}
		s.find(x)
		s.find(n.Outputs[0])
		return true
	case n.Is("Relu", "Identity", "GlobalAveragePool", "GlobalMaxPool"), n.Is("LeakyRelu") && n.Float("alpha", 0.01) >= 0:
	case n.Is("Reshape", "Flatten"): // between [C] and [C,1,1]
		in, out := g.row(n.Inputs[0]), g.row(n.Outputs[0])
		if len(in) == 0 || len(out) == 0 || in[0] != out[0] || area(in) != 1 || area(out) != 1 {
			return false
		}
	case n.Is("Add", "Sub"):
		if len(n.Inputs) != 2 {
			return false
		}
		row := g.row(n.Outputs[0])
		for _, in := range n.Inputs {
			if g.consts[in] != nil {
				if _, c := g.channelConst(n); c == nil {
					return false
				}
				continue
			}
			if r := g.row(in); len(r) != 3 || len(row) != 3 || r[0] != row[0] {
				return false
			}
		}
	default:
		return false
	}
	for _, in := range n.Inputs {
		if g.consts[in] == nil && in != "" {
			s.union(n.Outputs[0], in)
		}
	}
	return true
}

// area is the number of points in a row of shape [C, ...].
func area(row []int) int {
	n := 1
	for _, d := range row[1:] {
		n *= d
	}
	return n
}

// product returns the constant matrix [in, out] of a MatMul or Gemm that maps one
// vector a row to another.
func (g *graph) product(n *onnx.Node) *onnx.Tensor {
	if !n.Is("MatMul", "Gemm") || n.Int("transA", 0) != 0 {
		return nil
	}
	w := g.consts[n.Input(1)]
	if w == nil || w.Type != onnx.Float || len(w.Dims) != 2 || len(g.row(n.Inputs[0])) != 1 {
		return nil
	}
	if b := n.Input(2); b != "" && (g.consts[b] == nil || len(g.consts[b].Dims) != 1 || g.consts[b].Dims[0] != int64(g.row(n.Outputs[0])[0])) {
		return nil
	}
	return w
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

// noise is the estimated error that a group's scales d cause, relative to the
// variance of what the readers of the group compute: the rounding of the
// activations in the group, and of the weights that read them.
type noise struct {
	channels int
	sites    []site
	readers  []reader
}

// site is a value with one step for all channels.
type site struct {
	name      string
	low, high []float64
	gain      []float64 // what a unit of squared error in a channel costs
}

// reader is an integer convolution that reads the group.
type reader struct {
	outputs int
	tops    []float64 // [outputs, channels]: largest weight
	squares []float64 // mean square of each channel it reads
	factor  float64
	first   []float64 // largest tops/d of each output, by the last call of prepare
	second  []float64
	at      []int
}

// weightNoise is how much of the rounding error of weights is left, as a share of
// plain rounding to the nearest level.
const weightNoise = 0.4

func (g *graph) noiseProblem(s *Stats, groups *groups, root string, selected []*conv, wide map[string]bool) *noise {
	p := &noise{}
	member := func(v string) bool { return groups.find(v) == root }
	exact := map[string][]float64{} // by value that is read in integers: gain of each channel
	after := map[string][]float64{} // by convolution: gain of what is read later, through the ReLU
	var later []float64
	list := g.convs()
	integer := func(c *conv) bool {
		return slices.ContainsFunc(selected, func(s *conv) bool { return s.node == c.node })
	}
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		after[c.out] = slices.Clone(later)
		if !member(c.in) || s.channels[c.in] == nil {
			continue
		}
		p.channels = c.inputs
		if later == nil {
			later = make([]float64, c.inputs)
		}
		r, gain := g.reader(s, c)
		for k, x := range gain {
			later[k] += x * s.active(c.in, k)
		}
		if !integer(c) {
			continue
		}
		p.readers = append(p.readers, r)
		if exact[c.in] == nil {
			exact[c.in] = make([]float64, c.inputs)
		}
		for k, x := range gain {
			exact[c.in][k] += x
		}
	}
	if len(p.readers) == 0 {
		return nil
	}
	seen := map[string]bool{}
	add := func(v string, gain []float64) {
		if !member(v) || seen[v] || len(s.channels[v]) != p.channels || len(gain) != p.channels {
			return
		}
		seen[v] = true
		t := site{name: v, gain: gain}
		for c := range p.channels {
			x := s.spread(v, c)
			t.low, t.high = append(t.low, x.low), append(t.high, x.high)
		}
		p.sites = append(p.sites, t)
	}
	for _, c := range selected {
		add(c.in, exact[c.in])
	}
	for _, c := range selected {
		if !wide[c.out] {
			add(c.out, after[c.out])
		}
	}
	return p
}

// reader describes a convolution that reads a group, and the gain of its input
// channels.
func (g *graph) reader(s *Stats, c *conv) (reader, []float64) {
	w, _, err := g.weight(c)
	if err != nil {
		return reader{}, make([]float64, c.inputs)
	}
	variance := 0.0
	for o := range c.outputs {
		variance += s.spread(c.out, o).variance
	}
	variance = math.Max(variance, 1e-12)
	r := reader{outputs: c.outputs, tops: make([]float64, c.outputs*c.inputs)}
	gain := make([]float64, c.inputs)
	for o := range c.outputs {
		for i := range c.inputs {
			for _, x := range w[(o*c.inputs+i)*c.kernel:][:c.kernel] {
				gain[i] += float64(x) * float64(x) / variance
				r.tops[o*c.inputs+i] = math.Max(r.tops[o*c.inputs+i], math.Abs(float64(x)))
			}
		}
	}
	for i := range c.inputs {
		r.squares = append(r.squares, s.spread(c.in, i).square)
	}
	r.factor = weightNoise * float64(c.kernel) / (127 * 127 * variance)
	return r, gain
}

// solve looks for the scales with the least noise, one channel after another.
func (p *noise) solve() []float32 {
	d := slices.Repeat([]float64{1}, p.channels)
	const passes = 12
	steps := []float64{0.6, 0.8, 0.92, 1.08, 1.25, 1.7}
	for range passes {
		changed := false
		for i := range p.readers {
			p.readers[i].prepare(d, p.channels)
		}
		for c := range d {
			best, least := d[c], p.value(d, c)
			old := d[c]
			for _, f := range steps {
				d[c] = old * f
				if v := p.value(d, c); v < least*(1-1e-6) && d[c] > 1e-4 && d[c] < 1e4 {
					best, least = d[c], v
				}
			}
			changed = changed || best != old
			d[c] = best
		}
		if !changed {
			break
		}
	}
	return narrowed(d)
}

// value is the noise of a site with scales d.
func (t *site) value(d []float64) float64 {
	lo, hi, cost := 0.0, 0.0, 0.0
	for j, x := range d {
		lo, hi = math.Min(lo, t.low[j]*x), math.Max(hi, t.high[j]*x)
		cost += t.gain[j] / (x * x)
	}
	step := (hi - lo) / (levels - 1)
	return step * step * cost
}

// prepare finds the two largest scaled weights of each output.
func (r *reader) prepare(d []float64, channels int) {
	r.first, r.second, r.at = make([]float64, r.outputs), make([]float64, r.outputs), make([]int, r.outputs)
	for o := range r.outputs {
		for c := range channels {
			switch v := r.tops[o*channels+c] / d[c]; {
			case v > r.first[o]:
				r.first[o], r.second[o], r.at[o] = v, r.first[o], c
			case v > r.second[o]:
				r.second[o] = v
			}
		}
	}
}

// value is the noise with scales d, of which channel c may have changed since
// the readers were prepared.
func (p *noise) value(d []float64, c int) float64 {
	sum := 0.0
	for i := range p.sites {
		sum += p.sites[i].value(d)
	}
	for i := range p.readers {
		r := &p.readers[i]
		energy, tops := 0.0, 0.0
		for j, x := range d {
			energy += r.squares[j] * x * x
		}
		for o := range r.outputs {
			v := r.first[o]
			if r.at[o] == c {
				v = r.second[o]
			}
			v = math.Max(v, r.tops[o*p.channels+c]/d[c])
			tops += v * v
		}
		sum += r.factor * tops * energy
	}
	return sum
}
