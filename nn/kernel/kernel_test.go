//go:build cgo || js

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// reference computes a layer by the definition, in float64.
func reference(s Shape, weights []float32, c Call) (y, sum []float64) {
	r := s.Size / 2
	at := func(n, h, w, i int) float64 {
		if h < 0 || h >= c.H || w < 0 || w >= c.W {
			return 0
		}
		if s.Planes {
			return float64(c.X[((n*s.In+i)*c.H+h)*c.W+w])
		}
		return float64(c.X[((n*c.H+h)*c.W+w)*s.In+i])
	}
	for n := range c.N {
		for p := range c.H * c.W {
			norm := 1.0
			if s.Epsilon > 0 {
				squares := 0.0
				for i := range s.In {
					squares += at(n, p/c.W, p%c.W, i) * at(n, p/c.W, p%c.W, i)
				}
				norm = 1 / math.Sqrt(squares/float64(s.In)+float64(s.Epsilon))
			}
			for o := range s.Out {
				total := 0.0
				for k := range s.Size * s.Size {
					for i := range s.In {
						total += at(n, p/c.W+k/s.Size-r, p%c.W+k%s.Size-r, i) * float64(weights[(o*s.In+i)*s.Size*s.Size+k])
					}
				}
				total *= norm
				if len(c.Bias) == s.Out {
					total += float64(c.Bias[o])
				} else if c.Bias != nil {
					total += float64(c.Bias[n*s.Out+o])
				}
				if c.Residual != nil {
					total += float64(c.Residual[(n*c.H*c.W+p)*s.Out+o])
				}
				sum = append(sum, total)
				if s.Scale != nil {
					total *= float64(s.Scale[o])
				}
				if s.Shift != nil {
					total += float64(s.Shift[o])
				}
				y = append(y, activate(s.Activation, total))
			}
		}
	}
	if s.Activation == SwiGLU {
		return gated(sum, s.Out), sum
	}
	return y, sum
}

// gated returns silu(s)*t for the halves s and t of each point's values.
func gated(sum []float64, out int) (y []float64) {
	for at := 0; at < len(sum); at += out {
		for o := range out / 2 {
			y = append(y, activate(SiLU, sum[at+o])*sum[at+out/2+o])
		}
	}
	return y
}

func activate(a Activation, x float64) float64 {
	switch a {
	case ReLU:
		return max(x, 0)
	case Mish:
		return x * math.Tanh(math.Log1p(math.Exp(x)))
	case SiLU:
		return x / (1 + math.Exp(-x))
	}
	return x
}

func normal(rng *rand.Rand, n int, scale float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64() * scale)
	}
	return v
}

// relative returns the root mean square of the differences, relative to that of want.
func relative(want []float64, got []float32) float64 {
	off, all := 0.0, 1e-30
	for i, x := range want {
		off += (x - float64(got[i])) * (x - float64(got[i]))
		all += x * x
	}
	return math.Sqrt(off / all)
}

// allowed relative error of each precision
var allowed = map[Precision]float64{Float32: 1e-5, Int16: 4e-3}

// everywhere runs a test for each available instruction set and precision.
func everywhere(t *testing.T, test func(t *testing.T, isa ISA, p Precision)) {
	for _, isa := range Available() {
		for _, p := range []Precision{Float32, Int16} {
			if p == Int16 && !isa.Integers() {
				continue
			}
			t.Run(fmt.Sprintf("%v/%d", isa, p), func(t *testing.T) { test(t, isa, p) })
		}
	}
}

