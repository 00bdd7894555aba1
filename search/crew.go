package search

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// crew lets those who answer evaluations do the owner's work. If sessions keep
// all cores busy, an owner on a goroutine of its own would take turns with them at
// every batch, and they would wait for it. One works on the tree at a time; who
// finds another at work leaves what it brings to that one.
type crew struct {
	tree *Tree
	ctx  context.Context
	done chan *slot
	call chan struct{} // asks the search's own goroutine to look; capacity 1

	turn  sync.Mutex // held by who works on the tree
	over  bool       // the search has ended, the tree is not to be touched
	busy  time.Duration
	fault any // what work panicked with
}

// mostTurns is how often a helper looks for more before it goes back to its own
// work, of which answers that others wait for may be a part.
const mostTurns = 8

// runByCrew is the loop of runTogether, done by a crew. The caller calls what it
// returns once nothing is in flight; until then no one else touches the tree.
func (t *Tree) runByCrew(ctx context.Context) (end func()) {
	r := &t.search
	c := &crew{tree: t, ctx: ctx, done: r.done, call: make(chan struct{}, 1)}
	r.then = c.help
	began := time.Now()
	for c.turn.Lock(); c.work(); c.turn.Lock() {
		c.turn.Unlock()
		select {
		case <-c.call:
		case <-ctx.Done():
			r.quit.Store(true)
		case <-r.alarm.C:
			c.turn.Lock()
			r.untilLook = 0
			c.turn.Unlock()
		}
	}
	if c.fault != nil {
		panic(c.fault) // here, as where there is no crew
	}
	r.stats.Waiting += time.Since(began) - c.busy
	return func() {
		c.over = true
		c.turn.Unlock()
	}
}

// help works on the tree until nothing that has come back waits for it.
func (c *crew) help() {
	for tries := 0; len(c.done) > 0; tries++ {
		if tries == mostTurns {
			c.wake()
			return
		}
		if !c.turn.TryLock() {
			return // and who has it looks again after it
		}
		if !c.over && !c.work() {
			c.wake()
		}
		c.turn.Unlock()
	}
}

// wake asks the search's own goroutine to look.
func (c *crew) wake() {
	select {
	case c.call <- struct{}{}:
	default:
	}
}

// work applies what has come back and keeps evaluations under way. It returns false
// if the search is to end. The caller holds turn.
func (c *crew) work() (goes bool) {
	t, r := c.tree, &c.tree.search
	began := time.Now()
	defer func() {
		c.busy += time.Since(began)
		if p := recover(); p != nil {
			c.fault, r.stop, goes = fmt.Sprintf("%v\n%s", p, debug.Stack()), StopFailed, false
		}
	}()
	for t.goOn() && r.err == nil {
		t.applyFinished(c.ctx)
		launched := r.mayLaunch(&t.p.Parallel, t.nodes.visits()) && t.launch(c.ctx)
		if !launched && r.inFlight > 0 && len(c.done) == 0 {
			return true
		}
	}
	return false
}
