package nn_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
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
	return append([]int(nil), m.sizes...)
}

func newGame(t testing.TB, size board.Size) *board.Game {
	t.Helper()
	g, err := board.NewGame(size, board.TrompTaylor())
	require.NoError(t, err)
	return g
}

// randomGame returns a game after some random legal moves.
func randomGame(t testing.TB, size board.Size, rules board.Rules, moves int, seed uint64) *board.Game {
	t.Helper()
	g, err := board.NewGame(size, rules)
	require.NoError(t, err)
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

func newServer(t testing.TB, m nn.Model, c nn.ServerConfig) *nn.Server {
	t.Helper()
	s, err := nn.NewServer(m, c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

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

// encoded is a model that needs encoded inputs, takes no time, and returns zeros.
type encoded struct{ e features.Encoding }

func (m encoded) Spec(size board.Size) (nn.Spec, error) {
	s := nn.Spec{Name: "zero", Encoding: m.e, Kind: nn.KindDualHead,
		Inputs: []nn.TensorSpec{{Name: "spatial", Role: nn.RoleSpatial, Shape: []int{m.e.Planes(), size.H, size.W}}},
		Outputs: []nn.TensorSpec{
			{Name: "policy", Role: nn.RolePolicy, Shape: []int{size.Area() + 1}},
			{Name: "value", Role: nn.RoleValue, Shape: []int{1}},
		}}
	if n := m.e.Globals(); n > 0 {
		s.Inputs = append(s.Inputs, nn.TensorSpec{Name: "global", Role: nn.RoleGlobal, Shape: []int{n}})
	}
	return s, nil
}

func (m encoded) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	s, _ := m.Spec(size)
	b := &zeroBackend{max: maxBatch}
	for _, t := range s.Inputs {
		b.in = append(b.in, make([]float32, maxBatch*t.Len()))
	}
	for _, t := range s.Outputs {
		b.out = append(b.out, make([]float32, maxBatch*t.Len()))
	}
	return b, nil
}

func (m encoded) Describe() nn.Description { return nn.Description{Name: "zero"} }
func (m encoded) Close() error             { return nil }

type zeroBackend struct {
	max     int
	in, out [][]float32
}

func (b *zeroBackend) MaxBatch() int        { return b.max }
func (b *zeroBackend) Inputs() [][]float32  { return b.in }
func (b *zeroBackend) Outputs() [][]float32 { return b.out }
func (b *zeroBackend) Run(int) error        { return nil }
func (b *zeroBackend) Close() error         { return nil }
