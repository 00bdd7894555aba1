package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// TestReportsAreOfTheirOwnSearch asks for ownership after a search without it: no report may come
// from the earlier search, however late the new one begins.
func TestReportsAreOfTheirOwnSearch(t *testing.T) {
	e := newEngine(t, 9, nil)
	var slow atomic.Bool
	hook(t, e, func() {
		if slow.Load() {
			time.Sleep(50 * time.Millisecond)
		}
	})
	err := e.AnalyzeWithin(context.Background(), thinking.Request{Color: board.Black, Interval: time.Hour}, search.Limits{Visits: 20},
		func(r *search.Result) { require.Nil(t, r.Ownership) })
	require.NoError(t, err)
	e.net.ClearCache() // so that the root is slow too
	slow.Store(true)
	reports := 0
	err = e.AnalyzeWithin(context.Background(), thinking.Request{
		Color: board.Black, Interval: 10 * time.Millisecond, Want: thinking.Details{Ownership: true},
	}, search.Limits{Visits: 24}, func(r *search.Result) {
		reports++
		require.Len(t, r.Ownership, 81)
	})
	require.NoError(t, err)
	require.Positive(t, reports)
}

type watched struct {
	nn.Wrapper
	begun, under atomic.Int64
}

func (w *watched) Pin() (unpin func()) {
	w.begun.Add(1)
	w.under.Add(1)
	return func() { w.under.Add(-1) }
}

// TestTheNetworkIsToldOfSearches: moves, analysis and pondering pin the network while they search.
func TestTheNetworkIsToldOfSearches(t *testing.T) {
	e := newEngine(t, 5, func(c *Config) { c.Limits.Visits, c.Ponder = 20, true })
	net := &watched{Wrapper: nn.Wrapper{Network: e.net}}
	replaceNetwork(t, e, net)
	genmove(t, e, board.Black)
	e.Stop() // ends pondering
	require.Equal(t, int64(2), net.begun.Load())
	require.Zero(t, net.under.Load())
	err := e.AnalyzeWithin(context.Background(), thinking.Request{Color: board.White}, search.Limits{Visits: 30}, func(*search.Result) {
		require.Equal(t, int64(1), net.under.Load())
	})
	require.NoError(t, err)
	require.Zero(t, net.under.Load())
}

// TestStoppedAnalysisSaysSomething: an analysis that is stopped before it begins still reports
// once.
func TestStoppedAnalysisSaysSomething(t *testing.T) {
	e := newEngine(t, 9, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last *thinking.Analysis
	require.NoError(t, e.Analyze(ctx, thinking.Request{Color: board.Black, Interval: time.Hour}, func(r *thinking.Analysis) { last = r }))
	require.NotNil(t, last)
	require.Positive(t, last.Moves[0].Visits)
}
