// 1x1 convolutions: products of points, or of tokens, by a matrix. Included by isa.h.
//
// In integers a point is scaled by itself. With a norm, an output is divided by the root
// of the mean square of the point's inputs, which costs no more than their sum of squares.

// Four lanes, to which longer vectors are reduced.
typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t quad_mask __attribute__((vector_size(16)));

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
	for (int i = 4; i < LANES; i += 4) {
		quad o = *(quad *)(t + i);
		quad_mask more = s > o;
		s = (quad)((more & (quad_mask)s) | (~more & (quad_mask)o));
	}
	float a = s[0] > s[2] ? s[0] : s[2], b = s[1] > s[3] ? s[1] : s[3];
	return a > b ? a : b;
}

// take_point stores a point's inputs as the products want them, and returns what its
// products are worth: NaN where an input is no number.
INLINE float take_point(int integers, const layer *l, const float *x, char *to)
{
	vf top = splat(0), none = splat(0), square = splat(0);
	int k = 0;
	for (; k + LANES <= l->in; k += LANES) {
		vf v = load(x + k);
		top = vmax(vmax(v, -v), top);
		square += v * v;
		none += v * 0;
		if (!integers && to)
			store((float *)to + k, v);
	}
	for (; k < l->ins; k += LANES) {
		vf v = k < l->in ? load_part(x + k, l->in - k) : splat(0);
		top = vmax(vmax(v, -v), top);
		square += v * v;
		none += v * 0;
		if (!integers && to)
			store((float *)to + k, v);
	}
	float unit = l->epsilon > 0 ? 1 / sqrtf(sum_lanes(square) / l->in + l->epsilon) : 1;
	if (!integers)
		return unit;
	float most = max_lanes(top), scale = most > 0 ? l->limit / most : 0;
	for (k = 0; k < l->ins; k += LANES)
		keep(1, to + 2 * (size_t)k, l->in - k >= LANES ? load(x + k) : k < l->in ? load_part(x + k, l->in - k) : splat(0), scale);
	return unit * (most / l->limit) + sum_lanes(none);
}

// gate ends a gated layer: silu(s) * t for the first half s of the outputs and the
// second half t, whose vectors alternate in m.
static void gate(const layer *l, const layer_call *c, size_t point, int first, int outs, const float *m, float unit)
{
	int half = l->out / 2;
	for (int o = 0, at = first / 2; o < outs && at < half; o += 2 * LANES, at += LANES) {
		vf y = silu(load(m + o) * unit) * (load(m + o + LANES) * unit);
		store_upto(c->y + point * half + at, y, half - at);
	}
}

// end_rows gives the layer's results for a block of outputs of all rows.
INLINE void end_rows(int has, const layer *l, const layer_call *c, int rows, int first, int outs, const memory *m)
{
	int area = c->h * c->w;
	for (int i = 0; i < rows; i++) {
		const ending e = ending_of(l, c, has & HAS_BIAS ? i / area : 0);
		const float *from = m->m + (size_t)i * outs, unit = m->units[i];
		for (int o = 0; o < outs && ((has & WHOLE) || first + o < e.out); o += LANES)
			finish(has, &e, i, first + o, load(from + o) * unit);
	}
}

static int run1(const layer *l, const layer_call *c, scratch *s)
{
	int rows = c->n * c->h * c->w, widest = 0, integers = l->precision == KERNEL_INT16, bytes = integers ? 2 : 4;
	for (int p = 0, outs; p < l->panels;) {
		p = block_end(l, p, &outs);
		widest = outs > widest ? outs : widest;
	}
	memory m;
	if (lay(l, s, rows, rows, widest, &m))
		return -1;
	int as_is = !integers && l->in == l->ins; // the products can read the input itself
	const char *v = as_is ? (const char *)c->x : m.v;
	for (int i = 0; i < rows; i++) {
		char *to = m.v + (size_t)i * l->ins * bytes;
		const float *x = c->x + (size_t)i * l->in;
		m.units[i] = as_is && l->epsilon <= 0 ? 1 : integers ? take_point(1, l, x, to) : take_point(0, l, x, as_is ? NULL : to);
	}
	const char *u = l->weights->u;
	int first = 0;
	for (int p = 0, outs, end; p < l->panels; p = end, first += outs) {
		end = block_end(l, p, &outs);
		for (int q = p, o = first; q < end; q++) {
			int width = l->panel[q];
			multiply(l, width, v, (size_t)l->ins * bytes, u, m.m + (o - first), outs, rows, l->weights->unscale + o);
			u += (size_t)l->ins * width * LANES * bytes;
			o += width * LANES;
		}
		int what = has(l, c) | (first + outs <= l->out ? WHOLE : 0);
		if (l->activation == ACT_SWIGLU)
			for (int i = 0; i < rows; i++)
				gate(l, c, i, first, outs, m.m + (size_t)i * outs, m.units[i]);
		else if (what == (HAS_Y | WHOLE) && l->activation == ACT_NONE)
			end_rows(HAS_Y | WHOLE, l, c, rows, first, outs, &m);
		else if (what == (HAS_RESIDUAL | HAS_Y | WHOLE) && l->activation == ACT_NONE)
			end_rows(HAS_RESIDUAL | HAS_Y | WHOLE, l, c, rows, first, outs, &m);
		else
			end_rows(what & ~WHOLE, l, c, rows, first, outs, &m);
	}
	return 0;
}
