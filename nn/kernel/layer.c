// Layers: their weights, transformed and packed once, and the table of functions.

#include "layer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
static SRWLOCK lock = SRWLOCK_INIT;
static void hold(void) { AcquireSRWLockExclusive(&lock); }
static void release(void) { ReleaseSRWLockExclusive(&lock); }
void *aligned(size_t size) { return _aligned_malloc(size, 64); }
void aligned_free(void *p) { _aligned_free(p); }
#elif defined(__wasm__)
static void hold(void) {} // a module has one thread
static void release(void) {}
void *aligned(size_t size) { return aligned_alloc(64, (size + 63) & ~(size_t)63); }
void aligned_free(void *p) { free(p); }
#else
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void hold(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }
void *aligned(size_t size)
{
	void *p = NULL;
	return posix_memalign(&p, 64, size) ? NULL : p;
}
void aligned_free(void *p) { free(p); }
#endif

const isa_t *isa_of(int isa)
{
	switch (isa) {
#if defined(__wasm__)
	case ISA_WASM:
		return &isa_wasm;
#else
	case ISA_PORTABLE:
		return &isa_portable;
#endif
#if defined(__aarch64__)
	case ISA_NEON:
		return &isa_neon;
#endif
#if defined(__x86_64__)
	case ISA_AVX2:
		return &isa_avx2;
	case ISA_AVXVNNI:
		return &isa_avxvnni;
	case ISA_AVX512:
		return &isa_avx512;
	case ISA_AVX512VNNI:
		return &isa_avx512vnni;
#endif
	}
	return NULL;
}

int block_end(const layer *l, int p, int *outs)
{
	int lanes = l->isa->lanes;
	*outs = 0;
	do {
		*outs += l->panel[p] * lanes;
		p++;
	} while (p < l->panels && *outs + l->panel[p] * lanes <= BLOCK);
	return p;
}

int cut_panels(layer *l)
{
	int vectors = l->outs / l->isa->lanes, width = l->isa->widest;
	if (l->activation == ACT_SWIGLU)
		width = width == 4 && vectors % 4 == 0 ? 4 : 2;
	else if (width == 4)
		width = vectors % 3 == 0 ? 3 : vectors % 4 == 0 ? 4 : vectors % 2 == 0 && vectors < 8 ? 2 : 3;
	for (l->panels = 0; vectors > 0; l->panels++) {
		if (l->panels == MOST_PANELS)
			return -1;
		if (width == 3 && vectors == 4)
			width = 2;
		l->panel[l->panels] = vectors < width ? vectors : width;
		vectors -= l->panel[l->panels];
	}
	return 0;
}

// value_at is the transformed weight at a position: the polynomial with the weights
// as coefficients, evaluated at the points of both axes.
static double value_at(const float *w, int position)
{
	static const double points[AXIS - 1] = {0, M_SQRT1_2, -M_SQRT1_2, M_SQRT2, -M_SQRT2};
	double row[3], p;
	for (int y = 0; y < 3; y++) {
		if (position % AXIS == AXIS - 1) {
			row[y] = w[3 * y + 2];
			continue;
		}
		p = points[position % AXIS];
		row[y] = w[3 * y] + p * (w[3 * y + 1] + p * w[3 * y + 2]);
	}
	if (position / AXIS == AXIS - 1)
		return row[2];
	p = points[position / AXIS];
	return row[0] + p * (row[1] + p * row[2]);
}

// integer_scale is what an output's weights at a position are multiplied by to become
// integers: the largest that fits 16 bits and keeps every sum of products within 32.
static double integer_scale(const double *column, int n, int limit)
{
	double most = 0, sum = 0;
	for (int k = 0; k < n; k++) {
		most = fmax(most, fabs(column[k]));
		sum += fabs(column[k]);
	}
	if (most == 0)
		return 1;
	// Each of the n weights may be rounded up by a half.
	return fmin(32767 / most, ((double)INT32_MAX / limit - 0.5 * n - 1) / sum);
}

// source returns which of the outputs is at a place; -1: none. The vectors of the two halves of
// a gated layer alternate.
static int source(const layer *l, int place)
{
	int lanes = l->isa->lanes, half = l->out / 2;
	if (l->activation != ACT_SWIGLU)
		return place < l->out ? place : -1;
	int o = place / lanes / 2 * lanes + place % lanes;
	return o >= half ? -1 : place / lanes % 2 ? half + o : o;
}

