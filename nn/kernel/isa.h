// The kernels, for one set of instructions: a file *_amd64.c, neon_arm64.c or portable.c defines what is below
// and includes this one.
//
//   LANES       floats in a vector
//   ISA         the name of its isa_t
//   NR          vectors of outputs in the widest panel
//   ROWS        the most tiles at a time for panels of 1 to NR vectors: {0, ...}
//   INTEGERS    1 where the following are there:
//     vi, SPLAT2(p), DOT2(acc, w, v)   products of pairs of int16, summed in int32
//     TO_FLOAT(vi), STORE16(p, vf)     conversion; rounding to int16
//   PREFETCH(p)
//
// The mathematics stands in doc.go.

#include "layer.h"
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vmask __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

INLINE vf load(const float *p) { return *(const vf *)p; }
INLINE void store(float *p, vf v) { *(vf *)p = v; }
INLINE vf splat(float x) { return x - (vf){0}; }
INLINE vf pick(vmask m, vf a, vf b) { return (vf)((m & (vmask)a) | (~m & (vmask)b)); }
INLINE vf vmax(vf a, vf b) { return pick(a > b, a, b); }
INLINE vf vmin(vf a, vf b) { return pick(a < b, a, b); }

// Part of a vector: the first n lanes, 0 in the others.
INLINE vf load_part(const float *p, int n)
{
	vf v = {0};
	memcpy(&v, p, 4 * n);
	return v;
}
INLINE void store_part(float *p, vf v, int n) { memcpy(p, &v, 4 * n); }
INLINE vf load_upto(const float *p, int n) { return n >= LANES ? load(p) : load_part(p, n); }
INLINE void store_upto(float *p, vf v, int n)
{
	if (n >= LANES)
		store(p, v);
	else
		store_part(p, v, n);
}

// ---- Activations -----------------------------------------------------------

// exponential of x <= 0, to 2 units in the last place: 2^n times a polynomial.
INLINE vf exp_down(vf x)
{
	x = vmax(x, splat(-87));
	const vf magic = splat(12582912); // 1.5 * 2^23: adding it rounds to integers
	vf n = x * 1.44269504f + magic;
	vmask e = (vmask)n;
	n = n - magic;
	vf r = x - n * 0.693359375f;
	r = r + n * 2.12194440e-4f;
	vf p = splat(1.9875691500e-4f);
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	return (vf)((vmask)p + (e << 23));
}

// mish is x*tanh(ln(1+e^x)) = x*u/(u+2) with u = e^x*(e^x+2), written for e^-|x| so
// that nothing overflows.
INLINE vf mish(vf x)
{
	vmask down = x < 0;
	vf e = exp_down(pick(down, x, -x));
	vf u = pick(down, e * (e + 2), 1 + 2 * e);       // times e^-2x for x >= 0
	vf two = pick(down, splat(2), 2 * e * e);
	return x * u / (u + two);
}

INLINE vf silu(vf x)
{
	vmask down = x < 0;
	vf e = exp_down(pick(down, x, -x));
	return x * pick(down, e, splat(1)) / (1 + e);
}

INLINE vf activate(int activation, vf x)
{
	switch (activation) {
	case ACT_RELU:
		return pick(x < 0, splat(0), x); // what is no number stays none
	case ACT_MISH:
		return mish(x);
	case ACT_SILU:
		return silu(x);
	}
	return x;
}

// finish turns LANES outputs s of channel o at a point of board b into what the
// layer gives.
INLINE void finish(const layer *l, const layer_call *c, int b, size_t point, int o, vf s)
{
	size_t at = point * l->out + o;
	int n = l->out - o;
	if (c->bias)
		s += load_upto(c->bias + (c->bias_by_board ? (size_t)b * l->out : 0) + o, n);
	if (c->residual)
		s += load_upto(c->residual + at, n);
	if (c->sum)
		store_upto(c->sum + at, s, n);
	if (!c->y)
		return;
	if (l->scale)
		s *= load(l->scale + o);
	if (l->shift)
		s += load(l->shift + o);
	store_upto(c->y + at, activate(l->activation, s), n);
}

