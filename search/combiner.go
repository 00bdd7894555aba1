package search

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"kosumi/nn"
)

// combiner lets goroutines take turns as the owner of a tree, by flat combining (Hendler, Incze,
// Shavit and Tzafrir, "Flat Combining and the Synchronization-Parallelism Tradeoff", SPAA 2010).
// Answers of the evaluator are published in run.done. The goroutine that gets the lock combines: it
// applies all answers to the tree, whoever published them. If sessions keep all cores busy, the
// sessions combine, since a goroutine inside Search would compete with them at every batch. If
// cores are free, as with a GPU, only the goroutine inside Search combines, and sessions begin
// their next batch at once.
type combiner struct {
	run  *run // accessed only with the lock, and not after the search
	ctx  context.Context
	done chan *slot    // run.done of this search
	wake chan struct{} // wakes the search's own goroutine; capacity 1

	lock  sync.Mutex // held by the goroutine that combines and so owns the tree
	over  bool
	busy  time.Duration
	fault any // value of a panic in combiner.pass
}

// mostPasses bounds the calls of combiner.pass that a session makes in a row: other searches wait
// for its next batch.
const mostPasses = 8

// combine runs the search cycle; goroutines that answer evaluations help, if they can keep all
// cores busy. The caller calls end once no evaluation is pending; until then only the goroutine that
// combines may use the tree.
func (r *run) combine(ctx context.Context) (end func()) {
	c := &combiner{run: r, ctx: ctx, done: r.done, wake: make(chan struct{}, 1)}
	answers := r.done
	if r.p.Parallel.Sessions >= nn.Cores() {
		answers, r.then = nil, c.published
	}
	began := time.Now()
	for c.lock.Lock(); c.pass(); c.lock.Lock() {
		c.lock.Unlock()
		select {
		case <-c.wake:
		case s := <-answers: // only if sessions do not combine
			r.settle(ctx, s)
		case <-ctx.Done():
			r.quit.Store(true)
		case <-r.timing.alarm.C:
			c.lock.Lock()
			r.timing.rounds = 0
			c.lock.Unlock()
		}
	}
	if c.fault != nil {
		panic(c.fault) // panics again, on the goroutine of Search
	}
	r.tally.stats.Waiting += time.Since(began) - c.busy
	return func() {
		c.over = true
		c.lock.Unlock()
	}
}

// published is called by a session after a batch: it calls pass until no answer is left or another
// goroutine holds the lock.
func (c *combiner) published() {
	for passes := 0; len(c.done) > 0; passes++ {
		if passes == mostPasses {
			c.signal()
			return
		}
		if !c.lock.TryLock() {
			return // the holder of the lock will check for answers again
		}
		if !c.over && !c.pass() {
			c.signal()
		}
		c.lock.Unlock()
	}
}

// signal wakes the search's own goroutine.
func (c *combiner) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// pass repeats run.iterate until nothing is left to do before the next answer. It returns false if the
// search must end. The caller holds the lock.
func (c *combiner) pass() (goes bool) {
	r := c.run
	began := time.Now()
	defer func() {
		c.busy += time.Since(began)
		if p := recover(); p != nil {
			c.fault, r.stop, goes = fmt.Sprintf("%v\n%s", p, debug.Stack()), StopFailed, false
		}
	}()
	for {
		switch r.iterate(c.ctx) {
		case ended:
			return false
		case starved:
			if r.tally.inFlight > 0 && len(c.done) == 0 {
				return true
			}
		}
	}
}
