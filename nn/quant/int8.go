package quant

import "kosumi/nn/onnx"

// Summary says what became of a network's convolutions.
type Summary struct {
	Rows     int      // calibration rows
	Integer  []string // convolutions in integers, by the name of their output value
	Float    []string // convolutions left in float32
	WorkDone float64  // share of the multiplications that are done in integers
}

// Int8 returns the network m as a graph of 8-bit integer convolutions. m has
// exact board sizes and any batch. It is not changed.
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
	selected := g.selected(o)
	if len(selected) == 0 {
		return nil, nil, ErrNothing
	}
	stats, err := g.collect(run, g.taps(selected))
	if err != nil {
		return nil, nil, err
	}
	ranges := map[string]params{}
	for tap := range stats.channels {
		ranges[tap] = choose(stats.tensor(tap), o)
	}
	most := 127
	if o.NarrowWeights {
		most = 63
	}
	out, err := newEmitter(g, selected, ranges, most).model()
	if err != nil {
		return nil, nil, err
	}
	return out, g.summary(selected, stats.Rows), nil
}

func (g *graph) summary(selected []*conv, rows int) *Summary {
	s := &Summary{Rows: rows}
	integer := map[*onnx.Node]bool{}
	for _, c := range selected {
		integer[c.node] = true
		s.Integer = append(s.Integer, c.node.Outputs[0])
		s.WorkDone += c.work
	}
	s.WorkDone /= g.totalWork()
	for _, n := range g.m.Graph.Nodes {
		if n.Is("Conv") && !integer[n] {
			s.Float = append(s.Float, n.Outputs[0])
		}
	}
	return s
}
