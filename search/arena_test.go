package search

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIndicesEnd: with 16 TiB of memory allowed, the tree counts as full shortly before its 32-bit
// indices run out, early enough that pending evaluations still get indices.
func TestIndicesEnd(t *testing.T) {
	p := Defaults()
	p.Memory.MaxBytes = 16 << 40
	tree := treeAt(t, p, &stub{}, newGame(t, 19))
	for name, c := range map[string]struct {
		count *uint32
		size  int64 // bytes per item
	}{
		"nodes": {&tree.nodes.a.nodeCount, 128},
		"edges": {&tree.nodes.a.edgeCount, 32},
		"words": {&tree.nodes.a.wordCount, 4},
	} {
		before := *c.count
		*c.count = 1 << 31
		require.False(t, tree.run.full(), name)
		low, high := int64(1)<<31, int64(indices-1)
		for high-low > 1 { // bisect the boundary between room and no room
			middle := (low + high) / 2
			if *c.count = uint32(middle); tree.run.full() {
				high = middle
			} else {
				low = middle
			}
		}
		*c.count = uint32(high)
		require.True(t, tree.run.full(), name)
		left := (indices - low) * c.size
		require.Greater(t, left, 6*chunkBytes, "%s: what is in flight finds indices", name)
		require.Less(t, left, int64(64<<20), "%s: and little is given away", name)
		*c.count = before
	}
}
