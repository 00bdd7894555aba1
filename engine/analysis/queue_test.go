package analysis

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQueueOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	q := newQueue()
	var all []*task
	for range 20 {
		var some []*task
		for range 1 + rng.IntN(9) {
			some = append(some, &task{priority: rng.Int64N(5) - 2})
		}
		q.add(some)
		all = append(all, some...)
	}
	// Some are taken out again, from anywhere.
	odd := map[*task]bool{}
	for i, x := range all {
		odd[x] = i%3 == 0
	}
	out, _ := q.terminate(func(x *task) bool { return odd[x] })
	require.Equal(t, slices.DeleteFunc(slices.Clone(all), func(x *task) bool { return !odd[x] }), out, "in order of arrival")
	left := slices.DeleteFunc(slices.Clone(all), func(x *task) bool { return odd[x] })
	slices.SortStableFunc(left, func(a, b *task) int { return int(b.priority - a.priority) })
	q.close()
	for _, want := range left {
		got, ctx := q.take(t.Context())
		require.Same(t, want, got, "priority first, then arrival")
		require.NoError(t, ctx.Err())
		q.finish(got)
		require.Error(t, ctx.Err())
	}
	none, _ := q.take(t.Context())
	require.Nil(t, none)
}

func TestQueueTerminatesRunning(t *testing.T) {
	q := newQueue()
	a, b := &task{turn: 1}, &task{turn: 2}
	q.add([]*task{a, b})
	_, ctxA := q.take(t.Context())
	_, ctxB := q.take(t.Context())
	waiting, stop := q.terminate(func(x *task) bool { return x == b })
	require.Empty(t, waiting)
	require.NoError(t, ctxB.Err(), "not before it is told to")
	stop()
	require.NoError(t, ctxA.Err())
	require.ErrorIs(t, ctxB.Err(), context.Canceled)
	q.finish(b)
	waiting, stop = q.terminate(func(*task) bool { return true })
	stop()
	require.Empty(t, waiting, "what has finished is gone")
	require.Error(t, ctxA.Err())
}

func TestQueueWakesWorkers(t *testing.T) {
	q := newQueue()
	taken := make(chan *task)
	for range 3 {
		go func() {
			x, _ := q.take(t.Context())
			taken <- x
		}()
	}
	time.Sleep(10 * time.Millisecond)
	q.add([]*task{{turn: 1}, {turn: 2}})
	require.NotNil(t, <-taken)
	require.NotNil(t, <-taken)
	q.close()
	require.Nil(t, <-taken)
}
