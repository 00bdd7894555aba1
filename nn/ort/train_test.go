//go:build cgo

package ort_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// counter is a graph that adds x to a state: next = state + x, and tells the sum.
func counter(t testing.TB) []byte {
	b := onnx.NewBuilder("counter", 17)
	next := b.Add(b.Input("state", onnx.Float, 2, 2), b.Input("x", onnx.Float, 2))
	b.Output("next", next)
	b.Output("sum", b.Reshape(b.ReduceSum(next, true), 1))
	m, err := b.Model(nil)
	require.NoError(t, err)
	data, err := m.Marshal()
	require.NoError(t, err)
	return data
}

func tensor(t testing.TB, dims ...int64) *ort.Tensor {
	v, err := ort.NewTensor(dims...)
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

// TestGraph runs a graph on every provider that works here.
func TestGraph(t *testing.T) {
	needLibrary(t)
	all, err := ort.Providers("")
	require.NoError(t, err)
	require.NoError(t, all[0].Err)
	require.Equal(t, ort.CPU, all[0].Name)
	for _, p := range all {
		if p.Err == nil {
			t.Run(p.Name, func(t *testing.T) { testGraph(t, p.Name) })
		}
	}
}

// testGraph swaps two tensors of state between runs and changes the input of a
// binding that has run: each run sees what the tensors hold by then. On the CPU
// it does without a copy and without an allocation.
func testGraph(t *testing.T, provider string) {
	g, err := ort.OpenGraph(counter(t), ort.Config{Provider: provider})
	require.NoError(t, err)
	defer g.Close()
	require.Equal(t, []string{"state", "x"}, g.Inputs())
	require.Equal(t, []string{"next", "sum"}, g.Outputs())
	a, b, x, sum := tensor(t, 2, 2), tensor(t, 2, 2), tensor(t, 2), tensor(t, 1)
	there, err := g.Bind(map[string]*ort.Tensor{"state": a, "x": x}, map[string]*ort.Tensor{"next": b, "sum": sum})
	require.NoError(t, err)
	back, err := g.Bind(map[string]*ort.Tensor{"state": b, "x": x}, map[string]*ort.Tensor{"next": a, "sum": sum})
	require.NoError(t, err)
	x.Data[0], x.Data[1] = 1, 10
	for range 3 {
		require.NoError(t, there.Run())
		require.NoError(t, back.Run())
	}
	require.Equal(t, []float32{6, 60, 6, 60}, a.Data)
	require.Equal(t, []float32{5, 50, 5, 50}, b.Data)
	require.Equal(t, []float32{132}, sum.Data)
	x.Data[0] = 2
	require.NoError(t, there.Run())
	require.Equal(t, []float32{8, 70, 8, 70}, b.Data)
	if provider == ort.CPU {
		require.Zero(t, testing.AllocsPerRun(10, func() { _ = there.Run() }))
	}

	require.NoError(t, g.Close())
	require.NoError(t, g.Close())
	require.ErrorIs(t, there.Run(), ort.ErrClosed)
	_, err = g.Bind(nil, nil)
	require.ErrorIs(t, err, ort.ErrClosed)
}

func TestGraphRefuses(t *testing.T) {
	needLibrary(t)
	g, err := ort.OpenGraph(counter(t), ort.Config{})
	require.NoError(t, err)
	defer g.Close()
	a, b, x, sum := tensor(t, 2, 2), tensor(t, 2, 2), tensor(t, 2), tensor(t, 1)
	closed := tensor(t, 2)
	closed.Close()
	for name, c := range map[string]struct{ in, out map[string]*ort.Tensor }{
		"missing input":  {map[string]*ort.Tensor{"x": x}, map[string]*ort.Tensor{"next": b, "sum": sum}},
		"missing output": {map[string]*ort.Tensor{"state": a, "x": x}, map[string]*ort.Tensor{"next": b}},
		"wrong shape":    {map[string]*ort.Tensor{"state": a, "x": sum}, map[string]*ort.Tensor{"next": b, "sum": sum}},
		"in place":       {map[string]*ort.Tensor{"state": a, "x": x}, map[string]*ort.Tensor{"next": a, "sum": sum}},
		"closed":         {map[string]*ort.Tensor{"state": a, "x": closed}, map[string]*ort.Tensor{"next": b, "sum": sum}},
	} {
		_, err := g.Bind(c.in, c.out)
		require.ErrorIs(t, err, ort.ErrGraph, name)
	}
	for _, dims := range [][]int64{{}, {0}, {-1, 2}, {1 << 30, 1 << 30}} {
		_, err := ort.NewTensor(dims...)
		require.ErrorIs(t, err, ort.ErrGraph, "%v", dims)
	}
	_, err = ort.OpenGraph([]byte("no model"), ort.Config{})
	require.ErrorIs(t, err, ort.ErrModel)
	_, err = ort.OpenGraph(counter(t), ort.Config{Provider: "abacus"})
	require.ErrorIs(t, err, ort.ErrProvider)
}