// ---- Products --------------------------------------------------------------

// A micro multiplies rows of inputs by a panel of weights: m[row][output].
typedef void micro(const void *v, size_t v_row, const void *u, int ins, float *m, size_t m_row,
	const float *unscale, const char *ahead);

INLINE void float_block(int rows, int width, const void *v, size_t v_row, const void *u, int ins,
	float *m, size_t m_row, const char *ahead)
{
	vf acc[16][4];
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			acc[i][j] = splat(0);
	const char *in = v;
	const float *w = u;
	for (int k = 0; k < ins; k++, in += 4, w += width * LANES) {
		vf column[4];
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			column[j] = load(w + j * LANES);
		PREFETCH(ahead + 64 * (size_t)k);
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++) {
			vf x = splat(*(const float *)(in + i * v_row));
#pragma GCC unroll 4
			for (int j = 0; j < width; j++)
				acc[i][j] += column[j] * x;
		}
	}
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			store(m + i * m_row + j * LANES, acc[i][j]);
}

#if INTEGERS
INLINE void int_block(int rows, int width, const void *v, size_t v_row, const void *u, int ins,
	float *m, size_t m_row, const float *unscale, const char *ahead)
{
	vi acc[16][4];
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			acc[i][j] = (vi){0};
	const char *in = v;
	const vi *w = u;
	for (int k = 0; k < ins; k += 2, in += 4, w += width) {
		vi column[4];
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			column[j] = w[j];
		PREFETCH(ahead + 32 * (size_t)k);
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++) {
			vi x = SPLAT2(in + i * v_row);
#pragma GCC unroll 4
			for (int j = 0; j < width; j++)
				acc[i][j] = DOT2(acc[i][j], column[j], x);
		}
	}
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			store(m + i * m_row + j * LANES, TO_FLOAT(acc[i][j]) * load(unscale + j * LANES));
}
#else
#define int_block(rows, width, v, v_row, u, ins, m, m_row, unscale, ahead) ((void)0)
#endif

#define MICRO(rows, width) \
	static void float_##rows##_##width(const void *v, size_t v_row, const void *u, int ins, float *m, size_t m_row, const float *unscale, const char *ahead) \
	{ float_block(rows, width, v, v_row, u, ins, m, m_row, ahead); (void)unscale; } \
	static void int_##rows##_##width(const void *v, size_t v_row, const void *u, int ins, float *m, size_t m_row, const float *unscale, const char *ahead) \
	{ int_block(rows, width, v, v_row, u, ins, m, m_row, unscale, ahead); }

#define ROWS1(x, w) x(1, w)
#define ROWS6(x, w) x(1, w) x(2, w) x(3, w) x(4, w) x(5, w) x(6, w)
#define ROWS9(x, w) ROWS6(x, w) x(7, w) x(8, w) x(9, w)
#define ROWS12(x, w) ROWS9(x, w) x(10, w) x(11, w) x(12, w)
#define NAME(rows, width) [rows] = int_##rows##_##width,
#define FNAME(rows, width) [rows] = float_##rows##_##width,

#if NR == 4
ROWS12(MICRO, 1) ROWS12(MICRO, 2) ROWS9(MICRO, 3) ROWS6(MICRO, 4)
static micro *const micros[2][5][13] = {
	{{0}, {ROWS12(FNAME, 1)}, {ROWS12(FNAME, 2)}, {ROWS9(FNAME, 3)}, {ROWS6(FNAME, 4)}},
	{{0}, {ROWS12(NAME, 1)}, {ROWS12(NAME, 2)}, {ROWS9(NAME, 3)}, {ROWS6(NAME, 4)}},
};
#else
ROWS6(MICRO, 1) ROWS6(MICRO, 2)
static micro *const micros[2][5][13] = {
	{{0}, {ROWS6(FNAME, 1)}, {ROWS6(FNAME, 2)}},
	{{0}, {ROWS6(NAME, 1)}, {ROWS6(NAME, 2)}},
};
#endif

