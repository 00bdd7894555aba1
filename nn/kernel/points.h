// 1x1 convolutions: products of points, or of tokens, by a matrix. Included by isa.h.
//
// In integers a point is scaled by itself. With a norm, an output is divided by the root
// of the mean square of the point's inputs, which costs no more than their sum of squares.

// Four lanes, to which longer vectors are reduced.
typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t quad_mask __attribute__((vector_size(16)));

#ifdef QUAD_MAX
INLINE quad quad_max(quad a, quad b) { return QUAD_MAX(a, b); }
#else
INLINE quad quad_max(quad a, quad b)
{
	quad_mask more = a > b;
	return (quad)((more & (quad_mask)a) | (~more & (quad_mask)b));
}
#endif

INLINE float sum_lanes(vf v)
{
	float t[LANES];
	store(t, v);
	quad s = *(quad *)t;
#pragma GCC unroll 4
	for (int i = 4; i < LANES; i += 4)
		s += *(quad *)(t + i);
	return (s[0] + s[2]) + (s[1] + s[3]);
}

INLINE float max_lanes(vf v)
{
	float t[LANES];
	store(t, v);
	quad s = *(quad *)t;
#pragma GCC unroll 4
	for (int i = 4; i < LANES; i += 4)
		s = quad_max(s, *(quad *)(t + i));
	float a = s[0] > s[2] ? s[0] : s[2], b = s[1] > s[3] ? s[1] : s[3];
	return a > b ? a : b;
}

// size_of is |x| as an integer: larger for larger numbers, and largest for NaN.
INLINE vmask size_of(vf x) { return (vmask)x & 0x7fffffff; }

// take_point stores a point's inputs as the products want them, and returns what its products are
// worth: NaN if an input is NaN.
INLINE float take_point(int integers, int norm, const layer *l, const float *x, char *to)
{
	vmask top = {0};
	vf square = splat(0);
	for (int k = 0; k < l->ins; k += LANES) {
		vf v = l->in - k >= LANES ? load(x + k) : k < l->in ? load_part(x + k, l->in - k) : splat(0);
		if (integers)
			top = larger(size_of(v), top);
		else if (to)
			store((float *)to + k, v);
		if (norm)
			square += v * v;
	}
	float unit = norm ? 1 / sqrtf(sum_lanes(square) / l->in + l->epsilon) : 1;
	if (!integers)
		return unit;
	float most = max_lanes((vf)top), scale = most > 0 ? l->limit / most : 0;
	for (int k = 0; k < l->ins; k += LANES)
		keep(1, to + 2 * (size_t)k, l->in - k >= LANES ? load(x + k) : k < l->in ? load_part(x + k, l->in - k) : splat(0), scale);
	return unit * (most / l->limit) + (most - most);
}

// take_points stores the inputs of all rows.
INLINE void take_points(int integers, int norm, const layer *l, const float *x, int rows, char *to, float *units)
{
	size_t row = (size_t)l->ins * (integers ? 2 : 4);
	for (int i = 0; i < rows; i++)
		units[i] = take_point(integers, norm, l, x + (size_t)i * l->in, to ? to + i * row : NULL);
}

// gate ends a gated layer: silu(s) * t for the first half s of the outputs and the
// second half t, whose vectors alternate in m.
INLINE void gate(const layer *l, const layer_call *c, size_t point, int first, int outs, const float *m, float unit)
{
	int half = l->out / 2;
	for (int o = 0, at = first / 2; o < outs && at < half; o += 2 * LANES, at += LANES) {
		vf y = silu(load(m + o) * unit) * (load(m + o + LANES) * unit);
		store_upto(c->y + point * half + at, y, half - at);
	}
}

// end_rows gives the layer's results of some rows for a panel of outputs.
INLINE void end_rows(int has, int activation, const layer *l, const layer_call *c, int from, int rows, int first, int outs, const float *m, const float *units)
{
	const int area = c->h * c->w;
	ending e = ending_of(l, c, 0);
	e.activation = activation;
	for (int i = from; i < from + rows; i++, m += outs) {
		if (has & HAS_BIAS && c->bias_by_board)
			e.bias = c->bias + (size_t)(i / area) * l->out;
		for (int o = 0; o < outs && ((has & WHOLE) || first + o < e.out); o += LANES)
			finish(has, &e, i, first + o, load(m + o) * units[i]);
	}
}

