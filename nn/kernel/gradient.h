// Training: 3x3 convolutions whose weights change at each step, and the gradient of
// weights, in float32. Included by isa.h.
//
// With y = Aᵀ[(G g) ⊙ (Bᵀ d)], the gradient of g is Gᵀ[(A dy) ⊙ (Bᵀ d)], summed over
// all tiles: for each position a product of dy's and d's values by tiles.

// pack_now transforms and packs weights [out][in][3][3] as pack does, in float32.
static void pack_now(const layer *l, const float *weights, float *u)
{
	const float a = 0.70710678f, b = 1.41421356f;
	int first = 0;
	for (int p = 0, outs, end; p < l->panels; p = end, u += (size_t)POSITIONS * l->ins * outs, first += outs) {
		end = block_end(l, p, &outs);
		float *panel = u;
		for (int q = p, o = first; q < end; panel += (size_t)l->ins * l->panel[q] * LANES, q++)
			for (int j = 0; j < l->panel[q]; j++, o += LANES)
				for (int k = 0; k < l->ins; k++) {
					float lanes[9][LANES] = {{0}};
					int n = k < l->in ? l->out - o < LANES ? l->out - o : LANES : 0;
					for (int i = 0; i < n; i++)
						for (int t = 0; t < 9; t++)
							lanes[t][i] = weights[((size_t)(o + i) * l->in + k) * 9 + t];
					vf rows[AXIS][3];
#pragma GCC unroll 3
					for (int x = 0; x < 3; x++) {
						vf g = load(lanes[x]), h = load(lanes[3 + x]), i = load(lanes[6 + x]);
						rows[0][x] = g;
						rows[1][x] = g + a * h + 0.5f * i;
						rows[2][x] = g - a * h + 0.5f * i;
						rows[3][x] = g + b * h + 2 * i;
						rows[4][x] = g - b * h + 2 * i;
						rows[5][x] = i;
					}
#pragma GCC unroll 6
					for (int y = 0; y < AXIS; y++) {
						vf g = rows[y][0], h = rows[y][1], i = rows[y][2];
						vf all[AXIS] = {g, g + a * h + 0.5f * i, g - a * h + 0.5f * i, g + b * h + 2 * i, g - b * h + 2 * i, i};
#pragma GCC unroll 6
						for (int x = 0; x < AXIS; x++)
							store(panel + (size_t)(y * AXIS + x) * l->ins * outs + ((size_t)k * l->panel[q] + j) * LANES, all[x]);
					}
				}
	}
}

// adjoint4 and adjoint3 are the transposes of output4 and output3.
INLINE void adjoint4(const vf y[4], vf m[6])
{
	const float a = 0.70710678f, b = 1.41421356f, ca = -5.12132034f / 1.5f, cb = 3.62132034f / 6;
	vf e = (y[0] + 0.5f * y[2]) * ca, o = (y[1] + 0.5f * y[3]) * (ca * a);
	vf f = (y[0] + 2 * y[2]) * cb, p = (y[1] + 2 * y[3]) * (cb * b);
	m[0] = 4.5f * y[0];
	m[1] = e + o;
	m[2] = e - o;
	m[3] = f + p;
	m[4] = f - p;
	m[5] = 4.5f * y[3];
}

INLINE void adjoint3(const vf y[4], vf m[6])
{
	const float a = 0.70710678f, b = 1.41421356f;
	const float c0 = (1.5f + b + a) / a, c1 = -(2 + b - a) / (b - a), c2 = -(2 + b + a) / (b + a);
	vf e = y[0] + 0.5f * y[2];
	m[0] = c0 * y[0];
	m[1] = e * c1 + y[1] * (c1 * a);
	m[2] = e * c2 - y[1] * (c2 * a);
	m[3] = (y[0] + b * y[1] + 2 * y[2]) * (1 / b);
	m[5] = (1.5f + b + a) * y[2];
}

INLINE void adjoint_axis(int tile, const vf *y, vf *m)
{
	if (tile == 4)
		adjoint4(y, m);
	else
		adjoint3(y, m);
}

