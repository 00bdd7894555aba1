package quant

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
)

const (
	tokenWidth = 16
	headWidth  = 8
	points     = side * side
)

// norm divides tokens by the root of their mean square.
func (m *maker) norm(x onnx.Value) onnx.Value {
	return m.Div(x, m.Sqrt(m.Add(m.ReduceMean(m.Mul(x, x), true, 2), m.Scalar(1e-5))))
}

// project multiplies tokens by a random matrix.
func (m *maker) project(x onnx.Value, in, out int64) onnx.Value {
	return m.MatMul(x, m.floats(1/float64(in), in, out))
}

// heads turns tokens [N,S,C] into [N,heads,S,headWidth].
func (m *maker) heads(x onnx.Value) onnx.Value {
	return m.Transpose(m.Reshape(x, 0, points, tokenWidth/headWidth, headWidth), 0, 2, 1, 3)
}

// transformer is a convolution, a layer of attention, a SwiGLU and a convolution:
// seven token products with four different inputs.
func transformer(m *maker, x onnx.Value) onnx.Value {
	x = m.conv(x, 8, tokenWidth, 3, onnx.ConvOptions{})
	x = m.Transpose(m.Reshape(x, 0, tokenWidth, points), 0, 2, 1)
	n := m.norm(x)
	q, k, v := m.project(n, tokenWidth, tokenWidth), m.project(n, tokenWidth, tokenWidth), m.project(n, tokenWidth, tokenWidth)
	scores := m.MatMul(m.heads(q), m.Transpose(m.heads(k), 0, 1, 3, 2))
	mixed := m.Transpose(m.MatMul(m.Softmax(scores, -1), m.heads(v)), 0, 2, 1, 3)
	x = m.Add(x, m.project(m.Reshape(mixed, 0, points, tokenWidth), tokenWidth, tokenWidth))
	n = m.norm(x)
	hidden := m.Mul(m.Silu(m.project(n, tokenWidth, 2*tokenWidth)), m.project(n, tokenWidth, 2*tokenWidth))
	x = m.Add(x, m.project(hidden, 2*tokenWidth, tokenWidth))
	x = m.Reshape(m.Transpose(x, 0, 2, 1), 0, tokenWidth, side, side)
	return m.conv(m.Relu(x), tokenWidth, 8, 3, onnx.ConvOptions{})
}

// TestTokenProducts quantizes a transformer: each input of several products is
// rounded once, and what multiplies activations with each other stays.
func TestTokenProducts(t *testing.T) {
	needLibrary(t)
	for how, c := range map[string]struct {
		options Options
		most    float64
	}{
		"the best way": {Options{For: VNNI}, 0.04},
		"pairs":        {Options{For: Any}, 0.04},
		"nearest":      {Options{For: VNNI, Nearest: true}, 0.04},
		"max":          {Options{For: VNNI, Method: Max}, 0.04},
		"percentile":   {Options{For: VNNI, Method: Percentile}, 0.05},
		"entropy":      {Options{For: VNNI, Method: Entropy}, 0.15},
	} {
		t.Run(how, func(t *testing.T) {
			m, x := newMaker(8)
			net := m.model(t, transformer(m, x))
			out, s, err := Int8(net, newRows(8, 24, false), c.options)
			require.NoError(t, err)
			require.Len(t, s.Integer, 2+7)
			require.Empty(t, s.Float)
			require.Equal(t, 1.0, s.Work)
			require.Len(t, s.Wide, 1, "the first convolution")
			require.Equal(t, 7, count(out, "MatMulIntegerToFloat")-len(s.Wide))
			require.Equal(t, 2, count(out, "MatMul"), "those of attention")
			require.Equal(t, 1+4+1, count(out, "QuantizeLinear"), "before a convolution, for tokens, before a convolution")
			require.Zero(t, count(out, "Conv"))
			d := distance(t, net, out, newRows(8, 16, false))
			t.Logf("%s: %.4f", how, d)
			require.Less(t, d, c.most)
		})
	}
}