// multiply computes rows first to last of m = v*u for one position and one panel.
static void multiply(const layer *l, int width, const char *v, size_t v_row, const char *u,
	float *m, size_t m_row, int count, const float *unscale)
{
	static const int most[5] = ROWS;
	int elements = l->precision == KERNEL_INT16 ? 2 : 4;
	size_t panel = (size_t)l->ins * width * LANES * elements;
	int blocks = (count + most[width] - 1) / most[width];
	const char *ahead = u + panel; // the next panel, fetched meanwhile
	for (int done = 0, i = 0; i < blocks; i++) {
		int rows = (count - done) / (blocks - i);
		micros[l->precision][width][rows](v + done * v_row, v_row, u, l->ins, m + done * m_row, m_row,
			unscale, ahead);
		ahead += (size_t)l->ins * 16 * elements;
		if (ahead >= u + 2 * panel)
			ahead = u;
		done += rows;
	}
}

// ---- Transforms along one axis ---------------------------------------------

#define A 0.70710678f
#define B 1.41421356f

// input4 gives the six values at the points of F(4,3). The rows of the matrix are
// scaled so that their absolute values sum to 1; output4 has the factors.
INLINE void input4(const vf d[6], vf t[6])
{
	vf e = (d[4] - 2 * d[2]) * (1 / 5.12132034f), o = (d[3] - 2 * d[1]) * (A / 5.12132034f);
	vf f = (d[4] - 0.5f * d[2]) * (1 / 3.62132034f), p = (d[3] - 0.5f * d[1]) * (B / 3.62132034f);
	t[0] = (d[0] + d[4] - 2.5f * d[2]) * (1 / 4.5f);
	t[1] = e + o;
	t[2] = e - o;
	t[3] = f + p;
	t[4] = f - p;
	t[5] = (d[1] + d[5] - 2.5f * d[3]) * (1 / 4.5f);
}

INLINE void output4(const vf m[6], vf y[4])
{
	const float ca = -5.12132034f / 1.5f, cb = 3.62132034f / 6;
	vf sa = (m[1] + m[2]) * ca, da = (m[1] - m[2]) * (ca * A);
	vf sb = (m[3] + m[4]) * cb, db = (m[3] - m[4]) * (cb * B);
	y[0] = 4.5f * m[0] + sa + sb;
	y[1] = da + db;
	y[2] = 0.5f * sa + 2 * sb;
	y[3] = 0.5f * da + 2 * db + 4.5f * m[5];
}

// input3 and output3 are those of F(3,3), which has no value at EXTRA.
INLINE void input3(const vf d[6], vf t[6])
{
	t[0] = (d[3] - 0.5f * d[1] - B * d[2] + A * d[0]) * (1 / (1.5f + B + A));
	t[1] = (d[3] - d[1] - (B - A) * d[2]) * (1 / (2 + B - A));
	t[2] = (d[3] + d[1] - (B + A) * d[2]) * (1 / (2 + B + A));
	t[3] = (d[3] - 0.5f * d[1]) * (1 / 1.5f);
	t[5] = (d[4] - 0.5f * d[2] - B * d[3] + A * d[1]) * (1 / (1.5f + B + A));
}

INLINE void output3(const vf m[6], vf y[4])
{
	const float c0 = (1.5f + B + A) / A, c1 = -(2 + B - A) / (B - A), c2 = -(2 + B + A) / (B + A);
	vf s = m[1] * c1 + m[2] * c2, d = m[1] * (c1 * A) - m[2] * (c2 * A), x = m[3] * (1 / B);
	y[0] = m[0] * c0 + s + x;
	y[1] = d + B * x;
	y[2] = 0.5f * s + 2 * x + (1.5f + B + A) * m[5];
}

INLINE void input_axis(int tile, const vf *d, vf *t)
{
	if (tile == 4)
		input4(d, t);
	else
		input3(d, t);
}

INLINE void output_axis(int tile, const vf *m, vf *y)
{
	if (tile == 4)
		output4(m, y);
	else
		output3(m, y);
}

