package model

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/nn/ort"
)

// pretended is a device made of CPU sessions that fail when the test says so.
type pretended struct {
	on   runner
	runs atomic.Int64
	// The test may set these functions. opens is called before a session is opened, fails before
	// each run, and closes before a session is closed.
	opens, fails func(n int64) error
	closes       func()
}

func (p *pretended) open(w work) (nn.Backend, error) {
	if p.opens != nil {
		if err := p.opens(p.runs.Load()); err != nil {
			return nil, err
		}
	}
	b, err := p.on.open(w)
	return failing{b, p}, err
}

type failing struct {
	nn.Backend
	device *pretended
}

func (f failing) Run(n int) error {
	if err := f.device.fails(f.device.runs.Add(1)); err != nil {
		clear(f.Outputs()[0]) // outputs of a lost device must not be used
		return err
	}
	return f.Backend.Run(n)
}

func (f failing) Close() error {
	if f.device.closes != nil {
		f.device.closes()
	}
	return f.Backend.Close()
}

// loaded returns the onnxruntime library; without it the test skips.
func loaded(t *testing.T) ort.Library {
	t.Helper()
	lib, err := ort.Load("")
	if err != nil {
		testshared.Absent(t, "run `make deps` first: %v", err)
	}
	return lib
}

// onPretended opens the built-in network on a pretended device.
func onPretended(t *testing.T, c Config, p *pretended) *Model {
	t.Helper()
	lib := loaded(t)
	src, err := openSource("", Overrides{})
	require.NoError(t, err)
	p.on = ortRunner(c, ort.CPU, lib, "")
	m := newModel(c, src, runner{"webgpu", "for a test", p.open})
	m.precision = floatPrecision
	return m
}

func served(t *testing.T, m nn.Model, sessions int) *nn.Server {
	t.Helper()
	return nntest.Server(t, m, nn.ServerConfig{Sessions: sessions, MaxBatch: 4, FixedSymmetry: true, OneDevice: 1})
}

var errLost = errors.New("VK_ERROR_DEVICE_LOST")

// asked returns a server's answer for the position of a game.
func asked(t *testing.T, s *nn.Server, g *board.Game) (nn.Output, error) {
	t.Helper()
	var out nn.Output
	err := s.Evaluate(t.Context(), &nn.Query{Game: g}, &out)
	return out, err
}

func newGame(t *testing.T, size int) *board.Game {
	t.Helper()
	return testshared.Game(t, board.Square(size), board.Chinese())
}

// TestDeviceLost loses a device during a game, or lets it hang: every position is answered as on
// the CPU, also on another board later, and one log line reports the loss.
func TestDeviceLost(t *testing.T) {
	for name, c := range map[string]struct {
		after int64 // runs that end well
		says  string
	}{
		"at once":       {1, errLost.Error()},
		"in the middle": {9, errLost.Error()},
		"hangs":         {5, "it has not answered for 31s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				hangs := make(chan struct{})
				m := onPretended(t, Config{Provider: "webgpu", Log: slog.New(slog.NewTextHandler(&log, nil))}, &pretended{fails: func(n int64) error {
					switch {
					case n <= c.after:
						return nil
					case name == "hangs":
						<-hangs
					}
					return errLost
				}})
				on := served(t, m, 2)
				t.Cleanup(func() { close(hangs) })
				cpu, err := Open("", Config{Provider: ort.CPU})
				require.NoError(t, err)
				want := served(t, cpu, 2)
				began := time.Now()
				for _, size := range []int{9, 7} {
					g := newGame(t, size)
					for range 12 {
						got, err := asked(t, on, g)
						require.NoError(t, err)
						exact, err := asked(t, want, g)
						require.NoError(t, err)
						require.InDelta(t, exact.Value(), got.Value(), 1e-3)
						policy := got.Policy[:g.Size().Area()+1]
						require.InDeltaSlice(t, exact.Policy[:len(policy)], policy, 1e-3)
						require.NoError(t, g.Play(g.ToMove(), g.Size().FromIndex(slices.Index(policy, slices.Max(policy)))))
					}
				}
				require.Less(t, time.Since(began), time.Minute)
				require.Equal(t, 1, strings.Count(log.String(), "webgpu failed: the CPU takes over with the same network"), log.String())
				require.Equal(t, 1, strings.Count(log.String(), "\n"))
				require.Contains(t, log.String(), c.says)
				require.Equal(t, ort.CPU, m.Describe().Provider)
				require.Contains(t, m.Describe().Why, "webgpu failed")
			})
		})
	}
}

// TestOpeningHangs: the CPU serves another board that is opened while the device hangs.
func TestOpeningHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs, boards := make(chan struct{}), 0
		m := onPretended(t, Config{Provider: "webgpu", Log: slog.New(slog.DiscardHandler)}, &pretended{
			fails: func(n int64) error {
				if n > 1 {
					<-hangs
				}
				return nil
			},
			opens: func(int64) error {
				if boards++; boards > 1 {
					<-hangs
				}
				return nil
			},
		})
		s := served(t, m, 1)
		t.Cleanup(func() { close(hangs) })
		var all sync.WaitGroup
		began := time.Now()
		for _, size := range []int{9, 9, 7} {
			all.Go(func() {
				if out, err := asked(t, s, newGame(t, size)); err != nil || out.Policy[0] <= 0 {
					t.Error(err)
				}
			})
			time.Sleep(time.Second)
		}
		all.Wait()
		require.Less(t, time.Since(began), 3*time.Minute)
		require.Equal(t, ort.CPU, m.Describe().Provider)
	})
}

