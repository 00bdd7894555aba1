// The kernels, for one set of instructions: a file *_amd64.c, neon_arm64.c or portable.c
// defines what is below and includes this one.
//
//   LANES       floats in a vector
//   ISA         the name of its isa_t
//   NR          vectors of outputs in the widest panel
//   ROWS        the most tiles at a time for panels of 1 to NR vectors: {0, ...}
//   INT16       the name of its products in integers; without it the following are undefined
//     vi, SPLAT2(p), DOT2(acc, w, v)   products of pairs of int16, summed in int32
//     TO_FLOAT(vi), STORE16(p, vf)     conversion; rounding to int16
//   VNNI, VNNI_INT16   the same for the set that differs in these products alone, if any
//   PREFETCH(p)
//
// doc.go has the mathematics.

#include "layer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef INT16
#define IN_INTEGERS(of) ((of)->precision == KERNEL_INT16)
#define INT16_TABLE &INT16
#else
#define IN_INTEGERS(of) 0
#define INT16_TABLE NULL
#endif

#include "vectors.h"
#include "products.h"
#include "winograd.h"
#include "points.h"
#include "attention.h"
#include "small.h"
#include "planes.h"
#include "gradient.h"
#include "scaled.h"

static int run(const layer *l, const layer_call *c, scratch *s)
{
	if (l->planes)
		return run_planes(l, c, s);
	return l->size == 1 ? run1(l, c, s) : run3(l, c, s);
}

#define TABLE(integers) {.lanes = LANES, .widest = NR, .rows = ROWS, .products = {&floats, integers}, .run = run, .attend = attend, .small = small, \
	.pack_now = pack_now, .convolve_some = convolve_some, .gradient_some = gradient_some, .gradient_end = end_gradient, \
	.scaled_some = scaled_some, .scaled_gradient_some = scaled_gradient_some}
const isa_t ISA = TABLE(INT16_TABLE);
#ifdef VNNI
const isa_t VNNI = TABLE(&VNNI_INT16);
#endif
