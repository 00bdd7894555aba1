package search

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

func presets() map[string]Params {
	graph := Plain()
	graph.Graph.Use = true
	exact := Defaults()
	exact.Backup.ExactShare = 0
	return map[string]Params{"plain": Plain(), "defaults": Defaults(), "exact": exact, "graph": graph, "tutorial": Tutorial()}
}

func TestSearchReachesItsVisits(t *testing.T) {
	for name, p := range presets() {
		t.Run(name, func(t *testing.T) {
			tree := newTree(t, p, &stub{})
			tree.Reset(newGame(t, 9))
			for _, visits := range []int64{1, 2, 10, 300, 2000} {
				r := searched(t, tree, visits)
				require.Equal(t, visits, r.Root.Visits)
				require.Equal(t, StopVisits, r.Stop)
				require.True(t, r.Final)
				if visits > 1 {
					require.Equal(t, 0, r.Moves[0].Order)
					require.NoError(t, newGame(t, 9).Legal(board.Black, r.Moves[0].Move))
				}
			}
		})
	}
}

func TestSearchIsDeterministic(t *testing.T) {
	for name, p := range presets() {
		p.Root.NoiseEnabled = true
		t.Run(name, func(t *testing.T) {
			run := func() Result {
				tree := newTree(t, p, &stub{})
				tree.Reset(newGame(t, 7))
				r := searched(t, tree, 500)
				r.Stats = Stats{}
				return r
			}
			require.Equal(t, run(), run())
		})
	}
}

func TestManyWorkers(t *testing.T) {
	for name, p := range presets() {
		t.Run(name, func(t *testing.T) {
			p.Parallel.Workers = 16
			p.Parallel.VisitsPerFlight = 2
			e := &stub{delay: 100 * time.Microsecond}
			tree := newTree(t, p, e)
			g := newGame(t, 5)
			tree.Reset(g)
			for range 6 {
				r := searched(t, tree, 400)
				require.GreaterOrEqual(t, r.Root.Visits, int64(400))
				move := r.Choose(0, nil)
				require.NoError(t, g.Legal(g.ToMove(), move))
				tree.Advance(g.ToMove(), move)
				require.NoError(t, g.Play(g.ToMove(), move))
				require.True(t, tree.Matches(g))
				requireSound(t, tree)
			}
		})
	}
}

func TestCancelStops(t *testing.T) {
	for _, workers := range []int{1, 8} {
		p := Defaults()
		p.Parallel.Workers = workers
		tree := newTree(t, p, &stub{delay: 2 * time.Millisecond})
		tree.Reset(newGame(t, 9))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(30*time.Millisecond, cancel)
		r, err := tree.Search(ctx, Limits{}) // a search without limits
		require.NoError(t, err)
		require.Equal(t, StopCancelled, r.Stop)
		require.Positive(t, r.Root.Visits)
		requireSound(t, tree)
	}
}

func TestCancelledContextStillGivesAMove(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tree := newTree(t, Defaults(), &stub{})
	tree.Reset(newGame(t, 9))
	r, err := tree.Search(ctx, Limits{})
	require.NoError(t, err)
	require.Equal(t, int64(1), r.Root.Visits)
	require.NotEqual(t, board.NoPoint, r.Choose(0, nil))

	tree.Reset(newGame(t, 9))
	for range 2 {
		r, err = tree.Search(ctx, Limits{FirstLook: true})
		require.NoError(t, err)
		require.Equal(t, StopCancelled, r.Stop)
		require.Equal(t, int64(2), r.Root.Visits, "one look, at a fresh tree")
		require.Positive(t, r.Moves[0].Visits, "there is something to say")
	}
	tree.Reset(newGame(t, 9))
	r, err = tree.Search(ctx, Limits{FirstLook: true, Visits: 1})
	require.NoError(t, err)
	require.Equal(t, int64(1), r.Root.Visits, "no more than the limit")
}

func TestTimeLimits(t *testing.T) {
	for _, workers := range []int{1, 4} {
		p := Defaults()
		p.Parallel.Workers = workers
		tree := newTree(t, p, &stub{delay: time.Millisecond})
		tree.Reset(newGame(t, 9))
		began := time.Now()
		r, err := tree.Search(t.Context(), Limits{Time: 40 * time.Millisecond})
		require.NoError(t, err)
		require.Equal(t, StopTime, r.Stop)
		require.GreaterOrEqual(t, time.Since(began), 40*time.Millisecond)
		requireSound(t, tree)
	}
}

func TestEvaluatorErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, workers := range []int{1, 8} {
		for _, from := range []int64{1, 50} {
			p := Defaults()
			p.Parallel.Workers = workers
			tree := newTree(t, p, &stub{fail: func(n int64) error {
				if n >= from {
					return broken
				}
				return nil
			}})
			tree.Reset(newGame(t, 9))
			r, err := tree.Search(t.Context(), Limits{Visits: 1000})
			require.ErrorIs(t, err, broken)
			require.Equal(t, StopFailed, r.Stop)
			require.Less(t, r.Root.Visits, from)
			requireSound(t, tree)
		}
	}
}

func TestSearchWithoutPosition(t *testing.T) {
	tree := newTree(t, Defaults(), &stub{})
	_, err := tree.Search(t.Context(), Limits{Visits: 1})
	require.ErrorIs(t, err, ErrNoGame)
	require.False(t, tree.Advance(board.Black, board.Pass))
}

func TestAdvanceKeepsVisits(t *testing.T) {
	for name, p := range presets() {
		t.Run(name, func(t *testing.T) {
			tree := newTree(t, p, &stub{})
			g := newGame(t, 9)
			tree.Reset(g)
			for range 8 {
				r := searched(t, tree, 1500)
				best := r.Moves[0]
				require.True(t, tree.Advance(g.ToMove(), best.Move))
				require.NoError(t, g.Play(g.ToMove(), best.Move))
				require.Equal(t, best.Visits, tree.Visits())
				requireSound(t, tree)
			}
		})
	}
}
