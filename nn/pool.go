package nn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"kosumi/board"
)

// sizePool serves one board size: a queue and the sessions that empty it.
type sizePool struct {
	size   board.Size
	server *Server
	codec  *Codec
	conf   ServerConfig
	ready  chan struct{} // closed once open has succeeded or err is set
	err    error

	users    atomic.Int64 // callers inside; guarded by Server.mu for 0 -> 1
	used     uint64       // Server.mu.clock at the last use; guarded by Server.mu
	sessions []*session
	work     sync.WaitGroup

	mu struct {
		sync.Mutex
		wake    sync.Cond // a session may find work, or should end
		waiting []*Job
		head    int // waiting[:head] is taken
		idle    int // sessions in wake.Wait
		free    int // sessions without a batch: those that wait, and those that are about to look for one
		closed  bool
		serving int   // sessions that serve or are being opened
		failed  error // why there are none any more

		line    line          // for the device that sessions share
		slowest time.Duration // of its runs
		watch   *time.Timer   // of look
		watched bool          // watch is set
	}
}

// acquire returns the pool for a size, opening it if need be. The caller must
// leave it.
func (s *Server) acquire(ctx context.Context, size board.Size) (*sizePool, error) {
	if p := s.last.Load(); p != nil && p.size == size {
		p.users.Add(1)
		// Eviction and Close take a pool out of last before they look at
		// users, so a pool that is still there stays open.
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
		p = &sizePool{size: size, server: s, conf: s.conf, ready: make(chan struct{})}
		p.mu.wake.L, p.mu.line.most = &p.mu, s.conf.OneDevice
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
		s.closeAll(old)
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

// evict takes the least recently used pools out until the limit holds. Pools
// with callers inside stay, so the limit may be exceeded for a while. The
// caller holds s.mu and closes what is returned after unlocking.
func (s *Server) evict(keep *sizePool) []*sizePool {
	// No new caller can enter by the fast path from here on.
	if last := s.last.Swap(nil); last != nil {
		last.used = max(last.used, s.mu.clock-1)
	}
	var out []*sizePool
	for len(s.mu.pools) > s.conf.MaxSizes {
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

// closeAll closes pools that evict took out.
func (s *Server) closeAll(pools []*sizePool) {
	for _, p := range pools {
		<-p.ready
		if p.err == nil {
			// A failure to close an old session must not fail the query
			// that needs the new one.
			_ = p.close()
		}
		s.closing.Done()
	}
}

// open makes the codec and the backends, then closes p.ready. On failure the
// size is forgotten, so that a later query tries again.
func (s *Server) open(p *sizePool, warm bool) {
	if p.err = p.start(s.model, warm); p.err != nil {
		s.mu.Lock()
		if s.mu.pools[p.size] == p {
			delete(s.mu.pools, p.size)
		}
		s.mu.Unlock()
	}
	close(p.ready)
}

// start opens all backends: the first alone, so that it fills the caches that
// the others profit from, then the rest at once.
func (p *sizePool) start(m Model, warm bool) error {
	spec, err := m.Spec(p.size)
	if errors.Is(err, ErrSize) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSize, err)
	}
	if p.codec, err = NewCodec(spec, p.size); err != nil {
		return err
	}
	p.sessions = make([]*session, p.conf.Sessions)
	errs := make([]error, p.conf.Sessions)
	openOne := func(i int) {
		var b Backend
		if b, errs[i] = p.openBackend(m, warm); errs[i] == nil {
			p.sessions[i] = newSession(p, b)
		}
	}
	openOne(0)
	if errs[0] == nil {
		var all sync.WaitGroup
		for i := 1; i < p.conf.Sessions; i++ {
			all.Go(func() { openOne(i) })
		}
		all.Wait()
	}
	if err := errors.Join(errs...); err != nil {
		for _, x := range p.sessions {
			if x != nil {
				err = errors.Join(err, x.backend.Close())
			}
		}
		return err
	}
	p.mu.free, p.mu.serving = len(p.sessions), len(p.sessions)
	for _, x := range p.sessions {
		p.work.Add(1)
		go x.serve()
	}
	return nil
}

// openBackend opens one backend and makes sure that it fits the codec.
func (p *sizePool) openBackend(m Model, warm bool) (Backend, error) {
	began := time.Now()
	b, err := m.Open(p.size, p.conf.MaxBatch)
	opened := time.Since(began)
	if errors.Is(err, ErrLost) {
		return p.openBackend(m, warm)
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
		return p.openBackend(m, warm)
	case err != nil:
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// checkBackend compares a backend's memory with the description.
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

// leave is what callers do who have acquired the pool.
func (p *sizePool) leave() { p.users.Add(-1) }

// queue hands a job to the sessions.
func (p *sizePool) queue(j *Job) error {
	p.mu.Lock()
	if p.mu.closed || p.mu.failed != nil {
		err := cmp.Or(p.mu.failed, ErrClosed)
		p.mu.Unlock()
		return err
	}
	if p.mu.head > 0 && len(p.mu.waiting) == cap(p.mu.waiting) {
		n := copy(p.mu.waiting, p.mu.waiting[p.mu.head:])
		p.mu.waiting, p.mu.head = p.mu.waiting[:n], 0
	}
	p.mu.waiting = append(p.mu.waiting, j)
	filling, wake := (*session)(nil), p.mu.idle > 0
	if l := &p.mu.line; l.most > 0 {
		l.queued()
		if filling = l.filling(); filling != nil {
			wake = false
			if !filling.parked || !filling.ripe(len(p.mu.waiting)-p.mu.head) && l.turn() != filling {
				filling = nil
			}
		}
	}
	p.mu.Unlock()
	switch {
	case wake:
		p.mu.wake.Signal()
	case filling != nil:
		filling.turn.Signal()
	}
	return nil
}

// gather waits for work and takes what is there into the session's batch: on cores no more
// than an equal share while other sessions have none, be it that they wait or that they
// come from a batch just now; on a device once no other session has room in its batch,
// which then stands in line. Nothing means closed.
func (p *sizePool) gather(x *session) (inLine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x.batch = x.batch[:0]
	l := &p.mu.line
	for len(p.mu.waiting) == p.mu.head || l.filling() != nil {
		if p.mu.closed && len(p.mu.waiting) == p.mu.head {
			return false
		}
		p.mu.idle++
		p.mu.wake.Wait()
		p.mu.idle--
	}
	waiting := len(p.mu.waiting) - p.mu.head
	n := min(x.most, waiting)
	if inLine = l.most > 0; inLine {
		n = well(0, waiting, x.most)
		l.waiting = append(l.waiting, x)
		x.topped = false
	} else {
		n = min(n, (waiting+p.mu.free-1)/p.mu.free)
	}
	p.mu.free--
	x.batch = p.take(x.batch, n)
	p.wakeIdle()
	return inLine
}

// wakeIdle wakes a session that waits for work, if there is some for it. The caller holds
// mu.
func (p *sizePool) wakeIdle() {
	switch {
	case p.mu.closed:
		p.mu.wake.Broadcast()
	case len(p.mu.waiting) > p.mu.head && p.mu.idle > 0 && p.mu.line.filling() == nil:
		p.mu.wake.Signal()
	}
}

// take moves the first n jobs of the queue to a batch. The caller holds mu.
func (p *sizePool) take(batch []*Job, n int) []*Job {
	batch = append(batch, p.mu.waiting[p.mu.head:][:n]...)
	p.mu.head += n
	if p.mu.head == len(p.mu.waiting) {
		p.mu.waiting, p.mu.head = p.mu.waiting[:0], 0
	}
	return batch
}

// finished is told by a session that it has answered its batch.
func (p *sizePool) finished() {
	p.mu.Lock()
	p.mu.free++
	p.mu.Unlock()
}

// close ends the sessions once the queue is empty, and closes their backends.
func (p *sizePool) close() error {
	p.mu.Lock()
	p.mu.closed = true
	p.mu.Unlock()
	p.mu.wake.Broadcast()
	p.work.Wait()
	var errs []error
	for _, x := range p.sessions {
		if x != nil {
			errs = append(errs, x.backend.Close())
		}
	}
	return errors.Join(errs...)
}
