package katago

import (
	"fmt"
	"math"
	"strconv"
)

// Check reports whether the layers fit each other and every number is finite. Read, FromONNX, Write
// and Build call it. Errors: ErrShape and ErrVersion; the text names the layer.
func (n *Network) Check() error {
	h := &n.Header
	if h.Version < MinVersion || h.Version > MaxVersion {
		return versionError(h.Version)
	}
	c := &checker{}
	spatial, global := inputCounts(h.Version)
	c.same("", "input planes", h.SpatialInputs, spatial)
	c.same("", "global inputs", h.GlobalInputs, global)
	if h.MetaEncoder > 0 && h.Version < 15 {
		c.fail("", "a metadata encoder needs version 15 or later")
	}
	c.trunk(&n.Trunk, h)
	c.policy(&n.Policy, n.Trunk.Channels, h.Version)
	c.value(&n.Value, n.Trunk.Channels, h.Version)
	return c.err
}

type checker struct{ err error }

func (c *checker) fail(at, format string, args ...any) {
	if c.err == nil {
		if at != "" {
			at += ": "
		}
		c.err = fmt.Errorf("%w: %s%s", ErrShape, at, fmt.Sprintf(format, args...))
	}
}

// named adds the layer's own name to its path.
func named(at, name string) string { return fmt.Sprintf("%s (%.64s)", at, name) }

func (c *checker) same(at, what string, got, want int) {
	if got != want {
		c.fail(at, "%s: %d, should be %d", what, got, want)
	}
}

func (c *checker) finite(at string, v []float32, want int) {
	if len(v) != want {
		c.fail(at, "%d numbers, should be %d", len(v), want)
	}
	for _, f := range v {
		if math.Float32bits(f)&0x7f800000 == 0x7f800000 {
			c.fail(at, "a number is not finite")
			return
		}
	}
}

func (c *checker) conv(at string, v *Conv, in, out int) {
	at = named(at, v.Name)
	c.same(at, "input channels", v.In, in)
	c.same(at, "output channels", v.Out, out)
	if v.KX%2 == 0 || v.KY%2 == 0 || v.DilX < 1 || v.DilY < 1 {
		c.fail(at, "kernel %dx%d, dilation %dx%d", v.KX, v.KY, v.DilX, v.DilY)
	}
	c.finite(at, v.Weights, v.KX*v.KY*v.In*v.Out)
}

func (c *checker) norm(at string, v *Norm, channels int) {
	at = named(at, v.Name)
	c.same(at, "channels", v.Channels, channels)
	c.finite(at, v.Mean, channels)
	c.finite(at, v.Var, channels)
	if v.HasScale {
		c.finite(at, v.Scale, channels)
	}
	if v.HasBias {
		c.finite(at, v.Bias, channels)
	}
	if c.err != nil {
		return
	}
	scale, bias := v.merge()
	for i := range scale {
		if !finite32(scale[i]) || !finite32(bias[i]) {
			c.fail(at, "channel %d: variance %g with epsilon %g gives no finite scale", i, v.Var[i], v.Epsilon)
		}
	}
}

func finite32(f float32) bool { return math.Float32bits(f)&0x7f800000 != 0x7f800000 }

func (c *checker) matmul(at string, v *MatMul, in, out int) {
	at = named(at, v.Name)
	c.same(at, "input channels", v.In, in)
	c.same(at, "output channels", v.Out, out)
	c.finite(at, v.Weights, v.In*v.Out)
}

func (c *checker) bias(at string, v *Bias, channels int) {
	at = named(at, v.Name)
	c.same(at, "channels", v.Channels, channels)
	c.finite(at, v.Weights, channels)
}

func (c *checker) trunk(t *Trunk, h *Header) {
	c.conv("input.conv", &t.Conv, h.SpatialInputs, t.Channels)
	c.matmul("input.global", &t.Global, h.GlobalInputs, t.Channels)
	if (t.Meta != nil) != (h.MetaEncoder > 0) {
		c.fail("input.meta", "metadata encoder version %d does not go with it", h.MetaEncoder)
	} else if m := t.Meta; m != nil {
		c.matmul("input.meta.m1", &m.M1, MetaInputs, m.M1.Out)
		c.bias("input.meta.b1", &m.B1, m.M1.Out)
		c.matmul("input.meta.m2", &m.M2, m.M1.Out, m.M2.Out)
		c.bias("input.meta.b2", &m.B2, m.M2.Out)
		c.matmul("input.meta.m3", &m.M3, m.M2.Out, t.Channels)
	}
	if len(t.Blocks) == 0 {
		c.fail("blocks", "there are none")
	}
	c.blocks("blocks", t.Blocks, t.Channels)
	switch {
	case t.NormKind == 0:
		c.norm("tip.norm", &t.Tip, t.Channels)
	case t.TipRMS == nil:
		c.fail("tip.rms", "missing")
	default:
		c.same("tip.rms", "channels", t.TipRMS.Channels, t.Channels)
		c.finite("tip.rms", t.TipRMS.Gamma, t.Channels)
		c.finite("tip.rms", t.TipRMS.Beta, t.Channels)
	}
}

