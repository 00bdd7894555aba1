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

func TestHashModelDependsOnPositionOnly(t *testing.T) {
	a := newServer(t, nntest.HashModel(1), nn.ServerConfig{Sessions: 2, Seed: 5})
	b := newServer(t, nntest.HashModel(1), nn.ServerConfig{Seed: 6})
	other := newServer(t, nntest.HashModel(2), nn.ServerConfig{})
	g := randomGame(t, board.Square(9), board.Japanese(), 30, 1)
	h := randomGame(t, board.Square(9), board.Japanese(), 31, 1)
	ask := func(s *nn.Server, g *board.Game) nn.Output {
		var out nn.Output
		require.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: g, Symmetry: nn.SymmetryRandom, NeedOwnership: true}, &out))
		requireOutput(t, g, &out)
		require.True(t, out.HasScore && out.HasOwnership)
		require.Positive(t, min(out.ErrScore, out.ErrWinLoss, out.VarTimeLeft, out.NoResult))
		out.Symmetry = 0 // drawn at random, without effect on the result
		return out
	}
	require.Equal(t, ask(a, g), ask(b, g))
	require.NotEqual(t, ask(a, g).Policy, ask(a, h).Policy)
	require.NotEqual(t, ask(a, g).Policy, ask(other, g).Policy)
}

func TestConfigIsValidated(t *testing.T) {
	_, err := nn.NewServer(nntest.Uniform(), nn.ServerConfig{Sessions: -1, MaxBatch: -1, MaxSizes: -1, CacheBytes: -1})
	require.ErrorContains(t, err, "sessions")
	require.ErrorContains(t, err, "batch")
	require.ErrorContains(t, err, "sizes")
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

// TestBatchesFormWhileTheBackendIsBusy: while one batch runs, further queries gather and run
// together, up to the largest batch.
func TestBatchesFormWhileTheBackendIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		m := &hooked{Model: nntest.HashModel(1), onRun: func(int) error { <-gate; return nil }}
		s, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 4})
		require.NoError(t, err)
		var all sync.WaitGroup
		ask := func() {
			all.Go(func() {
				var out nn.Output
				assert.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: newGame(t, board.Square(5))}, &out))
			})
		}
		ask()
		synctest.Wait() // the first row runs alone
		for range 6 {
			ask()
		}
		synctest.Wait()
		close(gate)
		all.Wait()
		require.Equal(t, []int{1, 4, 2}, m.batches())
		require.NoError(t, s.Close())
		stats := s.Stats()
		require.EqualValues(t, 7, stats.Rows)
		require.EqualValues(t, 3, stats.Batches)
		require.InDelta(t, 7.0/3, stats.MeanBatch(), 1e-9)
	})
}

// TestGivenUpWhileWaiting: a query cancelled while it waits is never evaluated; one that runs is
// answered.
func TestGivenUpWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		m := &hooked{Model: nntest.HashModel(1), onRun: func(int) error { <-gate; return nil }}
		s, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 4})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		ask := func(ctx context.Context, want error) {
			all.Go(func() {
				var out nn.Output
				assert.ErrorIs(t, s.Evaluate(ctx, &nn.Query{Game: newGame(t, board.Square(5))}, &out), want)
			})
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
		require.NoError(t, s.Close())
	})
}

func TestIdleSessionsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, rest := make(chan struct{}), make(chan struct{})
		var runs atomic.Int64
		m := &hooked{Model: nntest.HashModel(1), onRun: func(int) error {
			if runs.Add(1) <= 2 {
				<-first
			} else {
				<-rest
			}
			return nil
		}}
		s, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 8, Sessions: 2})
		require.NoError(t, err)
		var all sync.WaitGroup
		ask := func() {
			all.Go(func() {
				var out nn.Output
				assert.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: newGame(t, board.Square(5))}, &out))
			})
			synctest.Wait()
		}
		ask()
		ask()
		require.Equal(t, []int{1, 1}, m.batches(), "both sessions work")
		for range 8 {
			ask()
		}
		close(first)
		synctest.Wait()
		close(rest)
		all.Wait()
		total := 0
		for _, n := range m.batches() {
			total += n
		}
		require.Equal(t, 10, total)
		require.NoError(t, s.Close())
	})
}

// TestSessionsThatComeFromABatchShare: a session that finishes a batch shares new queries with
// the others; none takes all of them.
func TestSessionsThatComeFromABatchShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := make(chan chan struct{}, 8)
		m := &hooked{Model: nntest.HashModel(1), onRun: func(int) error {
			gate := make(chan struct{})
			gates <- gate
			<-gate
			return nil
		}}
		s, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 8, Sessions: 2})
		require.NoError(t, err)
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
		synctest.Wait() // four wait, and the caller that added them has not returned yet
		close(other)
		synctest.Wait()
		require.Equal(t, []int{1, 1, 2}, m.batches())
		close(hold)
		synctest.Wait()
		require.Equal(t, []int{1, 1, 2, 2}, m.batches())
		close(<-gates)
		close(<-gates)
		all.Wait()
		require.NoError(t, s.Close())
	})
}

func TestBackendErrorReachesTheWholeBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("out of memory")
		gate := make(chan struct{})
		var runs atomic.Int64
		m := &hooked{Model: nntest.HashModel(1), onRun: func(int) error {
			<-gate
			if runs.Add(1) == 2 {
				return broken
			}
			return nil
		}}
		s, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 8, CacheBytes: 1 << 24})
		require.NoError(t, err)
		var all sync.WaitGroup
		var failed atomic.Int64
		ask := func(moves int) {
			all.Go(func() {
				var out nn.Output
				err := s.Evaluate(t.Context(), &nn.Query{Game: randomGame(t, board.Square(5), board.Chinese(), moves, 1)}, &out)
				if err != nil {
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
		require.NoError(t, s.Close())
	})
}

func TestCloseAnswersWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		m := &hooked{Model: nntest.HashModel(1), onRun: func(int) error { <-gate; return nil }}
		s, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 2, Sessions: 2})
		require.NoError(t, err)
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() {
				var out nn.Output
				assert.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: newGame(t, board.Square(5))}, &out))
			})
		}
		synctest.Wait()
		done := make(chan error)
		go func() { done <- s.Close() }()
		synctest.Wait()
		var out nn.Output
		require.ErrorIs(t, s.Evaluate(t.Context(), &nn.Query{Game: newGame(t, board.Square(5))}, &out), nn.ErrClosed)
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
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		m := &hooked{Model: nntest.HashModel(1), onOpen: func(s board.Size) error {
			if s.W == 19 {
				<-gate
			}
			return nil
		}}
		s, err := nn.NewServer(m, nn.ServerConfig{Sessions: 3})
		require.NoError(t, err)
		ask := func(ctx context.Context, n int) error {
			var out nn.Output
			return s.Evaluate(ctx, &nn.Query{Game: newGame(t, board.Square(n))}, &out)
		}
		var all sync.WaitGroup
		var answered atomic.Int64
		for range 4 {
			all.Go(func() {
				assert.NoError(t, ask(t.Context(), 19))
				answered.Add(1)
			})
		}
		synctest.Wait()
		require.NoError(t, ask(t.Context(), 9))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, ask(ctx, 19), context.DeadlineExceeded)
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
	var out nn.Output
	q := &nn.Query{Game: newGame(t, board.Square(9))}
	err := s.Evaluate(t.Context(), q, &out)
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, err, nn.ErrBackend)
	fail = false
	require.NoError(t, s.Evaluate(t.Context(), q, &out))
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
		m := &hooked{Model: nntest.HashModel(1), spec: func(s *nn.Spec) { change(s) }}
		s := newServer(t, m, nn.ServerConfig{})
		require.ErrorIs(t, s.Warm(board.Square(9)), nn.ErrSpec, name)
		require.Equal(t, m.opened.Load(), m.closed.Load(), name)
	}
	m := &hooked{Model: nntest.HashModel(1), spec: func(s *nn.Spec) { s.Sizes.Fixed = board.Square(19) }}
	require.ErrorIs(t, newServer(t, m, nn.ServerConfig{}).Warm(board.Square(9)), nn.ErrSize)
}

func TestLeastRecentlyUsedSizeIsClosed(t *testing.T) {
	m := &hooked{Model: nntest.HashModel(1)}
	s := newServer(t, m, nn.ServerConfig{MaxSizes: 2})
	var out nn.Output
	ask := func(n int) {
		require.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: newGame(t, board.Square(n))}, &out))
	}
	ask(5)
	ask(7)
	ask(5)
	require.EqualValues(t, 2, m.opened.Load())
	ask(9) // 7 was least recently used
	require.EqualValues(t, 1, m.closed.Load())
	ask(5)
	require.EqualValues(t, 3, m.opened.Load(), "5 is still open")
	ask(7)
	require.EqualValues(t, 4, m.opened.Load())
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
	s, err := nn.NewServer(m, nn.ServerConfig{Sessions: 2, MaxBatch: 4, MaxSizes: 2, CacheBytes: 1 << 22})
	require.NoError(t, err)
	var all sync.WaitGroup
	for caller := range 8 {
		all.Go(func() {
			var games []*board.Game
			for i := range 6 {
				games = append(games, randomGame(t, board.Square(4+i%3), board.Chinese(), i, uint64(i)))
			}
			rng := rand.New(rand.NewPCG(uint64(caller), 0))
			var out nn.Output
			for range 300 {
				g := games[rng.IntN(len(games))]
				q := nn.Query{Game: g, Symmetry: nn.SymmetryRandom, NeedOwnership: rng.IntN(2) == 0, SkipCache: rng.IntN(8) == 0}
				if err := s.Evaluate(context.Background(), &q, &out); err != nil {
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

// TestOwnershipIsCompleted: a query for which only ownership is missing gets it, and keeps policy
// and values.
func TestOwnershipIsCompleted(t *testing.T) {
	s, err := nn.NewServer(nntest.HashModel(1), nn.ServerConfig{CacheBytes: 1 << 20, ExactCache: true})
	require.NoError(t, err)
	defer s.Close()
	g, err := board.NewGame(board.Square(5), board.Chinese())
	require.NoError(t, err)
	var first, second, third nn.Output
	q := nn.Query{Game: g}
	require.NoError(t, s.Evaluate(context.Background(), &q, &first))
	require.False(t, first.FromCache || first.HasOwnership)
	q.NeedOwnership = true
	require.NoError(t, s.Evaluate(context.Background(), &q, &second))
	require.True(t, second.HasOwnership)
	require.NoError(t, s.Evaluate(context.Background(), &q, &third))
	require.True(t, third.FromCache && third.HasOwnership)
	require.Equal(t, second.Ownership, third.Ownership)
	require.Equal(t, first.Policy, third.Policy)
	require.Equal(t, nn.Stats{Rows: 2, Batches: 2, Hits: 1, Misses: 2}, func() nn.Stats {
		st := s.Stats()
		st.RunTime = 0
		return st
	}())
	st := s.Stats()
	require.InDelta(t, 1.0/3, st.HitRate(), 1e-9)
	require.Equal(t, nn.Stats{}, st.Sub(st))
	q.SkipCache = true
	require.NoError(t, s.Evaluate(context.Background(), &q, &third))
	require.False(t, third.FromCache)
}
