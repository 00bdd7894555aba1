// The parts of a training step, and what convolutions keep from one step to the next.

#include "layer.h"
#include <stdlib.h>
#include <string.h>

struct trainer {
	layer layer;
	int parts;
	float *packed, *sums; // packed weights; [parts][POSITIONS][outs][ins]
	scratch **scratches;  // two for each part
};

// sums_size is how many numbers the sum of one part has.
static size_t sums_size(const trainer *t) { return (size_t)POSITIONS * t->layer.outs * t->layer.ins; }

trainer *trainer_make(int isa, int in, int out, int parts)
{
	trainer *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	layer *l = &t->layer;
	l->isa = isa_of(isa);
	int lanes = l->isa->lanes;
	*l = (layer){.isa = l->isa, .in = in, .out = out, .size = 3, .precision = KERNEL_FLOAT, .positions = POSITIONS,
		.ins = (in + lanes - 1) / lanes * lanes, .outs = (out + lanes - 1) / lanes * lanes};
	t->parts = parts;
	t->scratches = calloc(2 * (size_t)parts, sizeof *t->scratches);
	int ok = t->scratches && !cut_panels(l);
	for (int i = 0; ok && i < 2 * parts; i++)
		ok = (t->scratches[i] = scratch_make()) != NULL;
	// Packed weights get room for reading ahead.
	if (ok && (t->packed = aligned(sums_size(t) * 4 + 4096)) && (t->sums = aligned(sums_size(t) * 4 * parts)))
		return t;
	trainer_drop(t);
	return NULL;
}

void trainer_drop(trainer *t)
{
	if (!t)
		return;
	for (int i = 0; t->scratches && i < 2 * t->parts; i++)
		scratch_drop(t->scratches[i]);
	free(t->scratches);
	aligned_free(t->packed);
	aligned_free(t->sums);
	free(t);
}

void convolve_begin(trainer *t, const convolution_call *c) { t->layer.isa->pack_now(&t->layer, c->weights, t->packed); }

int convolve_part(trainer *t, const convolution_call *c, int part, int parts)
{
	int first = (int)((long long)c->n * part / parts), last = (int)((long long)c->n * (part + 1) / parts);
	return t->layer.isa->convolve_some(&t->layer, c, t->packed, first, last, t->scratches[2 * part], t->scratches[2 * part + 1]);
}

int gradient_part(trainer *t, const gradient_call *c, int part, int parts)
{
	int first = (int)((long long)c->n * part / parts), last = (int)((long long)c->n * (part + 1) / parts);
	float *sums = t->sums + part * sums_size(t);
	memset(sums, 0, sums_size(t) * 4);
	return t->layer.isa->gradient_some(&t->layer, c, first, last, sums, t->scratches[2 * part]);
}

void gradient_end(trainer *t, const gradient_call *c, int parts) { t->layer.isa->gradient_end(&t->layer, t->sums, parts, c->dw); }

void scaled_part(int isa, const scaled_call *c, int part, int parts)
{
	isa_of(isa)->scaled_some(c, (int)((long long)c->n * part / parts), (int)((long long)c->n * (part + 1) / parts));
}

void scaled_gradient_part(int isa, const scaled_gradient_call *c, int part, int parts, float *dscale, float *dshift)
{
	int first = (int)((long long)c->n * part / parts), last = (int)((long long)c->n * (part + 1) / parts);
	isa_of(isa)->scaled_gradient_some(c, first, last, dscale, dshift);
}
