package nn_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// device is one that sessions share: it computes one batch at a time, and remembers how
// many rows each had.
type device struct {
	mu      sync.Mutex
	running int
	most    int // batches at a time
	rows    []int
	takes   time.Duration
	fails   error
}

func (d *device) run(n int) error {
	d.mu.Lock()
	d.running++
	d.most = max(d.most, d.running)
	d.rows = append(d.rows, n)
	d.mu.Unlock()
	time.Sleep(d.takes)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	return d.fails
}

// TestOneDevice wants a device that is never given two batches at a time nor left without
// one, while the next batch is filled up to its end.
func TestOneDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &device{takes: time.Millisecond}
		// With a third session two would fill a batch each, and share what waits as chance has it.
		s, err := nn.NewServer(&hooked{Model: nntest.HashModel(1), onRun: d.run}, nn.ServerConfig{Sessions: 2, MaxBatch: 16, OneDevice: true})
		require.NoError(t, err)
		defer s.Close()
		require.NoError(t, s.Warm(board.Square(5)))
		d.rows, d.most = nil, 0 // sessions are warmed side by side
		start := time.Now()
		ask := func(n int) {
			for range n {
				job := &nn.Job{Query: &nn.Query{Game: newGame(t, board.Square(5))}, Out: new(nn.Output), Done: func() {}}
				s.Submit(context.Background(), job)
			}
		}
		ask(1)
		synctest.Wait() // one row runs
		require.Equal(t, []int{1}, d.rows)
		ask(5)
		synctest.Wait() // a session has taken some
		ask(9)
		synctest.Wait()
		require.Equal(t, []int{1}, d.rows, "the device is busy")
		ask(20)
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		total := 0
		for _, n := range d.rows {
			total += n
			require.LessOrEqual(t, n, 16)
		}
		require.Equal(t, 35, total)
		require.Equal(t, 1, d.most)
		require.Equal(t, 16, d.rows[1], "the second batch was filled while the first one ran")
		require.LessOrEqual(t, len(d.rows), 5, d.rows)
		require.GreaterOrEqual(t, time.Since(start), 10*time.Millisecond)
	})
}

// TestOneDeviceFails answers every job of a device that fails, and goes on after it.
func TestOneDeviceFails(t *testing.T) {
	d := &device{}
	s := newServer(t, &hooked{Model: nntest.HashModel(1), onRun: d.run}, nn.ServerConfig{Sessions: 2, MaxBatch: 4, OneDevice: true})
	require.NoError(t, s.Warm(board.Square(5)))
	d.most = 0
	evaluate := func() error {
		var out nn.Output
		return s.Evaluate(t.Context(), &nn.Query{Game: newGame(t, board.Square(5))}, &out)
	}
	require.NoError(t, evaluate())
	d.fails = errors.New("no")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := evaluate(); !errors.Is(err, nn.ErrBackend) {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	d.fails = nil
	require.NoError(t, evaluate())
	require.Equal(t, 1, d.most)
}