// end_some ends some rows by the kind of their layer: the kinds that networks are made of are
// compiled separately.
static void end_some(int what, const layer *l, const layer_call *c, int from, int rows, int first, int outs, const float *m, const float *units)
{
	enum { ADDED = HAS_RESIDUAL | HAS_Y | WHOLE, SCALED = HAS_SCALE | HAS_SHIFT };
#define END(parts, act) \
	if (what == (parts) && l->activation == (act)) { \
		end_rows(parts, act, l, c, from, rows, first, outs, m, units); \
		return; \
	}
	END(HAS_Y | WHOLE, ACT_NONE)
	END(ADDED, ACT_NONE)
	END(ADDED | SCALED, ACT_SILU)
	END(ADDED | SCALED | HAS_SUM, ACT_SILU)
#undef END
	if (l->activation == ACT_SWIGLU)
		for (int i = 0; i < rows; i++)
			gate(l, c, from + i, first, outs, m + (size_t)i * outs, units[from + i]);
	else
		end_rows(what & ~WHOLE, l->activation, l, c, from, rows, first, outs, m, units);
}

// fetch_rows fetches what the end of some rows reads and writes.
INLINE void fetch_rows(const layer *l, const layer_call *c, int from, int rows, int first, int outs)
{
	const int values = l->activation == ACT_SWIGLU ? l->out / 2 : l->out;
	if (l->activation == ACT_SWIGLU) {
		first /= 2;
		outs /= 2;
	}
	for (int i = from; i < from + rows; i++)
		for (int o = first; o < first + outs; o += 16) {
			size_t at = (size_t)i * values + o;
			if (c->residual)
				PREFETCH((const char *)(c->residual + at));
			if (c->sum && c->sum != c->residual)
				PREFETCH((const char *)(c->sum + at));
			if (c->y)
				PREFETCH((const char *)(c->y + at));
		}
}

enum { CHUNK = 4, WIDEST = NR * LANES > BLOCK ? NR * LANES : BLOCK }; // times the rows of a panel; the most outputs of a block

// run1 computes a block of outputs at a time, and some rows of it, which end while they are
// in the nearest cache.
static int run1(const layer *l, const layer_call *c, scratch *s)
{
	static const int most[5] = ROWS;
	int rows = c->n * c->h * c->w, integers = IN_INTEGERS(l), what = has(l, c), norm = l->epsilon > 0;
	size_t row = (size_t)l->ins * (integers ? 2 : 4);
	memory m;
	if (lay(l, s, rows, rows, 0, &m))
		return -1;
	int as_is = !integers && l->in == l->ins; // the products can read the input itself
	const char *v = as_is ? (const char *)c->x : m.v;
	if (integers)
		norm ? take_points(1, 1, l, c->x, rows, m.v, m.units) : take_points(1, 0, l, c->x, rows, m.v, m.units);
	else
		norm ? take_points(0, 1, l, c->x, rows, as_is ? NULL : m.v, m.units) : take_points(0, 0, l, c->x, rows, as_is ? NULL : m.v, m.units);
	const char *u = l->weights->u;
	for (int q = 0, first = 0, outs, end; q < l->panels; q = end, first += outs, u += row * outs) {
		float products[CHUNK * 12 * WIDEST] __attribute__((aligned(64)));
		end = block_end(l, q, &outs);
		int chunk = most[l->panel[q]] * (end - q > 1 ? CHUNK : 1), parts = (rows + chunk - 1) / chunk;
		for (int from = 0; from < rows; parts--) {
			int n = (rows - from) / parts;
			fetch_rows(l, c, from, n, first, outs);
			const char *panel = u;
			for (int k = q, o = 0; k < end; panel += row * l->panel[k] * LANES, o += l->panel[k] * LANES, k++)
				multiply(pass_of(l, l->panel[k], v + from * row, row, panel, n, l->weights->unscale + first + o), products + o, outs);
			end_some(what | (first + outs <= l->out ? WHOLE : 0), l, c, from, n, first, outs, products, m.units);
			from += n;
		}
	}
	return 0;
}
