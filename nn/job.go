package nn

import (
	"cmp"
	"context"

	"kosumi/board"
	"kosumi/nn/features"
)

// Job is an asynchronous evaluation. It may be reused once it has been answered.
type Job struct {
	// Query and Out belong to the server from Submit until Done is called.
	Query *Query
	Out   *Output
	// Done is called once for each Submit, when Out or Err is set: inside Submit if the cache has the
	// answer or Submit fails, else mostly on a session's goroutine. It must not block.
	Done func()
	// Then, if set, is called after Done, once the whole batch has been answered, but not if Submit itself
	// called Done. The job may be in use again by that time.
	Then func()
	// Err is the error that [Server.Evaluate] would return.
	Err error

	ctx         context.Context // context given to Submit; nil once the job is answered
	pool        *sizePool
	changed     Query // copy of the query with the server's own profile
	orientation board.Symmetry
	key         cacheKey
	store       bool    // store the answer in the cache under key
	known       *Output // cached output that lacks only the ownership
}

// Submitter is an [Evaluator] that can also answer asynchronously. Any number of goroutines may
// call it.
type Submitter interface {
	Evaluator
	// Submit queues the job and returns at once; it waits only while the board size is being
	// opened. The end of ctx cancels the job as long as it waits for a session, or if its device
	// takes unusually long.
	Submit(ctx context.Context, j *Job)
}

// waiter is a job that a goroutine waits for.
type waiter struct {
	Job
	query Query         // a copy, so that the caller may reuse its query
	done  chan struct{} // capacity 1
}

func newWaiter() any {
	w := &waiter{done: make(chan struct{}, 1)}
	w.Done = func() { w.done <- struct{}{} }
	return w
}

func (s *Server) Submit(ctx context.Context, j *Job) {
	j.Err, j.ctx, j.pool, j.known, j.store = nil, ctx, nil, nil, false
	if answered, err := s.prepare(ctx, j); err != nil || answered {
		j.finish(err)
		return
	}
	if err := j.pool.push(j); err != nil {
		j.finish(err)
	}
}

// prepare looks for the answer in the cache and readies the job for a session.
func (s *Server) prepare(ctx context.Context, j *Job) (answered bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	q := j.Query
	if err := checkQuery(q); err != nil {
		return false, err
	}
	p, err := s.acquire(ctx, q.Game.Size())
	if err != nil {
		return false, err
	}
	j.pool = p
	var who *features.Meta
	if p.codec.meta >= 0 {
		if who = cmp.Or(q.Meta, s.conf.Meta); who == nil {
			d := s.model.Describe()
			return false, &ProfileError{Network: d.ShortName()}
		}
	}
	if s.cache != nil && !q.SkipCache && q.Encoded == nil && q.Optimistic == nil {
		j.key, j.store = s.key(q, who), true
		hit, partial := s.cache.get(j.key, q.NeedOwnership && p.codec.ownership >= 0, j.Out)
		if hit && !partial {
			s.stats.hits.Add(1)
			return true, nil
		}
		s.stats.misses.Add(1)
		if partial {
			known := *j.Out
			j.known = &known
		}
	}
	sym := q.Symmetry
	if sym == SymmetryRandom {
		sym = s.randomSymmetry()
	}
	j.orientation = p.codec.Orientation(sym)
	if q.Meta == nil && s.conf.Meta != nil {
		j.changed, j.changed.Meta = *q, s.conf.Meta
		j.Query = &j.changed
	}
	return false, nil
}

func (j *Job) finish(err error) {
	j.Err, j.ctx = err, nil
	if p := j.pool; p != nil {
		j.pool = nil
		p.leave()
	}
	if j.Query == &j.changed {
		j.changed = Query{}
	}
	j.Done()
}

// end answers a job on its own, not with its batch, and calls Then at once.
func (j *Job) end(err error) {
	then := j.Then
	if j.finish(err); then != nil {
		then()
	}
}

// settle merges the answer with the cached one, if any, and caches it.
func (j *Job) settle(s *Server) {
	if j.known != nil {
		// Policy and values stay as cached, so that priors do not jump.
		j.known.Ownership, j.known.HasOwnership, j.known.FromCache = j.Out.Ownership, j.Out.HasOwnership, false
		*j.Out = *j.known
	}
	if j.store {
		s.cache.put(j.key, j.pool.size.Area(), j.Out)
	}
}
