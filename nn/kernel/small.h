// The small steps of a program: what a network has besides layers and attention.
// Included by isa.h.

INLINE vf sigmoid(vf x) { return 1 / (1 + power(vmin(splat(87), -x) * LOG2E)); }

// hyperbolic is tanh(x): near 0 a polynomial, where 1 - e would leave few digits.
INLINE vf hyperbolic(vf x)
{
	vf a = pick(x < 0, -x, x), e = power(a * (-2 * LOG2E)), s = x * x;
	vf near = a * (1 + s * (-1 / 3.f + s * (2 / 15.f + s * (-17 / 315.f + s * (62 / 2835.f)))));
	vf y = pick(a < 0.25f, near, (1 - e) / (1 + e));
	return pick(x < 0, -y, y);
}

// each applies a function of libm's to every lane.
INLINE vf each(float (*f)(float), vf x)
{
	float t[LANES];
	store(t, x);
	for (int i = 0; i < LANES; i++)
		t[i] = f(t[i]);
	return load(t);
}

INLINE vf mapped(int what, vf x)
{
	switch (what) {
	case MAP_SIGMOID:
		return sigmoid(x);
	case MAP_TANH:
		return hyperbolic(x);
	case MAP_SOFTPLUS: // log(1 + e^x), without a large power
		return pick(x < 0, splat(0), x) + each(log1pf, each(expf, pick(x < 0, x, -x)));
	case MAP_EXP:
		return each(expf, x);
	case MAP_LOG:
		return each(logf, x);
	case MAP_SQRT:
		return each(sqrtf, x);
	case MAP_NEGATE:
		return -x;
	case MAP_ABSOLUTE:
		return pick(x < 0, -x, x);
	}
	return activate(what - MAP_ACTIVATE, x);
}

INLINE void map_as(int what, float *y, const float *x, int64_t n)
{
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES)
		store(y + i, mapped(what, load(x + i)));
	if (i < n)
		store_part(y + i, mapped(what, load_part(x + i, n - i)), n - i);
}

static void map(const step *s, float *y, const float *x)
{
	switch (s->what) {
	case ACT_RELU:
		map_as(ACT_RELU, y, x, s->dims[0]);
		break;
	case ACT_MISH:
		map_as(ACT_MISH, y, x, s->dims[0]);
		break;
	case ACT_SILU:
		map_as(ACT_SILU, y, x, s->dims[0]);
		break;
	default:
		map_as(s->what, y, x, s->dims[0]);
	}
}

INLINE vf joined(int what, vf a, vf b)
{
	switch (what) {
	case JOIN_ADD:
		return a + b;
	case JOIN_SUBTRACT:
		return a - b;
	case JOIN_MULTIPLY:
		return a * b;
	case JOIN_DIVIDE:
		return a / b;
	case JOIN_MAX:
		return pick(a != a, a, vmax(a, b));
	}
	return pick(a != a, a, vmin(a, b));
}

// join_row is the innermost axis: an operand is a row of its own (1) or one number (0).
INLINE void join_row(int what, int by_a, int by_b, float *y, const float *a, const float *b, int64_t n)
{
	vf va = splat(*a), vb = splat(*b);
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES)
		store(y + i, joined(what, by_a ? load(a + i) : va, by_b ? load(b + i) : vb));
	if (i < n)
		store_part(y + i, joined(what, by_a ? load_part(a + i, n - i) : va, by_b ? load_part(b + i, n - i) : vb), n - i);
}

// advance moves to the next place of all axes but the innermost ones; 0: there is none.
static int advance(const step *s, int axes, int64_t at[STEP_AXES], int64_t off[3])
{
	for (int k = axes - 1; k >= 0; k--) {
		for (int o = 0; o < 3; o++)
			off[o] += s->strides[o][k];
		if (++at[k] < s->dims[k])
			return 1;
		for (int o = 0; o < 3; o++)
			off[o] -= s->strides[o][k] * s->dims[k];
		at[k] = 0;
	}
	return 0;
}

INLINE void join_as(int what, int by_a, int by_b, const step *s, float *y, const float *a, const float *b)
{
	int64_t at[STEP_AXES] = {0}, off[3] = {0};
	do
		join_row(what, by_a, by_b, y + off[0], a + off[1], b + off[2], s->dims[STEP_AXES - 1]);
	while (advance(s, STEP_AXES - 1, at, off));
}

