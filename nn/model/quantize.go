package model

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"kosumi/board"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/quant"
)

// QuantizeOptions say how [Model.Quantize] works. The zero value lets the network
// play its own calibration games.
type QuantizeOptions struct {
	Quant quant.Options
	// Calibrate and Verify are positions to collect ranges on and to judge the
	// result by; they must be of the board size. Where one is empty the network
	// plays for it.
	Calibrate, Verify []*board.Game
	// Rows are encoded positions to collect ranges on instead of Calibrate: for
	// each of the network's inputs all rows, one after another, any number.
	Rows [][]float32
	// Positions and Held are how many positions are played for: 0 means 256
	// and 256.
	Positions, Held int
	// Games is from how many games each of them comes; 0 chooses.
	Games int
	Seed  uint64
	// Workers is how many threads work at once; 0 means one for each core.
	Workers int
	// Progress, if not nil, is told of each stage how much of it is done. It may
	// be called from several goroutines, one at a time.
	Progress func(stage string, done, total int)
}

func (o QuantizeOptions) withDefaults() QuantizeOptions {
	if o.Positions == 0 {
		o.Positions = 256
	}
	if o.Held == 0 {
		o.Held = 256
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return o
}

// Quantized is a rewritten network and what is known of it.
type Quantized struct {
	// Model is the graph. Its metadata say what it is, so that [Open] can read
	// it from a file.
	Model *onnx.Model
	// Summary is nil for a network in 16-bit floats.
	Summary *quant.Summary
	Report  Report
}

// Metadata of rewritten networks.
const (
	MetaPrecision   = "kosumi.precision"   // "int8" or "fp16"
	MetaQuantizer   = "kosumi.quantizer"   // version of nn/quant
	MetaCalibration = "kosumi.calibration" // such as "mse, 256 positions"
	MetaFor         = "kosumi.for"         // the processor of an int8 network: "vnni", "avx2", "arm64" or "any"
)

// Quantize makes an 8-bit integer network for boards of one size, and compares
// it with the float one on positions that it was not calibrated on. The network
// has to run on the CPU through onnxruntime. Errors are those of quant.Int8 and
// [ErrPrecision].
func (m *Model) Quantize(ctx context.Context, size board.Size, o QuantizeOptions) (*Quantized, error) {
	o = o.withDefaults()
	if err := m.rewritable(); err != nil {
		return nil, err
	}
	graph, err := m.floatGraph(size)
	if err != nil {
		return nil, err
	}
	if err := m.playFor(ctx, size, &o); err != nil {
		return nil, err
	}
	rows, err := m.calibrationRows(ctx, size, o)
	if err != nil {
		return nil, err
	}
	out, summary, err := quant.Int8(graph, rows, o.Quant)
	if err != nil {
		return nil, err
	}
	if err := m.label(out, size, int8Precision); err != nil {
		return nil, err
	}
	out.Metadata[MetaQuantizer] = strconv.Itoa(quant.Version)
	out.Metadata[MetaCalibration] = fmt.Sprintf("%s, %d positions", summary.Method, summary.Rows)
	out.Metadata[MetaFor] = summary.For.String()
	exact, err := exactHere(out, summary.For)
	if err != nil {
		return nil, err
	}
	report, err := m.Compare(ctx, size, exact, o.Verify, func(done int) { o.Progress("compare", done, len(o.Verify)) })
	if err != nil {
		return nil, err
	}
	return &Quantized{Model: out, Summary: summary, Report: report}, nil
}

// Half makes a network in 16-bit floats with 32-bit inputs and outputs, and
// compares it with the original. Only Held or Verify, Games, Seed, Workers and
// Progress of the options matter.
func (m *Model) Half(ctx context.Context, size board.Size, o QuantizeOptions) (*Quantized, error) {
	o = o.withDefaults()
	if err := m.rewritable(); err != nil {
		return nil, err
	}
	graph, err := m.floatGraph(size)
	if err != nil {
		return nil, err
	}
	o.Calibrate = []*board.Game{nil} // none are needed
	if err := m.playFor(ctx, size, &o); err != nil {
		return nil, err
	}
	out, err := quant.Half(graph)
	if err != nil {
		return nil, err
	}
	if err := m.label(out, size, halfPrecision); err != nil {
		return nil, err
	}
	report, err := m.Compare(ctx, size, out, o.Verify, func(done int) { o.Progress("compare", done, len(o.Verify)) })
	if err != nil {
		return nil, err
	}
	return &Quantized{Model: out, Report: report}, nil
}

// half returns a graph in 16-bit floats.
func (m *Model) half(g *onnx.Model) (*onnx.Model, error) {
	half, err := quant.Half(g)
	if err != nil {
		return nil, fmt.Errorf("%w: fp16: %w", ErrPrecision, err)
	}
	return half, nil
}

// rewritable refuses what cannot be quantized.
func (m *Model) rewritable() error {
	if _, ok := m.run.(*ortRunner); !ok {
		return fmt.Errorf("%w: networks are rewritten with the help of onnxruntime, which is not there: %s", ErrPrecision, m.run.why())
	}
	return nil
}

// label writes into a graph's metadata what it is.
func (m *Model) label(g *onnx.Model, size board.Size, precision string) error {
	spec, err := m.Spec(size)
	if err != nil {
		return err
	}
	if g.Metadata == nil {
		g.Metadata = map[string]string{}
	}
	meta := g.Metadata
	delete(meta, katago.MetaLayout) // the weights are no longer those of the file
	meta[MetaPrecision] = precision
	meta[katago.MetaBoard] = fmt.Sprintf("%dx%d", size.W, size.H)
	d := m.Describe()
	for key, value := range map[string]string{
		katago.MetaFormat: "1", katago.MetaKind: spec.Kind.String(), katago.MetaEncoderName: spec.Encoding.String(),
		katago.MetaPolicy: spec.Policy.String(), katago.MetaValue: spec.Value.String(),
		katago.MetaName: d.Name, katago.MetaSource: d.File, katago.MetaSourceSHA256: d.SHA256,
	} {
		if meta[key] == "" && value != "" {
			meta[key] = value
		}
	}
	return nil
}

// floatGraph returns the network's graph for a size.
func (m *Model) floatGraph(size board.Size) (*onnx.Model, error) {
	src := m.source
	if p := src.precision(); p != floatPrecision {
		return nil, fmt.Errorf("%w: the network is in %s already; quantize the original", ErrPrecision, p)
	}
	return src.graph(size, false)
}

// playFor has the network play where positions are missing. Calibration and
// verification come from different games.
func (m *Model) playFor(ctx context.Context, size board.Size, o *QuantizeOptions) error {
	for i, p := range []struct {
		list  *[]*board.Game
		count int
		stage string
	}{{&o.Calibrate, o.Positions, "play calibration games"}, {&o.Verify, o.Held, "play test games"}} {
		if len(*p.list) > 0 || i == 0 && o.Rows != nil {
			continue
		}
		games, err := m.SelfPositions(ctx, size, SelfPlay{
			Positions: p.count, Games: o.Games, Seed: o.Seed*2 + uint64(i), Workers: o.Workers,
			Progress: func(done, total int) { o.Progress(p.stage, done, total) },
		})
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