func (c *checker) blocks(at string, list []Block, channels int) {
	for i, b := range list {
		if c.err != nil {
			return
		}
		at := at + "." + strconv.Itoa(i)
		switch b := b.(type) {
		case *Ordinary:
			c.norm(at+".norm1", &b.PreNorm, channels)
			c.conv(at+".conv1", &b.Conv1, channels, b.Conv1.Out)
			c.norm(at+".norm2", &b.MidNorm, b.Conv1.Out)
			c.conv(at+".conv2", &b.Conv2, b.Conv1.Out, channels)
		case *Pooling:
			c.pooling(at, b, channels)
		case *Nested:
			c.norm(at+".norm1", &b.PreNorm, channels)
			c.conv(at+".conv1", &b.ConvIn, channels, b.ConvIn.Out)
			if len(b.Blocks) == 0 {
				c.fail(at, "a nested block without inner blocks")
			}
			c.blocks(at+".inner", b.Blocks, b.ConvIn.Out)
			c.norm(at+".norm2", &b.PostNorm, b.ConvIn.Out)
			c.conv(at+".conv2", &b.ConvOut, b.ConvIn.Out, channels)
		case *Attention:
			c.attention(at, b, channels)
		case *FeedForward:
			c.same(at, "channels", b.Channels, channels)
			c.rms(at+".norm", &b.Norm, channels)
			c.matmul(at+".lin1", &b.Lin1, channels, b.Hidden)
			c.matmul(at+".gate", &b.Gate, channels, b.Hidden)
			c.matmul(at+".lin2", &b.Lin2, b.Hidden, channels)
		default:
			c.fail(at, "unknown kind of block %T", b)
		}
	}
}

func (c *checker) rms(at string, v *RMSNorm, channels int) {
	c.same(at, "channels", v.Channels, channels)
	c.finite(at, v.Weights, channels)
}

func (c *checker) pooling(at string, b *Pooling, channels int) {
	mid, pooled := b.ConvR.Out, b.ConvG.Out
	c.norm(at+".norm1", &b.PreNorm, channels)
	c.conv(at+".conv1", &b.ConvR, channels, mid)
	c.conv(at+".convg", &b.ConvG, channels, pooled)
	c.norm(at+".gnorm", &b.GNorm, pooled)
	c.matmul(at+".gmul", &b.GMul, 3*pooled, mid)
	c.norm(at+".norm2", &b.MidNorm, mid)
	c.conv(at+".conv2", &b.Conv2, mid, channels)
}

func (c *checker) attention(at string, b *Attention, channels int) {
	if b.Heads < 1 || b.KVHeads < 1 || b.Heads%b.KVHeads != 0 {
		c.fail(at, "%d heads do not share %d key/value heads evenly", b.Heads, b.KVHeads)
		return
	}
	c.rms(at+".norm", &b.Norm, channels)
	c.matmul(at+".q", &b.Q, channels, b.Heads*b.QDim)
	c.matmul(at+".k", &b.K, channels, b.KVHeads*b.QDim)
	c.matmul(at+".v", &b.V, channels, b.KVHeads*b.VDim)
	c.matmul(at+".o", &b.O, b.Heads*b.VDim, channels)
	if !b.UseRope {
		return
	}
	if b.QDim%2 != 0 {
		c.fail(at, "query width %d is odd, which rope cannot rotate", b.QDim)
	}
	if b.Learned {
		c.same(at+".rope", "key/value heads", b.Rope.KVHeads, b.KVHeads)
		c.same(at+".rope", "pairs", b.Rope.Pairs, b.QDim/2)
		c.finite(at+".rope", b.Rope.Freqs, b.KVHeads*b.QDim)
	}
}

func (c *checker) policy(p *PolicyHead, channels, version int) {
	if want := policyChannels(version); want != 0 {
		c.same("policy", "channels", p.Channels, want)
	} else if p.Channels != 2 && p.Channels != 4 {
		c.fail("policy", "%d channels, should be 2 or 4", p.Channels)
	}
	c.conv("policy.p1", &p.P1, channels, p.P1.Out)
	c.conv("policy.g1", &p.G1, channels, p.G1.Out)
	c.norm("policy.gnorm", &p.GNorm, p.G1.Out)
	c.matmul("policy.gmul", &p.GMul, 3*p.G1.Out, p.P1.Out)
	c.norm("policy.pnorm", &p.PNorm, p.P1.Out)
	c.conv("policy.p2", &p.P2, p.P1.Out, p.Channels)
	if version < 15 {
		c.matmul("policy.pass1", &p.Pass1, 3*p.G1.Out, p.Channels)
		return
	}
	c.matmul("policy.pass1", &p.Pass1, 3*p.G1.Out, p.P1.Out)
	c.bias("policy.pass_bias", &p.PassBias, p.P1.Out)
	c.matmul("policy.pass2", &p.Pass2, p.P1.Out, p.Channels)
}

func (c *checker) value(v *ValueHead, channels, version int) {
	c.conv("value.v1", &v.V1, channels, v.V1.Out)
	c.norm("value.vnorm", &v.VNorm, v.V1.Out)
	c.matmul("value.m2", &v.M2, 3*v.V1.Out, v.M2.Out)
	c.bias("value.b2", &v.B2, v.M2.Out)
	c.matmul("value.m3", &v.M3, v.M2.Out, 3)
	c.bias("value.b3", &v.B3, 3)
	c.matmul("value.score", &v.Score, v.M2.Out, scoreValues(version))
	c.bias("value.score_bias", &v.ScoreBias, scoreValues(version))
	c.conv("value.ownership", &v.Ownership, v.V1.Out, 1)
}
