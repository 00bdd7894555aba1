package nn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrLost is what Run of a [Fragile] backend returns when its device is lost. Its queries
// are answered by the backend that the model opens then.
var ErrLost = errors.New("the device is lost")

// Fragile is a [Backend] on a device that may be lost while the program goes on. Once Run
// has returned [ErrLost], or Lost was called, the model opens backends that do without the
// device.
type Fragile interface {
	Backend
	// Lost is told that a run does not come to an end, by an error that says for how
	// long. The backend is not used any more, nor closed before the run has ended.
	Lost(error)
}

// A run of a fragile backend that does not end hangs. Whether it will end is never certain,
// so it is given far longer than any run so far has taken.
const (
	patienceUsual = 30 * time.Second
	patienceShape = 2 * time.Minute // with a number of rows that is new to the session
	patienceEnd   = 5 * time.Second // once the pool is being closed
	manyTimes     = 10              // the slowest run so far
	lookEvery     = time.Second
)

// patience returns how long a session's run may take.
func (p *sizePool) patience(x *session) time.Duration {
	d := patienceUsual
	switch {
	case p.mu.closed:
		d = patienceEnd
	case !x.ran[x.shape()]:
		d = patienceShape
	}
	return max(d, manyTimes*p.mu.slowest)
}

// watchOver has the device looked after while it computes. The caller holds mu.
func (p *sizePool) watchOver(x *session) {
	if _, ok := x.backend.(Fragile); !ok || p.mu.watched {
		return
	}
	p.mu.watched = true
	if p.mu.watch == nil {
		p.mu.watch = time.AfterFunc(lookEvery, p.look)
	} else {
		p.mu.watch.Reset(lookEvery)
	}
}

// look looks after the device: sessions whose run hangs are given up, and jobs that nobody
// waits for any more do not wait for a run that is late.
func (p *sizePool) look() {
	var jobs []*Job
	var then []func()
	p.mu.Lock()
	if x, took := p.longest(); x != nil && took > p.patience(x) {
		p.mu.Unlock()
		x.backend.(Fragile).Lost(fmt.Errorf("it has not answered for %v", took.Round(time.Second)))
		p.mu.Lock()
		for _, x := range slices.Clone(p.mu.line.running) {
			then = append(then, x.then...)
			p.giveUp(x)
		}
	} else if took > max(lookEvery, 2*p.mu.slowest) {
		jobs = p.unwanted()
	}
	if p.mu.watched = len(p.mu.line.running) > 0; p.mu.watched {
		p.mu.watch.Reset(lookEvery)
	}
	p.mu.Unlock()
	for _, j := range jobs {
		if j.Then != nil {
			then = append(then, j.Then)
		}
		j.finish(context.Cause(j.ctx))
	}
	for _, f := range then {
		f()
	}
}

// longest returns the session on the device that has been there for longest. The caller
// holds mu.
func (p *sizePool) longest() (x *session, took time.Duration) {
	if all := p.mu.line.running; len(all) > 0 {
		return all[0], time.Since(all[0].began)
	}
	return nil, 0
}

// unwanted takes the jobs whose context has ended out of queue and batches. The caller
// holds mu.
func (p *sizePool) unwanted() (jobs []*Job) {
	over := func(j *Job) bool {
		ends := j != nil && j.ctx.Err() != nil
		if ends {
			jobs = append(jobs, j)
		}
		return ends
	}
	l := &p.mu.line
	for _, x := range slices.Concat(l.running, l.waiting) {
		if x.parked || slices.Contains(l.running, x) { // else it is encoding
			for row, j := range x.rows {
				if over(j) {
					x.rows[row] = nil
				}
			}
		}
	}
	queued := p.mu.waiting[p.mu.head:]
	kept := slices.DeleteFunc(queued, over)
	l.under -= len(queued) - len(kept)
	p.mu.waiting = p.mu.waiting[:p.mu.head+len(kept)]
	return jobs
}

// giveUp queues the jobs of a session anew whose device is lost, and has the cores serve
// from then on, by one session each. The caller holds mu.
func (p *sizePool) giveUp(x *session) {
	l := &p.mu.line
	l.land(x)
	l.most, x.lost = 0, true
	jobs := slices.DeleteFunc(slices.Clone(x.rows), func(j *Job) bool { return j == nil })
	clear(x.rows)
	p.mu.waiting, p.mu.head = slices.Concat(jobs, p.mu.waiting[p.mu.head:]), 0
	p.mu.wake.Broadcast()
	for _, y := range l.waiting {
		y.turn.Signal()
	}
	at := slices.Index(p.sessions, x)
	p.sessions[at] = nil
	p.reopen(at)
	for len(p.sessions) < Cores() {
		p.sessions = append(p.sessions, nil)
		p.mu.serving++
		p.reopen(len(p.sessions) - 1)
	}
	p.work.Done() // in its place, since it may never end
}

// leaveLost ends a session whose device is lost, unless that was done by look.
func (p *sizePool) leaveLost(x *session) {
	p.mu.Lock()
	if !x.lost {
		p.giveUp(x)
		p.mu.Unlock()
		x.callThen()
	} else {
		p.mu.Unlock()
	}
	_ = x.backend.Close()
}

// reopen serves by a new session. Once none is left what is queued fails. The caller holds
// mu.
func (p *sizePool) reopen(at int) {
	p.work.Add(1)
	go func() {
		b, err := p.openBackend(p.server.model, false)
		p.mu.Lock()
		if err == nil {
			x := newSession(p, b)
			p.sessions[at] = x
			p.mu.free++
			p.mu.Unlock()
			x.serve()
			return
		}
		defer p.work.Done()
		var jobs []*Job
		if p.mu.serving--; p.mu.serving == 0 {
			p.mu.failed = err
			jobs = p.take(nil, len(p.mu.waiting)-p.mu.head)
		}
		p.mu.Unlock()
		for _, j := range jobs {
			then := j.Then
			j.finish(err)
			if then != nil {
				then()
			}
		}
	}()
}

// FirstRun runs a backend that was opened just now, in so much time. A device that hangs
// is lost.
func FirstRun(b Backend, rows int, opened time.Duration) error {
	f, ok := b.(Fragile)
	if !ok {
		return b.Run(rows)
	}
	patience := max(patienceUsual, manyTimes*opened).Round(time.Second)
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errHangs)
	defer cancel()
	_, err := Await(ctx, func() (struct{}, error) { return struct{}{}, b.Run(rows) }, nil)
	if errors.Is(err, errHangs) {
		f.Lost(fmt.Errorf("its first run has not ended after %v", patience))
	}
	return err
}

// errHangs says that a first run does not end.
var errHangs = fmt.Errorf("%w: it hangs", ErrLost)

// Await returns what call returns, or the cause of the context's end if that comes first:
// a call into a driver may never return. What it returns later goes to late, if that is
// set, on the goroutine of the call.
func Await[T any](ctx context.Context, call func() (T, error), late func(T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result)
	go func() {
		value, err := call()
		select {
		case done <- result{value, err}:
		case <-ctx.Done():
			if late != nil {
				late(value, err)
			}
		}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
