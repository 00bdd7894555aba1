package search

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVisitsWhilePriorsAreFetched lets visits come back through nodes whose
// priors are just being fetched again, and descents meet there: which slot
// holds the node must not get lost.
func TestVisitsWhilePriorsAreFetched(t *testing.T) {
	p := Defaults()
	p.Memory.PriorsPerNode = 8
	p.VirtualLoss.PerVisit = 0.01 // descents follow one another
	p.Parallel.Workers, p.Parallel.VisitsPerFlight = 4, 1
	tree := newTree(t, p, &stub{delay: 20 * time.Microsecond})
	tree.Reset(newGame(t, 9))
	r := searched(t, tree, 20000)
	require.GreaterOrEqual(t, r.Root.Visits, int64(20000))
	require.Positive(t, r.Stats.Collisions)
}