// TestLayers compares layers of every kind with the reference.
func TestLayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, c := range []struct {
		in, out, size, n, h, w int
		planes                 bool
	}{
		{32, 32, 3, 2, 9, 9, false}, {96, 64, 3, 1, 19, 19, false}, {64, 96, 3, 2, 13, 13, false},
		{17, 5, 3, 2, 7, 11, false}, {1, 1, 3, 1, 2, 2, false}, {48, 80, 3, 1, 25, 2, false}, {130, 33, 3, 5, 4, 5, false},
		{64, 32, 1, 2, 9, 9, false}, {3, 200, 1, 1, 19, 19, false}, {300, 7, 1, 9, 1, 3, false},
		{22, 96, 5, 2, 9, 9, true}, {7, 64, 3, 3, 6, 10, true}, {22, 33, 1, 1, 19, 19, true}, {70, 40, 3, 2, 5, 7, true},
	} {
		for _, a := range []Activation{Identity, ReLU, Mish, SiLU} {
			s := Shape{In: c.in, Out: c.out, Size: c.size, Activation: a, Planes: c.planes}
			area := c.n * c.h * c.w
			call := Call{N: c.n, H: c.h, W: c.w, X: normal(rng, area*c.in, 1)}
			weights := normal(rng, c.in*c.out*c.size*c.size, 1/math.Sqrt(float64(c.in*c.size*c.size)))
			if a != Identity { // with all options of a layer
				s.Scale, s.Shift = normal(rng, c.out, 1), normal(rng, c.out, 1)
				call.Bias, call.Residual = normal(rng, c.n*c.out, 1), normal(rng, area*c.out, 1)
			}
			if a == ReLU {
				call.Bias = call.Bias[:c.out]
			}
			if c.planes {
				fillPlanes(rng, call.X, c.h*c.w)
			}
			y, sum := reference(s, weights, call)
			everywhere(t, func(t *testing.T, isa ISA, p Precision) {
				s, call := s, call
				s.Precision = p
				call.Y, call.Sum = make([]float32, area*c.out), make([]float32, area*c.out)
				runLayer(t, isa, s, weights, call)
				require.Less(t, relative(y, call.Y), allowed[p], "%+v %v", c, a)
				require.Less(t, relative(sum, call.Sum), allowed[p], "%+v %v", c, a)
				if call.Residual == nil {
					return
				}
				once := call.Y
				copy(call.Sum, call.Residual)
				call.Residual, call.Y = call.Sum, make([]float32, len(call.Y))
				runLayer(t, isa, s, weights, call)
				require.Equal(t, once, call.Y, "the residual may be the sum")
			})
		}
	}
}

// fillPlanes fills planes like a board's: zeros and ones, a constant, or arbitrary values.
func fillPlanes(rng *rand.Rand, x []float32, area int) {
	for at := 0; at < len(x); at += area {
		kind := rng.IntN(4)
		for i := range area {
			switch kind {
			case 0:
				x[at+i] = float32(rng.IntN(2))
			case 1:
				x[at+i] = 0
			case 2:
				x[at+i] = 0.5
			}
		}
	}
}

// TestTokens compares the product of weights and tokens, also with norm and gate, with the reference.
func TestTokens(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	for _, c := range []struct {
		in, out, n, tokens int
		epsilon            float32
		activation         Activation
	}{
		{96, 288, 2, 81, 1e-6, Identity}, {96, 512, 1, 361, 1e-6, SwiGLU}, {192, 1024, 1, 50, 0, SwiGLU}, {20, 14, 3, 9, 1e-3, SwiGLU},
		{33, 6, 1, 5, 1, SiLU}, {256, 96, 1, 81, 0, Identity}, {8, 2, 1, 4, 1e-6, SwiGLU}, {16, 1600, 1, 7, 0, Identity},
	} {
		s := Shape{In: c.in, Out: c.out, Size: 1, Epsilon: c.epsilon, Activation: c.activation}
		call := Call{N: c.n, H: c.tokens, W: 1, X: normal(rng, c.n*c.tokens*c.in, 1)}
		for i := range call.X { // tokens of different scales
			call.X[i] *= float32(1 + i/c.in%5)
		}
		if c.activation != SwiGLU {
			call.Bias, call.Residual = normal(rng, c.out, 1), normal(rng, c.n*c.tokens*c.out, 1)
		}
		weights := normal(rng, c.in*c.out, 1/math.Sqrt(float64(c.in)))
		want, _ := reference(s, weights, call)
		everywhere(t, func(t *testing.T, isa ISA, p Precision) {
			s, call := s, call
			s.Precision, call.Y = p, make([]float32, len(want))
			runLayer(t, isa, s, weights, call)
			require.Less(t, relative(want, call.Y), map[Precision]float64{Float32: 1e-5, Int16: 6e-4}[p], "%+v", c)
		})
	}
}

