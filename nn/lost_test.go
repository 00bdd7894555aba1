package nn_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// lose runs a test on a server whose device is lost at some run. It then checks that Close returns
// soon, and that every backend is closed once the hanging calls have returned.
func lose(t *testing.T, m *nntest.Perishable, hangs bool, c nn.ServerConfig, test func(t *testing.T, s *nn.Server)) {
	synctest.Test(t, func(t *testing.T) {
		m.Model, m.Takes = nntest.HashModel(1), 10*time.Millisecond
		if hangs {
			m.Hangs = make(chan struct{})
		}
		s, err := nn.NewServer(m, c)
		require.NoError(t, err)
		test(t, s)
		began := time.Now()
		require.NoError(t, s.Close())
		require.Less(t, time.Since(began), 10*time.Second)
		if hangs {
			close(m.Hangs)
		}
		synctest.Wait()
		require.Zero(t, m.Opened.Load(), "backends that were not closed")
	})
}

// TestDeviceIsLost: when the device fails or certainly hangs, the cores take over, and queries get
// the same answers as from a healthy device.
func TestDeviceIsLost(t *testing.T) {
	for _, how := range []string{"hangs", "fails"} {
		for _, c := range []struct{ at, sessions, atOnce int }{{7, 1, 1}, {8, 2, 1}, {9, 2, 2}, {20, 3, 2}, {7, 4, 2}} {
			t.Run(fmt.Sprintf("%s %+v", how, c), func(t *testing.T) {
				m := &nntest.Perishable{At: int64(c.at)}
				conf := nn.ServerConfig{Sessions: c.sessions, MaxBatch: 4, OneDevice: c.atOnce, FixedSymmetry: true}
				lose(t, m, how == "hangs", conf, func(t *testing.T, s *nn.Server) {
					whole := newServer(t, nntest.HashModel(1), nn.ServerConfig{FixedSymmetry: true})
					began := time.Now()
					var all sync.WaitGroup
					for i := range 20 {
						all.Go(func() {
							g := randomGame(t, board.Square(5), board.TrompTaylor(), i%10, uint64(i))
							var got, want nn.Output
							for range 10 {
								if err := s.Evaluate(t.Context(), &nn.Query{Game: g}, &got); err != nil {
									t.Error(err)
								}
							}
							if err := whole.Evaluate(t.Context(), &nn.Query{Game: g}, &want); err != nil || got.Policy != want.Policy || got.Win != want.Win {
								t.Errorf("another answer: %v", err)
							}
						})
					}
					all.Wait()
					require.NotNil(t, m.Lost.Load())
					if how == "hangs" {
						require.ErrorContains(t, *m.Lost.Load(), "it has not answered for")
						require.Greater(t, time.Since(began), 30*time.Second)
						require.Less(t, time.Since(began), 3*time.Minute)
					} else {
						require.Less(t, time.Since(began), time.Minute)
					}
				})
			})
		}
	}
}

// TestHangingWithoutWaiting: while the device hangs, cancelled jobs return within seconds, whether
// they run on the device or still wait for it, since the time for the move may be over.
func TestHangingWithoutWaiting(t *testing.T) {
	for _, sessions := range []int{1, 2, 3} {
		m := &nntest.Perishable{At: int64(1 + 2*sessions)}
		lose(t, m, true, nn.ServerConfig{Sessions: sessions, MaxBatch: 4, OneDevice: 2}, func(t *testing.T, s *nn.Server) {
			require.NoError(t, s.Warm(board.Square(5)))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			var all sync.WaitGroup
			var then atomic.Int64
			for range 30 {
				all.Add(1)
				j := &nn.Job{Query: &nn.Query{Game: newGame(t, board.Square(5))}, Out: new(nn.Output), Done: all.Done, Then: func() { then.Add(1) }}
				s.Submit(ctx, j)
				defer func() { require.ErrorIs(t, j.Err, context.DeadlineExceeded) }()
			}
			all.Wait()
			synctest.Wait()
			require.Less(t, time.Since(began), 4*time.Second)
			require.EqualValues(t, 30, then.Load())
			require.Nil(t, m.Lost.Load(), "it may answer yet")
			// Queries from now on wait until the loss is certain.
			require.NoError(t, evaluate(t.Context(), t, s, 5))
			require.NotNil(t, m.Lost.Load())
		})
	}
}

// TestClosingWhileItHangs: Close waits for a hanging run no longer than for a slow one.
func TestClosingWhileItHangs(t *testing.T) {
	m := &nntest.Perishable{At: 5}
	lose(t, m, true, nn.ServerConfig{Sessions: 2, MaxBatch: 4, OneDevice: 1}, func(t *testing.T, s *nn.Server) {
		require.NoError(t, s.Warm(board.Square(5)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, evaluate(ctx, t, s, 5), context.DeadlineExceeded)
	})
}

// TestHangingAtFirst: a board opens although the device's first run never ends.
func TestHangingAtFirst(t *testing.T) {
	m := &nntest.Perishable{At: 1}
	lose(t, m, true, nn.ServerConfig{Sessions: 2, MaxBatch: 4, OneDevice: 1}, func(t *testing.T, s *nn.Server) {
		require.NoError(t, s.Warm(board.Square(5)))
		require.ErrorContains(t, *m.Lost.Load(), "its first run has not ended after 30s")
		require.NoError(t, evaluate(t.Context(), t, s, 5))
		m.Opened.Add(-1) // the backend whose run hangs is never closed
	})
}

// TestNothingInItsPlace: without a replacement for the device every query fails and none waits.
func TestNothingInItsPlace(t *testing.T) {
	for _, how := range []string{"hangs", "fails"} {
		m := &nntest.Perishable{At: 7, Spare: errors.New("the file is gone")}
		lose(t, m, how == "hangs", nn.ServerConfig{Sessions: 3, MaxBatch: 4, OneDevice: 2}, func(t *testing.T, s *nn.Server) {
			require.NoError(t, s.Warm(board.Square(5)))
			for range 2 {
				var all sync.WaitGroup
				for range 30 {
					all.Go(func() {
						if err := evaluate(t.Context(), t, s, 5); !errors.Is(err, nn.ErrBackend) || !errors.Is(err, m.Spare) {
							t.Error(err)
						}
					})
				}
				all.Wait()
			}
		})
	}
}
