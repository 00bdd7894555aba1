package open

import (
	"context"
	"errors"
	"io"
	"sync"

	"kosumi/board"
	"kosumi/nn"
)

// Closer is a network that can be closed. The method Submitter must not return nil.
type Closer interface {
	nn.Network
	io.Closer
}

// Switch passes queries to a network, which can be replaced while it is not pinned. It closes every
// network that it is given. Make one with [NewSwitch].
type Switch[N Closer] struct {
	mu        sync.Mutex
	now, next N
	waits     bool // next takes over when the last pin is released
	pinned    int
	closing   sync.WaitGroup // replaced networks
}

// NewSwitch returns a Switch with its first network.
func NewSwitch[N Closer](first N) *Switch[N] { return &Switch[N]{now: first} }

// Now returns the network in use.
func (s *Switch[N]) Now() N {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Replace puts another network in place of the present one, as soon as the present one is not
// pinned.
func (s *Switch[N]) Replace(by N) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits {
		s.close(s.next)
	}
	s.next, s.waits = by, true
	s.turn()
}

// turn puts the waiting network in place of the present one if the present one is not pinned.
// The caller holds mu.
func (s *Switch[N]) turn() {
	if !s.waits || s.pinned > 0 {
		return
	}
	s.close(s.now)
	s.now, s.waits = s.next, false
}

// close closes a network that is replaced, once its evaluations have ended. [Switch.Close] waits
// for that.
func (s *Switch[N]) close(old N) { s.closing.Go(func() { old.Close() }) }

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

func (s *Switch[N]) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	return s.Now().Evaluate(ctx, q, out)
}

func (s *Switch[N]) Submit(ctx context.Context, j *nn.Job) { s.Now().Submitter().Submit(ctx, j) }
func (s *Switch[N]) Submitter() nn.Submitter               { return s }
func (s *Switch[N]) Humans() nn.Network                    { return s.Now().Humans() }
func (s *Switch[N]) Serves(size board.Size) error          { return s.Now().Serves(size) }
func (s *Switch[N]) Describe() nn.Description              { return s.Now().Describe() }
func (s *Switch[N]) Stats() nn.Stats                       { return s.Now().Stats() }
func (s *Switch[N]) BatchSize() int                        { return s.Now().BatchSize() }

// ClearCache does nothing: other users share the cache.
func (s *Switch[N]) ClearCache() {}

func (s *Switch[N]) Close() error {
	defer s.closing.Wait() // after the lock is released
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.now.Close()
	if s.waits {
		err = errors.Join(err, s.next.Close())
	}
	return err
}
