package nn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kosumi/board"
)

// sizePool serves one board size with sessions that share a queue.
type sizePool struct {
	size   board.Size
	server *Server
	codec  *Codec
	ready  chan struct{} // closed once the sessions are open or opening them failed, see err
	err    error

	users atomic.Int64 // callers between acquire and leave; a pool with callers is not evicted
	used  uint64       // Server.mu.clock at the last use; guarded by Server.mu

	queue     atomic.Pointer[queue]
	replacing sync.Mutex // held while queue changes
}

// acquire returns the pool for a size, opened if necessary. The caller must call leave.
func (s *Server) acquire(ctx context.Context, size board.Size) (*sizePool, error) {
	if p := s.last.Load(); p != nil && p.size == size {
		p.users.Add(1)
		// Eviction and Close take a pool out of s.last before they read p.users, so a pool that is
		// still there stays open.
		if s.last.Load() == p {
			return p, nil
		}
		p.leave()
	}
	return s.acquireWarm(ctx, size, false)
}

func (s *Server) acquireWarm(ctx context.Context, size board.Size, warm bool) (*sizePool, error) {
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	p, found := s.mu.pools[size]
	if !found {
		p = &sizePool{size: size, server: s, ready: make(chan struct{})}
		s.mu.pools[size] = p
	}
	p.users.Add(1)
	s.mu.clock++
	p.used = s.mu.clock
	var old []*sizePool
	if !found {
		old = s.evict(p)
	}
	s.mu.Unlock()
	if !found {
		for _, o := range old {
			_ = o.close() // a failure must not fail the query that needs the new pool
			s.closing.Done()
		}
		s.open(p, warm)
	}
	select {
	case <-p.ready:
	case <-ctx.Done():
		p.leave()
		return nil, ctx.Err()
	}
	if p.err != nil {
		p.leave()
		return nil, p.err
	}
	s.mu.Lock()
	if !s.mu.closed && s.mu.pools[size] == p {
		s.last.Store(p)
	}
	s.mu.Unlock()
	return p, nil
}

// maxSizes is how many board sizes stay open at once.
const maxSizes = 4

// evict removes the least recently used pools until the limit holds. Pools with callers inside
// stay, so the limit may be exceeded for a while. The caller holds s.mu and closes the returned
// pools after unlocking.
func (s *Server) evict(keep *sizePool) []*sizePool {
	// No new caller can enter by the fast path from here on.
	if last := s.last.Swap(nil); last != nil {
		last.used = max(last.used, s.mu.clock-1)
	}
	var out []*sizePool
	for len(s.mu.pools) > maxSizes {
		var oldest *sizePool
		for _, p := range s.mu.pools {
			if p != keep && p.users.Load() == 0 && (oldest == nil || p.used < oldest.used) {
				oldest = p
			}
		}
		if oldest == nil {
			break
		}
		delete(s.mu.pools, oldest.size)
		s.closing.Add(1)
		out = append(out, oldest)
	}
	return out
}

// open makes the codec and the backends, then closes p.ready. On failure the
// size is forgotten, so that a later query tries again.
func (s *Server) open(p *sizePool, warm bool) {
	if p.err = p.start(warm); p.err != nil {
		s.mu.Lock()
		if s.mu.pools[p.size] == p {
			delete(s.mu.pools, p.size)
		}
		s.mu.Unlock()
	}
	close(p.ready)
}

// start opens the sessions and their queue.
func (p *sizePool) start(warm bool) error {
	spec, err := p.server.model.Spec(p.size)
	if errors.Is(err, ErrSize) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSize, err)
	}
	if p.codec, err = NewCodec(spec, p.size); err != nil {
		return err
	}
	sessions, err := p.openSessions(p.server.conf.Sessions, warm)
	if err != nil {
		for _, x := range sessions {
			err = errors.Join(err, x.backend.Close())
		}
		return err
	}
	var q queue = newCoreQueue(p, len(sessions))
	if p.server.conf.OneDevice > 0 {
		q = newDeviceQueue(p)
	}
	p.queue.Store(&q)
	run(q, sessions)
	return nil
}

func run(q queue, sessions []*session) {
	for _, x := range sessions {
		q.base().work.Add(1)
		go q.serve(x)
	}
}

