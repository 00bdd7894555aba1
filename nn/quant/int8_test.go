package quant

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// side is the board of the made-up networks.
const side = 6

// maker builds small networks with random weights.
type maker struct {
	*onnx.Builder
	rng *rand.Rand
	n   int
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
	m.n++
	return m.Floats(fmt.Sprintf("w%d", m.n), data, dims...)
}

// conv adds a convolution that keeps the size of numbers about as it is.
func (m *maker) conv(x onnx.Value, in, out, kernel int64, o onnx.ConvOptions) onnx.Value {
	if o.Pads == nil {
		p := (kernel - 1) / 2
		o.Pads = []int64{p, p, p, p}
	}
	return m.ConvWith(x, m.floats(math.Sqrt(2/float64(in*kernel*kernel)), out, in, kernel, kernel), m.floats(0.1, out), o)
}

func (m *maker) model(t *testing.T, out onnx.Value) *onnx.Model {
	t.Helper()
	m.Output("out", out)
	net, err := m.Model(map[string]string{"name": "made"})
	require.NoError(t, err)
	return net
}

// networks are what the quantizer has to cope with, each with the number of its
// convolutions that integers are possible for.
var networks = map[string]struct {
	planes, integer int
	build           func(m *maker, x onnx.Value) onnx.Value
}{
	"a chain": {8, 3, func(m *maker, x onnx.Value) onnx.Value {
		x = m.Relu(m.conv(x, 8, 16, 3, onnx.ConvOptions{}))
		x = m.Relu(m.conv(x, 16, 16, 3, onnx.ConvOptions{}))
		return m.conv(x, 16, 8, 1, onnx.ConvOptions{})
	}},
	"three planes": {3, 2, func(m *maker, x onnx.Value) onnx.Value { // aligned to four
		x = m.Relu(m.conv(x, 3, 8, 3, onnx.ConvOptions{}))
		return m.conv(x, 8, 5, 3, onnx.ConvOptions{})
	}},
	"residual blocks": {8, 5, func(m *maker, x onnx.Value) onnx.Value {
		x = m.conv(x, 8, 16, 3, onnx.ConvOptions{})
		for range 2 {
			y := m.Relu(m.Add(m.Mul(x, m.floats(1, 16, 1, 1)), m.floats(0.3, 16, 1, 1)))
			y = m.Relu(m.conv(y, 16, 16, 3, onnx.ConvOptions{}))
			x = m.Add(x, m.conv(y, 16, 16, 3, onnx.ConvOptions{}))
		}
		return x
	}},
	"a pooled bias": {8, 3, func(m *maker, x onnx.Value) onnx.Value {
		x = m.Relu(m.conv(x, 8, 16, 3, onnx.ConvOptions{}))
		pooled := m.Flatten(m.Op("GlobalAveragePool", nil, x))
		bias := m.Reshape(m.MatMul(pooled, m.floats(0.3, 16, 16)), 0, 16, 1, 1)
		y := m.Add(m.conv(x, 16, 16, 3, onnx.ConvOptions{}), bias)
		return m.conv(m.Relu(y), 16, 16, 3, onnx.ConvOptions{})
	}},
	"strides and dilations": {8, 3, func(m *maker, x onnx.Value) onnx.Value {
		x = m.Relu(m.conv(x, 8, 8, 3, onnx.ConvOptions{Dilations: []int64{2, 2}, Pads: []int64{2, 2, 2, 2}}))
		x = m.Relu(m.conv(x, 8, 8, 3, onnx.ConvOptions{Strides: []int64{2, 2}}))
		return m.conv(x, 8, 8, 3, onnx.ConvOptions{})
	}},
	"other activations": {8, 3, func(m *maker, x onnx.Value) onnx.Value {
		x = m.Mish(m.conv(x, 8, 16, 3, onnx.ConvOptions{}))
		x = m.Silu(m.conv(x, 16, 16, 3, onnx.ConvOptions{}))
		return m.Tanh(m.conv(x, 16, 8, 3, onnx.ConvOptions{}))
	}},
	"grouped": {8, 2, func(m *maker, x onnx.Value) onnx.Value { // groups stay in fp32
		x = m.Relu(m.conv(x, 8, 8, 3, onnx.ConvOptions{}))
		x = m.Relu(m.ConvWith(x, m.floats(0.5, 8, 2, 3, 3), "", onnx.ConvOptions{Group: 4, Pads: []int64{1, 1, 1, 1}}))
		return m.conv(x, 8, 8, 3, onnx.ConvOptions{})
	}},
}

