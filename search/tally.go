package search

// tally counts finished and pending work of a search. The owner of the tree keeps it.
type tally struct {
	stats    Stats
	target   int64 // playouts to make; negative: no bound
	inFlight int   // evaluations in flight
	free     int   // playouts without evaluation since the last evaluation came back
}

// aim sets the number of playouts to make, given the visits kept from earlier searches.
func (c *tally) aim(l *Limits, kept int64) {
	c.stats.Reused = kept
	c.target = -1
	if l.Visits > 0 {
		c.target = max(0, l.Visits-kept)
	}
	if l.Playouts > 0 && (c.target < 0 || l.Playouts < c.target) {
		c.target = l.Playouts
	}
}

// freePerFlight bounds the playouts without evaluation (ends of the game, known positions)
// for each evaluation in flight, so that they do not outrun the network (lc0).
const freePerFlight = 2.4

// mayLaunch reports whether one more evaluation may be pending, for a root with that number of
// visits.
func (c *tally) mayLaunch(p *Parallel, visits int64) bool {
	if c.inFlight == 0 {
		return c.target < 0 || c.stats.Playouts < c.target
	}
	most := p.Workers
	if p.VisitsPerFlight > 0 {
		visits = max(visits, c.stats.Reused+c.stats.Playouts+c.stats.Focused) // visits without weight count too
		busy := min(p.Sessions, 1+8*int(visits)/p.VisitsPerFlight)
		most = min(most, max(1, busy, int(visits)/p.VisitsPerFlight))
	}
	if c.target >= 0 {
		if c.stats.Playouts+int64(c.inFlight) >= c.target {
			return false
		}
		if p.PlayoutsPerFlight > 0 {
			most = min(most, max(1, int(c.target)/p.PlayoutsPerFlight))
		}
	}
	if float64(c.free) >= freePerFlight*float64(c.inFlight) {
		return false
	}
	return c.inFlight < most
}

// left returns how many playouts are still to be made, if there is a target.
func (c *tally) left() float64 { return float64(c.target - c.stats.Playouts) }

// countEvaluation counts an answer of the evaluator.
func (c *tally) countEvaluation(fromCache bool) {
	c.stats.Evaluations++
	if fromCache {
		c.stats.CacheHits++
	}
}

// countPlayout counts a descent of depth moves.
func (c *tally) countPlayout(depth int) {
	c.stats.Playouts++
	c.stats.DepthSum += int64(depth)
	c.stats.MaxDepth = max(c.stats.MaxDepth, depth)
}
