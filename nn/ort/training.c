// The operators of training: 3x3 convolutions whose weights are inputs, and the gradient
// of their weights. Boards are [n][channels][h][w]; both share the session's threads.

#include "interface.h"

typedef struct {
	const operators *owner;
	trainer *trainer; // made when the shapes are first met
	int64_t in, out, relu;
	size_t inputs;
	int gradient, failed, parts;
	convolution_call convolution;
	gradient_call call;
} training_kernel;

static status *training_make(const operators *o, const void *const *api, const void *info, int gradient, void **made)
{
	training_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return fail(api, FAIL, "kosumi: no memory");
	*k = (training_kernel){.owner = o, .gradient = gradient};
	status *s = CALL(KERNEL_INFO_GET_INPUT_COUNT, status *, const void *, size_t *)(info, &k->inputs);
	if (!s && !gradient)
		s = integer(api, info, "relu", &k->relu);
	if (s) {
		free(k);
		return s;
	}
	*made = k;
	return NULL;
}

static status *convolution_make(const custom_op *op, const void *const *api, const void *info, void **made)
{
	return training_make(owner_of(op, convolution), api, info, 0, made);
}

static status *gradient_make(const custom_op *op, const void *const *api, const void *info, void **made)
{
	return training_make(owner_of(op, gradient), api, info, 1, made);
}

static void training_destroy(void *kernel)
{
	training_kernel *k = kernel;
	k->owner->kernels->trainer_drop(k->trainer);
	free(k);
}

// prepare makes the trainer for so many channels, and says how many parts a batch has.
static int prepare(training_kernel *k, int64_t in, int64_t out, int64_t n)
{
	const kernel_table_t *t = k->owner->kernels;
	if (k->trainer && (k->in != in || k->out != out)) {
		t->trainer_drop(k->trainer);
		k->trainer = NULL;
	}
	k->in = in;
	k->out = out;
	k->failed = 0;
	k->parts = n < k->owner->threads ? (int)n : k->owner->threads;
	if (!k->trainer)
		k->trainer = t->trainer_make(k->owner->isa, (int)in, (int)out, k->owner->threads);
	return k->trainer ? 0 : -1;
}

static void convolution_part(void *kernel, size_t part)
{
	training_kernel *k = kernel;
	if (k->owner->kernels->convolve_part(k->trainer, &k->convolution, (int)part, k->parts))
		__atomic_store_n(&k->failed, 1, __ATOMIC_RELAXED);
}

static void gradient_part(void *kernel, size_t part)
{
	training_kernel *k = kernel;
	if (k->owner->kernels->gradient_part(k->trainer, &k->call, (int)part, k->parts))
		__atomic_store_n(&k->failed, 1, __ATOMIC_RELAXED);
}

static status *parallel(const training_kernel *k, void *context, void (*run)(void *, size_t))
{
	const void *const *api = k->owner->api;
	if (k->parts == 1) {
		run((void *)k, 0);
		return NULL;
	}
	return CALL(KERNEL_CONTEXT_PARALLEL_FOR, status *, const void *, void (*)(void *, size_t), size_t, size_t, void *)
		(context, run, k->parts, k->parts, (void *)k);
}

static status *convolution_compute(void *kernel, void *context)
{
	training_kernel *k = kernel;
	const void *const *api = k->owner->api;
	int64_t dims[MOST_DIMENSIONS], w[MOST_DIMENSIONS], b[MOST_DIMENSIONS];
	size_t rank, w_rank, b_rank;
	float *x, *weights, *bias, *y;
	TRY(input(api, k->inputs, context, 0, &x, dims, &rank));
	TRY(input(api, k->inputs, context, 1, &weights, w, &w_rank));
	TRY(input(api, k->inputs, context, 2, &bias, b, &b_rank));
	if (rank != 4 || w_rank != 4 || w[1] != dims[1] || w[2] != 3 || w[3] != 3 || dims[0] < 1 || (bias && (b_rank != 1 || b[0] != w[0])))
		return fail(api, INVALID_ARGUMENT, "kosumi.Convolution: the inputs do not fit each other");
	if (prepare(k, dims[1], w[0], dims[0]))
		return fail(api, FAIL, "kosumi.Convolution: no memory");
	dims[1] = w[0];
	TRY(output(api, context, 0, dims, rank, &y));
	k->convolution = (convolution_call){.n = (int)dims[0], .h = (int)dims[2], .w = (int)dims[3], .relu = (int)k->relu, .x = x,
		.weights = weights, .bias = bias, .y = y};
	k->owner->kernels->convolve_begin(k->trainer, &k->convolution);
	TRY(parallel(k, context, convolution_part));
	return k->failed ? fail(api, FAIL, "kosumi.Convolution: no memory") : NULL;
}

static status *gradient_compute(void *kernel, void *context)
{
	training_kernel *k = kernel;
	const void *const *api = k->owner->api;
	int64_t dims[MOST_DIMENSIONS], d[MOST_DIMENSIONS];
	size_t rank, d_rank;
	float *x, *dy, *dw;
	TRY(input(api, k->inputs, context, 0, &x, dims, &rank));
	TRY(input(api, k->inputs, context, 1, &dy, d, &d_rank));
	if (rank != 4 || d_rank != 4 || dims[0] != d[0] || dims[2] != d[2] || dims[3] != d[3] || dims[0] < 1)
		return fail(api, INVALID_ARGUMENT, "kosumi.ConvolutionGradient: the inputs do not fit each other");
	if (prepare(k, dims[1], d[1], dims[0]))
		return fail(api, FAIL, "kosumi.ConvolutionGradient: no memory");
	k->call = (gradient_call){.n = (int)dims[0], .h = (int)dims[2], .w = (int)dims[3], .x = x, .dy = dy};
	int64_t shape[] = {d[1], dims[1], 3, 3};
	TRY(output(api, context, 0, shape, 4, &dw));
	k->call.dw = dw;
	TRY(parallel(k, context, gradient_part));
	if (k->failed)
		return fail(api, FAIL, "kosumi.ConvolutionGradient: no memory");
	k->owner->kernels->gradient_end(k->trainer, &k->call, k->parts);
	return NULL;
}

static const char *convolution_name(const custom_op *op) { (void)op; return "Convolution"; }
static const char *gradient_name(const custom_op *op) { (void)op; return "ConvolutionGradient"; }
static size_t one(const custom_op *op) { (void)op; return 1; }
static size_t two(const custom_op *op) { (void)op; return 2; }
static size_t three(const custom_op *op) { (void)op; return 3; }
static int from_two(const custom_op *op, size_t i) { (void)op; return i >= 2; }

void training_operators(operators *o)
{
	o->convolution = o->gradient = o->attention;
	o->convolution.get_name = convolution_name;
	o->convolution.input_count = three;
	o->convolution.input_kind = from_two;
	o->convolution.create_kernel_v2 = convolution_make;
	o->convolution.compute_v2 = convolution_compute;
	o->gradient.get_name = gradient_name;
	o->gradient.input_count = two;
	o->gradient.input_kind = from_two;
	o->gradient.create_kernel_v2 = gradient_make;
	o->gradient.compute_v2 = gradient_compute;
	o->convolution.output_count = o->gradient.output_count = one;
	o->convolution.destroy = o->gradient.destroy = training_destroy;
}
