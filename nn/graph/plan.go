package graph

import (
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// plan is the steps of a graph for a fixed number of rows.
type plan struct {
	layout *layout
	rows   int
	work   []*work
	arena  int // offset in the memory
}

// work is a step before its operands have their places.
type work struct {
	step   kernel.Step
	layer  *onnx.Node // for a layer
	writes [2]*block
	reads  [3]*block
	toAt   int // for a copy: offset in the block written
	fromAt int
	over   []int // indices into reads: the blocks that the step may overwrite
}

// to returns the blocks that the step writes.
func (w *work) to() []*block { return present(w.writes[:]) }

func (w *work) blocks() []*block { return append(w.to(), present(w.reads[:])...) }

func present(all []*block) (some []*block) {
	for _, b := range all {
		if b != nil {
			some = append(some, b)
		}
	}
	return some
}

// replaced returns a block whose memory this step can reuse for its result b; nil if there is none.
func (w *work) replaced(b *block, step int) *block {
	if w.writes[1] != nil && b == w.writes[0] { // if a layer writes a sum, only the sum may overwrite an input
		return nil
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

// compile makes the kernels' program and returns its number in the session.
func (p *plan) compile(in *kernel.Session, layers map[*onnx.Node]*kernel.Layer) (program int, err error) {
	steps := make([]kernel.Step, len(p.work))
	for k, w := range p.work {
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
		steps[k] = s
	}
	return in.Program(steps, p.layout.maxBatch-p.rows)
}
