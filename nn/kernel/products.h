// Rows of inputs times panels of weights. Included by isa.h.

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

// A pass multiplies rows by one panel of weights, as many at a time as there are
// registers for, and meanwhile fetches what comes next: the panel behind this one, then
// rows.
typedef struct {
	int precision, width, ins, count;
	const char *v, *u;
	size_t v_row, fetched;
	const float *unscale;
	int done;
} pass;

// some_rows computes the next rows, [row][output] in m, and returns how many; 0: none are
// left.
INLINE int some_rows(pass *p, float *m, size_t m_row)
{
	static const int most[5] = ROWS;
	int left = p->count - p->done, rows = left ? left / ((left + most[p->width] - 1) / most[p->width]) : 0;
	if (!rows)
		return 0;
	size_t line = (size_t)p->ins * (p->precision == KERNEL_INT16 ? 2 : 4), panel = line * p->width * LANES;
	const char *v = p->v + p->done * p->v_row;
	p->done += rows;
	const char *next = p->done < p->count ? v + rows * p->v_row : p->v;
	micros[p->precision][p->width][rows](v, p->v_row, p->u, p->ins, m, m_row, p->unscale,
		p->fetched < panel ? p->u + panel + p->fetched : next);
	p->fetched += line * 16;
	return rows;
}

// pass_of is a pass of a layer's panel over count rows.
INLINE pass pass_of(const layer *l, int width, const char *v, size_t v_row, const char *u, int count, const float *unscale)
{
	return (pass){.precision = l->precision, .width = width, .ins = l->ins, .count = count, .v = v, .u = u, .v_row = v_row, .unscale = unscale};
}

// multiply computes all rows of a pass.
static void multiply(pass p, float *m, size_t m_row)
{
	for (int rows; (rows = some_rows(&p, m, m_row)) > 0;)
		m += rows * m_row;
}
