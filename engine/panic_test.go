package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search/thinking"
)

// TestPanicsAreContained makes searches of every kind panic, with one worker and with many: each
// returns an error, and the engine continues.
func TestPanicsAreContained(t *testing.T) {
	for _, workers := range []int{1, 4} {
		e := newEngine(t, 7, func(c *Config) { c.Search.Parallel.Workers, c.Ponder = workers, true })
		var on atomic.Bool
		fired := make(chan struct{}, 1)
		hook(t, e, func() {
			if !on.Load() {
				return
			}
			select {
			case fired <- struct{}{}:
			default:
			}
			panic("no power")
		})
		report := func(*thinking.Analysis) {}
		move := func() error {
			_, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: e.Game().ToMove()})
			return err
		}
		require.NoError(t, move())
		e.Stop()
		on.Store(true)
		require.Error(t, move(), "a move")
		require.Error(t, e.Analyze(context.Background(), thinking.Request{Color: board.White, Interval: time.Millisecond}, report), "an analysis")
		on.Store(false)
		require.NoError(t, move(), "and then it plays on") // GenMove also ponders
		on.Store(true)
		<-fired
		e.Stop()
		on.Store(false)
		require.NoError(t, move())
	}
}
