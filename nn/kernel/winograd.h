// The transforms of F(4,3) and F(3,3), tiles, and 3x3 convolutions. Included by isa.h.

// ---- Transforms along one axis ---------------------------------------------

#define A 0.70710678f
#define B 1.41421356f

// input4 gives the six values at the points of F(4,3), and input3 those of F(3,3), which has none
// at EXTRA. Each must still be multiplied by its share.
INLINE void input4(const vf d[6], vf t[6])
{
	vf e = d[4] - 2 * d[2], o = d[3] - 2 * d[1], f = d[4] - 0.5f * d[2], p = d[3] - 0.5f * d[1];
	t[0] = (d[0] + d[4]) - 2.5f * d[2];
	t[1] = e + A * o;
	t[2] = e - A * o;
	t[3] = f + B * p;
	t[4] = f - B * p;
	t[5] = (d[1] + d[5]) - 2.5f * d[3];
}

INLINE void input3(const vf d[6], vf t[6])
{
	vf e = d[3] - B * d[2], o = d[1] - A * d[2];
	t[3] = d[3] - 0.5f * d[1];
	t[0] = (t[3] - B * d[2]) + A * d[0];
	t[1] = e - o;
	t[2] = e + o;
	t[5] = (d[4] - 0.5f * d[2]) - B * t[3];
}

// shares makes the absolute values of each row of the two-dimensional transform of a
// kind of tile sum to scale.
static void shares(int ty, int tx, float scale, float share[POSITIONS])
{
	static const float all[2][AXIS] = {
		{1 / (1.5f + B + A), 1 / (2 + B - A), 1 / (2 + B + A), 1 / 1.5f, 0, 1 / (1.5f + B + A)},
		{1 / 4.5f, 1 / 5.12132034f, 1 / 5.12132034f, 1 / 3.62132034f, 1 / 3.62132034f, 1 / 4.5f},
	};
	for (int i = 0; i < AXIS; i++)
		for (int j = 0; j < AXIS; j++)
			share[i * AXIS + j] = all[ty == 4][i] * all[tx == 4][j] * scale;
}

// output4 and output3 are the transforms back, with what the shares took.
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

// The four kinds of tile in the order of their tiles in memory. A position at EXTRA is
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

// A place is where a tile is: its board and its first point.
typedef struct { int board, y, x; } place;

// place_all writes the places of all tiles.
static void place_all(const tiling *t, place *to)
{
	for (int k = 0; k < 4; k++) {
		int ty = kinds[k].ty, tx = kinds[k].tx;
		int rows = ty == 4 ? t->fy : t->ty, columns = tx == 4 ? t->fx : t->tx;
		for (int b = 0; b < t->boards; b++)
			for (int y = 0; y < rows; y++)
				for (int x = 0; x < columns; x++)
					*to++ = (place){b, ty == 4 ? 4 * y : 4 * t->fy + 3 * y, tx == 4 ? 4 * x : 4 * t->fx + 3 * x};
	}
}

// ---- Inputs ----------------------------------------------------------------

