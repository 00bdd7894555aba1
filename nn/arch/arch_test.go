package arch_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/arch"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
	"kosumi/nn/onnx/onnxref"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]arch.Config{
		"mini":        {Family: "mini", Blocks: 4, Channels: 64, Width: 9, Height: 9},
		"mini-b2c16":  {Family: "mini", Blocks: 2, Channels: 16, Width: 9, Height: 9},
		"b10c128":     {Family: "seed", Blocks: 10, Channels: 128, Width: 19, Height: 19},
		"b120c2048":   {Family: "seed", Blocks: 120, Channels: 2048, Width: 19, Height: 19},
		"b1c1":        {Family: "seed", Blocks: 1, Channels: 1, Width: 19, Height: 19},
		"mini-b12c24": {Family: "mini", Blocks: 12, Channels: 24, Width: 9, Height: 9},
	} {
		c, err := arch.Parse(name)
		require.NoError(t, err, name)
		require.Equal(t, want, c)
		require.Equal(t, name, c.String())
	}
	c, err := arch.Parse("mini-b4c64")
	require.NoError(t, err)
	require.Equal(t, "mini", c.String())
	for _, name := range []string{"", "b", "b10", "c128", "b10c", "bc", "b-1c3", "b+1c3", "b01c3", "b1c3x", " b1c3", "B1C3", "mini-", "mini-b1", "b1c3c4", "b99999999999999999999c1"} {
		_, err := arch.Parse(name)
		require.ErrorIs(t, err, arch.ErrName, "%q", name)
	}
	for _, name := range []string{"b0c64", "b4c0", "b121c1", "b1c2049", "mini-b0c1"} {
		_, err := arch.Parse(name)
		require.ErrorIs(t, err, arch.ErrConfig, name)
	}
}

// parse returns the named configuration for a board size.
func parse(t testing.TB, name string, width, height int) arch.Config {
	t.Helper()
	c, err := arch.Parse(name)
	require.NoError(t, err)
	return c.On(width, height)
}

func build(t testing.TB, c arch.Config, seed uint64) *onnx.Model {
	t.Helper()
	m, err := arch.Build(c, seed)
	require.NoError(t, err)
	return m
}

func TestShapesOnEveryBoard(t *testing.T) {
	n := onnx.Sym("N")
	for _, b := range [][2]int{{2, 2}, {9, 9}, {13, 13}, {19, 19}, {25, 25}, {7, 9}, {9, 7}} {
		w, h := b[0], b[1]
		area := onnx.D(int64(w * h))
		t.Run(fmt.Sprintf("%dx%d", w, h), func(t *testing.T) {
			for name, planes := range map[string]int64{"mini-b2c8": 7, "b6c8": 22} {
				m := build(t, parse(t, name, w, h), 1)
				require.NoError(t, onnx.Check(m))
				require.Equal(t, onnx.Shape{n, onnx.D(planes), onnx.D(int64(h)), onnx.D(int64(w))}, m.Graph.Inputs[0].Shape)
				for i := range m.Graph.Outputs { // so that InferShapes cannot use declared shapes
					m.Graph.Outputs[i].Shape = nil
				}
				got, err := onnx.InferShapes(m)
				require.NoError(t, err)
				require.Equal(t, onnx.Shape{n, onnx.D(area.Size + 1)}, got["policy"])
				require.Equal(t, onnx.Shape{n, onnx.D(1)}, got["value"])
				if planes == 22 {
					require.Equal(t, onnx.Shape{n, onnx.D(1)}, got["score"])
					require.Equal(t, onnx.Shape{n, area}, got["ownership"])
				}
				require.Equal(t, fmt.Sprintf("%dx%d", w, h), m.Metadata[meta.Board])
			}
		})
	}
}

func planes(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := make([]float32, n)
	for i := range list {
		if rng.IntN(4) == 0 {
			list[i] = 1
		}
	}
	return list
}

