// The operators of the domain "kosumi" as onnxruntime's custom operators.

#include "interface.h"

// The inputs and outputs of Conv.
enum { IN_X, IN_WEIGHTS, IN_BIAS, IN_RESIDUAL, IN_SCALE, IN_SHIFT, INPUTS };
enum { OUT_Y, OUT_SUM, OUTPUTS };

typedef struct {
	const operators *owner;
	layer *layer;
	size_t inputs;
	int64_t in, out, planes, values; // values of a point of the result
} conv_kernel;

static status *conv_make(const custom_op *op, const void *const *api, const void *info, void **made)
{
	const operators *o = owner_of(op, conv);
	int64_t dims[MOST_DIMENSIONS], small[MOST_DIMENSIONS], activation, precision, planes;
	size_t rank, count;
	float *weights, *scale, *shift;
	TRY(CALL(KERNEL_INFO_GET_INPUT_COUNT, status *, const void *, size_t *)(info, &count));
	TRY(integer(api, info, "activation", &activation));
	TRY(integer(api, info, "precision", &precision));
	TRY(integer(api, info, "planes", &planes));
	float epsilon;
	TRY(CALL(KERNEL_INFO_GET_ATTRIBUTE_FLOAT, status *, const void *, const char *, float *)(info, "epsilon", &epsilon));
	size_t one;
	TRY(constant(api, info, count, IN_SCALE, &scale, small, &one));
	TRY(constant(api, info, count, IN_SHIFT, &shift, small, &one));
	TRY(constant(api, info, count, IN_WEIGHTS, &weights, dims, &rank));
	if (!weights || rank != 4 || dims[2] != dims[3] || dims[2] % 2 == 0 || (dims[2] > 3 && !planes))
		return fail(api, INVALID_ARGUMENT, "kosumi.Conv: weights must be constant, [out, in, size, size], of size 1 or 3");
	int gated = activation == ACT_SWIGLU;
	if ((gated || epsilon > 0) && (dims[2] != 1 || planes || (gated && (dims[0] % 2 || scale || shift || count > IN_BIAS))))
		return fail(api, INVALID_ARGUMENT, "kosumi.Conv: a norm or SwiGLU is of products of points, SwiGLU with nothing behind");
	conv_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return fail(api, FAIL, "kosumi.Conv: no memory");
	layer_shape shape = {.in = (int)dims[1], .out = (int)dims[0], .size = (int)dims[2], .precision = (int)precision,
		.activation = (int)activation, .planes = (int)planes, .scale = scale, .shift = shift, .epsilon = epsilon};
	*k = (conv_kernel){.owner = o, .inputs = count, .in = dims[1], .out = dims[0], .planes = planes, .values = gated ? dims[0] / 2 : dims[0]};
	k->layer = o->kernels->make(o->isa, &shape, weights);
	if (!k->layer) {
		free(k);
		return fail(api, FAIL, "kosumi.Conv: no memory for the weights");
	}
	*made = k;
	return NULL;
}

static void conv_destroy(void *kernel)
{
	conv_kernel *k = kernel;
	k->owner->kernels->drop(k->layer);
	free(k);
}

static status *conv_compute(void *kernel, void *context)
{
	const conv_kernel *k = kernel;
	const void *const *api = k->owner->api;
	int64_t dims[MOST_DIMENSIONS], other[MOST_DIMENSIONS];
	size_t rank, other_rank;
	float *x, *bias, *residual, *y, *sum;
	TRY(input(api, k->inputs, context, IN_X, &x, dims, &rank));
	TRY(input(api, k->inputs, context, IN_BIAS, &bias, other, &other_rank));
	layer_call c = {.x = x, .bias = bias, .bias_by_board = other_rank > 1};
	if (rank < 3 || dims[k->planes ? 1 : rank - 1] != k->in || (k->planes && rank != 4))
		return fail(api, INVALID_ARGUMENT, "kosumi.Conv: the input does not fit the weights");
	if (k->planes) { // [n, in, h, w] becomes [n, h, w, out]
		dims[1] = dims[2];
		dims[2] = dims[3];
	}
	dims[rank - 1] = k->values;
	c.n = (int)dims[0];
	c.h = (int)dims[1];
	c.w = 1;
	for (size_t i = 2; i + 1 < rank; i++)
		c.w *= (int)dims[i];
	int64_t values = k->values * c.n * c.h * c.w, others = 1;
	if (bias && (other[other_rank - 1] != k->out || (other_rank > 1 && other[0] != c.n)))
		return fail(api, INVALID_ARGUMENT, "kosumi.Conv: the bias does not fit");
	TRY(input(api, k->inputs, context, IN_RESIDUAL, &residual, other, &other_rank));
	for (size_t i = 0; i < other_rank; i++)
		others *= other[i];
	if (residual && others != values)
		return fail(api, INVALID_ARGUMENT, "kosumi.Conv: the residual does not fit");
	TRY(output(api, context, OUT_Y, dims, rank, &y));
	TRY(output(api, context, OUT_SUM, dims, rank, &sum));
	c.residual = residual;
	c.y = y;
	c.sum = sum;
	if (k->owner->kernels->run(k->layer, &c, k->owner->scratch))
		return fail(api, FAIL, "kosumi.Conv: no memory");
	return NULL;
}

