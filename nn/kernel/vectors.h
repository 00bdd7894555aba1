// Vectors of floats, activations, and what ends every layer. Included by isa.h.

#define INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vmask __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

INLINE vf load(const float *p) { return *(const vf *)p; }
INLINE void store(float *p, vf v) { *(vf *)p = v; }
INLINE vf splat(float x) { return x - (vf){0}; }
INLINE vf pick(vmask m, vf a, vf b) { return (vf)((m & (vmask)a) | (~m & (vmask)b)); }
INLINE vf vmax(vf a, vf b) { return pick(a > b, a, b); }
INLINE vf vmin(vf a, vf b) { return pick(a < b, a, b); }

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

// exponential of x <= 0, to 2 units in the last place: 2^n times a polynomial.
INLINE vf exp_down(vf x)
{
	x = vmax(x, splat(-87));
	const vf magic = splat(12582912); // 1.5 * 2^23: adding it rounds to integers
	vf n = x * 1.44269504f + magic;
	vmask e = (vmask)n;
	n = n - magic;
	vf r = x - n * 0.693359375f;
	r = r + n * 2.12194440e-4f;
	vf p = splat(1.9875691500e-4f);
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	return (vf)((vmask)p + (e << 23));
}

// mish is x*tanh(ln(1+e^x)) = x*u/(u+2) with u = e^x*(e^x+2), written for e^-|x| so
// that nothing overflows.
INLINE vf mish(vf x)
{
	vmask down = x < 0;
	vf e = exp_down(pick(down, x, -x));
	vf u = pick(down, e * (e + 2), 1 + 2 * e);       // times e^-2x for x >= 0
	vf two = pick(down, splat(2), 2 * e * e);
	return x * u / (u + two);
}

INLINE vf silu(vf x)
{
	vmask down = x < 0;
	vf e = exp_down(pick(down, x, -x));
	return x * pick(down, e, splat(1)) / (1 + e);
}

INLINE vf activate(int activation, vf x)
{
	switch (activation) {
	case ACT_RELU:
		return pick(x < 0, splat(0), x); // what is no number stays none
	case ACT_MISH:
		return mish(x);
	case ACT_SILU:
		return silu(x);
	}
	return x;
}

// What a call has, so that what it has not costs nothing where the compiler knows.
// WHOLE: all points and outputs are there, none of them padding.
enum { HAS_BIAS = 1, HAS_RESIDUAL = 2, HAS_SUM = 4, HAS_Y = 8, HAS_SCALE = 16, HAS_SHIFT = 32, HAS_RELU = 64, WHOLE = 128 };

static int has(const layer *l, const layer_call *c)
{
	return (c->bias ? HAS_BIAS : 0) | (c->residual ? HAS_RESIDUAL : 0) | (c->sum ? HAS_SUM : 0) | (c->y ? HAS_Y : 0) |
		(l->scale ? HAS_SCALE : 0) | (l->shift ? HAS_SHIFT : 0) | (l->activation == ACT_RELU ? HAS_RELU : 0);
}

// finish turns LANES outputs s of channel o at a point of board b into what the
// layer gives.
INLINE void finish(int has, const layer *l, const layer_call *c, int b, size_t point, int o, vf s)
{
	size_t at = point * l->out + o;
	int n = has & WHOLE ? LANES : l->out - o;
	if (has & HAS_BIAS)
		s += load_upto(c->bias + (c->bias_by_board ? (size_t)b * l->out : 0) + o, n);
	if (has & HAS_RESIDUAL)
		s += load_upto(c->residual + at, n);
	if (has & HAS_SUM)
		store_upto(c->sum + at, s, n);
	if (!(has & HAS_Y))
		return;
	if (has & HAS_SCALE)
		s *= load(l->scale + o);
	if (has & HAS_SHIFT)
		s += load(l->shift + o);
	store_upto(c->y + at, activate(has & HAS_RELU ? ACT_RELU : l->activation, s), n);
}
