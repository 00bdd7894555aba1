//go:build cgo || js

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// attentionReference computes attention by the definition, in float64.
func attentionReference(a Attention, c AttentionCall) []float64 {
	row := a.Heads*a.QDim + a.KVHeads*(a.QDim+a.VDim)
	y := make([]float64, c.N*c.Tokens*a.Heads*a.VDim)
	for n := range c.N {
		x := c.X[n*c.Tokens*row:][:c.Tokens*row]
		// turned returns a rotated query or key at an offset of a token's row.
		turned := func(token, offset, kv int) []float64 {
			v := make([]float64, a.QDim)
			for i := range v {
				v[i] = float64(x[token*row+offset+i])
			}
			half := a.QDim / 2
			for i := 0; c.Cosines != nil && i < half; i++ {
				at := (token*a.KVHeads+kv)*half + i
				cos, sin := float64(c.Cosines[at]), float64(c.Sines[at])
				v[i], v[half+i] = v[i]*cos-v[half+i]*sin, v[i]*sin+v[half+i]*cos
			}
			return v
		}
		for h := range a.Heads {
			kv := h / (a.Heads / a.KVHeads)
			keys := make([][]float64, c.Tokens)
			for t := range keys {
				keys[t] = turned(t, a.Heads*a.QDim+kv*a.QDim, kv)
			}
			for t := range c.Tokens {
				q := turned(t, h*a.QDim, kv)
				scores, top := make([]float64, c.Tokens), math.Inf(-1)
				for s := range scores {
					for i := range q {
						scores[s] += q[i] * keys[s][i]
					}
					top = max(top, scores[s])
				}
				sum := 0.0
				for s := range scores {
					scores[s] = math.Exp(scores[s] - top)
					sum += scores[s]
				}
				for s, p := range scores {
					values := x[s*row+a.Heads*a.QDim+a.KVHeads*a.QDim+kv*a.VDim:]
					for o := range a.VDim {
						y[((n*c.Tokens+t)*a.Heads+h)*a.VDim+o] += p / sum * float64(values[o])
					}
				}
			}
		}
	}
	return y
}

// turns returns cosines and sines of random angles.
func turns(rng *rand.Rand, n int) (cosines, sines []float32) {
	for range n {
		s, c := math.Sincos(rng.Float64() * 20)
		cosines, sines = append(cosines, float32(c)), append(sines, float32(s))
	}
	return cosines, sines
}

func TestAttention(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, c := range []struct {
		Attention
		n, tokens int
		turn      bool
	}{
		{Attention{Heads: 3, KVHeads: 3, QDim: 32, VDim: 32}, 2, 81, true},
		{Attention{Heads: 6, KVHeads: 3, QDim: 32, VDim: 16}, 1, 361, true},
		{Attention{Heads: 2, KVHeads: 1, QDim: 10, VDim: 7}, 2, 37, true},
		{Attention{Heads: 1, KVHeads: 1, QDim: 5, VDim: 33}, 1, 16, false},
		{Attention{Heads: 4, KVHeads: 2, QDim: 64, VDim: 64}, 1, 49, false},
		{Attention{Heads: 1, KVHeads: 1, QDim: 1, VDim: 1}, 3, 1, false},
	} {
		row := c.Heads*c.QDim + c.KVHeads*(c.QDim+c.VDim)
		call := AttentionCall{N: c.n, Tokens: c.tokens, X: normal(rng, c.n*c.tokens*row, 1)}
		if c.turn {
			call.Cosines, call.Sines = turns(rng, c.tokens*c.KVHeads*(c.QDim/2))
		}
		want := attentionReference(c.Attention, call)
		everywhere(t, func(t *testing.T, isa ISA, p Precision) {
			a, call := c.Attention, call
			a.Precision, call.Y = p, make([]float32, len(want))
			require.NoError(t, a.Run(isa, call))
			require.Less(t, relative(want, call.Y), map[Precision]float64{Float32: 1e-5, Int16: 6e-4}[p], "%+v", c)
		})
	}
}

