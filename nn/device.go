package nn

import (
	"math/bits"
	"slices"
	"sync"
	"time"
)

// deviceState is a session's way to the device. The pool's lock guards it.
type deviceState struct {
	turn   sync.Cond
	parked bool // it waits for turn
	topped bool // it has taken the last jobs into its batch
	began  time.Time
	ran    []bool // by rows: whether so many have been computed
	lost   bool   // with its device
}

// line is the way of batches to the one device that sessions share: each session stands in
// it from the moment it has a batch until the device takes it. Only the last one has room
// left and fills its batch meanwhile, so that what waits is not shared out. The pool's lock
// guards it.
type line struct {
	most    int        // batches that the device is given at a time; 0: there is no device
	waiting []*session // the oldest first
	running []*session
	under   int // jobs that are queued, in a batch or on the device
	usual   int // what under has been of late while the device was busy
}

// filling returns the session that has room in its batch, nil if there is none.
func (l *line) filling() *session {
	if n := len(l.waiting); n > 0 && l.waiting[n-1].room() > 0 {
		return l.waiting[n-1]
	}
	return nil
}

// turn returns the session whose batch the device is to take now, nil if none is: the
// oldest one, once it is full, once the device would stand idle else, or once hardly any of
// those that are usually under way are still to come.
func (l *line) turn() *session {
	if len(l.waiting) == 0 || len(l.running) >= l.most {
		return nil
	}
	if x := l.waiting[0]; x.room() == 0 || len(l.running) == 0 || l.under >= l.usual-l.usual/8 {
		return x
	}
	return nil
}

// queued counts a job.
func (l *line) queued() {
	l.under++
	l.usual = max(l.usual, l.under)
}

// launch moves a session's batch to the device.
func (l *line) launch(x *session) {
	l.waiting = remove(l.waiting, x)
	if len(l.running) == 0 {
		// It stood idle: perhaps it was waiting for some who do not come any more.
		l.usual = max(l.under, l.usual-l.usual/4)
	}
	l.running = append(l.running, x)
	x.began = time.Now()
}

// land takes a session's batch back from the device.
func (l *line) land(x *session) {
	if slices.Contains(l.running, x) {
		l.running = remove(l.running, x)
		l.under -= len(x.batch)
	}
}

func remove(all []*session, x *session) []*session {
	i := slices.Index(all, x)
	return slices.Delete(all, i, i+1)
}

// room returns how many more jobs the batch takes.
func (x *session) room() int { return x.most - len(x.batch) }

// fillBy is how many jobs at least wake a session that fills its batch, an eighth of a
// large one: for each job it would be woken too often.
const fillBy = 8

// ripe reports whether so many queued jobs are worth encoding now.
func (x *session) ripe(queued int) bool {
	return queued > 0 && queued >= min(max(fillBy, x.most/8), x.room())
}

// seize waits until the device takes the batch. It returns false if more jobs came that
// belong into it: the caller encodes them, and calls it again.
func (p *sizePool) seize(x *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.mu.line
	for {
		queued := len(p.mu.waiting) - p.mu.head
		n, turn := 0, l.turn() == x || l.most == 0
		if turn && !x.topped {
			x.topped = true
			n = well(len(x.batch), queued, x.most)
		} else if !turn && x.ripe(queued) {
			n = min(queued, x.room())
		}
		switch {
		case n > 0:
			x.batch = p.take(x.batch, n)
			p.wakeIdle()
			return false
		case turn:
			l.launch(x)
			p.watchOver(x)
			p.wakeIdle()
			p.wakeTurn()
			return true
		}
		x.parked = true
		x.turn.Wait()
		x.parked = false
	}
}

// release gives the device to the next batch. It returns false to a session that was given
// up meanwhile.
func (p *sizePool) release(x *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x.lost {
		return false
	}
	p.mu.line.land(x)
	p.mu.slowest = max(p.mu.slowest, time.Since(x.began))
	x.ran[x.shape()] = true
	p.wakeTurn()
	return true
}

// wakeTurn wakes the session whose batch the device is to take. The caller holds mu.
func (p *sizePool) wakeTurn() {
	if x := p.mu.line.turn(); x != nil {
		x.turn.Signal()
	}
}

// shape returns how many rows are computed for the session's.
func (x *session) shape() int { return min(Shape(len(x.rows)), x.most) }

// well returns how many of the queued jobs a batch of so many rows, most at the most, takes
// with it: devices compute as many rows as [Shape] says, few of which are to be empty.
func well(rows, queued, most int) int {
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
