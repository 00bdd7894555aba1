package search

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVisitsWhilePriorsAreFetched backs visits up through nodes whose priors are being fetched
// again, while descents meet there: the slot that holds such a node must not be lost.
func TestVisitsWhilePriorsAreFetched(t *testing.T) {
	p := Defaults()
	p.Memory.PriorsPerNode = 8
	p.VirtualLoss.PerVisit = 0.01 // so that descents follow the same path
	p.Parallel.Workers, p.Parallel.VisitsPerFlight = 4, 1
	tree := treeAt(t, p, &stub{delay: 20 * time.Microsecond}, newGame(t, 9))
	r := searched(t, tree, 20000)
	require.GreaterOrEqual(t, r.Root.Visits, int64(20000))
	require.Positive(t, r.Stats.Collisions)
}

// TestInFlight: small trees get few parallel evaluations, but every session has work.
func TestInFlight(t *testing.T) {
	for _, test := range []struct {
		sessions int
		visits   int64
		want     int
	}{
		{0, 0, 1}, {0, 31, 1}, {0, 64, 2}, {0, 10000, 16},
		{2, 0, 1}, {2, 3, 1}, {2, 4, 2}, {2, 63, 2}, {2, 96, 3}, {2, 10000, 16},
		{8, 8, 3}, {8, 27, 7}, {8, 28, 8}, {8, 255, 8}, {8, 288, 9}, {64, 10000, 16},
	} {
		p := Defaults()
		p.Parallel.Workers, p.Parallel.Sessions = 16, test.sessions
		c := tally{target: -1, stats: Stats{Playouts: test.visits}}
		for c.mayLaunch(&p.Parallel, 0) {
			c.inFlight++
		}
		require.Equal(t, test.want, c.inFlight, "%d sessions, %d visits", test.sessions, test.visits)
	}
}
