package quant

import (
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// Stats holds what was seen of each tap, channel by channel. The graph may be
// rewritten after the measurement: each channel then has a factor and an offset
// from what was measured.
type Stats struct {
	Rows     int
	channels map[string][]histogram
	maps     map[string][]affine
}

// affine is the map x -> scale*x + shift of one channel.
type affine struct{ scale, shift float64 }

func newStats() *Stats {
	return &Stats{channels: map[string][]histogram{}, maps: map[string][]affine{}}
}

// shift moves the channels of a tap that is there.
func (s *Stats) shift(tap string, by []float32, sign float64) {
	for i, m := range s.maps[tap] {
		s.maps[tap][i].shift = m.shift + sign*float64(by[i])
	}
}

// scale multiplies the channels of a tap.
func (s *Stats) scale(tap string, by []float32) {
	for i, m := range s.maps[tap] {
		f := float64(by[i])
		s.maps[tap][i] = affine{m.scale * f, m.shift * f}
	}
}

// limits returns the least and the greatest number of a channel.
func (s *Stats) limits(tap string, channel int) (lo, hi float64) {
	h, m := &s.channels[tap][channel], s.maps[tap][channel]
	return float64(h.min)*m.scale + m.shift, float64(h.max)*m.scale + m.shift
}

// tensor returns the histogram of a whole tap.
func (s *Stats) tensor(tap string) *histogram {
	var h histogram
	for i := range s.channels[tap] {
		h.merge(&s.channels[tap][i], s.maps[tap][i])
	}
	return &h
}

// active is the share of a channel's numbers that are not 0: where a ReLU lets
// errors through.
func (s *Stats) active(tap string, channel int) float64 {
	h := &s.channels[tap][channel]
	return 1 - float64(h.zeros)/math.Max(float64(h.total), 1)
}

// taps lists the values that convolutions read and write, and those that token
// products read.
func (g *graph) taps(convs, tokens []*conv) []Tap {
	var list []Tap
	add := func(name string) {
		if !slices.ContainsFunc(list, func(t Tap) bool { return t.Name == name }) {
			list = append(list, Tap{Name: name, Shape: g.row(name)})
		}
	}
	for _, c := range convs {
		add(c.in)
		add(c.out)
	}
	for _, c := range tokens {
		add(c.in)
	}
	return list
}

// instrument returns the graph with nothing but the taps as outputs. A tap that
// is an input gets another name.
func (g *graph) instrument(taps []Tap) *onnx.Model {
	m := g.m.Clone()
	m.Graph.Outputs = nil
	for i, t := range taps {
		if g.producers[t.Name] == nil { // an input cannot be an output as it is
			name := t.Name + ".tap"
			m.Graph.Nodes = append(m.Graph.Nodes, &onnx.Node{OpType: "Identity", Inputs: []string{t.Name}, Outputs: []string{name}})
			taps[i].Name, t.Name = name, name
		}
		s := onnx.Shape{onnx.Sym("N")}
		for _, d := range t.Shape {
			s = append(s, onnx.D(int64(d)))
		}
		m.Graph.Outputs = append(m.Graph.Outputs, onnx.ValueInfo{Name: t.Name, Type: onnx.Float, Shape: s})
	}
	feeds := slices.Clone(m.Graph.Inputs)
	onnx.RemoveUnused(m.Graph)
	m.Graph.Inputs = feeds
	return m
}

// collect runs the graph over the calibration rows and counts what the taps
// give. Taps have shape [C,H,W], or [S,C]: of tokens the channels are told apart
// only where they can be scaled.
func (g *graph) collect(run Runner, taps []Tap) (*Stats, error) {
	s := newStats()
	for _, t := range taps {
		if len(t.Shape) == 0 || t.Shape[0] < 1 {
			return nil, fmt.Errorf("%w: the shape of value %q is not known", ErrGraph, t.Name)
		}
		channels := t.Shape[0]
		if len(t.Shape) == 2 {
			if channels = 1; g.hasGate(t.Name) {
				channels = t.Shape[1]
			}
		}
		s.channels[t.Name] = make([]histogram, channels)
		s.maps[t.Name] = slices.Repeat([]affine{{scale: 1}}, channels)
	}
	renamed := slices.Clone(taps)
	m := g.instrument(renamed)
	err := run.Run(Pass{Stage: "measure ranges", Model: m, Taps: renamed, See: func(tap, rows int, data []float32) error {
		if rows <= 0 {
			return fmt.Errorf("%w: a batch of %d rows", ErrCalibration, rows)
		}
		if tap == 0 {
			s.Rows += rows
		}
		list := s.channels[taps[tap].Name]
		if len(taps[tap].Shape) == 2 {
			return addTokens(list, taps[tap], data)
		}
		per := len(data) / rows / len(list)
		for r := range rows {
			for c := range list {
				at := (r*len(list) + c) * per
				if err := list[c].add(data[at : at+per]); err != nil {
					return fmt.Errorf("%w (value %q)", err, taps[tap].Name)
				}
			}
		}
		return nil
	}})
	if err == nil && s.Rows == 0 {
		err = fmt.Errorf("%w: there were no rows", ErrCalibration)
	}
	return s, err
}

// addTokens counts tokens [rows*S,C].
func addTokens(list []histogram, t Tap, data []float32) error {
	column := make([]float32, len(data)/len(list))
	for c := range list {
		for i := range column {
			column[i] = data[i*len(list)+c]
		}
		if err := list[c].add(column); err != nil {
			return fmt.Errorf("%w (value %q)", err, t.Name)
		}
	}
	return nil
}

// spread is what the scales of channels are chosen by: nearly the whole range of
// a channel, and the mean of its squares.
type spread struct{ low, high, square, variance float64 }

func (s *Stats) spread(tap string, channel int) spread {
	h, m := &s.channels[tap][channel], s.maps[tap][channel]
	lo, hi := h.quantile(1e-4), h.quantile(1-1e-4)
	mean := h.sum / math.Max(float64(h.total), 1)
	square := h.squares / math.Max(float64(h.total), 1)
	variance := math.Max(square-mean*mean, 0) * m.scale * m.scale
	mean = mean*m.scale + m.shift
	return spread{
		low: min(lo*m.scale+m.shift, 0), high: max(hi*m.scale+m.shift, 0),
		square: variance + mean*mean, variance: variance,
	}
}
