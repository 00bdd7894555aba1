package web

import (
	"context"
	"sync"
	"time"
)

// What a search is for, the most urgent first.
const (
	forMove = iota // a clock is running, or somebody waits for the answer
	forHelp        // hints, estimates, counting
	forAnalysis
)

// slice is how long an analysis keeps the engine while others wait for it.
const slice = 300 * time.Millisecond

// desk shares the engine's time: one search runs at a time. One that is more
// urgent cuts a less urgent one short at once, one that is as urgent after a
// slice; analyses then queue up again, so all of them come round.
type desk struct {
	mu      sync.Mutex
	waiting []*ticket
	running *ticket
	idle    chan struct{} // closed when nothing runs any more; nil: nobody waits for that
}

type ticket struct {
	urgency int
	since   time.Time
	turn    chan struct{} // closed when the search may begin
	cut     context.CancelFunc
	timer   *time.Timer
}

// do runs f when its turn comes. The context of f ends early where somebody more
// urgent waits, unless f is for a move. It returns false if ctx ended first.
func (d *desk) do(ctx context.Context, urgency int, f func(context.Context)) bool {
	inner, cut := context.WithCancel(ctx)
	defer cut()
	t := &ticket{urgency: urgency, turn: make(chan struct{}), cut: cut}
	d.mu.Lock()
	d.waiting = append(d.waiting, t)
	d.next()
	d.press()
	d.mu.Unlock()
	select {
	case <-t.turn:
	case <-ctx.Done():
		d.mu.Lock()
		defer d.mu.Unlock()
		for i, w := range d.waiting {
			if w == t {
				d.waiting = append(d.waiting[:i], d.waiting[i+1:]...)
				return false
			}
		}
		d.leave(t) // its turn came at the same moment
		return false
	}
	f(inner)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leave(t)
	return true
}

func (d *desk) leave(t *ticket) {
	if t.timer != nil {
		t.timer.Stop()
	}
	d.running = nil
	d.next()
	d.press()
	if d.running == nil && d.idle != nil {
		close(d.idle)
		d.idle = nil
	}
}

// yield waits until no search wants the engine: a review takes what is left of its
// time, one evaluation after the other.
func (d *desk) yield(ctx context.Context) error {
	for {
		d.mu.Lock()
		if d.running == nil {
			d.mu.Unlock()
			return ctx.Err()
		}
		if d.idle == nil {
			d.idle = make(chan struct{})
		}
		idle := d.idle
		d.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next lets the most urgent search begin, the longest waiting first. The caller
// holds mu.
func (d *desk) next() {
	if d.running != nil || len(d.waiting) == 0 {
		return
	}
	best := 0
	for i, w := range d.waiting {
		if w.urgency < d.waiting[best].urgency {
			best = i
		}
	}
	t := d.waiting[best]
	d.waiting = append(d.waiting[:best], d.waiting[best+1:]...)
	d.running, t.since = t, time.Now()
	close(t.turn)
}

// press cuts the running search short where it has to make room. The caller
// holds mu.
func (d *desk) press() {
	t := d.running
	if t == nil || t.urgency < forAnalysis {
		return
	}
	for _, w := range d.waiting {
		switch {
		case w.urgency < t.urgency:
			t.cut()
			return
		case w.urgency == t.urgency && t.timer == nil:
			t.timer = time.AfterFunc(max(0, slice-time.Since(t.since)), t.cut)
		}
	}
}
