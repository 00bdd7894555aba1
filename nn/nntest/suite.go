package nntest

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

// Opener opens the backend under test on an ONNX model.
type Opener func(t *testing.T, model []byte, spec nn.Spec, maxBatch int) (nn.Backend, error)

// Tolerance is how far an output may be from the reference: a few dozen roundings of
// float32.
const Tolerance = 1e-4

// TestBackend runs the whole suite.
func TestBackend(t *testing.T, open Opener) {
	for _, size := range []board.Size{{W: 5, H: 5}, {W: 9, H: 9}, {W: 7, H: 4}, {W: 3, H: 6}} {
		t.Run("dual head "+nn.Sizes{Fixed: size}.String(), func(t *testing.T) {
			testNetwork(t, open, DualHead(size, 2, 8, 11))
		})
		t.Run("four heads "+nn.Sizes{Fixed: size}.String(), func(t *testing.T) {
			testNetwork(t, open, FourHeads(size, 8, 12))
		})
	}
	small := DualHead(board.Size{W: 5, H: 4}, 1, 4, 3)
	t.Run("lifecycle", func(t *testing.T) { testLifecycle(t, open, small) })
	t.Run("specs that do not fit", func(t *testing.T) { testSpecs(t, open, small) })
	t.Run("models that are none", func(t *testing.T) { testModels(t, open, small) })
	t.Run("sessions side by side", func(t *testing.T) { testParallel(t, open, small) })
}

// mustOpen opens a backend that the test closes at its end.
func mustOpen(t *testing.T, open Opener, n *Network, maxBatch int) nn.Backend {
	t.Helper()
	b, err := open(t, n.Model, n.Spec, maxBatch)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	require.Equal(t, maxBatch, b.MaxBatch())
	return b
}

func row(specs []nn.TensorSpec, tensors [][]float32, i int) [][]float32 {
	return nn.Rows(specs, tensors, i+1)[i]
}

func clone(rows [][]float32) [][]float32 {
	c := make([][]float32, len(rows))
	for i := range rows {
		c[i] = slices.Clone(rows[i])
	}
	return c
}

// put writes one row of each input.
func (n *Network) put(b nn.Backend, i int, rows [][]float32) {
	for j, dst := range row(n.Spec.Inputs, b.Inputs(), i) {
		copy(dst, rows[j])
	}
}

// closeTo requires every value to be within Tolerance of the expected one, relative to its size
// if that is above 1.
func closeTo(t *testing.T, n *Network, want, got [][]float32, what string) {
	t.Helper()
	for i := range want {
		require.Len(t, got[i], len(want[i]))
		for j, w := range want[i] {
			if d := math.Abs(float64(w - got[i][j])); !(d <= Tolerance*max(1, math.Abs(float64(w)))) {
				require.Failf(t, "wrong output", "%s: %s[%d] is %g, want %g", what, n.Spec.Outputs[i].Name, j, got[i][j], w)
			}
		}
	}
}

func testNetwork(t *testing.T, open Opener, n *Network) {
	const maxBatch = 5
	b := mustOpen(t, open, n, maxBatch)
	rng := rand.New(rand.NewPCG(1, 2))
	var rows [][][]float32
	var want [][][]float32
	for range maxBatch {
		r := n.RandomRow(rng)
		rows = append(rows, r)
		want = append(want, n.Reference(r))
	}
	nan := n.RandomRow(rng)
	for _, values := range nan {
		for i := range values {
			values[i] = float32(math.NaN())
		}
	}
	// Falling and mixed batch sizes reveal values left from an earlier batch, and rows that depend on others.
	for _, batch := range []int{5, 1, 3, 2, 4, 1, 5} {
		for i := range maxBatch {
			n.put(b, i, nan)
		}
		for i := range batch {
			n.put(b, i, rows[i])
		}
		require.NoError(t, b.Run(batch))
		for i := range batch {
			closeTo(t, n, want[i], row(n.Spec.Outputs, b.Outputs(), i), "row of a batch")
			require.Equal(t, rows[i], row(n.Spec.Inputs, b.Inputs(), i), "inputs stay as they are")
		}
	}
	t.Run("the same again", func(t *testing.T) { testAgain(t, n, b, rows) })
}

// testAgain: equal inputs give equal bits.
func testAgain(t *testing.T, n *Network, b nn.Backend, rows [][][]float32) {
	for i, r := range rows {
		n.put(b, i, r)
	}
	require.NoError(t, b.Run(len(rows)))
	first := clone(b.Outputs())
	for range 3 {
		require.NoError(t, b.Run(len(rows)))
		require.Equal(t, first, b.Outputs())
	}
}