#undef A
#undef B

// ---- Tiles -----------------------------------------------------------------

// The four kinds of tile in the order in which they stand. A position at EXTRA is
// missing in those of 3 points along its axis; in this order what is left is always
// a range.
static const struct { int ty, tx; } kinds[4] = {{4, 3}, {4, 4}, {3, 4}, {3, 3}};

// cut covers a side with fours and threes by the fewest products.
static void cut(int side, int *fours, int *threes)
{
	int best = 1 << 30;
	for (int f = 0; f <= (side + 3) / 4; f++) {
		int left = side - 4 * f, t = left > 0 ? (left + 2) / 3 : 0;
		if (6 * f + 5 * t < best) {
			best = 6 * f + 5 * t;
			*fours = f;
			*threes = t;
		}
	}
}

typedef struct {
	int fy, ty, fx, tx;  // fours and threes along each axis
	int boards;          // in the batch
	int first[5];        // the first tile of each kind, by board after board
} tiling;

static tiling tile(int h, int w, int boards)
{
	tiling t = {.boards = boards};
	cut(h, &t.fy, &t.ty);
	cut(w, &t.fx, &t.tx);
	for (int k = 0; k < 4; k++)
		t.first[k + 1] = t.first[k] + boards * (kinds[k].ty == 4 ? t.fy : t.ty) * (kinds[k].tx == 4 ? t.fx : t.tx);
	return t;
}

// range returns which tiles have a position.
static void range(const tiling *t, int position, int *from, int *to)
{
	int y = position / POINTS == EXTRA, x = position % POINTS == EXTRA;
	*from = t->first[x ? 1 : 0];
	*to = t->first[y ? 2 : x ? 3 : 4];
}

// A place is where a tile stands: its board and its first point.
typedef struct { int board, y, x; } place;

INLINE place place_of(const tiling *t, int kind, int i)
{
	int columns = kinds[kind].tx == 4 ? t->fx : t->tx, rows = kinds[kind].ty == 4 ? t->fy : t->ty;
	int b = i / (rows * columns), r = i % (rows * columns);
	int y = r / columns, x = r % columns;
	return (place){b, kinds[kind].ty == 4 ? 4 * y : 4 * t->fy + 3 * y, kinds[kind].tx == 4 ? 4 * x : 4 * t->fx + 3 * x};
}

// ---- Inputs ----------------------------------------------------------------

// spread returns the largest and the least of n values, no less and no more than 0;
// NaN for both where a value is none, or infinite.
static void spread(const float *x, size_t n, float *most, float *least)
{
	vf a[4] = {{0}}, b[4] = {{0}}, c[4] = {{0}};
	size_t i = 0;
	for (; i + 4 * LANES <= n; i += 4 * LANES)
		for (int j = 0; j < 4; j++) {
			vf v = load(x + i + j * LANES);
			a[j] = vmax(v, a[j]);
			b[j] = vmin(v, b[j]);
			c[j] += v - v;
		}
	float hi = 0, lo = 0, none = 0;
	for (int j = 0; j < 4; j++)
		for (int k = 0; k < LANES; k++) {
			hi = a[j][k] > hi ? a[j][k] : hi;
			lo = b[j][k] < lo ? b[j][k] : lo;
			none += c[j][k];
		}
	for (; i < n; i++) {
		hi = x[i] > hi ? x[i] : hi;
		lo = x[i] < lo ? x[i] : lo;
		none += x[i] - x[i];
	}
	*most = hi + none;
	*least = lo + none;
}

// keep stores LANES inputs as the products want them.
INLINE void keep(int integers, char *to, vf v, float scale)
{
#if INTEGERS
	if (integers) {
		STORE16(to, v * scale);
		return;
	}
#endif
	store((float *)to, v);
	(void)integers, (void)scale;
}

