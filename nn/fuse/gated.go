package fuse

import (
	"slices"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// permutes reports whether a node is a Transpose by the given permutation.
func permutes(n *onnx.Node, perm ...int64) bool {
	if n == nil || !n.Is("Transpose") {
		return false
	}
	list, _ := n.Ints("perm")
	return slices.Equal(list, perm)
}

// take marks nodes as fused. It returns false, and marks none, if one is fused already or
// if anything else reads one of their results; only the result that out names may be read.
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
	if !n.Is("Mul") {
		return nil
	}
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
