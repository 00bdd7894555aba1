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
	if err := g.foldScales(); err != nil {
		return nil, nil, err
	}
	selected := g.selected(o)
	if len(selected) == 0 {
		return nil, nil, ErrNothing
	}
	stats, err := g.collect(run, g.taps(g.convs()))
	if err != nil {
		return nil, nil, err
	}
	if !o.NoFold {
		if err := g.foldShifts(stats); err != nil {
			return nil, nil, err
		}
	}
	var wide map[string]bool
	if !o.NoEqualize {
		if wide, err = g.equalize(stats, g.selected(o)); err != nil {
			return nil, nil, err
		}
	}
	selected = g.selected(o)
	var split map[string][]int
	if !o.NoSplit {
		split = g.splitPlanes(stats, selected)
	}
	ranges := map[string]params{}
	for tap := range stats.channels {
		if split[tap] != nil {
			ranges[tap] = params{scale: 1.0 / planeOne}
			continue
		}
		ranges[tap] = choose(stats.tensor(tap), o)
	}
	weights, err := g.quantizeAll(run, selected, split, o)
	if err != nil {
		return nil, nil, err
	}
	fresh := func() *emitter { return newEmitter(g, selected, ranges, weights, split, wide) }
	if !o.NoCorrect {
		if err := correctBiases(run, selected, stats, weights, fresh); err != nil {
			return nil, nil, err
		}
	}
	out, err := fresh().model()
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

// quantizeAll quantizes the weights of the selected convolutions.
func (g *graph) quantizeAll(run Runner, selected []*conv, split map[string][]int, o Options) (map[*conv]quantizedWeights, error) {
	most := 127
	if o.NarrowWeights {
		most = 63
	}
	out := map[*conv]quantizedWeights{}
	for _, group := range gramGroups(selected) {
		var grams map[*conv]*gram
		if !o.Nearest {
			var err error
			if grams, err = g.grams(run, group, o.SamplesPerWeight); err != nil {
				return nil, err
			}
		}
		for _, c := range group {
			w, bias, err := g.weight(c)
			if err != nil {
				return nil, err
			}
			out[c] = quantizeWeights(w, bias, most, grams[c], fineColumns(c, split[c.in]))
		}
	}
	return out, nil
}
