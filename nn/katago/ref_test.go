package katago

import (
	"math"
)

// A slow forward pass straight from the layer definitions, in float64, as an
// independent check of the graphs. Activations are [channel][point].

type plane = [][]float64

// rawOutputs are a network's outputs before any post-processing.
type rawOutputs struct {
	policy     [][]float64 // channel, then points and pass
	value      []float64
	scoreValue []float64
	ownership  []float64
}

// layerHook sees the trunk after the input layers, every block and the tip.
type layerHook func(name string, x plane)

type refNet struct {
	n    *Network
	w, h int
	hook layerHook
}

func newPlane(channels, points int) plane {
	x := make(plane, channels)
	for c := range x {
		x[c] = make([]float64, points)
	}
	return x
}

func addTo(x, y plane) {
	for c := range x {
		for p := range x[c] {
			x[c][p] += y[c][p]
		}
	}
}

func (r *refNet) forward(spatial plane, global, meta []float64) rawOutputs {
	t := &r.n.Trunk
	x := r.conv(&t.Conv, spatial)
	r.addBias(x, refMatMul(&t.Global, global))
	if m := t.Meta; m != nil {
		v := refAct(refAdd(refMatMul(&m.M1, meta), m.B1.Weights), m.A1.Kind)
		v = refAct(refAdd(refMatMul(&m.M2, v), m.B2.Weights), m.A2.Kind)
		r.addBias(x, refMatMul(&m.M3, v))
	}
	r.see("initial", x)
	r.blocks(t.Blocks, x)
	if t.NormKind == 0 {
		x = r.normAct(&t.Tip, t.TipAct, x)
	} else {
		x = r.tipRMS(t.TipRMS, t.TipAct, x)
	}
	r.see("tip", x)
	var out rawOutputs
	r.policy(x, &out)
	r.value(x, &out)
	return out
}

func (r *refNet) see(name string, x plane) {
	if r.hook != nil {
		r.hook(name, x)
	}
}

func (r *refNet) conv(c *Conv, x plane) plane {
	out := newPlane(c.Out, r.w*r.h)
	for ky := range c.KY {
		for kx := range c.KX {
			dy, dx := (ky-c.KY/2)*c.DilY, (kx-c.KX/2)*c.DilX
			x0, x1 := max(0, -dx), min(r.w, r.w-dx)
			for in := range c.In {
				for o := range c.Out {
					f := float64(c.Weights[((ky*c.KX+kx)*c.In+in)*c.Out+o])
					for y := max(0, -dy); y < min(r.h, r.h-dy) && x0 < x1; y++ {
						src := x[in][(y+dy)*r.w+x0+dx : (y+dy)*r.w+x1+dx]
						dst := out[o][y*r.w+x0:][:len(src)]
						for i, v := range src {
							dst[i] += f * v
						}
					}
				}
			}
		}
	}
	return out
}

func refActivate(x float64, a Activation) float64 {
	switch a {
	case ReLU:
		return max(x, 0)
	case Mish:
		return x * math.Tanh(math.Log1p(math.Exp(-math.Abs(x)))+max(x, 0))
	case SiLU:
		return x / (1 + math.Exp(-x))
	}
	return x
}

func refAct(v []float64, a Activation) []float64 {
	for i := range v {
		v[i] = refActivate(v[i], a)
	}
	return v
}

func refAdd(v []float64, b []float32) []float64 {
	for i := range v {
		v[i] += float64(b[i])
	}
	return v
}

func refMatMul(m *MatMul, v []float64) []float64 {
	out := make([]float64, m.Out)
	for i, f := range v {
		for o := range out {
			out[o] += f * float64(m.Weights[i*m.Out+o])
		}
	}
	return out
}

func (r *refNet) addBias(x plane, b []float64) {
	for c := range x {
		for p := range x[c] {
			x[c][p] += b[c]
		}
	}
}

