//go:build !cgo

package ort

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
)

func TestStubSaysSo(t *testing.T) {
	require.False(t, Available)
	_, err := Open(nil, nn.Spec{}, Config{})
	require.ErrorIs(t, err, ErrNoCgo)
	_, err = Load("")
	require.ErrorIs(t, err, ErrNoCgo)
	_, err = Providers("")
	require.ErrorIs(t, err, ErrNoCgo)
	require.ErrorIs(t, Offers("", CPU), ErrNoCgo)
	_, loaded := Loaded()
	require.False(t, loaded)
}