// transform fills in v the positions of one tile.
INLINE void transform(int ty, int tx, int integers, const layer *l, const float *board, int h, int w, place p,
	float scale, const float *zeros, char *v, size_t position)
{
	const float *at[6][6];
	int ny = ty + 2, nx = tx + 2, bytes = integers ? 2 : 4;
	for (int i = 0; i < ny; i++)
		for (int j = 0; j < nx; j++) {
			int y = p.y + i - 1, x = p.x + j - 1;
			at[i][j] = y < 0 || y >= h || x < 0 || x >= w ? zeros : board + ((size_t)y * w + x) * l->in;
		}
	for (int c = 0; c < l->ins; c += LANES) {
		vf t[6][6];
		int left = l->in - c;
#pragma GCC unroll 6
		for (int i = 0; i < ny; i++) {
			vf d[6];
#pragma GCC unroll 6
			for (int j = 0; j < nx; j++)
				d[j] = left <= 0 ? splat(0) : load_upto(at[i][j] + c, left);
			input_axis(tx, d, t[i]);
		}
#pragma GCC unroll 6
		for (int j = 0; j < POINTS; j++) {
			vf d[6], r[6];
			if (tx == 3 && j == EXTRA)
				continue;
#pragma GCC unroll 6
			for (int i = 0; i < ny; i++)
				d[i] = t[i][j];
			input_axis(ty, d, r);
#pragma GCC unroll 6
			for (int i = 0; i < POINTS; i++)
				if (ty == 4 || i != EXTRA)
					keep(integers, v + (i * POINTS + j) * position + (size_t)c * bytes, r[i], scale);
		}
	}
}

#define TRANSFORM(ty, tx) \
	static __attribute__((noinline)) void transform_##ty##tx(const layer *l, const float *board, int h, int w, place p, float scale, \
		const float *zeros, char *v, size_t position) \
	{ \
		if (l->precision == KERNEL_INT16) \
			transform(ty, tx, 1, l, board, h, w, p, scale, zeros, v, position); \
		else \
			transform(ty, tx, 0, l, board, h, w, p, scale, zeros, v, position); \
	}
TRANSFORM(4, 3) TRANSFORM(4, 4) TRANSFORM(3, 4) TRANSFORM(3, 3)

// ---- Outputs ---------------------------------------------------------------

// restore computes the points of one tile from its products m, [position][tile][outs
// of the block].
INLINE void restore(int ty, int tx, const layer *l, const layer_call *c, place p, float unit, const float *m,
	size_t position, int first, int outs)
{
	for (int o = 0; o < outs; o += LANES) {
		vf t[4][6], y[4][4];
		if (first + o >= l->out)
			return;
#pragma GCC unroll 6
		for (int j = 0; j < POINTS; j++) {
			vf d[6], r[4];
			if (tx == 3 && j == EXTRA)
				continue;
#pragma GCC unroll 6
			for (int i = 0; i < POINTS; i++)
				if (ty == 4 || i != EXTRA)
					d[i] = load(m + (i * POINTS + j) * position + o);
			output_axis(ty, d, r);
#pragma GCC unroll 4
			for (int i = 0; i < ty; i++)
				t[i][j] = r[i];
		}
#pragma GCC unroll 4
		for (int i = 0; i < ty; i++)
			output_axis(tx, t[i], y[i]);
		for (int i = 0; i < ty && p.y + i < c->h; i++)
			for (int j = 0; j < tx && p.x + j < c->w; j++)
				finish(l, c, p.board, ((size_t)p.board * c->h + p.y + i) * c->w + p.x + j, first + o, y[i][j] * unit);
	}
}

#define RESTORE(ty, tx) \
	static __attribute__((noinline)) void restore_##ty##tx(const layer *l, const layer_call *c, place p, float unit, const float *m, \
		size_t position, int first, int outs) \
	{ restore(ty, tx, l, c, p, unit, m, position, first, outs); }
RESTORE(4, 3) RESTORE(4, 4) RESTORE(3, 4) RESTORE(3, 3)

// ---- Layers ----------------------------------------------------------------

