package fuse_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/fuse"
	"kosumi/nn/katago"
	"kosumi/nn/kernel"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

func needLibrary(t testing.TB) {
	t.Helper()
	if _, err := ort.Load(""); err != nil {
		testshared.Absent(t, "run `make deps` first: %v", err)
	}
}

func open(t testing.TB, m *onnx.Model, spec nn.Spec, batch int) nn.Backend {
	t.Helper()
	b, err := ort.Open(nntest.Bytes(t, m), spec, ort.Config{MaxBatch: batch})
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// fill writes random inputs: planes of zeros and ones, of which the first is all ones, and normal numbers elsewhere.
func fill(b nn.Backend, spec nn.Spec, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i, in := range b.Inputs() {
		for j := range in {
			in[j] = 0
			switch {
			case len(spec.Inputs[i].Shape) != 3:
				in[j] = float32(rng.NormFloat64())
			case rng.IntN(5) == 0:
				in[j] = 1
			}
		}
		if shape := spec.Inputs[i].Shape; len(shape) == 3 {
			row, area := spec.Inputs[i].Len(), shape[1]*shape[2]
			for at := 0; at < len(in); at += row {
				for j := range area {
					in[at+j] = 1
				}
			}
		}
	}
}

// compare runs a rewritten graph and one in plain operators, and returns the largest difference of
// an output relative to its largest value.
func compare(t *testing.T, m, fused *onnx.Model) float64 {
	t.Helper()
	spec := nntest.SpecOf(t, m)
	const batch = 3
	was, is := open(t, m, spec, batch), open(t, fused, spec, batch)
	fill(was, spec, 1)
	fill(is, spec, 1)
	require.NoError(t, was.Run(batch))
	require.NoError(t, is.Run(batch))
	worst := 0.0
	for i, want := range was.Outputs() {
		off, top := 0.0, 1e-3
		for j := range want {
			off = max(off, math.Abs(float64(want[j]-is.Outputs()[i][j])))
			top = max(top, math.Abs(float64(want[j])))
		}
		require.False(t, math.IsNaN(off))
		worst = max(worst, off/top)
	}
	return worst
}

// TestNetworks: every convolution and every product of tokens becomes a fused layer, little is
// left to onnxruntime, and the answers stay the same.
func TestNetworks(t *testing.T) {
	needLibrary(t)
	networks := map[string]int{"kb2c32": 11, "kb2c32-mish": 11, "kb4c64nbt-mish": 31, "kb2c32h2tflrs": 14, "kb2c64h2nbttflrs": 26}
	real := map[string]int{"g170-b6c96-s175395328-d26788732": 20, "b7c96h3tfrs-test5-cnorm": 34, "b7c96h6kv3qk32v16tflrs-fson-bnh": 34}
	if _, ok := testshared.Beyond(t, "models/katago"); ok {
		maps.Copy(networks, real)
	}
	for name, layers := range networks {
		for _, size := range []katago.Size{{W: 9, H: 9}, {W: 19, H: 19}, {W: 7, H: 12}} {
			n, err := katago.Fresh(name, 1)
			if real[name] > 0 {
				if size.W != 19 {
					continue
				}
				n, err = katago.ReadFile(testshared.Path(t, "models/katago/"+name+".bin.gz"))
			}
			require.NoError(t, err)
			plain, err := katago.Build(n, size, katago.FormRun)
			require.NoError(t, err)
			m, err := katago.Build(n, size, katago.FormKernels)
			require.NoError(t, err)
			limits := map[kernel.Precision]float64{kernel.Float32: 2e-5, kernel.Int16: 1e-2}
			if real[name] > 0 { // random rows give real networks small outputs, so that relative errors are larger
				limits[kernel.Int16] = 2e-2
			}
			for precision, limit := range limits {
				fused, moved, err := fuse.Rewrite(m, precision)
				require.NoError(t, err)
				require.Equal(t, layers, moved, name)
				require.Less(t, compare(t, plain, fused), limit, "%s %v", name, size)
				for _, n := range fused.Graph.Nodes {
					require.False(t, n.Is("Conv", "Softmax", "Slice"), n.Name)
				}
				require.Equal(t, int64(17), m.Opset, "the graph itself is not touched")
			}
		}
	}
}

// TestSharedNorm: a value in the middle of a norm is still computed if another layer reads it too. The
// outputs of layers that read the network's input may be summed, with each other and with that input.
func TestSharedNorm(t *testing.T) {
	needLibrary(t)
	g := onnx.NewBuilder("shared", 17)
	weights := func(name string) onnx.Value {
		rng, w := rand.New(rand.NewPCG(uint64(len(name)), 0)), make([]float32, 8*8*9)
		for i := range w {
			w[i] = float32(rng.NormFloat64()) / 8
		}
		return g.Floats(name, w, 8, 8, 3, 3)
	}
	channels := func(name string, v float32) onnx.Value {
		return g.Floats(name, slices.Repeat([]float32{v}, 8), 8, 1, 1)
	}
	x := g.Input("x", onnx.Float, "N", 8, 9, 9)
	stem := g.Add(g.Conv(x, weights("w"), "", 1, 1, 1, 1), g.Add(g.Conv(x, weights("w333"), "", 1, 1, 1, 1), x))
	scaled := g.Mul(stem, channels("scale", 0.5))
	y := g.Relu(g.Add(scaled, channels("shift", 0.25)))
	g.Output("y", g.Add(g.Conv(y, weights("w1"), "", 1, 1, 1, 1), g.Conv(scaled, weights("w22"), "", 1, 1, 1, 1)))
	m := nntest.Built(t, g)
	fused, moved, err := fuse.Rewrite(m, kernel.Float32)
	require.NoError(t, err)
	require.Equal(t, 4, moved)
	require.Less(t, compare(t, m, fused), 2e-5)
}

// measure reports a graph's evaluations per second with onnxruntime alone, and with the kernels
// in float32 and in integers.
func measure(b *testing.B, name string, graph *onnx.Model, batch int) {
	spec := nntest.SpecOf(b, graph)
	for _, v := range []struct {
		name string
		make func() (*onnx.Model, int, error)
	}{
		{"onnxruntime", func() (*onnx.Model, int, error) { return graph, 0, nil }},
		{"float32", func() (*onnx.Model, int, error) { return fuse.Rewrite(graph, kernel.Float32) }},
		{"int16", func() (*onnx.Model, int, error) { return fuse.Rewrite(graph, kernel.Int16) }},
	} {
		b.Run(fmt.Sprintf("%s_batch%d_%s", name, batch, v.name), func(b *testing.B) {
			m, _, err := v.make()
			require.NoError(b, err)
			s := open(b, m, spec, batch)
			fill(s, spec, 1)
			for b.Loop() {
				require.NoError(b, s.Run(batch))
			}
			b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "evals/s")
		})
	}
}

// BenchmarkChain runs 12 layers of convolution, bias and ReLU of equal width.
func BenchmarkChain(b *testing.B) {
	needLibrary(b)
	for _, side := range []int{9, 13, 19} {
		for _, channels := range []int{32, 64, 96, 128, 192} {
			rng := rand.New(rand.NewPCG(1, 0))
			weights := make([]float32, channels*channels*9)
			for i := range weights {
				weights[i] = float32(rng.NormFloat64()) / float32(3*math.Sqrt(float64(channels)))
			}
			n := int64(channels)
			g := onnx.NewBuilder("chain", 17)
			x := g.Relu(g.Input("x", onnx.Float, "N", channels, side, side))
			for i := range 12 {
				l := g.In(fmt.Sprint(i))
				x = l.Relu(l.Conv(x, l.Floats("w", weights, n, n, 3, 3), l.Floats("b", make([]float32, n), n), 1, 1, 1, 1))
			}
			g.Output("y", x)
			m := nntest.Built(b, g)
			for _, batch := range []int{1, 8} {
				measure(b, fmt.Sprintf("%dx%d_%dch", side, side, channels), m, batch)
			}
		}
	}
}
