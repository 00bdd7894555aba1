package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/nn/model"
	"kosumi/nn/ort"
	"kosumi/nn/quant"
	"kosumi/quantize"
)

// quantizeFlags are the flags of engine quantize beside those of all networks.
type quantizeFlags struct {
	out, precision, positions, verify string
	method                            string
	percentile                        float64
	count, held                       int
	float                             []string
	processor                         string
	nearest, json                     bool
	force                             *bool
}

// quantizeResult is what engine quantize --json prints.
type quantizeResult struct {
	Model       string          `json:"model"`
	SHA256      string          `json:"sha256"` // of the original's file
	Out         string          `json:"out"`
	Bytes       int64           `json:"bytes"`
	Board       string          `json:"board"`
	Precision   string          `json:"precision"`
	For         string          `json:"for,omitempty"` // vnni, avx2, arm64 or any
	Method      string          `json:"method,omitempty"`
	Calibration string          `json:"calibration,omitempty"` // where its positions come from
	Rows        int             `json:"calibration_rows,omitempty"`
	Integer     int             `json:"integer_convolutions"`
	Float       []string        `json:"float_convolutions,omitempty"`
	WorkShare   float64         `json:"integer_share_of_work,omitempty"`
	Report      quantize.Report `json:"report"`
	Seconds     float64         `json:"seconds"`
}

func quantizeCommand() *cobra.Command {
	s := defaultSettings()
	f := quantizeFlags{precision: "int8", positions: "selfplay", method: quant.MSE.String(), percentile: 1e-4, count: 256, held: 256}
	c := &cobra.Command{
		Use:   "quantize IN -o OUT.onnx",
		Short: "Rewrite a network in 8-bit integers or 16-bit floats, and say what that costs",
		Long: `Rewrites a network for one board size as an ONNX file that computes in 8-bit
integers (for processors with fast integer instructions) or in 16-bit floats (for
GPUs), and compares the result with the original on positions that it was not
calibrated on. The file describes itself: use it with --model.

There is no need to do this for play: --precision auto computes in 16-bit integers,
as fast here and far closer to the original. It is for files that other programs
run.

A file in integers is for a kind of processor (--for): vnni (x86 with AVX-512 VNNI
or AVX-VNNI) and arm64 add up 8-bit products exactly; avx2 (x86 without VNNI) adds
two at a time in 16 bits, so weights are kept small enough for that, which costs a
little accuracy; any is right and fast everywhere. A file that was written for
exact sums is still computed exactly on x86 without VNNI, but slowly.

Positions for calibration come from games that the network's policy plays against
itself (selfplay), from an SGF file or a folder of them, or from training rows
(npz). Of game records a quarter of the games is kept for the report; otherwise
the network plays other games for it, unless --verify names records.`,
		Example: `  engine quantize g170-b6c96.bin.gz -o b6c96-19-int8.onnx
  engine quantize net.onnx -o net-int8.onnx --boardsize 9 --positions games/ --json
  engine quantize b18.bin.gz -o b18-fp16.onnx --precision fp16`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			s.sizeFor(args[0])
			return runQuantize(cmd, &s, f, args[0])
		},
	}
	f.force = forceFlag(c)
	fl := c.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "`FILE`.onnx to write")
	fl.StringVar(&f.precision, "precision", f.precision, "number format to write: int8 or fp16")
	fl.StringVar(&f.positions, "positions", f.positions, "where calibration positions come from: selfplay, or an SGF file, an npz file, or a folder (`SOURCE`)")
	fl.StringVar(&f.verify, "verify", "", "SGF file or folder (`SOURCE`) with the positions of the report")
	fl.IntVar(&f.count, "count", f.count, "positions to calibrate on")
	fl.IntVar(&f.held, "held", f.held, "positions of the report")
	fl.StringVar(&f.method, "method", f.method, "how the range of an activation is chosen: mse, max, percentile or entropy")
	fl.Float64Var(&f.percentile, "percentile", f.percentile, "share of the numbers that method percentile leaves out at each end")
	fl.StringSliceVar(&f.float, "float", nil, "convolutions and matrix products that stay in fp32, by `NAME` as the report lists them")
	fl.BoolVar(&f.nearest, "nearest", false, "round weights to the nearest step; faster, less accurate")
	fl.StringVar(&f.processor, "for", "", "`PROCESSOR` that is to compute in integers: vnni, avx2, arm64 or any (default: this one, "+quant.Here().String()+")")
	fl.BoolVar(&f.json, "json", false, "print the report as JSON")
	s.flagAs(fl, "boardsize", "board `SIZE` of the graph: 2 to 25, or for example 9x13")
	s.flags(fl, "encoder", "policy", "value", "onnxruntime", "log-level")
	s.flagAs(fl, "seed", "seed of the games and positions; the same seed gives the same file")
	return c
}