// WORST is the most that the positive entries of a row of the two-dimensional input
// transform sum to, or its negative ones, where all absolute values sum to 1: 5/9,
// for the points a or b along both axes. So inputs from lo to hi give no more than
// WORST times the larger of hi and -lo, and the rest times the other.
#define WORST 0.5557f

// scales returns what a board's inputs are multiplied by to become integers, and
// what such an integer is worth.
static float scales(const layer *l, const float *x, size_t n, float *unit)
{
	float hi, lo;
	*unit = 1;
	if (l->precision != KERNEL_INT16)
		return 1;
	spread(x, n, &hi, &lo);
	float bound = hi > -lo ? hi : -lo, other = hi > -lo ? -lo : hi;
	if (l->positions > 1)
		bound = WORST * bound + (1 - WORST) * other;
	if (bound == 0)
		return 1;
	*unit = bound / l->limit;
	return l->limit / bound;
}

typedef struct {
	char *v;
	float *m, *units, *zeros;
	size_t v_position, m_position; // bytes and floats from one position to the next
} memory;

// lay gives each buffer its place in the scratch.
static int lay(const layer *l, scratch *s, int tiles, int boards, int outs, memory *m)
{
	int bytes = l->precision == KERNEL_INT16 ? 2 : 4;
	size_t v = ((size_t)l->positions * tiles * l->ins * bytes + 63) & ~(size_t)63;
	size_t products = ((size_t)l->positions * tiles * outs * 4 + 63) & ~(size_t)63;
	size_t small = ((size_t)(boards + l->ins) * 4 + 127) & ~(size_t)63;
	char *all = scratch_take(s, v + products + small);
	if (!all)
		return -1;
	*m = (memory){.v = all, .m = (float *)(all + v), .zeros = (float *)(all + v + products)};
	m->units = m->zeros + l->ins;
	m->v_position = (size_t)tiles * l->ins * bytes;
	memset(m->zeros, 0, 4 * l->ins);
	return 0;
}

// run3 is a 3x3 convolution of boards that are worked on together.
static int run3(const layer *l, const layer_call *c, scratch *s)
{
	static void (*const into[4])(const layer *, const float *, int, int, place, float, const float *, char *, size_t) = {
		transform_43, transform_44, transform_34, transform_33};
	static void (*const out[4])(const layer *, const layer_call *, place, float, const float *, size_t, int, int) = {
		restore_43, restore_44, restore_34, restore_33};
	tiling t = tile(c->h, c->w, c->n);
	int tiles = t.first[4], widest = 0, bytes = l->precision == KERNEL_INT16 ? 2 : 4;
	for (int p = 0, outs; p < l->panels;) {
		p = block_end(l, p, &outs);
		widest = outs > widest ? outs : widest;
	}
	memory m;
	if (lay(l, s, tiles, c->n, widest, &m))
		return -1;
	size_t board = (size_t)c->h * c->w * l->in;
	for (int b = 0; b < c->n; b++) {
		float scale = scales(l, c->x + b * board, board, &m.units[b]);
		for (int k = 0; k < 4; k++) {
			int per = (t.first[k + 1] - t.first[k]) / c->n;
			for (int i = b * per; i < (b + 1) * per; i++)
				into[k](l, c->x + b * board, c->h, c->w, place_of(&t, k, i), scale, m.zeros,
					m.v + (size_t)(t.first[k] + i) * l->ins * bytes, m.v_position);
		}
	}
	const char *u = l->weights->u;
	int first = 0;
	for (int p = 0, outs, end; p < l->panels; p = end, first += outs) {
		end = block_end(l, p, &outs);
		size_t m_position = (size_t)tiles * outs;
		for (int at = 0; at < POSITIONS; at++) {
			int from, to, o = first;
			range(&t, at, &from, &to);
			for (int q = p; q < end; q++) {
				int width = l->panel[q];
				if (from < to)
					multiply(l, width, m.v + at * m.v_position + (size_t)from * l->ins * bytes, (size_t)l->ins * bytes, u,
						m.m + at * m_position + (size_t)from * outs + (o - first), outs, to - from,
						l->weights->unscale + (size_t)at * l->outs + o);
				u += (size_t)l->ins * width * LANES * bytes;
				o += width * LANES;
			}
		}
		for (int k = 0; k < 4; k++)
			for (int i = 0; i < t.first[k + 1] - t.first[k]; i++) {
				place where = place_of(&t, k, i);
				out[k](l, c, where, m.units[where.board], m.m + (size_t)(t.first[k] + i) * outs, m_position, first, outs);
			}
	}
	return 0;
}

