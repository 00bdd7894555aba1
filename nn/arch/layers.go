package arch

import (
	"math"
	"math/rand/v2"
	"slices"

	"kosumi/nn/onnx"
)

// epsilon is PyTorch's default for BatchNormalization.
const epsilon = 1e-5

// Gains of a layer's weights. They keep the variance through the activation that follows (He et
// al. 2015).
const (
	gainReLU   = math.Sqrt2
	gainLinear = 1
)

// maker adds layers with fresh weights to a graph. Names of weights are those
// that PyTorch gives to the same layer: NAME.weight, NAME.bias,
// NAME.running_mean, NAME.running_var.
type maker struct {
	g   *onnx.Builder
	rng *rand.Rand
}

func newMaker(name string, seed uint64) *maker {
	return &maker{onnx.NewBuilder(name, opset), rand.New(rand.NewPCG(seed, 0x6b6f73756d69))}
}

// in returns a maker that adds to a scope of the same graph and draws from the same random numbers.
func (m *maker) in(scope string) *maker { return &maker{m.g.In(scope), m.rng} }

// normal returns n numbers of a normal distribution truncated at two standard
// deviations and scaled to the standard deviation std.
func (m *maker) normal(n int, std float64) []float32 {
	const truncated = 0.8796 // standard deviation of a standard normal truncated at 2
	list := make([]float32, n)
	for i := range list {
		v := m.standard()
		for math.Abs(v) > 2 {
			v = m.standard()
		}
		list[i] = float32(v * std / truncated)
	}
	return list
}

// standard draws from an approximate standard normal distribution, as the sum of twelve
// uniform numbers. It needs no logarithms, whose last bit differs between machines.
func (m *maker) standard() float64 {
	const bits = 21
	var sum uint64
	for range 4 {
		u := m.rng.Uint64()
		for range 3 {
			sum += u & (1<<bits - 1)
			u >>= bits
		}
	}
	return float64(sum)/(1<<bits) - 6
}

// conv adds a convolution that keeps the board's size, with a bias of zero. At scale 1 its
// weights keep the variance; another scale multiplies them.
func (m *maker) conv(name string, x onnx.Value, in, out, kernel int, scale float64) onnx.Value {
	fan := float64(in * kernel * kernel)
	w := m.normal(out*in*kernel*kernel, scale/math.Sqrt(fan))
	return m.convOf(name, x, w, in, out, kernel)
}

func (m *maker) convOf(name string, x onnx.Value, w []float32, in, out, kernel int) onnx.Value {
	weight := m.g.Floats(name+".weight", w, int64(out), int64(in), int64(kernel), int64(kernel))
	bias := m.g.Floats(name+".bias", make([]float32, out), int64(out))
	return m.g.Conv(x, weight, bias)
}

// norm adds a BatchNormalization with scale gamma, mean 0 and variance 1.
func (m *maker) norm(name string, x onnx.Value, channels int, gamma float64) onnx.Value {
	n := int64(channels)
	return m.g.BatchNorm(x,
		m.g.Floats(name+".weight", filled(channels, gamma), n), m.g.Floats(name+".bias", filled(channels, 0), n),
		m.g.Floats(name+".running_mean", filled(channels, 0), n), m.g.Floats(name+".running_var", filled(channels, 1), n), epsilon)
}

func filled(n int, v float64) []float32 {
	return slices.Repeat([]float32{float32(v)}, n)
}

// dense adds a fully connected layer; its weight is [out,in] as in PyTorch.
func (m *maker) dense(name string, x onnx.Value, in, out int, scale float64) onnx.Value {
	w := m.g.Floats(name+".weight", m.normal(in*out, scale/math.Sqrt(float64(in))), int64(out), int64(in))
	b := m.g.Floats(name+".bias", make([]float32, out), int64(out))
	return m.g.Gemm(x, w, b, true)
}

// squeezedHead adds the first layers of most heads: a 1x1 convolution to a few planes, norm,
// ReLU, flattening.
func (m *maker) squeezedHead(conv, norm string, x onnx.Value, in, planes int) onnx.Value {
	x = m.conv(conv, x, in, planes, 1, gainReLU)
	return m.g.Flatten(m.g.Relu(m.norm(norm, x, planes, 1)))
}
