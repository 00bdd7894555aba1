// Declarations that the parts of this package share; see kernel.h for the interface.
#ifndef KOSUMI_LAYER_H
#define KOSUMI_LAYER_H

#include "kernel.h"

// AXIS is the number of evaluation points of F(4,3) along one axis: 0, a, -a,
// b, -b and infinity. F(3,3) has all of them but the one with the index EXTRA.
enum { AXIS = 6, EXTRA = 4, POSITIONS = AXIS * AXIS };

enum { MOST_PANELS = 1024 };

// packed holds weights as the kernels of one set of instructions read them.
//
// For each block of outputs, each position and each panel of the block there are
// ins/2 pairs (KERNEL_INT16) or ins values (KERNEL_FLOAT) for each output of the
// panel, the pairs of one input together.
typedef struct packed {
	struct packed *next;
	uint64_t hash[2];
	int refs;
	void *u;
	float *unscale; // [positions][outs]: what an integer is worth; NULL for floats
} packed;

// A micro multiplies rows of inputs by a panel of weights: m[row][output].
typedef void micro(const void *v, size_t v_row, const void *u, int ins, float *m, size_t m_row,
	const float *unscale, const char *ahead);
typedef micro *micros[5][13]; // by vectors of the panel, and rows
extern const micros int16_avx2, int16_avxvnni, int16_avx512, int16_avx512vnni, int16_wasm;

// isa is what a set of instructions brings: how it likes its weights, and the
// functions that isa.h makes for it.
typedef struct isa_t isa_t;
struct isa_t {
	int lanes;    // floats in a vector
	int widest;   // vectors of outputs in the widest panel
	int rows[5];  // the most tiles at a time for a panel of so many vectors
	const micros *products[2]; // by precision; NULL where it has no KERNEL_INT16
	int (*run)(const layer *, const layer_call *, scratch *);
	int (*attend)(const isa_t *, const attention_shape *, const attention_call *, scratch *);
	void (*small)(const step *, float *to, const float *a, const float *b);
	void (*pack_now)(const layer *, const float *weights, float *u);
	int (*convolve_some)(const layer *, const convolution_call *, const float *u, int first, int last, scratch *, scratch *boards);
	int (*gradient_some)(const layer *, const gradient_call *, int first, int last, float *du, scratch *);
	void (*gradient_end)(const layer *, const float *du, int parts, float *dw);
	void (*scaled_some)(const scaled_call *, int first, int last);
	void (*scaled_gradient_some)(const scaled_gradient_call *, int first, int last, float *dscale, float *dshift);
};

// plane_sum is what a plane of ones adds up to, [h][w][outs].
typedef struct plane_sum {
	struct plane_sum *next;
	int plane, h, w;
	float sum[];
} plane_sum;

struct layer {
	int in, out, size, precision, activation, planes;
	int ins, outs;  // in and out padded to whole vectors, the halves of a gated layer each
	float epsilon;
	int positions;  // 1 or POSITIONS
	int limit;      // the largest integer an input becomes
	int panels;     // how outs is cut
	unsigned char panel[MOST_PANELS]; // vectors in each
	float *scale, *shift; // [outs]
	packed *weights;
	const isa_t *isa;
	plane_sum *sums; // of layers of planes, made when first met
};

struct scratch {
	void *data;
	size_t size;
};

// scratch_take returns size bytes at a cache line's border; NULL if there is no
// memory. Memory that it returned before is gone.
void *scratch_take(scratch *, size_t size);

// BLOCK is how many outputs are worked on together, unless one panel has more: their
// products stay in the cache.
enum { BLOCK = 48 };

// block_end returns the first panel after the block that begins with panel p, and in outs the
// block's outputs.
int block_end(const layer *, int p, int *outs);

// cut_panels divides the outputs' vectors into panels as equal as the kernels have
// them; -1 where they would be too many.
int cut_panels(layer *);

void *aligned(size_t size); // NULL if there is no memory
void aligned_free(void *);
scratch *scratch_make(void);
void scratch_drop(scratch *);

int program_run(int isa, const step *, int count, float *memory, int first, scratch *);

trainer *trainer_make(int isa, int in, int out, int parts);
void trainer_drop(trainer *);
void convolve_begin(trainer *, const convolution_call *);
int convolve_part(trainer *, const convolution_call *, int part, int parts);
int gradient_part(trainer *, const gradient_call *, int part, int parts);
void gradient_end(trainer *, const gradient_call *, int parts);
void scaled_part(int isa, const scaled_call *, int part, int parts);
void scaled_gradient_part(int isa, const scaled_gradient_call *, int part, int parts, float *dscale, float *dshift);

const isa_t *isa_of(int isa);
extern const isa_t isa_portable, isa_neon, isa_avx2, isa_avxvnni, isa_avx512, isa_avx512vnni, isa_wasm;

#endif