// options turns the flags into those of the quantizer.
func (f *quantizeFlags) options() (quant.Options, error) {
	method, err := quant.ParseMethod(f.method)
	processor, unknown := quant.ParseProcessor(f.processor)
	switch {
	case err != nil:
		return quant.Options{}, usagef("--method: %w", err)
	case unknown != nil:
		return quant.Options{}, usagef("--for: %w", unknown)
	case f.processor != "" && f.precision == "fp16":
		return quant.Options{}, usagef("--for %s: 16-bit floats are the same for every processor", f.processor)
	case f.out == "":
		return quant.Options{}, usagef("-o is needed: the ONNX file to write")
	case !strings.HasSuffix(strings.ToLower(f.out), ".onnx"):
		return quant.Options{}, usagef("-o %s: the name has to end in .onnx", f.out)
	case f.precision != "int8" && f.precision != "fp16":
		return quant.Options{}, usagef("--precision %s: int8 or fp16", f.precision)
	case f.count < 8 || f.count > 100_000 || f.held < 8 || f.held > 100_000:
		return quant.Options{}, usagef("--count %d, --held %d: 8 to 100000 each", f.count, f.held)
	case !(f.percentile > 0 && f.percentile <= 0.1):
		return quant.Options{}, usagef("--percentile %g: above 0, up to 0.1", f.percentile)
	}
	return quant.Options{Method: method, Percentile: f.percentile, Float: f.float, Nearest: f.nearest, For: processor}, nil
}

func runQuantize(cmd *cobra.Command, s *settings, f quantizeFlags, in string) error {
	start := time.Now()
	qo, err := f.options()
	if err != nil {
		return err
	}
	if err := tryOutput(f.out, *f.force); err != nil {
		return err
	}
	size := s.Play.Size
	m, err := model.Open(in, model.Config{Provider: ort.CPU, Library: s.OnnxRuntime, Log: s.stderr,
		Overrides: model.Overrides{Encoding: s.Encoder, Policy: s.Policy, Value: s.Value}})
	if err != nil {
		return err
	}
	defer m.Close()
	if err := m.Serves(size); err != nil {
		return err
	}
	o := quantize.Options{Quant: qo, Library: s.OnnxRuntime, Positions: f.count, Held: f.held, Seed: s.Play.Seed}
	if f.verify != "" {
		if err := o.VerifyOn(size, f.verify); err != nil {
			return fmt.Errorf("--verify: %w", err)
		}
	}
	if f.positions != "selfplay" {
		if err := o.CalibrateOn(cmd.Context(), m, size, f.positions); err != nil {
			return fmt.Errorf("--positions: %w", err)
		}
	}
	show := newDisplay(cmd.ErrOrStderr())
	o.Progress = func(stage string, done, total int) { show.show(stage, int64(done), int64(total), "", "") }
	q, err := f.rewrite(cmd.Context(), m, size, o)
	show.close()
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return errors.New("interrupted; nothing was written")
	case errors.Is(err, quant.ErrOptions):
		return usageError{err}
	case err != nil:
		return err
	}
	if err := writeModel(f.out, q.Model); err != nil {
		return err
	}
	return f.report(cmd, m, size, q, time.Since(start))
}

func (f *quantizeFlags) rewrite(ctx context.Context, m *model.Model, size board.Size, o quantize.Options) (*quantize.Network, error) {
	if f.precision == "fp16" {
		return quantize.Half(ctx, m, size, o)
	}
	return quantize.Int8(ctx, m, size, o)
}

// report prints what became of the network.
func (f *quantizeFlags) report(cmd *cobra.Command, m *model.Model, size board.Size, q *quantize.Network, took time.Duration) error {
	info, err := os.Stat(f.out)
	if err != nil {
		return err
	}
	d := m.Describe()
	r := quantizeResult{
		Model: d.Name, SHA256: d.SHA256, Out: f.out, Bytes: info.Size(), Board: fmt.Sprintf("%dx%d", size.W, size.H),
		Precision: f.precision, Report: q.Report, Seconds: math.Round(took.Seconds()*10) / 10,
	}
	if sum := q.Summary; sum != nil {
		r.For = sum.For.String()
		r.Method, r.Calibration, r.Rows = sum.Method.String(), f.positions, sum.Rows
		r.Integer, r.Float, r.WorkShare = len(sum.Integer), sum.Float, sum.Work
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	r.print(cmd.OutOrStdout())
	return nil
}

func (r *quantizeResult) print(w io.Writer) {
	processor := ""
	if r.For != "" {
		processor = " for " + r.For
	}
	fmt.Fprintf(w, "%s, %.1f MiB: %s on %s in %s%s\n", r.Out, float64(r.Bytes)/(1<<20), r.Model, r.Board, r.Precision, processor)
	if r.Integer > 0 {
		fmt.Fprintf(w, "  calibrated on %d positions (%s), ranges by %s\n", r.Rows, r.Calibration, r.Method)
		fmt.Fprintf(w, "  %d convolutions and matrix products in integers, %.1f %% of the multiplications; %d stay in fp32: %s\n", r.Integer, 100*r.WorkShare, len(r.Float), orNone(r.Float))
	}
	p := &r.Report
	fmt.Fprintf(w, "  against fp32, on %d other positions:\n", p.Positions)
	fmt.Fprintf(w, "    policy     KL divergence %.4f, at worst %.3f; same best move %.1f %%\n", max(0, p.PolicyKL), p.PolicyKLMax, 100*p.Top1)
	fmt.Fprintf(w, "    winrate    mean error %.4f, at worst %.3f\n", p.Winrate, p.WinrateMax)
	if p.HasLead {
		fmt.Fprintf(w, "    lead       mean error %.2f points\n", p.Lead)
	}
	if p.HasOwnership {
		fmt.Fprintf(w, "    ownership  mean error %.4f\n", p.Ownership)
	}
	if p.Unusable > 0 {
		fmt.Fprintf(w, "    %d positions gave NaN or infinity: do not use this file\n", p.Unusable)
	}
	fmt.Fprintf(w, "  took %.0f s\n", r.Seconds)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