// run1 is a 1x1 convolution: a product of all points by a matrix.
static int run1(const layer *l, const layer_call *c, scratch *s)
{
	int area = c->h * c->w, rows = c->n * area, widest = 0, bytes = l->precision == KERNEL_INT16 ? 2 : 4;
	for (int p = 0, outs; p < l->panels;) {
		p = block_end(l, p, &outs);
		widest = outs > widest ? outs : widest;
	}
	memory m;
	if (lay(l, s, rows, c->n, widest, &m))
		return -1;
	for (int b = 0; b < c->n; b++) {
		float scale = scales(l, c->x + (size_t)b * area * l->in, (size_t)area * l->in, &m.units[b]);
		for (int i = b * area; i < (b + 1) * area; i++)
			for (int k = 0; k < l->ins; k += LANES) {
				int left = l->in - k;
				vf x = left <= 0 ? splat(0) : load_upto(c->x + (size_t)i * l->in + k, left);
				char *to = m.v + ((size_t)i * l->ins + k) * bytes;
				if (bytes == 2)
					keep(1, to, x, scale);
				else
					keep(0, to, x, scale);
			}
	}
	const char *u = l->weights->u;
	int first = 0;
	for (int p = 0, outs, end; p < l->panels; p = end, first += outs) {
		end = block_end(l, p, &outs);
		for (int q = p, o = first; q < end; q++) {
			int width = l->panel[q];
			multiply(l, width, m.v, (size_t)l->ins * bytes, u, m.m + (o - first), outs, rows, l->weights->unscale + o);
			u += (size_t)l->ins * width * LANES * bytes;
			o += width * LANES;
		}
		for (int i = 0; i < rows; i++) {
			int b = i / area;
			for (int o = 0; o < outs && first + o < l->out; o += LANES)
				finish(l, c, b, i, first + o, load(m.m + (size_t)i * outs + o) * m.units[b]);
		}
	}
	return 0;
}

// ---- Planes ----------------------------------------------------------------

// spot is a value of a plane that is not 0.
typedef struct { int plane; float value; } spot;

// constant says whether all n values are equal.
static int constant(const float *x, int n)
{
	for (int i = 1; i < n; i++)
		if (x[i] != x[0])
			return 0;
	return 1;
}

// sum_of returns what a plane of ones adds to each point, made on first use.
static const float *sum_of(const layer *l, int plane, int h, int w)
{
	for (plane_sum *s = l->sums; s; s = s->next)
		if (s->plane == plane && s->h == h && s->w == w)
			return s->sum;
	plane_sum *s = malloc(sizeof *s + (size_t)h * w * l->outs * 4);
	if (!s)
		return NULL;
	*s = (plane_sum){.next = l->sums, .plane = plane, .h = h, .w = w};
	int r = l->size / 2;
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			float *to = s->sum + ((size_t)y * w + x) * l->outs;
			memset(to, 0, 4 * l->outs);
			for (int ky = 0; ky < l->size; ky++)
				for (int kx = 0; kx < l->size; kx++) {
					int in = y + ky - r >= 0 && y + ky - r < h && x + kx - r >= 0 && x + kx - r < w;
					const float *u = (const float *)l->weights->u + ((size_t)(ky * l->size + kx) * l->in + plane) * l->outs;
					for (int o = 0; in && o < l->outs; o++)
						to[o] += u[o];
				}
		}
	((layer *)l)->sums = s;
	return s->sum;
}

enum { WIDE = 8 }; // vectors of outputs at a time