func (r *refNet) normAct(n *Norm, a Act, x plane) plane {
	out := newPlane(len(x), r.w*r.h)
	for c := range x {
		scale, bias := 1.0, 0.0
		if n.HasScale {
			scale = float64(n.Scale[c])
		}
		if n.HasBias {
			bias = float64(n.Bias[c])
		}
		m := scale / math.Sqrt(float64(n.Var[c])+n.Epsilon)
		for p, v := range x[c] {
			out[c][p] = refActivate(m*(v-float64(n.Mean[c]))+bias, a.Kind)
		}
	}
	return out
}

func (r *refNet) pool(x plane, value bool) []float64 {
	n := len(x)
	out := make([]float64, 3*n)
	s := math.Sqrt(float64(r.w * r.h))
	for c := range x {
		sum, top := 0.0, -1.0
		for _, v := range x[c] {
			sum += v
			top = max(top, v)
		}
		mean := sum / float64(r.w*r.h)
		out[c], out[n+c], out[2*n+c] = mean, mean*(s-14)*0.1, top
		if value {
			out[2*n+c] = mean * ((s-14)*(s-14)*0.01 - 0.1)
		}
	}
	return out
}

func (r *refNet) blocks(list []Block, x plane) {
	for _, b := range list {
		switch b := b.(type) {
		case *Ordinary:
			v := r.conv(&b.Conv1, r.normAct(&b.PreNorm, b.PreAct, x))
			addTo(x, r.conv(&b.Conv2, r.normAct(&b.MidNorm, b.MidAct, v)))
		case *Pooling:
			p := r.normAct(&b.PreNorm, b.PreAct, x)
			g := r.normAct(&b.GNorm, b.GAct, r.conv(&b.ConvG, p))
			v := r.conv(&b.ConvR, p)
			r.addBias(v, refMatMul(&b.GMul, r.pool(g, false)))
			addTo(x, r.conv(&b.Conv2, r.normAct(&b.MidNorm, b.MidAct, v)))
		case *Nested:
			z := r.conv(&b.ConvIn, r.normAct(&b.PreNorm, b.PreAct, x))
			r.blocks(b.Blocks, z)
			addTo(x, r.conv(&b.ConvOut, r.normAct(&b.PostNorm, b.PostAct, z)))
		case *Attention:
			addTo(x, r.attention(b, x))
		case *FeedForward:
			n := r.rms(&b.Norm, x)
			u, g := r.project(&b.Lin1, n), r.project(&b.Gate, n)
			for c := range u {
				for p := range u[c] {
					u[c][p] = refActivate(u[c][p], SiLU) * g[c][p]
				}
			}
			addTo(x, r.project(&b.Lin2, u))
		}
		r.see(b.Label(), x)
	}
}

func (r *refNet) rms(n *RMSNorm, x plane) plane {
	out := newPlane(len(x), r.w*r.h)
	for p := range r.w * r.h {
		sum := 0.0
		for c := range x {
			sum += x[c][p] * x[c][p]
		}
		d := math.Sqrt(sum/float64(len(x)) + n.Epsilon)
		for c := range x {
			out[c][p] = x[c][p] / d * float64(n.Weights[c])
		}
	}
	return out
}

// project applies a matrix at every point.
func (r *refNet) project(m *MatMul, x plane) plane {
	out := newPlane(m.Out, r.w*r.h)
	for i := range x {
		for o := range out {
			f := float64(m.Weights[i*m.Out+o])
			for p, v := range x[i] {
				out[o][p] += f * v
			}
		}
	}
	return out
}

