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

import "fmt"

// Attention is softmax(q·kᵀ)·v over the tokens of a board, for each head. Heads/KVHeads
// query heads in a row share a head of keys and values. Queries come multiplied by
// their scale.
type Attention struct {
	Heads, KVHeads, QDim, VDim int
	Precision                  Precision
}

// AttentionCall is what attention reads and writes. Cosines and Sines turn queries and
// keys, in which the first numbers of all pairs stand before the second ones.
type AttentionCall struct {
	N, Tokens      int
	X              []float32 // [N][Tokens][queries, keys, values] of all heads
	Cosines, Sines []float32 // [Tokens][KVHeads][QDim/2]; nil: no turn
	Y              []float32 // [N][Tokens][Heads][VDim]
}

// mostTokens keeps sums of probabilities far from their bound.
const mostTokens = 1 << 16

// Run computes a batch by a set of instructions that the processor has.
func (a Attention) Run(isa ISA, c AttentionCall) error {
	if a.Heads < 1 || a.KVHeads < 1 || a.Heads%a.KVHeads != 0 || a.QDim < 1 || a.VDim < 1 {
		return fmt.Errorf("kernel: no attention of %d heads on %d, %d and %d wide", a.Heads, a.KVHeads, a.QDim, a.VDim)
	}
	row, turns := a.Heads*a.QDim+a.KVHeads*(a.QDim+a.VDim), c.Tokens*a.KVHeads*(a.QDim/2)
	if c.N < 1 || c.Tokens < 1 || c.Tokens > mostTokens || len(c.X) != c.N*c.Tokens*row || len(c.Y) != c.N*c.Tokens*a.Heads*a.VDim ||
		len(c.Cosines) != len(c.Sines) || c.Cosines != nil && (len(c.Cosines) != turns || a.QDim%2 != 0) {
		return fmt.Errorf("kernel: the tensors do not fit %d times %d tokens", c.N, c.Tokens)
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
