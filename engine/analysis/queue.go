package analysis

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"kosumi/search"
	"kosumi/search/thinking"
)

// task is the analysis of one turn of a query.
type task struct {
	query    *query
	turn     int
	priority int64
	order    int64  // place in the order of arrival
	hash     string // position hash, set when the search begins
	symHash  string
	shown    func(*search.Result) // corrects a result before it is shown; set when the search begins
	focus    atomic.Pointer[thinking.Focus]
	cancel   context.CancelFunc
}

// queue holds the waiting and the running tasks.
type queue struct {
	mu      sync.Mutex
	ready   sync.Cond
	waiting []*task // the most urgent first
	running map[*task]bool
	arrived int64
	closed  bool
	most    int64         // maximum of size
	size    int64         // bytes of the queries that have waiting tasks
	room    chan struct{} // holds a token if there may be room again
}

func newQueue(most int64) *queue {
	q := &queue{running: map[*task]bool{}, most: most, room: make(chan struct{}, 1)}
	q.ready.L = &q.mu
	return q
}

// add inserts tasks by priority, after earlier tasks of the same priority.
func (q *queue) add(tasks []*task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range tasks {
		q.arrived++
		t.order = q.arrived
		at, _ := slices.BinarySearchFunc(q.waiting, t, urgency)
		q.waiting = slices.Insert(q.waiting, at, t)
		if t.query.waiting++; t.query.waiting == 1 {
			q.size += t.query.bytes
		}
	}
	q.ready.Broadcast()
}

// left notes that a task no longer waits; after the last task of a query it subtracts the query's
// bytes from size. The caller holds the lock.
func (q *queue) left(t *task) {
	if t.query.waiting--; t.query.waiting > 0 {
		return
	}
	q.size -= t.query.bytes
	select {
	case q.room <- struct{}{}:
	default:
	}
}

// awaitRoom waits until the queue has room; false if ctx ended first.
func (q *queue) awaitRoom(ctx context.Context) bool {
	for {
		q.mu.Lock()
		full := q.size > q.most
		q.mu.Unlock()
		if !full {
			return ctx.Err() == nil
		}
		select {
		case <-q.room:
		case <-ctx.Done():
			return false
		}
	}
}

// take waits for the first task; nil once the queue is closed and empty. The returned context
// ends when the task is terminated.
func (q *queue) take(ctx context.Context) (*task, context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.closed {
			return nil, nil
		}
		q.ready.Wait()
	}
	t := q.waiting[0]
	q.waiting[0], q.waiting = nil, q.waiting[1:]
	q.left(t)
	ctx, t.cancel = context.WithCancel(ctx)
	q.running[t] = true
	return t, ctx
}

func (q *queue) finish(t *task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, t)
	t.cancel()
}

// open returns the waiting and running tasks that match.
func (q *queue) open(match func(*task) bool) (tasks []*task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.waiting {
		if match(t) {
			tasks = append(tasks, t)
		}
	}
	for t := range q.running {
		if match(t) {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// terminate removes the waiting tasks that match and returns them in order of arrival; stop ends
// the running ones that match.
func (q *queue) terminate(match func(*task) bool) (waiting []*task, stop func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(t *task) bool {
		if !match(t) {
			return false
		}
		waiting = append(waiting, t)
		q.left(t)
		return true
	})
	slices.SortFunc(waiting, func(a, b *task) int { return cmp.Compare(a.order, b.order) })
	var running []context.CancelFunc
	for t := range q.running {
		if match(t) {
			running = append(running, t.cancel)
		}
	}
	return waiting, func() {
		for _, cancel := range running {
			cancel()
		}
	}
}

// close marks the end of input: [queue.take] returns nil once the queue is empty.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Broadcast()
}

// urgency orders tasks by priority, then by arrival.
func urgency(a, b *task) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.order, b.order))
}
