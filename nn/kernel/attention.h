// Attention: y = softmax(q kᵀ) v for each head. Queries are in the lanes of vectors, so that
// maximum, exponential and sum of a softmax need no step across lanes, and both products multiply
// rows by panels, as layers do. Included by isa.h.

// In integers each query has its own scale, the keys of a head share one, and values have one per
// channel. NORM bounds the norms of queries and of keys, so that by Cauchy and Schwarz no score
// reaches 2³¹, rounding included. A value is at most VALUE, and the probabilities of a query sum to
// no more than (2³¹ - 1) / VALUE.
#define NORM 46303.f
#define VALUE 4095.f

enum { QUERIES = 2 * LANES }; // at a time

// head_scratch is the memory that the attention of one head takes.
typedef struct {
	int depth, keys;       // q_dim in whole vectors, tokens in whole pairs
	float *turned;         // [tokens][depth]: keys before they are integers; [keys/2][v_dim] pairs of values
	char *k, *v;           // [keys][depth], [v_dim][keys]
	float *q, *panel;      // queries [QUERIES][depth], and as products read them
	float *scores, *mixed; // [keys][queries], [v_dim][queries]
	float *worth;          // [v_dim]: what a value's integer is worth
	float *unit, *inverse; // [QUERIES]: what a score's is, and 1 over a query's sum
	float key_unit;
} head_scratch;

// take_head_scratch lays the parts out in one piece of memory; -1 if there is none.
static int take_head_scratch(head_scratch *d, const attention_shape *a, int tokens, scratch *s)
{
	d->depth = (a->q_dim + LANES - 1) / LANES * LANES;
	d->keys = (tokens + 1) & ~1;
	size_t depth = d->depth, keys = d->keys, v_dim = (a->v_dim + LANES - 1) / LANES * LANES;
	struct { float **to; size_t size; } parts[] = {
		{&d->turned, keys * (depth > v_dim ? depth : v_dim)}, {(float **)&d->k, keys * depth}, {(float **)&d->v, keys * v_dim},
		{&d->q, depth * QUERIES}, {&d->panel, depth * QUERIES}, {&d->scores, keys * QUERIES}, {&d->mixed, v_dim * QUERIES},
		{&d->worth, v_dim}, {&d->unit, QUERIES}, {&d->inverse, QUERIES},
	};
	size_t all = 0, count = sizeof parts / sizeof *parts;
	for (size_t i = 0; i < count; i++)
		all += parts[i].size = (parts[i].size + 15) & ~(size_t)15;
	float *p = scratch_take(s, all * 4);
	if (!p)
		return -1;
	for (size_t i = 0; i < count; p += parts[i++].size)
		*parts[i].to = p;
	return 0;
}

// turn rotates the pairs of a query or a key: x holds the first numbers of all pairs,
// then the second ones.
INLINE void turn(const attention_shape *a, int depth, const float *x, const float *cosines, const float *sines, float *to)
{
	int pairs = a->q_dim / 2;
	if (depth != a->q_dim)
		memset(to + a->q_dim, 0, 4 * (depth - a->q_dim));
	if (!cosines) {
		memcpy(to, x, 4 * a->q_dim);
		return;
	}
	for (int i = 0; i < pairs; i += LANES) {
		int n = pairs - i;
		vf p = load_upto(x + i, n), q = load_upto(x + pairs + i, n);
		vf c = load_upto(cosines + i, n), s = load_upto(sines + i, n);
		store_upto(to + i, p * c - q * s, n);
		store_upto(to + pairs + i, p * s + q * c, n);
	}
}

// extent returns the norm of a query or a key, and its largest number. The norm is NaN if one of
// the numbers is.
INLINE float extent(const float *x, int depth, float *most)
{
	vf square = splat(0), top = splat(0);
	for (int i = 0; i < depth; i += LANES) {
		vf v = load(x + i);
		square += v * v;
		top = vmax(vmax(v, -v), top);
	}
	*most = max_lanes(top);
	return sqrtf(sum_lanes(square));
}

