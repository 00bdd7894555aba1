//go:build cgo

package kernel

/*
#include <stdlib.h>
#include "kernel.h"

#cgo noescape call_program
#cgo nocallback call_program
static int call_program(int isa, step *steps, int count, float *memory, int first, scratch *s)
{
	return kernel_table()->program(isa, steps, count, memory, first, s);
}

static scratch *program_scratch(void) { return kernel_table()->scratch_make(); }
static void program_scratch_drop(scratch *s) { kernel_table()->scratch_drop(s); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// Scratch is memory that the steps of programs work in. One caller at a time may use it.
type Scratch struct{ scratch *C.scratch }

// NewScratch returns an empty scratch, which grows by need. The caller closes it.
func NewScratch() (*Scratch, error) {
	s := C.program_scratch()
	if s == nil {
		return nil, errMemory
	}
	return &Scratch{s}, nil
}

// Close frees the scratch.
func (s *Scratch) Close() {
	C.program_scratch_drop(s.scratch)
	s.scratch = nil
}

// Program is a list of steps for one piece of memory. Any number of callers may run it
// at once, each with a memory and a scratch of its own, if no layer is one of planes.
type Program struct {
	isa        ISA
	steps      *C.step
	count      int
	size, last int
}

// NewProgram makes a program for a set of instructions that the processor has, its
// memory of size numbers, and first rows from 0 to last. The layers must stay open as
// long as it runs; the caller closes it.
func NewProgram(isa ISA, steps []Step, size, last int) (*Program, error) {
	if last < 0 {
		return nil, errors.New("kernel: a program of no rows")
	}
	for i := range steps {
		if err := steps[i].check(size, last); err != nil {
			return nil, err
		}
	}
	p := &Program{isa: isa, count: len(steps), size: size, last: last}
	if len(steps) == 0 {
		return p, nil
	}
	p.steps = (*C.step)(C.calloc(C.size_t(len(steps)), C.sizeof_step))
	if p.steps == nil {
		return nil, errMemory
	}
	for i, all := 0, unsafe.Slice(p.steps, len(steps)); i < len(steps); i++ {
		steps[i].fill(&all[i])
	}
	return p, nil
}

func (o Operand) native() C.operand {
	if !o.There {
		return C.operand{at: -1}
	}
	return C.operand{at: C.int64_t(o.At), row: C.int64_t(o.Row)}
}

func (s *Step) fill(c *C.step) {
	c.kind, c.what, c.n, c.h, c.w = C.int(s.Kind), C.int(s.What), C.int(s.N), C.int(s.H), C.int(s.W)
	for i, o := range s.To {
		c.to[i] = o.native()
	}
	for i, o := range s.From {
		c.from[i] = o.native()
	}
	for k := range StepAxes {
		c.dims[k] = C.int64_t(s.Dims[k])
		for o := range s.Strides {
			c.strides[o][k] = C.int64_t(s.Strides[o][k])
		}
	}
	if s.ByBoard {
		c.bias_by_board = 1
	}
	if s.Layer != nil {
		c.layer = s.Layer.layer
	}
	if a := &s.Attention; s.Kind == StepAttention {
		c.attention = C.attention_shape{heads: C.int(a.Heads), kv_heads: C.int(a.KVHeads), q_dim: C.int(a.QDim), v_dim: C.int(a.VDim),
			precision: C.int(a.Precision)}
	}
}

// Run runs the steps over memory, for the rows of a batch from first on.
func (p *Program) Run(memory []float32, first int, s *Scratch) error {
	if len(memory) != p.size || first < 0 || first > p.last {
		return errors.New("kernel: not the memory that the program was made for")
	}
	if p.count > 0 && C.call_program(C.int(p.isa), p.steps, C.int(p.count), pointer(memory), C.int(first), s.scratch) != 0 {
		return errMemory
	}
	return nil
}

// Close frees the program.
func (p *Program) Close() {
	C.free(unsafe.Pointer(p.steps))
	p.steps, p.count = nil, 0
}
