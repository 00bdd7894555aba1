//go:build cgo

package kernel

/*
#include "kernel.h"

static int call_attend(int isa, attention_shape a, attention_call c, float *x, float *cosines, float *sines, float *y, scratch *s)
{
	c.x = x;
	c.cosines = cosines;
	c.sines = sines;
	c.y = y;
	return kernel_table()->attend(isa, &a, &c, s);
}

static scratch *attention_scratch(void) { return kernel_table()->scratch_make(); }
static void attention_scratch_drop(scratch *s) { kernel_table()->scratch_drop(s); }
*/
import "C"

// Run computes a batch by a set of instructions that the processor has.
func (a Attention) Run(isa ISA, c AttentionCall) error {
	if err := a.check(&c); err != nil {
		return err
	}
	s := C.attention_scratch()
	if s == nil {
		return errMemory
	}
	defer C.attention_scratch_drop(s)
	shape := C.attention_shape{heads: C.int(a.Heads), kv_heads: C.int(a.KVHeads), q_dim: C.int(a.QDim), v_dim: C.int(a.VDim),
		precision: C.int(a.Precision)}
	call := C.attention_call{n: C.int(c.N), tokens: C.int(c.Tokens)}
	if C.call_attend(C.int(isa), shape, call, pointer(c.X), pointer(c.Cosines), pointer(c.Sines), pointer(c.Y), s) != 0 {
		return errMemory
	}
	return nil
}
