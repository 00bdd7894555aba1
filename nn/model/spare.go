package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/ort"
)

// spared is a session on a device. When the device fails (it is lost or hangs, or its
// memory is full) a session on the CPU replaces this one.
type spared struct {
	nn.Backend
	model *Model
	busy  *sync.Mutex // held during a run
}

var _ nn.Fragile = spared{}

func (b spared) Run(n int) error {
	if b.model.lost.Load() {
		return nn.ErrLost
	}
	b.busy.Lock()
	defer b.busy.Unlock()
	err := b.Backend.Run(n)
	if err == nil || errors.Is(err, ort.ErrBatch) || errors.Is(err, ort.ErrClosed) {
		return err
	}
	b.model.lose(err)
	return fmt.Errorf("%w: %w", nn.ErrLost, err)
}

func (b spared) Lost(why error) { b.model.lose(why) }

// closeIn limits the time in which a device closes a session.
const closeIn = 5 * time.Second

// Close closes the session. A session that still computes, or hangs while it is closed, is
// abandoned.
func (b spared) Close() error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), closeIn, fmt.Errorf("%s has not closed its session after %v", b.model.run.name, closeIn))
	defer cancel()
	_, err := nn.Await(ctx, func() (struct{}, error) {
		b.busy.Lock()
		defer b.busy.Unlock()
		return struct{}{}, b.Backend.Close()
	}, nil)
	return err
}

// openOnDevice makes a session on the device within a time limit: a multiple of the time that an
// earlier session took. Without an earlier one the limit is readyIn if "auto" chose the device, else
// [ort.OpenIn].
func (m *Model) openOnDevice(size board.Size, maxBatch int) (nn.Backend, error) {
	patience := ort.OpenIn(m.run.name)
	if took := time.Duration(m.opened.Load()); took > 0 {
		patience = max(readyIn/4, 10*took).Round(time.Second)
	} else if isAuto(m.conf.Provider) {
		patience = readyIn
	}
	ctx, cancel := context.WithTimeoutCause(m.alive, patience, fmt.Errorf("%s has not made a session after %v", m.run.name, patience))
	defer cancel()
	defer time.AfterFunc(readyIn, func() {
		m.conf.Log.Info(fmt.Sprintf("waiting for %s, %v at most; --provider cpu does without it", m.run.name, patience))
	}).Stop()
	began := time.Now()
	b, err := nn.Await(ctx, func() (nn.Backend, error) { return m.openOn(m.run, m.precision, size, maxBatch) }, func(b nn.Backend, err error) {
		if err == nil {
			_ = b.Close()
		}
	})
	if err == nil {
		m.opened.Store(max(m.opened.Load(), 1, int64(time.Since(began))))
	}
	return b, err
}

// lose gives up the device and logs the reason once.
func (m *Model) lose(why error) {
	if m.lost.CompareAndSwap(false, true) {
		m.stop(nn.ErrLost)
		m.conf.Log.Warn(m.run.name+" failed: the CPU takes over with the same network", "error", withAdvice(why))
	}
}

// openSpare makes a session on the CPU, with small batches.
func (m *Model) openSpare(size board.Size, maxBatch int) (nn.Backend, error) {
	c := m.conf
	if c.Precision == halfPrecision {
		c.Precision = autoPrecision
	}
	run, err := processorRunner(c, m.source, m.run.name+" failed")
	if err != nil {
		return nil, err
	}
	precision, _, err := precisionOf(c, run)
	if err != nil {
		return nil, err
	}
	_, batch, _ := plan(run.name)
	return m.openOn(run, precision, size, min(maxBatch, batch))
}

// withAdvice adds advice to an error if it says that the device's memory is full.
func withAdvice(err error) error {
	text := strings.ToLower(err.Error())
	for _, sign := range []string{"out of memory", "out_of_memory", "outofmemory", "failed to allocate", "memory allocation", "device_memory"} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%w; its memory is full: a smaller --batch, --sessions 1 or --provider cpu takes less of it", err)
		}
	}
	return err
}
