package search

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

// TestLateCancellation cancels the context of a search so late that the signal arrives during the
// next search, which must ignore it.
func TestLateCancellation(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // nothing else runs until this goroutine yields
	e := &stub{}
	tree := treeAt(t, Defaults(), e, newGame(t, 9))
	ctx, cancel := context.WithCancel(t.Context())
	e.answer = func(*board.Game, *nn.Output) { cancel() }
	_, err := tree.Search(ctx, Limits{Visits: 2})
	require.NoError(t, err)
	e.answer = func(*board.Game, *nn.Output) { runtime.Gosched() }
	r := searchedWith(t, tree, Limits{Visits: 200})
	require.Equal(t, StopVisits, r.Stop)
	require.EqualValues(t, 200, r.Root.Visits)
}
