package analysis

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

func TestQueueOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	q := newQueue(1 << 20)
	var all []*task
	for range 20 {
		var some []*task
		for range 1 + rng.IntN(9) {
			some = append(some, &task{query: &query{}, priority: rng.Int64N(5) - 2})
		}
		q.add(some)
		all = append(all, some...)
	}
	// Remove some tasks from anywhere in the queue.
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
	q := newQueue(1 << 20)
	a, b := &task{query: &query{}, turn: 1}, &task{query: &query{}, turn: 2}
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
	q := newQueue(1 << 20)
	taken := make(chan *task)
	for range 3 {
		go func() {
			x, _ := q.take(t.Context())
			taken <- x
		}()
	}
	time.Sleep(10 * time.Millisecond)
	q.add([]*task{{query: &query{}, turn: 1}, {query: &query{}, turn: 2}})
	require.NotNil(t, <-taken)
	require.NotNil(t, <-taken)
	q.close()
	require.Nil(t, <-taken)
}

// TestQueueHasABound fills a queue: it has room again when one of its queries is searched or
// terminated.
func TestQueueHasABound(t *testing.T) {
	q := newQueue(100)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	big := &query{bytes: 60}
	q.add([]*task{{query: big}, {query: big, turn: 1}})
	require.True(t, q.awaitRoom(t.Context()), "each query counts once")
	q.add([]*task{{query: &query{bytes: 60}, turn: 2}})
	require.False(t, q.awaitRoom(ended))
	_, _ = q.take(t.Context())
	require.False(t, q.awaitRoom(ended), "half of it still waits")
	room := make(chan bool)
	go func() { room <- q.awaitRoom(t.Context()) }()
	_, _ = q.take(t.Context())
	require.True(t, <-room)
	q.add([]*task{{query: big}})
	require.False(t, q.awaitRoom(ended))
	q.terminate(func(*task) bool { return true })
	require.True(t, q.awaitRoom(t.Context()))
	require.Zero(t, q.size)
}

// TestFloodOfQueries sends queries for ever while none is searched: the server must stop reading.
func TestFloodOfQueries(t *testing.T) {
	turns := make([]string, 3000)
	for i := range turns {
		turns[i] = strconv.Itoa(i)
	}
	passes := strings.TrimSuffix(strings.Repeat(`["B","pass"],`, len(turns)), ",")
	for name, line := range map[string]string{
		"short": query5Text("q"),
		"turns": `{"id":"q","rules":"chinese","boardXSize":9,"boardYSize":9,"moves":[` + passes + `],"analyzeTurns":[` + strings.Join(turns, ",") + "]}",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := testConfig()
			c.MaxQueue = 8 << 20
			net := newGated(t)
			s, err := New(c, net, nil)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			before := testshared.Heap()
			served := make(chan error)
			go func() { served <- s.Serve(ctx, testshared.NewFlood(line), io.Discard) }()
			synctest.Wait() // Wait would not return while the server reads
			require.Less(t, testshared.Heap()-before, 2*c.MaxQueue, name)
			cancel()
			net.open()
			require.NoError(t, <-served)
		})
	}
}
