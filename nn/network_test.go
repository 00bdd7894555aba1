package nn_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// recorder is a network that records its queries, with a human SL network.
type recorder struct {
	nn.Plain
	people *recorder
	last   nn.Query
}

func (r *recorder) Evaluate(_ context.Context, q *nn.Query, _ *nn.Output) error {
	r.last = *q
	return nil
}

func (r *recorder) Humans() nn.Network {
	if r.people == nil {
		return nil
	}
	return r.people
}

func (r *recorder) Describe() nn.Description {
	return nn.Description{File: "/nets/a.bin.gz", TakesProfile: r.people == nil}
}

func (r *recorder) BatchSize() int { return 7 }

// TestAsNetwork: a plain evaluator gets no capabilities, a network keeps its own.
func TestAsNetwork(t *testing.T) {
	n := nn.AsNetwork(struct{ nn.Evaluator }{new(recorder)})
	require.Nil(t, n.Submitter())
	require.Nil(t, n.Humans())
	require.NoError(t, n.Serves(board.Square(9)))
	require.Zero(t, n.Describe())
	require.Zero(t, n.Stats())
	require.Zero(t, n.BatchSize())
	n.ClearCache()
	n.Pin()()

	s := newServer(t, nntest.HashModel(1), nn.ServerConfig{MaxBatch: 3})
	n = nn.AsNetwork(s)
	require.Same(t, s, n)
	require.Same(t, s, n.Submitter())
	require.Equal(t, 3, n.BatchSize())
	require.Equal(t, "hash-1", n.Describe().Name)
	require.Error(t, n.Serves(board.Size{W: 99, H: 99}))
}

// TestRewrite: a network whose queries are rewritten keeps its capabilities except asynchronous
// answers, and the queries of its human SL network are rewritten too.
func TestRewrite(t *testing.T) {
	inner := &recorder{people: new(recorder)}
	g := randomGame(t, board.Square(9), board.TrompTaylor(), 12, 3)
	q := nn.Query{Game: g, Symmetry: nn.SymmetryRandom}
	n := nn.Rewrite(inner, func(q *nn.Query) { q.FixSymmetry(5) })
	require.NoError(t, n.Evaluate(t.Context(), &q, nil))
	require.Equal(t, nn.SymmetryRandom, q.Symmetry, "the caller's query stays")
	first := inner.last.Symmetry
	require.GreaterOrEqual(t, first, int8(0))
	require.NoError(t, n.Evaluate(t.Context(), &q, nil))
	require.Equal(t, first, inner.last.Symmetry, "a function of position and salt")
	require.NoError(t, n.Humans().Evaluate(t.Context(), &q, nil))
	require.Equal(t, first, inner.people.last.Symmetry)
	require.Equal(t, 7, n.BatchSize())
	require.Nil(t, n.Submitter())
	require.Nil(t, nn.Rewrite(inner.people, func(*nn.Query) {}).Humans())

	require.NoError(t, nn.Uncached(inner).Evaluate(t.Context(), &q, nil))
	require.True(t, inner.last.SkipCache)
	require.False(t, q.SkipCache)

	files, any := nn.Profiled(n)
	require.Equal(t, []string{"a.bin.gz", "a.bin.gz"}, files)
	require.True(t, any)
}
