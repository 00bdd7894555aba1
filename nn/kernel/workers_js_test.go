package kernel

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWorkerEnds: a worker dies, first with a message to its session, then without one. The session
// fails, and the next one gets a new worker and the same results.
func TestWorkerEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	weights, x := normal(rng, 32*32*9, 1), normal(rng, 81*32, 1)
	start := func() *Session {
		s, step := convolution(t, 1, weights)
		_, err := s.Program([]Step{step}, 0)
		require.NoError(t, err)
		copy(s.Inputs()[0], x)
		return s
	}
	s := start()
	require.NoError(t, s.Run(1, []Pass{{}}))
	want := append([]float32(nil), s.Outputs()[0]...)
	count := Count()
	require.Equal(t, 2, count)
	for _, end := range []string{"terminate", "removeAllListeners"} {
		w := s.worker
		w.thread.Call(end)
		failed := make(chan error)
		go func() { failed <- s.Run(1, []Pass{{}}) }()
		if end != "terminate" { // the worker sends no message
			require.Eventually(t, func() bool { w.mu.Lock(); defer w.mu.Unlock(); return len(w.waiting) > 0 }, time.Minute, time.Millisecond)
			for range mostLooks {
				w.look()
			}
		}
		require.ErrorIs(t, <-failed, ErrStopped, end)
		require.ErrorIs(t, s.Run(1, []Pass{{}}), ErrStopped, end)
		s.Close()
		s = start()
		require.NoError(t, s.Run(1, []Pass{{}}), end)
		require.Equal(t, want, s.Outputs()[0])
		require.Equal(t, count, Count())
	}
	// If workers keep ending, one remains.
	for ends := 2; ends <= fewerAfter; ends++ {
		s.worker.stop(ErrStopped)
		s.Close()
		s = start()
		require.NoError(t, s.Run(1, []Pass{{}}))
		require.Equal(t, want, s.Outputs()[0])
	}
	require.Equal(t, 1, Count())
}
