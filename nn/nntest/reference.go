package nntest

import (
	"math"
	"math/rand/v2"
	"slices"

	"kosumi/nn/onnx"
)

// array is a tensor of one row, without the batch dimension.
type array struct {
	dims []int
	data []float64
}

func newArray(dims ...int) array {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return array{dims, make([]float64, n)}
}

// twin builds a network twice at once: as an ONNX graph and as steps that
// compute it in Go.
type twin struct {
	b     *onnx.Builder
	rng   *rand.Rand
	steps []func(v values)
}

// values are the arrays of one evaluation by the name of their value.
type values map[onnx.Value]array

func newTwin(name string, opset int64, seed uint64) *twin {
	return &twin{b: onnx.NewBuilder(name, opset), rng: rand.New(rand.NewPCG(seed, 7))}
}

// step records how out follows from in.
func (t *twin) step(out onnx.Value, f func(v values) array) onnx.Value {
	t.steps = append(t.steps, func(v values) { v[out] = f(v) })
	return out
}

// weights draws normal numbers of the given spread and stores them in the graph.
func (t *twin) weights(name string, spread float64, dims ...int64) (onnx.Value, []float64) {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	w32, w64 := make([]float32, n), make([]float64, n)
	for i := range w32 {
		w32[i] = float32(t.rng.NormFloat64() * spread)
		w64[i] = float64(w32[i])
	}
	return t.b.Floats(name, w32, dims...), w64
}

// conv is a convolution with a square kernel of odd width k that keeps the
// board's size, and a bias.
func (t *twin) conv(name string, x onnx.Value, in, out, k int) onnx.Value {
	w, wf := t.weights(name+".weight", math.Sqrt(2/float64(in*k*k)), int64(out), int64(in), int64(k), int64(k))
	c, cf := t.weights(name+".bias", 0.2, int64(out))
	return t.step(t.b.Conv(x, w, c), func(v values) array { return convolve(v[x], wf, cf, out, k) })
}

func convolve(x array, w, bias []float64, out, k int) array {
	in, h, wd := x.dims[0], x.dims[1], x.dims[2]
	y := newArray(out, h, wd)
	for o := range out {
		for r := range h {
			for c := range wd {
				sum := bias[o]
				for i := range in {
					sum += window(x, w[(o*in+i)*k*k:], i, r-k/2, c-k/2, k)
				}
				y.data[(o*h+r)*wd+c] = sum
			}
		}
	}
	return y
}

// window is the product of a kernel with plane i of x, the kernel's corner at
// row r, column c; outside the board all is 0.
func window(x array, w []float64, i, r, c, k int) float64 {
	h, wd := x.dims[1], x.dims[2]
	sum := 0.0
	for dr := range k {
		for dc := range k {
			if rr, cc := r+dr, c+dc; rr >= 0 && rr < h && cc >= 0 && cc < wd {
				sum += w[dr*k+dc] * x.data[(i*h+rr)*wd+cc]
			}
		}
	}
	return sum
}

// norm is a BatchNormalization in its inference form.
func (t *twin) norm(name string, x onnx.Value, channels int) onnx.Value {
	const epsilon = 1e-4
	n := int64(channels)
	scale, sf := t.weights(name+".scale", 0.7, n)
	bias, bf := t.weights(name+".bias", 0.3, n)
	mean, mf := t.weights(name+".mean", 0.3, n)
	vf := make([]float64, channels)
	v32 := make([]float32, channels)
	for i := range v32 {
		v32[i] = 0.5 + t.rng.Float32()
		vf[i] = float64(v32[i])
	}
	variance := t.b.Floats(name+".variance", v32, n)
	return t.step(t.b.BatchNorm(x, scale, bias, mean, variance, epsilon), func(v values) array {
		in := v[x]
		y := newArray(in.dims...)
		plane := in.dims[1] * in.dims[2]
		for i, xi := range in.data {
			c := i / plane
			y.data[i] = (xi-mf[c])/math.Sqrt(vf[c]+epsilon)*sf[c] + bf[c]
		}
		return y
	})
}

// dense is x·Wᵀ + bias with W stored [out,in].
func (t *twin) dense(name string, x onnx.Value, in, out int) onnx.Value {
	w, wf := t.weights(name+".weight", math.Sqrt(1/float64(in)), int64(out), int64(in))
	c, cf := t.weights(name+".bias", 0.2, int64(out))
	return t.step(t.b.Gemm(x, w, c, true), func(v values) array { return multiply(v[x], wf, cf, out) })
}

