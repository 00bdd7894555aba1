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
