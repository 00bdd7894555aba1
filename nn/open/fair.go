package open

import (
	"context"
	"sync"

	"kosumi/nn"
)

// Fair divides one network among users, who take turns: many positions of one user do not delay a
// few of another.
type Fair struct {
	net   nn.Network
	most  int // maximum number of jobs under way
	mu    sync.Mutex
	users map[string]*line
	ring  []*line // queues that are not empty, the next one first
	out   int
	busy  bool // handOver is running
}

// line is a user's queue.
type line struct {
	name    string
	waiting []ticket
	count   uint64
}

type ticket struct {
	ctx context.Context
	job *nn.Job
}

// NewFair divides a network among users, with at most the given number of evaluations under way at
// a time; a few full batches are a good number.
func NewFair(net nn.Network, most int) *Fair {
	return &Fair{net: net, most: max(1, most), users: map[string]*line{}}
}

// Share is one user's share of a network.
type Share struct {
	nn.Network
	fair *Fair
	line *line
}

// Of returns the share of a user.
func (f *Fair) Of(user string) *Share {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.users[user]
	if l == nil {
		l = &line{name: user}
		f.users[user] = l
	}
	return &Share{f.net, f, l}
}

// Evaluations returns the number of each user's evaluations.
func (f *Fair) Evaluations() map[string]uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := map[string]uint64{}
	for name, l := range f.users {
		n[name] = l.count
	}
	return n
}

func (s *Share) Submitter() nn.Submitter { return s }

func (s *Share) Submit(ctx context.Context, j *nn.Job) {
	f := s.fair
	f.mu.Lock()
	s.line.count++
	if s.line.waiting = append(s.line.waiting, ticket{ctx, j}); len(s.line.waiting) == 1 {
		f.ring = append(f.ring, s.line)
	}
	f.mu.Unlock()
	f.handOver()
}

func (s *Share) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	done := make(chan struct{})
	query := *q
	j := nn.Job{Query: &query, Out: out, Done: func() { close(done) }}
	s.Submit(ctx, &j)
	<-done
	return j.Err
}

// handOver passes waiting jobs to the network, up to the limit. One goroutine at a time does it,
// also for the other callers.
func (f *Fair) handOver() {
	f.mu.Lock()
	if f.busy {
		f.mu.Unlock()
		return
	}
	f.busy = true
	for f.out < f.most && len(f.ring) > 0 {
		l := f.ring[0]
		f.ring = f.ring[1:]
		t := l.waiting[0]
		if l.waiting = l.waiting[1:]; len(l.waiting) > 0 {
			f.ring = append(f.ring, l)
		}
		f.out++
		f.mu.Unlock()
		f.pass(t)
		f.mu.Lock()
	}
	f.busy = false
	f.mu.Unlock()
}

func (f *Fair) pass(t ticket) {
	inner := &nn.Job{Query: t.job.Query, Out: t.job.Out}
	inner.Done = func() {
		t.job.Err = inner.Err
		then := t.job.Then
		if t.job.Done(); then != nil {
			then() // even if the inner Submit called Done, since the Submit of t.job has often returned long before
		}
		f.mu.Lock()
		f.out--
		f.mu.Unlock()
		f.handOver()
	}
	f.net.Submitter().Submit(t.ctx, inner)
}
