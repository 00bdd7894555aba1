package katago

import "math"

// transformer makes the two blocks of a layer, attention and feed-forward, as in KataGo: with RMS
// norms, learned rotation by position and SwiGLU. The output weights of both are drawn with
// scale/2.
func (f *fresh) transformer(name string, channels int, scale float64) []Block {
	heads, dim := f.arch.Heads, channels/f.arch.Heads
	hidden := (channels*8/3 + 15) / 16 * 16
	norm := func(name string) RMSNorm {
		return RMSNorm{Name: name, Channels: channels, Epsilon: 1e-6, Weights: filled(channels, 1)}
	}
	a := &Attention{Name: name + ".attn", Heads: heads, KVHeads: heads, QDim: dim, VDim: dim, UseRope: true, Learned: true,
		Norm: norm(name + ".attn.norm"),
		Q:    f.matmul(name+".attn.q_proj", channels, channels, Identity, 1),
		K:    f.matmul(name+".attn.k_proj", channels, channels, Identity, 1),
		V:    f.matmul(name+".attn.v_proj", channels, channels, Identity, 1),
		O:    f.matmul(name+".attn.out_proj", channels, channels, Identity, scale/2),
		Rope: Rope{Name: name + ".attn.rope", KVHeads: heads, Pairs: dim / 2, Freqs: f.frequencies(heads, dim/2)}}
	ffn := &FeedForward{Name: name + ".ffn", Channels: channels, Hidden: hidden, Gated: true,
		Norm: norm(name + ".ffn.norm"),
		Lin1: f.matmul(name+".ffn.linear1", channels, hidden, Identity, 1),
		Gate: f.matmul(name+".ffn.linear_gate", channels, hidden, Identity, 1),
		Lin2: f.matmul(name+".ffn.linear2", hidden, channels, SiLU, scale/2)}
	return []Block{a, ffn}
}

// frequencies returns the frequencies of the rotations: from one radian per point down to
// about a fiftieth of that, each in a random direction.
func (f *fresh) frequencies(heads, pairs int) (freqs []float32) {
	for range heads {
		for i := range pairs {
			size := math.Pow(50, -float64(i)/float64(pairs))
			y, x := math.Sincos(2 * math.Pi * f.rng.Float64())
			freqs = append(freqs, float32(size*x), float32(size*y))
		}
	}
	return freqs
}