// pack writes the weights as layer.h describes.
static int pack(const layer *l, const float *w, packed *to)
{
	int kernel = l->size * l->size, bytes = l->precision == KERNEL_INT16 ? 2 : 4;
	size_t size = (size_t)l->positions * l->ins * l->outs * bytes + 4096; // with room for reading ahead
	to->u = aligned(size);
	to->unscale = aligned((size_t)l->positions * l->outs * 4);
	double *column = malloc(sizeof(double) * l->ins);
	if (!to->u || !to->unscale || !column) {
		free(column);
		return -1;
	}
	memset(to->u, 0, size);
	memset(to->unscale, 0, (size_t)l->positions * l->outs * 4);
	char *at = to->u;
	int first = 0;
	for (int p = 0, outs, end; p < l->panels; p = end, first += outs) {
		end = block_end(l, p, &outs);
		for (int position = 0; position < l->positions; position++)
			for (int q = p, o = first; q < end; q++) {
				int width = l->panel[q] * l->isa->lanes;
				for (int j = 0; j < width; j++) {
					int out = source(l, o + j);
					if (out < 0)
						continue;
					for (int k = 0; k < l->in; k++) {
						const float *from = w + ((size_t)out * l->in + k) * kernel;
						column[k] = kernel == 1 ? from[0] : value_at(from, position);
					}
					if (bytes == 4) {
						for (int k = 0; k < l->in; k++)
							((float *)at)[(size_t)k * width + j] = column[k];
						continue;
					}
					double scale = integer_scale(column, l->in, l->limit);
					to->unscale[(size_t)position * l->outs + o + j] = 1 / scale;
					for (int k = 0; k < l->in; k++)
						((int16_t *)at)[((size_t)(k / 2) * width + j) * 2 + k % 2] = lrint(column[k] * scale);
				}
				at += (size_t)l->ins * width * bytes;
				o += width;
			}
	}
	free(column);
	return 0;
}

// pack_planes writes the weights of a layer of planes: [ky][kx][in][outs].
static int pack_planes(const layer *l, const float *w, packed *to)
{
	int kernel = l->size * l->size;
	size_t size = (size_t)kernel * l->in * l->outs * 4;
	float *u = to->u = aligned(size);
	if (!u)
		return -1;
	memset(u, 0, size);
	for (int k = 0; k < kernel; k++)
		for (int i = 0; i < l->in; i++)
			for (int o = 0; o < l->out; o++)
				u[((size_t)k * l->in + i) * l->outs + o] = w[((size_t)o * l->in + i) * kernel + k];
	return 0;
}

// hash is two independent sums of a layer's shape and weights (FNV-1a by words, and a polynomial):
// layers for which both agree are taken for equal.
static void hash(const layer *l, const float *w, uint64_t out[2])
{
	size_t n = (size_t)l->out * l->in * l->size * l->size;
	uint64_t shape[] = {l->in, l->out, l->size, l->precision, l->planes, l->activation == ACT_SWIGLU, (uintptr_t)l->isa};
	uint64_t a = 14695981039346656037u, b = 0;
	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
		a = (a ^ shape[i]) * 1099511628211u;
		b = (b + shape[i]) * 6364136223846793005u + 1442695040888963407u;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t word;
		memcpy(&word, w + i, 4);
		a = (a ^ word) * 1099511628211u;
		b = (b + word) * 6364136223846793005u + 1442695040888963407u;
	}
	out[0] = a;
	out[1] = b;
}

// all holds every packed weight that a layer uses; guarded by lock.
static packed *all;

static void discard(packed *p)
{
	aligned_free(p->u);
	aligned_free(p->unscale);
	free(p);
}

// share returns packed weights: those of an equal layer, or new ones.
static packed *share(const layer *l, const float *w)
{
	uint64_t key[2];
	hash(l, w, key);
	hold();
	packed *p = all;
	while (p && (p->hash[0] != key[0] || p->hash[1] != key[1]))
		p = p->next;
	if (p) {
		p->refs++;
		release();
		return p;
	}
	if ((p = calloc(1, sizeof *p))) {
		memcpy(p->hash, key, sizeof key);
		p->refs = 1;
		if (l->planes ? pack_planes(l, w, p) : pack(l, w, p)) {
			discard(p);
			p = NULL;
		} else {
			p->next = all;
			all = p;
		}
	}
	release();
	return p;
}

static void unshare(packed *p)
{
	hold();
	if (--p->refs == 0) {
		packed **at = &all;
		while (*at != p)
			at = &(*at)->next;
		*at = p->next;
		discard(p);
	}
	release();
}

