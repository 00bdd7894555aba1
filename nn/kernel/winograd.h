// The transforms of F(4,3) and F(3,3), tiles, and 3x3 convolutions. Included by isa.h.

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
	int y = position / AXIS == EXTRA, x = position % AXIS == EXTRA;
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
		for (int j = 0; j < AXIS; j++) {
			vf d[6], r[6];
			if (tx == 3 && j == EXTRA)
				continue;
#pragma GCC unroll 6
			for (int i = 0; i < ny; i++)
				d[i] = t[i][j];
			input_axis(ty, d, r);
#pragma GCC unroll 6
			for (int i = 0; i < AXIS; i++)
				if (ty == 4 || i != EXTRA)
					keep(integers, v + (i * AXIS + j) * position + (size_t)c * bytes, r[i], scale);
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
INLINE void restore(int ty, int tx, int has, const layer *l, const layer_call *c, place p, float unit, const float *m,
	size_t position, int first, int outs)
{
	size_t at = ((size_t)p.board * c->h + p.y) * c->w + p.x;
	for (int o = 0; o < outs; o += LANES) {
		vf t[4][6], y[4][4];
		if (!(has & WHOLE) && first + o >= l->out)
			return;
#pragma GCC unroll 6
		for (int j = 0; j < AXIS; j++) {
			vf d[6], r[4];
			if (tx == 3 && j == EXTRA)
				continue;
#pragma GCC unroll 6
			for (int i = 0; i < AXIS; i++)
				if (ty == 4 || i != EXTRA)
					d[i] = load(m + (i * AXIS + j) * position + o);
			output_axis(ty, d, r);
#pragma GCC unroll 4
			for (int i = 0; i < ty; i++)
				t[i][j] = r[i];
		}
#pragma GCC unroll 4
		for (int i = 0; i < ty; i++) {
			output_axis(tx, t[i], y[i]);
			if (has & WHOLE)
#pragma GCC unroll 4
				for (int j = 0; j < tx; j++)
					finish(has, l, c, p.board, at + (size_t)i * c->w + j, first + o, y[i][j] * unit);
		}
		if (has & WHOLE)
			continue;
		for (int i = 0; i < ty && p.y + i < c->h; i++)
			for (int j = 0; j < tx && p.x + j < c->w; j++)
				finish(has, l, c, p.board, at + (size_t)i * c->w + j, first + o, y[i][j] * unit);
	}
}

// The layers that most networks are made of are compiled by themselves.
enum {
	INNER_LAYER = HAS_BIAS | HAS_Y | HAS_RELU | WHOLE,
	OUTER_LAYER = HAS_RESIDUAL | HAS_SUM | HAS_SCALE | HAS_SHIFT | HAS_Y | HAS_RELU | WHOLE,
};

#define RESTORE(ty, tx) \
	static __attribute__((noinline)) void restore_##ty##tx(int has, const layer *l, const layer_call *c, place p, float unit, \
		const float *m, size_t position, int first, int outs) \
	{ \
		int whole = p.y + ty <= c->h && p.x + tx <= c->w && first + outs <= l->out ? WHOLE : 0; \
		if ((has | whole) == INNER_LAYER) \
			restore(ty, tx, INNER_LAYER, l, c, p, unit, m, position, first, outs); \
		else if ((has | whole) == OUTER_LAYER) \
			restore(ty, tx, OUTER_LAYER, l, c, p, unit, m, position, first, outs); \
		else \
			restore(ty, tx, has & ~WHOLE, l, c, p, unit, m, position, first, outs); \
	}
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
	static void (*const out[4])(int, const layer *, const layer_call *, place, float, const float *, size_t, int, int) = {
		restore_43, restore_44, restore_34, restore_33};
	tiling t = tile(c->h, c->w, c->n);
	int what = has(l, c);
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
				out[k](what, l, c, where, m.units[where.board], m.m + (size_t)(t.first[k] + i) * outs, m_position, first, outs);
			}
	}
	return 0;
}
