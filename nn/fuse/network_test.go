package fuse_test

import (
	"fmt"
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
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

func needLibrary(t testing.TB) {
	t.Helper()
	if _, err := ort.Load(""); err != nil {
		testshared.Absent(t, "run `make deps` first: %v", err)
	}
}

// specOf describes a graph as far as a session needs it.
func specOf(t testing.TB, m *onnx.Model) nn.Spec {
	var spec nn.Spec
	list := func(infos []onnx.ValueInfo) (specs []nn.TensorSpec) {
		for _, v := range infos {
			row := nn.TensorSpec{Name: v.Name}
			for _, d := range v.Shape[1:] {
				require.True(t, d.Known(), "%s: %s", v.Name, v.Shape)
				row.Shape = append(row.Shape, int(d.Size))
			}
			specs = append(specs, row)
		}
		return specs
	}
	spec.Inputs, spec.Outputs = list(m.Graph.Inputs), list(m.Graph.Outputs)
	return spec
}

func open(t testing.TB, m *onnx.Model, spec nn.Spec, batch int) nn.Backend {
	t.Helper()
	data, err := m.Marshal()
	require.NoError(t, err)
	b, err := ort.Open(data, spec, ort.Config{MaxBatch: batch})
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// fill writes rows as a board gives them: planes of zeros and ones, one of them full.
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

// compare runs a graph as it is and rewritten, and returns the largest difference of
// an output over its largest value.
func compare(t *testing.T, m *onnx.Model, precision kernel.Precision) float64 {
	t.Helper()
	fused, layers, err := fuse.Rewrite(m, precision)
	require.NoError(t, err)
	require.Positive(t, layers)
	spec := specOf(t, m)
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

func TestNetworks(t *testing.T) {
	needLibrary(t)
	for _, name := range []string{"kb2c32", "kb2c32-mish", "kb4c64nbt-mish"} {
		for _, size := range []katago.Size{{W: 9, H: 9}, {W: 19, H: 19}, {W: 7, H: 12}} {
			n, err := katago.Fresh(name, 1)
			if err != nil {
				t.Log(err)
				continue
			}
			m, err := katago.Build(n, size, katago.Options{PlainMish: true})
			require.NoError(t, err)
			t.Run(fmt.Sprintf("%s %dx%d", name, size.W, size.H), func(t *testing.T) {
				require.Less(t, compare(t, m, kernel.Float32), 2e-5)
				require.Less(t, compare(t, m, kernel.Int16), 1e-2)
			})
		}
	}
}

func TestRealNetworks(t *testing.T) {
	needLibrary(t)
	for _, name := range []string{"g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm", "b7c96h6kv3qk32v16tflrs-fson-bnh"} {
		n, err := katago.ReadFile(testshared.Path(t, "models/katago/"+name+".bin.gz"))
		require.NoError(t, err)
		m, err := katago.Build(n, katago.Size{W: 19, H: 19}, katago.Options{PlainMish: true})
		require.NoError(t, err)
		for _, p := range []kernel.Precision{kernel.Float32, kernel.Int16} {
			t.Logf("%s %d: %.2e", name, p, compare(t, m, p))
		}
		f, layers, err := fuse.Rewrite(m, kernel.Int16)
		require.NoError(t, err)
		counts := map[string]int{}
		for _, n := range f.Graph.Nodes {
			counts[n.Domain+"."+n.OpType]++
		}
		t.Log(layers, counts)
	}
}

func BenchmarkNetwork(b *testing.B) {
	needLibrary(b)
	for _, name := range []string{"g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm"} {
		n, err := katago.ReadFile(testshared.Path(b, "models/katago/"+name+".bin.gz"))
		require.NoError(b, err)
		for _, side := range []int{9, 19} {
			m, err := katago.Build(n, katago.Size{W: side, H: side}, katago.Options{PlainMish: true})
			require.NoError(b, err)
			fast, _ := katago.Build(n, katago.Size{W: side, H: side}, katago.Options{})
			spec := specOf(b, m)
			fp, _, err := fuse.Rewrite(m, kernel.Float32)
			require.NoError(b, err)
			i16, _, err := fuse.Rewrite(m, kernel.Int16)
			require.NoError(b, err)
			for _, batch := range []int{1, 4, 8} {
				for _, v := range []struct {
					name string
					m    *onnx.Model
				}{{"onnxruntime", fast}, {"float32", fp}, {"int16", i16}} {
					b.Run(fmt.Sprintf("%.4s_%d_%d_%s", name, side, batch, v.name), func(b *testing.B) {
						s := open(b, v.m, spec, batch)
						fill(s, spec, 1)
						for b.Loop() {
							require.NoError(b, s.Run(batch))
						}
						b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "evals/s")
					})
				}
			}
		}
	}
	_ = slices.Max[[]int]
}