// spread returns the largest of n values and 0, and the least of them and 0; NaN for both if a
// value is NaN or infinite.
static void spread(const float *x, size_t n, float *most, float *least)
{
	vf a[4] = {{0}}, b[4] = {{0}}, c[4] = {{0}};
	size_t i = 0;
	for (; i + 4 * LANES <= n; i += 4 * LANES)
		for (int j = 0; j < 4; j++) {
			vf v = load(x + i + j * LANES);
			a[j] = vmax(v, a[j]);
			b[j] = vmin(v, b[j]);
			c[j] += v * 0;
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
#ifdef INT16
	if (integers) {
		STORE16(to, v * scale);
		return;
	}
#endif
	store((float *)to, v * scale);
	(void)integers;
}

// transform_vector fills in v the positions of LANES channels of one tile, of which
// some are there.
INLINE void transform_vector(int ty, int tx, int integers, const float *const at[6][6], int c, int some, const float *share,
	char *v, size_t position)
{
	vf t[6][6];
#pragma GCC unroll 6
	for (int i = 0; i < ty + 2; i++) {
		vf d[6];
#pragma GCC unroll 6
		for (int j = 0; j < tx + 2; j++)
			d[j] = some == LANES ? load(at[i][j] + c) : some <= 0 ? splat(0) : load_part(at[i][j] + c, some);
		input_axis(tx, d, t[i]);
	}
#pragma GCC unroll 6
	for (int j = 0; j < AXIS; j++) {
		vf d[6], r[6];
		if (tx == 3 && j == EXTRA)
			continue;
#pragma GCC unroll 6
		for (int i = 0; i < ty + 2; i++)
			d[i] = t[i][j];
		input_axis(ty, d, r);
#pragma GCC unroll 6
		for (int i = 0; i < AXIS; i++)
			if (ty == 4 || i != EXTRA)
				keep(integers, v + (i * AXIS + j) * position, r[i], share[i * AXIS + j]);
	}
}

// transform fills in v the positions of one tile.
INLINE void transform(int ty, int tx, int integers, const layer *l, const float *board, int h, int w, place p,
	const float *share, const float *zeros, char *v, size_t position)
{
	const float *at[6][6];
	int bytes = integers ? 2 : 4, c = 0;
	for (int i = 0; i < ty + 2; i++)
		for (int j = 0; j < tx + 2; j++) {
			int y = p.y + i - 1, x = p.x + j - 1;
			at[i][j] = y < 0 || y >= h || x < 0 || x >= w ? zeros : board + ((size_t)y * w + x) * l->in;
		}
	for (; c + LANES <= l->in; c += LANES)
		transform_vector(ty, tx, integers, at, c, LANES, share, v + (size_t)c * bytes, position);
	for (; c < l->ins; c += LANES)
		transform_vector(ty, tx, integers, at, c, l->in - c, share, v + (size_t)c * bytes, position);
}

#define TRANSFORM(ty, tx) \
	static __attribute__((noinline)) void transform_##ty##tx(const layer *l, const float *board, int h, int w, place p, \
		const float *share, const float *zeros, char *v, size_t position) \
	{ \
		if (IN_INTEGERS(l)) \
			transform(ty, tx, 1, l, board, h, w, p, share, zeros, v, position); \
		else \
			transform(ty, tx, 0, l, board, h, w, p, share, zeros, v, position); \
	}
TRANSFORM(4, 3) TRANSFORM(4, 4) TRANSFORM(3, 4) TRANSFORM(3, 3)

typedef void into(const layer *, const float *board, int h, int w, place, const float *share, const float *zeros, char *v, size_t position);
static into *const transforms[4] = {transform_43, transform_44, transform_34, transform_33};

// ---- Outputs ---------------------------------------------------------------

// restore computes the points of one tile from its products m, [position][outs of the
// block].
INLINE void restore(int ty, int tx, int has, const layer *l, const layer_call *c, place p, float unit, const float *m, int first, int outs)
{
	const ending e = ending_of(l, c, p.board);
	const int h = c->h, w = c->w;
	const size_t at = ((size_t)p.board * h + p.y) * w + p.x;
	for (int o = 0; o < outs; o += LANES) {
		vf t[4][6], y[4][4];
		if (!(has & WHOLE) && first + o >= e.out)
			return;
#pragma GCC unroll 6
		for (int j = 0; j < AXIS; j++) {
			vf d[6], r[4];
			if (tx == 3 && j == EXTRA)
				continue;
#pragma GCC unroll 6
			for (int i = 0; i < AXIS; i++)
				if (ty == 4 || i != EXTRA)
					d[i] = load(m + (i * AXIS + j) * outs + o);
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
					finish(has, &e, at + (size_t)i * w + j, first + o, y[i][j] * unit);
		}
		if (has & WHOLE)
			continue;
		for (int i = 0; i < ty && p.y + i < h; i++)
			for (int j = 0; j < tx && p.x + j < w; j++)
				finish(has, &e, at + (size_t)i * w + j, first + o, y[i][j] * unit);
	}
}

// The layers that most networks are made of are compiled separately.
enum {
	INNER_LAYER = HAS_BIAS | HAS_Y | HAS_RELU | WHOLE,
	OUTER_LAYER = HAS_RESIDUAL | HAS_SUM | HAS_SCALE | HAS_SHIFT | HAS_Y | HAS_RELU | WHOLE,
};

