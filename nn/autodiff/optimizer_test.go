package autodiff

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// trajectories are the weights of PyTorch's optimizers after given gradients.
type trajectories struct {
	Start     [2]json.RawMessage   `json:"start"`
	Gradients [][2]json.RawMessage `json:"gradients"`
	Cases     map[string]struct {
		Norms   []float64          `json:"norms"`
		Weights [2]json.RawMessage `json:"weights"`
	} `json:"cases"`
}

// numbers flattens a list of numbers or of such lists.
func numbers(t testing.TB, text json.RawMessage) []float64 {
	t.Helper()
	var flat []float64
	if json.Unmarshal(text, &flat) == nil {
		return flat
	}
	var nested []json.RawMessage
	require.NoError(t, json.Unmarshal(text, &nested))
	flat = nil
	for _, part := range nested {
		flat = append(flat, numbers(t, part)...)
	}
	return flat
}

var optimizerCases = map[string]struct {
	Optimizer
	rate float64
}{
	"sgd":                {Optimizer{Method: SGD}, 0.1},
	"sgd momentum":       {Optimizer{Method: SGD, Momentum: 0.9}, 0.1},
	"sgd nesterov decay": {Optimizer{Method: SGD, Momentum: 0.9, Nesterov: true, WeightDecay: 0.01}, 0.1},
	"sgd clip":           {Optimizer{Method: SGD, Momentum: 0.8, ClipNorm: 1.5}, 0.1},
	"adam":               {DefaultOptimizer(Adam), 0.01},
	"adam decay":         {Optimizer{Method: Adam, Beta1: 0.8, Beta2: 0.95, Epsilon: 1e-6, WeightDecay: 0.1}, 0.01},
	"adamw":              {Optimizer{Method: AdamW, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.1}, 0.01},
	"adamw clip":         {Optimizer{Method: AdamW, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1}, 0.01},
}

func TestOptimizersLikePyTorch(t *testing.T) {
	var ref trajectories
	require.NoError(t, json.Unmarshal([]byte(testshared.Read(t, "../../testdata/training/optimizers.json")), &ref))
	require.Len(t, ref.Cases, len(optimizerCases))
	for name, c := range optimizerCases {
		t.Run(name, func(t *testing.T) {
			m, states := optimizerGraph(t, &c.Optimizer)
			in := map[string]*onnx.Tensor{}
			dims := [][]int64{{2, 3}, {4}}
			for i, w := range []string{"v", "w"} {
				in[w] = onnx.NewTensor(w, numbers(t, ref.Start[i]), dims[i]...)
			}
			for _, s := range states {
				in[s.Name] = onnx.NewTensor(s.Name, make([]float64, count(s.Dims)), s.Dims...)
			}
			want := ref.Cases[name]
			for step, g := range ref.Gradients {
				for i, w := range []string{"gv", "gw"} {
					in[w] = onnx.NewTensor(w, numbers(t, g[i]), dims[i]...)
				}
				for name, v := range c.Scalars(int64(step+1), c.rate) {
					in[name] = onnx.NewTensor(name, []float64{float64(v)}, 1)
				}
				out := runDouble(t, m, in)
				require.InDelta(t, want.Norms[step], nntest.Floats(t, out[OutputGradNorm])[0], 1e-6)
				for _, v := range append([]string{"v", "w"}, stateNames(states)...) {
					in[v] = out[NextPrefix+v]
				}
			}
			for i, w := range []string{"v", "w"} {
				// Constants and the learning rate are float32 in the graph.
				require.InDeltaSlice(t, numbers(t, want.Weights[i]), nntest.Floats(t, in[w]), 2e-6)
			}
		})
	}
}

func stateNames(list []State) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// optimizerGraph updates the weights v and w, which both decay, by gradients that are inputs.
func optimizerGraph(t *testing.T, o *Optimizer) (*onnx.Model, []State) {
	b := onnx.NewBuilder("optimizer", 17)
	o.Decay = func(*Param) float64 { return 1 }
	params := []Param{{Name: "v", Dims: []int64{2, 3}}, {Name: "w", Dims: []int64{4}}}
	b.Input("v", onnx.Float, 2, 3)
	b.Input("w", onnx.Float, 4)
	states, err := o.Apply(b, params, []onnx.Value{b.Input("gv", onnx.Float, 2, 3), b.Input("gw", onnx.Float, 4)})
	require.NoError(t, err)
	return onnxref.Double(nntest.Built(t, b)), states
}

// TestDecaySparesBiases: by default only kernels decay; per-parameter rates apply.
func TestDecaySparesBiases(t *testing.T) {
	o := Optimizer{Method: SGD, WeightDecay: 0.5, Rate: func(p *Param) float64 { return map[string]float64{"w": 1, "b": 1, "h": 0.25}[p.Name] }}
	b := onnx.NewBuilder("decay", 17)
	params := []Param{{Name: "w", Dims: []int64{1}}, {Name: "b", Dims: []int64{1}, Kind: KindBias}, {Name: "h", Dims: []int64{1}}}
	in := map[string]*onnx.Tensor{InputRate: onnx.NewTensor(InputRate, []float64{0.1}, 1)}
	var grads []onnx.Value
	for _, p := range params {
		b.Input(p.Name, onnx.Float, 1)
		in[p.Name] = onnx.NewTensor(p.Name, []float64{2}, 1)
		grads = append(grads, b.Reshape(b.Scalar(0), 1))
	}
	_, err := o.Apply(b, params, grads)
	require.NoError(t, err)
	out := runDouble(t, onnxref.Double(nntest.Built(t, b)), in)
	for name, want := range map[string]float64{"w": 1.9, "b": 2, "h": 1.975} {
		require.InDelta(t, want, nntest.Floats(t, out[NextPrefix+name])[0], 1e-6, name)
	}
}

func TestOptimizerCheck(t *testing.T) {
	for _, o := range []Optimizer{
		{Method: "rprop"}, {Method: SGD, Momentum: 1}, {Method: SGD, WeightDecay: -1}, {Method: SGD, ClipNorm: -1},
		{Method: Muon, Momentum: 1, Beta1: 0.9, Beta2: 0.9, Epsilon: 1e-8}, {Method: Adam, Beta1: 1, Beta2: 0.9, Epsilon: 1e-8}, {Method: Adam, Beta1: 0.9, Beta2: 0.9}, {Method: AdamW, Beta1: 0.9, Beta2: -1, Epsilon: 1e-8},
	} {
		require.ErrorIs(t, o.Check(), ErrOptimizer, "%+v", o)
	}
	for _, m := range []Method{SGD, Adam, AdamW, Muon} {
		o := DefaultOptimizer(m)
		require.NoError(t, o.Check())
	}
}