// add_spots computes width vectors of outputs of one point, from spots[first[q]] on of
// each point q around it.
INLINE void add_spots(int width, const layer *l, const layer_call *c, int b, int y, int x, int o, const float *base,
	const spot *spots, const int *first)
{
	vf acc[WIDE];
	int r = l->size / 2;
#pragma GCC unroll 8
	for (int j = 0; j < width; j++)
		acc[j] = load(base + ((size_t)y * c->w + x) * l->outs + o + j * LANES);
	for (int ky = 0; ky < l->size; ky++) {
		if (y + ky - r < 0 || y + ky - r >= c->h)
			continue;
		for (int kx = 0; kx < l->size; kx++) {
			if (x + kx - r < 0 || x + kx - r >= c->w)
				continue;
			int q = (y + ky - r) * c->w + x + kx - r;
			const float *u = (const float *)l->weights->u + (size_t)(ky * l->size + kx) * l->in * l->outs + o;
			for (int i = first[q]; i < first[q + 1]; i++) {
				const float *w = u + (size_t)spots[i].plane * l->outs;
				vf value = splat(spots[i].value);
#pragma GCC unroll 8
				for (int j = 0; j < width; j++)
					acc[j] += load(w + j * LANES) * value;
			}
		}
	}
#pragma GCC unroll 8
	for (int j = 0; j < width; j++)
		if (o + j * LANES < l->out)
			finish(l, c, b, ((size_t)b * c->h + y) * c->w + x, o + j * LANES, acc[j]);
}

// run_planes is a convolution of planes: planes of one value are added as a whole,
// and of the others only what is not 0.
static int run_planes(const layer *l, const layer_call *c, scratch *s)
{
	int area = c->h * c->w;
	size_t base_bytes = (size_t)area * l->outs * 4, spot_bytes = (size_t)l->in * area * sizeof(spot);
	char *all = scratch_take(s, base_bytes + spot_bytes + (area + 1) * sizeof(int));
	if (!all)
		return -1;
	float *base = (float *)all;
	spot *spots = (spot *)(all + base_bytes);
	int *first = (int *)(all + base_bytes + spot_bytes);
	for (int b = 0; b < c->n; b++) {
		const float *in = c->x + (size_t)b * l->in * area;
		int sparse[512], kept = 0;
		memset(base, 0, base_bytes);
		for (int p = 0; p < l->in; p++) {
			const float *plane = in + (size_t)p * area;
			if (!constant(plane, area)) {
				sparse[kept++] = p;
				continue;
			}
			if (plane[0] == 0)
				continue;
			const float *sum = sum_of(l, p, c->h, c->w);
			if (!sum)
				return -1;
			for (size_t i = 0; i < (size_t)area * l->outs; i += LANES)
				store(base + i, load(base + i) + load(sum + i) * plane[0]);
		}
		int count = 0;
		for (int q = 0; q < area; q++) {
			first[q] = count;
			for (int k = 0; k < kept; k++) {
				float value = in[(size_t)sparse[k] * area + q];
				spots[count] = (spot){sparse[k], value};
				count += value != 0;
			}
		}
		first[area] = count;
		for (int y = 0; y < c->h; y++)
			for (int x = 0; x < c->w; x++) {
				int o = 0;
				for (; o + WIDE * LANES <= l->outs; o += WIDE * LANES)
					add_spots(WIDE, l, c, b, y, x, o, base, spots, first);
				for (; o + 2 * LANES <= l->outs; o += 2 * LANES)
					add_spots(2, l, c, b, y, x, o, base, spots, first);
				for (; o < l->outs; o += LANES)
					add_spots(1, l, c, b, y, x, o, base, spots, first);
			}
	}
	return 0;
}

static int run(const layer *l, const layer_call *c, scratch *s)
{
	if (l->planes)
		return run_planes(l, c, s);
	return l->size == 1 ? run1(l, c, s) : run3(l, c, s);
}

const isa_t ISA = {.lanes = LANES, .widest = NR, .rows = ROWS, .integers = INTEGERS, .run = run};
