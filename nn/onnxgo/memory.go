package onnxgo

import (
	"slices"

	"kosumi/nn/onnx"
)

// This file keeps values apart that gorgonia would wrongly put into the same memory.

// usage counts how often each value of the lowered graph is read; an output of the graph counts as
// read once more.
func (l *lowering) usage() map[string]int {
	uses := map[string]int{}
	for _, n := range l.graph.Nodes {
		for _, in := range n.Inputs {
			uses[in]++
		}
	}
	for _, out := range l.graph.Outputs {
		uses[out.Name]++
	}
	return uses
}

// copyOf appends a node that copies a value by adding it to zeros. The zeros come first because
// gorgonia may overwrite the first operand with the result, but never a constant.
func (l *lowering) copyOf(nodes []*onnx.Node, name string, shape onnx.Shape) ([]*onnx.Node, string) {
	sizes, _ := shape.Sizes()
	to, zeros := l.fresh(), l.named(filled(0, ints(sizes)...))
	return append(nodes, newNode("Add", nil, []string{zeros.name, name}, to)), to
}

// separateOutputs copies each output that is also an input, a constant or another output, or that a
// node reads: onnx-go fills in only values that nothing reads.
func (l *lowering) separateOutputs() {
	uses := l.usage()
	for _, v := range l.graph.Inputs {
		uses[v.Name]++
	}
	for _, t := range l.graph.Initializers {
		uses[t.Name]++
	}
	for i, out := range l.graph.Outputs {
		if uses[out.Name] > 1 {
			l.graph.Nodes, l.graph.Outputs[i].Name = l.copyOf(l.graph.Nodes, out.Name, out.Shape)
		}
	}
}

// ownReshapes copies a value before it is reshaped if other nodes read it too. In gorgonia a value
// and its reshaped form share memory, which a later node may overwrite as soon as one of them is no
// longer needed.
func (l *lowering) ownReshapes() {
	uses := l.usage()
	shapes := map[string]onnx.Shape{}
	for _, v := range l.graph.Inputs {
		shapes[v.Name] = v.Shape
	}
	for _, v := range l.made {
		shapes[v.name] = onnx.ShapeOf(dims(v.shape)...)
	}
	var nodes []*onnx.Node
	for _, n := range l.graph.Nodes {
		if from := n.Inputs[0]; n.Is("Reshape") && uses[from] > 1 {
			n.Inputs = slices.Clone(n.Inputs)
			nodes, n.Inputs[0] = l.copyOf(nodes, from, shapes[from])
		}
		nodes = append(nodes, n)
	}
	l.graph.Nodes = nodes
}