func testLifecycle(t *testing.T, open Opener, n *Network) {
	b, err := open(t, n.Model, n.Spec, 3)
	require.NoError(t, err)
	require.Equal(t, 3, b.MaxBatch())
	require.Len(t, b.Inputs(), len(n.Spec.Inputs))
	require.Len(t, b.Outputs(), len(n.Spec.Outputs))
	for i := range n.Spec.Inputs {
		require.Len(t, b.Inputs()[i], 3*n.Spec.Inputs[i].Len())
	}
	for i := range n.Spec.Outputs {
		require.Len(t, b.Outputs()[i], 3*n.Spec.Outputs[i].Len())
	}
	r := n.RandomRow(rand.New(rand.NewPCG(5, 5)))
	n.put(b, 0, r)
	require.NoError(t, b.Run(1))
	before := clone(b.Outputs())
	for _, bad := range []int{0, -1, 4, math.MaxInt, math.MinInt} {
		require.Error(t, b.Run(bad), "%d rows", bad)
		require.Equal(t, before, b.Outputs(), "an error leaves the outputs alone")
	}
	require.NoError(t, b.Run(1))
	closeTo(t, n, n.Reference(r), row(n.Spec.Outputs, b.Outputs(), 0), "after errors")
	require.NoError(t, b.Close())
	require.NoError(t, b.Close(), "a second Close does nothing")
	require.Error(t, b.Run(1), "Run after Close")
}

// testSpecs: a description that does not fit the network is an error, which names the tensor.
func testSpecs(t *testing.T, open Opener, n *Network) {
	for _, tc := range []struct {
		name    string
		spoil   func(s *nn.Spec)
		message string
	}{
		{"no such input", func(s *nn.Spec) { s.Inputs[0].Name = "plans" }, "plans"},
		{"no such output", func(s *nn.Spec) { s.Outputs[1].Name = "valeu" }, "valeu"},
		{"no inputs", func(s *nn.Spec) { s.Inputs = nil }, "input"},
		{"no outputs", func(s *nn.Spec) { s.Outputs = nil }, "output"},
		{"one input too many", func(s *nn.Spec) {
			s.Inputs = append(s.Inputs, nn.TensorSpec{Name: "global", Role: nn.RoleGlobal, Shape: []int{19}})
		}, "global"},
		{"board turned", func(s *nn.Spec) { s.Inputs[0].Shape = []int{7, 5, 4} }, "planes"},
		{"too many planes", func(s *nn.Spec) { s.Inputs[0].Shape = []int{22, 4, 5} }, "planes"},
		{"flat input", func(s *nn.Spec) { s.Inputs[0].Shape = []int{140} }, "planes"},
		{"policy without pass", func(s *nn.Spec) { s.Outputs[0].Shape = []int{20} }, "policy"},
		{"value of three", func(s *nn.Spec) { s.Outputs[1].Shape = []int{3} }, "value"},
		{"value without dimension", func(s *nn.Spec) { s.Outputs[1].Shape = nil }, "value"},
		{"empty dimension", func(s *nn.Spec) { s.Inputs[0].Shape = []int{7, 0, 5} }, "planes"},
		{"negative dimension", func(s *nn.Spec) { s.Outputs[0].Shape = []int{-1} }, "policy"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			spec := n.Spec
			spec.Inputs = slices.Clone(spec.Inputs)
			spec.Outputs = slices.Clone(spec.Outputs)
			tc.spoil(&spec)
			b, err := open(t, n.Model, spec, 2)
			require.Error(t, err)
			require.Nil(t, b)
			require.ErrorIs(t, err, nn.ErrSpec)
			require.ErrorContains(t, err, tc.message)
		})
	}
}

// testModels: an invalid model is an error, never a panic.
func testModels(t *testing.T, open Opener, n *Network) {
	try := func(name string, model []byte) {
		t.Run(name, func(t *testing.T) {
			b, err := open(t, model, n.Spec, 1)
			require.Error(t, err)
			require.Nil(t, b)
		})
	}
	try("nothing", nil)
	try("text", []byte("this is not a network at all"))
	try("a truncated file", n.Model[:len(n.Model)*2/3])
	try("the beginning only", n.Model[:40])
	rng := rand.New(rand.NewPCG(9, 9))
	noise := make([]byte, 4000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	try("noise", noise)
	t.Run("a batch of no rows is one row", func(t *testing.T) {
		b, err := open(t, n.Model, n.Spec, -5)
		if err == nil { // a backend may also refuse such a batch
			require.Equal(t, 1, b.MaxBatch())
			require.NoError(t, b.Close())
		}
	})
}

// testParallel: sessions of the same model can run at once, each with one caller.
func testParallel(t *testing.T, open Opener, n *Network) {
	const sessions, runs = 4, 25
	var all sync.WaitGroup
	for s := range sessions {
		b := mustOpen(t, open, n, 2)
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(s), 1))
			for range runs {
				r := n.RandomRow(rng)
				n.put(b, 1, r)
				require.NoError(t, b.Run(2))
				closeTo(t, n, n.Reference(r), row(n.Spec.Outputs, b.Outputs(), 1), "side by side")
			}
		})
	}
	all.Wait()
}
