package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// TestSoak grows one tree through random games with searches that are cancelled, fail, run out of
// memory and continue, and checks the tree after each step.
func TestSoak(t *testing.T) {
	testshared.Long(t)
	t.Run("owner", func(t *testing.T) {
		soak(t, 0, func(e *stub) nn.Evaluator { return e })
	})
	t.Run("crew", func(t *testing.T) {
		soak(t, nn.Cores(), func(e *stub) nn.Evaluator { return newAnswering(t, e, 3) })
	})
}

func soak(t *testing.T, sessions int, wrap func(*stub) nn.Evaluator) {
	broken := errors.New("broken")
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 77))
		p := Defaults()
		p.Parallel.Workers = 1 + int(seed%3)*4
		p.Parallel.VisitsPerFlight, p.Parallel.Sessions = 1, sessions
		p.Memory.PriorsPerNode = 8 + rng.IntN(20)
		p.Memory.MaxBytes = MinBytes
		p.Graph.Use = seed%2 == 0
		p.Root.NoiseEnabled = seed == 3
		e := &stub{errors: seed%2 == 1, ownership: true, delay: 30 * time.Microsecond}
		failing := false
		e.fail = func(n int64) error {
			if failing && n%97 == 0 {
				return broken
			}
			return nil
		}
		g := newGame(t, 4+int(seed))
		tree := treeAt(t, p, wrap(e), g)
		for range 40 {
			failing = rng.IntN(5) == 0
			limits := Limits{Visits: 1 + rng.Int64N(600), Ownership: rng.IntN(2) == 0}
			ctx, cancel := context.WithCancel(t.Context())
			switch rng.IntN(4) {
			case 0:
				limits.Visits = 0
				limits.Time = time.Duration(rng.IntN(8)) * time.Millisecond
				limits.Playouts = 3000
			case 1:
				time.AfterFunc(time.Duration(rng.IntN(5000))*time.Microsecond, cancel)
			}
			if rng.IntN(6) == 0 {
				tree.Restrict(thinking.Restriction{Color: g.ToMove(), Points: []board.Point{1, 2, board.Pass}, Depth: 1 + rng.IntN(3)})
			}
			r, err := tree.Search(ctx, limits)
			cancel()
			if err != nil {
				require.ErrorIs(t, err, broken)
			}
			requireSound(t, tree)
			move := r.Choose(rng.Float64(), rng)
			if g.Legal(g.ToMove(), move) != nil || rng.IntN(10) == 0 {
				move = board.Pass
			}
			c := g.ToMove()
			kept := tree.Advance(c, move)
			require.NoError(t, g.Play(c, move))
			require.Equal(t, kept, tree.Visits() > 0)
			require.True(t, tree.Matches(g))
			requireSound(t, tree)
			if g.Finished() || rng.IntN(30) == 0 {
				g = newGame(t, 4+rng.IntN(4))
				tree.Reset(g)
			}
		}
	}
}
