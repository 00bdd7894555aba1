package autodiff

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/arch"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

var writeCases = flag.String("write-cases", "", "write the cases of TestPyTorch to this folder, for testdata/training/make_gradients.py")

// reference is PyTorch's result for one case.
type reference struct {
	Loss       float64            `json:"loss"`
	Gradients  map[string]summary `json:"gradients"`
	Statistics map[string]summary `json:"statistics"`
}

// summary is a short description of a tensor, for comparison.
type summary struct {
	N     int       `json:"n"`
	Norm  float64   `json:"norm"`
	Dot   float64   `json:"dot"` // with cos(0), cos(1), ...
	First []float64 `json:"first"`
}

func summarize(g []float64) summary {
	s := summary{N: len(g), First: g[:min(8, len(g))]}
	for i, v := range g {
		s.Norm += v * v
		s.Dot += v * math.Cos(float64(i))
	}
	s.Norm = math.Sqrt(s.Norm)
	return s
}

// distance is the difference of two summaries relative to the norm. A norm below 0.1 counts as
// 0.1: derivatives of biases before a batch normalization are 0 up to rounding.
func (s summary) distance(o summary) float64 {
	d := max(math.Abs(s.Norm-o.Norm), math.Abs(s.Dot-o.Dot)/math.Sqrt(float64(max(s.N, 1))))
	for i := range s.First {
		d = max(d, math.Abs(s.First[i]-o.First[i]))
	}
	return d / max(o.Norm, 0.1)
}

// networks are whole networks that can be made from this checkout alone.
func networks(t *testing.T) map[string]*onnx.Model {
	all := map[string]*onnx.Model{}
	add := func(name string, m *onnx.Model, err error) {
		require.NoError(t, err)
		all[name+"-train"], all[name+"-frozen"] = m, m
	}
	for _, name := range []string{"mini-b2c4", "b6c4"} {
		c, err := arch.Parse(name)
		require.NoError(t, err)
		m, err := arch.Build(c.On(5, 4), 1)
		add(name, m, err)
	}
	for _, name := range []string{"kb2c16", "kb2c32nbt-mish", "kb1c16-silu"} {
		net, err := katago.Fresh(name, 1)
		require.NoError(t, err)
		m, err := katago.Build(net, katago.Size{W: 5, H: 4}, katago.Options{Form: katago.FormExact})
		add(name, m, err)
	}
	for _, name := range []string{"pytorch-dualhead-9x9", "pytorch-dualhead-9x9-bn", "pytorch-seed-9x9"} {
		data, err := os.ReadFile("../../testdata/onnx/" + name + ".onnx")
		require.NoError(t, err)
		m, err := onnx.Read(data)
		add(name, m, err)
	}
	return all
}

// networkInputs draws two rows for a network's inputs.
func networkInputs(m *onnx.Model) map[string]*onnx.Tensor {
	ins := map[string]*onnx.Tensor{}
	rng := rand.New(rand.NewPCG(7, 8))
	for _, v := range m.Graph.Feeds() {
		dims := []int64{2}
		for _, d := range v.Shape[1:] {
			dims = append(dims, d.Size)
		}
		data := make([]float32, count(dims))
		for i := range data {
			data[i] = float32(rng.IntN(3)) / 2
		}
		ins[v.Name] = onnx.NewTensor(v.Name, data, dims...)
	}
	return ins
}

