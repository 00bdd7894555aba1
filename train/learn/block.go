package learn

import (
	"math"
	"math/rand/v2"
	"sync"

	"kosumi/nn/autodiff"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// blocks remembers what blockSize found: the library is one for the process.
var blocks struct {
	sync.Once
	size int64
}

// blockSize returns how many channels the library's blocked convolutions take
// together on this processor; 0 where it has none, or none that compute what they
// should. It asks the library itself: a tensor whose numbers are its channels is
// put into blocks, and what comes out tells.
func blockSize(library string) int64 {
	blocks.Do(func() {
		for _, b := range []int64{16, 8} {
			if reorders(library, b) && convolves(library, b) {
				blocks.size = b
				return
			}
		}
	})
	return blocks.size
}

// runOnce runs a graph with one input and the output "y".
func runOnce(library string, m *onnx.Model, in map[string][]float32) ([]float32, error) {
	data, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	g, err := ort.OpenGraph(data, ort.Config{Library: library, Threads: 1})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	bound := map[string]*ort.Tensor{}
	for _, v := range append(m.Graph.Inputs, m.Graph.Outputs...) {
		dims, _ := v.Shape.Sizes()
		t, err := ort.NewTensor(dims...)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		copy(t.Data, in[v.Name])
		bound[v.Name] = t
	}
	b, err := g.Bind(bound, bound)
	if err != nil {
		return nil, err
	}
	if err := b.Run(); err != nil {
		return nil, err
	}
	return append([]float32{}, bound["y"].Data...), nil
}

// reorders reports whether blocks have b channels.
func reorders(library string, b int64) bool {
	const channels, points = 32, 2
	shape := onnx.ShapeOf(1, channels, 1, points)
	m := &onnx.Model{
		IRVersion: 8, Opset: 17, Opsets: map[string]int64{autodiff.BlockedDomain: 1},
		Graph: &onnx.Graph{
			Name:    "blocks",
			Inputs:  []onnx.ValueInfo{{Name: "x", Type: onnx.Float, Shape: shape}},
			Outputs: []onnx.ValueInfo{{Name: "y", Type: onnx.Float, Shape: shape}},
			Nodes:   []*onnx.Node{{OpType: "ReorderInput", Domain: autodiff.BlockedDomain, Inputs: []string{"x"}, Outputs: []string{"y"}}},
		},
	}
	x := make([]float32, channels*points)
	for i := range x {
		x[i] = float32(i)
	}
	y, err := runOnce(library, m, map[string][]float32{"x": x})
	if err != nil {
		return false
	}
	for i, v := range y { // place (block, point, channel of the block)
		i := int64(i)
		channel, point := i/(points*b)*b+i%b, i/b%points
		if v != float32(channel*points+point) {
			return false
		}
	}
	return true
}

// convolves reports whether a blocked convolution agrees with a plain one.
func convolves(library string, b int64) bool {
	build := func() (*onnx.Model, error) {
		g := onnx.NewBuilder("convolution", 17)
		x := g.Input("x", onnx.Float, 2, 2*b, 4, 3)
		v := g.Conv(x, g.Input("w", onnx.Float, b, 2*b, 3, 3), g.Input("b", onnx.Float, b))
		g.Output("y", g.Relu(v))
		return g.Model(nil)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	in := map[string][]float32{"x": make([]float32, 2*2*b*12), "w": make([]float32, b*2*b*9), "b": make([]float32, b)}
	for _, name := range []string{"x", "w", "b"} {
		for i := range in[name] {
			in[name][i] = float32(rng.NormFloat64())
		}
	}
	plain, err := build()
	if err != nil {
		return false
	}
	blocked, err := build()
	if err != nil {
		return false
	}
	if n, err := autodiff.BlockConvs(blocked, b); n != 1 || err != nil {
		return false
	}
	want, err1 := runOnce(library, plain, in)
	got, err2 := runOnce(library, blocked, in)
	if err1 != nil || err2 != nil {
		return false
	}
	for i := range want {
		if !(math.Abs(float64(want[i]-got[i])) < 1e-3) {
			return false
		}
	}
	return true
}
