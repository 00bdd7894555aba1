package quant

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// Stats holds what was seen of each tap, channel by channel.
type Stats struct {
	Rows     int
	channels map[string][]histogram
}

// tensor returns the histogram of a whole tap.
func (s *Stats) tensor(tap string) *histogram {
	var h histogram
	for i := range s.channels[tap] {
		h.merge(&s.channels[tap][i])
	}
	return &h
}

// taps lists the values whose ranges the selected convolutions need.
func (g *graph) taps(selected []*conv) []Tap {
	var list []Tap
	add := func(name string) {
		if !slices.ContainsFunc(list, func(t Tap) bool { return t.Name == name }) {
			list = append(list, Tap{Name: name, Shape: g.row(name)})
		}
	}
	for _, c := range selected {
		add(c.in)
		add(c.out)
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
// give. Taps have shape [C, ...].
func (g *graph) collect(run Runner, taps []Tap) (*Stats, error) {
	s := &Stats{channels: map[string][]histogram{}}
	var direct []Tap
	for _, t := range taps {
		if len(t.Shape) == 0 {
			return nil, fmt.Errorf("%w: the shape of value %q is not known", ErrGraph, t.Name)
		}
		s.channels[t.Name] = make([]histogram, t.Shape[0])
		direct = append(direct, t)
	}
	seen := 0
	m := g.instrument(direct)
	err := run.Run(m, direct, func(tap, rows int, data []float32) error {
		t := taps[tap]
		if tap == 0 {
			seen += rows
		}
		list := s.channels[t.Name]
		per := len(data) / rows / len(list)
		for r := range rows {
			for c := range list {
				at := (r*len(list) + c) * per
				if err := list[c].add(data[at : at+per]); err != nil {
					return fmt.Errorf("%w (value %q)", err, t.Name)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if seen == 0 {
		return nil, fmt.Errorf("%w: there were no rows", ErrCalibration)
	}
	s.Rows = seen
	return s, nil
}