// within returns the factor that makes integers of vectors of a given norm and largest number.
static float within(float norm, float most, float *unit)
{
	float scale = 32767 / most < NORM / norm ? 32767 / most : NORM / norm;
	if (!(norm > 1e-18f && norm < 1e30f)) {
		*unit = norm < 1 ? 0 : norm - norm; // 0 for numbers near 0, NaN for NaN and infinite ones
		return 0;
	}
	*unit = 1 / scale;
	return scale;
}

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (quad_mask){__VA_ARGS__})
#endif

// transpose_four writes four rows of four words as columns.
INLINE void transpose_four(const float *from, size_t from_row, float *to, size_t to_row)
{
	quad a = *(const quad *)from, b = *(const quad *)(from + from_row);
	quad c = *(const quad *)(from + 2 * from_row), d = *(const quad *)(from + 3 * from_row);
	quad ab = SHUFFLE(a, b, 0, 4, 1, 5), cd = SHUFFLE(c, d, 0, 4, 1, 5);
	*(quad *)to = SHUFFLE(ab, cd, 0, 1, 4, 5);
	*(quad *)(to + to_row) = SHUFFLE(ab, cd, 2, 3, 6, 7);
	ab = SHUFFLE(a, b, 2, 6, 3, 7);
	cd = SHUFFLE(c, d, 2, 6, 3, 7);
	*(quad *)(to + 2 * to_row) = SHUFFLE(ab, cd, 0, 1, 4, 5);
	*(quad *)(to + 3 * to_row) = SHUFFLE(ab, cd, 2, 3, 6, 7);
}

