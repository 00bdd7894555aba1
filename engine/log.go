package engine

import (
	"context"
	"fmt"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// ending describes why a search ended before or after its planned time.
func ending(r *search.Result) string {
	switch {
	case r.Stop == search.StopDecided:
		return ", decided early"
	case r.Stop == search.StopMemory:
		return ", memory full"
	case r.Stats.Extended > 0:
		return fmt.Sprintf(", %.1f s longer", r.Stats.Extended.Seconds())
	}
	return ""
}

// logMove logs a line about a move; work is the network's statistics for it.
func (t *thinker) logMove(r *search.Result, p board.Point, work nn.Stats) {
	if !t.log.Enabled(context.Background(), t.cfg.MoveLog) {
		return
	}
	var pv string
	if m := r.Move(p); m != nil {
		for _, q := range m.PV[:min(len(m.PV), 12)] {
			pv += " " + r.Size.Vertex(q)
		}
	}
	var fill string
	if work.Batches > 0 {
		fill = fmt.Sprintf(", batch %.1f of %d", work.MeanBatch(), t.net.BatchSize())
	}
	lead := r.Root.Lead
	if !t.cfg.ScoreByLead {
		lead = search.OnSide(lead, r.Root.Winrate)
	}
	seconds := max(r.Stats.Elapsed.Seconds(), 1e-9)
	t.log.Log(context.Background(), t.cfg.MoveLog, fmt.Sprintf("%s %s: %d visits (%d new, %.0f/s%s), %d evaluations%s, %.0f %% cached, %.1f %% collisions, depth %.1f to %d, winrate %.1f %%, lead %+.1f, pv%s",
		r.ToMove, r.Size.Vertex(p), r.Root.Visits, r.Stats.Playouts, float64(r.Stats.Playouts)/seconds, ending(r),
		r.Stats.Evaluations, fill, 100*r.Stats.CacheRate(), 100*r.Stats.CollisionRate(),
		r.Stats.MeanDepth(), r.Stats.MaxDepth, 100*r.Root.Winrate, tenths(lead), pv))
}
