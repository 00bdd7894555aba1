package search

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"kosumi/board"
)

// run is one search: it keeps evaluations pending and ends at the limits.
//
//   - With one worker, Search's own goroutine does everything, one evaluation after another. The
//     result then depends only on position, parameters and seed, unless time ends the search.
//   - With more workers, a [combiner] runs the search: evaluations are answered asynchronously, so
//     that the network's batches fill and all cores have work.
type run struct {
	parts
	playouts *playouts
	chooser  *chooser
	report   *report

	timing timing
	stop   StopReason
	err    error
	quit   *atomic.Bool // set when the context ends; each search has its own

	idle []*slot
	done chan *slot // answered slots
	then func()     // called after each batch of answers; may be nil
}

func (r *run) begin(l Limits) {
	if l.SnapshotEvery <= 0 {
		l.SnapshotEvery = never
	}
	l.Ownership = l.Ownership || l.MovesOwnership
	r.sh.limits, *r.tally = l, tally{}
	r.timing.begin(time.Now(), &l)
	r.stop, r.err, r.then, r.quit = StopNone, nil, nil, new(atomic.Bool)
}

// progress is the outcome of one round of the search cycle.
type progress uint8

const (
	moved   progress = iota // a playout descended, was backed up, or both
	starved                 // nothing to do until an evaluation returns
	ended                   // the search is over
)

// iterate runs the search cycle once, and may back up other playouts than the one that it selects.
// The caller owns the tree.
func (r *run) iterate(ctx context.Context) progress {
	// 1. Check limits, memory and clock; publish a snapshot when one is due.
	if !r.shouldContinue() {
		return ended
	}
	// 2. Select: descend to a leaf, if one more evaluation may be in flight. A playout that
	// needs no evaluation is backed up at once.
	var s *slot
	result := starved
	if r.tally.mayLaunch(&r.p.Parallel, r.nodes.visits()) {
		s, result = r.selectLeaf()
	}
	// 3. Evaluate the leaf: at once, or submit it.
	if s != nil {
		s = r.evaluate(ctx, s)
	}
	// 4. Gather the evaluations that have finished meanwhile.
	if s == nil {
		s = r.poll()
	}
	for ; s != nil; s = r.poll() {
		// 5. Expand each leaf, 6. back its evaluation up to the root, 7. free its slot.
		r.settle(ctx, s)
		result = moved
	}
	return result
}

// search iterates until a limit is met, and returns when nothing is in flight any more.
func (r *run) search(ctx context.Context) {
	quit := r.quit // a late cancellation of this search must not end the next one
	defer context.AfterFunc(ctx, func() { quit.Store(true) })()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := r.p.Parallel.Workers
	r.playouts.makeSlots(workers)
	r.idle = append(r.idle[:0], r.playouts.slots[:workers]...)
	if r.sh.limits.FirstLook {
		r.firstPlayout(context.WithoutCancel(ctx))
	}
	if workers == 1 {
		for r.iterate(inner) != ended {
		}
	} else {
		r.done = make(chan *slot, workers)
		r.timing.alarm = time.NewTimer(time.Hour)
		defer r.timing.alarm.Stop()
		r.timing.setAlarm(time.Now())
		defer r.combine(inner)()
	}
	if r.stop != StopVisits {
		cancel()
	}
	for r.tally.inFlight > 0 {
		r.settle(inner, <-r.done)
	}
}

// firstPlayout makes the first playout of a fresh tree, see Limits.FirstLook.
func (r *run) firstPlayout(ctx context.Context) {
	if r.nodes.visits() > 1 || r.tally.target >= 0 && r.tally.left() <= 0 || r.full() {
		return
	}
	if s, _ := r.selectLeaf(); s != nil {
		r.runTimed(ctx, s)
		r.settle(ctx, s)
	}
}

// descentTries is how often the owner looks for a leaf that is not under evaluation before
// it waits, as in lc0.
const descentTries = 5

// selectLeaf descends until a leaf needs an evaluation, or a playout was backed up without one.
// After too many collisions it gives up.
func (r *run) selectLeaf() (*slot, progress) {
	last := len(r.idle) - 1
	s := r.idle[last]
	for range descentTries {
		switch r.playouts.descend(s) {
		case atLeaf:
			r.idle = r.idle[:last]
			r.tally.inFlight++
			return s, moved
		case backedUp:
			r.tally.free++
			return nil, moved
		}
	}
	return nil, starved
}

