package nntest

import (
	"math"
	"math/rand/v2"

	"kosumi/nn/onnx"
)

// builder adds layers with random weights.
type builder struct {
	*onnx.Builder
	rng *rand.Rand
}

// weights draws normal numbers of the given deviation and stores them in the graph.
func (b *builder) weights(name string, deviation float64, dims ...int64) onnx.Value {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	w := make([]float32, n)
	for i := range w {
		w[i] = float32(b.rng.NormFloat64() * deviation)
	}
	return b.Floats(name, w, dims...)
}

// conv adds a convolution with a square kernel of odd width k and a bias.
func (b *builder) conv(name string, x onnx.Value, in, out, k int) onnx.Value {
	w := b.weights(name+".weight", math.Sqrt(2/float64(in*k*k)), int64(out), int64(in), int64(k), int64(k))
	return b.Conv(x, w, b.weights(name+".bias", 0.2, int64(out)))
}

// norm adds a BatchNormalization in its inference form.
func (b *builder) norm(name string, x onnx.Value, channels int) onnx.Value {
	n := int64(channels)
	scale, bias, mean := b.weights(name+".scale", 0.7, n), b.weights(name+".bias", 0.3, n), b.weights(name+".mean", 0.3, n)
	variance := make([]float32, n)
	for i := range variance {
		variance[i] = 0.5 + b.rng.Float32()
	}
	return b.BatchNorm(x, scale, bias, mean, b.Floats(name+".variance", variance, n), 1e-4)
}

// dense adds a product with weights [out,in], and a bias.
func (b *builder) dense(name string, x onnx.Value, in, out int) onnx.Value {
	w := b.weights(name+".weight", math.Sqrt(1/float64(in)), int64(out), int64(in))
	return b.Gemm(x, w, b.weights(name+".bias", 0.2, int64(out)), true)
}
