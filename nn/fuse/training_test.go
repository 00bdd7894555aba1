package fuse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/fuse"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// TestTraining: convolutions with their fused neighbours, and their gradients, equal
// onnxruntime's for any channels, board and batch, also in several threads.
func TestTraining(t *testing.T) {
	needLibrary(t)
	for _, c := range []struct{ n, in, out, h, w, threads int }{
		{20, 32, 48, 9, 9, 2}, {3, 22, 64, 19, 19, 2}, {1, 5, 7, 4, 11, 2}, {9, 17, 130, 13, 13, 1}, {2, 96, 96, 3, 3, 3}, {5, 1, 1, 2, 25, 2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			b := onnx.NewBuilder("step", 17)
			x, dy := b.Input("x", onnx.Float, c.n, c.in, c.h, c.w), b.Input("dy", onnx.Float, c.n, c.out, c.h, c.w)
			w, bias := b.Input("w", onnx.Float, c.out, c.in, 3, 3), b.Input("bias", onnx.Float, c.out)
			b.Output("plain", b.Conv(x, w, "", 1, 1, 1, 1))
			b.Output("relu", b.Relu(b.Conv(x, w, bias, 1, 1, 1, 1)))
			turn := func(v onnx.Value) onnx.Value { return b.Transpose(v, 1, 0, 2, 3) }
			b.Output("dw", turn(b.Conv(turn(x), turn(dy), "", 1, 1, 1, 1)))

			scale, shift := b.Input("scale", onnx.Float, c.out, 1, 1), b.Input("shift", onnx.Float, c.out, 1, 1)
			skip := b.Input("skip", onnx.Float, c.n, c.out, c.h, c.w)
			y := b.Relu(b.Add(b.Mul(skip, scale), shift))
			b.Output("scaled", y)
			through := func(dy, y onnx.Value) onnx.Value {
				return b.Mul(dy, b.Cast(b.Op("Greater", nil, y, b.Scalar(0)), onnx.Float))
			}
			byChannel := func(v onnx.Value) onnx.Value {
				return b.Reshape(b.ReduceSum(v, true, 0, 2, 3), int64(c.out), 1, 1)
			}
			g := through(b.Add(dy, dy), y)
			b.Output("dx", b.Add(dy, b.Mul(g, scale)))
			b.Output("dscale", byChannel(b.Mul(skip, g)))
			b.Output("dshift", byChannel(g))
			z := b.Relu(b.Sub(skip, shift))
			b.Output("masked", through(b.Conv(x, b.Mul(w, w), "", 1, 1, 1, 1), z))
			b.Output("through", through(dy, z))
			m := nntest.Built(t, b)
			fused, moved, err := fuse.Training(m)
			require.NoError(t, err)
			require.Equal(t, 6, moved)
			ops := map[string]int{}
			for _, n := range fused.Graph.Nodes {
				ops[n.OpType]++
			}
			require.Equal(t, []int{3, 1, 1, 1, 1}, []int{ops["Convolution"], ops["ConvolutionGradient"], ops["ScaledRelu"], ops["ScaledReluGradient"], ops["Greater"]})

			rng := rand.New(rand.NewPCG(1, 0))
			in, want, got := map[string]*ort.Tensor{}, map[string]*ort.Tensor{}, map[string]*ort.Tensor{}
			tensor := func(v onnx.ValueInfo) *ort.Tensor {
				dims, ok := v.Shape.Sizes()
				require.True(t, ok)
				tensor, err := ort.NewTensor(dims...)
				require.NoError(t, err)
				t.Cleanup(tensor.Close)
				return tensor
			}
			for _, v := range m.Graph.Inputs {
				in[v.Name] = tensor(v)
			}
			for _, v := range m.Graph.Outputs {
				want[v.Name], got[v.Name] = tensor(v), tensor(v)
			}
			was, is := step(t, m, in, want, c.threads), step(t, fused, in, got, c.threads)
			for range 2 { // the second round has other weights
				for _, v := range m.Graph.Inputs {
					for i := range in[v.Name].Data {
						in[v.Name].Data[i] = float32(rng.NormFloat64())
					}
				}
				require.NoError(t, was.Run())
				require.NoError(t, is.Run())
				for name := range want {
					off, top := 0.0, 1e-3
					for i, x := range want[name].Data {
						off = max(off, math.Abs(float64(x-got[name].Data[i])))
						top = max(top, math.Abs(float64(x)))
					}
					require.Less(t, off/top, 1e-5, name)
				}
			}
		})
	}
}

func step(t *testing.T, m *onnx.Model, in, out map[string]*ort.Tensor, threads int) *ort.Binding {
	g, err := ort.OpenGraph(nntest.Bytes(t, m), ort.Config{Threads: threads})
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close() })
	b, err := g.Bind(in, out)
	require.NoError(t, err)
	return b
}