// transpose writes rows of words as columns.
static void transpose(const float *from, size_t from_row, int rows, int columns, float *to, size_t to_row)
{
	int i = 0;
	for (; i + 4 <= rows; i += 4) {
		int j = 0;
		for (; j + 4 <= columns; j += 4)
			transpose_four(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
		for (; j < columns; j++)
			for (int k = i; k < i + 4; k++)
				memcpy(to + j * to_row + k, from + k * from_row + j, 4);
	}
	for (; i < rows; i++)
		for (int j = 0; j < columns; j++)
			memcpy(to + j * to_row + i, from + i * from_row + j, 4);
}

// pairs rounds two rows of numbers to integers of 16 bits, side by side.
INLINE vmask pairs(vf even, vf odd)
{
	even += pick(even < 0, splat(-0.5f), splat(0.5f));
	odd += pick(odd < 0, splat(-0.5f), splat(0.5f));
	return (__builtin_convertvector(even, vmask) & 0xffff) | (__builtin_convertvector(odd, vmask) << 16);
}

// take_keys stores the keys of a head.
INLINE void take_keys(int integers, const attention_shape *a, const attention_call *c, head_scratch *d, const float *x, size_t row,
	const float *cosines, const float *sines, size_t turns)
{
	float norm = 0, top = 0, most;
	char *to = integers ? (char *)d->turned : d->k;
	for (int t = 0; t < c->tokens; t++) {
		float *key = (float *)to + (size_t)t * d->depth;
		turn(a, d->depth, x + t * row, cosines ? cosines + t * turns : NULL, sines + (cosines ? t * turns : 0), key);
		if (!integers)
			continue;
		float n = extent(key, d->depth, &most);
		norm = n > norm || n != n ? n : norm; // NaN stays
		top = most > top ? most : top;
	}
	if (!integers)
		return;
	float scale = within(norm, top, &d->key_unit);
	for (size_t i = 0; i < (size_t)c->tokens * d->depth; i += LANES)
		keep(1, d->k + 2 * i, load(d->turned + i), scale);
	memset(d->k + 2 * (size_t)c->tokens * d->depth, 0, 2 * (size_t)(d->keys - c->tokens) * d->depth);
}

// take_values stores the values of a head by channel.
INLINE void take_values(int integers, const attention_shape *a, const attention_call *c, head_scratch *d, const float *x, size_t row)
{
	if (!integers) {
		transpose(x, row, c->tokens, a->v_dim, (float *)d->v, d->keys);
		return;
	}
	for (int o = 0; o < a->v_dim; o += LANES) {
		int n = a->v_dim - o;
		vf top = splat(0), none = splat(0);
		for (int t = 0; t < c->tokens; t++) {
			vf v = load_upto(x + t * row + o, n);
			top = vmax(vmax(v, -v), top);
			none += v - v;
		}
		vf scale = pick(top > 1e-30f, VALUE / top, splat(0));
		store(d->worth + o, top * (1.f / VALUE) + none);
		for (int t = 0; t < c->tokens; t += 2) {
			vf even = load_upto(x + t * row + o, n), odd = t + 1 < c->tokens ? load_upto(x + (t + 1) * row + o, n) : splat(0);
			store_upto(d->turned + (size_t)t / 2 * a->v_dim + o, (vf)pairs(even * scale, odd * scale), n);
		}
	}
	transpose(d->turned, a->v_dim, d->keys / 2, a->v_dim, (float *)d->v, d->keys / 2);
}

// take_queries packs count queries for the lanes, so that scores are powers of 2.
INLINE void take_queries(int integers, const attention_shape *a, head_scratch *d, const float *x, size_t row, int count, int lanes,
	const float *cosines, const float *sines, size_t turns)
{
	float most;
	for (int i = 0; i < count; i++) {
		float *q = d->q + (size_t)i * d->depth;
		turn(a, d->depth, x + i * row, cosines ? cosines + i * turns : NULL, sines + (cosines ? i * turns : 0), q);
		if (!integers) {
			for (int j = 0; j < d->depth; j += LANES)
				store(q + j, load(q + j) * LOG2E);
			continue;
		}
		float norm = extent(q, d->depth, &most), scale = within(norm, most, &d->unit[i]);
		d->unit[i] *= d->key_unit * LOG2E;
		for (int j = 0; j < d->depth; j += LANES)
			keep(1, (char *)q + 2 * j, load(q + j), scale);
	}
	for (int i = count; i < lanes; i++) {
		memset(d->q + (size_t)i * d->depth, 0, 4 * d->depth);
		d->unit[i] = 0;
	}
	transpose(d->q, d->depth, lanes, integers ? d->depth / 2 : d->depth, d->panel, lanes);
}

// multiply_rows computes m = rows * panel, and in top, unless that is NULL, the largest
// number of each column.
INLINE void multiply_rows(const micros *by, int precision, int width, const char *rows, size_t row, int count, const void *panel, int ins,
	float *m, const float *unit, vf *top)
{
	const int lanes = width * LANES;
	pass p = {.by = by, .precision = precision, .width = width, .ins = ins, .count = count, .v = rows, .u = panel, .v_row = row,
		.fetched = SIZE_MAX / 2, .unscale = unit};
	for (int n; (n = some_rows(&p, m, lanes)) > 0; m += (size_t)n * lanes)
		for (int r = 0; top && r < n; r++)
			for (int j = 0; j < width; j++)
				top[j] = vmax(load(m + (size_t)r * lanes + j * LANES), top[j]);
}

// weigh turns scores into probabilities times some factor, which inverse undoes. A score that is
// NaN makes its query's result NaN.
INLINE void weigh(int integers, int width, int tokens, head_scratch *d, const vf *top)
{
	int lanes = width * LANES;
	vf sum[2] = {splat(0), splat(0)};
	for (int k = 0; k < tokens; k++)
#pragma GCC unroll 2
		for (int j = 0; j < width; j++) {
			float *at = d->scores + (size_t)k * lanes + j * LANES;
			vf e = power(load(at) - top[j]);
			store(at, e);
			sum[j] += e;
		}
	if (tokens < d->keys)
		memset(d->scores + (size_t)tokens * lanes, 0, 4 * lanes);
	vf scale[2] = {splat(1), splat(1)};
#pragma GCC unroll 2
	for (int j = 0; j < width; j++) {
		if (integers) // each of the probabilities may be rounded up by a half
			scale[j] = vmin(splat(32767), (2147483647.f / VALUE - 0.5f * tokens - 64) / sum[j]);
		store(d->inverse + j * LANES, 1 / (sum[j] * scale[j]));
	}
	for (int k = 0; integers && k < d->keys; k += 2)
#pragma GCC unroll 2
		for (int j = 0; j < width; j++) {
			float *at = d->scores + (size_t)k * lanes + j * LANES;
			vmask a = __builtin_convertvector(load(at) * scale[j] + 0.5f, vmask);
			vmask b = __builtin_convertvector(load(at + lanes) * scale[j] + 0.5f, vmask);
			store(d->scores + (size_t)k / 2 * lanes + j * LANES, (vf)(a | b << 16));
		}
}

// attend_some computes some vectors of queries of one head.
INLINE void attend_some(const micros *by, int integers, int width, const attention_shape *a, const attention_call *c, head_scratch *d, int count, float *y)
{
	static const float ones[QUERIES] = {[0 ... QUERIES - 1] = 1};
	int precision = integers ? KERNEL_INT16 : KERNEL_FLOAT, lanes = width * LANES, bytes = integers ? 2 : 4;
	vf top[2] = {splat(-3e38f), splat(-3e38f)};
	multiply_rows(by, precision, width, d->k, (size_t)d->depth * bytes, c->tokens, d->panel, d->depth, d->scores, d->unit, top);
	weigh(integers, width, c->tokens, d, top);
	multiply_rows(by, precision, width, d->v, (size_t)d->keys * bytes, a->v_dim, d->scores, integers ? d->keys : c->tokens, d->mixed, ones, NULL);
	for (int o = 0; o < a->v_dim; o++)
		for (int j = 0; j < width; j++) {
			float *at = d->mixed + (size_t)o * lanes + j * LANES;
			store(at, load(at) * load(d->inverse + j * LANES) * (integers ? d->worth[o] : 1));
		}
	transpose(d->mixed, lanes, a->v_dim, count, y, (size_t)a->heads * a->v_dim);
}

INLINE void attend_board(const micros *by, int integers, const attention_shape *a, const attention_call *c, head_scratch *d, const float *x, float *y)
{
	size_t row = (size_t)a->heads * a->q_dim + (size_t)a->kv_heads * (a->q_dim + a->v_dim), turns = (size_t)a->kv_heads * (a->q_dim / 2);
	int group = a->heads / a->kv_heads;
	const float *keys = x + (size_t)a->heads * a->q_dim, *values = keys + (size_t)a->kv_heads * a->q_dim;
	for (int kv = 0; kv < a->kv_heads; kv++) {
		const float *cosines = c->cosines ? c->cosines + (size_t)kv * (a->q_dim / 2) : NULL;
		const float *sines = c->cosines ? c->sines + (size_t)kv * (a->q_dim / 2) : NULL;
		take_keys(integers, a, c, d, keys + (size_t)kv * a->q_dim, row, cosines, sines, turns);
		take_values(integers, a, c, d, values + (size_t)kv * a->v_dim, row);
		for (int h = kv * group; h < (kv + 1) * group; h++)
			for (int first = 0; first < c->tokens; first += QUERIES) {
				int count = c->tokens - first < QUERIES ? c->tokens - first : QUERIES;
				float *to = y + ((size_t)first * a->heads + h) * a->v_dim;
				take_queries(integers, a, d, x + first * row + (size_t)h * a->q_dim, row, count, count > LANES ? QUERIES : LANES,
					cosines ? cosines + first * turns : NULL, sines ? sines + first * turns : NULL, turns);
				if (count > LANES)
					attend_some(by, integers, 2, a, c, d, count, to);
				else
					attend_some(by, integers, 1, a, c, d, count, to);
			}
	}
}

static int attend(const isa_t *isa, const attention_shape *a, const attention_call *c, scratch *s)
{
	head_scratch d;
	if (take_head_scratch(&d, a, c->tokens, s))
		return -1;
	size_t row = (size_t)a->heads * a->q_dim + (size_t)a->kv_heads * (a->q_dim + a->v_dim);
	for (int b = 0; b < c->n; b++) {
		const float *x = c->x + (size_t)b * c->tokens * row;
		float *y = c->y + (size_t)b * c->tokens * a->heads * a->v_dim;
		if (IN_INTEGERS(a))
			attend_board(isa->products[KERNEL_INT16], 1, a, c, &d, x, y);
		else
			attend_board(isa->products[KERNEL_FLOAT], 0, a, c, &d, x, y);
	}
	return 0;
}

#undef NORM
#undef VALUE
