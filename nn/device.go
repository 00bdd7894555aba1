package nn

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"time"
)

// deviceQueue is the queue of sessions that share one device. One session at a time fills
// its batch while the device is busy, so that batches become large.
type deviceQueue struct {
	queueBase
	atOnce  int           // limit on batches on the device
	filler  *session      // session whose batch waits for the device; nil: none
	parked  bool          // the filler waits for the signal on turn
	turn    sync.Cond     // signals that the device may take the filler's batch, or that more jobs fit into it
	running []*session    // sessions with a batch on the device, oldest first
	under   int           // jobs that are queued, in a batch or on the device
	usual   int           // recent maximum of the field under
	slowest time.Duration // longest run so far
	timer   *time.Timer   // calls watch
	watched bool          // the timer is set
}

// deviceState is the part of a session that the queue's lock guards.
type deviceState struct {
	topped bool // the batch is closed to further jobs
	hangs  bool // a run of the session hangs, and another queue has its jobs
	began  time.Time
	ran    []bool // indexed by the number of rows: a batch of that size has run
}

func newDeviceQueue(p *sizePool) *deviceQueue {
	d := &deviceQueue{queueBase: queueBase{pool: p}, atOnce: p.server.conf.OneDevice}
	d.wake.L, d.turn.L = &d.mu, &d.mu
	return d
}

func (d *deviceQueue) push(j *Job) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.queued(j); err != nil {
		return err
	}
	d.under++
	d.usual = max(d.usual, d.under)
	if d.filler == nil {
		d.wake.Signal()
	} else if d.parked && (d.worthEncoding() || d.due()) {
		d.turn.Signal()
	}
	return nil
}

func (d *deviceQueue) serve(x *session) {
	x.ran = make([]bool, x.most+1)
	for {
		runtime.Gosched()
		if !d.next(x) {
			d.ended(x)
			return
		}
		x.encode(x.batch)
		for had := len(x.batch); !d.enter(x); had = len(x.batch) {
			x.encode(x.batch[had:])
		}
		x.compute()
		switch {
		case !d.exit(x):
			_ = x.backend.Close()
			return
		case errors.Is(x.failed, ErrLost):
			d.lost(x)
			return
		}
		x.answerRows()
		x.finishBatch()
	}
}

// next waits until there are jobs and no other session fills a batch, then takes jobs. It returns
// false if the session has to end.
func (d *deviceQueue) next(x *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.jobs) == 0 || d.filler != nil {
		if d.failed != nil || d.closed && len(d.jobs) == 0 {
			return false
		}
		d.wake.Wait()
	}
	x.batch = d.take(x.batch[:0], topUp(0, len(d.jobs), x.most))
	d.filler, x.topped = x, false
	return true
}

// enter waits until the device takes the batch, and returns true. If it adds jobs to the batch
// first, it returns false: the caller encodes them and calls enter again.
func (d *deviceQueue) enter(x *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		n, due := 0, d.due()
		if due && !x.topped {
			x.topped = true
			n = topUp(len(x.batch), len(d.jobs), x.most)
		} else if !due && d.worthEncoding() {
			n = min(len(d.jobs), x.room())
		}
		if n > 0 {
			x.batch = d.take(x.batch, n)
			return false
		}
		if due {
			break
		}
		d.parked = true
		d.turn.Wait()
		d.parked = false
	}
	if len(d.running) == 0 {
		// The device ran idle waiting for jobs: fewer come than usual, so expect fewer.
		d.usual = max(d.under, d.usual-d.usual/4)
	}
	d.filler = nil
	d.running = append(d.running, x)
	x.began = time.Now()
	if _, ok := x.backend.(Fragile); ok && !d.watched {
		d.watched = true
		d.timer = time.AfterFunc(watchEvery, d.watch)
	}
	if d.closed {
		d.wake.Broadcast()
	} else {
		d.wake.Signal()
	}
	return true
}

// exit takes the batch back from the device. It returns false if the session was
// abandoned meanwhile.
func (d *deviceQueue) exit(x *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if x.hangs {
		return false
	}
	d.running = slices.DeleteFunc(d.running, func(y *session) bool { return y == x })
	d.under -= len(x.batch)
	d.slowest = max(d.slowest, time.Since(x.began))
	x.ran[x.shape()] = true
	if d.parked && d.due() {
		d.turn.Signal()
	}
	return true
}

// due reports whether the device should take the filler's batch now: the device has room, and either it
// is idle, or the batch is full, or most of the usual number of jobs have come. Once the queue has failed,
// every batch is due, so that its session finds the device lost.
func (d *deviceQueue) due() bool {
	return d.failed != nil || len(d.running) < d.atOnce &&
		(d.filler.room() == 0 || len(d.running) == 0 || d.under >= d.usual-d.usual/8)
}