// TestAttentionAtItsBounds: errors stay small at extreme scores and values: equal scores, one score
// far above the rest, scores far apart, and one value much larger than the others.
func TestAttentionAtItsBounds(t *testing.T) {
	const dim, tokens = 32, 361
	a := Attention{Heads: 1, KVHeads: 1, QDim: dim, VDim: dim}
	rng := rand.New(rand.NewPCG(2, 0))
	for name, fill := range map[string]func(token, i int) (q, k, v float32){
		"flat":        func(_, _ int) (q, k, v float32) { return 0, 1, 1 },
		"all alike":   func(_, _ int) (q, k, v float32) { return 1, 1, -1 },
		"far apart":   func(t, i int) (q, k, v float32) { return 5, 5 * float32(1-2*(t%2)), float32(t) },
		"one hot":     func(t, i int) (q, k, v float32) { return hot(t, i, 30), hot(t, i, 30), float32(t % 7) },
		"zeros":       func(_, _ int) (q, k, v float32) { return 0, 0, 0 },
		"tiny":        func(t, i int) (q, k, v float32) { return 1e-20, 1e-20, 1e-20 * float32(t%3) },
		"huge values": func(t, i int) (q, k, v float32) { return 1, 1, 1e15 * float32(1-2*(t%2)) },
		"one outlier": func(t, i int) (q, k, v float32) { return hot(t, i, 1), 1, 1 + 999*hot(t, 3, 1)*hot(i, 4, 1) },
		"alternating": func(t, i int) (q, k, v float32) { s := float32(1 - 2*(i%2)); return s, s, s },
	} {
		call := AttentionCall{N: 1, Tokens: tokens, X: make([]float32, tokens*3*dim)}
		for token := range tokens {
			for i := range dim {
				q, k, v := fill(token, i)
				call.X[token*3*dim+i], call.X[token*3*dim+dim+i], call.X[token*3*dim+2*dim+i] = q, k, v
			}
		}
		call.Cosines, call.Sines = turns(rng, tokens*dim/2)
		for i := range call.Cosines { // equal angles for every token, so that equal numbers stay equal
			call.Cosines[i], call.Sines[i] = call.Cosines[i%(dim/2)], call.Sines[i%(dim/2)]
		}
		want, top := attentionReference(a, call), 1e-30
		for i := 2 * dim; i < len(call.X); i++ {
			if i%(3*dim) >= 2*dim {
				top = max(top, math.Abs(float64(call.X[i])))
			}
		}
		everywhere(t, func(t *testing.T, isa ISA, p Precision) {
			a, call := a, call
			a.Precision, call.Y = p, make([]float32, len(want))
			require.NoError(t, a.Run(isa, call))
			for i := range want {
				require.InDelta(t, want[i]/top, float64(call.Y[i])/top, 6e-4, "%s, %d", name, i)
			}
		})
	}
}

// hot is size if t and i agree modulo 16, else 0.
func hot(t, i int, size float32) float32 {
	if t%16 == i%16 {
		return size
	}
	return 0
}

// TestAttentionOfNoNumbers: NaN or infinity in an input gives NaN or infinity in the output.
func TestAttentionOfNoNumbers(t *testing.T) {
	everywhere(t, func(t *testing.T, isa ISA, p Precision) {
		const dim, tokens = 16, 20
		for part := range 3 { // a query, a key, a value
			for _, bad := range []float64{math.NaN(), math.Inf(1)} {
				x := normal(rand.New(rand.NewPCG(3, 0)), tokens*3*dim, 1)
				x[7*3*dim+part*dim] = float32(bad)
				y := make([]float32, tokens*dim)
				require.NoError(t, Attention{Heads: 1, KVHeads: 1, QDim: dim, VDim: dim, Precision: p}.Run(isa, AttentionCall{N: 1, Tokens: tokens, X: x, Y: y}))
				v := float64(y[7*dim])
				require.True(t, math.IsNaN(v) || math.IsInf(v, 0), "%v in part %d became %v", bad, part, v)
			}
		}
	})
}
