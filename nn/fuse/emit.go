package fuse

import (
	"slices"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// emit replaces the nodes of each layer by one.
func (r *rewriter) emit() {
	r.g.Nodes = slices.DeleteFunc(r.g.Nodes, func(n *onnx.Node) bool { return r.gone[n] })
	for _, l := range r.layers {
		if l.tokens {
			continue
		}
		r.boards[l.out] = true
		if l.sum != "" {
			r.boards[l.sum] = true
		}
	}
	for _, l := range r.layers {
		r.g.Nodes = append(r.g.Nodes, r.node(l))
	}
}

// node returns the node of a layer. [rewriter.transposes] later gives its inputs the right layout.
func (r *rewriter) node(l *layer) *onnx.Node {
	constant := func(what string, v []float32, dims ...int64) string {
		if v == nil {
			return ""
		}
		t := onnx.NewTensor(r.names.New(l.out+"."+what), v, dims...)
		r.g.Initializers = append(r.g.Initializers, t)
		return t.Name
	}
	outs, size := int64(l.outs), int64(l.size)
	bias := constant("bias", l.bias, outs)
	if l.column != "" {
		column := r.names.New(l.out + ".column")
		r.g.Nodes = append(r.g.Nodes, &onnx.Node{OpType: "Reshape", Inputs: []string{l.column, r.shape(l.out, 0, outs)}, Outputs: []string{column}})
		if bias != "" {
			sum := r.names.New(l.out + ".bias_sum")
			r.g.Nodes = append(r.g.Nodes, &onnx.Node{OpType: "Add", Inputs: []string{column, bias}, Outputs: []string{sum}})
			column = sum
		}
		bias = column
	}
	planes := int64(0)
	if l.planes {
		planes = 1
	}
	n := &onnx.Node{
		Name: r.names.New(l.out + ".conv"), OpType: "Conv", Domain: onnx.KernelDomain,
		Inputs: []string{l.x, constant("weights", l.weights, outs, int64(l.in), size, size), bias, l.residual,
			constant("scale", l.scale, outs), constant("shift", l.shift, outs)},
		Outputs: []string{l.out},
		Attrs: onnx.Attrs{"activation": onnx.AttrInt(int64(l.activation)), "precision": onnx.AttrInt(int64(r.precisionOf(l))),
			"planes": onnx.AttrInt(planes), "epsilon": onnx.AttrFloat(float64(l.epsilon))},
	}
	for n.Inputs[len(n.Inputs)-1] == "" {
		n.Inputs = n.Inputs[:len(n.Inputs)-1]
	}
	if l.sum != "" {
		n.Outputs = append(n.Outputs, l.sum)
	}
	return n
}

// leastOuts is the minimum number of outputs for which a layer is computed in integers: the last
// layers of the heads have fewer and would gain nothing.
const leastOuts = 8

func (r *rewriter) precisionOf(l *layer) kernel.Precision {
	if l.outs < leastOuts || l.planes {
		return kernel.Float32
	}
	return r.precision
}

// pools makes global pooling read [N,H,W,C].
func (r *rewriter) pools() {
	for _, n := range slices.Clone(r.g.Nodes) {
		reduce := map[string]string{"GlobalAveragePool": "ReduceMean", "GlobalMaxPool": "ReduceMax"}[n.OpType]
		if reduce == "" || !n.IsDefault() || !r.boards[n.Input(0)] {
			continue
		}
		mid, channels := r.names.New(n.Output(0)+".pooled"), r.shapes[n.Input(0)][1].Size
		r.g.Nodes = append(r.g.Nodes, &onnx.Node{OpType: "Reshape", Inputs: []string{mid, r.shape(n.Output(0), 0, channels, 1, 1)}, Outputs: n.Outputs})
		n.OpType, n.Outputs = reduce, []string{mid}
		n.Attrs = onnx.Attrs{"keepdims": onnx.AttrInt(1)}
		if r.opset < 18 {
			n.Attrs["axes"] = onnx.AttrInts(1, 2)
		} else {
			axes := onnx.NewTensor(r.names.New(n.Input(0)+".axes"), []int64{1, 2}, 2)
			r.g.Initializers = append(r.g.Initializers, axes)
			n.Inputs = []string{n.Input(0), axes.Name}
		}
		r.readers = append(r.readers, n)
	}
}

// tokens replaces the nodes that turn boards into tokens by a Reshape: tokens [N,H*W,C] are a view
// of boards [N,H,W,C].
func (r *rewriter) tokens() {
	for _, n := range r.g.Nodes {
		flat := r.producers[n.Input(0)]
		if !permutes(n, 0, 2, 1) || flat == nil || !flat.Is("Reshape") || !r.boards[flat.Input(0)] || len(r.shapes[flat.Input(0)]) != 4 {
			continue
		}
		from, to := r.shapes[flat.Input(0)], r.shapes[n.Output(0)]
		if len(to) != 3 || to[2] != from[1] || to[1].Size != from[2].Size*from[3].Size {
			continue
		}
		n.OpType, n.Attrs = "Reshape", nil
		n.Inputs = []string{flat.Input(0), r.shape(n.Output(0), 0, to[1].Size, to[2].Size)}
		r.readers = append(r.readers, n)
	}
}

// shape adds a constant with the dimensions of a Reshape's result.
func (r *rewriter) shape(name string, dims ...int64) string {
	t := onnx.NewTensor(r.names.New(name+".shape"), dims, int64(len(dims)))
	r.g.Initializers = append(r.g.Initializers, t)
	return t.Name
}

// asTokens returns the tokens [N,H*W,C] that a value [N,C,H,W] was made of, "" if it was
// made of anything else.
func (r *rewriter) asTokens(name string) string {
	board := r.producers[name]
	if board == nil || !board.Is("Reshape") || len(r.shapes[name]) != 4 {
		return ""
	}
	turned := r.producers[board.Input(0)]
	if !permutes(turned, 0, 2, 1) || r.boards[turned.Input(0)] {
		return ""
	}
	to, from := r.shapes[name], r.shapes[turned.Input(0)]
	if len(from) != 3 || from[2] != to[1] || from[1].Size != to[2].Size*to[3].Size {
		return ""
	}
	return turned.Input(0)
}

// transposes adds Transposes between nodes of the two layouts, and before outputs of the
// graph.
func (r *rewriter) transposes() {
	var added []*onnx.Node
	transpose := func(from, to string, perm ...int64) {
		added = append(added, &onnx.Node{OpType: "Transpose", Inputs: []string{from}, Outputs: []string{to},
			Attrs: onnx.Attrs{"perm": onnx.AttrInts(perm...)}})
	}
	names := map[string]string{} // value -> its name in the other layout
	for i := range r.g.Outputs {
		if name := r.g.Outputs[i].Name; r.boards[name] { // the layer's value gets another name
			inside := r.names.New(name + ".board")
			r.g.ReplaceUses(name, inside)
			for _, n := range r.g.Nodes {
				for j := range n.Outputs {
					if n.Outputs[j] == name {
						n.Outputs[j] = inside
					}
				}
			}
			r.boards[inside] = true
			delete(r.boards, name)
			names[inside] = name
			transpose(inside, name, 0, 3, 1, 2)
		}
	}
	for _, n := range r.g.Nodes {
		for i, name := range n.Inputs {
			wants := n.Domain == onnx.KernelDomain && r.wantsBoard(n, i) || i == 0 && slices.Contains(r.readers, n)
			if name == "" || r.boards[name] == wants || n.Domain == onnx.KernelDomain && i != 0 && i != 3 {
				continue
			}
			if names[name] == "" {
				if tokens := r.asTokens(name); r.boards[name] {
					names[name] = r.names.New(name + ".nchw")
					transpose(name, names[name], 0, 3, 1, 2)
				} else if tokens != "" {
					names[name] = r.names.New(name + ".nhwc")
					s := r.shapes[name]
					added = append(added, &onnx.Node{OpType: "Reshape", Outputs: []string{names[name]},
						Inputs: []string{tokens, r.shape(name, 0, s[2].Size, s[3].Size, s[1].Size)}})
				} else {
					names[name] = r.names.New(name + ".nhwc")
					transpose(name, names[name], 0, 2, 3, 1)
				}
			}
			n.Inputs[i] = names[name]
		}
	}
	r.g.Nodes = append(r.g.Nodes, added...)
}

// wantsBoard reports whether a Conv of boards reads an input as a board [N,H,W,C]: it does for the
// residual, and for x unless x holds planes.
func (r *rewriter) wantsBoard(n *onnx.Node, input int) bool {
	return r.boards[n.Output(0)] && (input == 3 || input == 0 && n.Int("planes", 0) == 0)
}
