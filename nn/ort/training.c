// The operators of training: 3x3 convolutions whose weights are inputs, the gradient of
// their weights, and relu(scale*x + shift) by channel with its gradient. Boards are
// [n][channels][h][w]; all share the session's threads.

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

// parallel calls run(kernel, part) for all parts.
static status *parallel(const void *const *api, void *context, void (*run)(void *, size_t), int parts, void *kernel)
{
	if (parts == 1) {
		run(kernel, 0);
		return NULL;
	}
	return CALL(KERNEL_CONTEXT_PARALLEL_FOR, status *, const void *, void (*)(void *, size_t), size_t, size_t, void *)
		(context, run, parts, parts, kernel);
}

static status *convolution_compute(void *kernel, void *context)
{
	training_kernel *k = kernel;
	const void *const *api = k->owner->api;
	int64_t dims[MOST_DIMENSIONS], w[MOST_DIMENSIONS], b[MOST_DIMENSIONS], m[MOST_DIMENSIONS];
	size_t rank, w_rank, b_rank, m_rank;
	float *x, *weights, *bias, *mask, *y;
	TRY(input(api, k->inputs, context, 0, &x, dims, &rank));
	TRY(input(api, k->inputs, context, 1, &weights, w, &w_rank));
	TRY(input(api, k->inputs, context, 2, &bias, b, &b_rank));
	TRY(input(api, k->inputs, context, 3, &mask, m, &m_rank));
	if (rank != 4 || w_rank != 4 || w[1] != dims[1] || w[2] != 3 || w[3] != 3 || dims[0] < 1 || (bias && (b_rank != 1 || b[0] != w[0])) ||
		(mask && (m_rank != 4 || m[0] != dims[0] || m[1] != w[0] || m[2] != dims[2] || m[3] != dims[3])))
		return fail(api, INVALID_ARGUMENT, "kosumi.Convolution: the inputs do not fit each other");
	if (prepare(k, dims[1], w[0], dims[0]))
		return fail(api, FAIL, "kosumi.Convolution: no memory");
	dims[1] = w[0];
	TRY(output(api, context, 0, dims, rank, &y));
	k->convolution = (convolution_call){.n = (int)dims[0], .h = (int)dims[2], .w = (int)dims[3], .relu = (int)k->relu, .x = x,
		.weights = weights, .bias = bias, .mask = mask, .y = y};
	k->owner->kernels->convolve_begin(k->trainer, &k->convolution);
	TRY(parallel(api, context, convolution_part, k->parts, k));
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
	TRY(parallel(api, context, gradient_part, k->parts, k));
	if (k->failed)
		return fail(api, FAIL, "kosumi.ConvolutionGradient: no memory");
	k->owner->kernels->gradient_end(k->trainer, &k->call, k->parts);
	return NULL;
}

// ---- relu(scale*x + shift) ---------------------------------------------------

typedef struct {
	const operators *owner;
	size_t inputs;
	int parts;
	float *sums; // of the gradient: [parts][2][channels]
	scaled_call call;
	scaled_gradient_call gradient;
} scaled_kernel;

static status *scaled_kernel_make(const operators *o, const void *const *api, const void *info, void **made)
{
	size_t inputs;
	TRY(CALL(KERNEL_INFO_GET_INPUT_COUNT, status *, const void *, size_t *)(info, &inputs));
	scaled_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return fail(api, FAIL, "kosumi: no memory");
	*k = (scaled_kernel){.owner = o, .inputs = inputs};
	*made = k;
	return NULL;
}

static status *scaled_make(const custom_op *op, const void *const *api, const void *info, void **made)
{
	return scaled_kernel_make(owner_of(op, scaled), api, info, made);
}

static status *scaled_gradient_make(const custom_op *op, const void *const *api, const void *info, void **made)
{
	return scaled_kernel_make(owner_of(op, scaled_gradient), api, info, made);
}

static void scaled_part(void *kernel, size_t part)
{
	scaled_kernel *k = kernel;
	k->owner->kernels->scaled_part(k->owner->isa, &k->call, (int)part, k->parts);
}

static void scaled_gradient_part(void *kernel, size_t part)
{
	scaled_kernel *k = kernel;
	float *sums = k->sums + 2 * part * k->gradient.channels;
	k->owner->kernels->scaled_gradient_part(k->owner->isa, &k->gradient, (int)part, k->parts, sums, sums + k->gradient.channels);
}

// board_input reads boards that are as large as dims, or the first ones, whose size dims
// becomes.
static status *board_input(const scaled_kernel *k, void *context, size_t index, float **data, int64_t *dims)
{
	const void *const *api = k->owner->api;
	int64_t has[MOST_DIMENSIONS];
	size_t rank;
	TRY(input(api, k->inputs, context, index, data, has, &rank));
	for (int i = 0; *data && i < 4; i++) {
		if (rank != 4 || has[i] < 1 || (dims[i] && dims[i] != has[i]))
			return fail(api, INVALID_ARGUMENT, "kosumi.ScaledRelu: boards of different sizes");
		dims[i] = has[i];
	}
	return NULL;
}