// TestPyTorch compares every operator's derivatives, and those of whole networks with their
// running statistics, with PyTorch's.
func TestPyTorch(t *testing.T) {
	refs := map[string]reference{}
	if *writeCases == "" {
		data, err := os.ReadFile("../../testdata/training/gradients.json")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &refs))
	}
	for i := range opCases {
		c := &opCases[i]
		if c.name == "Norm of a batch" {
			continue // training BatchNormalization is tested by the whole networks
		}
		name := strings.NewReplacer(" ", "_", "'", "t").Replace(c.name)
		plain, with, inputs := c.graphs(t, rand.New(rand.NewPCG(1, 2)))
		if *writeCases != "" {
			writeCase(t, name, plain, inputs)
			continue
		}
		t.Run(name, func(t *testing.T) {
			with = asDouble(with)
			out := runDouble(t, with, inputs)
			require.NotEmpty(t, refs[name].Gradients)
			for in, want := range refs[name].Gradients {
				require.Less(t, summarize(floats(t, out["g"+in])).distance(want), 1e-6, in)
			}
		})
	}
	for name, m := range networks(t) {
		inputs := networkInputs(m)
		if *writeCases != "" {
			writeCase(t, name, m, inputs)
			continue
		}
		t.Run(name, func(t *testing.T) {
			compareNetwork(t, m, inputs, refs[name], strings.HasSuffix(name, "-train"))
		})
	}
}

func writeCase(t *testing.T, name string, m *onnx.Model, inputs map[string]*onnx.Tensor) {
	m = m.Clone()
	for _, v := range m.Graph.Feeds() {
		m.Graph.Initializers = append(m.Graph.Initializers, inputs[v.Name])
	}
	data, err := m.Marshal()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*writeCases, name+".onnx"), data, 0o644))
}

func compareNetwork(t *testing.T, m *onnx.Model, inputs map[string]*onnx.Tensor, want reference, train bool) {
	norms := NormsFrozen
	if train {
		norms = NormsTrain
	}
	p, err := Prepare(m, Options{Batch: 2, Norms: norms})
	require.NoError(t, err)
	b, err := onnx.Extend(p.Model)
	require.NoError(t, err)
	var loss onnx.Value
	for _, out := range m.Graph.Outputs {
		dims, ok := b.Shape(onnx.Value(out.Name)).Sizes()
		require.True(t, ok)
		factor := make([]float32, count(dims))
		for i := range factor {
			factor[i] = float32(math.Sin(float64(i + 1)))
		}
		part := b.ReduceSum(b.Mul(onnx.Value(out.Name), b.Const(onnx.NewTensor("", factor, dims...))), false)
		if loss == "" {
			loss = part
		} else {
			loss = b.Add(loss, part)
		}
	}
	b.Output("loss", loss)
	with, err := b.Model(nil)
	require.NoError(t, err)
	var names []string
	for _, q := range p.Params {
		names = append(names, q.Name)
		inputs[q.Name] = q.Init
	}
	for _, s := range p.Stats {
		inputs[s.Name] = s.Init
	}
	g, grads, err := Gradients(with, "loss", names)
	require.NoError(t, err)
	for i, v := range grads {
		require.NotEmpty(t, v, names[i])
		g.Output("g/"+names[i], v)
	}
	with, err = g.Model(nil)
	require.NoError(t, err)
	out := runDouble(t, asDouble(with), inputs)
	require.InEpsilon(t, want.Loss, floats(t, out["loss"])[0], 1e-5)
	for _, name := range names {
		require.Contains(t, want.Gradients, name)
		require.Less(t, summarize(floats(t, out["g/"+name])).distance(want.Gradients[name]), 1e-5, name)
	}
	moved := 0
	for _, s := range p.Stats {
		if s.Next != "" {
			require.Less(t, summarize(floats(t, out[s.Next])).distance(want.Statistics[s.Name]), 1e-6, s.Name)
			moved++
		}
	}
	require.Len(t, want.Statistics, moved)
}

func floats(t testing.TB, v *onnx.Tensor) []float64 {
	t.Helper()
	require.NotNil(t, v)
	list, err := v.Float64s()
	require.NoError(t, err)
	return slices.Clone(list)
}

func runDouble(t testing.TB, m *onnx.Model, inputs map[string]*onnx.Tensor) map[string]*onnx.Tensor {
	t.Helper()
	ins := map[string]*onnx.Tensor{}
	for name, v := range inputs {
		ins[name] = onnx.NewTensor(name, floats(t, v), v.Dims...)
	}
	out, err := onnxref.Run(m, ins)
	require.NoError(t, err)
	return out
}
