package fuse

import (
	"slices"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// attention becomes a node Attention; its projections become one layer.
type attention struct {
	layer                      *layer
	heads, kvHeads, qDim, vDim int
	cosines, sines             []float32 // [tokens][kvHeads][qDim/2]; nil: no rotation
	tokens                     int
	out                        string
}

// heads is a projection of tokens that was split into heads [N,kvHeads,group,S,dim].
type heads struct {
	matmul         *onnx.Node
	kv, group, dim int
	weights        *layer // columns in the order of heads
	cosines, sines []float32
	nodes          []*onnx.Node // all nodes from the projection to the heads
}

// attentionAt returns the attention whose softmax is n, nil if n is in none. Package katago writes
// it, with queries and keys split into heads and possibly rotated by position, as
//
//	reshape(transpose(softmax(q * transpose(k)) * v))
func (r *rewriter) attentionAt(n *onnx.Node) *attention {
	scores, mixed := r.producers[n.Input(0)], r.only(n.Output(0))
	if scores == nil || mixed == nil || !scores.Is("MatMul") || !mixed.Is("MatMul") || mixed.Input(0) != n.Output(0) ||
		len(r.shapes[n.Output(0)]) != 5 || !slices.Contains([]int64{-1, 4}, n.Int("axis", -1)) {
		return nil
	}
	turned, back := r.producers[scores.Input(1)], r.only(mixed.Output(0))
	if !permutes(turned, 0, 1, 2, 4, 3) || !permutes(back, 0, 3, 1, 2, 4) {
		return nil
	}
	end := r.only(back.Output(0))
	if end == nil || !end.Is("Reshape") {
		return nil
	}
	q, k, v := r.headsOf(scores.Input(0)), r.headsOf(turned.Input(0)), r.headsOf(mixed.Input(1))
	if q == nil || k == nil || v == nil || k.group != 1 || v.group != 1 || q.kv != k.kv || q.kv != v.kv || q.dim != k.dim ||
		v.cosines != nil || q.matmul.Input(0) != k.matmul.Input(0) || q.matmul.Input(0) != v.matmul.Input(0) {
		return nil
	}
	a := &attention{heads: q.kv * q.group, kvHeads: q.kv, qDim: q.dim, vDim: v.dim, cosines: k.cosines, sines: k.sines, out: end.Output(0)}
	shape, all := r.shapes[a.out], r.shapes[n.Output(0)]
	if len(shape) != 3 || shape[1] != all[4] || shape[1] != all[3] || shape[2] != onnx.D(int64(a.heads*a.vDim)) ||
		!sameTurn(q.cosines, k.cosines, q.kv, q.group, q.dim/2) || !sameTurn(q.sines, k.sines, q.kv, q.group, q.dim/2) {
		return nil
	}
	a.tokens = int(shape[1].Size)
	nodes := slices.Concat(q.nodes, k.nodes, v.nodes, []*onnx.Node{scores, turned, n, mixed, back, end})
	if !r.take(nodes, a.out) {
		return nil
	}
	l := q.weights
	l.weights = slices.Concat(l.weights, k.weights.weights, v.weights.weights)
	l.outs += k.weights.outs + v.weights.outs
	l.out = r.names.New(a.out + ".projected")
	a.layer = l
	return a
}

// permutes reports whether a node is a Transpose by a permutation.
func permutes(n *onnx.Node, perm ...int64) bool {
	if n == nil || !n.Is("Transpose") {
		return false
	}
	list, _ := n.Ints("perm")
	return slices.Equal(list, perm)
}

// sameTurn reports whether the queries of a group are rotated as its keys are.
func sameTurn(q, k []float32, kv, group, pairs int) bool {
	if len(q) != len(k)*group {
		return false
	}
	for i, v := range q {
		point, head := i/(kv*group*pairs), i/pairs%(kv*group)
		if v != k[(point*kv+head/group)*pairs+i%pairs] {
			return false
		}
	}
	return true
}

// take marks nodes as fused, or returns false if anything else reads their results, apart from
// the value named out.
func (r *rewriter) take(nodes []*onnx.Node, out string) bool {
	for _, n := range nodes {
		name := n.Output(0)
		if r.gone[n] || name != out && r.g.IsOutput(name) {
			return false
		}
		if name != out && slices.ContainsFunc(r.users[name], func(u *onnx.Node) bool { return !slices.Contains(nodes, u) }) {
			return false
		}
	}
	for _, n := range nodes {
		r.gone[n] = true
	}
	return true
}

// headsOf returns the projection that a value [N,kvHeads,group,S,dim] is made of.
func (r *rewriter) headsOf(name string) *heads {
	last := r.producers[name]
	if last == nil {
		return nil
	}
	if permutes(last, 0, 2, 3, 1, 4) {
		return r.plainHeads(last)
	}
	h := &heads{nodes: []*onnx.Node{last}}
	swap := r.producers[last.Input(0)]
	if !last.Is("Reshape") || !permutes(swap, 0, 3, 4, 1, 2, 5) {
		return nil
	}
	split := r.producers[swap.Input(0)]
	if split == nil || !split.Is("Reshape") {
		return nil
	}
	join := r.producers[split.Input(0)]
	shape := r.shapes[split.Output(0)]
	if join == nil || !join.Is("Concat") || len(join.Inputs) != 2 || !shape[1:].Known() || len(shape) != 6 || shape[2].Size != 2 ||
		len(r.shapes[join.Output(0)]) != 3 || !slices.Contains([]int64{-1, 2}, join.Int("axis", 0)) {
		return nil
	}
	h.kv, h.group, h.dim = int(shape[3].Size), int(shape[4].Size), int(2*shape[5].Size)
	half := h.kv * h.group * h.dim / 2
	h.nodes = append(h.nodes, swap, split, join)
	if !r.turnOf(h, join, half) || !r.project(h, func(column int) int {
		head, i := column/h.dim, column%h.dim
		return i/(h.dim/2)*half + head*h.dim/2 + i%(h.dim/2)
	}) {
		return nil
	}
	return h
}

// plainHeads returns the heads of a projection that is split without a rotation.
func (r *rewriter) plainHeads(last *onnx.Node) *heads {
	split := r.producers[last.Input(0)]
	if split == nil || !split.Is("Reshape") {
		return nil
	}
	shape := r.shapes[split.Output(0)]
	if len(shape) != 5 || !shape[1:].Known() {
		return nil
	}
	h := &heads{kv: int(shape[2].Size), group: int(shape[3].Size), dim: int(shape[4].Size), nodes: []*onnx.Node{last, split}}
	h.matmul = r.producers[split.Input(0)]
	if !r.project(h, func(column int) int { return column }) {
		return nil
	}
	return h
}

// project reads the weights of the projection and puts their columns in the given order.
func (r *rewriter) project(h *heads, order func(column int) int) bool {
	if h.matmul == nil || !h.matmul.Is("MatMul") {
		return false
	}
	l := r.productOf(h.matmul)
	if l == nil || l.outs != h.kv*h.group*h.dim {
		return false
	}
	weights := make([]float32, 0, len(l.weights))
	for column := range l.outs {
		weights = append(weights, l.weights[order(column)*l.in:][:l.in]...)
	}
	l.weights = weights
	h.weights = l
	h.nodes = append(h.nodes, h.matmul)
	return true
}

// turnOf reads the rotation of pairs. The first half of the projection's columns has the first
// numbers of all pairs, the second half the second numbers:
//
//	concat(first*cos - second*sin, first*sin + second*cos)
func (r *rewriter) turnOf(h *heads, join *onnx.Node, half int) bool {
	sub, add := r.producers[join.Input(0)], r.producers[join.Input(1)]
	if sub == nil || add == nil || !sub.Is("Sub") || !add.Is("Add") {
		return false
	}
	h.nodes = append(h.nodes, sub, add)
	var cuts [4]*onnx.Node
	var tables [4][]float32
	for i, name := range []string{sub.Input(0), sub.Input(1), add.Input(0), add.Input(1)} {
		mul := r.producers[name]
		if mul == nil || !mul.Is("Mul") || r.producers[mul.Input(0)] == nil {
			return false
		}
		cuts[i], tables[i] = r.producers[mul.Input(0)], r.floats(mul.Input(1))
		if !r.isSlice(cuts[i], i%2*half, (i%2+1)*half) || len(tables[i]) == 0 || len(r.consts[mul.Input(1)].Dims) != 2 ||
			r.consts[mul.Input(1)].Dims[1] != int64(half) || cuts[i].Input(0) != cuts[0].Input(0) {
			return false
		}
		h.nodes = append(h.nodes, mul)
		if i < 2 {
			h.nodes = append(h.nodes, cuts[i])
		} else if cuts[i] != cuts[i-2] {
			return false
		}
	}
	h.cosines, h.sines = tables[0], tables[1]
	h.matmul = r.producers[cuts[0].Input(0)]
	return slices.Equal(tables[0], tables[3]) && slices.Equal(tables[1], tables[2])
}

// isSlice reports whether a node cuts columns first to last out of tokens.
func (r *rewriter) isSlice(n *onnx.Node, first, last int) bool {
	if !n.Is("Slice") || len(n.Inputs) < 4 || n.Input(4) != "" && !r.isInts(n.Input(4), 1) {
		return false
	}
	return r.isInts(n.Input(1), int64(first)) && r.isInts(n.Input(2), int64(last)) && r.isInts(n.Input(3), 2)
}

func (r *rewriter) isInts(name string, want ...int64) bool {
	t := r.consts[name]
	if t == nil {
		return false
	}
	list, err := t.Int64s()
	return err == nil && slices.Equal(list, want)
}

// normed returns the tokens that a root mean square norm reads, and the norm's epsilon; without a
// norm, the value itself and 0.
func (r *rewriter) normed(name string) (x string, epsilon float32) {
	div := r.producers[name]
	if div == nil || !div.Is("Div") {
		return name, 0
	}
	x = div.Input(0)
	at := div.Input(1)
	var list []*onnx.Node
	for _, op := range []string{"Sqrt", "Add", "ReduceMean", "Mul"} {
		n := r.producers[at]
		if n == nil || !n.Is(op) {
			return name, 0
		}
		list, at = append(list, n), n.Input(0)
	}
	eps, shape, mean := r.floats(list[1].Input(1)), r.shapes[x], r.shapes[list[2].Output(0)]
	if len(eps) != 1 || !(eps[0] > 0) || list[3].Input(0) != x || list[3].Input(1) != x || len(shape) != 3 || len(mean) != 3 ||
		!slices.Equal(mean[:2], shape[:2]) || mean[2] != onnx.D(1) {
		return name, 0
	}
	return x, eps[0]
}

// gatedAt returns the layer silu(x·a) * (x·b) whose last product is n, nil if there is none.
func (r *rewriter) gatedAt(n *onnx.Node) *layer {
	for i := range 2 {
		up, gate := r.producers[n.Input(i)], r.producers[n.Input(1-i)]
		if up == nil || gate == nil || !up.Is("Mul") || !gate.Is("MatMul") {
			continue
		}
		for j := range 2 {
			first, sigmoid := r.producers[up.Input(j)], r.producers[up.Input(1-j)]
			if first == nil || sigmoid == nil || !first.Is("MatMul") || !sigmoid.Is("Sigmoid") || sigmoid.Input(0) != up.Input(j) {
				continue
			}
			a, b := r.productOf(first), r.productOf(gate)
			if a == nil || b == nil || a.x != b.x || a.epsilon != b.epsilon || a.outs != b.outs || !r.take([]*onnx.Node{first, sigmoid, up, gate, n}, n.Output(0)) {
				continue
			}
			a.weights = slices.Concat(a.weights, b.weights)
			a.outs *= 2
			a.activation, a.out = kernel.SwiGLU, n.Output(0)
			return a
		}
	}
	return nil
}

// attend adds the nodes Attention.
func (r *rewriter) attend() {
	for _, a := range r.attentions {
		n := &onnx.Node{Name: r.names.New(a.out + ".attention"), OpType: "Attention", Domain: Domain,
			Inputs: []string{a.layer.out}, Outputs: []string{a.out},
			Attrs: onnx.Attrs{"heads": onnx.AttrInt(int64(a.heads)), "kv_heads": onnx.AttrInt(int64(a.kvHeads)),
				"q_dim": onnx.AttrInt(int64(a.qDim)), "v_dim": onnx.AttrInt(int64(a.vDim)), "precision": onnx.AttrInt(int64(r.precision))}}
		if a.cosines != nil {
			for _, t := range []struct {
				name string
				v    []float32
			}{{"cosines", a.cosines}, {"sines", a.sines}} {
				table := onnx.NewTensor(r.names.New(a.out+"."+t.name), t.v, int64(a.tokens), int64(a.kvHeads), int64(a.qDim/2))
				r.g.Initializers = append(r.g.Initializers, table)
				n.Inputs = append(n.Inputs, table.Name)
			}
		}
		r.g.Nodes = append(r.g.Nodes, n)
	}
}
