package model

import (
	"errors"
	"fmt"
	"strings"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/ort"
)

// spared is a session on a device whose place one on the CPU takes when the device
// fails: when it is lost, say, or its memory is full.
type spared struct {
	nn.Backend // on the device; callers fill and read its memory, whoever computes
	model      *Model
	spec       nn.Spec
	size       board.Size
	cpu        nn.Backend // once the device has failed
}

// Run implements [nn.Backend].
func (b *spared) Run(n int) error {
	if b.cpu == nil {
		if !b.model.lost.Load() {
			err := b.Backend.Run(n)
			if err == nil || errors.Is(err, ort.ErrBatch) || errors.Is(err, ort.ErrClosed) {
				return err
			}
			b.model.lose(err)
		}
		var err error
		if b.cpu, err = b.model.openSpare(b.size, b.MaxBatch()); err != nil {
			return fmt.Errorf("the CPU cannot take the place of %s, which failed: %w", b.model.run.name(), err)
		}
	}
	copyRows(b.cpu.Inputs(), b.Inputs(), b.spec.Inputs, n)
	err := b.cpu.Run(n)
	copyRows(b.Outputs(), b.cpu.Outputs(), b.spec.Outputs, n)
	return err
}

// copyRows copies the first n rows of each tensor.
func copyRows(to, from [][]float32, tensors []nn.TensorSpec, n int) {
	for i := range tensors {
		copy(to[i], from[i][:n*tensors[i].Len()])
	}
}

// Close implements [nn.Backend].
func (b *spared) Close() error {
	err := b.Backend.Close()
	if b.cpu != nil {
		err = errors.Join(err, b.cpu.Close())
	}
	return err
}

// lose gives the device up, and says so once.
func (m *Model) lose(why error) {
	if m.lost.CompareAndSwap(false, true) {
		m.conf.Log.Warn(m.run.name()+" failed: the CPU takes over with the same network", "error", withAdvice(why))
	}
}

// openSpare makes a session on the CPU.
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
	return m.openOn(run, precision, size, maxBatch)
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
