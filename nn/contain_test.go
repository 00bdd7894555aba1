package nn_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// TestPanicInABackend: a run that panics fails its queries; the session continues.
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
