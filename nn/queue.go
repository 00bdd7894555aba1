package nn

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// queue hands jobs to sessions: [coreQueue] or [deviceQueue].
type queue interface {
	// push queues a job. Its error is [ErrClosed], errRetired, or the reason why no session
	// is left.
	push(*Job) error
	// serve runs a session until the queue is closed and empty, or has failed.
	serve(*session)
	base() *queueBase
}

// errRetired says that another queue has replaced this one.
var errRetired = errors.New("the queue was retired")

// queueBase is the part that coreQueue and deviceQueue have in common.
type queueBase struct {
	pool *sizePool
	work sync.WaitGroup // serving sessions, except those whose run hangs

	mu     sync.Mutex
	wake   sync.Cond // signals that there is work, or that sessions must end
	jobs   []*Job    // waiting jobs, oldest first
	closed bool
	failed error // reason why no session serves any more
	errs   []error
}

func (q *queueBase) base() *queueBase { return q }

// queued adds a job, unless the queue is closed. The caller holds mu.
func (q *queueBase) queued(j *Job) error {
	if q.closed || q.failed != nil {
		return cmp.Or(q.failed, ErrClosed)
	}
	q.jobs = append(q.jobs, j)
	return nil
}

// take moves the first n jobs to a batch. The caller holds mu.
func (q *queueBase) take(batch []*Job, n int) []*Job {
	batch = append(batch, q.jobs[:n]...)
	q.jobs = slices.Delete(q.jobs, 0, n)
	return batch
}

// fail ends the queue for a reason, and returns the waiting jobs.
func (q *queueBase) fail(err error) []*Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed = cmp.Or(q.failed, err)
	q.wake.Broadcast()
	return q.take(nil, len(q.jobs))
}

// close ends the sessions once nothing waits, and returns the errors of closing their
// backends.
func (q *queueBase) close() error {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake.Broadcast()
	q.work.Wait()
	return errors.Join(q.errs...)
}

// ended closes the backend of a session that ends.
func (q *queueBase) ended(x *session) {
	defer q.work.Done()
	err := x.backend.Close()
	q.mu.Lock()
	q.errs = append(q.errs, err)
	q.mu.Unlock()
}

// lost ends a session whose backend is lost, and moves its jobs and all waiting jobs to another queue.
func (q *queueBase) lost(x *session) {
	q.pool.replace(q)
	q.pool.again(q.fail(errRetired))
	q.pool.again(x.rows)
	x.callThen()
	q.work.Done() // closing the backend may hang
	_ = x.backend.Close()
}

// coreQueue is the queue of sessions that compute on one core of the processor each.
type coreQueue struct {
	queueBase
	free int // sessions without a batch
}

func newCoreQueue(p *sizePool, sessions int) *coreQueue {
	c := &coreQueue{queueBase: queueBase{pool: p}, free: sessions}
	c.wake.L = &c.mu
	return c
}

func (c *coreQueue) push(j *Job) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.queued(j); err != nil {
		return err
	}
	c.wake.Signal()
	return nil
}

// next waits for jobs and takes a batch: at most the caller's share if the sessions without a batch
// divide the queue equally. An empty batch means that the session must end.
func (c *coreQueue) next(batch []*Job, most int) []*Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.jobs) == 0 {
		if c.closed || c.failed != nil {
			return batch[:0]
		}
		c.wake.Wait()
	}
	n := len(c.jobs)
	n = min(most, n, (n+c.free-1)/c.free)
	c.free--
	batch = c.take(batch[:0], n)
	if c.closed {
		c.wake.Broadcast()
	} else if len(c.jobs) > 0 {
		c.wake.Signal()
	}
	return batch
}

// serve yields between batches: callers that were just answered may have new jobs, and a fuller
// batch is better than an earlier one.
func (c *coreQueue) serve(x *session) {
	for {
		runtime.Gosched()
		if x.batch = c.next(x.batch, x.most); len(x.batch) == 0 {
			c.ended(x)
			return
		}
		x.encode(x.batch)
		if x.compute(); errors.Is(x.failed, ErrLost) {
			c.lost(x)
			return
		}
		x.answerRows()
		c.mu.Lock()
		c.free++
		c.mu.Unlock()
		x.finishBatch()
	}
}