// TestNothingOverflows: results are right where sums come as close to their bound as possible
// (weights and inputs of one magnitude, products of one sign at each point), for very large and
// very small values, and where only a few inputs are large.
func TestNothingOverflows(t *testing.T) {
	const out, side = 4, 6
	for _, in := range []int{16, 64, 96, 256, 384} {
		for _, size := range []int{1, 3} {
			for name, at := range map[string]func(i int) (w, x float32){
				"all one":      func(int) (w, x float32) { return 1, 1 },
				"all minus":    func(int) (w, x float32) { return -1, 1 },
				"alternating":  func(i int) (w, x float32) { s := float32(1 - 2*(i%2)); return s, s },
				"huge":         func(int) (w, x float32) { return 1e12, 1e12 },
				"tiny":         func(int) (w, x float32) { return 1e-12, 1e-12 },
				"one of many":  func(i int) (w, x float32) { return 1, float32(1000 * ((i % 7) / 6)) },
				"checkerboard": func(i int) (w, x float32) { return 1, 1 },
			} {
				weights, x := make([]float32, out*in*size*size), make([]float32, side*side*in)
				for i := range weights {
					weights[i], _ = at(i / (size * size) % in)
				}
				for i := range x {
					_, x[i] = at(i % in)
					if pt := i / in; name == "checkerboard" && (pt/side+pt%side)%2 == 1 {
						x[i] = -x[i]
					}
				}
				s := Shape{In: in, Out: out, Size: size}
				c := Call{N: 1, H: side, W: side, X: x}
				want, _ := reference(s, weights, c)
				w, v := at(6) // the largest weight and input of every pattern
				most := math.Abs(float64(w)*float64(v)) * float64(in*size*size)
				everywhere(t, func(t *testing.T, isa ISA, p Precision) {
					s, c := s, c
					s.Precision, c.Y = p, make([]float32, side*side*out)
					runLayer(t, isa, s, weights, c)
					for i := range want {
						require.InDelta(t, want[i], float64(c.Y[i]), 4e-3*most, "%s, %d channels, size %d", name, in, size)
					}
				})
			}
		}
	}
}

// TestBoardsDoNotMeet: a board's result does not depend on the rest of its batch.
func TestBoardsDoNotMeet(t *testing.T) {
	everywhere(t, func(t *testing.T, isa ISA, p Precision) {
		rng := rand.New(rand.NewPCG(2, 0))
		for _, size := range []int{1, 3} {
			const in, out, n, side = 48, 64, 11, 9
			s := Shape{In: in, Out: out, Size: size, Precision: p, Activation: ReLU}
			weights := normal(rng, in*out*size*size, 1)
			x, y := normal(rng, n*side*side*in, 1), make([]float32, n*side*side*out)
			for i := range side * side * in { // one board has much larger values than the others
				x[i] *= 1000
			}
			runLayer(t, isa, s, weights, Call{N: n, H: side, W: side, X: x, Y: y})
			for b := range n {
				alone := make([]float32, side*side*out)
				runLayer(t, isa, s, weights, Call{N: 1, H: side, W: side, X: x[b*side*side*in:][:side*side*in], Y: alone})
				require.Equal(t, alone, y[b*side*side*out:][:len(alone)], "board %d", b)
			}
		}
	})
}

// TestNoNumberStaysNone: NaN or infinity in an input gives NaN or infinity in the output.
func TestNoNumberStaysNone(t *testing.T) {
	everywhere(t, func(t *testing.T, isa ISA, p Precision) {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
			weights := normal(rand.New(rand.NewPCG(3, 0)), 16*16*9, 1)
			x, y := make([]float32, 25*16), make([]float32, 25*16)
			x[12*16] = bad
			runLayer(t, isa, Shape{In: 16, Out: 16, Size: 3, Precision: p}, weights, Call{N: 1, H: 5, W: 5, X: x, Y: y})
			require.True(t, math.IsNaN(float64(y[12*16])) || math.IsInf(float64(y[12*16]), 0), "%v became %v", bad, y[12*16])
		}
	})
}

// BenchmarkLayer reports products per second, counted as in a direct convolution.
func BenchmarkLayer(b *testing.B) {
	for _, isa := range Available() {
		for _, p := range []Precision{Float32, Int16} {
			if isa == Portable || p == Int16 && !isa.Integers() {
				continue
			}
			for _, side := range []int{9, 13, 19} {
				for _, channels := range []int{32, 64, 96, 128, 192} {
					for _, n := range []int{1, 8} {
						b.Run(fmt.Sprintf("%v/%d/%dx%d/%dch/batch%d", isa, p, side, side, channels, n), func(b *testing.B) {
							rng := rand.New(rand.NewPCG(1, 1))
							s, weights := Shape{In: channels, Out: channels, Size: 3, Precision: p, Activation: ReLU}, normal(rng, 9*channels*channels, 0.1)
							x := normal(rng, n*side*side*channels, 1)
							loop(b, layerStep(isa, &s, weights, Call{N: n, H: side, W: side, X: x, Y: make([]float32, len(x))}))
							macs := 9 * float64(n*side*side*channels*channels)
							b.ReportMetric(macs*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
						})
					}
				}
			}
		}
	}
}
