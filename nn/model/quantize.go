package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
	"kosumi/nn/quant"
)

// QuantizeOptions say how [Model.Quantize] works. The zero value lets the network
// play its own calibration games.
type QuantizeOptions struct {
	Quant quant.Options
	// Calibrate and Verify are positions to collect ranges on and to judge the
	// result by. Where one is empty the network plays for it.
	Calibrate, Verify []*board.Game
	// Positions and Held are how many positions are played for; 0 means 256
	// and 128.
	Positions, Held int
	Seed            uint64
	// Progress, if not nil, is told of each stage how much of it is done.
	Progress func(stage string, done, total int)
}

// Quantized is an integer network and what is known of it.
type Quantized struct {
	Model   *onnx.Model
	Summary *quant.Summary
	Report  Report
}

// Quantize makes an 8-bit integer network for boards of one size, and compares
// it with the float one on positions that it was not calibrated on.
func (m *Model) Quantize(ctx context.Context, size board.Size, o QuantizeOptions) (*Quantized, error) {
	if o.Positions == 0 {
		o.Positions = 256
	}
	if o.Held == 0 {
		o.Held = 128
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	graph, err := m.floatGraph(size)
	if err != nil {
		return nil, err
	}
	if err := m.playFor(ctx, size, &o); err != nil {
		return nil, err
	}
	rows, err := m.calibrationRows(size, o.Calibrate, o.Seed)
	if err != nil {
		return nil, err
	}
	rows.ctx, rows.progress = ctx, o.Progress
	out, summary, err := quant.Int8(graph, rows, o.Quant)
	if err != nil {
		return nil, err
	}
	report, err := m.Compare(ctx, size, out, o.Verify, func(done int) { o.Progress("compare", done, len(o.Verify)) })
	if err != nil {
		return nil, err
	}
	return &Quantized{Model: out, Summary: summary, Report: report}, nil
}

// floatGraph returns the network's graph for a size.
func (m *Model) floatGraph(size board.Size) (*onnx.Model, error) {
	src, err := m.at(size)
	if err != nil {
		return nil, err
	}
	data, err := src.graph(size)
	if err != nil {
		return nil, err
	}
	return onnx.Read(data)
}

// playFor has the network play where positions are missing. Calibration and
// verification come from different games.
func (m *Model) playFor(ctx context.Context, size board.Size, o *QuantizeOptions) error {
	for i, p := range []struct {
		list  *[]*board.Game
		count int
	}{{&o.Calibrate, o.Positions}, {&o.Verify, o.Held}} {
		if len(*p.list) > 0 {
			continue
		}
		games, err := m.SelfPositions(ctx, size, p.count, o.Seed*2+uint64(i), func(done int) { o.Progress("play", done, p.count) })
		if err != nil {
			return err
		}
		if len(games) == 0 {
			return errors.New("the network's games gave no positions")
		}
		*p.list = games
	}
	return nil
}

// calibration are encoded rows, which a graph can be run over.
type calibration struct {
	ctx      context.Context
	model    *Model
	spec     nn.Spec
	inputs   [][]float32 // all rows of each input
	rows     int
	progress func(stage string, done, total int)
}

// calibrationRows encodes positions, each in an orientation drawn by the seed.
func (m *Model) calibrationRows(size board.Size, games []*board.Game, seed uint64) (*calibration, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	codec, err := nn.NewCodec(spec, size)
	if err != nil {
		return nil, err
	}
	c := &calibration{model: m, spec: spec, rows: len(games)}
	for i := range spec.Inputs {
		c.inputs = append(c.inputs, make([]float32, len(games)*spec.Inputs[i].Len()))
	}
	rng := rand.New(rand.NewPCG(seed, 0x73796d))
	rows := newRows(spec.Inputs, c.inputs, len(games))
	scratch := codec.NewScratch()
	for i, g := range games {
		sym := codec.Orientation(int8(rng.IntN(board.NumSymmetries)))
		if err := codec.Encode(&nn.Query{Game: g}, sym, rows[i], scratch); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// calibrationBatch is small, since all taps of a batch are in memory at once.
const calibrationBatch = 4

// Run implements quant.Runner.
func (c *calibration) Run(m *onnx.Model, taps []quant.Tap, see func(tap, rows int, data []float32) error) error {
	data, err := m.Marshal()
	if err != nil {
		return err
	}
	spec := c.spec
	spec.Outputs = nil
	for _, t := range taps {
		spec.Outputs = append(spec.Outputs, nn.TensorSpec{Name: t.Name, Shape: t.Shape})
	}
	b, err := ort.Open(data, spec, ort.Config{Library: c.model.conf.Library, MaxBatch: calibrationBatch})
	if err != nil {
		return fmt.Errorf("the instrumented network: %w", err)
	}
	defer b.Close()
	for at := 0; at < c.rows; at += calibrationBatch {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n := min(calibrationBatch, c.rows-at)
		for i, in := range b.Inputs() {
			size := spec.Inputs[i].Len()
			copy(in, c.inputs[i][at*size:(at+n)*size])
		}
		if err := b.Run(n); err != nil {
			return err
		}
		for i, out := range b.Outputs() {
			if err := see(i, n, out[:n*spec.Outputs[i].Len()]); err != nil {
				return err
			}
		}
		if c.progress != nil {
			c.progress("calibrate", at+n, c.rows)
		}
	}
	return nil
}
