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
// its batch while the device is busy, so that what waits is not shared out.
type deviceQueue struct {
	queueBase
	atOnce  int           // batches that the device is given at a time
	filler  *session      // nil: none has a batch that waits for the device
	parked  bool          // the filler waits for turn
	turn    sync.Cond     // the device may take the filler's batch, or more jobs belong into it
	running []*session    // with a batch on the device, the oldest first
	under   int           // jobs that are queued, in a batch or on the device
	usual   int           // recent maximum of under while the device was busy
	slowest time.Duration // of all runs
	timer   *time.Timer   // of watch
	watched bool          // timer is set
}

// deviceState is what the device's lock guards of a session.
type deviceState struct {
	topped bool // has taken the last jobs into its batch
	hangs  bool // others have its jobs
	began  time.Time
	ran    []bool // by rows: whether so many have been computed
}

func newDeviceQueue(p *sizePool) *deviceQueue {
	d := &deviceQueue{queueBase: queueBase{pool: p}, atOnce: p.conf.OneDevice}
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

// next waits for work until no other session fills a batch, and takes it. It returns false
// where the session is to end.
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

// enter waits until the device takes the batch. It returns false if more jobs came that
// belong into it: the caller encodes them, and calls it again.
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
		// The device stood idle: some of the usual jobs may not come any more.
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

// exit takes the batch back from the device. It returns false to a session that was given
// up meanwhile.
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

// due reports whether the device is to take the filler's batch now: once it is full, once
// the device would stand idle else, or once hardly any of those that are usually under way
// are still to come. Once the queue has failed, to find the device lost.
func (d *deviceQueue) due() bool {
	return d.failed != nil || len(d.running) < d.atOnce &&
		(d.filler.room() == 0 || len(d.running) == 0 || d.under >= d.usual-d.usual/8)
}

// room returns how many more jobs the batch takes.
func (x *session) room() int { return x.most - len(x.batch) }

// fillBy is how many jobs at least wake a session that fills its batch, an eighth of a
// large one: for each job it would be woken too often.
const fillBy = 8

// worthEncoding reports whether enough jobs wait for the filler to encode them now.
func (d *deviceQueue) worthEncoding() bool {
	room := d.filler.room()
	return room > 0 && len(d.jobs) >= min(max(fillBy, d.filler.most/8), room)
}

// shape returns how many rows are computed for the session's.
func (x *session) shape() int { return min(Shape(len(x.rows)), x.most) }

// topUp returns how many of the queued jobs to add to a batch of so many rows, at most
// most rows in all: devices compute as many rows as [Shape] says, and few of these should
// be empty.
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

// Shape returns how many rows a device computes for n: these, rounded up to three binary
// digits (9 to 10, 33 to 40). Devices prepare for each new number, and take longer for more.
func Shape(n int) int {
	step := 1 << max(0, bits.Len(uint(n))-3)
	return (n + step - 1) / step * step
}

// A run of a fragile backend that does not end hangs. Whether it will end is never certain,
// so it is given far longer than any run so far has taken.
const (
	patienceUsual = 30 * time.Second
	patienceShape = 2 * time.Minute // with a number of rows that is new to the session
	patienceEnd   = 5 * time.Second // once the queue is closed
	manyTimes     = 10              // the slowest run so far
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

// watch runs every second while a fragile device computes. If a run hangs, another queue
// takes over. While one is late, jobs that nobody waits for any more end.
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

// abandon has another queue answer what waits, and what sessions were asked whose run
// hangs. The others find their device lost when they run.
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

// unwanted takes the jobs whose context has ended out of queue and batches.
func (d *deviceQueue) unwanted() (jobs []*Job) {
	over := func(j *Job) bool {
		ends := j != nil && j.ctx.Err() != nil
		if ends {
			jobs = append(jobs, j)
		}
		return ends
	}
	batches := d.running
	if d.parked { // else it is encoding
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
