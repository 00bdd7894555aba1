//go:build cgo || js

package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/fuse"
	"kosumi/nn/graph"
	"kosumi/nn/kernel"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

var nine = board.Square(9)

// opener opens models for an instruction set, fused in float32.
func opener(isa kernel.ISA) nntest.Opener {
	return func(t *testing.T, data []byte, spec nn.Spec, maxBatch int) (nn.Backend, error) {
		m, err := onnx.Read(data)
		if err != nil {
			return nil, err
		}
		fused, _, err := fuse.Rewrite(m, kernel.Float32)
		if err != nil {
			return nil, err
		}
		return graph.Open(fused, spec, graph.Config{ISA: isa, MaxBatch: maxBatch})
	}
}

func TestBackend(t *testing.T) {
	for _, isa := range kernel.Available() {
		t.Run(isa.String(), func(t *testing.T) { nntest.TestBackend(t, opener(isa)) })
	}
}

func TestFixtures(t *testing.T) {
	best, _ := kernel.Best()
	nntest.TestFixtures(t, filepath.Join("..", "..", "testdata", "onnx"), opener(best))
}

type (
	B = *onnx.Builder
	V = onnx.Value
)

// operators are small graphs of x [N,3,4,5] and y [N,6], one for each form of an operator.
var operators = map[string]func(b B, x, y V) V{
	"relu":               func(b B, x, y V) V { return b.Relu(x) },
	"sigmoid":            func(b B, x, y V) V { return b.Sigmoid(x) },
	"tanh":               func(b B, x, y V) V { return b.Tanh(x) },
	"softplus":           func(b B, x, y V) V { return b.Softplus(x) },
	"mish":               func(b B, x, y V) V { return b.Mish(x) },
	"silu":               func(b B, x, y V) V { return b.Mul(x, b.Sigmoid(x)) },
	"sigmoid read twice": func(b B, x, y V) V { s := b.Sigmoid(x); return b.Add(b.Mul(x, s), s) },
	"exp":                func(b B, x, y V) V { return b.Exp(x) },
	"log":                func(b B, x, y V) V { return b.Log(b.Add(b.Op("Abs", nil, x), b.Scalar(0.5))) },
	"sqrt":               func(b B, x, y V) V { return b.Sqrt(b.Op("Abs", nil, x)) },
	"neg":                func(b B, x, y V) V { return b.Op("Neg", nil, x) },
	"add itself":         func(b B, x, y V) V { return b.Add(x, x) },
	"sub scalar":         func(b B, x, y V) V { return b.Sub(b.Scalar(2), x) },
	"mul by channel":     func(b B, x, y V) V { return b.Mul(x, b.Floats("c", []float32{1, -2, 3}, 3, 1, 1)) },
	"mul by row":         func(b B, x, y V) V { return b.Mul(b.Floats("c", []float32{1, -2, 3, 4}, 4, 1), x) },
	"div by board": func(b B, x, y V) V {
		return b.Div(x, b.Add(b.Op("Abs", nil, b.Reshape(b.Slice(y, 1, 0, 3), 0, 3, 1, 1)), b.Scalar(1)))
	},
	"outer":            func(b B, x, y V) V { return b.Add(b.Reshape(y, 0, 6, 1), b.Reshape(y, 0, 1, 6)) },
	"max of three":     func(b B, x, y V) V { return b.Max(x, b.Scalar(0.25), b.Op("Neg", nil, x)) },
	"min":              func(b B, x, y V) V { return b.Min(x, b.Scalar(-0.5)) },
	"mean of boards":   func(b B, x, y V) V { return b.Op("GlobalAveragePool", nil, x) },
	"max of boards":    func(b B, x, y V) V { return b.Op("GlobalMaxPool", nil, x) },
	"mean of channels": func(b B, x, y V) V { return b.ReduceMean(x, true, 1) },
	"sum of the end":   func(b B, x, y V) V { return b.ReduceSum(x, false, -1) },
	"max of the middle": func(b B, x, y V) V {
		return b.Op("ReduceMax", onnx.Attrs{"keepdims": onnx.AttrInt(0), "axes": onnx.AttrInts(1, 2)}, x)
	},
	"mean of all":        func(b B, x, y V) V { return b.ReduceMean(x, false, 1, 2, 3) },
	"mean of two apart":  func(b B, x, y V) V { return b.ReduceMean(x, true, 1, 3) },
	"softmax":            func(b B, x, y V) V { return b.Softmax(x, -1) },
	"softmax of rows":    func(b B, x, y V) V { return b.Softmax(x, 2) },
	"log softmax":        func(b B, x, y V) V { return b.LogSoftmax(b.Flatten(x), 1) },
	"transpose":          func(b B, x, y V) V { return b.Transpose(x, 0, 2, 3, 1) },
	"transpose back":     func(b B, x, y V) V { return b.Transpose(x, 0, 3, 2, 1) },
	"transpose ends":     func(b B, x, y V) V { return b.Transpose(b.Transpose(x, 0, 1, 3, 2), 0, 3, 1, 2) },
	"concat":             func(b B, x, y V) V { return b.Concat(1, y, b.Flatten(x), y) },
	"concat channels":    func(b B, x, y V) V { return b.Concat(2, x, b.Relu(x)) },
	"slice":              func(b B, x, y V) V { return b.Slice(x, 3, 1, 4) },
	"slice from the end": func(b B, x, y V) V { return b.Slice(x, 2, -3, 100) },
	"slice in steps":     func(b B, x, y V) V { return b.SliceAxes(x, []int64{1, 3}, []int64{0, 1}, []int64{3, 5}, []int64{2, 3}) },
	"slice backwards":    func(b B, x, y V) V { return b.SliceAxes(x, []int64{3}, []int64{4}, []int64{-100}, []int64{-2}) },
	"split": func(b B, x, y V) V {
		parts := b.Node("", "Split", 2, onnx.Attrs{"axis": onnx.AttrInt(2)}, x, b.Ints(1, 3))
		return b.Concat(2, parts[1], parts[0])
	},
	"squeeze": func(b B, x, y V) V { return b.Op("Squeeze", nil, b.Unsqueeze(x, 1), b.Ints(1)) },
	"expand": func(b B, x, y V) V {
		return b.Mul(b.Op("Expand", nil, b.Floats("c", []float32{1, 2, 3}, 3, 1, 1), b.Ints(1, 3, 4, 5)), x)
	},
	"expand the board": func(b B, x, y V) V {
		return b.Op("Expand", nil, b.Op("GlobalAveragePool", nil, x), b.Op("Shape", nil, x))
	},
	"matrix":           func(b B, x, y V) V { return b.MatMul(y, b.Floats("w", ramp(6*7), 6, 7)) },
	"matrix of points": func(b B, x, y V) V { return b.MatMul(x, b.Floats("w", ramp(5*3), 5, 3)) },
	"matrix of values": func(b B, x, y V) V { return b.MatMul(x, b.Transpose(x, 0, 1, 3, 2)) },
	"gemm": func(b B, x, y V) V {
		return b.Gemm(y, b.Floats("w", ramp(6*7), 6, 7), b.Floats("c", ramp(7), 7), false)
	},
	"gemm turned": func(b B, x, y V) V {
		return b.Gemm(y, b.Floats("w", ramp(6*7), 7, 6), b.Floats("c", ramp(7), 1, 7), true)
	},
	"gemm of a number": func(b B, x, y V) V { return b.Gemm(y, b.Floats("w", ramp(6*7), 7, 6), b.Scalar(3), true) },
	"gemm of values":   func(b B, x, y V) V { return b.Gemm(y, b.Floats("w", ramp(36), 6, 6), b.Mul(y, y), true) },
	"gemm scaled": func(b B, x, y V) V {
		return b.Op("Gemm", onnx.Attrs{"alpha": onnx.AttrFloat(0.5), "beta": onnx.AttrFloat(2)}, y, b.Floats("w", ramp(36), 6, 6), b.Floats("c", ramp(6), 6))
	},
	"dilated": func(b B, x, y V) V {
		return b.ConvWith(x, b.Floats("w", ramp(2*3*9), 2, 3, 3, 3), "", onnx.ConvOptions{Pads: []int64{2, 2, 2, 2}, Dilations: []int64{2, 2}})
	},
	"where": func(b B, x, y V) V {
		return b.Op("Where", nil, b.Op("Greater", nil, x, b.Scalar(0)), x, b.Mul(x, b.Scalar(0.1)))
	},
	"cast":     func(b B, x, y V) V { return b.Cast(b.Cast(b.Mul(x, b.Scalar(3)), onnx.Int64), onnx.Float) },
	"pad":      func(b B, x, y V) V { return b.Op("Pad", nil, x, b.Ints(0, 0, 1, 0, 0, 0, 0, 2)) },
	"gather":   func(b B, x, y V) V { return b.Gather(x, b.Ints(2, 0), 3) },
	"constant": func(b B, x, y V) V { return b.Add(x, b.Relu(b.Floats("c", []float32{-1, 0, 1, 2, 3}, 5))) },
	"batch norm": func(b B, x, y V) V {
		c := b.Floats("c", []float32{1, 2, 3}, 3)
		return b.BatchNorm(x, c, c, c, c, 1e-3)
	},
}

