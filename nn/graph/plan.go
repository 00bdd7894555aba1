package graph

import (
	"fmt"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// plan is a graph for a number of rows.
type plan struct {
	layout *layout // until it is compiled
	rows   int
	work   []*work
	arena  int // where it begins in the memory

	parts []part
}

// work is a step before its operands have their places, or an unsupported node.
type work struct {
	step        kernel.Step
	layer       *onnx.Node // of a layer
	writes      [2]*block
	reads       [3]*block
	toAt        int // of a copy: where in the blocks it begins
	fromAt      int
	over        []int // which of reads writes may stand in the place of
	unsupported *unsupported
}

// unsupported is a node that package onnxref computes.
type unsupported struct {
	node  *onnx.Node
	opset int64
	in    []*value // nil: left out
	out   []*value
}

// part is a program, or an unsupported node between two of them.
type part struct {
	program     int // its number in the session
	unsupported *unsupported
	places      map[*block]kernel.Operand // of the unsupported node's values
}

func present(all []*block) (some []*block) {
	for _, b := range all {
		if b != nil {
			some = append(some, b)
		}
	}
	return some
}

// to returns the blocks that are written.
func (w *work) to() []*block {
	if w.unsupported == nil {
		return present(w.writes[:])
	}
	return blocksOf(w.unsupported.out)
}

// blocks returns all blocks that are touched.
func (w *work) blocks() []*block {
	if w.unsupported == nil {
		return append(w.to(), present(w.reads[:])...)
	}
	return append(w.to(), blocksOf(w.unsupported.in)...)
}

func blocksOf(values []*value) (all []*block) {
	for _, v := range values {
		if v != nil && v.block != nil {
			all = append(all, v.block)
		}
	}
	return all
}

// replaced returns the block that b, written by the step of this number, may stand in
// the place of; nil where there is none.
func (w *work) replaced(b *block, step int) *block {
	if target := w.writes[0]; w.writes[1] != nil { // of a layer with a sum: the sum
		if b == target {
			return nil
		}
	}
	for _, i := range w.over {
		old := w.reads[i]
		if old == nil || old.place != inArena || old.last != step || old.size != b.size || old.first == step {
			continue
		}
		alone := true
		for j, other := range w.reads {
			alone = alone && (j == i || other != old || w.step.Kind != kernel.StepLayer)
		}
		if alone {
			return old
		}
	}
	return nil
}

// compile makes the programs.
func (p *plan) compile(in *kernel.Session, layers map[*onnx.Node]*kernel.Layer) (*plan, error) {
	last := p.layout.maxBatch - p.rows
	var steps []kernel.Step
	out := &plan{rows: p.rows}
	flush := func() error {
		if len(steps) == 0 {
			return nil
		}
		program, err := in.Program(steps, last)
		out.parts = append(out.parts, part{program: program})
		steps = steps[:0]
		return err
	}
	for _, w := range p.work {
		if w.unsupported == nil {
			s := w.step
			s.Layer = layers[w.layer]
			for i, b := range w.writes {
				s.To[i] = p.operand(b)
			}
			for i, b := range w.reads {
				s.From[i] = p.operand(b)
			}
			s.To[0].At += w.toAt
			s.From[0].At += w.fromAt
			steps = append(steps, s)
			continue
		}
		if err := flush(); err != nil {
			return out, err
		}
		places := map[*block]kernel.Operand{}
		for _, b := range w.blocks() {
			places[b] = p.operand(b)
		}
		out.parts = append(out.parts, part{unsupported: w.unsupported, places: places})
	}
	return out, flush()
}

// compute computes an unsupported node.
func (p *part) compute(in *kernel.Session, first int) error {
	s := p.unsupported
	at := func(v *value) int {
		o := p.places[v.block]
		return o.At + o.Row*first
	}
	read := make([]*onnx.Tensor, len(s.in))
	for i, v := range s.in {
		switch {
		case v == nil:
		case v.block != nil && !v.fixed:
			numbers, err := in.Load(at(v), v.block.size)
			if err != nil {
				return err
			}
			read[i] = onnx.NewTensor(s.node.Inputs[i], numbers, v.dims64()...)
		default:
			read[i] = v.tensor
		}
	}
	out, err := onnxref.Eval(s.node, s.opset, read)
	if err != nil {
		return fmt.Errorf("node %s: %w", s.node, err)
	}
	for i, v := range s.out {
		switch {
		case v == nil:
		case i >= len(out):
			return fmt.Errorf("node %s: %w: output %d", s.node, ErrOperator, i)
		case v.block == nil:
			v.tensor = out[i]
		default:
			list, err := out[i].Float32s()
			if err != nil || len(list) != v.block.size {
				return fmt.Errorf("node %s gives %d numbers instead of %d: %w", s.node, len(list), v.block.size, onnx.ErrShape)
			}
			if err := in.Store(at(v), list); err != nil {
				return err
			}
		}
	}
	return nil
}
