package fuse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/fuse"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
)

// side is the board size of the random networks.
const side = 6

type maker struct {
	*onnx.Builder
	rng     *rand.Rand
	weights int
}

func newMaker(planes int) (*maker, onnx.Value) {
	b := onnx.NewBuilder("made", 17)
	m := &maker{Builder: b, rng: rand.New(rand.NewPCG(5, uint64(planes)))}
	return m, b.Input("x", onnx.Float, "N", planes, side, side)
}

func (m *maker) floats(scale float64, dims ...int64) onnx.Value {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(m.rng.NormFloat64() * scale)
	}
	m.weights++
	return m.Floats(fmt.Sprintf("w%d", m.weights), data, dims...)
}

// conv adds a convolution that keeps the scale of activations.
func (m *maker) conv(x onnx.Value, in, out int64, o onnx.ConvOptions) onnx.Value {
	if o.Pads == nil {
		o.Pads = []int64{1, 1, 1, 1}
	}
	return m.ConvWith(x, m.floats(math.Sqrt(2/float64(in*9)), out, in, 3, 3), m.floats(0.1, out), o)
}

func (m *maker) model(t *testing.T, out onnx.Value) *onnx.Model {
	t.Helper()
	m.Output("out", out)
	net, err := m.Model(map[string]string{"name": "made"})
	require.NoError(t, err)
	return net
}

var made = map[string]func(m *maker, x onnx.Value) onnx.Value{
	"residual blocks": func(m *maker, x onnx.Value) onnx.Value {
		x = m.conv(x, 8, 16, onnx.ConvOptions{})
		for range 2 {
			y := m.Relu(m.Add(m.Mul(x, m.floats(1, 16, 1, 1)), m.floats(0.3, 16, 1, 1)))
			y = m.Relu(m.conv(y, 16, 16, onnx.ConvOptions{}))
			x = m.Add(x, m.conv(y, 16, 16, onnx.ConvOptions{}))
		}
		return x
	},
	"a pooled bias": func(m *maker, x onnx.Value) onnx.Value {
		x = m.Relu(m.conv(x, 8, 16, onnx.ConvOptions{}))
		pooled := m.Flatten(m.Op("GlobalAveragePool", nil, x))
		bias := m.Reshape(m.MatMul(pooled, m.floats(0.3, 16, 16)), 0, 16, 1, 1)
		return m.conv(m.Relu(m.Add(m.conv(x, 16, 16, onnx.ConvOptions{}), bias)), 16, 16, onnx.ConvOptions{})
	},
	"strides and dilations": func(m *maker, x onnx.Value) onnx.Value {
		x = m.Relu(m.conv(x, 8, 8, onnx.ConvOptions{Dilations: []int64{2, 2}, Pads: []int64{2, 2, 2, 2}}))
		return m.conv(m.Relu(m.conv(x, 8, 8, onnx.ConvOptions{Strides: []int64{2, 2}})), 8, 8, onnx.ConvOptions{})
	},
	"other activations": func(m *maker, x onnx.Value) onnx.Value {
		y := m.conv(m.Mish(m.conv(x, 8, 16, onnx.ConvOptions{})), 16, 16, onnx.ConvOptions{})
		return m.Tanh(m.conv(m.Mul(y, m.Sigmoid(y)), 16, 8, onnx.ConvOptions{}))
	},
	"a norm of rows": func(m *maker, x onnx.Value) onnx.Value {
		y := m.MatMul(m.Flatten(m.Relu(m.conv(x, 8, 8, onnx.ConvOptions{}))), m.floats(0.1, 8*side*side, 16))
		return m.MatMul(m.Relu(m.BatchNorm(y, m.floats(1, 16), m.floats(1, 16), m.floats(1, 16), m.Floats("variance", slices.Repeat([]float32{2}, 16), 16), 1e-3)), m.floats(0.3, 16, 4))
	},
	"grouped": func(m *maker, x onnx.Value) onnx.Value {
		x = m.Relu(m.conv(x, 8, 8, onnx.ConvOptions{}))
		x = m.Relu(m.ConvWith(x, m.floats(0.5, 8, 2, 3, 3), "", onnx.ConvOptions{Group: 4, Pads: []int64{1, 1, 1, 1}}))
		return m.conv(x, 8, 8, onnx.ConvOptions{})
	},
}