// matmul is x·W without bias, W stored [in,out].
func (t *twin) matmul(name string, x onnx.Value, in, out int) onnx.Value {
	w, wf := t.weights(name+".weight", math.Sqrt(1/float64(in)), int64(in), int64(out))
	across := make([]float64, len(wf))
	for i := range in {
		for o := range out {
			across[o*in+i] = wf[i*out+o]
		}
	}
	return t.step(t.b.MatMul(x, w), func(v values) array { return multiply(v[x], across, make([]float64, out), out) })
}

func multiply(x array, w, bias []float64, out int) array {
	y := newArray(out)
	for o := range out {
		sum := bias[o]
		for i, xi := range x.data {
			sum += xi * w[o*len(x.data)+i]
		}
		y.data[o] = sum
	}
	return y
}

// each applies f to every value.
func (t *twin) each(x, y onnx.Value, f func(float64) float64) onnx.Value {
	return t.step(y, func(v values) array {
		in := v[x]
		out := newArray(in.dims...)
		for i, xi := range in.data {
			out.data[i] = f(xi)
		}
		return out
	})
}

func (t *twin) relu(x onnx.Value) onnx.Value {
	return t.each(x, t.b.Relu(x), func(f float64) float64 { return max(f, 0) })
}

func (t *twin) tanh(x onnx.Value) onnx.Value { return t.each(x, t.b.Tanh(x), math.Tanh) }

func (t *twin) mish(x onnx.Value) onnx.Value {
	return t.each(x, t.b.Mish(x), func(f float64) float64 { return f * math.Tanh(math.Log1p(math.Exp(f))) })
}

func (t *twin) scale(x onnx.Value, by float64) onnx.Value {
	return t.each(x, t.b.Mul(x, t.b.Scalar(by)), func(f float64) float64 { return f * float64(float32(by)) })
}

// square multiplies a value with itself.
func (t *twin) square(x onnx.Value) onnx.Value {
	return t.each(x, t.b.Mul(x, x), func(f float64) float64 { return f * f })
}

// add adds y to x; a y of one value a channel, [C,1,1], is added to each point.
func (t *twin) add(x, y onnx.Value) onnx.Value {
	return t.step(t.b.Add(x, y), func(v values) array {
		a, b := v[x], v[y]
		out := newArray(a.dims...)
		per := len(a.data) / len(b.data)
		for i := range out.data {
			out.data[i] = a.data[i] + b.data[i/per]
		}
		return out
	})
}

// pools returns the mean and the maximum of each channel, [C,1,1].
func (t *twin) pools(x onnx.Value) (mean, most onnx.Value) {
	over := func(f func([]float64) float64) func(v values) array {
		return func(v values) array {
			in := v[x]
			y := newArray(in.dims[0], 1, 1)
			plane := in.dims[1] * in.dims[2]
			for c := range y.data {
				y.data[c] = f(in.data[c*plane : (c+1)*plane])
			}
			return y
		}
	}
	mean = t.step(t.b.Op("GlobalAveragePool", nil, x), over(func(p []float64) float64 {
		sum := 0.0
		for _, f := range p {
			sum += f
		}
		return sum / float64(len(p))
	}))
	return mean, t.step(t.b.Op("GlobalMaxPool", nil, x), over(func(p []float64) float64 { return slices.Max(p) }))
}

// concat joins along the first axis of a row.
func (t *twin) concat(xs ...onnx.Value) onnx.Value {
	return t.step(t.b.Concat(1, xs...), func(v values) array {
		var out array
		for _, x := range xs {
			out.data = append(out.data, v[x].data...)
		}
		out.dims = slices.Clone(v[xs[0]].dims)
		out.dims[0] = 0
		for _, x := range xs {
			out.dims[0] += v[x].dims[0]
		}
		return out
	})
}

func (t *twin) flatten(x onnx.Value) onnx.Value {
	return t.step(t.b.Flatten(x), func(v values) array { return array{[]int{len(v[x].data)}, v[x].data} })
}

// reshape gives a row other dimensions.
func (t *twin) reshape(x onnx.Value, dims ...int64) onnx.Value {
	return t.step(t.b.Reshape(x, append([]int64{-1}, dims...)...), func(v values) array {
		out := array{data: v[x].data}
		for _, d := range dims {
			out.dims = append(out.dims, int(d))
		}
		return out
	})
}

// logSoftmax is over the whole row.
func (t *twin) logSoftmax(x onnx.Value) onnx.Value {
	return t.step(t.b.LogSoftmax(x, 1), func(v values) array {
		in := v[x]
		most, sum := slices.Max(in.data), 0.0
		for _, f := range in.data {
			sum += math.Exp(f - most)
		}
		out := newArray(in.dims...)
		for i, f := range in.data {
			out.data[i] = f - most - math.Log(sum)
		}
		return out
	})
}
