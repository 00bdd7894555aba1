package bench

import (
	"context"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// Search measures searches of its positions, one after another.
type Search struct {
	Server *nn.Server
	Games  []*board.Game
	Params search.Params
	next   int

	// Sums over all searches so far. Own is the time without waiting for the network; Collisions
	// counts selections that reached a leaf already under evaluation.
	Own          time.Duration
	Playouts     int64
	Collisions   int64
	BytesPerNode float64 // of the last search's tree
}

// Rate searches for length and returns visits and network evaluations per second.
func (r *Search) Rate(ctx context.Context, length time.Duration) (visits, evals float64, err error) {
	tree, err := search.New(r.Params, r.Server, nil)
	if err != nil {
		return 0, 0, err
	}
	before := r.Server.Stats()
	r.Server.ClearCache()
	tree.Reset(r.Games[r.next%len(r.Games)])
	r.next++
	result, err := tree.Search(ctx, search.Limits{Time: length})
	if err != nil {
		return 0, 0, err
	}
	stats := r.Server.Stats()
	delta := stats.Sub(before)
	seconds := result.Stats.Elapsed.Seconds()
	r.Own += result.Stats.Elapsed - result.Stats.Waiting
	r.Playouts += result.Stats.Playouts
	r.Collisions += result.Stats.Collisions
	r.BytesPerNode = result.Stats.BytesPerNode()
	return float64(result.Stats.Playouts) / seconds, float64(delta.Rows) / seconds, ctx.Err()
}

// Median returns the median of v; 0 if v is empty.
func Median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if len(s) == 0 {
		return 0
	}
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
