//go:build cgo

package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/kernel"
	"kosumi/nn/nntest"
)

// TestNothingIsAllocated: a session allocates only when it is opened.
func TestNothingIsAllocated(t *testing.T) {
	n := nntest.FourHeads(nine, 8, 1)
	best, _ := kernel.Best()
	s, err := opener(best)(t, n.Model, n.Spec, 8)
	require.NoError(t, err)
	defer s.Close()
	for rows := 1; rows <= 8; rows++ {
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if err := s.Run(rows); err != nil {
				t.Error(err)
			}
		}), "%d rows", rows)
	}
}