// room returns how many more jobs the batch takes.
func (x *session) room() int { return x.most - len(x.batch) }

// fillBy is the minimum number of queued jobs for which the filling session wakes; for large batches
// the minimum is an eighth of the batch's limit.
const fillBy = 8

// worthEncoding reports whether so many jobs are queued that the filler should wake and encode them.
func (d *deviceQueue) worthEncoding() bool {
	room := d.filler.room()
	return room > 0 && len(d.jobs) >= min(max(fillBy, d.filler.most/8), room)
}

// shape returns how many rows the device computes for the session's batch.
func (x *session) shape() int { return min(Shape(len(x.rows)), x.most) }

// topUp returns how many of the queued jobs to add to a batch that already has some rows, within
// the batch's limit. The device pads batches to the sizes of [Shape]; topUp leaves jobs out if
// otherwise more than a sixteenth of the batch would be padding.
func topUp(rows, queued, most int) int {
	all := min(rows+queued, most)
	waste := min(Shape(all), most) - all
	if waste > all/16 {
		step := 1 << (bits.Len(uint(all)) - 3)
		if less := all / step * step; less >= rows {
			all = less
		}
	}
	return all - rows
}

// Shape returns the batch size that a device computes n rows in: n rounded up to three
// significant binary digits (9 to 10, 33 to 40), since a device prepares for each new size.
func Shape(n int) int {
	step := 1 << max(0, bits.Len(uint(n))-3)
	return (n + step - 1) / step * step
}

// Time limits after which a run of a fragile backend counts as hanging. Limits grow with
// the longest run so far, since a slow run may still end.
const (
	patienceUsual = 30 * time.Second
	patienceShape = 2 * time.Minute // with a batch size that is new to the session
	patienceEnd   = 5 * time.Second // once the queue is closed
	manyTimes     = 10              // a limit is at least this many times the longest run so far
	watchEvery    = time.Second
)

// patience returns how long a session's run may take.
func (d *deviceQueue) patience(x *session) time.Duration {
	p := patienceUsual
	switch {
	case d.closed:
		p = patienceEnd
	case !x.ran[x.shape()]:
		p = patienceShape
	}
	return max(p, manyTimes*d.slowest)
}

// watch runs every second while a fragile device computes. If a run hangs, another queue takes
// over. If it only takes unusually long, jobs whose context has ended are answered with an error.
func (d *deviceQueue) watch() {
	var unwanted []*Job
	var hangs bool
	var took time.Duration
	d.mu.Lock()
	if d.watched = len(d.running) > 0; d.watched {
		x := d.running[0]
		took = time.Since(x.began)
		if hangs = took > d.patience(x); !hangs && took > max(watchEvery, 2*d.slowest) {
			unwanted = d.unwanted()
		}
		d.timer.Reset(watchEvery)
	}
	d.mu.Unlock()
	if hangs {
		d.abandon(fmt.Errorf("it has not answered for %v", took.Round(time.Second)))
	}
	for _, j := range unwanted {
		j.end(context.Cause(j.ctx))
	}
}

// abandon moves the waiting jobs, and those of sessions whose run hangs, to another queue.
// The other sessions find their device lost when they run.
func (d *deviceQueue) abandon(why error) {
	d.mu.Lock()
	hanging := d.running
	d.running = nil
	for _, x := range hanging {
		x.hangs = true
	}
	d.mu.Unlock()
	for i, x := range hanging {
		if i == 0 {
			x.backend.(Fragile).Lost(why)
			d.pool.replace(&d.queueBase)
			d.pool.again(d.fail(errRetired))
			d.turn.Signal()
		}
		d.pool.again(x.rows)
		x.callThen()
		d.work.Done() // the run may never end
	}
}

// unwanted removes jobs whose context has ended from the queue and the batches, and returns them.
func (d *deviceQueue) unwanted() (jobs []*Job) {
	over := func(j *Job) bool {
		ends := j != nil && j.ctx.Err() != nil
		if ends {
			jobs = append(jobs, j)
		}
		return ends
	}
	batches := d.running
	if d.parked { // otherwise the filler is encoding
		batches = append(slices.Clone(batches), d.filler)
	}
	for _, x := range batches {
		for row, j := range x.rows {
			if over(j) {
				x.rows[row] = nil
			}
		}
	}
	was := len(d.jobs)
	d.jobs = slices.DeleteFunc(d.jobs, over)
	d.under -= was - len(d.jobs)
	return jobs
}
