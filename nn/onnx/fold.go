package onnx

import (
	"math"
	"slices"
)

// FoldConstants turns Constant nodes into initializers. It does the same with nodes whose result is
// a small int32 or int64 tensor, such as a shape, if shape inference finds all its elements.
func FoldConstants(m *Model) error {
	f, err := infer(m)
	if err != nil {
		return err
	}
	g := m.Graph
	g.Nodes = slices.DeleteFunc(slices.Clone(g.Nodes), func(n *Node) bool {
		if slices.ContainsFunc(n.Outputs, g.IsOutput) {
			return false
		}
		t := foldNode(n, f)
		if t == nil {
			return false
		}
		c := *t
		c.Name = n.Outputs[0]
		g.Initializers = append(g.Initializers, &c)
		return true
	})
	RemoveUnused(g)
	return nil
}

// foldNode returns the constant result of a node, nil where it has none.
func foldNode(n *Node, f *Inference) *Tensor {
	if len(n.Outputs) != 1 {
		return nil
	}
	if n.Is("Constant") {
		if t, err := ConstantTensor(n); err == nil {
			return t
		}
		return nil
	}
	return f.get(n.Outputs[0]).tensor()
}

// tensor returns v as a constant; nil if an element is unknown or v is neither int32 nor int64.
func (v info) tensor() *Tensor {
	sizes, ok := v.shape.Sizes()
	if v.vals == nil || !ok {
		return nil
	}
	list := make([]int64, len(v.vals))
	for i, e := range v.vals {
		if !e.known {
			return nil
		}
		list[i] = e.n
	}
	if n, ok := product(sizes); !ok || n != int64(len(list)) {
		return nil
	}
	switch v.typ {
	case Int64:
		return NewTensor("", list, sizes...)
	case Int32:
		small := make([]int32, len(list))
		for i, n := range list {
			if small[i] = int32(n); int64(small[i]) != n {
				return nil
			}
		}
		return NewTensor("", small, sizes...)
	}
	return nil
}

// BatchNormAffine returns the scale and shift by which a BatchNormalization node in
// inference computes out = scale*x + shift per channel, in float64. ok is false if a
// parameter is not constant or the node is in training mode.
func BatchNormAffine(n *Node, consts map[string]*Tensor) (scale, shift []float64, ok bool) {
	if !n.Is("BatchNormalization") || n.Int("training_mode", 0) != 0 || len(n.Inputs) != 5 {
		return nil, nil, false
	}
	var p [4][]float64
	for i := range p {
		t := consts[n.Inputs[i+1]]
		if t == nil {
			return nil, nil, false
		}
		var err error
		if p[i], err = t.Float64s(); err != nil || len(p[i]) != len(p[0]) {
			return nil, nil, false
		}
	}
	epsilon := float64(n.Float("epsilon", 1e-5))
	scale, shift = make([]float64, len(p[0])), make([]float64, len(p[0]))
	for c := range scale {
		scale[c] = p[0][c] / math.Sqrt(p[3][c]+epsilon)
		shift[c] = p[1][c] - p[2][c]*scale[c]
	}
	return scale, shift, true
}

// FoldBatchNorm merges every BatchNormalization that is the only reader of a Conv into the
// Conv's weight and bias. Products are in float64 and rounded once. It returns how many it
// merged; others stay, such as those at the start of a pre-activation block.
func FoldBatchNorm(m *Model) int {
	g := m.Graph
	consts := g.InitializerMap()
	for _, v := range g.Inputs {
		delete(consts, v.Name)
	}
	producers, users := g.Producers(), g.Users()
	names := NewNames(g)
	gone := map[*Node]bool{}
	for _, bn := range g.Nodes {
		scale, shift, ok := BatchNormAffine(bn, consts)
		if !ok {
			continue
		}
		conv := producers[bn.Inputs[0]]
		if conv == nil || !conv.Is("Conv") || len(users[bn.Inputs[0]]) != 1 || g.IsOutput(bn.Inputs[0]) || len(bn.Inputs) != 5 ||
			slices.ContainsFunc(bn.Outputs[1:], func(s string) bool { return s != "" }) {
			continue
		}
		w, b := foldedConv(conv, consts, scale, shift)
		if w == nil {
			continue
		}
		w.Name, b.Name = names.New(conv.Inputs[1]+".folded"), names.New(conv.Inputs[1]+".folded_bias")
		g.Initializers = append(g.Initializers, w, b)
		conv.Inputs = []string{conv.Inputs[0], w.Name, b.Name}
		conv.Outputs[0] = bn.Outputs[0]
		producers[bn.Outputs[0]] = conv
		gone[bn] = true
	}
	g.Nodes = slices.DeleteFunc(slices.Clone(g.Nodes), func(n *Node) bool { return gone[n] })
	RemoveUnused(g)
	return len(gone)
}

