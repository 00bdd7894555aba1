package search

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// answering is an evaluator that answers asynchronously, on its own goroutines, like a server's
// sessions.
type answering struct {
	nn.Plain
	jobs chan *nn.Job
}

func newAnswering(t testing.TB, e nn.Evaluator, sessions int) *answering {
	a := &answering{nn.Plain{Evaluator: e}, make(chan *nn.Job, 4096)}
	var work sync.WaitGroup
	for range sessions {
		work.Go(func() {
			for j := range a.jobs {
				j.Err = a.Evaluate(context.Background(), j.Query, j.Out)
				then := j.Then
				if j.Done(); then != nil {
					then()
				}
			}
		})
	}
	t.Cleanup(func() {
		close(a.jobs)
		work.Wait()
	})
	return a
}

func (a *answering) Submitter() nn.Submitter { return a }

func (a *answering) Submit(_ context.Context, j *nn.Job) {
	j.Err = nil
	a.jobs <- j
}

// combining returns parameters with which answering goroutines do the search's work.
func combining(workers int) Params {
	p := Defaults()
	p.Parallel.Workers, p.Parallel.VisitsPerFlight, p.Parallel.Sessions = workers, 1, nn.Cores()
	return p
}

// TestCombining: goroutines that answer do the work of the search, exactly to the limit of
// visits, and leave a sound tree.
func TestCombining(t *testing.T) {
	for name, e := range map[string]nn.Evaluator{"sessions": newAnswering(t, &stub{}, 4), "goroutines": &stub{}} {
		tree := treeAt(t, combining(16), e, newGame(t, 9))
		for _, visits := range []int64{1, 2, 17, 4000} {
			r := searched(t, tree, visits)
			require.Equal(t, StopVisits, r.Stop, name)
			require.EqualValues(t, visits, r.Root.Visits, name)
			requireSound(t, tree)
		}
		require.NotNil(t, tree.run.then, "answers were combined")
	}
}

// TestCombiningFault: a panic on another goroutine that works on the tree reaches the caller of
// Search.
func TestCombiningFault(t *testing.T) {
	var focus atomic.Pointer[thinking.Focus]
	var answers atomic.Int64
	tree := newTree(t, combining(8), newAnswering(t, &stub{answer: func(*board.Game, *nn.Output) {
		if answers.Add(1) == 500 {
			focus.Store(&thinking.Focus{Moves: []board.Point{0}, Prob: 1})
		}
	}}, 3))
	tree.Reset(newGame(t, 9))
	tree.selector.rng = nil // makes the focus's draw panic
	require.Panics(t, func() { _, _ = tree.Search(t.Context(), Limits{Visits: 20000, Focus: &focus}) })
}
