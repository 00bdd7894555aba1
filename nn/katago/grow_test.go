package katago

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// shaken returns a network with randomly changed norms.
func shaken(t *testing.T, arch string) *Network {
	t.Helper()
	n := made(t, arch, 3)
	rng := rand.New(rand.NewPCG(5, 6))
	layers := collected(n).layers
	for _, path := range slices.Sorted(maps.Keys(layers)) {
		if m, ok := layers[path].(*Norm); ok {
			for _, list := range [][]float32{m.Bias, m.Scale} {
				for i := range list {
					list[i] += float32(rng.NormFloat64()) / 8
				}
			}
		}
	}
	return n
}

// TestGrowKeepsAnswers: a grown network answers as the original does.
func TestGrowKeepsAnswers(t *testing.T) {
	c := striped(7, 5)
	for _, shapes := range [][2]string{
		{"kb2c16", "kb4c16"}, {"kb4c32", "kb4c64"}, {"kb4c32-mish", "kb6c96-mish"}, {"kb6c16", "kb9c32"}, {"kb2c32nbt", "kb3c64nbt"}, {"kb3c32", "kb3c32"},
	} {
		small := shaken(t, shapes[0])
		small.Header.ExcludeTerritoryAdjacentToAtari = true
		big, err := Grow(small, shapes[1], 9)
		require.NoError(t, err)
		shape, err := ArchOf(big)
		require.NoError(t, err)
		require.Equal(t, shapes[1], shape.String())
		require.True(t, big.Header.ExcludeTerritoryAdjacentToAtari)
		if shapes[0] != shapes[1] {
			require.Greater(t, big.Params(), small.Params())
		}
		want, got := interpret(t, exact(t, small, &c), &c), interpret(t, exact(t, big, &c), &c)
		var d diffs
		d.add(t, got, want)
		require.True(t, d.within(diffs{1e-5, 1e-5, 1e-5, 1e-5}), "%v: %v", shapes, d)
		require.NotZero(t, square(want.policy[0][:35]))
	}
}

func TestGrowRefuses(t *testing.T) {
	for _, shapes := range [][2]string{
		{"kb4c32", "kb3c64"}, {"kb4c32", "kb4c16"}, {"kb4c32", "kb4c32nbt"}, {"kb4c32", "kb6c32-mish"}, {"kb2c32h2tflrs", "kb3c32h2tflrs"},
		{"kb2c32", "kb3c32h2tflrs"},
	} {
		n := made(t, shapes[0], 1)
		_, err := Grow(n, shapes[1], 1)
		require.ErrorIs(t, err, ErrGrow, "%v", shapes)
	}
	n := made(t, "kb2c16", 1)
	_, err := Grow(n, "b6c96", 1)
	require.Error(t, err)
	n.Trunk.Blocks[0].(*Ordinary).Conv1.DilX = 2
	_, err = Grow(n, "kb3c16", 1)
	require.ErrorIs(t, err, ErrGrow)
	n = made(t, "kb2c16", 1)
	n.Header.Version = 14
	_, err = Grow(n, "kb3c16", 1)
	require.ErrorIs(t, err, ErrGrow)
}