// foldedConv returns the weight and bias of a convolution after merging a scale and a shift per
// output channel; nil if the convolution's weight or bias is not constant or does not fit.
func foldedConv(conv *Node, consts map[string]*Tensor, scale, shift []float64) (w, b *Tensor) {
	weight := consts[conv.Input(1)]
	if weight == nil || weight.Type != Float || len(weight.Dims) < 1 || weight.Dims[0] != int64(len(scale)) {
		return nil, nil
	}
	elems, err := weight.Float32s()
	if err != nil {
		return nil, nil
	}
	bias := make([]float64, len(scale))
	if conv.Input(2) != "" {
		t := consts[conv.Input(2)]
		if t == nil {
			return nil, nil
		}
		if bias, err = t.Float64s(); err != nil || len(bias) != len(scale) {
			return nil, nil
		}
	}
	per := len(elems) / max(len(scale), 1)
	folded := make([]float32, len(scale))
	for c, s := range scale {
		for i := range per {
			elems[c*per+i] = float32(float64(elems[c*per+i]) * s)
		}
		folded[c] = float32(bias[c]*s + shift[c])
	}
	return NewTensor("", elems, weight.Dims...), NewTensor("", folded, int64(len(folded)))
}

// Simplify rewrites a model for inference: it inlines functions, folds constants, drops nodes that
// do nothing, merges BatchNormalizations into convolutions, and turns those that remain into Mul and
// Add. The network computes the same up to rounding. With a fixed batch ([SetBatch]) the nodes by
// which exporters compute shapes disappear too. The model is unchanged on error.
func Simplify(m *Model) error {
	c := m.Clone()
	if err := InlineFunctions(c); err != nil {
		return err
	}
	if err := FoldConstants(c); err != nil {
		return err
	}
	RemoveIdentities(c.Graph)
	FoldBatchNorm(c)
	if err := splitBatchNorm(c); err != nil {
		return err
	}
	if err := Check(c); err != nil {
		return err
	}
	*m = *c
	return nil
}

// splitBatchNorm replaces each BatchNormalization by Mul and Add if its parameters are constant
// and its input [N,C,...] has a known rank.
func splitBatchNorm(m *Model) error {
	f, err := infer(m)
	if err != nil {
		return err
	}
	g := m.Graph
	consts := g.InitializerMap()
	names := NewNames(g)
	var nodes []*Node
	for _, n := range g.Nodes {
		scale, shift, ok := BatchNormAffine(n, consts)
		rank := len(f.get(n.Input(0)).shape)
		if !ok || rank < 2 {
			nodes = append(nodes, n)
			continue
		}
		constant := func(kind string, v []float64) string {
			dims := append([]int64{int64(len(v))}, slices.Repeat([]int64{1}, rank-2)...)
			t := NewTensor(names.New(n.Outputs[0]+"."+kind), narrow(v), dims...)
			g.Initializers = append(g.Initializers, t)
			return t.Name
		}
		mid := names.New(n.Outputs[0] + ".scaled")
		nodes = append(nodes,
			&Node{OpType: "Mul", Inputs: []string{n.Inputs[0], constant("scale", scale)}, Outputs: []string{mid}},
			&Node{OpType: "Add", Inputs: []string{mid, constant("shift", shift)}, Outputs: []string{n.Outputs[0]}})
	}
	g.Nodes = nodes
	RemoveUnused(g)
	return nil
}

func narrow(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}
