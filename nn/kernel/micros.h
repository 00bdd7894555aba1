// A micro multiplies rows of inputs by a panel of weights, which it keeps in registers.
// Those of integers are here, where a set of instructions has them (INT16 names their
// table); those of floats are in products.h.

#define ROWS1(x, w) x(1, w)
#define ROWS6(x, w) x(1, w) x(2, w) x(3, w) x(4, w) x(5, w) x(6, w)
#define ROWS9(x, w) ROWS6(x, w) x(7, w) x(8, w) x(9, w)
#define ROWS12(x, w) ROWS9(x, w) x(10, w) x(11, w) x(12, w)

#if NR == 4
#define EACH_MICRO(x) ROWS12(x, 1) ROWS12(x, 2) ROWS9(x, 3) ROWS6(x, 4)
#define MICROS(x) {{0}, {ROWS12(x, 1)}, {ROWS12(x, 2)}, {ROWS9(x, 3)}, {ROWS6(x, 4)}}
#else
#define EACH_MICRO(x) ROWS6(x, 1) ROWS6(x, 2)
#define MICROS(x) {{0}, {ROWS6(x, 1)}, {ROWS6(x, 2)}}
#endif

#ifdef INT16
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

#define INT_MICRO(rows, width) \
	static void int_##rows##_##width(const void *v, size_t v_row, const void *u, int ins, float *m, size_t m_row, const float *unscale, const char *ahead) \
	{ int_block(rows, width, v, v_row, u, ins, m, m_row, unscale, ahead); }
#define INT_NAME(rows, width) [rows] = int_##rows##_##width,
EACH_MICRO(INT_MICRO)
const micros INT16 = MICROS(INT_NAME);
#endif
