package katago

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

func TestParseArch(t *testing.T) {
	for name, want := range map[string]Arch{
		"kb6c96":             {Blocks: 6, Channels: 96, Activation: ReLU},
		"kb18c384nbt-mish":   {Blocks: 18, Channels: 384, Nested: true, Activation: Mish},
		"kb10c128-silu":      {Blocks: 10, Channels: 128, Activation: SiLU},
		"kb10c384h6nbttflrs": {Blocks: 10, Channels: 384, Nested: true, Heads: 6, Activation: SiLU},
		"kb7c96h3tflrs-mish": {Blocks: 7, Channels: 96, Heads: 3, Activation: Mish},
		"kb1c16":             {Blocks: 1, Channels: 16, Activation: ReLU},
		"kb128c2048nbt":      {Blocks: 128, Channels: 2048, Nested: true, Activation: ReLU},
	} {
		got, err := ParseArch(name)
		require.NoError(t, err, name)
		require.Equal(t, want, got)
		require.Equal(t, name, got.String())
	}
	for _, name := range []string{"", "b6c96", "kb6", "kb0c16", "kb6c97", "kb6c0", "kb6c9999", "kb999c16", "kb6c96nbtx", "kb6c96-gelu", "kb4c16nbt", "kb6c96\n", "kb6c96h0tflrs", "kb6c96h5tflrs", "kb6c96h3", "kb6c96tflrs"} {
		_, err := ParseArch(name)
		require.Error(t, err, name)
	}
}

func TestArchOf(t *testing.T) {
	for _, name := range []string{"kb1c16", "kb4c64", "kb6c96-silu", "kb4c32nbt-mish", "kb2c32h2tflrs", "kb3c64h2nbttflrs-mish"} {
		n := made(t, name, 1)
		a, err := ArchOf(n)
		require.NoError(t, err)
		require.Equal(t, name, a.String())
	}
	n := made(t, "kb4c32nbt", 1)
	n.Trunk.Blocks[1] = n.Trunk.Blocks[1].(*Nested).Blocks[0]
	_, err := ArchOf(n)
	require.ErrorIs(t, err, ErrUnsupported)
	n.Trunk.Blocks[1] = &Attention{Heads: 1}
	_, err = ArchOf(n)
	require.ErrorIs(t, err, ErrUnsupported)
}

func TestPoolBlocksAsInKataGo(t *testing.T) {
	for name, want := range map[string][]int{
		"kb1c16": {1}, "kb2c16": {2}, "kb3c32": {3}, "kb4c32": {3}, "kb6c96": {3, 5}, "kb10c128": {5, 8},
		"kb15c192": {7, 12}, "kb20c256": {7, 12, 17}, "kb40c256": {6, 11, 16, 21, 26, 31, 36},
		"kb5c192nbt": {2, 4}, "kb8c192nbt": {3, 6}, "kb10c384nbt": {3, 6, 9}, "kb18c384nbt": {3, 6, 9, 12, 15},
	} {
		a, err := ParseArch(name)
		require.NoError(t, err)
		pools := a.poolBlocks()
		require.Len(t, pools, len(want), name)
		for _, i := range want {
			require.True(t, pools[i], "%s block %d", name, i)
		}
	}
}

// striped is a position with stones of both colours, in the input encoding v7.
func striped(w, h int) goldenCase {
	area := w * h
	c := goldenCase{w: w, h: h, spatial: make([]float32, 22*area), global: make([]float32, 19)}
	for p := range area {
		c.spatial[p] = 1
		c.spatial[(1+p%3)*area+p] = 1
	}
	c.global[5] = 0.5
	return c
}

// TestFreshKeepsScale: in untrained networks the scale of activations at the trunk's end hardly
// depends on depth or kind, and the outputs are neither constant nor nearly certain of one result
// or move.
func TestFreshKeepsScale(t *testing.T) {
	for _, arch := range []string{"kb2c16", "kb4c32", "kb12c32-mish", "kb24c32", "kb6c64nbt-mish", "kb16c32nbt", "kb6c32-silu", "kb6c64h2tflrs", "kb6c64h2nbttflrs"} {
		n := made(t, arch, 7)
		c := striped(9, 9)
		m := exact(t, n, &c)
		end := ""
		for _, node := range m.Graph.Nodes {
			if node.Input(1) == "policy.p1.weight" {
				end = node.Input(0)
			}
		}
		all, err := onnxref.Trace(m, map[string]*onnx.Tensor{
			InputSpatial: onnx.NewTensor("", c.spatial, 1, 22, 9, 9), InputGlobal: onnx.NewTensor("", c.global, 1, 19)})
		require.NoError(t, err)
		trunk, err := all[end].Float64s()
		require.NoError(t, err)
		tip, out := square(trunk), interpret(t, m, &c)
		require.Len(t, out.policy, 2)
		require.Len(t, out.scoreValue, 6)
		policy, value := math.Sqrt(square(out.policy[0][:81])), math.Sqrt(square(append(out.value, out.scoreValue...)))
		t.Logf("%-16s %8d params: tip %.3f, policy %.3f, value and score %.3f", arch, n.Params(), math.Sqrt(tip), policy, value)
		require.InDelta(t, math.Log(0.18), math.Log(math.Sqrt(tip)), math.Log(2))
		require.Less(t, policy, 1.0)
		require.Less(t, value, 1.0)
		require.Greater(t, policy, 0.003)
		require.Greater(t, value, 0.01)
	}
}

func square(v []float64) (sum float64) {
	for _, x := range v {
		sum += x * x / float64(len(v))
	}
	return sum
}
