package open_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/open"
)

// record keeps the jobs that it gets; the test answers them.
type record struct {
	nn.Plain
	mu   sync.Mutex
	held []*nn.Job
}

func (r *record) Submitter() nn.Submitter { return r }

func (r *record) Submit(_ context.Context, j *nn.Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, j)
}

// TestFair: one user submits a hundred jobs, then two others submit one each; these two are answered soon.
func TestFair(t *testing.T) {
	r := new(record)
	f := open.NewFair(r, 2)
	g, err := board.NewGame(board.Square(9), board.Rules{})
	require.NoError(t, err)
	var order []string
	submit := func(user string) {
		f.Of(user).Submit(t.Context(), &nn.Job{Query: &nn.Query{Game: g}, Out: new(nn.Output), Done: func() { order = append(order, user) }})
	}
	for range 100 {
		submit("greedy")
	}
	submit("ann")
	submit("bob")
	for len(order) < 102 {
		require.LessOrEqual(t, len(r.held), 2, "no more are under way")
		j := r.held[0]
		r.held = r.held[1:]
		j.Done()
	}
	require.Less(t, slices.Index(order, "ann"), 6)
	require.Less(t, slices.Index(order, "bob"), 6)
	require.Equal(t, map[string]uint64{"greedy": 100, "ann": 1, "bob": 1}, f.Evaluations())
}