#define RESTORE(ty, tx) \
	static __attribute__((noinline)) void restore_##ty##tx(int has, const layer *l, const layer_call *c, place p, float unit, \
		const float *m, int first, int outs) \
	{ \
		int whole = p.y + ty <= c->h && p.x + tx <= c->w && first + outs <= l->out ? WHOLE : 0; \
		if ((has | whole) == INNER_LAYER) \
			restore(ty, tx, INNER_LAYER, l, c, p, unit, m, first, outs); \
		else if ((has | whole) == OUTER_LAYER) \
			restore(ty, tx, OUTER_LAYER, l, c, p, unit, m, first, outs); \
		else \
			restore(ty, tx, has & ~WHOLE, l, c, p, unit, m, first, outs); \
	}
RESTORE(4, 3) RESTORE(4, 4) RESTORE(3, 4) RESTORE(3, 3)

typedef void back(int has, const layer *, const layer_call *, place, float unit, const float *m, int first, int outs);
static back *const restores[4] = {restore_43, restore_44, restore_34, restore_33};

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
	if (!IN_INTEGERS(l))
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
	place *places;
} memory;

// lay gives each buffer its place in the scratch.
static int lay(const layer *l, scratch *s, int tiles, int boards, int outs, memory *m)
{
	int bytes = IN_INTEGERS(l) ? 2 : 4;
	size_t v = ((size_t)l->positions * tiles * l->ins * bytes + 63) & ~(size_t)63;
	size_t products = ((size_t)l->positions * tiles * outs * 4 + 63) & ~(size_t)63;
	size_t small = ((size_t)(boards + l->ins) * 4 + 127) & ~(size_t)63;
	char *all = scratch_take(s, v + products + small + tiles * sizeof(place));
	if (!all)
		return -1;
	*m = (memory){.v = all, .m = (float *)(all + v), .zeros = (float *)(all + v + products), .places = (place *)(all + v + products + small)};
	m->units = m->zeros + l->ins;
	memset(m->zeros, 0, 4 * l->ins);
	return 0;
}

// take transforms the inputs of board b.
static void take(const layer *l, const layer_call *c, const tiling *t, int b, const memory *m)
{
	int bytes = IN_INTEGERS(l) ? 2 : 4;
	size_t row = (size_t)l->ins * bytes, board = (size_t)c->h * c->w * l->in;
	const float *x = c->x + b * board;
	float scale = scales(l, x, board, &m->units[b]), share[POSITIONS];
	for (int k = 0; k < 4; k++) {
		int per = (t->first[k + 1] - t->first[k]) / c->n, from = t->first[k] + b * per;
		shares(kinds[k].ty, kinds[k].tx, scale, share);
		for (int i = from; i < from + per; i++)
			transforms[k](l, x, c->h, c->w, m->places[i], share, m->zeros, m->v + i * row, t->first[4] * row);
	}
}

// run3 is a 3x3 convolution of boards that are worked on together. Inputs are in v,
// [position][tile][ins], products in m, [tile][position][outs of the block].
static int run3(const layer *l, const layer_call *c, scratch *s)
{
	tiling t = tile(c->h, c->w, c->n);
	int what = has(l, c);
	int tiles = t.first[4], widest = 0, bytes = IN_INTEGERS(l) ? 2 : 4;
	for (int p = 0, outs; p < l->panels;) {
		p = block_end(l, p, &outs);
		widest = outs > widest ? outs : widest;
	}
	memory m;
	if (lay(l, s, tiles, c->n, widest, &m))
		return -1;
	place_all(&t, m.places);
	for (int b = 0; b < c->n; b++)
		take(l, c, &t, b, &m);
	size_t row = (size_t)l->ins * bytes;
	const char *u = l->weights->u;
	int first = 0;
	for (int p = 0, outs, end; p < l->panels; p = end, first += outs) {
		end = block_end(l, p, &outs);
		size_t m_row = (size_t)POSITIONS * outs;
		for (int at = 0; at < POSITIONS; at++) {
			int from, to, o = first;
			range(&t, at, &from, &to);
			for (int q = p; q < end; q++) {
				int width = l->panel[q];
				if (from < to)
					multiply(pass_of(l, width, m.v + ((size_t)at * tiles + from) * row, row, u, to - from, l->weights->unscale + (size_t)at * l->outs + o),
						m.m + from * m_row + at * outs + (o - first), m_row);
				u += row * width * LANES;
				o += width * LANES;
			}
		}
		for (int k = 0; k < 4; k++)
			for (int i = t.first[k]; i < t.first[k + 1]; i++)
				restores[k](what, l, c, m.places[i], m.units[m.places[i].board], m.m + i * m_row, first, outs);
	}
	return 0;
}
