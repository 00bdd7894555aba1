// The kernels' interface in C. nn/ort's operators call it too, through the table
// that kernel_table returns, so that each package links by itself.
#ifndef KOSUMI_KERNEL_H
#define KOSUMI_KERNEL_H

#include <stddef.h>
#include <stdint.h>

// The arithmetic of a layer. The numbers are part of the operators' attributes.
enum { KERNEL_FLOAT = 0, KERNEL_INT16 = 1 };

// Activations; part of the operators' attributes. ACT_SWIGLU is only for layers of size 1 with
// nothing after the product: with s the first half of the outputs and t the second, y = silu(s)*t.
enum { ACT_NONE = 0, ACT_RELU = 1, ACT_MISH = 2, ACT_SILU = 3, ACT_SWIGLU = 4 };

// The sets of instructions, the best last. A processor has some of them.
enum { ISA_PORTABLE = 0, ISA_NEON, ISA_AVX2, ISA_AVXVNNI, ISA_AVX512, ISA_AVX512VNNI, ISA_WASM, ISA_COUNT };

// A layer. Weights are [out][in][ky][kx] as ONNX has them, size 1 or 3,
// or for a layer of planes any odd size.
typedef struct {
	int in, out, size;
	int precision, activation;
	int planes;                  // the input is [n][in][h][w] and mostly zeros and ones
	const float *scale, *shift;  // [out] each, or NULL: 1 and 0
	float epsilon;               // of a layer of size 1, above 0: x is divided by sqrt(mean(x²) + epsilon)
} layer_shape;

typedef struct layer layer;
typedef struct scratch scratch;

// The inputs and outputs of a layer. Boards are [n][h][w][channels], except for the input of a
// layer of planes. With s = conv(x) + bias + residual,
//   y = activation(scale*s + shift), and sum = s where it is wanted.
// residual may be sum itself.
typedef struct {
	int n, h, w;
	const float *x, *bias, *residual;
	int bias_by_board; // bias is [n][out], else [out]
	float *y, *sum;    // either may be NULL
} layer_call;

// Attention. The queries of heads/kv_heads consecutive heads share a head of keys and values.
typedef struct {
	int heads, kv_heads, q_dim, v_dim, precision;
} attention_shape;

// The inputs and outputs of attention. x is [n][tokens][queries, keys, values] of all heads, y
// [n][tokens][heads][v_dim]. cosines and sines, [tokens][kv_heads][q_dim/2], rotate queries and
// keys, in which the first numbers of all pairs come before the second ones; NULL: no rotation.
typedef struct {
	int n, tokens;
	const float *x, *cosines, *sines;
	float *y;
} attention_call;

// The inputs and outputs of training's convolutions, 3x3 in float32: boards are
// [n][channels][h][w], weights and their gradient dw [out][in][3][3]. y is 0 at the
// points where a mask as large as y is not above 0.
typedef struct trainer trainer;

typedef struct {
	int n, h, w, relu;
	const float *x, *weights, *bias, *mask; // bias and mask may be NULL
	float *y;
} convolution_call;

typedef struct {
	int n, h, w;
	const float *x, *dy;
	float *dw;
} gradient_call;

// y = relu(scale*x + shift) in training: boards are [n][channels][area], scale and shift
// [channels].
typedef struct {
	int n, channels, area;
	const float *x, *scale, *shift;
	float *y;
} scaled_call;

// Its gradient. dx has skip added, unless that is NULL; what one part of the boards adds
// to the gradients of scale and shift is in dscale and dshift.
typedef struct {
	int n, channels, area;
	const float *x, *scale, *y, *dy, *skip;
	float *dx;
} scaled_gradient_call;

// A program computes a network step by step in one piece of memory, all of it floats. An operand of
// a step begins at number at of it; if at is below 0, it is left out. In an operand with rows, such
// as a batch's input or output, each row lies row numbers after the one before.
typedef struct {
	int64_t at, row;
} operand;

enum { STEP_LAYER = 0, STEP_ATTENTION, STEP_MAP, STEP_JOIN, STEP_REDUCE, STEP_SOFTMAX, STEP_MOVE };
enum { MAP_ACTIVATE = 0, MAP_SIGMOID = 16, MAP_TANH, MAP_SOFTPLUS, MAP_EXP, MAP_LOG, MAP_SQRT, MAP_NEGATE, MAP_ABSOLUTE };
enum { JOIN_ADD = 0, JOIN_SUBTRACT, JOIN_MULTIPLY, JOIN_DIVIDE, JOIN_MAX, JOIN_MIN };
enum { REDUCE_MEAN = 0, REDUCE_SUM, REDUCE_MAX };
enum { STEP_AXES = 6 };

// By kind, to and from are: y and sum, x, bias and residual of a layer; y, x, cosines and
// sines of attention; y and x of a map of dims[0] numbers (MAP_ACTIVATE and above: one of
// the activations), and of a reduction over the second of three axes or a softmax over
// the second of two (what = 1: its logarithm); y, a and b of a join and y and x of a move
// (y[i·strides[0]] = x[i·strides[1]]), whose axes are the outermost first, 1 where there
// are less.
typedef struct {
	int kind, what;
	operand to[2], from[3];
	int64_t dims[STEP_AXES], strides[3][STEP_AXES];
	int n, h, w, bias_by_board; // of layers and of attention (n times h tokens)
	const layer *layer;
	attention_shape attention;
} step;

typedef struct {
	// make packs weights for a set of instructions: NULL if there is no memory.
	// Layers of equal weights share them.
	layer *(*make)(int isa, const layer_shape *, const float *weights);
	void (*drop)(layer *);
	// run returns 0, or -1 if there is no memory. One scratch serves one caller
	// at a time, and any number of layers.
	int (*run)(const layer *, const layer_call *, scratch *);
	scratch *(*scratch_make)(void);
	void (*scratch_drop)(scratch *);
	// attend returns 0, or -1 if there is no memory.
	int (*attend)(int isa, const attention_shape *, const attention_call *, scratch *);
	// program runs steps over memory, for the rows from first on; 0, or -1 if there is no memory.
	int (*program)(int isa, const step *, int count, float *memory, int first, scratch *);
	// A trainer serves one call at a time, in parts that may run at once: no more than
	// it was made for. Of a convolution begin comes first, of a gradient end last. NULL
	// and -1: no memory.
	trainer *(*trainer_make)(int isa, int in, int out, int parts);
	void (*trainer_drop)(trainer *);
	void (*convolve_begin)(trainer *, const convolution_call *);
	int (*convolve_part)(trainer *, const convolution_call *, int part, int parts);
	int (*gradient_part)(trainer *, const gradient_call *, int part, int parts);
	void (*gradient_end)(trainer *, const gradient_call *, int parts);
	void (*scaled_part)(int isa, const scaled_call *, int part, int parts);
	void (*scaled_gradient_part)(int isa, const scaled_gradient_call *, int part, int parts, float *dscale, float *dshift);
} kernel_table_t;

const kernel_table_t *kernel_table(void);

#endif
