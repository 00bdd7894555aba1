package autodiff

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// matrix is a list of rows, with simple and slow operations.
type matrix [][]float64

func reshaped(flat []float64, rows int) matrix {
	m := make(matrix, rows)
	for i := range m {
		m[i] = flat[i*len(flat)/rows : (i+1)*len(flat)/rows]
	}
	return m
}

func (m matrix) times(n matrix) matrix {
	out := make(matrix, len(m))
	for i := range m {
		out[i] = make([]float64, len(n[0]))
		for j := range out[i] {
			for k := range n {
				out[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return out
}

func (m matrix) turned() matrix {
	out := make(matrix, len(m[0]))
	for j := range out {
		for i := range m {
			out[j] = append(out[j], m[i][j])
		}
	}
	return out
}

// plus returns x*m + y*n.
func (m matrix) plus(x float64, n matrix, y float64) matrix {
	out := make(matrix, len(m))
	for i := range m {
		for j := range m[i] {
			out[i] = append(out[i], x*m[i][j]+y*n[i][j])
		}
	}
	return out
}

// muonReference computes the step of a matrix by the definition, without transposing, with the
// polynomial written out.
func muonReference(g, v matrix, momentum float64) (step, next matrix) {
	next = v.plus(momentum, g, 1)
	x := g.plus(1, next, momentum)
	var square float64
	for i := range x {
		for _, a := range x[i] {
			square += a * a
		}
	}
	x = x.plus(1/math.Sqrt(square), x, 0)
	for range 5 {
		xxx := x.times(x.turned()).times(x)
		xxxxx := x.times(x.turned()).times(xxx)
		x = x.plus(3.4445, xxx, -4.7750).plus(1, xxxxx, 2.0315)
	}
	return x.plus(0.2*math.Sqrt(float64(max(len(x), len(x[0])))), x, 0), next
}

// TestMuonLikeReference: steps of a kernel, of tall and wide matrices, and of a bias, for which
// AdamW is used, equal the reference.
func TestMuonLikeReference(t *testing.T) {
	const rate, decay = 0.01, 0.1
	params := []Param{
		{Name: "kernel", Dims: []int64{4, 2, 3, 3}}, {Name: "high", Dims: []int64{6, 3}}, {Name: "wide", Dims: []int64{2, 5}},
		{Name: "bias", Dims: []int64{3}, Kind: KindBias},
	}
	graph := func(o Optimizer, list []Param) (*onnx.Model, []State) {
		b := onnx.NewBuilder("muon", 17)
		var grads []onnx.Value
		for _, p := range list {
			dims := make([]any, len(p.Dims))
			for i, d := range p.Dims {
				dims[i] = d
			}
			b.Input(p.Name, onnx.Float, dims...)
			grads = append(grads, b.Input("grad/"+p.Name, onnx.Float, dims...))
		}
		states, err := o.Apply(b, list, grads)
		require.NoError(t, err)
		return onnxref.Double(nntest.Built(t, b)), states
	}
	o := DefaultOptimizer(Muon)
	o.WeightDecay = decay
	m, states := graph(o, params)
	adamw := DefaultOptimizer(AdamW)
	plain, plainStates := graph(adamw, params[3:])
	require.Len(t, states, 3+2)

	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = rng.NormFloat64()
		}
		return list
	}
	in := map[string]*onnx.Tensor{}
	weights, velocity := map[string]matrix{}, map[string]matrix{}
	for _, p := range params {
		w := draw(p.Len())
		in[p.Name] = onnx.NewTensor(p.Name, w, p.Dims...)
		weights[p.Name], velocity[p.Name] = reshaped(w, int(p.Dims[0])), reshaped(make([]float64, p.Len()), int(p.Dims[0]))
	}
	for _, s := range states {
		in[s.Name] = onnx.NewTensor(s.Name, make([]float64, count(s.Dims)), s.Dims...)
	}
	bias := map[string]*onnx.Tensor{"bias": in["bias"]}
	for _, s := range plainStates {
		bias[s.Name] = onnx.NewTensor(s.Name, make([]float64, 3), 3)
	}
	for step := range int64(4) {
		for name, v := range o.Scalars(step+1, rate) {
			in[name] = onnx.NewTensor(name, []float64{float64(v)}, 1)
			bias[name] = in[name]
		}
		for _, p := range params {
			g := draw(p.Len())
			in["grad/"+p.Name] = onnx.NewTensor("", g, p.Dims...)
			if p.Kind != KindWeight {
				continue
			}
			rows := int(p.Dims[0])
			var s matrix
			s, velocity[p.Name] = muonReference(reshaped(g, rows), velocity[p.Name], o.Momentum)
			weights[p.Name] = weights[p.Name].plus(1-rate*decay, s, -rate)
		}
		bias["grad/bias"] = in["grad/bias"]
		out, other := runDouble(t, m, in), runDouble(t, plain, bias)
		for _, p := range params {
			got := nntest.Floats(t, out[NextPrefix+p.Name])
			in[p.Name] = onnx.NewTensor(p.Name, got, p.Dims...)
			if p.Kind != KindWeight {
				require.InDeltaSlice(t, nntest.Floats(t, other[NextPrefix+p.Name]), got, 1e-12, p.Name)
				bias[p.Name] = in[p.Name]
				continue
			}
			for i, row := range reshaped(got, int(p.Dims[0])) {
				require.InDeltaSlice(t, weights[p.Name][i], row, 3e-6, "%s, step %d", p.Name, step) // constants are float32 in the graph
			}
		}
		for _, s := range states {
			in[s.Name] = out[NextPrefix+s.Name]
		}
		for _, s := range plainStates {
			bias[s.Name] = other[NextPrefix+s.Name]
		}
	}
}
