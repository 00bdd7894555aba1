package quant

import (
	"math"
	"slices"
)

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
