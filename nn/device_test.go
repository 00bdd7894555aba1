package nn_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// device is shared by sessions: it computes one batch at a time and records the number of rows in
// each.
type device struct {
	mu      sync.Mutex
	running int
	most    int // largest number of batches that ran at once
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

// TestOneDevice: a device never has more batches than allowed and always has at least one,
// while the sessions take turns at filling the next batch.
func TestOneDevice(t *testing.T) {
	for _, atOnce := range []int{1, 2} {
		for sessions := atOnce + 1; sessions <= 4; sessions++ {
			t.Run(fmt.Sprintf("%d at once, %d sessions", atOnce, sessions), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testOneDevice(t, atOnce, sessions) })
			})
		}
	}
}

func testOneDevice(t *testing.T, atOnce, sessions int) {
	d := &device{takes: time.Millisecond}
	s := nntest.Server(t, &hooked{Model: nntest.HashModel(1), onRun: d.run}, nn.ServerConfig{Sessions: sessions, MaxBatch: 16, OneDevice: atOnce})
	require.NoError(t, s.Warm(board.Square(5)))
	d.rows, d.most = nil, 0 // the sessions' first runs do not count: they happen in parallel
	ask := func(n int) {
		for range n {
			job := &nn.Job{Query: &nn.Query{Game: newGame(t, board.Square(5))}, Out: new(nn.Output), Done: func() {}}
			s.Submit(context.Background(), job)
		}
		synctest.Wait()
	}
	start := time.Now()
	ask(1)
	require.Equal(t, []int{1}, d.rows)
	if atOnce > 1 {
		ask(1)
		require.Equal(t, []int{1, 1}, d.rows, "as many jobs wait as were under way at most")
	}
	ask(5)
	ask(9)
	require.Len(t, d.rows, atOnce, "the device is busy")
	ask(20)
	time.Sleep(10 * time.Millisecond)
	synctest.Wait()
	total := 0
	for _, n := range d.rows {
		total += n
	}
	require.Equal(t, 34+atOnce, total)
	require.Equal(t, atOnce, d.most)
	require.Equal(t, []int{16, 16, 2}, d.rows[atOnce:], "filled one after the other while the device was busy")
	require.GreaterOrEqual(t, time.Since(start), 10*time.Millisecond)
}

// TestDeviceStaysBusy keeps many jobs pending as a search does: each answer is followed by a new
// job. A device that may have two batches at a time always has one, although answers take a while
// and no batch is full.
func TestDeviceStaysBusy(t *testing.T) {
	for _, under := range []int{2, 9, 23, 60, 200} {
		t.Run(fmt.Sprint(under), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &queuedDevice{takes: time.Millisecond}
				s := nntest.Server(t, &hooked{Model: nntest.HashModel(1), onRun: d.run}, nn.ServerConfig{Sessions: 3, MaxBatch: 64, OneDevice: 2})
				require.NoError(t, s.Warm(board.Square(5)))
				d.mu.Lock()
				d.busy, d.rows, d.batches = 0, 0, 0
				d.mu.Unlock()
				again, end := make(chan *nn.Job, under), time.Now().Add(300*time.Millisecond)
				for range under {
					j := &nn.Job{Query: &nn.Query{Game: newGame(t, board.Square(5))}, Out: new(nn.Output)}
					j.Done = func() { again <- j }
					again <- j
				}
				began := time.Now()
				for j := range again {
					if time.Now().After(end) {
						break
					}
					time.Sleep(500 * time.Microsecond / time.Duration(under)) // time that the search takes between two jobs
					s.Submit(context.Background(), j)
				}
				took := time.Since(began)
				require.NoError(t, s.Close())
				require.Less(t, took-d.busy, took/20, "the device stood idle")
				require.Greater(t, float64(d.rows)/float64(d.batches), 0.4*float64(min(under, 2*64)), "batches of half of those under way")
			})
		})
	}
}

// queuedDevice computes batches in order and reports each some time after computing it.
type queuedDevice struct {
	mu            sync.Mutex
	takes, busy   time.Duration
	free          time.Time
	rows, batches int
}

func (d *queuedDevice) run(n int) error {
	d.mu.Lock()
	if now := time.Now(); d.free.Before(now) {
		d.free = now
	}
	d.free = d.free.Add(d.takes)
	d.busy += d.takes
	d.rows += n
	d.batches++
	done := d.free
	d.mu.Unlock()
	time.Sleep(time.Until(done) + d.takes/5)
	return nil
}

// TestTopUp: a batch gets as many rows as possible, with little padding.
func TestTopUp(t *testing.T) {
	for _, most := range []int{1, 8, 50, 64, 100} {
		for rows := range most {
			for queued := range most + 10 {
				n := nn.TopUp(rows, queued, most)
				require.True(t, n >= 0 && n <= queued && rows+n <= most)
				if rows == 0 && queued > 0 {
					require.Positive(t, n)
					all := min(most, nn.Shape(n))
					require.LessOrEqual(t, all-n, all/16)
				}
				if rows+queued >= most {
					require.Equal(t, most, rows+n)
				}
			}
		}
	}
}

// TestOneDeviceFails: a failing device answers every job with an error and is used again
// afterwards.
func TestOneDeviceFails(t *testing.T) {
	d := &device{}
	s := newServer(t, &hooked{Model: nntest.HashModel(1), onRun: d.run}, nn.ServerConfig{Sessions: 2, MaxBatch: 4, OneDevice: 1})
	require.NoError(t, s.Warm(board.Square(5)))
	d.most = 0
	require.NoError(t, evaluate(t.Context(), t, s, 5))
	d.fails = errors.New("no")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := evaluate(t.Context(), t, s, 5); !errors.Is(err, nn.ErrBackend) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	d.fails = nil
	require.NoError(t, evaluate(t.Context(), t, s, 5))
	require.Equal(t, 1, d.most)
}