// ---- Attention --------------------------------------------------------------

enum { IN_COSINES = 1, IN_SINES, ATTENTION_INPUTS };

typedef struct {
	const operators *owner;
	attention_shape shape;
	size_t inputs;
} attention_kernel;

static status *attention_make(const custom_op *op, const void *const *api, const void *info, void **made)
{
	const operators *o = owner_of(op, attention);
	int64_t heads, kv_heads, q_dim, v_dim, precision;
	size_t count;
	TRY(CALL(KERNEL_INFO_GET_INPUT_COUNT, status *, const void *, size_t *)(info, &count));
	TRY(integer(api, info, "heads", &heads));
	TRY(integer(api, info, "kv_heads", &kv_heads));
	TRY(integer(api, info, "q_dim", &q_dim));
	TRY(integer(api, info, "v_dim", &v_dim));
	TRY(integer(api, info, "precision", &precision));
	if (kv_heads < 1 || heads < kv_heads || heads % kv_heads || q_dim < 1 || v_dim < 1 || heads > 4096 || q_dim > 4096 || v_dim > 4096)
		return fail(api, INVALID_ARGUMENT, "kosumi.Attention: heads that do not fit each other");
	attention_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return fail(api, FAIL, "kosumi.Attention: no memory");
	*k = (attention_kernel){.owner = o, .inputs = count, .shape = {.heads = (int)heads, .kv_heads = (int)kv_heads, .q_dim = (int)q_dim,
		.v_dim = (int)v_dim, .precision = (int)precision}};
	*made = k;
	return NULL;
}

static status *attention_compute(void *kernel, void *context)
{
	const attention_kernel *k = kernel;
	const void *const *api = k->owner->api;
	const attention_shape *a = &k->shape;
	int64_t dims[MOST_DIMENSIONS], other[MOST_DIMENSIONS];
	size_t rank, other_rank;
	float *x, *tables[2], *y;
	TRY(input(api, k->inputs, context, IN_X, &x, dims, &rank));
	int64_t row = (int64_t)a->heads * a->q_dim + (int64_t)a->kv_heads * (a->q_dim + a->v_dim);
	if (rank != 3 || dims[2] != row || dims[1] < 1 || dims[1] > 1 << 16)
		return fail(api, INVALID_ARGUMENT, "kosumi.Attention: the input does not fit the heads");
	for (int i = 0; i < 2; i++) {
		int64_t values = 1;
		TRY(input(api, k->inputs, context, IN_COSINES + i, &tables[i], other, &other_rank));
		for (size_t j = 0; j < other_rank; j++)
			values *= other[j];
		if ((tables[i] && (values != dims[1] * a->kv_heads * (a->q_dim / 2) || a->q_dim % 2)) || !tables[i] != !tables[0])
			return fail(api, INVALID_ARGUMENT, "kosumi.Attention: the turns do not fit the heads");
	}
	attention_call c = {.n = (int)dims[0], .tokens = (int)dims[1], .x = x, .cosines = tables[0], .sines = tables[1]};
	dims[2] = (int64_t)a->heads * a->v_dim;
	TRY(output(api, context, 0, dims, rank, &y));
	c.y = y;
	if (k->owner->kernels->attend(k->owner->isa, a, &c, k->owner->scratch))
		return fail(api, FAIL, "kosumi.Attention: no memory");
	return NULL;
}

static const char *attention_name(const custom_op *op) { (void)op; return "Attention"; }
static size_t attention_inputs(const custom_op *op) { (void)op; return ATTENTION_INPUTS; }
static size_t attention_outputs(const custom_op *op) { (void)op; return 1; }
static int attention_input_kind(const custom_op *op, size_t i) { (void)op; return i >= IN_COSINES; }
static int attention_output_kind(const custom_op *op, size_t i) { (void)op, (void)i; return 0; }

