//go:build !race

package nn_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// TestEvaluateAllocatesNothing: Server.Evaluate allocates no memory once warm. The test is not built
// with the race detector, under which a sync.Pool drops some of its items at random.
func TestEvaluateAllocatesNothing(t *testing.T) {
	for name, c := range map[string]nn.ServerConfig{
		"no cache": {},
		"cache":    {CacheBytes: 1 << 24},
		"exact":    {CacheBytes: 1 << 24, ExactCache: true},
	} {
		s := newServer(t, nntest.HashModel(1), c)
		games := make([]*board.Game, 64)
		for i := range games {
			games[i] = randomGame(t, board.Square(9), board.TrompTaylor(), 10+i, uint64(i))
		}
		var out nn.Output
		i := 0
		ask := func() {
			q := nn.Query{Game: games[i%len(games)], Symmetry: nn.SymmetryRandom, SkipCache: i%3 == 0, NeedOwnership: true}
			if err := s.Evaluate(context.Background(), &q, &out); err != nil {
				panic(err)
			}
			i++
		}
		for range 100 {
			ask()
		}
		require.Zero(t, testing.AllocsPerRun(200, ask), name)
	}
}

// TestRewriteAllocatesNothing: Rewrite reuses its copies of queries.
func TestRewriteAllocatesNothing(t *testing.T) {
	n := nn.Rewrite(new(recorder), func(q *nn.Query) { q.FixSymmetry(5) })
	q := nn.Query{Game: randomGame(t, board.Square(9), board.TrompTaylor(), 12, 3), Symmetry: nn.SymmetryRandom}
	require.Zero(t, testing.AllocsPerRun(200, func() { n.Evaluate(context.Background(), &q, nil) }))
}
