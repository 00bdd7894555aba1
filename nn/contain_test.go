package nn_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// TestPanicInABackend: a run that panics fails its queries; the session goes on.
func TestPanicInABackend(t *testing.T) {
	var broken atomic.Bool
	m := &hooked{Model: nntest.HashModel(1), onRun: func(int) error {
		if broken.Load() {
			panic("no power")
		}
		return nil
	}}
	s := newServer(t, m, nn.ServerConfig{})
	q := nn.Query{Game: newGame(t, board.Square(5))}
	var out nn.Output
	for range 3 {
		broken.Store(true)
		err := s.Evaluate(t.Context(), &q, &out)
		require.ErrorIs(t, err, nn.ErrBackend)
		require.ErrorContains(t, err, "no power")
		broken.Store(false)
		require.NoError(t, s.Evaluate(t.Context(), &q, &out))
	}
}

// TestOtherSizesDoNotWait evaluates on some sizes, opening and closing them in
// turns, while another one is being opened and does not come to an end.
func TestOtherSizesDoNotWait(t *testing.T) {
	opening, release := make(chan struct{}), make(chan struct{})
	big := board.Square(19)
	m := &hooked{Model: nntest.HashModel(1), onOpen: func(size board.Size) error {
		if size == big {
			close(opening)
			<-release
		}
		return nil
	}}
	s := newServer(t, m, nn.ServerConfig{MaxSizes: 2})
	evaluate := func(size board.Size) error {
		var out nn.Output
		return s.Evaluate(t.Context(), &nn.Query{Game: newGame(t, size)}, &out)
	}
	require.NoError(t, evaluate(board.Square(9)))
	done := make(chan error)
	go func() { done <- evaluate(big) }()
	<-opening
	for range 20 { // would wait forever behind a lock that opening holds
		for _, n := range []int{9, 13, 7} {
			require.NoError(t, evaluate(board.Square(n)))
		}
	}
	select {
	case <-done:
		require.FailNow(t, "it was still to be opened")
	default:
	}
	close(release)
	require.NoError(t, <-done)
}
