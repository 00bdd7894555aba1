package analysis

import (
	"context"
	"sync"
	"testing"

	"kosumi/nn"
)

// gated is a network whose evaluations wait for a token.
type gated struct {
	hashNet
	asked chan *nn.Query // receives every evaluation that begins
	pass  chan struct{}  // a token lets one evaluation through

	mu    sync.Mutex
	doors chan struct{} // once closed, every evaluation passes
	clear int           // number of calls of ClearCache
	fault func(*nn.Query) error
}

func newGated(t testing.TB) *gated {
	return &gated{hashNet: newHashNet(t), asked: make(chan *nn.Query, 1<<16), pass: make(chan struct{}), doors: make(chan struct{})}
}

func (g *gated) open() { close(g.doors) }

func (g *gated) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	if err := ctx.Err(); err != nil {
		return err // asked does not receive it, since no test expects it
	}
	copied := *q
	copied.Game = nil
	g.asked <- &copied
	select {
	case <-g.doors:
	case <-g.pass:
	case <-ctx.Done():
		return ctx.Err()
	}
	g.mu.Lock()
	fault := g.fault
	g.mu.Unlock()
	if fault != nil {
		if err := fault(q); err != nil {
			return err
		}
	}
	return g.hashNet.Evaluate(ctx, q, out)
}

// spoil makes f decide which evaluations fail.
func (g *gated) spoil(f func(*nn.Query) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fault = f
}

func (g *gated) ClearCache() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear++
}
