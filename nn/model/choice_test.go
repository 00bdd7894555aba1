package model

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/ort"
)

// newChooser returns a chooser that logs to a writer, for the built-in network. Before it calls
// choose, a test sets the functions candidates and rate.
func newChooser(lib ort.Library, log io.Writer, size int) *chooser {
	return &chooser{conf: Config{Size: board.Square(size), Log: slog.New(slog.NewTextHandler(log, nil))}, lib: lib,
		open: func() (source, error) { return readBuiltIn() }, load: func() error { return nil }}
}

// TestStartsThatEnd: if a driver hangs or crashes the program while auto tries it, the next start
// does not call the driver, on any board, and says why and how to try again.
func TestStartsThatEnd(t *testing.T) {
	lib := loaded(t)
	dies := func() error { panic("the driver crashes") }
	hangs := func() error { return fmt.Errorf("cuda: %w: no answer for 30s", ort.ErrHangs) }
	well := func() error { return nil }
	for name, c := range map[string]struct {
		load, ask, rate func() error
		says            string
		fails           bool // the next start fails, instead of using the CPU
	}{
		"dies in loading":   {dies, well, well, "an earlier start ended while it loaded " + lib.Path, true},
		"dies when asked":   {well, dies, well, "an earlier start ended while it asked " + lib.Path + " for devices", false},
		"dies in measuring": {well, well, dies, "an earlier start ended while it measured cuda, webgpu", false},
		"hangs in loading":  {hangs, well, well, "no answer for 30s", true},
		"hangs when asked":  {well, hangs, well, "no answer for 30s", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			var log bytes.Buffer
			calls := 0
			start := func(size int) (choice, error) {
				ch := newChooser(lib, &log, size)
				ch.load = func() error { calls++; return c.load() }
				ch.candidates = func() ([]string, error) { return []string{"cuda", "webgpu"}, c.ask() }
				ch.rate = func(context.Context, source, string, time.Duration) (float64, error) { return 1, c.rate() }
				require.NoError(t, ch.places())
				defer func() { _ = recover() }()
				return ch.choose()
			}
			_, _ = start(9)
			for _, size := range []int{9, 13} {
				log.Reset()
				next, err := start(size)
				require.Equal(t, 1, calls, "the driver is not called again")
				require.Empty(t, next.Device)
				if said := log.String(); c.fails {
					require.ErrorContains(t, err, c.says)
					require.ErrorContains(t, err, "; remove ")
				} else {
					require.NoError(t, err)
					require.Contains(t, next.Why, c.says)
					require.Equal(t, 1, strings.Count(said, "no device is used: "), said)
				}
				at, _, _ := strings.Cut(fmt.Sprint(next.Why, err), " to try again")
				_, at, _ = strings.Cut(at, "; remove ")
				require.FileExists(t, at)
				if size == 13 {
					require.NoError(t, os.Remove(at))
				}
			}
			c.load, c.ask, c.rate = well, well, well
			found, err := start(13)
			require.NoError(t, err)
			require.Contains(t, found.Why, "the fastest here")
		})
	}
}

// TestOneStartTries: a start waits while another one tries the devices, and uses its result.
func TestOneStartTries(t *testing.T) {
	lib := loaded(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var measured atomic.Int64
	var all sync.WaitGroup
	for range 3 {
		ch := newChooser(lib, io.Discard, 9)
		ch.candidates = func() ([]string, error) { return []string{"cuda"}, nil }
		ch.rate = func(_ context.Context, _ source, provider string, _ time.Duration) (float64, error) {
			measured.Add(1)
			time.Sleep(100 * time.Millisecond)
			return float64(1 + len(provider)), nil
		}
		require.NoError(t, ch.places())
		all.Go(func() {
			if found, err := ch.choose(); err != nil || found.Device != "cuda" {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 2, measured.Load())
}

func TestMeasured(t *testing.T) {
	lib := loaded(t)
	src, err := openSource("", Overrides{})
	require.NoError(t, err)
	ch := newChooser(lib, io.Discard, 5)
	rate, err := ch.measured(t.Context(), src, "", time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, rate)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ch.measured(over, src, "", time.Millisecond)
	require.ErrorIs(t, err, context.Canceled)
	_, err = ch.measured(t.Context(), src, "vitisai", time.Millisecond)
	require.Error(t, err, "no library that is fetched has it")
}

// TestDeviceOfNone: a device number is an error for a provider without devices, and a warning if
// "auto" found no device.
func TestDeviceOfNone(t *testing.T) {
	for _, provider := range []string{Kernel, OnnxGo} {
		_, err := Open("", Config{Provider: provider, Device: 5})
		require.ErrorIs(t, err, ErrProvider)
		require.ErrorContains(t, err, "device 5 of "+provider)
	}
	var log bytes.Buffer
	_, err := Open("", Config{Device: 5, Log: slog.New(slog.NewTextHandler(&log, nil)), auto: &choice{}})
	require.NoError(t, err)
	require.Contains(t, log.String(), "no other device is used")
}

// TestNumbersSuitTheProvider: by default a device gets few sessions and large batches.
func TestNumbersSuitTheProvider(t *testing.T) {
	cores, eight, _ := plan(ort.CPU)
	for provider, device := range map[string]bool{"cpu": false, "CPU": false, "auto": false, "": false, OnnxGo: false, "cuda": true, "webgpu": true, "plugin": true} {
		s := DefaultSettings()
		s.Provider = provider
		require.Equal(t, device, s.OnDevice(), provider)
		require.Equal(t, device, s.ServerConfig(1).OneDevice > 0, provider)
		sessions, batch := s.SessionCount(), s.BatchSize()
		if !device {
			require.Equal(t, []int{cores, eight}, []int{sessions, batch}, provider)
			continue
		}
		require.Less(t, sessions, 8, provider)
		require.Greater(t, batch, eight, provider)
		s.Sessions, s.Batch = 5, 7
		require.Equal(t, []int{5, 7}, []int{s.SessionCount(), s.BatchSize()}, "what was set by hand stays")
	}
	s := DefaultSettings()
	s.auto = &choice{Device: "cuda"}
	require.True(t, s.OnDevice(), "auto has found one")
}
