// Programs: the steps of a network, one after the other.

#include "layer.h"

static float *place(const operand *o, float *memory, int first)
{
	return o->at < 0 ? NULL : memory + o->at + first * o->row;
}

int program_run(int isa, const step *steps, int count, float *memory, int first, scratch *scratch)
{
	const kernel_table_t *table = kernel_table();
	const isa_t *kernels = isa_of(isa);
	for (const step *s = steps; s < steps + count; s++) {
		float *to = place(&s->to[0], memory, first), *a = place(&s->from[0], memory, first);
		float *b = place(&s->from[1], memory, first), *c = place(&s->from[2], memory, first);
		int status = 0;
		switch (s->kind) {
		case STEP_LAYER: {
			layer_call call = {.n = s->n, .h = s->h, .w = s->w, .x = a, .bias = b, .residual = c, .bias_by_board = s->bias_by_board,
				.y = to, .sum = place(&s->to[1], memory, first)};
			status = table->run(s->layer, &call, scratch);
			break;
		}
		case STEP_ATTENTION: {
			attention_call call = {.n = s->n, .tokens = s->h, .x = a, .cosines = b, .sines = c, .y = to};
			status = table->attend(isa, &s->attention, &call, scratch);
			break;
		}
		default:
			kernels->small(s, to, a, b);
		}
		if (status)
			return status;
	}
	return 0;
}