// evaluate requests a slot's evaluation, and returns the slot if it has been answered already.
func (r *run) evaluate(ctx context.Context, s *slot) *slot {
	if r.p.Parallel.Workers == 1 {
		r.runTimed(ctx, s)
		return s
	}
	s.done, s.then = r.done, r.then
	if !s.begin(r.sh) {
		return s
	}
	s.submit(ctx, r.sh)
	return nil
}

// runTimed runs a slot on this goroutine. It times one of every timedRuns runs and extrapolates.
func (r *run) runTimed(ctx context.Context, s *slot) {
	const timedRuns = 16
	if r.tally.stats.Evaluations%timedRuns != 0 {
		s.run(ctx, r.sh)
		return
	}
	began := time.Now()
	s.run(ctx, r.sh)
	r.tally.stats.Waiting += timedRuns * time.Since(began)
}

// poll returns an answered slot, nil if there is none.
func (r *run) poll() *slot {
	if r.tally.inFlight == 0 {
		return nil
	}
	select {
	case s := <-r.done:
		return s
	default:
		return nil
	}
}

// settle adds the result of an answered slot to the tree, and frees the slot.
func (r *run) settle(ctx context.Context, s *slot) {
	grown, err := r.playouts.expand(s)
	if grown {
		r.playouts.backUp(s, &before{}) // a new node had no values before
	}
	r.tally.inFlight--
	r.tally.free = 0
	r.idle = append(r.idle, s)
	if err != nil {
		r.fail(ctx, err)
	}
}

// fail ends the search after an error of the evaluator. An evaluation that was cancelled is
// not an error.
func (r *run) fail(ctx context.Context, err error) {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		if r.stop == StopNone {
			r.quit.Store(true)
			r.stop = StopCancelled
		}
		return
	}
	if r.err == nil {
		r.stop = StopFailed
		r.err = fmt.Errorf("evaluating a position of the search: %w", err)
	}
}

// mostVisits ends a search before a node's counters overflow. Only a search on a small board gets
// that far, by visits to finished games, which need no evaluation.
const mostVisits = 1 << 30

// shouldContinue reports whether the search continues, and publishes a snapshot when one is due.
func (r *run) shouldContinue() bool {
	switch {
	case r.stop != StopNone:
	case r.quit.Load():
		r.stop = StopCancelled
	case r.tally.target >= 0 && r.tally.stats.Playouts >= r.tally.target, r.nodes.visits() >= mostVisits:
		r.stop = StopVisits
	case r.full():
		r.stop = StopMemory
	case r.timing.due():
		r.checkClock(time.Now())
	}
	return r.stop == StopNone
}

// leastPlayouts is the number of playouts before which time does not end a search, so that
// at least one move was searched.
const leastPlayouts = 2

// checkClock stops the search if its time is up or its choice is decided, and publishes a due snapshot.
func (r *run) checkClock(now time.Time) {
	c, stats := &r.timing, &r.tally.stats
	c.check(now)
	if c.over(now) {
		if stats.Playouts < leastPlayouts {
			c.rounds = 1
		} else if !r.extendDeadline(now) {
			r.stop = StopTime
			return
		}
	}
	if now.After(c.snapshot) {
		c.snapshot = now.Add(r.sh.limits.SnapshotEvery)
		c.setAlarm(now)
		stats.Elapsed = now.Sub(c.start)
		r.report.publish(*stats, r.stop, false)
	}
	if r.sh.limits.WhenDecided && r.decided(now) {
		r.stop = StopDecided
	}
}

// full reports whether the tree has no room left for pending evaluations.
func (r *run) full() bool {
	limit := r.p.Memory.MaxBytes
	if limit == 0 {
		limit = defaultBytes
	}
	perLeaf := int64(unsafe.Sizeof(node{})+2*unsafe.Sizeof(edge{})) + 4*int64(blockWords(min(board.MaxMoves, r.sh.priorsKept()*4/3)))
	reserve := 6*chunkBytes + int64(r.p.Parallel.Workers)*perLeaf
	if r.nodes.a.spent(reserve) {
		return true
	}
	if r.nodes.used()+r.nodes.graph.growth()+reserve > limit {
		return true
	}
	if r.nodes.bytes() > limit {
		r.nodes.a.trim()
	}
	return false
}