// TestTokenProductsKeepMeans rounds weights to very few levels, where only the
// correction of the sums' means keeps the outputs near.
func TestTokenProductsKeepMeans(t *testing.T) {
	w := []float32{0.9, 0.4, -0.3, 0.2} // [in=2, out=2]
	layer := &conv{inputs: 2, outputs: 2, kernel: 1, tokens: true}
	// Two inputs that are always 1 and 2, of which there were 5.
	moments := &gram{n: 2, moments: []float64{5, 10, 5, 10, 20, 10, 5, 10, 5}, samples: 5}
	q := quantizeWeights(transposed(w, layer.inputs, layer.outputs), make([]float32, 2), limits{most: 1}, moments)
	for o := range 2 {
		want := w[o]*1 + w[2+o]*2
		got := q.bias[o] + q.scales[o]*(float32(q.values[2*o])+2*float32(q.values[2*o+1]))
		require.InDelta(t, want, got, 1e-5, "output %d", o)
	}
}

// TestHiddenUnitsAreScaled has a feed-forward layer whose hidden units differ in
// range by four orders of magnitude, which does not matter to what it computes.
func TestHiddenUnitsAreScaled(t *testing.T) {
	needLibrary(t)
	errors := map[bool]float64{}
	for _, without := range []bool{false, true} {
		m, x := newMaker(8)
		const hidden = 16
		up, down := make([]float32, 8*hidden), make([]float32, hidden*8)
		for i := range up {
			unit := math.Pow(10, float64(i%hidden)/4-2)
			up[i] = float32(m.rng.NormFloat64() * unit)
		}
		for i := range down {
			down[i] = float32(m.rng.NormFloat64() / math.Pow(10, float64(i/8)/4-2))
		}
		x = m.Transpose(m.Reshape(x, 0, 8, points), 0, 2, 1)
		y := m.Mul(m.Silu(m.project(x, 8, hidden)), m.MatMul(x, m.Floats("up", up, 8, hidden)))
		net := m.model(t, m.MatMul(y, m.Floats("down", down, hidden, 8)))
		out, s, err := Int8(net, newRows(8, 24, false), Options{For: VNNI, Nearest: true, plain: plain{scales: without}})
		require.NoError(t, err)
		require.Len(t, s.Integer, 3)
		errors[without] = distance(t, net, out, newRows(8, 16, false))
	}
	t.Log(errors)
	require.Less(t, errors[false], 0.12)
	require.Less(t, 5*errors[false], errors[true])
}

func TestTokenProductsCanStayFloat(t *testing.T) {
	needLibrary(t)
	m, x := newMaker(8)
	net := m.model(t, transformer(m, x))
	var names []string
	for _, n := range net.Graph.Nodes {
		if n.Is("MatMul") && strings.HasPrefix(n.Inputs[1], "w") {
			names = append(names, n.Outputs[0])
		}
	}
	require.Len(t, names, 7)
	out, s, err := Int8(net, newRows(8, 16, false), Options{For: VNNI, Float: names[:3], Nearest: true}) // q, k and v
	require.NoError(t, err)
	require.ElementsMatch(t, names[:3], s.Float)
	require.Equal(t, 3+2, count(out, "MatMul"))
	require.Equal(t, 4, count(out, "MatMulIntegerToFloat")-len(s.Wide))
	require.Equal(t, 1+3+1, count(out, "QuantizeLinear"), "nobody reads the first norm in bytes")
	require.Less(t, distance(t, net, out, newRows(8, 16, false)), 0.04)
	_, _, err = Int8(net, newRows(8, 16, false), Options{Float: []string{"w1"}})
	require.ErrorIs(t, err, ErrOptions)
	require.ErrorContains(t, err, names[6])
}

// TestDeepNetworks has so many convolutions that each does less than a hundredth
// of the work, as in KataGo's larger networks: they are in integers all the same,
// but for one that does next to nothing.
func TestDeepNetworks(t *testing.T) {
	needLibrary(t)
	m, x := newMaker(8)
	const blocks = 60
	for range blocks {
		y := m.Mish(m.conv(m.Mish(x), 8, 4, 1, onnx.ConvOptions{}))
		y = m.Mish(m.conv(y, 4, 4, 3, onnx.ConvOptions{}))
		x = m.Add(x, m.Mul(m.conv(y, 4, 8, 1, onnx.ConvOptions{}), m.Scalar(0.1)))
	}
	net := m.model(t, m.conv(x, 8, 1, 1, onnx.ConvOptions{}))
	_, s, err := Int8(net, newRows(8, 8, false), Options{Nearest: true})
	require.NoError(t, err)
	require.Len(t, s.Integer, 3*blocks)
	require.Equal(t, []string{"out"}, s.Float)
}
