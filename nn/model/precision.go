package model

import (
	"context"
	"fmt"
	"time"

	"kosumi/board"
)

const (
	floatPrecision = "fp32"
	int8Precision  = "int8"
)

var precisions = []string{"auto", floatPrecision, int8Precision}

// quantizerVersion changes whenever the same network would be quantized
// differently.
const quantizerVersion = "1"

// choice is the precision for one board size.
type choice struct {
	precision string
	why       string                 // for people; may be empty
	graph     func() ([]byte, error) // nil: the float graph
}

// cacheName tells graphs of different making apart.
func (c *choice) cacheName() string {
	if c.precision == int8Precision {
		return int8Precision + "q" + quantizerVersion
	}
	return c.precision
}

// choose decides on the precision for a size, once. The caller holds the state's
// mutex.
func (m *Model) choose(size board.Size, state *sized) (*choice, error) {
	if c := state.precision.Load(); c != nil {
		return c, nil
	}
	c := &choice{precision: floatPrecision}
	if m.conf.Precision == int8Precision {
		c = &choice{precision: int8Precision, why: "int8 asked for by --precision"}
		c.graph = func() ([]byte, error) { return m.int8Graph(size) }
	}
	state.precision.Store(c)
	return c, nil
}

// int8Graph quantizes the network for a size.
func (m *Model) int8Graph(size board.Size) ([]byte, error) {
	start := time.Now()
	m.conf.Log.Info("quantizing the network to int8, once for this board size", "board", fmt.Sprintf("%dx%d", size.W, size.H))
	var o QuantizeOptions
	if m.conf.Calibration != nil {
		games := m.conf.Calibration(size)
		o.Calibrate, o.Verify = games[:len(games)*3/4], games[len(games)*3/4:]
	}
	q, err := m.Quantize(context.Background(), size, o)
	if err != nil {
		return nil, err
	}
	m.conf.Log.Info("quantized", "seconds", time.Since(start).Round(time.Second/10).Seconds(), "against fp32", q.Report)
	return q.Model.Marshal()
}
