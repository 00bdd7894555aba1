package nntest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"kosumi/board"
	"kosumi/nn"
)

// Perishable is a model whose device is lost at some point; afterwards it runs on cores.
type Perishable struct {
	nn.Model
	At    int64         // number of the run that loses the device, from 1
	Hangs chan struct{} // run At and all later runs block until this channel is closed; nil: they fail at once
	Takes time.Duration // duration of runs before At
	Spare error         // error that Open returns once the device is lost; nil: it opens a backend on cores

	// Lost is why the device was lost; nil until then. Opened is the number of open backends.
	Lost   atomic.Pointer[error]
	Opened atomic.Int64

	runs atomic.Int64
}

func (m *Perishable) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	gone := m.Lost.Load() != nil
	if gone && m.Spare != nil {
		return nil, m.Spare
	}
	b, err := m.Model.Open(size, maxBatch)
	m.Opened.Add(1)
	if gone {
		return opened{b, m}, err
	}
	return onDevice{opened{b, m}}, err
}

type opened struct {
	nn.Backend
	m *Perishable
}

func (b opened) Close() error {
	b.m.Opened.Add(-1)
	return b.Backend.Close()
}

type onDevice struct{ opened }

func (b onDevice) Run(n int) error {
	switch at := b.m.runs.Add(1); {
	case b.m.Lost.Load() != nil:
		return nn.ErrLost
	case at < b.m.At:
		time.Sleep(b.m.Takes)
		return b.Backend.Run(n)
	case b.m.Hangs == nil:
		err := errors.New("VK_ERROR_DEVICE_LOST")
		b.m.Lost.CompareAndSwap(nil, &err)
		return fmt.Errorf("%w: %w", nn.ErrLost, err)
	}
	<-b.m.Hangs
	return b.Backend.Run(n) // nobody reads the outputs
}

func (b onDevice) Lost(err error) { b.m.Lost.CompareAndSwap(nil, &err) }
