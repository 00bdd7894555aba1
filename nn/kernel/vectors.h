// Vectors of floats, activations, and what ends every layer. Included by isa.h.

#define INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vmask __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

INLINE vf load(const float *p) { return *(const vf *)p; }
INLINE void store(float *p, vf v) { *(vf *)p = v; }
INLINE vf splat(float x) { return x - (vf){0}; }
INLINE vf pick(vmask m, vf a, vf b) { return (vf)((m & (vmask)a) | (~m & (vmask)b)); }
// If one is NaN, vmax and vmin give b.
#ifdef VMAX
INLINE vf vmax(vf a, vf b) { return VMAX(a, b); }
INLINE vf vmin(vf a, vf b) { return VMIN(a, b); }
#else
INLINE vf vmax(vf a, vf b) { return pick(a > b, a, b); }
INLINE vf vmin(vf a, vf b) { return pick(a < b, a, b); }
#endif

// larger is the larger of two integers in each lane.
#ifdef LARGER
INLINE vmask larger(vmask a, vmask b) { return LARGER(a, b); }
#else
INLINE vmask larger(vmask a, vmask b) { return (a & (a > b)) | (b & ~(a > b)); }
#endif

// Part of a vector: the first n lanes, 0 in the others.
INLINE vf load_part(const float *p, int n)
{
	vf v = {0};
	memcpy(&v, p, 4 * n);
	return v;
}
INLINE void store_part(float *p, vf v, int n) { memcpy(p, &v, 4 * n); }
INLINE vf load_upto(const float *p, int n) { return n >= LANES ? load(p) : load_part(p, n); }
INLINE void store_upto(float *p, vf v, int n)
{
	if (n >= LANES)
		store(p, v);
	else
		store_part(p, v, n);
}

// ---- Activations -----------------------------------------------------------

// power returns 2 to x, for x from -126 to 127, to 1 part in 5 millions. Smaller x count
// as -126, or give 0; NaN stays NaN.
#ifdef FRACTION
INLINE vf power(vf x)
{
	vf r = FRACTION(x), p = splat(1.87757668e-3f);
	p = p * r + 8.98934004e-3f;
	p = p * r + 5.58263185e-2f;
	p = p * r + 2.40153620e-1f;
	p = p * r + 6.93153074e-1f;
	p = p * r + 1;
	return BY_POWER(p, x);
}
#else
INLINE vf power(vf x)
{
	x = vmax(splat(-126), x);
	const vf magic = splat(12582912); // 1.5 * 2^23: adding it rounds to integers
	vf n = x + magic;
	vmask e = (vmask)n << 23;
	vf r = x - (n - magic);
	vf p = splat(1.3276472e-3f);
	p = p * r + 9.6755413e-3f;
	p = p * r + 5.5507133e-2f;
	p = p * r + 2.4022120e-1f;
	p = p * r + 6.9314697e-1f;
	p = p * r + 1.0000001f;
	return (vf)((vmask)p + e);
}
#endif

#define LOG2E 1.44269504f

// mish is x*tanh(ln(1+e^x)) = x*u/(u+2) with u = e^x*(e^x+2). From 40 on it is x.
INLINE vf mish(vf x)
{
	vf e = power(vmin(splat(40), x) * LOG2E), u = e * (e + 2);
	return x * u / (u + 2);
}

INLINE vf silu(vf x) { return x / (1 + power(vmin(splat(87), -x) * LOG2E)); }

INLINE vf activate(int activation, vf x)
{
	switch (activation) {
	case ACT_RELU:
		return pick(x < 0, splat(0), x); // NaN stays NaN
	case ACT_MISH:
		return mish(x);
	case ACT_SILU:
		return silu(x);
	}
	return x;
}

// The parts of a call: those that it lacks cost nothing if the compiler knows.
// WHOLE: none of the points and outputs is padding.
enum { HAS_BIAS = 1, HAS_RESIDUAL = 2, HAS_SUM = 4, HAS_Y = 8, HAS_SCALE = 16, HAS_SHIFT = 32, HAS_RELU = 64, WHOLE = 128 };

static inline int has(const layer *l, const layer_call *c)
{
	return (c->bias ? HAS_BIAS : 0) | (c->residual ? HAS_RESIDUAL : 0) | (c->sum ? HAS_SUM : 0) | (c->y ? HAS_Y : 0) |
		(l->scale ? HAS_SCALE : 0) | (l->shift ? HAS_SHIFT : 0) | (l->activation == ACT_RELU ? HAS_RELU : 0);
}

// An ending is what finish reads of a layer and a call: bias is that of a board.
typedef struct {
	const float *bias, *residual, *scale, *shift;
	float *sum, *y;
	int out, activation;
} ending;

INLINE ending ending_of(const layer *l, const layer_call *c, int board)
{
	return (ending){.bias = c->bias && c->bias_by_board ? c->bias + (size_t)board * l->out : c->bias, .residual = c->residual,
		.scale = l->scale, .shift = l->shift, .sum = c->sum, .y = c->y, .out = l->out, .activation = l->activation};
}

// finish turns LANES outputs s of channel o at a point into what the layer gives.
INLINE void finish(int has, const ending *e, size_t point, int o, vf s)
{
	size_t at = point * e->out + o;
	int n = has & WHOLE ? LANES : e->out - o;
	if (has & HAS_BIAS)
		s += load_upto(e->bias + o, n);
	if (has & HAS_RESIDUAL)
		s += load_upto(e->residual + at, n);
	if (has & HAS_SUM)
		store_upto(e->sum + at, s, n);
	if (!(has & HAS_Y))
		return;
	if (has & HAS_SCALE)
		s *= load(e->scale + o);
	if (has & HAS_SHIFT)
		s += load(e->shift + o);
	store_upto(e->y + at, activate(has & HAS_RELU ? ACT_RELU : e->activation, s), n);
}