// padded copies n values and adds zeros up to count.
static float *padded(const float *v, int n, int count)
{
	float *p = aligned((size_t)count * 4);
	if (p) {
		memset(p, 0, (size_t)count * 4);
		memcpy(p, v, (size_t)n * 4);
	}
	return p;
}

static void layer_drop(layer *l)
{
	if (l->weights)
		unshare(l->weights);
	for (plane_sum *s = l->sums, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	aligned_free(l->scale);
	aligned_free(l->shift);
	free(l);
}

static layer *layer_make(int isa, const layer_shape *s, const float *weights)
{
	layer *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->isa = isa_of(isa);
	l->in = s->in;
	l->out = s->out;
	l->size = s->size;
	l->activation = s->activation;
	l->planes = s->planes;
	l->precision = s->precision == KERNEL_INT16 && l->isa->products[KERNEL_INT16] && !s->planes ? KERNEL_INT16 : KERNEL_FLOAT;
	int lanes = l->isa->lanes;
	l->ins = (l->in + lanes - 1) / lanes * lanes;
	l->outs = s->activation == ACT_SWIGLU ? (l->out / 2 + lanes - 1) / lanes * lanes * 2 : (l->out + lanes - 1) / lanes * lanes;
	l->epsilon = s->epsilon;
	l->positions = l->size == 3 ? POSITIONS : 1;
	// Wide layers leave a bit of the input to the weights: both are rounded alike.
	l->limit = l->in <= 64 ? 32767 : l->in <= 256 ? 16383 : 8191;
	if (cut_panels(l)) {
		free(l);
		return NULL;
	}
	l->weights = share(l, weights);
	if (s->scale)
		l->scale = padded(s->scale, l->out, l->outs);
	if (s->shift)
		l->shift = padded(s->shift, l->out, l->outs);
	if (!l->weights || (s->scale && !l->scale) || (s->shift && !l->shift)) {
		layer_drop(l);
		return NULL;
	}
	return l;
}

// CACHED is how many bytes of inputs and products may be worked on together.
enum { CACHED = 512 << 10 };

// together is how many boards are worked on at a time: as many as stay in the cache,
// and at least as many tiles as make good use of a panel of weights.
static int together(const layer *l, const layer_call *c)
{
	if (l->planes)
		return c->n;
	int tiles = l->size == 1 ? c->h * c->w : ((c->h + 3) / 4) * ((c->w + 3) / 4);
	size_t row = (size_t)l->positions * ((size_t)l->ins * (l->precision == KERNEL_INT16 ? 2 : 4) + BLOCK * 4);
	int boards = CACHED / (row * tiles);
	int least = (24 + tiles - 1) / tiles;
	boards = boards > least ? boards : least;
	int parts = (c->n + boards - 1) / boards; // of about the same size
	return (c->n + parts - 1) / parts;
}

static int layer_run(const layer *l, const layer_call *c, scratch *s)
{
	int most = together(l, c), status = 0;
	size_t area = (size_t)c->h * c->w;
	for (int done = 0; done < c->n && !status; done += most) {
		layer_call part = *c;
		part.n = c->n - done < most ? c->n - done : most;
		part.x += done * area * l->in;
		part.bias += c->bias && c->bias_by_board ? (size_t)done * l->out : 0;
		part.residual += c->residual ? done * area * l->out : 0;
		part.y += c->y ? done * area * (l->activation == ACT_SWIGLU ? l->out / 2 : l->out) : 0;
		part.sum += c->sum ? done * area * l->out : 0;
		status = l->isa->run(l, &part, s);
	}
	return status;
}

scratch *scratch_make(void) { return calloc(1, sizeof(scratch)); }

void scratch_drop(scratch *s)
{
	if (s)
		aligned_free(s->data);
	free(s);
}

void *scratch_take(scratch *s, size_t size)
{
	if (size > s->size) {
		aligned_free(s->data);
		s->data = aligned(size);
		s->size = s->data ? size : 0;
	}
	return s->data;
}

static int attention_run(int isa, const attention_shape *a, const attention_call *c, scratch *s)
{
	const isa_t *kernels = isa_of(isa);
	return kernels->attend(kernels, a, c, s);
}

const kernel_table_t *kernel_table(void)
{
	static const kernel_table_t table = {layer_make, layer_drop, layer_run, scratch_make, scratch_drop, attention_run, program_run,
		trainer_make, trainer_drop, convolve_begin, convolve_part, gradient_part, gradient_end,
		scaled_part, scaled_gradient_part};
	return &table;
}
