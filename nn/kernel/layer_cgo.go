//go:build cgo

package kernel

/*
#cgo CFLAGS: -O3 -Wall
#cgo LDFLAGS: -lm
#include <stdlib.h>
#include "kernel.h"

static layer *call_make(int isa, layer_shape s, float *scale, float *shift, float *weights)
{
	s.scale = scale;
	s.shift = shift;
	return kernel_table()->make(isa, &s, weights);
}

static int call_run(layer *l, scratch *s, layer_call c, float *x, float *bias, float *residual, float *y, float *sum)
{
	c.x = x;
	c.bias = bias;
	c.residual = residual;
	c.y = y;
	c.sum = sum;
	return kernel_table()->run(l, &c, s);
}

static void call_drop(layer *l, scratch *s)
{
	kernel_table()->drop(l);
	kernel_table()->scratch_drop(s);
}

static scratch *call_scratch(void) { return kernel_table()->scratch_make(); }
*/
import "C"

import (
	"fmt"
	"unsafe"
)

const compiled = true

// Table returns the C kernel_table_t of kernel.h, for operators written in C. It
// stays valid.
func Table() unsafe.Pointer { return unsafe.Pointer(C.kernel_table()) }

// Layer is a convolution whose weights are packed for a set of instructions. One
// caller at a time may use it.
type Layer struct {
	shape   Shape
	layer   *C.layer
	scratch *C.scratch
}

// New packs weights [out][in][size][size] for a set of instructions that the
// processor has. The caller closes the layer.
func New(isa ISA, s Shape, weights []float32) (*Layer, error) {
	if err := s.check(len(weights)); err != nil {
		return nil, err
	}
	shape := C.layer_shape{in: C.int(s.In), out: C.int(s.Out), size: C.int(s.Size),
		precision: C.int(s.Precision), activation: C.int(s.Activation), epsilon: C.float(s.Epsilon)}
	if s.Planes {
		shape.planes = 1
	}
	l := &Layer{shape: s, scratch: C.call_scratch()}
	l.layer = C.call_make(C.int(isa), shape, pointer(s.Scale), pointer(s.Shift), pointer(weights))
	if l.layer == nil || l.scratch == nil {
		l.Close()
		return nil, errMemory
	}
	return l, nil
}

func pointer(v []float32) *C.float {
	if len(v) == 0 {
		return nil
	}
	return (*C.float)(unsafe.Pointer(&v[0]))
}

// Run computes a batch.
func (l *Layer) Run(c Call) error {
	out, area := c.N*c.H*c.W*l.shape.values(), c.N*c.H*c.W
	bad := func(v []float32, n int) bool { return v != nil && len(v) != n }
	byBoard := len(c.Bias) != l.shape.Out
	if c.N < 1 || c.H < 1 || c.W < 1 || len(c.X) != area*l.shape.In || bad(c.Residual, out) || bad(c.Y, out) || bad(c.Sum, out) ||
		byBoard && bad(c.Bias, c.N*l.shape.Out) || l.shape.Activation == SwiGLU && (c.Bias != nil || c.Residual != nil || c.Sum != nil || c.Y == nil) {
		return fmt.Errorf("kernel: the tensors do not fit %d boards of %dx%d", c.N, c.W, c.H)
	}
	call := C.layer_call{n: C.int(c.N), h: C.int(c.H), w: C.int(c.W)}
	if byBoard {
		call.bias_by_board = 1
	}
	if C.call_run(l.layer, l.scratch, call, pointer(c.X), pointer(c.Bias), pointer(c.Residual), pointer(c.Y), pointer(c.Sum)) != 0 {
		return errMemory
	}
	return nil
}

// Close frees the layer.
func (l *Layer) Close() {
	if l.layer != nil {
		C.call_drop(l.layer, l.scratch)
	}
	l.layer, l.scratch = nil, nil
}
