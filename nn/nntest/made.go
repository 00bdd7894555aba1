package nntest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
	"kosumi/nn/onnx"
)

// Server returns a server of a model. It is closed at the end of the test.
func Server(t testing.TB, m nn.Model, c nn.ServerConfig) *nn.Server {
	t.Helper()
	s, err := nn.NewServer(m, c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Built returns the model that a builder has made.
func Built(t testing.TB, b *onnx.Builder) *onnx.Model {
	t.Helper()
	m, err := b.Model(nil)
	require.NoError(t, err)
	return m
}

// Bytes returns the contents of a model's ONNX file.
func Bytes(t testing.TB, m *onnx.Model) []byte {
	t.Helper()
	data, err := m.Marshal()
	require.NoError(t, err)
	return data
}

// Floats returns a copy of a tensor's elements.
func Floats(t testing.TB, v *onnx.Tensor) []float64 {
	t.Helper()
	require.NotNil(t, v)
	list, err := v.Float64s()
	require.NoError(t, err)
	return slices.Clone(list)
}
