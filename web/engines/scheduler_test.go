package engines

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestScheduler: one search runs at a time, the more urgent first. A more urgent search interrupts
// an analysis at once, another analysis does so after a slice.
func TestScheduler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Scheduler
		var order []string
		begin := time.Now()
		search := func(name string, urgency int, takes time.Duration) {
			go s.Do(t.Context(), urgency, func(ctx context.Context) {
				order = append(order, name)
				select {
				case <-ctx.Done():
					order = append(order, name+" cut")
				case <-time.After(takes):
				}
			})
			synctest.Wait()
		}
		search("analysis", ForAnalysis, time.Hour)
		search("second analysis", ForAnalysis, time.Second)
		time.Sleep(slice + time.Millisecond)
		synctest.Wait()
		require.Equal(t, []string{"analysis", "analysis cut", "second analysis"}, order)
		search("hint", ForHelp, time.Second)
		search("another hint", ForHelp, time.Second)
		search("move", ForMove, time.Second)
		require.NoError(t, s.Yield(t.Context()), "a review waits for all")
		require.Equal(t, []string{"second analysis cut", "hint", "move", "another hint"}, order[3:])
		require.Equal(t, slice+time.Millisecond+3*time.Second, time.Since(begin))

		ctx, stop := context.WithCancel(t.Context())
		search("move", ForMove, time.Second)
		stop()
		require.False(t, s.Do(ctx, ForMove, func(context.Context) { t.Error("its caller has gone") }))
		require.Error(t, s.Yield(ctx))
	})
}

// TestMemory: each tree gets between LeastBytes and TreeBytes, and a hundred trees exceed AllBytes
// by at most a hundred LeastBytes.
func TestMemory(t *testing.T) {
	m := Memory{one: TreeBytes}
	var all []int64
	for range 100 {
		n := m.Grant()
		require.LessOrEqual(t, n, int64(TreeBytes))
		require.GreaterOrEqual(t, n, int64(LeastBytes))
		all = append(all, n)
	}
	require.Less(t, all[99], all[0])
	require.LessOrEqual(t, m.Granted(), int64(AllBytes+100*LeastBytes))
	for _, n := range all {
		m.GiveBack(n)
	}
	require.Zero(t, m.Granted())
}
