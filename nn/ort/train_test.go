//go:build cgo

package ort_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	native "github.com/yalue/onnxruntime_go"

	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// counter is a graph that adds x to a state, next = state + x, and outputs the sum.
func counter(t testing.TB) []byte {
	b := onnx.NewBuilder("counter", 17)
	next := b.Add(b.Input("state", onnx.Float, 2, 2), b.Input("x", onnx.Float, 2))
	b.Output("next", next)
	b.Output("sum", b.Reshape(b.ReduceSum(next, true), 1))
	return nntest.Bytes(t, nntest.Built(t, b))
}

func tensor(t testing.TB, dims ...int64) *ort.Tensor {
	v, err := ort.NewTensor(dims...)
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

// TestGraph: a graph runs on every working provider.
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

// testGraph swaps two state tensors between runs and changes the input of a used binding: each
// run sees the tensors' current content. On the CPU this needs no copy and no allocation.
func testGraph(t *testing.T, provider string) {
	g, err := ort.OpenGraph(counter(t), ort.Config{Provider: provider})
	require.NoError(t, err)
	defer g.Close()
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

// TestDevice keeps the counter's state in the memory of each working provider, the CPU included:
// it persists from run to run, and is copied only on request.
func TestDevice(t *testing.T) {
	needLibrary(t)
	all, err := ort.Providers("")
	require.NoError(t, err)
	for _, p := range all {
		if p.Err == nil && ort.HasDevice(p.Name) {
			t.Run(p.Name, func(t *testing.T) { testDevice(t, p.Name) })
		}
	}
}

func testDevice(t *testing.T, provider string) {
	d, err := ort.OpenDevice(ort.Config{Provider: provider})
	require.NoError(t, err)
	defer d.Close()
	g, err := ort.OpenGraph(counter(t), ort.Config{Provider: provider})
	require.NoError(t, err)
	defer g.Close()
	a, err := d.NewTensor(2, 2)
	require.NoError(t, err)
	b, err := d.NewTensor(2, 2)
	require.NoError(t, err)
	defer b.Close()
	defer a.Close()
	x, sum := tensor(t, 2), tensor(t, 1)
	there, err := g.Bind(map[string]*ort.Tensor{"state": a, "x": x}, map[string]*ort.Tensor{"next": b, "sum": sum})
	require.NoError(t, err)
	back, err := g.Bind(map[string]*ort.Tensor{"state": b, "x": x}, map[string]*ort.Tensor{"next": a, "sum": sum})
	require.NoError(t, err)
	copy(a.Data, []float32{1, 2, 3, 4})
	a.Changed()
	x.Data[0], x.Data[1] = 1, 10
	for range 3 {
		require.NoError(t, there.Run())
		require.NoError(t, back.Run())
	}
	require.Equal(t, []float32{7 + 62 + 9 + 64}, sum.Data)
	require.Equal(t, []float32{1, 2, 3, 4}, a.Data, "Fetch was not called")
	require.Equal(t, []float32{0, 0, 0, 0}, b.Data)
	require.NoError(t, a.Fetch())
	require.NoError(t, b.Fetch())
	require.Equal(t, []float32{7, 62, 9, 64}, a.Data)
	require.Equal(t, []float32{6, 52, 8, 54}, b.Data)
	// A change on the host counts only after Changed.
	copy(a.Data, []float32{100, 100, 100, 100})
	require.NoError(t, there.Run())
	require.NoError(t, b.Fetch())
	require.Equal(t, []float32{8, 72, 10, 74}, b.Data)
	a.Changed()
	require.NoError(t, there.Run())
	require.NoError(t, b.Fetch())
	require.Equal(t, []float32{101, 110, 101, 110}, b.Data)
	// One binding mixes an input on the device, which no run changes, with a state on the host.
	y, err := d.NewTensor(2)
	require.NoError(t, err)
	defer y.Close()
	y.Data[1] = 5
	host, other := tensor(t, 2, 2), tensor(t, 2, 2)
	fixed, err := g.Bind(map[string]*ort.Tensor{"state": host, "x": y}, map[string]*ort.Tensor{"next": other, "sum": sum})
	require.NoError(t, err)
	for range 2 {
		host.Data[0]++
		require.NoError(t, fixed.Run())
		require.Equal(t, []float32{host.Data[0], 5, 0, 5}, other.Data)
	}
}

// TestPinned: the structs of onnxruntime_go that this package reads have not changed.
func TestPinned(t *testing.T) {
	one := func(v any) reflect.Type {
		s := reflect.TypeOf(v)
		require.Equal(t, 1, s.NumField(), s)
		require.Equal(t, reflect.Pointer, s.Field(0).Type.Kind(), s)
		return s.Field(0).Type
	}
	one(native.SessionOptions{})
	one(native.IoBinding{})
	session := one(native.DynamicAdvancedSession{}).Elem()
	require.Equal(t, "ortSession", session.Field(0).Name)
	require.Zero(t, session.Field(0).Offset)
}
