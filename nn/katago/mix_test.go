package katago

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMix(t *testing.T) {
	const arch = "kb2c16"
	first := func(n *Network) float32 { return n.Trunk.Conv.Weights[3] }
	read := func(seed uint64) *Network { return made(t, arch, seed) }
	a, b := read(1), read(2)
	require.NotEqual(t, first(a), first(b))
	require.NoError(t, a.Mix(b, 0))
	require.Equal(t, read(1), a)
	require.NoError(t, a.Mix(b, 0.25))
	require.InDelta(t, 0.75*first(read(1))+0.25*first(b), first(a), 1e-6)
	require.Equal(t, read(2), b, "the other one stays")
	require.NoError(t, a.Mix(b, 1))
	got := collected(a).blocks
	for path, want := range collected(b).blocks {
		require.InDeltaSlice(t, want.list, got[path].list, 1e-6, path)
	}

	for _, other := range []string{"kb3c16", "kb2c32", "kb2c16-mish", "kb2c32h2tflrs"} {
		n := made(t, other, 1)
		before := read(1)
		require.ErrorIs(t, before.Mix(n, 0.5), ErrMix, other)
		require.Equal(t, read(1), before)
	}
	require.ErrorIs(t, a.Mix(b, 1.5), ErrMix)
}
