// The module that a worker of a page has: what package kernel calls there. Its memory is
// the worker's own, and one call at a time works in it.

#include "layer.h"
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(take) void *module_take(size_t size) { return aligned(size); }
EXPORT(give) void module_give(void *p) { aligned_free(p); }

EXPORT(scratch) scratch *module_scratch(void) { return scratch_make(); }
EXPORT(scratch_drop) void module_scratch_drop(scratch *s) { scratch_drop(s); }

EXPORT(layer) layer *module_layer(int in, int out, int size, int precision, int activation, int planes, float epsilon, const float *scale,
	const float *shift, const float *weights)
{
	layer_shape s = {.in = in, .out = out, .size = size, .precision = precision, .activation = activation, .planes = planes,
		.epsilon = epsilon, .scale = scale, .shift = shift};
	return kernel_table()->make(ISA_WASM, &s, weights);
}
EXPORT(layer_drop) void module_layer_drop(layer *l) { kernel_table()->drop(l); }

static operand operand_of(const int32_t **at)
{
	operand o = {.at = (*at)[0], .row = (*at)[1]};
	*at += 2;
	return o;
}

// Steps come as words, in the order of their fields.
EXPORT(steps) step *module_steps(const int32_t *at, int count)
{
	step *all = calloc(count, sizeof *all);
	for (step *s = all; all && s < all + count; s++) {
		s->kind = *at++;
		s->what = *at++;
		for (int i = 0; i < 2; i++)
			s->to[i] = operand_of(&at);
		for (int i = 0; i < 3; i++)
			s->from[i] = operand_of(&at);
		for (int k = 0; k < STEP_AXES; k++)
			s->dims[k] = *at++;
		for (int i = 0; i < 3; i++)
			for (int k = 0; k < STEP_AXES; k++)
				s->strides[i][k] = *at++;
		s->n = *at++;
		s->h = *at++;
		s->w = *at++;
		s->bias_by_board = *at++;
		s->layer = (const layer *)*at++;
		s->attention = (attention_shape){at[0], at[1], at[2], at[3], at[4]};
		at += 5;
	}
	return all;
}
EXPORT(steps_drop) void module_steps_drop(step *s) { free(s); }

EXPORT(run) int module_run(const step *steps, int count, float *memory, int first, scratch *s)
{
	return program_run(ISA_WASM, steps, count, memory, first, s);
}
