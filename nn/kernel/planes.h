// The first layer, whose input is mostly zeros and ones. Included by isa.h.

// spot is a value of a plane that is not 0. Its weights begin at w, counted from those of
// the first column of the kernel had it stood in the first column of the board.
typedef struct { int w; float value; } spot;

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

// add_spots computes width vectors of outputs of one point. Of the points in a row of
// the kernel's, spots stand one behind the other: from spots[first[q]] on for a point q.
INLINE void add_spots(int width, int has, const layer *l, const layer_call *c, int b, int y, int x, int o, const float *base,
	const spot *spots, const int *first)
{
	vf acc[8];
	const int h = c->h, w = c->w, r = l->size / 2;
	const int left = x < r ? 0 : x - r, right = x + r < w ? x + r : w - 1;
	const ptrdiff_t column = (ptrdiff_t)l->in * l->outs;
#pragma GCC unroll 8
	for (int j = 0; j < width; j++)
		acc[j] = load(base + ((size_t)y * w + x) * l->outs + o + j * LANES);
	for (int in = y < r ? 0 : y - r; in <= y + r && in < h; in++) {
		const float *u = (const float *)l->weights->u + ((in - y + r) * l->size + r - x) * column + o;
		const spot *end = spots + first[in * w + right + 1];
		for (const spot *s = spots + first[in * w + left]; s < end; s++) {
			const float *weights = u + s->w;
			vf value = splat(s->value);
#pragma GCC unroll 8
			for (int j = 0; j < width; j++)
				acc[j] += load(weights + j * LANES) * value;
		}
	}
	const ending e = ending_of(l, c, b);
#pragma GCC unroll 8
	for (int j = 0; j < width; j++)
		if (o + j * LANES < e.out)
			finish(has, &e, ((size_t)b * h + y) * w + x, o + j * LANES, acc[j]);
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
	int what = has(l, c);
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
				spots[count] = (spot){(q % c->w * l->in + sparse[k]) * l->outs, value};
				count += value != 0;
			}
		}
		first[area] = count;
		for (int y = 0; y < c->h; y++)
			for (int x = 0; x < c->w; x++) {
				int o = 0;
#define SPOTS(width) \
				for (; o + width * LANES <= l->outs; o += width * LANES) \
					add_spots(width, what, l, c, b, y, x, o, base, spots, first);
				SPOTS(8) SPOTS(6) SPOTS(4) SPOTS(2) SPOTS(1)
#undef SPOTS
			}
	}
	return 0;
}
