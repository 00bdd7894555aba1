package nn

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"
)

// session is one backend and the goroutine that owns it.
type session struct {
	pool    *sizePool
	backend Backend
	in, out [][][]float32 // by row, then by Spec.Inputs and Spec.Outputs: views of the backend's memory
	scratch *Scratch
	batch   []*Job // what gather took
	rows    []*Job // those of them that could be encoded, by row
	errs    []error
	failed  error    // of the last run
	then    []func() // of what was answered
}

func newSession(p *sizePool, b Backend) *session {
	return &session{pool: p, backend: b, scratch: p.codec.NewScratch(),
		in: Rows(p.codec.spec.Inputs, b.Inputs(), b.MaxBatch()), out: Rows(p.codec.spec.Outputs, b.Outputs(), b.MaxBatch()),
		batch: make([]*Job, 0, b.MaxBatch()), rows: make([]*Job, 0, b.MaxBatch()), errs: make([]error, b.MaxBatch()), then: make([]func(), 0, b.MaxBatch())}
}

// serve ends when the pool is closed and the queue empty. Between batches it lets
// others run: those who were just answered may have more to ask, and a fuller
// batch is worth more than an early one.
func (x *session) serve() {
	for {
		runtime.Gosched()
		x.batch = x.pool.gather(x.batch[:0], x.backend.MaxBatch())
		if len(x.batch) == 0 {
			return
		}
		x.rows = x.rows[:0]
		x.encode(x.batch)
		if x.pool.conf.OneDevice {
			x.seize()
		} else {
			x.compute()
		}
		x.answerRows()
		x.pool.finished()
		for _, then := range x.then {
			then()
		}
		clear(x.batch)
		clear(x.rows)
		clear(x.then)
		x.then = x.then[:0]
	}
}

// seize computes on the device that sessions share: it fills the batch until the device
// is free.
func (x *session) seize() {
	for most := x.backend.MaxBatch(); ; {
		had := len(x.batch)
		seized := false
		if x.batch, seized = x.pool.seize(x.batch, most); seized {
			break
		}
		x.encode(x.batch[had:])
	}
	x.compute()
	x.pool.release()
}

// encode writes one row for each job that can be encoded and is still wanted; the
// others have their answer at once.
func (x *session) encode(batch []*Job) {
	for _, j := range batch {
		err := j.ctx.Err()
		if err == nil {
			err = x.encodeRow(j, len(x.rows))
		}
		if err != nil {
			x.answer(j, err)
			continue
		}
		x.rows = append(x.rows, j)
	}
}

// answer gives a job back and keeps what comes then.
func (x *session) answer(j *Job, err error) {
	if j.Then != nil {
		x.then = append(x.then, j.Then)
	}
	j.finish(err)
}

// contain turns a panic into the error of a query: a fault in one costs the
// program nothing else.
func contain(err *error) {
	if p := recover(); p != nil {
		slog.Error("an evaluation panicked", "panic", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("%w: internal error: %v", ErrBackend, p)
	}
}

func (x *session) encodeRow(j *Job, row int) (err error) {
	defer contain(&err)
	return x.pool.codec.Encode(j.Query, j.orientation, x.in[row], x.scratch)
}

func (x *session) runRows() (err error) {
	defer contain(&err)
	return x.backend.Run(len(x.rows))
}

func (x *session) decodeRow(j *Job, row int) (err error) {
	defer contain(&err)
	server := x.pool.server
	if !x.pool.codec.Decode(j.Query, j.orientation, x.out[row], x.scratch, j.Out) {
		server.stats.invalid.Add(1)
	}
	j.settle(server)
	return nil
}

// compute evaluates the rows.
func (x *session) compute() {
	if x.failed = nil; len(x.rows) == 0 {
		return
	}
	start := time.Now()
	x.failed = x.runRows()
	x.pool.server.stats.ran(len(x.rows), time.Since(start))
}

// answerRows answers the jobs of the rows.
func (x *session) answerRows() {
	if x.failed != nil {
		err := fmt.Errorf("%w: %d rows at %v: %w", ErrBackend, len(x.rows), x.pool.size, x.failed)
		for _, j := range x.rows {
			x.answer(j, err)
		}
		return
	}
	// Whoever waits for several rows is woken once.
	for row, j := range x.rows {
		x.errs[row] = x.decodeRow(j, row)
	}
	for row, j := range x.rows {
		x.answer(j, x.errs[row])
	}
}