// TestFreshNetworksAreSane: at any depth all numbers are finite, the policy is nearly even and
// sums to 1, values are small, and inputs have an effect.
func TestFreshNetworksAreSane(t *testing.T) {
	for _, c := range []arch.Config{
		parse(t, "mini", 9, 9), parse(t, "mini-b1c4", 5, 5), parse(t, "mini-b20c8", 9, 9),
		parse(t, "b6c16", 9, 9), parse(t, "b1c4", 5, 7), parse(t, "b20c8", 9, 9),
	} {
		t.Run(fmt.Sprint(c, c.Width), func(t *testing.T) {
			m := build(t, c, 3)
			in := m.Graph.Inputs[0].Shape
			row := int(in[1].Size) * c.Width * c.Height
			out, err := onnxref.RunFloats(m, map[string][]float32{"planes": planes(2*row, 5)})
			require.NoError(t, err)
			policy := out["policy"][:c.Width*c.Height+1]
			sum, most := 0.0, 0.0
			for _, p := range policy {
				v := float64(p)
				if m.Metadata[meta.Policy] == "log_softmax" {
					v = math.Exp(v)
				}
				sum, most = sum+v, max(most, v)
			}
			require.InDelta(t, 1, sum, 1e-5)
			require.Less(t, most*float64(len(policy)), 3.0, "an even policy")
			for name, list := range out {
				for _, v := range list {
					require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0), name)
				}
				if name != "policy" {
					require.Less(t, math.Abs(float64(list[0])), 0.9, name)
				}
			}
			require.NotEqual(t, policy, out["policy"][len(policy):], "two positions look the same")
		})
	}
}

// simplified returns a simplified copy of a network: the form in which runtimes receive it.
func simplified(t testing.TB, m *onnx.Model) *onnx.Model {
	t.Helper()
	c := m.Clone()
	require.NoError(t, onnx.Simplify(c))
	return c
}

// TestSeedsGiveBytes: a seed gives the same bytes in every version. Weights must not change with
// the library of random numbers or the order in which layers are made.
func TestSeedsGiveBytes(t *testing.T) {
	for name, want := range map[string]string{
		"mini-b1c4": "48198b90d2bb4a66",
		"b6c4":      "fba173d9b481d4b9",
	} {
		data := nntest.Bytes(t, build(t, parse(t, name, 5, 5), 42))
		require.Equal(t, data, nntest.Bytes(t, build(t, parse(t, name, 5, 5), 42)))
		require.NotEqual(t, data, nntest.Bytes(t, build(t, parse(t, name, 5, 5), 43)))
		require.Equal(t, want, fmt.Sprintf("%x", sha256.Sum256(data))[:16], name)
	}
}

// TestMiniIsTheTutorialsNetwork: the layers and the shapes of their weights are those of PyTorch's
// export of the tutorial's network, in any order.
func TestMiniIsTheTutorialsNetwork(t *testing.T) {
	foreign := readFixture(t, "pytorch-dualhead-9x9-bn.onnx")
	ours := build(t, parse(t, "mini-b2c16", 9, 9), 1)
	shapes := func(m *onnx.Model) []string {
		consts := m.Graph.InitializerMap()
		var list []string
		for _, n := range m.Graph.Nodes {
			if !n.Is("Conv", "BatchNormalization", "Relu", "Add", "Gemm", "LogSoftmax", "Tanh") {
				continue
			}
			s := n.OpType
			for _, in := range n.Inputs {
				if w := consts[in]; w != nil {
					s += fmt.Sprint(w.Dims)
				}
			}
			list = append(list, s)
		}
		return list
	}
	// The order does not matter, since either head may come first in the file.
	require.ElementsMatch(t, shapes(foreign), shapes(ours))
}

func TestSeedIsTheChaptersNetwork(t *testing.T) {
	foreign := simplified(t, readFixture(t, "pytorch-seed-9x9.onnx"))
	ours := simplified(t, build(t, parse(t, "b6c8", 9, 9), 1))
	count := func(m *onnx.Model) map[string]int {
		ops := map[string]int{}
		for _, n := range m.Graph.Nodes {
			ops[n.OpType]++
		}
		return ops
	}
	a, b := count(foreign), count(ours)
	for _, op := range []string{"Conv", "Relu", "Add", "Mul", "Gemm", "Tanh", "Softmax"} {
		require.Equal(t, a[op], b[op], op)
	}
}

func readFixture(t testing.TB, name string) *onnx.Model {
	t.Helper()
	m, err := onnx.Read([]byte(testshared.Read(t, "../../testdata/onnx/"+name)))
	require.NoError(t, err)
	return m
}
