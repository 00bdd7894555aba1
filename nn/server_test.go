package nn_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/nntest"
)

func TestConfigIsValidated(t *testing.T) {
	_, err := nn.NewServer(nntest.Uniform(), nn.ServerConfig{Sessions: -1, MaxBatch: -1, CacheBytes: -1})
	require.ErrorContains(t, err, "sessions")
	require.ErrorContains(t, err, "batch")
	require.ErrorContains(t, err, "cache")
}

func TestQueryIsChecked(t *testing.T) {
	s := newServer(t, nntest.Uniform(), nn.ServerConfig{})
	g := newGame(t, board.Square(9))
	var out nn.Output
	for name, q := range map[string]*nn.Query{
		"nil":         nil,
		"no game":     {},
		"symmetry":    {Game: g, Symmetry: 8},
		"symmetry -2": {Game: g, Symmetry: -2},
		"temperature": {Game: g, PolicyTemperature: -1},
	} {
		require.ErrorIs(t, s.Evaluate(t.Context(), q, &out), nn.ErrQuery, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Evaluate(ctx, &nn.Query{Game: g}, &out), context.Canceled)
	require.Zero(t, s.Stats().Rows)
}

// TestBatchesFormWhileTheBackendIsBusy: queries that arrive while a batch runs wait, and then run together
// in batches of up to MaxBatch rows.
func TestBatchesFormWhileTheBackendIsBusy(t *testing.T) {
	bubble(t, nn.ServerConfig{MaxBatch: 4}, func(t *testing.T, s *nn.Server, m *hooked) {
		gate := m.gate()
		var all sync.WaitGroup
		ask := func() { all.Go(func() { assert.NoError(t, evaluate(t.Context(), t, s, 5)) }) }
		ask()
		synctest.Wait() // the first row runs alone
		for range 6 {
			ask()
		}
		synctest.Wait()
		close(gate)
		all.Wait()
		require.Equal(t, []int{1, 4, 2}, m.batches())
		stats := s.Stats()
		require.EqualValues(t, 7, stats.Rows)
		require.EqualValues(t, 3, stats.Batches)
		require.InDelta(t, 7.0/3, stats.MeanBatch(), 1e-9)
	})
}

// TestGivenUpWhileWaiting: a query cancelled while it waits is never evaluated; one cancelled while it
// runs is still answered.
func TestGivenUpWhileWaiting(t *testing.T) {
	bubble(t, nn.ServerConfig{MaxBatch: 4}, func(t *testing.T, s *nn.Server, m *hooked) {
		gate := m.gate()
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		ask := func(ctx context.Context, want error) {
			all.Go(func() { assert.ErrorIs(t, evaluate(ctx, t, s, 5), want) })
			synctest.Wait()
		}
		ask(ctx, nil)
		ask(ctx, context.Canceled)
		ask(t.Context(), nil)
		ask(ctx, context.Canceled)
		cancel()
		close(gate)
		all.Wait()
		require.Equal(t, []int{1, 1}, m.batches())
	})
}

// TestSessionsThatComeFromABatchShare: two sessions that have finished their batches share the waiting jobs
// equally, even while a Job.Then function of one of them still runs.
func TestSessionsThatComeFromABatchShare(t *testing.T) {
	bubble(t, nn.ServerConfig{MaxBatch: 8, Sessions: 2}, func(t *testing.T, s *nn.Server, m *hooked) {
		gates := make(chan chan struct{}, 8)
		m.onRun = func(int) error {
			gate := make(chan struct{})
			gates <- gate
			<-gate
			return nil
		}
		var all sync.WaitGroup
		submit := func(then func()) {
			all.Add(1)
			s.Submit(t.Context(), &nn.Job{Query: &nn.Query{Game: newGame(t, board.Square(5))}, Out: new(nn.Output), Done: all.Done, Then: then})
		}
		hold := make(chan struct{})
		submit(func() {
			for range 4 {
				submit(nil)
			}
			<-hold
		})
		one := <-gates
		submit(nil)
		other := <-gates
		close(one)
		synctest.Wait() // four jobs wait, and the function that submitted them has not returned yet
		close(other)
		synctest.Wait()
		require.Equal(t, []int{1, 1, 2}, m.batches())
		close(hold)
		synctest.Wait()
		require.Equal(t, []int{1, 1, 2, 2}, m.batches())
		close(<-gates)
		close(<-gates)
		all.Wait()
	})
}

func TestBackendErrorReachesTheWholeBatch(t *testing.T) {
	bubble(t, nn.ServerConfig{MaxBatch: 8, CacheBytes: 1 << 24}, func(t *testing.T, s *nn.Server, m *hooked) {
		broken := errors.New("out of memory")
		gate := make(chan struct{})
		m.onRun = func(int) error {
			<-gate
			if len(m.batches()) == 2 {
				return broken
			}
			return nil
		}
		var all sync.WaitGroup
		var failed atomic.Int64
		ask := func(moves int) {
			all.Go(func() {
				q := &nn.Query{Game: randomGame(t, board.Square(5), board.Chinese(), moves, 1)}
				if err := s.Evaluate(t.Context(), q, new(nn.Output)); err != nil {
					assert.ErrorIs(t, err, nn.ErrBackend)
					assert.ErrorIs(t, err, broken)
					failed.Add(1)
				}
			})
		}
		ask(0)
		synctest.Wait()
		for i := range 3 {
			ask(i + 1)
		}
		synctest.Wait()
		close(gate)
		all.Wait()
		require.EqualValues(t, 3, failed.Load())
		ask(1) // the failure is not remembered
		all.Wait()
		require.EqualValues(t, 3, failed.Load())
	})
}

// TestPanicInABackend: a run that panics fails its queries; the session continues.
func TestPanicInABackend(t *testing.T) {
	broken := false
	s := newServer(t, &hooked{Model: nntest.HashModel(1), onRun: func(int) error {
		if broken {
			panic("no power")
		}
		return nil
	}}, nn.ServerConfig{})
	for range 3 {
		broken = true
		err := evaluate(t.Context(), t, s, 5)
		require.ErrorIs(t, err, nn.ErrBackend)
		require.ErrorContains(t, err, "no power")
		broken = false
		require.NoError(t, evaluate(t.Context(), t, s, 5))
	}
}

func TestCloseAnswersWhatIsQueued(t *testing.T) {
	bubble(t, nn.ServerConfig{MaxBatch: 2, Sessions: 2}, func(t *testing.T, s *nn.Server, m *hooked) {
		gate := m.gate()
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() { assert.NoError(t, evaluate(t.Context(), t, s, 5)) })
		}
		synctest.Wait()
		done := make(chan error)
		go func() { done <- s.Close() }()
		synctest.Wait()
		require.ErrorIs(t, evaluate(t.Context(), t, s, 5), nn.ErrClosed)
		close(gate)
		require.NoError(t, <-done)
		all.Wait()
		require.EqualValues(t, 2, m.closed.Load())
		require.NoError(t, s.Close(), "a second Close does nothing")
		require.ErrorIs(t, s.Warm(board.Square(5)), nn.ErrClosed)
	})
}

