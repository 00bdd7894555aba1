package quant

import (
	"fmt"
	"slices"
	"strings"

	"kosumi/nn/onnx"
)

// Version changes whenever the same network would come out differently.
const Version = 4

// Summary says what became of a network's convolutions and of its matrix products
// over tokens.
type Summary struct {
	Rows    int       // calibration rows
	Method  Method    // of calibration
	For     Processor // never AtHand
	Integer []string  // those in integers, by the name of their output value
	Wide    []string  // convolutions among them whose sums stay unrounded
	Float   []string  // those left in float32
	// Work is the share of the network's multiplications with constant weights
	// that are done in integers.
	Work float64
}

// Int8 returns the network m as a graph of 8-bit integer convolutions and matrix
// products. m has an exact board size and any batch; it is not changed. The result
// has the same inputs, outputs and metadata.
//
// Errors wrap ErrGraph, ErrNothing, ErrOptions, ErrCalibration, or are what run
// returned.
func Int8(m *onnx.Model, run Runner, o Options) (*onnx.Model, *Summary, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	g, err := newGraph(m)
	if err != nil {
		return nil, nil, err
	}
	if err := g.checkNames(o.Float); err != nil {
		return nil, nil, err
	}
	if err := g.foldScales(); err != nil {
		return nil, nil, err
	}
	convs, tokens := g.selected(o)
	if len(convs)+len(tokens) == 0 {
		return nil, nil, ErrNothing
	}
	if err := g.checkWeights(slices.Concat(convs, tokens)); err != nil {
		return nil, nil, err
	}
	stats, err := g.collect(run, g.taps(g.convs(), tokens))
	if err != nil {
		return nil, nil, err
	}
	p, err := g.plan(stats, o)
	if err != nil {
		return nil, nil, err
	}
	e := newEmitter(g, p)
	if p.weights, err = e.quantizeAll(run, o); err != nil {
		return nil, nil, err
	}
	out, err := e.model()
	if err != nil {
		return nil, nil, err
	}
	s := g.summary(p)
	s.Rows, s.Method, s.For = stats.Rows, o.Method, o.For
	return out, s, nil
}

// checkNames refuses names that no convolution and no matrix product has.
func (g *graph) checkNames(names []string) error {
	var there []string
	for _, c := range slices.Concat(g.convs(), g.tokenProducts()) {
		there = append(there, c.node.Outputs[0])
	}
	for _, name := range names {
		if !slices.Contains(there, name) {
			return fmt.Errorf("%w: no convolution is called %q, and no matrix product of tokens; there are %s", ErrOptions, name, strings.Join(there, ", "))
		}
	}
	return nil
}

// plan is what was decided before the integer graph is written.
type plan struct {
	selected []*conv           // convolutions
	tokens   []*conv           // token products
	wide     map[string]bool   // convolutions that give float32, by their output
	split    map[string][]int  // planes of inputs that are given twice
	params   map[string]params // of each value that is held in bytes
	weights  map[*conv]quantizedWeights
}

// plan rewrites the float graph so that it quantizes well, and chooses ranges.
func (g *graph) plan(stats *Stats, o Options) (*plan, error) {
	var err error
	p := &plan{params: map[string]params{}}
	if !o.plain.shifts {
		if err := g.foldShifts(stats); err != nil {
			return nil, err
		}
	}
	if !o.plain.scales {
		convs, _ := g.selected(o)
		if p.wide, err = g.equalize(stats, convs); err != nil {
			return nil, err
		}
		_, tokens := g.selected(o) // those of the scaled graph
		if err := g.equalizeTokens(stats, tokens); err != nil {
			return nil, err
		}
	}
	p.selected, p.tokens = g.selected(o)
	if len(p.tokens) > 0 {
		p.wide = g.wideStems(p.wide, p.selected)
	}
	if !o.plain.planes {
		p.split = g.splitPlanes(stats, p.selected)
	}
	for tap := range stats.channels {
		if _, planes := p.split[tap]; planes {
			p.params[tap] = params{scale: 1.0 / planeOne}
			continue
		}
		p.params[tap] = choose(stats.tensor(tap), o)
	}
	return p, nil
}

// quantizeAll quantizes the weights of all that is selected.
func (e *emitter) quantizeAll(run Runner, o Options) (map[*conv]quantizedWeights, error) {
	out := map[*conv]quantizedWeights{}
	for _, group := range gramGroups(slices.Concat(e.plan.selected, e.plan.tokens)) {
		var grams map[*conv]*gram
		if !o.Nearest {
			var err error
			if grams, err = e.grams(run, group); err != nil {
				return nil, err
			}
		}
		for _, c := range group {
			w, bias, err := e.weight(c)
			if err != nil {
				return nil, err
			}
			out[c] = quantizeWeights(w, bias, e.limits(c, o.For), grams[c])
		}
	}
	return out, nil
}

// limits returns what the weights of a layer have to keep to on a processor.
func (e *emitter) limits(c *conv, on Processor) limits {
	split, planes := e.split[c.in]
	l := limits{most: 127, fine: fineColumns(c, split)}
	if on.bounded() && !planes {
		l.partner = partners(c.inputs, c.kernel, c.inputs+int(e.padding(c.in)))
	}
	return l
}

func (g *graph) summary(p *plan) *Summary {
	s := &Summary{}
	integer := map[*onnx.Node]bool{}
	for _, c := range slices.Concat(p.selected, p.tokens) {
		integer[c.node] = true
		s.Integer = append(s.Integer, c.node.Outputs[0])
		if p.wide[c.out] {
			s.Wide = append(s.Wide, c.node.Outputs[0])
		}
		s.Work += c.work
	}
	s.Work /= g.totalWork()
	for _, n := range g.m.Graph.Nodes {
		if (n.Is("Conv") || g.tokenProduct(n) != nil) && !integer[n] {
			s.Float = append(s.Float, n.Outputs[0])
		}
	}
	return s
}
