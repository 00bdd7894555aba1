package search

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAim: the target is the limit of visits minus the visits kept, or the limit of playouts if
// that is lower.
func TestAim(t *testing.T) {
	for _, c := range []struct {
		l    Limits
		kept int64
		want int64
	}{
		{Limits{}, 5, -1},
		{Limits{Visits: 100}, 0, 100},
		{Limits{Visits: 100}, 30, 70},
		{Limits{Visits: 100}, 130, 0},
		{Limits{Playouts: 50}, 30, 50},
		{Limits{Visits: 100, Playouts: 50}, 30, 50},
		{Limits{Visits: 100, Playouts: 50}, 90, 10},
	} {
		var tally tally
		tally.aim(&c.l, c.kept)
		require.Equal(t, c.want, tally.target, "%+v", c)
		require.Equal(t, c.kept, tally.stats.Reused)
	}
}

// TestMayLaunch: until the target is reached, one evaluation may always be pending. More than one
// may be pending only if playouts are left for them and few playouts ended without an evaluation.
func TestMayLaunch(t *testing.T) {
	p := &Parallel{Workers: 4, PlayoutsPerFlight: 8}
	for name, c := range map[string]struct {
		tally tally
		want  bool
	}{
		"without a target":          {tally{target: -1}, true},
		"the last playout":          {tally{target: 10, stats: Stats{Playouts: 9}}, true},
		"the target is reached":     {tally{target: 10, stats: Stats{Playouts: 10}}, false},
		"all playouts under way":    {tally{target: 10, stats: Stats{Playouts: 8}, inFlight: 2}, false},
		"a short search is narrow":  {tally{target: 10, inFlight: 1}, false},
		"a longer one is less so":   {tally{target: 16, inFlight: 1}, true},
		"all workers are busy":      {tally{target: -1, inFlight: 4}, false},
		"others outrun the network": {tally{target: -1, inFlight: 1, free: 3}, false},
	} {
		require.Equal(t, c.want, c.tally.mayLaunch(p, 1000), name)
	}
}