// TestOpeningBlocksOnlyItsSize: opening a size blocks only callers of that size.
func TestOpeningBlocksOnlyItsSize(t *testing.T) {
	bubble(t, nn.ServerConfig{Sessions: 3}, func(t *testing.T, s *nn.Server, m *hooked) {
		gate := make(chan struct{})
		m.onOpen = func(s board.Size) error {
			if s.W == 19 {
				<-gate
			}
			return nil
		}
		var all sync.WaitGroup
		var answered atomic.Int64
		for range 4 {
			all.Go(func() {
				assert.NoError(t, evaluate(t.Context(), t, s, 19))
				answered.Add(1)
			})
		}
		synctest.Wait()
		require.NoError(t, evaluate(t.Context(), t, s, 9))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, evaluate(ctx, t, s, 19), context.DeadlineExceeded)
		require.Zero(t, answered.Load())
		close(gate)
		all.Wait()
		require.EqualValues(t, 4, answered.Load())
		require.EqualValues(t, 6, m.opened.Load(), "three sessions for each size")
		require.NoError(t, s.Close())
		require.EqualValues(t, 6, m.closed.Load())
	})
}

func TestFailedOpenIsTriedAgain(t *testing.T) {
	fail := true
	broken := errors.New("no such file")
	m := &hooked{Model: nntest.HashModel(1), onOpen: func(board.Size) error {
		if fail {
			return broken
		}
		return nil
	}}
	s := newServer(t, m, nn.ServerConfig{Sessions: 2})
	err := evaluate(t.Context(), t, s, 9)
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, err, nn.ErrBackend)
	fail = false
	require.NoError(t, evaluate(t.Context(), t, s, 9))
}

func TestSpecIsCheckedAgainstBackend(t *testing.T) {
	for name, change := range map[string]func(*nn.Spec){
		"no policy":       func(s *nn.Spec) { s.Outputs = s.Outputs[1:] },
		"two values":      func(s *nn.Spec) { s.Outputs[3].Role = nn.RoleValue },
		"pass channels":   func(s *nn.Spec) { s.Outputs[1].Shape = []int{3} },
		"policy size":     func(s *nn.Spec) { s.Outputs[0].Shape = []int{2, 9, 8} },
		"ownership size":  func(s *nn.Spec) { s.Outputs[4].Shape = []int{80} },
		"score values":    func(s *nn.Spec) { s.Outputs[3].Shape = []int{4} },
		"version":         func(s *nn.Spec) { s.KataGo.Version = 18 },
		"missing inputs":  func(s *nn.Spec) { s.Encoding = features.V7 },
		"backend inputs":  func(s *nn.Spec) { s.Inputs = nil },
		"backend outputs": func(s *nn.Spec) { s.Outputs = s.Outputs[:4] },
	} {
		m := &hooked{Model: nntest.HashModel(1), spec: change}
		s := newServer(t, m, nn.ServerConfig{})
		require.ErrorIs(t, s.Warm(board.Square(9)), nn.ErrSpec, name)
		require.Equal(t, m.opened.Load(), m.closed.Load(), name)
	}
	m := &hooked{Model: nntest.HashModel(1), spec: func(s *nn.Spec) { s.Sizes.Fixed = board.Square(19) }}
	require.ErrorIs(t, newServer(t, m, nn.ServerConfig{}).Warm(board.Square(9)), nn.ErrSize)
}

