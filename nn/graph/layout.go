package graph

import (
	"cmp"
	"encoding/binary"
	"slices"

	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// layout holds the layers, constants and memory that the plans of a session share.
type layout struct {
	model    *onnx.Model
	spec     *nn.Spec
	maxBatch int
	plans    []*plan // indexed by the number of rows, from 1
	layers   map[*onnx.Node]*layer

	constants []float32
	pool      map[string]int // offsets in constants, by content

	inputs, outputs []kernel.Operand
	constantsAt     int
}

func newLayout(m *onnx.Model, spec *nn.Spec, maxBatch int) *layout {
	return &layout{model: m, spec: spec, maxBatch: maxBatch, pool: map[string]int{}, layers: map[*onnx.Node]*layer{}}
}

// layer is a layer before its weights are packed.
type layer struct {
	shape   kernel.Shape
	weights func() ([]float32, error) // [out][in][size][size]
}

// block is the memory of a value. Values that differ only in their shape share one.
type block struct {
	size  int // count of numbers
	place place
	at    int // offset in the arena or the constants, or number of the input or output

	// For a block in the arena: the first step that writes it and the last that uses it, counted from 1.
	first, last int
}

type place uint8

const (
	inArena place = iota
	inConstants
	inInput
	inOutput
)

// add plans the graph for a number of rows.
func (l *layout) add(rows int) error {
	p := &planner{layout: l, rows: rows, plan: &plan{rows: rows}, infer: onnx.NewInference(l.model), values: map[string]*value{},
		users: l.model.Graph.Users(), done: map[*onnx.Node]bool{}}
	if err := p.build(); err != nil {
		return err
	}
	l.plans = append(l.plans, p.plan)
	return nil
}

// constant returns a block with constant numbers. Equal contents share a block.
func (l *layout) constant(v []float32) *block {
	raw, _ := binary.Append(nil, binary.LittleEndian, v)
	at, ok := l.pool[string(raw)]
	if !ok {
		at = len(l.constants)
		l.pool[string(raw)] = at
		l.constants = append(l.constants, v...)
		l.constants = append(l.constants, make([]float32, whole(len(v))-len(v))...)
	}
	return &block{size: len(v), place: inConstants, at: at}
}

// whole rounds up to whole cache lines.
func whole(n int) int { return (n + line - 1) / line * line }

func (l *layout) settle() kernel.Layout {
	at := 0
	take := func(n int) int {
		from := at
		at += whole(n)
		return from
	}
	side := func(specs []nn.TensorSpec) (all []kernel.Operand) {
		for i := range specs {
			row := specs[i].Len()
			all = append(all, kernel.Operand{At: take(l.maxBatch * row), Row: row, There: true})
		}
		return all
	}
	l.inputs, l.outputs = side(l.spec.Inputs), side(l.spec.Outputs)
	l.constantsAt = take(len(l.constants))
	most := 0
	for _, p := range l.plans {
		most = max(most, p.arrange())
	}
	arena := take(most)
	for _, p := range l.plans {
		p.arena = arena
	}
	return kernel.Layout{Size: at, Rows: l.maxBatch, Inputs: l.inputs, Outputs: l.outputs, Constants: l.constants, ConstantsAt: l.constantsAt}
}

// operand returns the address of a block in the form that the kernels take.
func (p *plan) operand(b *block) kernel.Operand {
	if b == nil {
		return kernel.Operand{}
	}
	switch l := p.layout; b.place {
	case inInput:
		return l.inputs[b.at]
	case inOutput:
		return l.outputs[b.at]
	case inConstants:
		return kernel.Operand{At: l.constantsAt + b.at, There: true}
	}
	return kernel.Operand{At: p.arena + b.at, There: true}
}

// arrange gives the plan's blocks memory in an arena, each from the step that writes it to
// the last one that reads it, and returns the size of the arena.
func (p *plan) arrange() int {
	for i, w := range p.work {
		for _, b := range w.blocks() {
			b.first = cmp.Or(b.first, i+1)
			b.last = i + 1
		}
	}
	var a arena
	for i, w := range p.work {
		for _, b := range w.to() {
			if b.place != inArena || b.first != i+1 {
				continue
			}
			if old := w.replaced(b, i+1); old != nil {
				b.at, old.last = old.at, 0 // b takes the place of old
				continue
			}
			b.at = a.take(whole(b.size))
		}
		for _, b := range w.blocks() {
			if b.place == inArena && b.last == i+1 {
				b.last = 0
				a.free(b.at, whole(b.size))
			}
		}
	}
	return a.size
}

// arena allocates memory, first fit.
type arena struct {
	size int
	gaps []gap // free blocks, sorted by offset and merged
}

type gap struct{ at, size int }

func (a *arena) take(n int) int {
	for i, g := range a.gaps {
		if g.size >= n {
			a.gaps[i] = gap{g.at + n, g.size - n}
			if g.size == n {
				a.gaps = slices.Delete(a.gaps, i, i+1)
			}
			return g.at
		}
	}
	at := a.size
	if k := len(a.gaps); k > 0 && a.gaps[k-1].at+a.gaps[k-1].size == a.size { // the last gap grows
		at = a.gaps[k-1].at
		a.gaps = a.gaps[:k-1]
	}
	a.size = at + n
	return at
}

func (a *arena) free(at, n int) {
	i, _ := slices.BinarySearchFunc(a.gaps, at, func(g gap, at int) int { return g.at - at })
	a.gaps = slices.Insert(a.gaps, i, gap{at, n})
	if i+1 < len(a.gaps) && at+n == a.gaps[i+1].at {
		a.gaps[i].size += a.gaps[i+1].size
		a.gaps = slices.Delete(a.gaps, i+1, i+2)
	}
	if i > 0 && a.gaps[i-1].at+a.gaps[i-1].size == at {
		a.gaps[i-1].size += a.gaps[i].size
		a.gaps = slices.Delete(a.gaps, i, i+1)
	}
}