// adjoin fills in m the positions of one tile of dy, [h][w][channels].
INLINE void adjoin(int ty, int tx, int channels, const float *dy, int h, int w, place p, float *m, size_t position)
{
	for (int c = 0; c < channels; c += LANES) {
		vf t[4][6];
#pragma GCC unroll 4
		for (int i = 0; i < ty; i++) {
			vf y[4];
#pragma GCC unroll 4
			for (int j = 0; j < tx; j++)
				y[j] = p.y + i < h && p.x + j < w ? load(dy + ((size_t)(p.y + i) * w + p.x + j) * channels + c) : splat(0);
			adjoint_axis(tx, y, t[i]);
		}
#pragma GCC unroll 6
		for (int j = 0; j < AXIS; j++) {
			vf y[4], r[6];
			if (tx == 3 && j == EXTRA)
				continue;
#pragma GCC unroll 4
			for (int i = 0; i < ty; i++)
				y[i] = t[i][j];
			adjoint_axis(ty, y, r);
#pragma GCC unroll 6
			for (int i = 0; i < AXIS; i++)
				if (ty == 4 || i != EXTRA)
					store(m + (i * AXIS + j) * position + c, r[i]);
		}
	}
}

// An outer adds to m[row][column] the sum over tiles of a[tile][row] * b[tile][column].
typedef void outer(const float *a, size_t a_row, const float *b, size_t b_row, int tiles, float *m, size_t m_row);

INLINE void outer_block(int rows, int width, const float *a, size_t a_row, const float *b, size_t b_row, int tiles, float *m, size_t m_row)
{
	vf acc[16][4];
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			acc[i][j] = splat(0);
	for (int t = 0; t < tiles; t++, a += a_row, b += b_row) {
		vf column[4];
#pragma GCC unroll 4
		for (int j = 0; j < width; j++)
			column[j] = load(b + j * LANES);
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++) {
			vf x = splat(a[i]);
#pragma GCC unroll 4
			for (int j = 0; j < width; j++)
				acc[i][j] += column[j] * x;
		}
	}
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < width; j++) {
			float *at = m + i * m_row + j * LANES;
			store(at, load(at) + acc[i][j]);
		}
}

#define OUTER(rows, width) \
	static void outer_##rows##_##width(const float *a, size_t a_row, const float *b, size_t b_row, int tiles, float *m, size_t m_row) \
	{ outer_block(rows, width, a, a_row, b, b_row, tiles, m, m_row); }
#define ONAME(rows, width) [rows] = outer_##rows##_##width,

#if NR == 4
ROWS12(OUTER, 1) ROWS12(OUTER, 2) ROWS9(OUTER, 3) ROWS6(OUTER, 4)
static outer *const outers[5][13] = {{0}, {ROWS12(ONAME, 1)}, {ROWS12(ONAME, 2)}, {ROWS9(ONAME, 3)}, {ROWS6(ONAME, 4)}};
#else
ROWS6(OUTER, 1) ROWS6(OUTER, 2)
static outer *const outers[5][13] = {{0}, {ROWS6(ONAME, 1)}, {ROWS6(ONAME, 2)}};
#endif

// to_points turns a board [channels][area] into [area][padded], with zeros after the channels.
static void to_points(const float *x, int channels, int padded, int area, float *to)
{
	if (channels < padded)
		memset(to, 0, (size_t)area * padded * 4);
	transpose(x, area, channels, area, to, padded);
}

// mask_some makes numbers 0 where those of a mask are not above 0.
static void mask_some(const float *mask, size_t n, float *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] = mask[i] > 0 ? y[i] : 0;
}

// convolve_some computes boards first to last of a convolution [n][in][h][w] by packed
// weights.
static int convolve_some(const layer *l, const convolution_call *c, const float *u, int first, int last, scratch *s, scratch *boards)
{
	size_t area = (size_t)c->h * c->w;
	int most = 8;
	float *x = scratch_take(boards, most * area * (l->in + l->out) * 4);
	if (!x)
		return -1;
	float *y = x + most * area * l->in;
	packed weights = {.u = (void *)u, .unscale = (float *)u};
	layer now = *l;
	now.weights = &weights;
	now.activation = c->relu ? ACT_RELU : ACT_NONE;
	for (int b = first; b < last; b += most) {
		int n = last - b < most ? last - b : most;
		for (int i = 0; i < n; i++)
			to_points(c->x + (b + i) * area * l->in, l->in, l->in, area, x + i * area * l->in);
		layer_call call = {.n = n, .h = c->h, .w = c->w, .x = x, .bias = c->bias, .y = y};
		if (run3(&now, &call, s))
			return -1;
		for (int i = 0; i < n; i++) {
			size_t at = (b + i) * area * l->out;
			transpose(y + i * area * l->out, l->out, area, l->out, c->y + at, area);
			if (c->mask)
				mask_some(c->mask + at, area * l->out, c->y + at);
		}
	}
	return 0;
}

