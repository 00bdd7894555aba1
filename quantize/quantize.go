package quantize

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"kosumi/board"
	"kosumi/nn/model"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
	"kosumi/nn/quant"
)

// Options say how [Int8] and [Half] work. The zero value lets the network play its
// own calibration games.
type Options struct {
	Quant quant.Options
	// Library names the onnxruntime library; "" searches for it.
	Library string
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

func (o Options) withDefaults() Options {
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

// Network is a rewritten network and what is known of it.
type Network struct {
	// Model is the graph. Its metadata say what it is, so that [model.Open] can
	// read it from a file.
	Model *onnx.Model
	// Summary is nil for a network in 16-bit floats.
	Summary *quant.Summary
	Report  Report
}

// Int8 makes an 8-bit integer network for boards of one size, and compares
// it with the float one on positions that it was not calibrated on. The network
// has to run on the CPU through onnxruntime. Errors are those of quant.Int8 and
// [model.ErrPrecision].
func Int8(ctx context.Context, m *model.Model, size board.Size, o Options) (*Network, error) {
	o = o.withDefaults()
	graph, err := original(m, size)
	if err != nil {
		return nil, err
	}
	if err := playFor(ctx, m, size, &o); err != nil {
		return nil, err
	}
	rows, err := calibrationRows(ctx, m, size, o)
	if err != nil {
		return nil, err
	}
	out, summary, err := quant.Int8(graph, rows, o.Quant)
	if err != nil {
		return nil, err
	}
	if err := label(m, out, size, "int8"); err != nil {
		return nil, err
	}
	out.Metadata[meta.Quantizer] = strconv.Itoa(quant.Version)
	out.Metadata[meta.Calibration] = fmt.Sprintf("%s, %d positions", summary.Method, summary.Rows)
	out.Metadata[meta.For] = summary.For.String()
	exact, _, err := quant.Fit(out, quant.Here())
	if err != nil {
		return nil, err
	}
	report, err := compareGraph(ctx, m, size, exact, o)
	if err != nil {
		return nil, err
	}
	return &Network{Model: out, Summary: summary, Report: report}, nil
}

// Half makes a network in 16-bit floats with 32-bit inputs and outputs, and
// compares it with the original. Only Held or Verify, Games, Seed, Workers and
// Progress of the options matter.
func Half(ctx context.Context, m *model.Model, size board.Size, o Options) (*Network, error) {
	o = o.withDefaults()
	graph, err := original(m, size)
	if err != nil {
		return nil, err
	}
	o.Calibrate = []*board.Game{nil} // none are needed
	if err := playFor(ctx, m, size, &o); err != nil {
		return nil, err
	}
	out, err := quant.Half(graph)
	if err != nil {
		return nil, err
	}
	if err := label(m, out, size, "fp16"); err != nil {
		return nil, err
	}
	report, err := compareGraph(ctx, m, size, out, o)
	if err != nil {
		return nil, err
	}
	return &Network{Model: out, Report: report}, nil
}

// original returns the network's graph for a size, to rewrite.
func original(m *model.Model, size board.Size) (*onnx.Model, error) {
	if d := m.Describe(); d.Provider == model.OnnxGo {
		return nil, fmt.Errorf("%w: networks are rewritten with the help of onnxruntime, which is not there: %s", model.ErrPrecision, d.Why)
	}
	return m.Graph(size)
}

// label writes into a graph's metadata what it is.
func label(m *model.Model, g *onnx.Model, size board.Size, precision string) error {
	spec, err := m.Spec(size)
	if err != nil {
		return err
	}
	if g.Metadata == nil {
		g.Metadata = map[string]string{}
	}
	delete(g.Metadata, meta.Layout) // the weights are no longer those of the file
	g.Metadata[meta.Precision] = precision
	g.Metadata[meta.Board] = fmt.Sprintf("%dx%d", size.W, size.H)
	d := m.Describe()
	for key, value := range map[string]string{
		meta.Format: "1", meta.Kind: spec.Kind.String(), meta.Encoder: spec.Encoding.String(),
		meta.Policy: spec.Policy.String(), meta.Value: spec.Value.String(),
		meta.Name: d.Name, meta.Source: d.File, meta.SourceSHA256: d.SHA256,
	} {
		if g.Metadata[key] == "" && value != "" {
			g.Metadata[key] = value
		}
	}
	return nil
}

// playFor has the network play where positions are missing. Calibration and
// verification come from different games.
func playFor(ctx context.Context, m *model.Model, size board.Size, o *Options) error {
	for i, p := range []struct {
		list  *[]*board.Game
		count int
		stage string
	}{{&o.Calibrate, o.Positions, "play calibration games"}, {&o.Verify, o.Held, "play test games"}} {
		if len(*p.list) > 0 || i == 0 && o.Rows != nil {
			continue
		}
		games, err := SelfPositions(ctx, m, size, SelfPlay{
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
