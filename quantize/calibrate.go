package quantize

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/nn/ort"
	"kosumi/nn/quant"
)

// calibration are encoded rows, which a graph can be run over.
type calibration struct {
	ctx      context.Context
	library  string
	threads  int
	spec     nn.Spec
	inputs   [][]float32 // all rows of each input
	rows     int
	progress func(stage string, done, total int)
}

var _ quant.Runner = (*calibration)(nil)

// calibrationRows encodes positions, each in an orientation drawn by the seed.
func calibrationRows(ctx context.Context, m *model.Model, size board.Size, o Options) (*calibration, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	codec, err := nn.NewCodec(spec, size)
	if err != nil {
		return nil, err
	}
	c := &calibration{ctx: ctx, library: o.Library, threads: o.Workers, spec: spec, rows: len(o.Calibrate), progress: o.Progress}
	if c.threads <= 0 {
		c.threads = runtime.NumCPU()
	}
	if o.Rows != nil {
		return c, c.take(o.Rows)
	}
	for i := range spec.Inputs {
		c.inputs = append(c.inputs, make([]float32, c.rows*spec.Inputs[i].Len()))
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x73796d))
	rows := nn.Rows(spec.Inputs, c.inputs, c.rows)
	scratch := codec.NewScratch()
	for i, g := range o.Calibrate {
		if g.Size() != size {
			return nil, fmt.Errorf("%w: a calibration position is on %v, not %v", nn.ErrSize, g.Size(), size)
		}
		sym := codec.Orientation(int8(rng.IntN(board.NumSymmetries)))
		if err := codec.Encode(&nn.Query{Game: g, Meta: &features.Amateurs}, sym, rows[i], scratch); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// take uses rows that the caller has encoded.
func (c *calibration) take(rows [][]float32) error {
	if len(rows) != len(c.spec.Inputs) {
		return fmt.Errorf("%w: rows for %d inputs, the network has %d", nn.ErrSpec, len(rows), len(c.spec.Inputs))
	}
	for i := range rows {
		in := &c.spec.Inputs[i]
		n := len(rows[i]) / in.Len()
		if n == 0 || len(rows[i])%in.Len() != 0 || i > 0 && n != c.rows {
			return fmt.Errorf("%w: %d numbers for input %q, which takes %d a row", nn.ErrSpec, len(rows[i]), in.Name, in.Len())
		}
		c.rows = n
	}
	c.inputs = rows
	return nil
}

// calibrationBytes bounds the outputs of one batch.
const calibrationBytes = 64 << 20

// Run implements quant.Runner.
func (c *calibration) Run(p quant.Pass) error {
	data, err := p.Model.Marshal()
	if err != nil {
		return err
	}
	spec := c.spec
	spec.Outputs = nil
	bytes := 0
	for _, t := range p.Taps {
		out := nn.TensorSpec{Name: t.Name, Shape: t.Shape}
		bytes += 4 * out.Len()
		spec.Outputs = append(spec.Outputs, out)
	}
	batch := max(min(calibrationBytes/max(bytes, 1), 8, c.rows), 1)
	b, err := ort.Open(data, spec, ort.Config{Library: c.library, Threads: c.threads, MaxBatch: batch})
	if err != nil {
		return fmt.Errorf("the instrumented network: %w", err)
	}
	defer b.Close()
	for at := 0; at < c.rows; at += batch {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n := min(batch, c.rows-at)
		for i, in := range b.Inputs() {
			size := spec.Inputs[i].Len()
			copy(in, c.inputs[i][at*size:(at+n)*size])
		}
		if err := b.Run(n); err != nil {
			return err
		}
		for i, out := range b.Outputs() {
			if err := p.See(i, n, out[:n*spec.Outputs[i].Len()]); err != nil {
				return err
			}
		}
		c.progress(p.Stage, at+n, c.rows)
	}
	return nil
}