// distance returns the root mean square of the difference of two graphs' outputs, divided by the
// standard deviation of the first.
func distance(t *testing.T, net, other *onnx.Model) float64 {
	t.Helper()
	shapes, err := onnx.InferShapes(net)
	require.NoError(t, err)
	full := net.Clone()
	full.Graph.Outputs[0].Shape = shapes["out"]
	spec := nntest.SpecOf(t, full)
	const batch = 8
	was, is := open(t, net, spec, batch), open(t, other, spec, batch)
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range was.Inputs()[0] {
		x := float32(rng.NormFloat64())
		was.Inputs()[0][i], is.Inputs()[0][i] = x, x
	}
	require.NoError(t, was.Run(batch))
	require.NoError(t, is.Run(batch))
	var apart, sum, squares float64
	for i, x := range was.Outputs()[0] {
		d := float64(x - is.Outputs()[0][i])
		apart += d * d
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	return math.Sqrt(apart / (squares - sum*sum/float64(len(was.Outputs()[0]))))
}

func TestHalfComputesTheSame(t *testing.T) {
	needLibrary(t)
	for name, build := range made {
		t.Run(name, func(t *testing.T) {
			m, x := newMaker(8)
			net := m.model(t, build(m, x))
			before := nntest.Bytes(t, net)
			out, err := fuse.Half(net)
			require.NoError(t, err)
			require.Equal(t, before, nntest.Bytes(t, net))
			require.Equal(t, net.Graph.Inputs, out.Graph.Inputs)
			require.Equal(t, net.Graph.Outputs, out.Graph.Outputs)

			types, err := onnx.InferTypes(out)
			require.NoError(t, err)
			for _, node := range out.Graph.Nodes {
				if node.Is("Conv") {
					want := onnx.Float16
					if node.Int("group", 1) != 1 {
						want = onnx.Float
					}
					require.Equal(t, want, types[node.Outputs[0]].Type)
				}
				if node.Is("GlobalAveragePool") {
					require.Equal(t, onnx.Float, types[node.Outputs[0]].Type, "sums stay in 32 bits")
				}
			}
			require.Less(t, distance(t, net, out), 0.003)
		})
	}
}

// TestHalfKeepsWhatDoesNotFit: a convolution with huge weights stays in 32 bits.
func TestHalfKeepsWhatDoesNotFit(t *testing.T) {
	needLibrary(t)
	m, x := newMaker(4)
	big := m.ConvWith(x, m.floats(1e6, 4, 4, 1, 1), "", onnx.ConvOptions{})
	net := m.model(t, m.conv(m.Mul(big, m.Scalar(1e-6)), 4, 4, onnx.ConvOptions{}))
	out, err := fuse.Half(net)
	require.NoError(t, err)
	types, err := onnx.InferTypes(out)
	require.NoError(t, err)
	require.Equal(t, onnx.Float, types[string(big)].Type)
	casts := 0
	for _, node := range out.Graph.Nodes {
		if node.Is("Cast") {
			casts++
		}
	}
	require.Equal(t, 2, casts, "one into 16 bits, one out of them")
	require.Less(t, distance(t, net, out), 0.003)
}

func TestHalfRefusesWhatItCannotDo(t *testing.T) {
	_, err := fuse.Half(&onnx.Model{Opset: 17, Graph: &onnx.Graph{}})
	require.Error(t, err)
	m, x := newMaker(4)
	_, err = fuse.Half(m.model(t, m.Op("ReduceMean", nil, x)))
	require.ErrorIs(t, err, fuse.ErrNoHalf)
}
