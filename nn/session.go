package nn

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// session is one backend and the goroutine that owns it.
type session struct {
	pool    *sizePool
	backend Backend
	in, out [][][]float32 // views of the backend's memory, by row and tensor (Spec.Inputs, Spec.Outputs)
	scratch *Scratch
	most    int    // maximum number of rows of a batch
	batch   []*Job // taken from the queue
	rows    []*Job // encoded jobs of the batch, by row; nil: already answered
	errs    []error
	failed  error    // error of the last run
	then    []func() // Job.Then of answered jobs

	deviceState
}

func newSession(p *sizePool, b Backend) *session {
	return &session{pool: p, backend: b, most: b.MaxBatch(), scratch: p.codec.NewScratch(),
		in: Rows(p.codec.spec.Inputs, b.Inputs(), b.MaxBatch()), out: Rows(p.codec.spec.Outputs, b.Outputs(), b.MaxBatch()),
		batch: make([]*Job, 0, b.MaxBatch()), rows: make([]*Job, 0, b.MaxBatch()), errs: make([]error, b.MaxBatch()), then: make([]func(), 0, b.MaxBatch())}
}

// finishBatch calls Job.Then of the answered jobs and empties the batch.
func (x *session) finishBatch() {
	x.callThen()
	clear(x.batch)
	clear(x.rows)
	x.rows = x.rows[:0]
}

// callThen calls Job.Then of the answered jobs.
func (x *session) callThen() {
	for _, then := range x.then {
		then()
	}
	clear(x.then)
	x.then = x.then[:0]
}

// encode writes one row for each job that can be encoded and is not cancelled, and answers
// the others.
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

// answer answers a job and keeps its Then for callThen.
func (x *session) answer(j *Job, err error) {
	if j.Then != nil {
		x.then = append(x.then, j.Then)
	}
	j.finish(err)
}

// contain turns a panic into an error of one query.
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

func (x *session) runRows(n int) (err error) {
	defer contain(&err)
	return x.backend.Run(n)
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

func (x *session) compute() {
	if x.failed = nil; len(x.rows) == 0 {
		return
	}
	start, n := time.Now(), len(x.rows)
	x.failed = x.runRows(n) // deviceQueue.watch may remove rows meanwhile
	x.pool.server.stats.ran(n, time.Since(start))
}

func (x *session) answerRows() {
	if x.failed != nil {
		err := fmt.Errorf("%w: %d rows at %v: %w", ErrBackend, len(x.rows), x.pool.size, x.failed)
		for _, j := range x.rows {
			if j != nil {
				x.answer(j, err)
			}
		}
		return
	}
	// All rows are decoded before the first answer, so that a caller with several jobs is woken
	// once.
	for row, j := range x.rows {
		if j != nil {
			x.errs[row] = x.decodeRow(j, row)
		}
	}
	for row, j := range x.rows {
		if j != nil {
			x.answer(j, x.errs[row])
		}
	}
}