static const char *conv_name(const custom_op *op) { (void)op; return "Conv"; }
static const char *on_cpu(const custom_op *op) { (void)op; return NULL; }
static int float_type(const custom_op *op, size_t i) { (void)op, (void)i; return TYPE_FLOAT; }
static size_t input_count(const custom_op *op) { (void)op; return INPUTS; }
static size_t output_count(const custom_op *op) { (void)op; return OUTPUTS; }
static int input_kind(const custom_op *op, size_t i) { (void)op; return i >= IN_BIAS; }
static int output_kind(const custom_op *op, size_t i) { (void)op; return i >= OUT_SUM; }
static int default_memory(const custom_op *op, size_t i) { (void)op, (void)i; return 0; }
static int zero(const custom_op *op) { (void)op; return 0; }
static int first_version(const custom_op *op) { (void)op; return 1; }
static int last_version(const custom_op *op) { (void)op; return INT32_MAX; }

operators *operators_make(const void *base, void *session_options, const void *kernels, int isa, int threads, const char **why)
{
	const void *const *api = ((const api_base *)base)->get_api(API_VERSION);
	operators *o = calloc(1, sizeof *o);
	*why = "no memory";
	if (!api || !o) {
		if (!api)
			*why = "the library does not have the interface";
		free(o);
		return NULL;
	}
	o->conv = (custom_op){.version = API_VERSION, .get_name = conv_name, .get_provider = on_cpu, .input_type = float_type,
		.input_count = input_count, .output_type = float_type, .output_count = output_count, .destroy = conv_destroy,
		.input_kind = input_kind, .output_kind = output_kind, .input_memory = default_memory,
		.variadic = {zero, zero, zero, zero}, .create_kernel_v2 = conv_make, .compute_v2 = conv_compute,
		.start_version = first_version, .end_version = last_version};
	o->attention = o->conv;
	o->attention.get_name = attention_name;
	o->attention.input_count = attention_inputs;
	o->attention.output_count = attention_outputs;
	o->attention.input_kind = attention_input_kind;
	o->attention.output_kind = attention_output_kind;
	o->attention.create_kernel_v2 = attention_make;
	o->attention.compute_v2 = attention_compute;
	o->attention.destroy = free;
	training_operators(o);
	o->api = api;
	o->kernels = kernels;
	o->isa = isa;
	o->threads = threads;
	o->scratch = o->kernels->scratch_make();
	*why = "the library refuses the operators";
	if (!o->scratch || CALL(CREATE_CUSTOM_OP_DOMAIN, status *, const char *, void **)("kosumi", &o->domain) ||
		CALL(CUSTOM_OP_DOMAIN_ADD, status *, void *, const void *)(o->domain, &o->conv) ||
		CALL(CUSTOM_OP_DOMAIN_ADD, status *, void *, const void *)(o->domain, &o->attention) ||
		CALL(CUSTOM_OP_DOMAIN_ADD, status *, void *, const void *)(o->domain, &o->convolution) ||
		CALL(CUSTOM_OP_DOMAIN_ADD, status *, void *, const void *)(o->domain, &o->gradient) ||
		CALL(CUSTOM_OP_DOMAIN_ADD, status *, void *, const void *)(o->domain, &o->scaled) ||
		CALL(CUSTOM_OP_DOMAIN_ADD, status *, void *, const void *)(o->domain, &o->scaled_gradient) ||
		CALL(ADD_CUSTOM_OP_DOMAIN, status *, void *, void *)(session_options, o->domain)) {
		operators_drop(o);
		return NULL;
	}
	return o;
}

void operators_drop(operators *o)
{
	if (!o)
		return;
	const void *const *api = o->api;
	if (o->domain)
		CALL(RELEASE_CUSTOM_OP_DOMAIN, void, void *)(o->domain);
	o->kernels->scratch_drop(o->scratch);
	free(o);
}

#if defined(_WIN32)
#include <windows.h>
const void *find_api_base(const char *path)
{
	wchar_t wide[4096];
	HMODULE library = NULL;
	if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 4096) && (library = GetModuleHandleW(wide))) {
		const void *(*get)(void) = (const void *(*)(void))(void *)GetProcAddress(library, "OrtGetApiBase");
		return get ? get() : NULL;
	}
	return NULL;
}
#else
#include <dlfcn.h>
const void *find_api_base(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return NULL;
	const void *(*get)(void) = (const void *(*)(void))dlsym(library, "OrtGetApiBase");
	const void *base = get ? get() : NULL;
	dlclose(library); // its owner keeps it loaded
	return base;
}
#endif
