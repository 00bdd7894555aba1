package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"kosumi/board"
)

// running is the state of the search that goes on.
type running struct {
	limits   Limits
	stats    Stats
	start    time.Time
	deadline time.Time // zero: none
	hard     time.Time // to which the deadline may be put off
	target   int64     // playouts to make; negative: no bound
	stop     StopReason
	err      error

	inFlight  int
	free      int // playouts without evaluation since one came back
	idle      []*slot
	done      chan *slot
	then      func() // what those who answer do; nil: nothing
	workers   sync.WaitGroup
	quit      *atomic.Bool // the context ended; each search has its own
	nextShot  time.Time    // of publishing a snapshot
	alarm     *time.Timer  // rings when the clock has to be looked at
	lastLook  time.Time
	obvious   time.Time // when to ask next if the move is
	lookStep  int
	untilLook int
}

// never is longer than any search.
const never = 1 << 40 * time.Microsecond

// Search searches the root until a limit is met or the context ends, whichever
// comes first, and at least until the root is evaluated. A context that ends is
// no error: the result holds what was found. An error of the evaluator ends the
// search; the result then still holds what was found before. Errors wrap
// ErrNoGame or what the evaluator returned.
func (t *Tree) Search(ctx context.Context, l Limits) (Result, error) {
	if !t.ready {
		return Result{}, ErrNoGame
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &t.search
	t.begin(l)
	if err := t.prepareRoot(ctx); err != nil {
		r.stop, r.err = StopFailed, err
	} else {
		quit := r.quit // what is told late must not end the search after this one
		defer context.AfterFunc(ctx, func() { quit.Store(true) })()
		t.makeSlots()
		if l.FirstLook {
			t.lookOnce(context.WithoutCancel(ctx))
		}
		if t.p.Parallel.Workers == 1 {
			t.runAlone(inner)
		} else {
			t.runTogether(inner, cancel)
		}
	}
	r.stats.Elapsed = time.Since(r.start)
	t.exactRoot()
	if t.nodes.root != 0 {
		t.nodes.save(t.base.Finished())
	}
	result := t.result(true)
	t.published.Store(result)
	t.log.Debug("search", "visits", result.Root.Visits, "playouts", r.stats.Playouts,
		"evaluations", r.stats.Evaluations, "cacheHits", r.stats.CacheHits, "collisions", r.stats.Collisions,
		"elapsed", r.stats.Elapsed, "stop", r.stop)
	return *result, r.err
}

// Snapshot copies the newest published result: while Search runs with
// Limits.SnapshotEvery one of the last moments, afterwards the final one. Any goroutine may call it. The slices are
// shared and must not be written to.
func (t *Tree) Snapshot(dst *Result) { *dst = *t.published.Load() }

// begin makes ready for a search.
func (r *running) begin(l Limits) {
	now := time.Now()
	r.limits, r.stats, r.start, r.stop, r.err = l, Stats{}, now, StopNone, nil
	r.inFlight, r.free, r.then = 0, 0, nil
	r.lastLook, r.lookStep, r.untilLook = now, 1, 1
	r.quit, r.obvious = new(atomic.Bool), now.Add(scaled(l.Time, l.Obvious.Factor))
	r.deadline = l.Deadline
	if l.Time > 0 {
		if end := now.Add(l.Time); r.deadline.IsZero() || end.Before(r.deadline) {
			r.deadline = end
		}
	}
	r.hard = r.deadline.Add(max(0, l.Extend))
	if r.limits.SnapshotEvery <= 0 {
		r.limits.SnapshotEvery = never
	}
	r.nextShot = now.Add(r.limits.SnapshotEvery)
	r.limits.Ownership = l.Ownership || l.MovesOwnership
}

// begin makes the tree and what workers read ready for a search.
func (t *Tree) begin(l Limits) {
	r := &t.search
	r.begin(l)
	if !t.nodes.own.begin(r.limits.Ownership, t.sh.size.Area(), t.nodes.root == 0) {
		t.clear()
	}
	t.sh.limits, t.sh.bans = r.limits, t.bans
}

// aim sets the number of playouts to make, once it is known what was kept.
func (r *running) aim(kept int64) {
	l := &r.limits
	r.stats.Reused = kept
	r.target = -1
	if l.Visits > 0 {
		r.target = max(0, l.Visits-kept)
	}
	if l.Playouts > 0 && (r.target < 0 || l.Playouts < r.target) {
		r.target = l.Playouts
	}
}

// makeSlots makes sure that there is a slot for every evaluation in flight.
func (t *Tree) makeSlots() {
	for len(t.slots) < t.p.Parallel.Workers {
		t.slots = append(t.slots, &slot{index: len(t.slots), wake: make(chan struct{}, 1)})
	}
}

// lookOnce makes the first playout of a fresh tree, see Limits.FirstLook.
func (t *Tree) lookOnce(ctx context.Context) {
	r, s := &t.search, t.slots[0]
	if t.nodes.visits() > 1 || r.target >= 0 && r.stats.Playouts >= r.target || t.full() || t.descend(s) != atLeaf {
		return
	}
	t.runTimed(ctx, s)
	if err := t.apply(s); err != nil {
		t.fail(ctx, err)
	}
}

// runAlone is the search with one evaluation at a time, on this goroutine.
func (t *Tree) runAlone(ctx context.Context) {
	s := t.slots[0]
	for t.goOn() {
		if t.descend(s) != atLeaf {
			continue
		}
		t.runTimed(ctx, s)
		if err := t.apply(s); err != nil {
			t.fail(ctx, err)
			return
		}
	}
}

// runTimed runs a slot here. The time of one run in timedRuns stands for all.
func (t *Tree) runTimed(ctx context.Context, s *slot) {
	const timedRuns = 16
	if t.search.stats.Evaluations%timedRuns != 0 {
		s.run(ctx, &t.sh)
		return
	}
	began := time.Now()
	s.run(ctx, &t.sh)
	t.search.stats.Waiting += timedRuns * time.Since(began)
}

// runTogether is the search with several evaluations in flight. The owner keeps as
// many under way as it may and applies what comes back: this goroutine, or, where
// sessions keep all cores busy, they themselves.
func (t *Tree) runTogether(ctx context.Context, cancel context.CancelFunc) {
	r := &t.search
	workers := t.p.Parallel.Workers
	r.done = make(chan *slot, workers)
	r.idle = append(r.idle[:0], t.slots[:workers]...)
	r.alarm = time.NewTimer(time.Hour)
	defer r.alarm.Stop()
	r.setAlarm(time.Now())
	if t.later() && t.p.Parallel.Sessions >= runtime.NumCPU() {
		defer t.runByCrew(ctx)()
	} else {
		for t.goOn() && r.err == nil {
			t.applyFinished(ctx)
			if r.mayLaunch(&t.p.Parallel, t.nodes.visits()) && t.launch(ctx) {
				continue
			}
			t.wait(ctx)
		}
	}
	if r.stop != StopVisits {
		cancel()
	}
	for r.inFlight > 0 {
		t.settleSlot(ctx, <-r.done)
	}
	for _, s := range t.slots[:workers] {
		if s.started {
			close(s.wake)
			s.started, s.wake = false, make(chan struct{}, 1)
		}
	}
	r.workers.Wait()
}

// later reports whether evaluators answer later.
func (t *Tree) later() bool {
	sh := &t.sh
	return sh.later != nil && (sh.human.eval == nil || sh.human.later != nil)
}

// mayLaunch reports whether one more evaluation may be in flight, for a root with so
// many visits.
func (r *running) mayLaunch(p *Parallel, visits int64) bool {
	most := p.Workers
	if p.VisitsPerFlight > 0 {
		visits = max(visits, r.stats.Reused+r.stats.Playouts) // some have no weight
		busy := min(p.Sessions, 1+8*int(visits)/p.VisitsPerFlight)
		most = min(most, max(1, busy, int(visits)/p.VisitsPerFlight))
	}
	if r.target >= 0 {
		if r.stats.Playouts+int64(r.inFlight) >= r.target {
			return false
		}
		if p.PlayoutsPerFlight > 0 {
			most = min(most, max(1, int(r.target)/p.PlayoutsPerFlight))
		}
	}
	if r.inFlight > 0 && p.FreePerFlight > 0 && float64(r.free) >= p.FreePerFlight*float64(r.inFlight) {
		return false
	}
	return r.inFlight < most
}

// launch makes descents until one has handed out a leaf. It returns false if it
// has to wait for an evaluation first.
func (t *Tree) launch(ctx context.Context) bool {
	r := &t.search
	s := r.idle[len(r.idle)-1]
	for try := 0; ; {
		switch t.descend(s) {
		case atLeaf:
			r.idle = r.idle[:len(r.idle)-1]
			r.inFlight++
			t.ask(ctx, s)
			return true
		case atCollision:
			if try++; try > t.p.Parallel.CollisionRetries {
				return false
			}
		default:
			r.free++
			return true
		}
	}
}

// ask has a slot's question answered: by an evaluator that answers later, or by
// the slot's worker, which is started if need be.
func (t *Tree) ask(ctx context.Context, s *slot) {
	if t.later() {
		sh := &t.sh
		s.done, s.then = t.search.done, t.search.then
		if !s.begin(sh) {
			s.done <- s
			return
		}
		s.submit(ctx, sh)
		return
	}
	if !s.started {
		s.started = true
		wake, done, sh := s.wake, t.search.done, &t.sh
		t.search.workers.Go(func() {
			for range wake {
				s.run(ctx, sh)
				done <- s
			}
		})
	}
	s.wake <- struct{}{}
}

// submit asks both networks at once; whichever answers last finishes the slot.
func (s *slot) submit(ctx context.Context, sh *shared) {
	h := &s.human
	if s.job.Done == nil {
		s.job.Done = func() {
			if h.pending.Add(-1) > 0 {
				return
			}
			err := s.job.Err
			if h.wanted {
				err = cmp.Or(err, h.job.Err)
			}
			s.finish(sh, err)
			s.done <- s
		}
		h.job.Done = s.job.Done
	}
	h.pending.Store(1)
	s.job.Query, s.job.Out, s.job.Then = &s.query, &s.out, s.then
	if h.wanted {
		h.pending.Store(2)
		h.job.Query, h.job.Out, h.job.Then = &h.query, &h.out, s.then
		sh.human.later.Submit(ctx, &h.job)
	}
	sh.later.Submit(ctx, &s.job)
}

// applyFinished takes what has come back, without waiting.
func (t *Tree) applyFinished(ctx context.Context) {
	for {
		select {
		case s := <-t.search.done:
			t.settleSlot(ctx, s)
		default:
			return
		}
	}
}

// wait blocks until an evaluation comes back, or until the search has to be
// stopped.
func (t *Tree) wait(ctx context.Context) {
	r := &t.search
	if r.inFlight == 0 {
		return
	}
	began := time.Now()
	select {
	case s := <-r.done:
		t.settleSlot(ctx, s)
	case <-ctx.Done():
		r.quit.Store(true)
	case <-r.alarm.C:
		r.untilLook = 0
	}
	r.stats.Waiting += time.Since(began)
}

// setAlarm lets the owner wake up for the next snapshot or the deadline.
func (r *running) setAlarm(now time.Time) {
	if r.alarm == nil {
		return
	}
	next := r.nextShot
	if !r.deadline.IsZero() && r.deadline.Before(next) {
		next = r.deadline
	}
	r.alarm.Reset(next.Sub(now) + time.Microsecond)
}

// settleSlot applies a slot that came back and puts it among the idle ones.
func (t *Tree) settleSlot(ctx context.Context, s *slot) {
	r := &t.search
	r.inFlight--
	r.free = 0
	r.idle = append(r.idle, s)
	if err := t.apply(s); err != nil {
		t.fail(ctx, err)
	}
}

// fail ends the search after an error of the evaluator. Errors of evaluations
// that were given up are none.
func (t *Tree) fail(ctx context.Context, err error) {
	r := &t.search
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

// goOn reports whether the search goes on, and publishes a snapshot when it is
// time.
func (t *Tree) goOn() bool {
	r := &t.search
	switch {
	case r.stop != StopNone:
	case r.quit.Load():
		r.stop = StopCancelled
	case r.target >= 0 && r.stats.Playouts >= r.target, t.nodes.a.node(t.nodes.root).visits >= mostVisits:
		r.stop = StopVisits
	case t.full():
		r.stop = StopMemory
	default:
		if r.untilLook--; r.untilLook <= 0 {
			t.look()
		}
	}
	return r.stop == StopNone
}

// mostVisits keeps the counters of a node from overflowing, where a search of a
// small board goes on and on at the ends of the game.
const mostVisits = 1 << 30

// A look at the clock is due after lookStep rounds: that many that the clock is
// looked at every 50 to 500 microseconds, and after each round if those are slow.
const (
	lookMost  = 64
	lookEarly = 50 * time.Microsecond
	lookLate  = 500 * time.Microsecond
)

// leastPlayouts is how many playouts time does not end a search before, so that one
// move at least was looked at. KataGo's.
const leastPlayouts = 2

func (r *running) setLook(now time.Time) {
	switch d := now.Sub(r.lastLook); {
	case d > lookLate:
		r.lookStep = 1
	case d < lookEarly:
		r.lookStep = min(lookMost, 2*r.lookStep)
	}
	r.lastLook, r.untilLook = now, r.lookStep
}

// look does what needs the time of day.
func (t *Tree) look() {
	r := &t.search
	now := time.Now()
	r.setLook(now)
	if !r.deadline.IsZero() && !now.Before(r.deadline) {
		if r.stats.Playouts < leastPlayouts {
			r.untilLook = 1
		} else if !t.extendDeadline(now) {
			r.stop = StopTime
			return
		}
	}
	if now.After(r.nextShot) {
		r.nextShot = now.Add(r.limits.SnapshotEvery)
		r.setAlarm(now)
		r.stats.Elapsed = now.Sub(r.start)
		t.published.Store(t.result(false))
	}
	if (t.p.Stop.WhenDecided || r.limits.WhenDecided) && t.decided(now) {
		r.stop = StopDecided
	}
	if r.limits.Obvious.Factor > 0 && t.obvious(now) {
		r.stop = StopTime
	}
}

// full reports whether the tree has no room left for what is in flight.
func (t *Tree) full() bool {
	limit := t.p.Memory.MaxBytes
	if limit == 0 {
		limit = defaultBytes
	}
	perLeaf := int64(unsafe.Sizeof(node{})+2*unsafe.Sizeof(edge{})) + 4*int64(blockWords(min(board.MaxMoves, t.sh.priorsKept()*4/3)))
	reserve := 6*chunkBytes + int64(t.p.Parallel.Workers)*perLeaf
	if t.nodes.a.spent(reserve) {
		return true
	}
	if t.nodes.used()+t.nodes.graph.growth()+reserve > limit {
		return true
	}
	if t.nodes.bytes() > limit {
		t.nodes.a.trim()
	}
	return false
}

// exactRoot computes the root's averages from all children, where that was not
// done after each visit. A root without moves keeps what it counted of itself.
func (t *Tree) exactRoot() {
	if t.nodes.root != 0 && t.p.Backup.ExactShare > 0 && t.nodes.a.node(t.nodes.root).edgeCount > 0 {
		t.nodes.rebuild(t.nodes.root)
	}
}
