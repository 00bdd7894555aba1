// Rows of inputs times panels of weights. Included by isa.h.

#include "micros.h"

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

#define FLOAT_MICRO(rows, width) \
	static void float_##rows##_##width(const void *v, size_t v_row, const void *u, int ins, float *m, size_t m_row, const float *unscale, const char *ahead) \
	{ float_block(rows, width, v, v_row, u, ins, m, m_row, ahead); (void)unscale; }
#define FLOAT_NAME(rows, width) [rows] = float_##rows##_##width,
EACH_MICRO(FLOAT_MICRO)
static const micros floats = MICROS(FLOAT_NAME);

// A pass multiplies rows by one panel of weights, as many at a time as there are registers for, and
// meanwhile fetches what comes next: the panel after this one, then rows.
typedef struct {
	const micros *by;
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
	(*p->by)[p->width][rows](v, p->v_row, p->u, p->ins, m, m_row, p->unscale,
		p->fetched < panel ? p->u + panel + p->fetched : next);
	p->fetched += line * 16;
	return rows;
}

// pass_of is a pass of a layer's panel over count rows.
INLINE pass pass_of(const layer *l, int width, const char *v, size_t v_row, const char *u, int count, const float *unscale)
{
	return (pass){.by = l->isa->products[l->precision], .precision = l->precision, .width = width, .ins = l->ins, .count = count, .v = v, .u = u, .v_row = v_row, .unscale = unscale};
}

// multiply computes all rows of a pass.
static void multiply(pass p, float *m, size_t m_row)
{
	for (int rows; (rows = some_rows(&p, m, m_row)) > 0;)
		m += rows * m_row;
}
