// Package jobs has games of matches and positions of reviews done by the workers
// of a cluster: for each kind of job, what a client asks and how a worker does it.
package jobs

import (
	"context"
	"sync"

	"kosumi/cluster"
)

// Kinds of tasks.
const (
	kindReview   = "review"
	kindNetworks = "game of networks"
	kindPrograms = "game of programs"
)

// Config says what a worker's hands work with. Open is needed.
type Config struct {
	// Open opens a network file.
	Open func(ctx context.Context, path string) (*cluster.Seat, error)
	// Positions of reviews, and games between networks, at a time; 0: 16.
	Positions int
	// Games between programs at a time; 0: 1.
	Games int
	// Engine is the command that runs this program; "" means that it plays no
	// games between programs.
	Engine string
	// Allowed are the command lines of other programs that matches may start, in
	// words, see [cluster.Allowed].
	Allowed [][]string
}

// Hands returns what a worker does tasks with; close when it has ended.
func Hands(c Config) (hands map[string]cluster.Hand, close func()) {
	if c.Positions == 0 {
		c.Positions = 16
	}
	if c.Games == 0 {
		c.Games = 1
	}
	n := &networks{open: c.Open, seats: map[string]*seat{}}
	r := newReviewer(n, c.Positions)
	hands = map[string]cluster.Hand{
		kindReview:   {Most: c.Positions, Do: r.do},
		kindNetworks: {Most: c.Positions, Do: (&networkGames{n}).do},
	}
	if c.Engine != "" {
		hands[kindPrograms] = cluster.Hand{Most: c.Games, Do: (&programGames{c.Engine, c.Allowed}).do}
	}
	return hands, func() { r.close(); n.close() }
}

// keptNetworks are open when nobody uses them.
const keptNetworks = 3

// networks are open while they are used, and the newest for longer.
type networks struct {
	open  func(ctx context.Context, path string) (*cluster.Seat, error)
	mu    sync.Mutex
	seats map[string]*seat // by path
	order []string         // least recently used first
}

type seat struct {
	*cluster.Seat
	opening sync.Once
	err     error
	users   int
}

// use opens a network, unless it is; done ends its use.
func (n *networks) use(ctx context.Context, path string) (s *seat, done func(), err error) {
	n.mu.Lock()
	if s = n.seats[path]; s == nil {
		s = new(seat)
		n.seats[path] = s
	}
	s.users++
	n.mu.Unlock()
	s.opening.Do(func() { s.Seat, s.err = n.open(context.WithoutCancel(ctx), path) })
	done = func() { n.release(path, s) }
	if s.err != nil {
		done()
		return nil, nil, s.err
	}
	return s, done, nil
}

// release ends a use. Of the networks that nobody uses the oldest are closed.
func (n *networks) release(path string, s *seat) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s.users--
	if s.err != nil {
		delete(n.seats, path)
		return
	}
	for i, p := range n.order {
		if p == path {
			n.order = append(n.order[:i:i], n.order[i+1:]...)
			break
		}
	}
	n.order = append(n.order, path)
	for i := 0; i < len(n.order) && len(n.order) > keptNetworks; {
		old := n.seats[n.order[i]]
		if old.users > 0 {
			i++
			continue
		}
		old.Close()
		delete(n.seats, n.order[i])
		n.order = append(n.order[:i:i], n.order[i+1:]...)
	}
}

func (n *networks) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for path, s := range n.seats {
		if s.Seat != nil && s.users == 0 {
			s.Close()
			delete(n.seats, path)
		}
	}
	n.order = nil
}