func (r *refNet) rotate(k *Attention, x plane, heads int) {
	pairs := k.QDim / 2
	for c := 0; c < len(x); c += 2 {
		head, pair := c/k.QDim, c%k.QDim/2
		for p := range r.w * r.h {
			col, row := float64(p%r.w), float64(p/r.w)
			var a float64
			switch half := pairs / 2; {
			case k.Learned:
				j := (head*k.KVHeads/heads*pairs + pair) * 2
				a = col*float64(k.Rope.Freqs[j]) + row*float64(k.Rope.Freqs[j+1])
			case pair < half:
				a = row * math.Pow(k.Rope.Theta, -2*float64(pair)/float64(pairs))
			default:
				a = col * math.Pow(k.Rope.Theta, -2*float64(pair-half)/float64(pairs))
			}
			sin, cos := math.Sincos(a)
			u, w := x[c][p], x[c+1][p]
			x[c][p], x[c+1][p] = u*cos-w*sin, u*sin+w*cos
		}
	}
}

func (r *refNet) attention(k *Attention, x plane) plane {
	n := r.rms(&k.Norm, x)
	q, key, val := r.project(&k.Q, n), r.project(&k.K, n), r.project(&k.V, n)
	if k.UseRope {
		r.rotate(k, q, k.Heads)
		r.rotate(k, key, k.KVHeads)
	}
	points := r.w * r.h
	out := newPlane(k.Heads*k.VDim, points)
	weights := make([]float64, points)
	for h := range k.Heads {
		kv := h / (k.Heads / k.KVHeads)
		for p := range points {
			top := math.Inf(-1)
			for s := range points {
				dot := 0.0
				for d := range k.QDim {
					dot += q[h*k.QDim+d][p] * key[kv*k.QDim+d][s]
				}
				weights[s] = dot / math.Sqrt(float64(k.QDim))
				top = max(top, weights[s])
			}
			sum := 0.0
			for s := range weights {
				weights[s] = math.Exp(weights[s] - top)
				sum += weights[s]
			}
			for d := range k.VDim {
				acc := 0.0
				for s, f := range weights {
					acc += f * val[kv*k.VDim+d][s]
				}
				out[h*k.VDim+d][p] = acc / sum
			}
		}
	}
	return r.project(&k.O, out)
}

func (r *refNet) tipRMS(t *TipRMS, a Act, x plane) plane {
	points := r.w * r.h
	out := newPlane(len(x), points)
	all := 0.0
	perPoint := make([]float64, points)
	for c := range x {
		for p, v := range x[c] {
			perPoint[p] += v * v
			all += v * v
		}
	}
	for c := range x {
		for p, v := range x[c] {
			d := perPoint[p] / float64(len(x))
			if t.Spatial != 0 {
				d = all / float64(len(x)*points)
			}
			v = v/math.Sqrt(d+t.Epsilon)*float64(t.Gamma[c]) + float64(t.Beta[c])
			out[c][p] = refActivate(v, a.Kind)
		}
	}
	return out
}

func (r *refNet) policy(x plane, out *rawOutputs) {
	h := &r.n.Policy
	g := r.pool(r.normAct(&h.GNorm, h.GAct, r.conv(&h.G1, x)), false)
	p := r.conv(&h.P1, x)
	r.addBias(p, refMatMul(&h.GMul, g))
	logits := r.conv(&h.P2, r.normAct(&h.PNorm, h.PAct, p))
	pass := refMatMul(&h.Pass1, g)
	if r.n.Header.Version >= 15 {
		pass = refMatMul(&h.Pass2, refAct(refAdd(pass, h.PassBias.Weights), h.PassAct.Kind))
	}
	for c := range logits {
		out.policy = append(out.policy, append(logits[c], pass[c]))
	}
}

func (r *refNet) value(x plane, out *rawOutputs) {
	h := &r.n.Value
	y := r.normAct(&h.VNorm, h.VAct, r.conv(&h.V1, x))
	v := refAct(refAdd(refMatMul(&h.M2, r.pool(y, true)), h.B2.Weights), h.A2.Kind)
	out.value = refAdd(refMatMul(&h.M3, v), h.B3.Weights)
	out.scoreValue = refAdd(refMatMul(&h.Score, v), h.ScoreBias.Weights)
	out.ownership = r.conv(&h.Ownership, y)[0]
}
