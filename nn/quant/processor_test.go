package quant

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
)

func TestParseProcessor(t *testing.T) {
	for _, p := range []Processor{VNNI, AVX2, ARM64, Any} {
		got, err := ParseProcessor(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	p, err := ParseProcessor("")
	require.NoError(t, err)
	require.Equal(t, Here(), p)
	require.NotEqual(t, AtHand, p)
	for _, bad := range []string{"this one", "sse", "avx-512"} {
		_, err = ParseProcessor(bad)
		require.ErrorIs(t, err, ErrOptions)
		require.ErrorContains(t, err, "vnni, avx2, arm64, any")
	}
}

func TestServes(t *testing.T) {
	for _, p := range []Processor{VNNI, AVX2, ARM64, Any} {
		require.True(t, p.Serves(VNNI) && p.Serves(ARM64), p)
		require.Equal(t, p == AVX2 || p == Any, p.Serves(AVX2), p)
		require.Equal(t, p.Serves(Here()), p.Serves(AtHand), p)
	}
	require.True(t, AtHand.Serves(Here()))
}

// TestHere multiplies the largest bytes by the largest weights: onnxruntime's sums
// are wrong exactly where Here says that they saturate. Exact makes them right.
func TestHere(t *testing.T) {
	needLibrary(t)
	b := onnx.NewBuilder("largest", 17)
	const n = 16
	bytes := b.QuantizeLinear(b.Input("x", onnx.Float, "N", 4, side, side), b.Scalar(1.0/255), b.Tensor(onnx.NewScalar("nought", uint8(0))), 1)
	weights := make([]int8, 4*side*side*n)
	for i := range weights {
		weights[i] = 127
	}
	flat := b.Reshape(bytes, 0, 4*side*side)
	b.UseDomain("com.microsoft", 1)
	product := b.Node("com.microsoft", "MatMulIntegerToFloat", 1, nil, flat, b.Tensor(onnx.NewTensor("largest", weights, 4*side*side, n)), b.Scalar(1.0/255), b.Scalar(1.0/127))[0]
	b.Output("out", b.Reshape(b.Cast(product, onnx.Float), -1, n))
	m, err := b.Model(nil)
	require.NoError(t, err)
	ones := newRows(4, 2, true)
	for i := range ones.data {
		ones.data[i] = 1
	}
	tap := []Tap{{Name: "out", Shape: []int{n}}}
	got, err := ones.outputs(m, tap)
	require.NoError(t, err)
	want := make([]float32, 2*n)
	for i := range want {
		want[i] = 4 * side * side
	}
	if VNNI.Serves(Here()) {
		require.InDeltaSlice(t, want, got[0], 1e-3, Here())
	} else {
		require.Less(t, got[0][0], want[0]*0.6, Here())
	}
	exact, err := Exact(m)
	require.NoError(t, err)
	got, err = ones.outputs(exact, tap)
	require.NoError(t, err)
	require.InDeltaSlice(t, want, got[0], 1e-3)
}

// TestSumsOfPairsFit writes each network for processors that add up pairs in 16
// bits: no pair can overflow, and here it computes bit for bit what exact sums
// give, as does what is written for the processor at hand.
func TestSumsOfPairsFit(t *testing.T) {
	needLibrary(t)
	check := func(t *testing.T, planes int, binary bool, net *onnx.Model, o Options) {
		out, s, err := Int8(net, newRows(planes, 24, binary), o)
		require.NoError(t, err)
		exact, err := Exact(out)
		require.NoError(t, err)
		require.Equal(t, len(s.Integer), count(exact, "QLinearConv", "MatMulIntegerToFloat"))
		if o.For != AtHand {
			require.Equal(t, len(s.Integer), pairsFit(t, out))
		}
		shapes, err := onnx.InferShapes(net)
		require.NoError(t, err)
		tap := Tap{Name: "out"}
		for _, d := range shapes["out"][1:] {
			tap.Shape = append(tap.Shape, int(d.Size))
		}
		rows := newRows(planes, 16, binary)
		got, err := rows.outputs(out, []Tap{tap})
		require.NoError(t, err)
		want, err := rows.outputs(exact, []Tap{tap})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, o := range []Options{{For: AVX2}, {For: Any, Nearest: true}, {}} {
		for name, n := range networks {
			for _, binary := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, for %v, planes %v", name, o.For, binary), func(t *testing.T) {
					m, x := newMaker(n.planes)
					check(t, n.planes, binary, m.model(t, n.build(m, x)), o)
				})
			}
		}
		t.Run(fmt.Sprintf("transformer, for %v", o.For), func(t *testing.T) {
			m, x := newMaker(8)
			check(t, 8, false, m.model(t, transformer(m, x)), o)
		})
	}
}

// pairsFit checks the worst sum of each pair of products in a graph, and returns
// how many layers there were.
func pairsFit(t *testing.T, m *onnx.Model) (layers int) {
	consts, stems := map[string]*onnx.Tensor{}, map[string]bool{}
	for _, c := range m.Graph.Initializers {
		consts[c.Name] = c
	}
	for _, n := range m.Graph.Nodes {
		if n.Is("Transpose", "Pad", "Slice", "Concat", "Reshape") && stems[n.Inputs[0]] || n.Is("QuantizeLinear") && len(consts[n.Inputs[1]].Dims) == 1 {
			stems[n.Outputs[0]] = true
		}
		at, ok := signedWeights[n.OpType]
		if !ok {
			continue
		}
		layers++
		largest := int64(255)
		if stems[n.Inputs[0]] {
			largest = planeOne
		}
		w := consts[n.Inputs[at]]
		values, err := w.Int64s()
		require.NoError(t, err)
		for _, column := range reductions(w, values) {
			for i := 0; i+1 < len(column); i += 2 {
				a, b := column[i], column[i+1]
				require.LessOrEqual(t, largest*max(a+b, a, b), int64(32767), n.Outputs[0])
				require.GreaterOrEqual(t, largest*min(a+b, a, b), int64(-32768), n.Outputs[0])
			}
		}
	}
	return layers
}

// reductions lists, for each output, the weights in the order in which they are
// added up: of a convolution [out, in, height, width] place by place, of a matrix
// [in, out] down the columns.
func reductions(w *onnx.Tensor, values []int64) [][]int64 {
	if len(w.Dims) == 2 {
		in, out := int(w.Dims[0]), int(w.Dims[1])
		columns := make([][]int64, out)
		for i := range in {
			for o := range out {
				columns[o] = append(columns[o], values[i*out+o])
			}
		}
		return columns
	}
	out, in, kernel := int(w.Dims[0]), int(w.Dims[1]), int(w.Dims[2]*w.Dims[3])
	columns := make([][]int64, out)
	for o := range out {
		for place := range kernel {
			for c := range in {
				columns[o] = append(columns[o], values[(o*in+c)*kernel+place])
			}
		}
	}
	return columns
}