// openSessions opens sessions: the first alone, which fills the model's caches, then the
// rest concurrently. It returns those that could be opened.
func (p *sizePool) openSessions(n int, warm bool) (sessions []*session, err error) {
	opened := make([]*session, n)
	errs := make([]error, n)
	open := func(i int) {
		var b Backend
		if b, errs[i] = p.openBackend(warm); errs[i] == nil {
			opened[i] = newSession(p, b)
		}
	}
	if open(0); errs[0] == nil {
		var all sync.WaitGroup
		for i := 1; i < n; i++ {
			all.Go(func() { open(i) })
		}
		all.Wait()
	}
	return slices.DeleteFunc(opened, func(x *session) bool { return x == nil }), errors.Join(errs...)
}

// replace puts a new queue, with sessions on the processor's cores, in place of the queue that has
// lost its device, unless that queue has been replaced already.
func (p *sizePool) replace(lost *queueBase) {
	p.replacing.Lock()
	defer p.replacing.Unlock()
	if (*p.queue.Load()).base() != lost {
		return
	}
	n := max(p.server.conf.Sessions, Cores())
	c := newCoreQueue(p, n)
	c.work.Go(func() {
		sessions, err := p.openSessions(n, false)
		if len(sessions) > 0 {
			c.mu.Lock()
			c.free = len(sessions)
			c.mu.Unlock()
			run(c, sessions)
			return
		}
		for _, j := range c.fail(err) {
			j.end(err)
		}
	})
	var q queue = c
	p.queue.Store(&q)
}

// push hands a job to the sessions.
func (p *sizePool) push(j *Job) error {
	for {
		if err := (*p.queue.Load()).push(j); err != errRetired {
			return err
		}
	}
}

// again queues the jobs of a lost session or queue once more; jobs that are nil are answered already.
func (p *sizePool) again(jobs []*Job) {
	for _, j := range jobs {
		if j == nil {
			continue
		}
		if err := p.push(j); err != nil {
			j.end(err)
		}
	}
}

// close ends the sessions after the queued jobs are answered, and closes their backends.
func (p *sizePool) close() (err error) {
	if <-p.ready; p.err != nil {
		return nil
	}
	for {
		q := p.queue.Load()
		err = errors.Join(err, (*q).base().close())
		if p.queue.Load() == q {
			return err
		}
	}
}

// openBackend opens one backend and makes sure that it fits the codec.
func (p *sizePool) openBackend(warm bool) (Backend, error) {
	began := time.Now()
	b, err := p.server.model.Open(p.size, p.server.conf.MaxBatch)
	opened := time.Since(began)
	if errors.Is(err, ErrLost) {
		return p.openBackend(warm)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: opening %v: %w", ErrBackend, p.size, err)
	}
	err = checkBackend(b, &p.codec.spec)
	if err == nil && warm {
		for _, n := range []int{1, b.MaxBatch()} {
			if err = FirstRun(b, n, opened); err != nil {
				err = fmt.Errorf("%w: first run of %d rows at %v: %w", ErrBackend, n, p.size, err)
				break
			}
		}
	}
	switch {
	case errors.Is(err, ErrLost):
		if !errors.Is(err, errHangs) {
			_ = b.Close()
		}
		return p.openBackend(warm)
	case err != nil:
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// checkBackend returns an error if a backend's memory does not fit the spec.
func checkBackend(b Backend, spec *Spec) error {
	if b.MaxBatch() < 1 {
		return fmt.Errorf("%w: backend takes batches of %d", ErrSpec, b.MaxBatch())
	}
	check := func(what string, got [][]float32, want []TensorSpec) error {
		if len(got) != len(want) {
			return fmt.Errorf("%w: backend has %d %s, want %d", ErrSpec, len(got), what, len(want))
		}
		for i := range want {
			if n := want[i].Len() * b.MaxBatch(); len(got[i]) < n {
				return fmt.Errorf("%w: backend's %s %q holds %d values, want %d", ErrSpec, what, want[i].Name, len(got[i]), n)
			}
		}
		return nil
	}
	if err := check("inputs", b.Inputs(), spec.Inputs); err != nil {
		return err
	}
	return check("outputs", b.Outputs(), spec.Outputs)
}

// leave ends a use of the pool, see acquire.
func (p *sizePool) leave() { p.users.Add(-1) }
