// The first layer, whose input is mostly zeros and ones. Included by isa.h.

// spot is a value of a plane that is not 0. Its weights begin at w, counted from where they would
// begin for the first columns of the kernel and of the board.
typedef struct { int w; float value; } spot;

// constant says whether all n values are equal.
static int constant(const float *x, int n)
{
	vmask differ = {0};
	int i = 0;
	for (; i + LANES <= n; i += LANES)
		differ |= load(x + i) != splat(x[0]);
	int some = 0;
	for (; i < n; i++)
		some |= x[i] != x[0];
	for (int k = 0; k < LANES; k++)
		some |= differ[k];
	return !some;
}

// note sets a bit at each of n points where a plane is not 0.
static void note(const float *plane, int n, uint32_t bit, uint32_t *at)
{
	int i = 0;
	for (; i + LANES <= n; i += LANES)
		*(vmask *)(at + i) |= (load(plane + i) != 0) & (int32_t)bit;
	for (; i < n; i++)
		at[i] |= plane[i] != 0 ? bit : 0;
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

// add_spots computes width vectors of outputs of one point. The spots of the points in one row of
// the kernel follow one another: from spots[first[q]] on for a point q.
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

// add_plane adds value times what a plane of ones adds up to; the first one is written.
static void add_plane(float *base, const float *sum, float value, size_t n, int first)
{
	for (size_t i = 0; i < n; i += LANES)
		store(base + i, first ? load(sum + i) * value : load(base + i) + load(sum + i) * value);
}

// list_spots lists what the bits say, point by point and by planes; first[q] is where
// those of a point q begin.
static void list_spots(const layer *l, const layer_call *c, const float *in, const uint32_t *bits, spot *spots, int *first)
{
	int area = c->h * c->w, count = 0;
	for (int q = 0, x = 0; q < area; q++, x = x + 1 < c->w ? x + 1 : 0) {
		first[q] = count;
		for (int word = 0; word * 32 < l->in; word++)
			for (uint32_t left = bits[word * area + q]; left; left &= left - 1) {
				int p = word * 32 + __builtin_ctz(left);
				spots[count++] = (spot){(x * l->in + p) * l->outs, in[(size_t)p * area + q]};
			}
	}
	first[area] = count;
}

// run_planes is a convolution of planes: planes of one value are added as a whole,
// and of the others only what is not 0.
static int run_planes(const layer *l, const layer_call *c, scratch *s)
{
	int area = c->h * c->w;
	size_t base_bytes = (size_t)area * l->outs * 4, spot_bytes = (size_t)l->in * area * sizeof(spot);
	size_t bit_bytes = (size_t)(l->in + 31) / 32 * area * 4;
	char *all = scratch_take(s, base_bytes + spot_bytes + bit_bytes + (area + 1) * sizeof(int));
	if (!all)
		return -1;
	int what = has(l, c);
	float *base = (float *)all;
	spot *spots = (spot *)(all + base_bytes);
	uint32_t *bits = (uint32_t *)(all + base_bytes + spot_bytes);
	int *first = (int *)(all + base_bytes + spot_bytes + bit_bytes);
	for (int b = 0; b < c->n; b++) {
		const float *in = c->x + (size_t)b * l->in * area;
		int whole = 0;
		memset(bits, 0, bit_bytes);
		for (int p = 0; p < l->in; p++) {
			const float *plane = in + (size_t)p * area;
			if (!constant(plane, area)) {
				note(plane, area, 1u << p % 32, bits + p / 32 * area);
				continue;
			}
			if (plane[0] == 0)
				continue;
			const float *sum = sum_of(l, p, c->h, c->w);
			if (!sum)
				return -1;
			add_plane(base, sum, plane[0], (size_t)area * l->outs, !whole++);
		}
		if (!whole)
			memset(base, 0, base_bytes);
		list_spots(l, c, in, bits, spots, first);
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
