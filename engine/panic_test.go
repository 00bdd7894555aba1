package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// faulty is a network that panics while switched on.
type faulty struct {
	nn.Wrapper
	on    atomic.Bool
	fired chan struct{}
}

func (f *faulty) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	if f.on.Load() {
		select {
		case f.fired <- struct{}{}:
		default:
		}
		panic("no power")
	}
	return f.Network.Evaluate(ctx, q, out)
}

// TestPanicsAreContained makes searches of every kind panic, with one worker and with many: each
// returns an error, and the engine continues.
func TestPanicsAreContained(t *testing.T) {
	for _, workers := range []int{1, 4} {
		e := newEngine(t, 7, func(c *Config) { c.Search.Parallel.Workers, c.Ponder = workers, true })
		f := &faulty{Wrapper: nn.Wrapper{Network: e.net}, fired: make(chan struct{}, 1)}
		replaceNetwork(t, e, f)
		report := func(*thinking.Analysis) {}
		move := func() error {
			_, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: e.Game().ToMove()})
			return err
		}
		require.NoError(t, move())
		e.Stop()
		f.on.Store(true)
		require.Error(t, move(), "a move")
		require.Error(t, e.Analyze(context.Background(), thinking.Request{Color: board.White, Interval: time.Millisecond}, report), "an analysis")
		f.on.Store(false)
		require.NoError(t, move(), "and then it plays on") // GenMove also ponders
		f.on.Store(true)
		<-f.fired
		e.Stop()
		f.on.Store(false)
		require.NoError(t, move())
	}
}
