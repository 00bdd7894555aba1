// The operators' common ground: onnxruntime's interface, as far as it is used, and the
// reading of tensors.
//
// onnxruntime's interface is a table of functions whose places never change; those
// used here are counted from the list in onnxruntime_c_api.h.
#ifndef KOSUMI_INTERFACE_H
#define KOSUMI_INTERFACE_H

#include "operators.h"
#include "kernel.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef void status; // OrtStatus
typedef struct {
	const void *const *(*get_api)(uint32_t version);
} api_base;

enum { API_VERSION = 18 };

// Places in OrtApi.
enum {
	CREATE_STATUS = 0,
	GET_ERROR_MESSAGE = 2,
	CREATE_CUSTOM_OP_DOMAIN = 26,
	CUSTOM_OP_DOMAIN_ADD = 27,
	ADD_CUSTOM_OP_DOMAIN = 28,
	CREATE_TENSOR_AS_ORT_VALUE = 48,
	GET_TENSOR_MUTABLE_DATA = 51,
	GET_DIMENSIONS_COUNT = 61,
	GET_DIMENSIONS = 62,
	GET_TENSOR_TYPE_AND_SHAPE = 65,
	CREATE_MEMORY_INFO = 68,
	KERNEL_INFO_GET_ATTRIBUTE_FLOAT = 85,
	KERNEL_INFO_GET_ATTRIBUTE_INT64 = 86,
	KERNEL_CONTEXT_GET_INPUT = 90,
	KERNEL_CONTEXT_GET_OUTPUT = 91,
	RELEASE_STATUS = 93,
	RELEASE_MEMORY_INFO = 94,
	RELEASE_VALUE = 96,
	RELEASE_TENSOR_TYPE_AND_SHAPE_INFO = 99,
	RELEASE_CUSTOM_OP_DOMAIN = 101,
	CREATE_ALLOCATOR = 131,
	RELEASE_ALLOCATOR = 132,
	BIND_INPUT = 136,
	BIND_OUTPUT = 137,
	KERNEL_INFO_GET_INPUT_COUNT = 230,
	KERNEL_INFO_GET_CONSTANT_INPUT_TENSOR = 249,
	KERNEL_CONTEXT_PARALLEL_FOR = 274,
};

#define CALL(place, result, ...) ((result(*)(__VA_ARGS__))api[place])

// custom_op is OrtCustomOp as of version 18.
typedef struct custom_op {
	uint32_t version;
	void *(*create_kernel)(const struct custom_op *, const void *const *, const void *);
	const char *(*get_name)(const struct custom_op *);
	const char *(*get_provider)(const struct custom_op *);
	int (*input_type)(const struct custom_op *, size_t);
	size_t (*input_count)(const struct custom_op *);
	int (*output_type)(const struct custom_op *, size_t);
	size_t (*output_count)(const struct custom_op *);
	void (*compute)(void *, void *);
	void (*destroy)(void *);
	int (*input_kind)(const struct custom_op *, size_t);
	int (*output_kind)(const struct custom_op *, size_t);
	int (*input_memory)(const struct custom_op *, size_t);
	int (*variadic[4])(const struct custom_op *);
	status *(*create_kernel_v2)(const struct custom_op *, const void *const *, const void *, void **);
	status *(*compute_v2)(void *, void *);
	status *(*infer_shape)(const struct custom_op *, void *);
	int (*start_version)(const struct custom_op *);
	int (*end_version)(const struct custom_op *);
	size_t (*may_inplace)(int **, int **);
	void (*release_inplace)(int *, int *);
	size_t (*alias)(int **, int **);
	void (*release_alias)(int *, int *);
} custom_op;

// operators belongs to one session, which has one caller at a time.
struct operators {
	custom_op conv, attention, convolution, gradient, scaled, scaled_gradient;
	const void *const *api;
	const kernel_table_t *kernels;
	int isa, threads;
	void *domain;
	scratch *scratch;
};

// owner_of returns the operators that have an operator as their member.
#define owner_of(op, member) ((const operators *)((const char *)(op) - offsetof(operators, member)))

enum { FAIL = 1, INVALID_ARGUMENT = 2, TYPE_FLOAT = 1, MOST_DIMENSIONS = 8 };

static inline status *fail(const void *const *api, int code, const char *text)
{
	return CALL(CREATE_STATUS, status *, int, const char *)(code, text);
}

// status_text turns a status into its message, and frees it.
static inline char *status_text(const void *const *api, status *s)
{
	if (!s)
		return NULL;
	char *why = strdup(CALL(GET_ERROR_MESSAGE, const char *, const void *)(s));
	CALL(RELEASE_STATUS, void, void *)(s);
	return why ? why : strdup("no memory");
}

#define TRY(x) \
	do { \
		status *failed = (x); \
		if (failed) \
			return failed; \
	} while (0)

// dimensions reads a tensor's shape.
static inline status *dimensions(const void *const *api, const void *value, int64_t *dims, size_t *rank)
{
	void *info;
	TRY(CALL(GET_TENSOR_TYPE_AND_SHAPE, status *, const void *, void **)(value, &info));
	status *s = CALL(GET_DIMENSIONS_COUNT, status *, const void *, size_t *)(info, rank);
	if (!s && *rank > MOST_DIMENSIONS)
		s = fail(api, INVALID_ARGUMENT, "kosumi.Conv: too many dimensions");
	if (!s)
		s = CALL(GET_DIMENSIONS, status *, const void *, int64_t *, size_t)(info, dims, *rank);
	CALL(RELEASE_TENSOR_TYPE_AND_SHAPE_INFO, void, void *)(info);
	return s;
}

static inline status *data_of(const void *const *api, const void *value, float **data)
{
	return CALL(GET_TENSOR_MUTABLE_DATA, status *, const void *, void **)(value, (void **)data);
}

// constant reads an initializer; data is NULL where the input is left out.
static inline status *constant(const void *const *api, const void *info, size_t count, size_t index, float **data, int64_t *dims, size_t *rank)
{
	int is = 0;
	const void *value = NULL;
	*data = NULL;
	if (index >= count)
		return NULL;
	TRY(CALL(KERNEL_INFO_GET_CONSTANT_INPUT_TENSOR, status *, const void *, size_t, int *, const void **)(info, index, &is, &value));
	if (!is || !value)
		return NULL;
	TRY(dimensions(api, value, dims, rank));
	return data_of(api, value, data);
}

static inline status *integer(const void *const *api, const void *info, const char *name, int64_t *value)
{
	return CALL(KERNEL_INFO_GET_ATTRIBUTE_INT64, status *, const void *, const char *, int64_t *)(info, name, value);
}

// input reads an input that may be left out.
static inline status *input(const void *const *api, size_t inputs, void *context, size_t index, float **data, int64_t *dims, size_t *rank)
{
	const void *value = NULL;
	*data = NULL;
	*rank = 0;
	if (index >= inputs)
		return NULL;
	TRY(CALL(KERNEL_CONTEXT_GET_INPUT, status *, const void *, size_t, const void **)(context, index, &value));
	if (!value)
		return NULL;
	TRY(dimensions(api, value, dims, rank));
	return data_of(api, value, data);
}

static inline status *output(const void *const *api, void *context, size_t index, const int64_t *dims, size_t rank, float **data)
{
	void *value = NULL;
	*data = NULL;
	TRY(CALL(KERNEL_CONTEXT_GET_OUTPUT, status *, void *, size_t, const int64_t *, size_t, void **)(context, index, dims, rank, &value));
	return value ? data_of(api, value, data) : NULL;
}


// training_operators fills in those of training.c; the others' functions are there.
void training_operators(operators *);

#endif