// TestNoSession: if a device hangs while opening a session, or has no memory for it, the CPU takes
// over if auto chose the device or the device has served an earlier board. If the user named a device
// and it never worked, the query fails. The answer or error comes within the time limit.
func TestNoSession(t *testing.T) {
	const full = "its memory is full: a smaller --batch"
	for name, c := range map[string]struct {
		provider string
		at       int64 // number of the session that is not made
		within   time.Duration
		says     string
		fails    bool
	}{
		"auto hangs":       {"auto", 1, readyIn, "webgpu has not made a session after 20s", false},
		"auto hangs later": {"auto", 2, readyIn / 4, "webgpu has not made a session after 5s", false},
		"name hangs":       {"webgpu", 1, 2 * time.Minute, "webgpu has not made a session after 2m0s", true},
		"name hangs later": {"webgpu", 2, readyIn / 4, "webgpu has not made a session after 5s", false},
		"auto full":        {"auto", 1, 0, full, false},
		"auto full later":  {"auto", 2, 0, full, false},
		"name full":        {"webgpu", 1, 0, full, true},
		"name full later":  {"webgpu", 2, 0, full, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				hangs := make(chan struct{})
				var opened atomic.Int64
				p := &pretended{fails: func(int64) error { return nil }, opens: func(int64) error {
					switch {
					case opened.Add(1) < c.at:
						return nil
					case c.says == full:
						return errors.New("onnxruntime: Failed to allocate memory for requested buffer of size 8589934592")
					}
					<-hangs
					return nil
				}}
				m := onPretended(t, Config{Provider: c.provider, Log: slog.New(slog.NewTextHandler(&log, nil))}, p)
				s := served(t, m, 1)
				t.Cleanup(func() { close(hangs) })
				for i, size := range []int{9, 7} {
					began := time.Now()
					out, err := asked(t, s, newGame(t, size))
					if require.LessOrEqual(t, time.Since(began), c.within); c.fails {
						require.ErrorContains(t, err, c.says)
						return
					}
					require.NoError(t, err)
					require.Positive(t, out.Policy[0])
					if int64(i+1) >= c.at {
						require.Equal(t, 1, strings.Count(log.String(), c.says), log.String())
					}
				}
			})
		})
	}
}

// TestEndWhileItHangs: ending the program does not wait for a device that hangs while it opens or
// closes a session.
func TestEndWhileItHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		m := onPretended(t, Config{Provider: "webgpu", Context: ctx, Log: slog.New(slog.DiscardHandler)}, &pretended{
			fails: func(int64) error { return nil },
			opens: func(n int64) error {
				if n > 0 {
					<-hangs
				}
				return nil
			},
			closes: func() { <-hangs },
		})
		first, err := m.Open(board.Square(5), 1)
		require.NoError(t, err)
		require.NoError(t, first.Run(1))
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		_, err = m.Open(board.Square(7), 1)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, time.Second, time.Since(began))
		require.ErrorContains(t, first.Close(), "webgpu has not closed its session after 5s")
		require.Equal(t, time.Second+closeIn, time.Since(began))
		close(hangs)
	})
}

func TestAutoTakesTheFastest(t *testing.T) {
	lib := loaded(t)
	for name, c := range map[string]struct {
		rates map[string]float64 // rate of each provider; 0 fails, below 0 never becomes ready
		want  string
		says  []string
	}{
		"a fast device": {map[string]float64{"": 100, "cuda": 250}, "cuda", []string{"the CPU 100, cuda 250"}},
		"a slow device": {map[string]float64{"": 100, "webgpu": 20}, "", []string{"the CPU 100, webgpu 20"}},
		"one fails":     {map[string]float64{"": 100, "webgpu": 0}, "", []string{"the CPU 100, webgpu failed"}},
		"one hangs":     {map[string]float64{"": 100, "webgpu": -1}, "", []string{"webgpu was not ready after 20s"}},
		"two devices":   {map[string]float64{"": 100, "webgpu": 150, "cuda": 140}, "webgpu", []string{"cuda 140", "webgpu 150"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			net := filepath.Join(t.TempDir(), "net.bin.gz")
			require.NoError(t, os.WriteFile(net, []byte("weights"), 0o600))
			var names []string
			for _, name := range devices {
				if _, ok := c.rates[name]; ok {
					names = append(names, name)
				}
			}
			var log bytes.Buffer
			measured := 0
			ch := newChooser(lib, &log, 9)
			ch.file, ch.candidates = net, func() ([]string, error) { return names, nil }
			choose := func() choice {
				require.NoError(t, ch.places())
				found, err := ch.choose()
				require.NoError(t, err)
				return found
			}
			ch.rate = func(_ context.Context, _ source, provider string, length time.Duration) (float64, error) {
				measured++
				require.Equal(t, measureFor/time.Duration(len(names)+1), length)
				switch rate := c.rates[provider]; {
				case rate < 0:
					return 0, context.DeadlineExceeded
				case rate == 0:
					return 0, errors.New("no")
				default:
					return rate, nil
				}
			}
			got := choose()
			require.Equal(t, c.want, got.Device)
			for _, text := range c.says {
				require.Contains(t, got.Why, text)
			}
			require.Contains(t, log.String(), "measuring which is faster")
			require.Contains(t, log.String(), " is the fastest here")
			require.Equal(t, got, choose(), "an earlier start has measured")
			require.Equal(t, len(names)+1, measured)
			require.NoError(t, os.WriteFile(net, []byte("other weights"), 0o600))
			choose()
			require.Equal(t, 2*(len(names)+1), measured, "another network is measured anew")
			ch.conf.Size = board.Square(13)
			choose()
			require.Equal(t, 3*(len(names)+1), measured, "and another board")
			require.Empty(t, ch.left(), "nothing is left where all goes well")
		})
	}
}
