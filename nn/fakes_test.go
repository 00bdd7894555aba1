package nn_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// hooked is a model whose steps a test can observe, delay and make fail.
type hooked struct {
	nn.Model
	onOpen func(board.Size) error
	onRun  func(n int) error
	spec   func(*nn.Spec)
	opened atomic.Int64
	closed atomic.Int64
	mu     sync.Mutex
	sizes  []int // sizes of batches
}

type hookedBackend struct {
	nn.Backend
	m *hooked
}

func (m *hooked) Spec(size board.Size) (nn.Spec, error) {
	s, err := m.Model.Spec(size)
	if m.spec != nil {
		m.spec(&s)
	}
	return s, err
}

func (m *hooked) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	if m.onOpen != nil {
		if err := m.onOpen(size); err != nil {
			return nil, err
		}
	}
	b, err := m.Model.Open(size, maxBatch)
	m.opened.Add(1)
	return &hookedBackend{b, m}, err
}

func (b *hookedBackend) Run(n int) error {
	b.m.mu.Lock()
	b.m.sizes = append(b.m.sizes, n)
	b.m.mu.Unlock()
	if b.m.onRun != nil {
		if err := b.m.onRun(n); err != nil {
			return err
		}
	}
	return b.Backend.Run(n)
}

func (b *hookedBackend) Close() error {
	b.m.closed.Add(1)
	return b.Backend.Close()
}

func (m *hooked) batches() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sizes)
}

// gate makes runs wait until the returned channel is closed.
func (m *hooked) gate() chan struct{} {
	gate := make(chan struct{})
	m.onRun = func(int) error { <-gate; return nil }
	return gate
}

// bubble runs a test of a server in a bubble of synctest.
func bubble(t *testing.T, c nn.ServerConfig, test func(t *testing.T, s *nn.Server, m *hooked)) {
	synctest.Test(t, func(t *testing.T) {
		m := &hooked{Model: nntest.HashModel(1)}
		test(t, newServer(t, m, c), m)
	})
}

// evaluate asks about an empty board of n x n points.
func evaluate(ctx context.Context, t testing.TB, s *nn.Server, n int) error {
	t.Helper()
	return s.Evaluate(ctx, &nn.Query{Game: newGame(t, board.Square(n))}, new(nn.Output))
}

func newGame(t testing.TB, size board.Size) *board.Game {
	t.Helper()
	return testshared.Game(t, size, board.TrompTaylor())
}

// randomGame returns a game after some random legal moves.
func randomGame(t testing.TB, size board.Size, rules board.Rules, moves int, seed uint64) *board.Game {
	t.Helper()
	g := testshared.Game(t, size, rules)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range moves {
		legal := g.LegalMoves(nil)
		p := board.Pass
		for range 20 {
			if i := rng.IntN(size.Area()); legal[i] {
				p = board.Point(i)
				break
			}
		}
		require.NoError(t, g.Play(g.ToMove(), p))
	}
	return g
}

var newServer = nntest.Server

func requireOutput(t testing.TB, g *board.Game, o *nn.Output) {
	t.Helper()
	sum := 0.0
	for i, ok := range g.LegalMoves(nil) {
		if !ok {
			require.EqualValues(t, -1, o.Policy[i])
			continue
		}
		require.GreaterOrEqual(t, o.Policy[i], float32(0))
		sum += float64(o.Policy[i])
	}
	require.InDelta(t, 1, sum, 1e-3)
	require.InDelta(t, 1, float64(o.Win+o.Loss+o.NoResult), 1e-5)
	require.GreaterOrEqual(t, min(o.Win, o.Loss, o.NoResult), float32(0))
}