// gradient_some adds to du, [POSITIONS][outs][ins], what boards first to last give.
static int gradient_some(const layer *l, const gradient_call *c, int first, int last, float *du, scratch *s)
{
	static const int at_most[5] = ROWS;
	enum { MOST = 8 };
	size_t area = (size_t)c->h * c->w, ins = l->ins, outs = l->outs;
	tiling t = tile(c->h, c->w, MOST);
	float *x = scratch_take(s, 4 * (area * (l->in + outs) + ins + (size_t)POSITIONS * t.first[4] * (ins + outs)) + t.first[4] * sizeof(place));
	if (!x)
		return -1;
	float *dy = x + area * l->in, *zeros = dy + area * outs, *v = zeros + ins, *m = v + (size_t)POSITIONS * t.first[4] * ins;
	place *places = (place *)(m + (size_t)POSITIONS * t.first[4] * outs);
	memset(zeros, 0, 4 * ins);
	for (int b = first; b < last; b += MOST) {
		int n = last - b < MOST ? last - b : MOST;
		t = tile(c->h, c->w, n);
		place_all(&t, places);
		size_t tiles = t.first[4];
		for (int i = 0; i < n; i++) {
			to_points(c->x + (b + i) * area * l->in, l->in, l->in, area, x);
			to_points(c->dy + (b + i) * area * l->out, l->out, outs, area, dy);
			for (int k = 0; k < 4; k++) {
				int per = (t.first[k + 1] - t.first[k]) / n;
				float share[POSITIONS];
				shares(kinds[k].ty, kinds[k].tx, 1, share);
				for (int at = t.first[k] + i * per, end = at + per; at < end; at++) {
					place p = places[at];
					transforms[k](l, x, c->h, c->w, p, share, zeros, (char *)(v + at * ins), tiles * ins * 4);
					float *to = m + at * outs;
					switch (k) {
					case 0: adjoin(4, 3, outs, dy, c->h, c->w, p, to, tiles * outs); break;
					case 1: adjoin(4, 4, outs, dy, c->h, c->w, p, to, tiles * outs); break;
					case 2: adjoin(3, 4, outs, dy, c->h, c->w, p, to, tiles * outs); break;
					case 3: adjoin(3, 3, outs, dy, c->h, c->w, p, to, tiles * outs); break;
					}
				}
			}
		}
		for (int position = 0; position < POSITIONS; position++) {
			int from, to;
			range(&t, position, &from, &to);
			const float *vp = v + (position * tiles + from) * ins, *mp = m + (position * tiles + from) * outs;
			for (size_t i = 0; i < ins;) {
				int width = (ins - i) / LANES < NR ? (ins - i) / LANES : NR;
				for (size_t o = 0; o < outs;) {
					int rows = outs - o < (size_t)at_most[width] ? outs - o : (size_t)at_most[width];
					outers[width][rows](mp + o, outs, vp + i, ins, to - from, du + ((size_t)position * outs + o) * ins + i, ins);
					o += rows;
				}
				i += width * LANES;
			}
		}
	}
	return 0;
}

// end_gradient turns the sum of parts du into the gradient [out][in][3][3].
static void end_gradient(const layer *l, const float *du, int parts, float *dw)
{
	const float a = 0.70710678f, b = 1.41421356f;
	size_t position = (size_t)l->outs * l->ins;
	for (int o = 0; o < l->out; o++)
		for (int i = 0; i < l->ins; i += LANES) {
			vf rows[3][AXIS], g[9];
#pragma GCC unroll 6
			for (int x = 0; x < AXIS; x++) {
				vf u[AXIS];
#pragma GCC unroll 6
				for (int y = 0; y < AXIS; y++) {
					const float *at = du + (y * AXIS + x) * position + (size_t)o * l->ins + i;
					u[y] = load(at);
					for (int p = 1; p < parts; p++)
						u[y] += load(at + p * POSITIONS * position);
				}
				rows[0][x] = u[0] + u[1] + u[2] + u[3] + u[4];
				rows[1][x] = (u[1] - u[2]) * a + (u[3] - u[4]) * b;
				rows[2][x] = 0.5f * (u[1] + u[2]) + 2 * (u[3] + u[4]) + u[5];
			}
#pragma GCC unroll 3
			for (int y = 0; y < 3; y++) {
				const vf *u = rows[y];
				g[3 * y] = u[0] + u[1] + u[2] + u[3] + u[4];
				g[3 * y + 1] = (u[1] - u[2]) * a + (u[3] - u[4]) * b;
				g[3 * y + 2] = 0.5f * (u[1] + u[2]) + 2 * (u[3] + u[4]) + u[5];
			}
			for (int j = 0; j < LANES && i + j < l->in; j++)
				for (int k = 0; k < 9; k++)
					dw[((size_t)o * l->in + i + j) * 9 + k] = g[k][j];
		}
}
