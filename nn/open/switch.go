package open

import (
	"context"
	"io"
	"sync"

	"kosumi/board"
	"kosumi/nn"
)

// Closer is a network that can be let go of. Its Submitter is not nil.
type Closer interface {
	nn.Network
	io.Closer
}

// Switch is a network that another one may follow: never while one is pinned. It owns
// the networks that it is given. Make one with [NewSwitch].
type Switch[N Closer] struct {
	mu        sync.Mutex
	now, next N
	waits     bool // next takes over as soon as nothing is pinned
	pinned    int
}

// NewSwitch begins with a network.
func NewSwitch[N Closer](first N) *Switch[N] { return &Switch[N]{now: first} }

// Now returns the network in use.
func (s *Switch[N]) Now() N {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Replace has another network follow, once the present one is pinned no more.
func (s *Switch[N]) Replace(by N) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits {
		go s.next.Close()
	}
	s.next, s.waits = by, true
	s.turn()
}

// turn lets the next network take over if none is pinned. The caller holds mu.
func (s *Switch[N]) turn() {
	if !s.waits || s.pinned > 0 {
		return
	}
	go s.now.Close()
	s.now, s.waits = s.next, false
}

// Pin implements [nn.Network].
func (s *Switch[N]) Pin() (unpin func()) {
	s.mu.Lock()
	s.pinned++
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pinned--
		s.turn()
	}
}

// Evaluate implements [nn.Evaluator].
func (s *Switch[N]) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	return s.Now().Evaluate(ctx, q, out)
}

// Submit implements [nn.Submitter].
func (s *Switch[N]) Submit(ctx context.Context, j *nn.Job) { s.Now().Submitter().Submit(ctx, j) }

// Submitter implements [nn.Network].
func (s *Switch[N]) Submitter() nn.Submitter { return s }

// Humans implements [nn.Network].
func (s *Switch[N]) Humans() nn.Network { return s.Now().Humans() }

// Serves implements [nn.Network].
func (s *Switch[N]) Serves(size board.Size) error { return s.Now().Serves(size) }

// Describe implements [nn.Network].
func (s *Switch[N]) Describe() nn.Description { return s.Now().Describe() }

// Stats implements [nn.Network].
func (s *Switch[N]) Stats() nn.Stats { return s.Now().Stats() }

// BatchSize implements [nn.Network].
func (s *Switch[N]) BatchSize() int { return s.Now().BatchSize() }

// ClearCache does nothing: who shares the network needs the cache too.
func (s *Switch[N]) ClearCache() {}

// Close lets go of the networks.
func (s *Switch[N]) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits {
		s.next.Close()
	}
	return s.now.Close()
}
