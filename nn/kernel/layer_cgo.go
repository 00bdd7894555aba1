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
	"errors"
	"fmt"
	"unsafe"
)

const compiled = true

// Table returns the C kernel_table_t of kernel.h, for operators written in C. It
// stays valid.
func Table() unsafe.Pointer { return unsafe.Pointer(C.kernel_table()) }

// Shape says what a layer is.
type Shape struct {
	In, Out, Size int // channels, and 1 or 3; any odd size for Planes
	Precision     Precision
	Activation    Activation
	Planes        bool      // the input is [n][in][h][w] and mostly zeros and ones
	Scale, Shift  []float32 // [Out] each; nil: 1 and 0
	Epsilon       float32   // above 0, of size 1: x is divided by sqrt(mean(x²) + Epsilon) first
}

// values is how many values a point of the result has.
func (s *Shape) values() int {
	if s.Activation == SwiGLU {
		return s.Out / 2
	}
	return s.Out
}

// Layer is a convolution whose weights are packed for a set of instructions. One
// caller at a time may use it.
type Layer struct {
	shape   Shape
	layer   *C.layer
	scratch *C.scratch
}

var errMemory = errors.New("kernel: no memory")

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

func (s *Shape) check(weights int) error {
	switch {
	case s.In < 1 || s.Out < 1 || s.Size%2 != 1 || s.Size < 1 || s.Size > 3 && !s.Planes:
		return fmt.Errorf("kernel: no layer of %d to %d channels and size %d", s.In, s.Out, s.Size)
	case weights != s.In*s.Out*s.Size*s.Size:
		return fmt.Errorf("kernel: %d weights, want %d", weights, s.In*s.Out*s.Size*s.Size)
	case s.Size != 1 && (s.Epsilon != 0 || s.Activation == SwiGLU) || s.Planes && (s.Epsilon != 0 || s.Activation == SwiGLU):
		return fmt.Errorf("kernel: a norm or SwiGLU is of layers of size 1, not %d", s.Size)
	case s.Activation == SwiGLU && (s.Out%2 != 0 || s.Scale != nil || s.Shift != nil):
		return fmt.Errorf("kernel: SwiGLU needs an even number of outputs, not %d, and no scale", s.Out)
	case s.Scale != nil && len(s.Scale) != s.Out || s.Shift != nil && len(s.Shift) != s.Out:
		return fmt.Errorf("kernel: scale and shift have %d and %d values, want %d", len(s.Scale), len(s.Shift), s.Out)
	}
	return nil
}

func pointer(v []float32) *C.float {
	if len(v) == 0 {
		return nil
	}
	return (*C.float)(unsafe.Pointer(&v[0]))
}

// Call is what a layer reads and writes: boards [n][h][w][channels], but for the
// input of a layer of planes. With s = conv(x) + bias + residual,
//
//	y = activation(scale*s + shift), and sum = s where it is not nil.
type Call struct {
	N, H, W  int
	X        []float32
	Bias     []float32 // [Out], or [N][Out]; nil: 0
	Residual []float32 // may be Sum; nil: 0
	Y, Sum   []float32 // either may be nil
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
