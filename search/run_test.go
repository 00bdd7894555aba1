package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

// TestIterate runs the search cycle by hand: a leaf is sent for evaluation, nothing happens while
// it is pending, it returns, and the search ends at its limit.
func TestIterate(t *testing.T) {
	answer := make(chan struct{}, 1)
	p := Defaults()
	p.Parallel.Workers = 2
	tree := treeAt(t, p, &stub{answer: func(*board.Game, *nn.Output) { <-answer }}, newGame(t, 9))
	answer <- struct{}{} // evaluates the root
	tree.begin(Limits{Visits: 3})
	require.NoError(t, tree.prepareRoot(t.Context()))
	r := &tree.run
	tree.playouts.makeSlots(2)
	r.idle, r.done = append(r.idle[:0], tree.playouts.slots...), make(chan *slot, 2)
	for visits := range int64(2) {
		require.EqualValues(t, visits+1, tree.Visits())
		require.Equal(t, moved, r.iterate(t.Context()), "a leaf is evaluated")
		require.Equal(t, 1, tree.tally.inFlight)
		require.Equal(t, starved, r.iterate(t.Context()), "two at a time are too many for so few playouts")
		answer <- struct{}{}
		r.settle(t.Context(), <-r.done)
		require.Zero(t, tree.tally.inFlight)
		require.Len(t, r.idle, 2)
	}
	require.Equal(t, ended, r.iterate(t.Context()))
	require.Equal(t, StopVisits, r.stop)
	require.EqualValues(t, 3, tree.Visits())
	requireSound(t, tree)
}