// channel_input reads a number for each channel.
static status *channel_input(const scaled_kernel *k, void *context, size_t index, float **data, int64_t channels)
{
	const void *const *api = k->owner->api;
	int64_t has[MOST_DIMENSIONS], numbers = 1;
	size_t rank;
	TRY(input(api, k->inputs, context, index, data, has, &rank));
	for (size_t i = 0; i < rank; i++)
		numbers *= has[i];
	if (!*data || numbers != channels)
		return fail(api, INVALID_ARGUMENT, "kosumi.ScaledRelu: not one number for each channel");
	return NULL;
}

static int parts_of(const scaled_kernel *k, int64_t n) { return n < k->owner->threads ? (int)n : k->owner->threads; }

static status *scaled_compute(void *kernel, void *context)
{
	scaled_kernel *k = kernel;
	const void *const *api = k->owner->api;
	int64_t dims[4] = {0};
	float *x, *scale, *shift, *y;
	TRY(board_input(k, context, 0, &x, dims));
	TRY(channel_input(k, context, 1, &scale, dims[1]));
	TRY(channel_input(k, context, 2, &shift, dims[1]));
	TRY(output(api, context, 0, dims, 4, &y));
	k->call = (scaled_call){.n = (int)dims[0], .channels = (int)dims[1], .area = (int)(dims[2] * dims[3]), .x = x, .scale = scale,
		.shift = shift, .y = y};
	k->parts = parts_of(k, dims[0]);
	return parallel(api, context, scaled_part, k->parts, k);
}

static status *scaled_gradient_compute(void *kernel, void *context)
{
	scaled_kernel *k = kernel;
	const void *const *api = k->owner->api;
	int64_t dims[4] = {0};
	float *x, *scale, *y, *dy, *skip, *dx, *dscale, *dshift;
	TRY(board_input(k, context, 0, &x, dims));
	TRY(channel_input(k, context, 1, &scale, dims[1]));
	TRY(board_input(k, context, 2, &y, dims));
	TRY(board_input(k, context, 3, &dy, dims));
	TRY(board_input(k, context, 4, &skip, dims));
	TRY(output(api, context, 0, dims, 4, &dx));
	TRY(output(api, context, 1, dims + 1, 1, &dscale));
	TRY(output(api, context, 2, dims + 1, 1, &dshift));
	int channels = (int)dims[1];
	k->parts = parts_of(k, dims[0]);
	if (!k->sums || channels > k->gradient.channels) {
		free(k->sums);
		k->sums = malloc((size_t)k->owner->threads * 2 * channels * sizeof(float));
		if (!k->sums)
			return fail(api, FAIL, "kosumi.ScaledReluGradient: no memory");
	}
	k->gradient = (scaled_gradient_call){.n = (int)dims[0], .channels = channels, .area = (int)(dims[2] * dims[3]), .x = x, .scale = scale,
		.y = y, .dy = dy, .skip = skip, .dx = dx};
	TRY(parallel(api, context, scaled_gradient_part, k->parts, k));
	for (int c = 0; c < channels; c++) {
		dscale[c] = dshift[c] = 0;
		for (int p = 0; p < k->parts; p++) {
			dscale[c] += k->sums[2 * p * channels + c];
			dshift[c] += k->sums[(2 * p + 1) * channels + c];
		}
	}
	return NULL;
}

static void scaled_destroy(void *kernel)
{
	free(((scaled_kernel *)kernel)->sums);
	free(kernel);
}

static const char *scaled_name(const custom_op *op) { (void)op; return "ScaledRelu"; }
static const char *scaled_gradient_name(const custom_op *op) { (void)op; return "ScaledReluGradient"; }
static size_t five(const custom_op *op) { (void)op; return 5; }
static int from_four(const custom_op *op, size_t i) { (void)op; return i >= 4; }

static const char *convolution_name(const custom_op *op) { (void)op; return "Convolution"; }
static const char *gradient_name(const custom_op *op) { (void)op; return "ConvolutionGradient"; }
static size_t one(const custom_op *op) { (void)op; return 1; }
static size_t two(const custom_op *op) { (void)op; return 2; }
static size_t three(const custom_op *op) { (void)op; return 3; }
static size_t four(const custom_op *op) { (void)op; return 4; }
static int from_two(const custom_op *op, size_t i) { (void)op; return i >= 2; }

void training_operators(operators *o)
{
	o->convolution = o->gradient = o->attention;
	o->convolution.get_name = convolution_name;
	o->convolution.input_count = four;
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
	o->scaled = o->scaled_gradient = o->gradient;
	o->scaled.get_name = scaled_name;
	o->scaled.input_count = three;
	o->scaled.input_kind = from_four;
	o->scaled.create_kernel_v2 = scaled_make;
	o->scaled.compute_v2 = scaled_compute;
	o->scaled_gradient.get_name = scaled_gradient_name;
	o->scaled_gradient.input_count = five;
	o->scaled_gradient.input_kind = from_four;
	o->scaled_gradient.output_count = three;
	o->scaled_gradient.create_kernel_v2 = scaled_gradient_make;
	o->scaled_gradient.compute_v2 = scaled_gradient_compute;
	o->scaled.destroy = o->scaled_gradient.destroy = scaled_destroy;
}
