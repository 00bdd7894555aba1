//go:build cgo

package ort

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbered: the best devices come first, those of an unknown kind before processors.
func TestNumbered(t *testing.T) {
	all := numbered([]Offer{{Provider: "a", Kind: "cpu"}, {Provider: "b", Kind: "device"}, {Provider: "a", Kind: "npu"}, {Provider: "a", Kind: "gpu"}})
	require.Equal(t, []Offer{{Provider: "a", Kind: "gpu"}, {Provider: "a", Kind: "npu", Device: 1}, {Provider: "b", Kind: "device"}, {Provider: "a", Kind: "cpu", Device: 2}}, all)
}