#define JOIN(name) \
	case JOIN_##name: \
		if (by_a && by_b) \
			join_as(JOIN_##name, 1, 1, s, y, a, b); \
		else if (by_a) \
			join_as(JOIN_##name, 1, 0, s, y, a, b); \
		else \
			join_as(JOIN_##name, 0, 1, s, y, a, b); \
		break;

static void join(const step *s, float *y, const float *a, const float *b)
{
	int by_a = s->strides[1][STEP_AXES - 1] != 0, by_b = s->strides[2][STEP_AXES - 1] != 0;
	switch (s->what) {
	JOIN(ADD)
	JOIN(SUBTRACT)
	JOIN(MULTIPLY)
	JOIN(DIVIDE)
	JOIN(MAX)
	JOIN(MIN)
	}
}
#undef JOIN

INLINE vf reduced(int what, vf sum, vf x)
{
	if (what == REDUCE_MAX)
		return pick(x != x, x, vmax(x, sum)); // NaN stays NaN
	return sum + x;
}

// reduce_rows reduces the last axis, rows of n numbers.
INLINE void reduce_rows(int what, float *y, const float *x, int64_t rows, int64_t n)
{
	for (int64_t r = 0; r < rows; r++, x += n) {
		vf sum = splat(what == REDUCE_MAX ? x[0] : 0);
		int64_t i = 0;
		for (; i + LANES <= n; i += LANES)
			sum = reduced(what, sum, load(x + i));
		float t[LANES];
		store(t, sum);
		vf all = splat(t[0]);
		for (int k = 1; k < LANES; k++)
			all = reduced(what, all, splat(t[k]));
		for (; i < n; i++)
			all = reduced(what, all, splat(x[i]));
		y[r] = what == REDUCE_MEAN ? all[0] / n : all[0];
	}
}

// reduce_columns reduces the middle axis of [outer][n][inner].
INLINE void reduce_columns(int what, float *y, const float *x, int64_t outer, int64_t n, int64_t inner)
{
	for (int64_t r = 0; r < outer; r++, x += n * inner, y += inner)
		for (int64_t o = 0; o < inner; o += 4 * LANES) {
			vf sum[4];
			for (int j = 0; j < 4; j++)
				sum[j] = what == REDUCE_MAX && o + j * LANES < inner ? load_upto(x + o + j * LANES, inner - o - j * LANES) : splat(0);
			if (o + 4 * LANES <= inner)
				for (int64_t i = 0; i < n; i++)
					for (int j = 0; j < 4; j++)
						sum[j] = reduced(what, sum[j], load(x + i * inner + o + j * LANES));
			else
				for (int64_t i = 0; i < n; i++)
					for (int j = 0; j < 4 && o + j * LANES < inner; j++)
						sum[j] = reduced(what, sum[j], load_upto(x + i * inner + o + j * LANES, inner - o - j * LANES));
			for (int j = 0; j < 4 && o + j * LANES < inner; j++) {
				if (what == REDUCE_MEAN)
					sum[j] /= splat(n);
				store_upto(y + o + j * LANES, sum[j], inner - o - j * LANES);
			}
		}
}

#define REDUCE(name) \
	case REDUCE_##name: \
		if (s->dims[2] == 1) \
			reduce_rows(REDUCE_##name, y, x, s->dims[0], s->dims[1]); \
		else \
			reduce_columns(REDUCE_##name, y, x, s->dims[0], s->dims[1], s->dims[2]); \
		break;

static void reduce(const step *s, float *y, const float *x)
{
	switch (s->what) {
	REDUCE(MEAN)
	REDUCE(SUM)
	REDUCE(MAX)
	}
}
#undef REDUCE

// softmax of rows, or its logarithm.
static void softmax(const step *s, float *y, const float *x)
{
	int64_t n = s->dims[1];
	for (int64_t r = 0; r < s->dims[0]; r++, x += n, y += n) {
		float top = x[0], sum = 0;
		for (int64_t i = 1; i < n; i++)
			top = x[i] > top ? x[i] : top;
		for (int64_t i = 0; i < n; i += LANES) {
			vf e = power((load_upto(x + i, n - i) - top) * LOG2E);
			float t[LANES];
			store(t, e);
			for (int k = 0; k < LANES && i + k < n; k++)
				sum += t[k];
			if (s->what == 0)
				store_upto(y + i, e, n - i);
		}
		float by = s->what ? top + logf(sum) : 1 / sum;
		for (int64_t i = 0; i < n; i += LANES)
			store_upto(y + i, s->what ? load_upto(x + i, n - i) - by : load_upto(y + i, n - i) * by, n - i);
	}
}

// move copies from one order of axes to another.
static void move(const step *s, float *y, const float *x)
{
	enum { P = STEP_AXES - 2, Q = STEP_AXES - 1 };
	int64_t at[STEP_AXES] = {0}, off[3] = {0};
	const int64_t *to = s->strides[0], *from = s->strides[1], n = s->dims[Q];
	if (to[Q] == 1 && from[Q] != 1 && from[P] == 1 && s->dims[P] > 1) {
		do
			transpose(x + off[1], from[Q], n, s->dims[P], y + off[0], to[P]);
		while (advance(s, P, at, off));
		return;
	}
	do {
		float *a = y + off[0];
		const float *b = x + off[1];
		if (to[Q] == 1 && from[Q] == 1)
			memcpy(a, b, 4 * n);
		else
			for (int64_t i = 0; i < n; i++)
				a[i * to[Q]] = b[i * from[Q]];
	} while (advance(s, Q, at, off));
}

static void small(const step *s, float *to, const float *a, const float *b)
{
	switch (s->kind) {
	case STEP_MAP:
		map(s, to, a);
		break;
	case STEP_JOIN:
		join(s, to, a, b);
		break;
	case STEP_REDUCE:
		reduce(s, to, a);
		break;
	case STEP_SOFTMAX:
		softmax(s, to, a);
		break;
	case STEP_MOVE:
		move(s, to, a);
	}
}