// rows are calibration rows of random numbers, or of zeros and ones.
type testRows struct {
	planes, n int
	data      []float32
}

func newRows(planes, n int, binary bool) *testRows {
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	r := &testRows{planes: planes, n: n, data: make([]float32, n*planes*side*side)}
	for i := range r.data {
		if r.data[i] = float32(rng.NormFloat64()); binary {
			r.data[i] = float32(rng.IntN(2))
		}
	}
	return r
}

// Run implements Runner.
func (r *testRows) Run(p Pass) error {
	outs, err := r.outputs(p.Model, p.Taps)
	if err != nil {
		return err
	}
	for i := range p.Taps {
		if err := p.See(i, r.n, outs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *testRows) outputs(m *onnx.Model, taps []Tap) ([][]float32, error) {
	data, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	spec := nn.Spec{Inputs: []nn.TensorSpec{{Name: "x", Shape: []int{r.planes, side, side}}}}
	for _, t := range taps {
		spec.Outputs = append(spec.Outputs, nn.TensorSpec{Name: t.Name, Shape: t.Shape})
	}
	b, err := ort.Open(data, spec, ort.Config{MaxBatch: r.n})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	copy(b.Inputs()[0], r.data)
	if err := b.Run(r.n); err != nil {
		return nil, err
	}
	var out [][]float32
	for _, o := range b.Outputs() {
		out = append(out, slices.Clone(o))
	}
	return out, nil
}

func needLibrary(t testing.TB) {
	t.Helper()
	if _, err := ort.Load(""); err != nil {
		testshared.Absent(t, "onnxruntime is needed: run make deps: %v", err)
	}
}

// distance is the error of an integer graph's outputs, as a share of the spread of
// the float graph's. Its sums are made exact, so that it is the same everywhere.
func distance(t *testing.T, net, other *onnx.Model, r *testRows) float64 {
	t.Helper()
	shapes, err := onnx.InferShapes(net)
	require.NoError(t, err)
	var row []int
	for _, d := range shapes["out"][1:] {
		row = append(row, int(d.Size))
	}
	tap := []Tap{{Name: "out", Shape: row}}
	want, err := r.outputs(net, tap)
	require.NoError(t, err)
	exact, err := Exact(other)
	require.NoError(t, err)
	got, err := r.outputs(exact, tap)
	require.NoError(t, err)
	var apart, sum, squares float64
	for i, x := range want[0] {
		d := float64(x - got[0][i])
		apart += d * d
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	n := float64(len(want[0]))
	return math.Sqrt(apart / (squares - sum*sum/n))
}

// count returns how many nodes of those kinds there are.
func count(m *onnx.Model, ops ...string) int {
	n := 0
	for _, node := range m.Graph.Nodes {
		if slices.Contains(ops, node.OpType) {
			n++
		}
	}
	return n
}

// TestInt8ComputesTheSame quantizes each network in several ways: it computes
// nearly the same on other rows, with as many integer convolutions as promised.
func TestInt8ComputesTheSame(t *testing.T) {
	needLibrary(t)
	for name, n := range networks {
		for how, c := range map[string]struct {
			options Options
			most    float64 // error as a share of the outputs' spread
		}{
			"the best way":     {Options{For: VNNI}, 0.06},
			"pairs":            {Options{For: AVX2}, 0.06},
			"nearest":          {Options{For: ARM64, Nearest: true}, 0.06},
			"pairs by nearest": {Options{For: Any, Nearest: true}, 0.065},
			"max":              {Options{For: VNNI, Method: Max}, 0.06},
			"percentile":       {Options{For: VNNI, Method: Percentile}, 0.08},
			"entropy":          {Options{For: VNNI, Method: Entropy}, 0.15},
			"plain":            {Options{For: VNNI, Nearest: true, plain: plain{scales: true, shifts: true, planes: true}}, 0.08},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				m, x := newMaker(n.planes)
				net := m.model(t, n.build(m, x))
				before, err := net.Marshal()
				require.NoError(t, err)
				out, s, err := Int8(net, newRows(n.planes, 24, false), c.options)
				require.NoError(t, err)
				after, err := net.Marshal()
				require.NoError(t, err)
				require.Equal(t, before, after, "the original is left as it was")

				require.Equal(t, n.integer, len(s.Integer), s.Integer)
				require.Equal(t, count(net, "Conv")-n.integer, len(s.Float), s.Float)
				require.Equal(t, n.integer, count(out, "QLinearConv", "MatMulIntegerToFloat"))
				require.Equal(t, len(s.Wide), count(out, "MatMulIntegerToFloat"))
				require.Equal(t, 24, s.Rows)
				require.InDelta(t, 0.7, s.Work, 0.3001)
				require.Equal(t, net.Metadata, out.Metadata)
				require.Equal(t, net.Graph.Inputs, out.Graph.Inputs)
				require.Equal(t, c.options.For, s.For)
				require.Less(t, distance(t, net, out, newRows(n.planes, 16, false)), c.most)
			})
		}
	}
}

// TestPlanesOfZerosAndOnes gives the planes that vary most twice, which makes
// the first convolution as good as exact.
func TestPlanesOfZerosAndOnes(t *testing.T) {
	needLibrary(t)
	errors := map[bool]float64{}
	for _, without := range []bool{false, true} {
		m, x := newMaker(7)
		net := m.model(t, m.conv(m.Relu(m.conv(x, 7, 16, 3, onnx.ConvOptions{})), 16, 8, 3, onnx.ConvOptions{}))
		out, _, err := Int8(net, newRows(7, 24, true), Options{For: Any, Nearest: true, plain: plain{planes: without}})
		require.NoError(t, err)
		require.Equal(t, !without, count(out, "Gather") == 1)
		errors[without] = distance(t, net, out, newRows(7, 16, true))
	}
	require.Less(t, errors[false], 0.02)
	require.Less(t, errors[false], errors[true])
}

func TestConvolutionsCanStayFloat(t *testing.T) {
	needLibrary(t)
	m, x := newMaker(8)
	first := m.conv(x, 8, 16, 3, onnx.ConvOptions{})
	last := m.conv(m.Relu(first), 16, 1, 1, onnx.ConvOptions{}) // next to no work
	net := m.model(t, last)
	rows := newRows(8, 16, false)
	_, s, err := Int8(net, rows, Options{LeastWork: 0.05})
	require.NoError(t, err)
	require.Equal(t, []string{"out"}, s.Float)
	out, s, err := Int8(net, rows, Options{LeastWork: -1})
	require.NoError(t, err)
	require.Empty(t, s.Float)
	require.Equal(t, 1.0, s.Work)
	require.Zero(t, count(out, "Conv"))
	_, s, err = Int8(net, rows, Options{Float: []string{string(first)}, LeastWork: -1})
	require.NoError(t, err)
	require.Equal(t, []string{"out"}, s.Integer)
	_, _, err = Int8(net, rows, Options{LeastWork: 1})
	require.ErrorIs(t, err, ErrNothing)
}

// runFunc is a Runner made of a function.
type runFunc func(p Pass) error

func (f runFunc) Run(p Pass) error { return f(p) }

func TestInt8RefusesWhatItCannotDo(t *testing.T) {
	chain := func(t *testing.T, change func(m *onnx.Model)) *onnx.Model {
		m, x := newMaker(4)
		net := m.model(t, m.conv(m.Relu(m.conv(x, 4, 4, 3, onnx.ConvOptions{})), 4, 4, 3, onnx.ConvOptions{}))
		if change != nil {
			change(net)
		}
		return net
	}
	weights := func(v float64) func(m *onnx.Model) {
		return func(m *onnx.Model) {
			for i, w := range m.Graph.Initializers {
				if len(w.Dims) == 4 {
					data, err := w.Float32s()
					require.NoError(t, err)
					data[3] = float32(v)
					m.Graph.Initializers[i] = onnx.NewTensor(w.Name, data, w.Dims...)
					return
				}
			}
		}
	}
	product := func(t *testing.T) *onnx.Model {
		m, x := newMaker(4)
		return m.model(t, m.MatMul(m.Flatten(x), m.floats(1, 4*side*side, 3)))
	}
	nothing := runFunc(func(Pass) error { return nil })
	broken := errors.New("the disk is on fire")
	for name, c := range map[string]struct {
		net     *onnx.Model
		run     Runner
		options Options
		want    error
	}{
		"no convolution":     {product(t), nothing, Options{}, ErrNothing},
		"an empty graph":     {&onnx.Model{Opset: 17, Graph: &onnx.Graph{}}, nothing, Options{}, ErrGraph},
		"NaN weights":        {chain(t, weights(math.NaN())), nothing, Options{}, ErrGraph},
		"infinite weights":   {chain(t, weights(math.Inf(-1))), nothing, Options{}, ErrGraph},
		"a foreign operator": {chain(t, func(m *onnx.Model) { m.Graph.Nodes[1].Domain = "com.example" }), nothing, Options{}, ErrGraph},
		"a missing weight":   {chain(t, func(m *onnx.Model) { m.Graph.Initializers = m.Graph.Initializers[1:] }), nothing, Options{}, ErrGraph},
		"no rows":            {chain(t, nil), nothing, Options{}, ErrCalibration},
		"an empty batch":     {chain(t, nil), runFunc(func(p Pass) error { return p.See(0, 0, nil) }), Options{}, ErrCalibration},
		"NaN activations": {chain(t, nil), runFunc(func(p Pass) error {
			return p.See(0, 1, slices.Repeat([]float32{float32(math.NaN())}, 4*side*side))
		}), Options{}, ErrCalibration},
		"a runner that fails": {chain(t, nil), runFunc(func(Pass) error { return broken }), Options{}, broken},
		"no such method":      {chain(t, nil), nothing, Options{Method: 99}, ErrOptions},
		"no such processor":   {chain(t, nil), nothing, Options{For: 99}, ErrOptions},
		"too high percentile": {chain(t, nil), nothing, Options{Percentile: 0.5}, ErrOptions},
		"percentile NaN":      {chain(t, nil), nothing, Options{Percentile: math.NaN()}, ErrOptions},
		"no such convolution": {chain(t, nil), nothing, Options{Float: []string{"nothing"}}, ErrOptions},
		"least work NaN":      {chain(t, nil), nothing, Options{LeastWork: math.NaN()}, ErrOptions},
	} {
		t.Run(name, func(t *testing.T) {
			out, s, err := Int8(c.net, c.run, c.options)
			require.ErrorIs(t, err, c.want)
			require.Nil(t, out)
			require.Nil(t, s)
		})
	}
}

// TestUnknownOperatorsStay has an operator between two convolutions that nothing
// is known of: it stays, and what comes before it is quantized all the same.
func TestUnknownOperatorsStay(t *testing.T) {
	m, x := newMaker(4)
	x = m.Relu(m.conv(x, 4, 4, 3, onnx.ConvOptions{}))
	net := m.model(t, m.Relu(m.conv(m.Tanh(x), 4, 4, 3, onnx.ConvOptions{})))
	net.Graph.Nodes[2].OpType = "Wobble"
	numbers := runFunc(func(p Pass) error {
		for i, tap := range p.Taps {
			n := 1
			for _, d := range tap.Shape {
				n *= d
			}
			data := make([]float32, n)
			for k := range data {
				data[k] = float32(k%7) - 3
			}
			if err := p.See(i, 1, data); err != nil {
				return err
			}
		}
		return nil
	})
	out, s, err := Int8(net, numbers, Options{Nearest: true})
	require.NoError(t, err)
	require.Len(t, s.Integer, 1)
	require.Len(t, s.Float, 1)
	require.Equal(t, 1, count(out, "Wobble"))
}

// TestConstantActivations has inputs and channels that never change.
func TestConstantActivations(t *testing.T) {
	needLibrary(t)
	m, x := newMaker(4)
	net := m.model(t, m.conv(m.Relu(m.conv(x, 4, 4, 3, onnx.ConvOptions{})), 4, 4, 3, onnx.ConvOptions{}))
	zeros := &testRows{planes: 4, n: 8, data: make([]float32, 8*4*side*side)}
	out, _, err := Int8(net, zeros, Options{})
	require.NoError(t, err)
	tap := []Tap{{Name: "out", Shape: []int{4, side, side}}}
	want, err := zeros.outputs(net, tap)
	require.NoError(t, err)
	got, err := zeros.outputs(out, tap)
	require.NoError(t, err)
	require.InDeltaSlice(t, want[0], got[0], 0.02)
}
