package quant

import (
	"slices"

	"kosumi/nn/onnx"
)

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
