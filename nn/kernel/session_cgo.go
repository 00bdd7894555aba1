//go:build cgo

package kernel

/*
#cgo CFLAGS: -O3 -Wall -g0
#cgo LDFLAGS: -lm
#include <stdlib.h>
#include "kernel.h"

static layer *call_make(int isa, layer_shape s, float *scale, float *shift, float *weights)
{
	s.scale = scale;
	s.shift = shift;
	return kernel_table()->make(isa, &s, weights);
}

static void call_drop(layer *l) { kernel_table()->drop(l); }

#cgo noescape call_program
#cgo nocallback call_program
static int call_program(int isa, step *steps, int count, float *memory, int first, scratch *s)
{
	return kernel_table()->program(isa, steps, count, memory, first, s);
}

static scratch *call_scratch(void) { return kernel_table()->scratch_make(); }
static void call_scratch_drop(scratch *s) { kernel_table()->scratch_drop(s); }
*/
import "C"

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available returns the instruction sets of the processor.
func available() []ISA {
	has := []ISA{Portable}
	x := &cpu.X86
	if cpu.ARM64.HasASIMD {
		has = append(has, NEON)
	}
	if x.HasAVX2 && x.HasFMA {
		has = append(has, AVX2)
		if x.HasAVXVNNI {
			has = append(has, AVXVNNI)
		}
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
			has = append(has, AVX512)
			if x.HasAVX512VNNI {
				has = append(has, AVX512VNNI)
			}
		}
	}
	return has
}

// Table returns the C kernel_table_t of kernel.h, for operators written in C. The pointer is valid
// until the program ends.
func Table() unsafe.Pointer { return unsafe.Pointer(C.kernel_table()) }

// Session is a block of memory with layers and programs, for one instruction set of the
// processor. One caller at a time may use it.
type Session struct {
	isa      ISA
	layout   Layout
	memory   []float32
	scratch  *C.scratch
	layers   []*Layer
	programs []program
}

// Layer is a convolution whose weights are packed.
type Layer struct {
	shape Shape
	layer *C.layer
}

// program is a list of steps that may start at any row from 0 to last.
type program struct {
	steps       *C.step
	count, last int
}

// NewSession allocates the memory. The caller closes the session.
func NewSession(isa ISA, l Layout) (*Session, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	s := &Session{isa: isa, layout: l, scratch: C.call_scratch()}
	if s.scratch == nil {
		return nil, errMemory
	}
	s.memory = Aligned(l.Size)
	copy(s.memory[l.ConstantsAt:], l.Constants)
	s.layout.Constants = nil
	return s, nil
}

// Inputs returns the memory that Run reads, one slice for each input of the layout.
func (s *Session) Inputs() [][]float32 { return s.views(s.layout.Inputs) }

// Outputs returns the memory that Run writes, one slice for each output.
func (s *Session) Outputs() [][]float32 { return s.views(s.layout.Outputs) }

func (s *Session) views(side []Operand) (all [][]float32) {
	for _, o := range side {
		end := o.At + o.Row*s.layout.Rows
		all = append(all, s.memory[o.At:end:end])
	}
	return all
}

// Layer packs weights [out][in][size][size]. Layers with equal weights share one packed copy.
func (s *Session) Layer(shape Shape, weights []float32) (*Layer, error) {
	if err := shape.check(len(weights)); err != nil {
		return nil, err
	}
	c := C.layer_shape{in: C.int(shape.In), out: C.int(shape.Out), size: C.int(shape.Size),
		precision: C.int(shape.Precision), activation: C.int(shape.Activation), epsilon: C.float(shape.Epsilon)}
	if shape.Planes {
		c.planes = 1
	}
	l := &Layer{shape: shape, layer: C.call_make(C.int(s.isa), c, pointer(shape.Scale), pointer(shape.Shift), pointer(weights))}
	if l.layer == nil {
		return nil, errMemory
	}
	s.layers = append(s.layers, l)
	return l, nil
}

func pointer(v []float32) *C.float {
	if len(v) == 0 {
		return nil
	}
	return (*C.float)(unsafe.Pointer(&v[0]))
}

// Program makes a program of the steps and returns its number. The program may start at any row
// from 0 to last. The steps' layers must be layers of this session.
func (s *Session) Program(steps []Step, last int) (int, error) {
	if err := s.layout.checkSteps(steps, last); err != nil {
		return 0, err
	}
	p := program{count: len(steps), last: last}
	if len(steps) > 0 {
		p.steps = (*C.step)(C.calloc(C.size_t(len(steps)), C.sizeof_step))
		if p.steps == nil {
			return 0, errMemory
		}
		for i, all := 0, unsafe.Slice(p.steps, len(steps)); i < len(steps); i++ {
			steps[i].fill(&all[i])
		}
	}
	s.programs = append(s.programs, p)
	return len(s.programs) - 1, nil
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

func (s *Session) last(program int) int { return s.programs[program].last }

// Run runs the passes one after the other, for a batch of rows.
func (s *Session) Run(rows int, passes []Pass) error {
	if err := s.layout.checkRun(rows, passes, s.last, len(s.programs)); err != nil {
		return err
	}
	for _, pass := range passes {
		p := &s.programs[pass.Program]
		if p.count > 0 && C.call_program(C.int(s.isa), p.steps, C.int(p.count), pointer(s.memory), C.int(pass.First), s.scratch) != 0 {
			return errMemory
		}
	}
	return nil
}

// Close frees all but Inputs and Outputs.
func (s *Session) Close() {
	for _, p := range s.programs {
		C.free(unsafe.Pointer(p.steps))
	}
	for _, l := range s.layers {
		C.call_drop(l.layer)
	}
	C.call_scratch_drop(s.scratch)
	s.programs, s.layers, s.scratch = nil, nil, nil
}