// refused maps each graph that the kernels cannot run to the operator that the error must name.
var refused = map[string]string{
	"mean of two apart": "ReduceMean", "softmax of rows": "Softmax", "slice backwards": "Slice", "matrix of values": "MatMul",
	"gemm scaled": "Gemm", "dilated": "Conv", "where": "Greater", "cast": "Cast", "pad": "Pad", "gather": "Gather",
	"batch norm": "BatchNormalization",
}

func ramp(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i%7-3) / 4
	}
	return v
}

// modelOf returns a model of an operator. Further nodes read the result, so no later step may overwrite it.
func modelOf(t *testing.T, name string) *onnx.Model {
	t.Helper()
	b := onnx.NewBuilder("operator", 17)
	x, y := b.Input("x", onnx.Float, "N", 3, 4, 5), b.Input("y", onnx.Float, "N", 6)
	z := operators[name](b, x, y)
	b.Output("z", z)
	b.Output("read again", b.Add(b.Relu(z), b.Op("Neg", nil, z)))
	b.Output("y again", b.Op("Identity", nil, y))
	return nntest.Built(t, b)
}

// TestOperators compares each operator with the reference, in all batch sizes and for each
// instruction set.
func TestOperators(t *testing.T) {
	const batch = 5
	for name := range operators {
		t.Run(name, func(t *testing.T) {
			m := modelOf(t, name)
			if operator := refused[name]; operator != "" {
				err := graph.Check(m, nntest.SpecOf(t, m))
				require.ErrorIs(t, err, graph.ErrOperator)
				require.ErrorContains(t, err, operator)
				return
			}
			for _, isa := range kernel.Available() {
				for _, together := range []int{1, 3, batch} {
					s, err := graph.Open(m, nntest.SpecOf(t, m), graph.Config{ISA: isa, MaxBatch: batch, Together: together})
					require.NoError(t, err)
					rng := rand.New(rand.NewPCG(1, uint64(together)))
					for _, in := range s.Inputs() {
						for i := range in {
							in[i] = float32(rng.NormFloat64())
						}
					}
					for rows := batch; rows > 0; rows-- {
						require.NoError(t, s.Run(rows))
						feeds := map[string][]float32{"x": s.Inputs()[0][:rows*60], "y": s.Inputs()[1][:rows*6]}
						want, err := onnxref.RunFloats(m, feeds)
						require.NoError(t, err)
						for i, out := range m.Graph.Outputs {
							near(t, want[out.Name], s.Outputs()[i], fmt.Sprintf("%v, %d rows, %d together, %s", isa, rows, together, out.Name))
						}
					}
					require.NoError(t, s.Close())
				}
			}
		})
	}
}

