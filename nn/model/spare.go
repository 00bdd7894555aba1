package model

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/ort"
)

// spared is a session on a device whose place one on the CPU takes when the device fails:
// when it is lost, say, or hangs, or its memory is full.
type spared struct {
	nn.Backend
	model *Model
}

var _ nn.Fragile = spared{}

// Run implements [nn.Backend].
func (b spared) Run(n int) error {
	if b.model.lost.Load() {
		return nn.ErrLost
	}
	err := b.Backend.Run(n)
	if err == nil || errors.Is(err, ort.ErrBatch) || errors.Is(err, ort.ErrClosed) {
		return err
	}
	b.model.lose(err)
	return fmt.Errorf("%w: %w", nn.ErrLost, err)
}

// Lost implements [nn.Fragile].
func (b spared) Lost(why error) { b.model.lose(why) }

// openIn is how long a device may take to open a session: it may translate the network.
const openIn = 10 * time.Minute

// openOnDevice makes a session on the device, unless that hangs.
func (m *Model) openOnDevice(size board.Size, maxBatch int) (nn.Backend, error) {
	type opened struct {
		nn.Backend
		err error
	}
	done, left := make(chan opened), make(chan struct{})
	go func() {
		b, err := m.openOn(m.run, m.precision, size, maxBatch)
		select {
		case done <- opened{b, err}:
		case <-left:
			if err == nil {
				_ = b.Close()
			}
		}
	}()
	late := time.NewTimer(openIn)
	defer late.Stop()
	select {
	case o := <-done:
		return o.Backend, o.err
	case <-m.whenLost():
		close(left)
		return nil, nn.ErrLost
	case <-late.C:
		close(left)
		return nil, fmt.Errorf("it was not ready after %v", openIn)
	}
}

// whenLost returns a channel that is closed when the device is lost.
func (m *Model) whenLost() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone == nil {
		m.gone = make(chan struct{})
	}
	return m.gone
}

// lose gives the device up, and says so once.
func (m *Model) lose(why error) {
	if m.lost.CompareAndSwap(false, true) {
		m.whenLost()
		close(m.gone)
		m.conf.Log.Warn(m.run.name()+" failed: the CPU takes over with the same network", "error", withAdvice(why))
	}
}

// openSpare makes a session on the CPU, whose batches are small there.
func (m *Model) openSpare(size board.Size, maxBatch int) (nn.Backend, error) {
	c := m.conf
	if c.Precision == halfPrecision {
		c.Precision = autoPrecision
	}
	run, err := processorRunner(c, m.source, m.run.name()+" failed")
	if err != nil {
		return nil, err
	}
	precision, _, err := precisionOf(c, m.source, run)
	if err != nil {
		return nil, err
	}
	_, batch, _ := plan(run.name())
	return m.openOn(run, precision, size, min(maxBatch, batch))
}

// withAdvice adds what to do about a device whose memory is full.
func withAdvice(err error) error {
	text := strings.ToLower(err.Error())
	for _, sign := range []string{"out of memory", "out_of_memory", "outofmemory", "failed to allocate", "memory allocation", "device_memory"} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%w; its memory is full: a smaller --batch, --sessions 1 or --provider cpu takes less of it", err)
		}
	}
	return err
}
