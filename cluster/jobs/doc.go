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

// Config says what a worker's handlers work with. Open is needed.
type Config struct {
	// Open opens a network file.
	Open func(ctx context.Context, path string) (*cluster.Model, error)
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

// Handlers returns what a worker does tasks with; close when it has ended.
func Handlers(c Config) (handlers map[string]cluster.Handler, close func()) {
	if c.Positions == 0 {
		c.Positions = 16
	}
	if c.Games == 0 {
		c.Games = 1
	}
	n := &networks{open: c.Open, refs: map[string]*modelRef{}}
	r := newReviewer(n, c.Positions)
	handlers = map[string]cluster.Handler{
		kindReview:   {Most: c.Positions, Do: r.do},
		kindNetworks: {Most: c.Positions, Do: (&networkGames{n}).do},
	}
	if c.Engine != "" {
		handlers[kindPrograms] = cluster.Handler{Most: c.Games, Do: (&programGames{c.Engine, c.Allowed}).do}
	}
	return handlers, func() { r.close(); n.close() }
}

// keptNetworks are open when nobody uses them.
const keptNetworks = 3

// networks are open while they are used, and the newest for longer.
type networks struct {
	open  func(ctx context.Context, path string) (*cluster.Model, error)
	mu    sync.Mutex
	refs  map[string]*modelRef // by path
	order []string             // least recently used first
}

// modelRef is a network and how many use it.
type modelRef struct {
	*cluster.Model
	opening sync.Once
	err     error
	users   int
}

// use opens a network, unless it is; done ends its use.
func (n *networks) use(ctx context.Context, path string) (s *modelRef, done func(), err error) {
	n.mu.Lock()
	if s = n.refs[path]; s == nil {
		s = new(modelRef)
		n.refs[path] = s
	}
	s.users++
	n.mu.Unlock()
	s.opening.Do(func() { s.Model, s.err = n.open(context.WithoutCancel(ctx), path) })
	done = func() { n.release(path, s) }
	if s.err != nil {
		done()
		return nil, nil, s.err
	}
	return s, done, nil
}

// release ends a use. Of the networks that nobody uses the oldest are closed.
func (n *networks) release(path string, s *modelRef) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s.users--
	if s.err != nil {
		delete(n.refs, path)
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
		old := n.refs[n.order[i]]
		if old.users > 0 {
			i++
			continue
		}
		old.Close()
		delete(n.refs, n.order[i])
		n.order = append(n.order[:i:i], n.order[i+1:]...)
	}
}

func (n *networks) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for path, s := range n.refs {
		if s.Model != nil && s.users == 0 {
			s.Close()
			delete(n.refs, path)
		}
	}
	n.order = nil
}