func near(t *testing.T, want, got []float32, what string) {
	t.Helper()
	for i, w := range want {
		if d := math.Abs(float64(w - got[i])); !(d <= 2e-6*max(1, math.Abs(float64(w)))) {
			require.Failf(t, "wrong output", "%s[%d] is %g, want %g", what, i, got[i], w)
		}
	}
}

// TestNoNumberStaysNone: NaN in an input reaches the output.
func TestNoNumberStaysNone(t *testing.T) {
	for _, name := range []string{"relu", "sigmoid", "tanh", "softplus", "mish", "silu", "max of boards", "mean of boards", "max of three", "min",
		"max of the middle", "softmax", "log softmax", "matrix of points"} {
		m := modelOf(t, name)
		for _, isa := range kernel.Available() {
			s, err := graph.Open(m, nntest.SpecOf(t, m), graph.Config{ISA: isa})
			require.NoError(t, err)
			for i := range 60 {
				s.Inputs()[0][7], s.Inputs()[0][i] = 0, float32(math.NaN())
				require.NoError(t, s.Run(1))
				some := false
				for _, v := range s.Outputs()[0] {
					some = some || v != v
				}
				require.True(t, some, "%s %v: number %d", name, isa, i)
				s.Inputs()[0][i] = 0
			}
			require.NoError(t, s.Close())
		}
	}
}

