package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/arch"
)

func TestDescribe(t *testing.T) {
	c, err := arch.Parse("b10c128")
	require.NoError(t, err)
	m, err := arch.Build(c, 1)
	require.NoError(t, err)
	d, err := describe(m)
	require.NoError(t, err)
	require.True(t, d.Declared)
	require.Equal(t, []string{"seed", "seed22", "19x19", "softmax", "tanh"}, []string{d.Kind, d.Encoder, d.Board, d.Policy, d.Value})
	require.InDelta(t, 3.6e6, float64(d.Parameters), 0.2e6)
	require.InDelta(t, 1.13e9, float64(d.MACs), 0.05e9)
	require.Equal(t, 27, d.Operators["Conv"])
}
