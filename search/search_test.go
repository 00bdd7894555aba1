package search

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

func presets() map[string]Params {
	graph := Plain()
	graph.Graph.Use = true
	exact := Defaults()
	exact.Backup.ExactShare = 0
	return map[string]Params{"plain": Plain(), "defaults": Defaults(), "exact": exact, "graph": graph, "tutorial": Tutorial()}
}

func TestSearchIsDeterministic(t *testing.T) {
	for name, p := range presets() {
		p.Root.NoiseEnabled = true
		t.Run(name, func(t *testing.T) {
			run := func() Result {
				tree := treeAt(t, p, &stub{}, newGame(t, 7))
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
			g := newGame(t, 5)
			tree := treeAt(t, p, e, g)
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

// TestStops: a search ends with its context or its time limit and leaves a sound tree, with one
// worker, with several, and when the goroutines that answer evaluations also work on the tree.
func TestStops(t *testing.T) {
	one, many := Defaults(), Defaults()
	many.Parallel.Workers = 8
	for _, p := range []Params{one, many, combining(8)} {
		for want, limit := range map[StopReason]time.Duration{StopTime: 30 * time.Millisecond, StopCancelled: 0} {
			var e nn.Evaluator = &stub{delay: 2 * time.Millisecond}
			if p.Parallel.Sessions > 0 {
				e = newAnswering(t, e, 3)
			}
			tree := treeAt(t, p, e, newGame(t, 9))
			ctx, cancel := context.WithCancel(t.Context())
			if want == StopCancelled {
				time.AfterFunc(30*time.Millisecond, cancel)
			}
			began := time.Now()
			r, err := tree.Search(ctx, Limits{Time: limit})
			cancel()
			require.NoError(t, err)
			require.Equal(t, want, r.Stop)
			require.GreaterOrEqual(t, time.Since(began), 30*time.Millisecond)
			require.Positive(t, r.Root.Visits)
			requireSound(t, tree)
		}
	}
}

func TestCancelledContextStillGivesAMove(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tree := treeAt(t, Defaults(), &stub{}, newGame(t, 9))
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

// TestEvaluatorErrors: an error of the evaluator ends the search with that error, a panic with
// ErrFault.
func TestEvaluatorErrors(t *testing.T) {
	broken := errors.New("broken")
	for want, fail := range map[error]func() error{broken: func() error { return broken }, ErrFault: func() error { panic("a fault") }} {
		for _, workers := range []int{1, 8} {
			for _, from := range []int64{1, 50} {
				p := Defaults()
				p.Parallel.Workers, p.Parallel.VisitsPerFlight = workers, 1
				tree := treeAt(t, p, &stub{fail: func(n int64) error {
					if n >= from {
						return fail()
					}
					return nil
				}}, newGame(t, 9))
				r, err := tree.Search(t.Context(), Limits{Visits: 1000})
				require.ErrorIs(t, err, want)
				require.Equal(t, StopFailed, r.Stop)
				require.Less(t, r.Root.Visits, from)
				requireSound(t, tree)
			}
		}
	}
}

func TestSearchWithoutPosition(t *testing.T) {
	tree := newTree(t, Defaults(), &stub{})
	_, err := tree.Search(t.Context(), Limits{Visits: 1})
	require.ErrorIs(t, err, ErrNoGame)
	require.False(t, tree.Advance(board.Black, board.Pass))
}
