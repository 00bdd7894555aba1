// Training: relu(scale*x + shift) by channel, in one pass, and its gradient in another.
// Boards that do not fit a cache take as long as it takes to read them. Included by isa.h.

static void scaled_some(const scaled_call *c, int first, int last)
{
	for (size_t plane = (size_t)first * c->channels; plane < (size_t)last * c->channels; plane++) {
		float scale = c->scale[plane % c->channels], shift = c->shift[plane % c->channels];
		const float *x = c->x + plane * c->area;
		float *y = c->y + plane * c->area;
		for (int i = 0; i < c->area; i += LANES) {
			vf v = load_upto(x + i, c->area - i) * scale + shift;
			store_upto(y + i, activate(ACT_RELU, v), c->area - i);
		}
	}
}

static void scaled_gradient_some(const scaled_gradient_call *c, int first, int last, float *dscale, float *dshift)
{
	memset(dscale, 0, 4 * (size_t)c->channels);
	memset(dshift, 0, 4 * (size_t)c->channels);
	for (size_t plane = (size_t)first * c->channels; plane < (size_t)last * c->channels; plane++) {
		size_t channel = plane % c->channels, at = plane * c->area;
		float scale = c->scale[channel];
		vf by_x = splat(0), by_one = splat(0);
		for (int i = 0; i < c->area; i += LANES) {
			int n = c->area - i;
			vf g = pick(load_upto(c->y + at + i, n) > 0, load_upto(c->dy + at + i, n), splat(0));
			by_x += g * load_upto(c->x + at + i, n);
			by_one += g;
			store_upto(c->dx + at + i, c->skip ? g * scale + load_upto(c->skip + at + i, n) : g * scale, n);
		}
		dscale[channel] += sum_lanes(by_x);
		dshift[channel] += sum_lanes(by_one);
	}
}
