package onnx

import (
	"fmt"
	"slices"
)

// SetBatch changes the first dimension of all [Graph.Feeds] to a number or to a symbol for any number.
// A Reshape to a constant shape that begins with the old number keeps its input's first dimension
// instead. Declarations of inner values are dropped; outputs are declared anew. The model is
// unchanged on error.
func SetBatch(m *Model, batch Dim) error {
	if !batch.Known() && batch.Param == "" || batch.Known() && batch.Size < 1 {
		return fmt.Errorf("%w: a batch of %v", ErrShape, batch)
	}
	c := m.Clone()
	if err := InlineFunctions(c); err != nil {
		return err
	}
	g := c.Graph
	g.Values = nil
	consts, old := g.InitializerMap(), UnknownDim
	for i := range g.Inputs {
		v := &g.Inputs[i]
		switch {
		case consts[v.Name] != nil:
			continue
		case len(v.Shape) == 0:
			return fmt.Errorf("%w: input %q has shape %v, without a batch", ErrShape, v.Name, v.Shape)
		case old.Known() && v.Shape[0] != old:
			return fmt.Errorf("%w: inputs have batches of %v and %v", ErrShape, old, v.Shape[0])
		}
		old, v.Shape[0] = v.Shape[0], batch
	}
	was, err := infer(m)
	if err != nil {
		return err
	}
	if err := rebatch(c, old, batch); err != nil {
		return err
	}
	for i := range g.Outputs {
		out := &g.Outputs[i]
		before := was.get(out.Name).shape
		if len(before) > 0 && len(out.Shape) > 0 && before[0].same(old) && !out.Shape[0].same(batch) {
			return fmt.Errorf("%w: the batch of %v is built into the graph: output %q would be %v", ErrShape, old, out.Name, out.Shape)
		}
	}
	if err := Check(c); err != nil {
		return err
	}
	*m = *c
	return nil
}

// rebatch infers the types and shapes in the graph with the new batch, corrects reshapes, and declares the outputs.
func rebatch(m *Model, old, batch Dim) error {
	g := m.Graph
	f := begin(m)
	names := NewNames(g)
	for i, n := range g.Nodes {
		if n.Is("Reshape") && len(n.Inputs) == 2 && old.Known() {
			mendReshape(g, n, f, names, old, batch)
		}
		if err := f.Node(n); err != nil {
			return fmt.Errorf("node %d (%s) with a batch of %v: %w", i, n, batch, err)
		}
	}
	for i := range g.Outputs {
		v := f.get(g.Outputs[i].Name)
		if v.shape != nil {
			g.Outputs[i].Shape = slices.Clone(v.shape)
		}
	}
	return nil
}

// mendReshape makes a Reshape take any batch if its constant shape begins with the old
// batch.
func mendReshape(g *Graph, n *Node, f *Inference, names *Names, old, batch Dim) {
	x, target := f.get(n.Inputs[0]).shape, f.get(n.Inputs[1]).tensor()
	if len(x) == 0 || !x[0].same(batch) || target == nil || target.Type != Int64 {
		return
	}
	list, err := target.Int64s()
	if err != nil || len(list) == 0 || list[0] != old.Size {
		return
	}
	if n.Int("allowzero", 0) != 0 { // PyTorch writes allowzero although no size is zero
		if slices.Contains(list, 0) {
			return
		}
		delete(n.Attrs, "allowzero")
	}
	list[0] = 0
	t := NewTensor(names.New(n.Inputs[1]+".batch"), list, int64(len(list)))
	g.Initializers = append(g.Initializers, t)
	f.setTensor(t)
	n.Inputs[1] = t.Name
}