// TestHostileGraphs: invalid nodes of the kernels' domain, and unknown nodes of any domain, are refused.
func TestHostileGraphs(t *testing.T) {
	weights := onnx.NewTensor("w", ramp(2*4*9), 2, 4, 3, 3)
	heads := func(heads, kv, q, v int64) onnx.Attrs {
		return onnx.Attrs{"heads": onnx.AttrInt(heads), "kv_heads": onnx.AttrInt(kv), "q_dim": onnx.AttrInt(q), "v_dim": onnx.AttrInt(v)}
	}
	for name, c := range map[string]struct {
		node  onnx.Node
		is    error
		holds string
	}{
		"no weights":      {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Inputs: []string{"x"}}, graph.ErrModel, "weights must be constant"},
		"changing":        {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Inputs: []string{"x", "x"}}, graph.ErrModel, "weights must be constant"},
		"other channels":  {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Inputs: []string{"x", "w"}}, graph.ErrModel, "does not fit the weights"},
		"no such bias":    {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Inputs: []string{"x", "w", "b"}}, graph.ErrModel, "never computed"},
		"a long bias":     {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Attrs: onnx.Attrs{"planes": onnx.AttrInt(1)}, Inputs: []string{"x", "w", "w"}}, graph.ErrModel, "bias"},
		"itself added":    {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Attrs: onnx.Attrs{"planes": onnx.AttrInt(1)}, Inputs: []string{"x", "w", "", "x"}}, graph.ErrModel, "residual"},
		"gated":           {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Attrs: onnx.Attrs{"planes": onnx.AttrInt(1), "activation": onnx.AttrInt(4)}, Inputs: []string{"x", "w"}}, graph.ErrModel, "SwiGLU"},
		"no activation":   {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain, Attrs: onnx.Attrs{"planes": onnx.AttrInt(1), "activation": onnx.AttrInt(9)}, Inputs: []string{"x", "w"}}, graph.ErrModel, "activation"},
		"nothing read":    {onnx.Node{OpType: "Conv", Domain: onnx.KernelDomain}, graph.ErrModel, "nothing"},
		"unknown":         {onnx.Node{OpType: "Conf", Domain: onnx.KernelDomain, Inputs: []string{"x"}}, graph.ErrOperator, "Conf"},
		"another domain":  {onnx.Node{OpType: "Relu", Domain: "com.example", Inputs: []string{"x"}}, graph.ErrOperator, "com.example"},
		"unknown default": {onnx.Node{OpType: "Rleu", Inputs: []string{"x"}}, graph.ErrOperator, "Rleu"},
		"no heads":        {onnx.Node{OpType: "Attention", Domain: onnx.KernelDomain, Inputs: []string{"x"}}, graph.ErrModel, "heads"},
		"many heads":      {onnx.Node{OpType: "Attention", Domain: onnx.KernelDomain, Inputs: []string{"x"}, Attrs: heads(1<<40, 1, 1, 1)}, graph.ErrModel, "heads"},
		"two of three":    {onnx.Node{OpType: "Attention", Domain: onnx.KernelDomain, Inputs: []string{"x"}, Attrs: heads(3, 2, 1, 1)}, graph.ErrModel, "heads"},
		"endless":         {onnx.Node{OpType: "Expand", Inputs: []string{"x", "huge"}}, graph.ErrOperator, "Expand"},
	} {
		t.Run(name, func(t *testing.T) {
			c.node.Outputs = []string{"z"}
			shape := onnx.Shape{onnx.Sym("N"), onnx.D(4), onnx.D(5), onnx.D(6)}
			m := &onnx.Model{IRVersion: 8, Opset: 17, Opsets: map[string]int64{onnx.KernelDomain: onnx.KernelVersion, "com.example": 1}, Graph: &onnx.Graph{
				Nodes: []*onnx.Node{&c.node}, Inputs: []onnx.ValueInfo{{Name: "x", Type: onnx.Float, Shape: shape}}, Outputs: []onnx.ValueInfo{{Name: "z", Type: onnx.Float}},
				Initializers: []*onnx.Tensor{weights, onnx.NewScalar("axis", int64(1)), onnx.NewTensor("huge", []int64{1 << 20, 1 << 20, 1, 1, 5, 6}, 6)}}}
			if name == "other channels" {
				m.Graph.Inputs[0].Shape[1] = onnx.D(5)
			}
			spec := nn.Spec{Inputs: []nn.TensorSpec{{Name: "x", Shape: []int{int(m.Graph.Inputs[0].Shape[1].Size), 5, 6}}}, Outputs: []nn.TensorSpec{{Name: "z", Shape: []int{4, 5, 6}}}}
			switch name {
			case "gated":
				spec.Outputs[0].Shape = []int{5, 6, 1}
			case "no activation":
				spec.Outputs[0].Shape = []int{5, 6, 2}
			}
			s, err := graph.Open(m, spec, graph.Config{MaxBatch: 3})
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.holds)
			require.Nil(t, s)
		})
	}
}