func TestLeastRecentlyUsedSizeIsClosed(t *testing.T) {
	m := &hooked{Model: nntest.HashModel(1)}
	s := newServer(t, m, nn.ServerConfig{})
	ask := func(n int) { require.NoError(t, evaluate(t.Context(), t, s, n)) }
	for _, n := range []int{5, 7, 8, 10, 5} {
		ask(n)
	}
	require.EqualValues(t, 4, m.opened.Load())
	ask(9) // 7 was least recently used
	require.EqualValues(t, 1, m.closed.Load())
	ask(5)
	require.EqualValues(t, 5, m.opened.Load(), "5 is still open")
	ask(7)
	require.EqualValues(t, 6, m.opened.Load())
	require.EqualValues(t, 2, m.closed.Load())
}

func TestWarmRunsEverySession(t *testing.T) {
	m := &hooked{Model: nntest.HashModel(1)}
	s := newServer(t, m, nn.ServerConfig{Sessions: 3, MaxBatch: 16})
	require.NoError(t, s.Warm(board.Square(9)))
	require.ElementsMatch(t, []int{1, 1, 1, 16, 16, 16}, m.batches())
	require.NoError(t, s.Warm(board.Square(9)))
	require.Len(t, m.batches(), 6)
	require.Zero(t, s.Stats().Rows, "warming is not work")
}

// TestManyCallers: many callers, several sizes, cache, eviction and Close at once, for the race
// detector.
func TestManyCallers(t *testing.T) {
	m := &hooked{Model: nntest.HashModel(3)}
	s, err := nn.NewServer(m, nn.ServerConfig{Sessions: 2, MaxBatch: 4, CacheBytes: 1 << 22})
	require.NoError(t, err)
	var all sync.WaitGroup
	for caller := range 8 {
		all.Go(func() {
			var games []*board.Game
			for i := range 6 {
				games = append(games, randomGame(t, board.Square(4+i), board.Chinese(), i, uint64(i)))
			}
			rng := rand.New(rand.NewPCG(uint64(caller), 0))
			var out nn.Output
			for range 300 {
				g := games[rng.IntN(len(games))]
				q := nn.Query{Game: g, Symmetry: nn.SymmetryRandom, NeedOwnership: rng.IntN(2) == 0, SkipCache: rng.IntN(8) == 0}
				if err := s.Evaluate(t.Context(), &q, &out); err != nil {
					assert.ErrorIs(t, err, nn.ErrClosed)
					return
				}
				requireOutput(t, g, &out)
				assert.Equal(t, q.NeedOwnership, out.HasOwnership)
			}
		})
	}
	all.Go(func() {
		for s.Stats().Rows+s.Stats().Hits < 1800 {
			s.ClearCache()
		}
		assert.NoError(t, s.Close())
	})
	all.Wait()
	require.Equal(t, m.opened.Load(), m.closed.Load())
}

// TestOwnershipIsCompleted: if the cached answer to a query lacks only ownership, ownership is computed
// and added; policy and values stay as cached.
func TestOwnershipIsCompleted(t *testing.T) {
	s := newServer(t, nntest.HashModel(1), nn.ServerConfig{CacheBytes: 1 << 20, ExactCache: true})
	var first, second, third nn.Output
	q := nn.Query{Game: newGame(t, board.Square(5))}
	require.NoError(t, s.Evaluate(t.Context(), &q, &first))
	require.False(t, first.FromCache || first.HasOwnership)
	q.NeedOwnership = true
	require.NoError(t, s.Evaluate(t.Context(), &q, &second))
	require.True(t, second.HasOwnership)
	require.NoError(t, s.Evaluate(t.Context(), &q, &third))
	require.True(t, third.FromCache && third.HasOwnership)
	require.Equal(t, second.Ownership, third.Ownership)
	require.Equal(t, first.Policy, third.Policy)
	st := s.Stats()
	require.Equal(t, nn.Stats{Rows: 2, Batches: 2, Hits: 1, Misses: 2, RunTime: st.RunTime}, st)
	require.InDelta(t, 1.0/3, st.HitRate(), 1e-9)
	require.Equal(t, nn.Stats{}, st.Sub(st))
	q.SkipCache = true
	require.NoError(t, s.Evaluate(t.Context(), &q, &third))
	require.False(t, third.FromCache)
}
