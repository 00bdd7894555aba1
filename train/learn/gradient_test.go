package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/autodiff"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
	"kosumi/train/rows"
)

// smooth switches off terms that deliberately block some gradients, since difference quotients
// would include these.
var smooth = map[string]float64{TermOptimistic: 0, TermScoreStdev: 0, TermVarTime: 0, TermValueError: 0, TermScoreError: 0}

// TestNetworkGradients compares the derivative of a whole loss along random directions, in all
// weights and in each weight alone, with difference quotients in float64.
func TestNetworkGradients(t *testing.T) {
	const pytorch = "../../testdata/onnx/"
	cases := map[string]string{
		"kb1c16": "", "mini-b1c4": "",
		"pytorch-dualhead-9x9-bn":               pytorch + "pytorch-dualhead-9x9-bn.onnx",
		"pytorch-dualhead-9x9-dynamo":           pytorch + "pytorch-dualhead-9x9-dynamo.onnx",
		"synth-v17-nbt-transformer-spatial-rms": "",
	}
	if *long { // by default left out: their operators are also tested in package autodiff
		for _, name := range []string{"kb2c32nbt-mish", "kb1c16-silu", "b6c4", "synth-v8", "synth-v11-nbt-mish", "synth-v17-norope-rms"} {
			cases[name] = ""
		}
		for _, name := range []string{"pytorch-dualhead-9x9", "pytorch-dualhead-9x9-latest", "pytorch-dualhead-9x9-plain", "pytorch-seed-9x9"} {
			cases[name] = pytorch + name + ".onnx"
		}
	}
	for name, path := range cases {
		t.Run(name, func(t *testing.T) {
			side := 9
			if path == "" {
				side = 5
				path = network(t, name, side)
			}
			for _, norms := range []string{"train", "frozen"} {
				checkNetwork(t, Config{Model: path, Batch: 2, Norms: norms, Losses: smooth, Aux: true}, board.Square(side))
			}
		})
	}
}

func checkNetwork(t *testing.T, c Config, size board.Size) {
	l := open(t, c)
	p, stops, err := l.planner.forward(size, map[string]autodiff.Norms{"train": autodiff.NormsTrain, "frozen": autodiff.NormsFrozen}[c.Norms], c.Batch)
	require.NoError(t, err)
	require.Empty(t, stops)
	var names []string
	for _, q := range p.params {
		names = append(names, q.Name)
	}
	b, grads, err := autodiff.Gradients(p.model, outLoss, names, false)
	require.NoError(t, err)
	for i, g := range grads {
		if g != "" {
			b.Output("gradient/"+names[i], g)
		}
	}
	m := nntest.Built(t, b)
	in := inputsOf(t, p, randomBatch(l, size, c.Batch, 1))
	m = onnxref.Double(m)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range names { // add noise: biases of fresh networks are 0, where ReLU has no derivative
		for i := range in[name].data {
			in[name].data[i] += 0.05 * rng.NormFloat64()
		}
	}
	out := runDouble(t, m, in)
	keepOutputs(m, outLoss)
	loss := func() float64 { return nntest.Floats(t, runDouble(t, m, in)[outLoss])[0] }

	// along moves some weights in a random direction and returns the relative difference between
	// derivative and difference quotient.
	along := func(some []string) float64 {
		const h = 1e-8
		var want float64
		was := map[string][]float64{}
		step := map[string][]float64{}
		for _, name := range some {
			was[name] = slices.Clone(in[name].data)
			step[name] = make([]float64, len(was[name]))
			var g []float64
			if o := out["gradient/"+name]; o != nil {
				g = nntest.Floats(t, o)
				require.Len(t, g, len(was[name]), name)
			}
			for i := range step[name] {
				step[name][i] = rng.NormFloat64()
				if g != nil {
					want += step[name][i] * g[i]
				}
			}
		}
		at := func(k float64) float64 {
			for _, name := range some {
				for i := range step[name] {
					in[name].data[i] = was[name][i] + k*h*step[name][i]
				}
			}
			return loss()
		}
		got := (at(1) - at(-1)) / (2 * h)
		at(0)
		return math.Abs(got-want) / max(math.Abs(want), 0.01)
	}
	require.Less(t, along(names), 2e-3, "all weights together, norms %s", c.Norms)
	for i := range 6 {
		name := names[(i*7919)%len(names)]
		require.Less(t, along([]string{name}), 2e-3, "%s, norms %s", name, c.Norms)
	}
}

type array struct {
	dims []int64
	data []float64
}

func inputsOf(t testing.TB, p *plan, b *rows.Batch) map[string]*array {
	t.Helper()
	in := map[string]*array{}
	weights := map[string]*onnx.Tensor{}
	for _, q := range p.params {
		weights[q.Name] = q.Init
	}
	for _, s := range p.stats {
		weights[s.Name] = s.Init
	}
	batch := map[string][]float32{inPolicy: b.Policy, inReply: b.Reply, inGlobals: b.Globals, inPoints: b.Points}
	for _, i := range p.spec.Inputs {
		batch[i.Name] = map[bool][]float32{true: b.Spatial, false: b.Global}[i.Role == nn.RoleSpatial]
	}
	for _, v := range p.model.Graph.Inputs {
		dims, ok := v.Shape.Sizes()
		require.True(t, ok)
		a := &array{dims: dims}
		if w := weights[v.Name]; w != nil {
			a.data = nntest.Floats(t, w)
		} else {
			for _, f := range batch[v.Name] {
				a.data = append(a.data, float64(f))
			}
		}
		in[v.Name] = a
	}
	return in
}

func runDouble(t testing.TB, m *onnx.Model, in map[string]*array) map[string]*onnx.Tensor {
	t.Helper()
	ins := map[string]*onnx.Tensor{}
	for name, a := range in {
		ins[name] = onnx.NewTensor(name, a.data, a.dims...)
	}
	out, err := onnxref.Run(m, ins)
	require.NoError(t, err)
	return out
}
