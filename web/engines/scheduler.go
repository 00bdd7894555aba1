package engines

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Urgencies of searches, the most urgent first.
const (
	ForMove = iota // a running clock, or a person who waits for the answer
	ForHelp        // hints, estimates, counting
	ForAnalysis
)

// slice is how long an analysis runs before another analysis that waits may take its turn.
const slice = 300 * time.Millisecond

// Scheduler runs one search at a time. A more urgent search cancels an analysis at once; another
// analysis cancels it only after a slice. Cancelled analyses queue again, so all of them advance.
type Scheduler struct {
	mu      sync.Mutex
	waiting []*ticket
	running *ticket
	idle    chan struct{} // closed when no search runs any more; nil: nobody waits for that
}

// ticket is a search that waits for its turn or runs.
type ticket struct {
	urgency int
	since   time.Time
	turn    chan struct{} // closed when the search may begin
	cut     context.CancelFunc
	timer   *time.Timer
}

// Do runs f when its turn comes. The context of an analysis ends early when another search waits,
// see [Scheduler]. Do returns false if ctx ended before the turn came.
func (s *Scheduler) Do(ctx context.Context, urgency int, f func(context.Context)) bool {
	inner, cut := context.WithCancel(ctx)
	defer cut()
	t := &ticket{urgency: urgency, turn: make(chan struct{}), cut: cut}
	s.mu.Lock()
	s.waiting = append(s.waiting, t)
	s.next()
	s.press()
	s.mu.Unlock()
	select {
	case <-t.turn:
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.Index(s.waiting, t); i >= 0 {
			s.waiting = slices.Delete(s.waiting, i, i+1)
		} else {
			s.finish(t) // the turn came just as ctx ended
		}
		return false
	}
	f(inner)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish(t)
	return true
}

// finish lets the next search begin. The caller holds mu.
func (s *Scheduler) finish(t *ticket) {
	if t.timer != nil {
		t.timer.Stop()
	}
	s.running = nil
	s.next()
	s.press()
	if s.running == nil && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// Yield waits until no search runs: reviews call it before each evaluation.
func (s *Scheduler) Yield(ctx context.Context) error {
	for {
		s.mu.Lock()
		if s.running == nil {
			s.mu.Unlock()
			return ctx.Err()
		}
		if s.idle == nil {
			s.idle = make(chan struct{})
		}
		idle := s.idle
		s.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next lets the most urgent search begin; of equally urgent ones, the one that has waited longest.
// The caller holds mu.
func (s *Scheduler) next() {
	if s.running != nil || len(s.waiting) == 0 {
		return
	}
	t := slices.MinFunc(s.waiting, func(a, b *ticket) int { return a.urgency - b.urgency })
	s.waiting = slices.DeleteFunc(s.waiting, func(w *ticket) bool { return w == t })
	s.running, t.since = t, time.Now()
	close(t.turn)
}

// press ends a running analysis early: at once for a more urgent search, after a slice for another
// analysis. The caller holds mu.
func (s *Scheduler) press() {
	t := s.running
	if t == nil || t.urgency < ForAnalysis {
		return
	}
	for _, w := range s.waiting {
		switch {
		case w.urgency < t.urgency:
			t.cut()
			return
		case w.urgency == t.urgency && t.timer == nil:
			t.timer = time.AfterFunc(max(0, slice-time.Since(t.since)), t.cut)
		}
	}
}
