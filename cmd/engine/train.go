package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/internal/console"
	"kosumi/nn/autodiff"
	"kosumi/nn/model"
	"kosumi/train/learn"
)

// trainFlags are the flags that do not map directly to a field of learn.RunConfig.
type trainFlags struct {
	size, method, schedule string
	losses, data           []string
	memory                 int
	json                   bool
	force                  *bool
}

func trainCommand() *cobra.Command {
	s := defaultSettings()
	s.Provider, s.Play.Seed = "cpu", 1
	var c learn.RunConfig
	f := trainFlags{method: string(autodiff.SGD), schedule: "constant"}
	cmd := &cobra.Command{
		Use:        "train [--model IN] --data DIR -o OUT",
		SuggestFor: []string{"finetune", "fine-tune"},
		Short:      "Train a network, or fine-tune one, on rows of self-play or on game records",
		Long: `Trains any network that the engine plays with: KataGo's, its own, and dual-head
ONNX files of others. KataGo's networks of version 8 to 14 become version 15, which adds
an optimistic policy and short-term errors. --data takes folders and files of training rows (.npz, as
KataGo and "engine selfplay" write them) and of game records (.sgf, .sgfs). From a
folder of self-play, with tdata and sgfs in it, it takes the rows in tdata.

The folder OUT gets the trained network (model.onnx, and model.bin.gz if the network
is in KataGo's format), metrics.jsonl, curves.svg, report.json and checkpoints. ^C
saves, writes the network as it is and ends. The same command resumes, and ends with
the same weights as an uninterrupted run.

DIR=SHARE gives a folder its share of the batches, from the first step on. With
--data taught --data small=0.4, four batches in ten come from small. Folders without
a share divide the rest by their numbers of rows.

The run measures held-back games, or the rows of --validate, ten times. It exports the
best of these measurements, if there are enough rows to tell it from the last.

KataGo's learning rate is per sample of a summed loss: multiply it by the batch size
(3e-5 at --batch 256 is --lr 0.0077).

` + "Losses, for --loss NAME=COEFFICIENT (0 switches one off): " + strings.Join(learn.TermNames(), ", ") + ".",
		Example: `  engine train --model net.bin.gz --data games -o tuned --epochs 2 --lr 0.001
  engine train --model mini.onnx --data rows -o mini --steps 5000 --batch 32 --optimizer adam --lr 0.001
  engine train --model net.bin.gz --data pro-games -o heads --steps 2000 --freeze trunk`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.apply(cmd, &c, &s); err != nil {
				return err
			}
			return runTrain(cmd, c, &f)
		},
	}
	fl := cmd.Flags()
	s.flagAs(fl, "model", "initial network `FILE`: .onnx, .bin.gz or .txt.gz; default: the built-in one")
	fl.StringArrayVar(&f.data, "data", nil, "`DIR` or file of rows or game records, or DIR=SHARE for its share of the batches; may be given more than once")
	fl.StringVarP(&c.Out, "out", "o", "", "output `DIR`")
	fl.Int64Var(&c.Steps, "steps", 0, "steps of the run")
	fl.Float64Var(&c.Epochs, "epochs", 0, fmt.Sprintf("passes over the rows; default without --steps: %d", defaultEpochs))
	fl.IntVar(&c.Learn.Batch, "batch", 256, "batch size")
	fl.Float64Var(&c.Learn.Rate, "lr", 0, "learning rate; default: 0.002 with sgd, 0.0003 with adam, adamw and muon")
	fl.StringVar(&f.method, "optimizer", f.method, "sgd, adam, adamw or muon")
	fl.Float64Var(&c.Learn.Momentum, "momentum", 0, "momentum of sgd; 0: 0.9")
	fl.BoolVar(&c.Learn.Nesterov, "nesterov", false, "Nesterov's form of momentum")
	fl.Float64Var(&c.Learn.WeightDecay, "weight-decay", 0, "weight decay of kernels and matrices (adamw, muon: decoupled)")
	fl.Float64Var(&c.Learn.ClipNorm, "clip", 10, "maximum norm of the gradient; 0: no limit")
	fl.StringVar(&f.schedule, "schedule", f.schedule, "learning rate schedule: constant, cosine or linear")
	fl.Int64Var(&c.Learn.Schedule.Warmup, "warmup", 0, "steps of linear warm-up of the learning rate")
	fl.Float64Var(&c.Learn.Schedule.Final, "final-lr", 0.01, "with --schedule cosine or linear: final rate as a fraction of --lr")
	fl.Float64Var(&c.Learn.HeadRate, "head-lr", 1, "factor of the learning rate of the heads")
	fl.StringVar(&c.Learn.Freeze, "freeze", "", "part whose weights stay fixed: trunk or heads")
	fl.StringVar(&c.Learn.Norms, "norms", "auto", "batch normalization: train (statistics of the batch), frozen, or auto: frozen for KataGo's networks")
	fl.BoolVar(&c.Learn.Aux, "aux", false, "train the reply, soft policies and short-term value too, in outputs for training only (KataGo networks); good for new networks")
	fl.StringArrayVar(&f.losses, "loss", nil, "`NAME=COEFFICIENT` of a loss; may be given more than once")
	fl.Int64Var(&c.Learn.Average.Every, "average-every", 0, "samples between snapshots of an average of the weights, which is exported; 0: no average")
	fl.Float64Var(&c.Learn.Average.Window, "average-window", 8, "number of snapshots in the average")
	fl.StringVar(&f.size, "boardsize", "", "train on one board `SIZE` only; default: all sizes of the network")
	fl.Float64Var(&c.Validation, "validation", 0.05, "fraction of the games held back to measure on; 0: none")
	fl.StringArrayVar(&c.Validate, "validate", nil, "`DIR` or file of rows to measure on, instead of --validation; may be given more than once")
	fl.StringArrayVar(&c.Beside, "beside", nil, "network `FILE` to measure on the same rows for the report; may be given more than once")
	fl.IntVar(&c.ValidationRows, "validation-rows", 4096, "maximum rows of a measurement")
	fl.Int64Var(&c.ValidateEvery, "validate-every", 0, "steps between measurements; 0: ten in a run, and at least every 1000 steps")
	fl.Int64Var(&c.CheckpointEvery, "checkpoint-every", 0, "steps between checkpoints; 0: every five minutes")
	fl.Int64Var(&c.LogEvery, "log-every", 10, "steps per line of metrics.jsonl")
	s.flags(fl, "seed")
	fl.BoolVar(&c.NoSymmetries, "no-symmetries", false, "do not apply random symmetries")
	fl.BoolVar(&c.NoHistoryDropout, "no-history-dropout", false, "do not hide history at random")
	fl.IntVar(&c.WindowRows, "window", 0, "use only the newest files with this many `ROWS`; 0: all")
	fl.IntVar(&f.memory, "memory", 256, "shuffle buffer in `MiB`; rows are shuffled within half of it")
	s.flagAs(fl, "threads", "threads of a step; 0: one for each processor")
	s.flagAs(fl, "provider", "device for training: cpu or cuda")
	s.flags(fl, "onnxruntime", "encoder", "policy", "value", "log-level")
	fl.BoolVar(&f.json, "json", false, "print the report as JSON")
	f.force = forceFlag(cmd)
	return cmd
}

// defaultEpochs is how often every row is used by default: enough to learn from a few games, too
// few to memorise them.
const defaultEpochs = 5

// apply completes the configuration of a run from the flags.
func (f *trainFlags) apply(cmd *cobra.Command, c *learn.RunConfig, s *settings) error {
	if len(f.data) == 0 || c.Out == "" {
		return usagef("give --data DIR and -o OUT")
	}
	changed := cmd.Flags().Changed
	c.Data, c.Shares = parseData(f.data)
	if len(c.Validate) > 0 && !changed("validation") {
		c.Validation = 0
	}
	switch {
	case len(c.Validate) > 0 && c.Validation > 0:
		return usagef("give --validate or --validation, not both")
	case changed("steps") && changed("epochs"):
		return usagef("give --steps or --epochs, not both")
	}
	if err := cmp.Or(
		must(!changed("steps") || c.Steps >= 1, "steps", c.Steps, "1 or more"),
		must(!changed("epochs") || c.Epochs > 0 && c.Epochs <= 1e6, "epochs", c.Epochs, "above 0, up to 1000000"),
		must(c.Learn.Batch >= 1 && c.Learn.Batch <= 1<<16, "batch", c.Learn.Batch, "1 to 65536"),
		must(c.Learn.Rate >= 0 && !math.IsInf(c.Learn.Rate, 0), "lr", c.Learn.Rate, "0 or more"),
		must(c.ValidationRows >= 0, "validation-rows", c.ValidationRows, "0 or more"),
		must(c.ValidateEvery >= 0, "validate-every", c.ValidateEvery, "0 or more"),
		must(c.CheckpointEvery >= 0, "checkpoint-every", c.CheckpointEvery, "0 or more"),
		must(c.LogEvery >= 0, "log-every", c.LogEvery, "0 or more"),
		must(c.WindowRows >= 0, "window", c.WindowRows, "0 or more"),
		must(f.memory >= 1, "memory", f.memory, "1 (MiB) or more")); err != nil {
		return err
	}
	if c.Steps == 0 && c.Epochs == 0 {
		c.Epochs = defaultEpochs
	}
	if f.size != "" {
		size, err := sizeOf("boardsize", f.size)
		if err != nil {
			return err
		}
		c.Size = size
	}
	l := &c.Learn
	l.Model, l.Provider, l.Library, l.Threads, l.Seed = s.Model, s.Provider, s.OnnxRuntime, s.Play.Search.Parallel.Workers, s.Play.Seed
	l.Overrides = s.Config(nil).Overrides
	l.Method = autodiff.Method(f.method)
	if !changed("lr") {
		l.Rate = map[bool]float64{true: 0.002, false: 0.0003}[l.Method == autodiff.SGD]
	}
	l.Schedule.Shape = f.schedule
	var err error
	if l.Losses, err = parseLosses(f.losses); err != nil {
		return usageError{err}
	}
	c.Seed, c.MemoryBytes = s.Play.Seed, int64(f.memory)<<20
	l.Log = s.stderr
	return f.checkOutputs(c)
}

// checkOutputs refuses to overwrite inputs, and to begin a run in a folder with the output files of
// another run.
func (f *trainFlags) checkOutputs(c *learn.RunConfig) error {
	_, none := os.Stat(filepath.Join(c.Out, learn.CheckpointsDir))
	for _, name := range []string{learn.NetworkName + ".onnx", learn.NetworkName + ".bin.gz", learn.CurvesFile, learn.ReportFile} {
		path := filepath.Join(c.Out, name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if err := tryOutput(path, *f.force || none == nil, slices.Concat([]string{c.Learn.Model}, c.Data, c.Validate, c.Beside)...); err != nil {
			return err
		}
	}
	return nil
}

// parseData reads texts of the form PATH or PATH=SHARE. The whole text is a path if a file of that
// name exists, or if no number follows the last "=".
func parseData(list []string) (paths []string, shares map[string]float64) {
	for _, text := range list {
		at := strings.LastIndex(text, "=")
		if _, err := os.Stat(text); err != nil && at > 0 {
			if share, err := strconv.ParseFloat(text[at+1:], 64); err == nil {
				if shares == nil {
					shares = map[string]float64{}
				}
				text = text[:at]
				shares[text] = share
			}
		}
		paths = append(paths, text)
	}
	return paths, shares
}

// parseLosses reads NAME=COEFFICIENT.
func parseLosses(list []string) (map[string]float64, error) {
	all := map[string]float64{}
	for _, text := range list {
		name, number, ok := strings.Cut(text, "=")
		v, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("--loss %s: write NAME=COEFFICIENT, such as value=1.5", text)
		}
		all[name] = v
	}
	return all, nil
}

func runTrain(cmd *cobra.Command, c learn.RunConfig, f *trainFlags) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25) // rows are large and long-lived: with GOGC=100 they would take twice their size
	}
	show := console.NewProgress(cmd.ErrOrStderr())
	c.Progress = func(p learn.Progress) {
		if show.Terminal() {
			p.Left = 0 // the bar itself shows the remaining time
		}
		show.Show("", p.Step, p.Total, "steps", p.String())
	}
	report, err := learn.Run(cmd.Context(), c)
	show.Close()
	var other *learn.SettingsError
	switch {
	case errors.As(err, &other) && len(other.Changed) > 0:
		return usageError{otherRun(c.Out, other.Changed)}
	case errors.Is(err, learn.ErrConfig):
		return usageError{errors.New(strings.TrimPrefix(err.Error(), learn.ErrConfig.Error()+": "))}
	case err != nil:
		return err
	}
	if err := printResult(cmd, f.json, report); err != nil {
		return err
	}
	if report.Interrupted {
		return fmt.Errorf("interrupted after step %d; everything is saved; run the same command to resume", report.Counters.Steps)
	}
	return nil
}

// settingFlags maps settings of a run to their flags. The flags of other settings have the same
// name with dashes.
var settingFlags = map[string]string{"method": "optimizer", "clip_norm": "clip", "head_rate": "head-lr"}

// flagsOf returns the flags for a setting of a run; value is the setting's value as JSON. Derived
// settings have no flags.
func flagsOf(name, value string) []string {
	flag := func(name string, value any) string { return fmt.Sprintf("--%s %v", name, value) }
	switch name {
	case "beta1", "beta2", "epsilon":
		return nil
	case "losses":
		var all map[string]float64
		_ = json.Unmarshal([]byte(value), &all) // cannot fail: the value was written from such a map
		var list []string
		for _, loss := range slices.Sorted(maps.Keys(all)) {
			list = append(list, flag("loss", fmt.Sprintf("%s=%g", loss, all[loss])))
		}
		return list
	case "average":
		var a learn.Average
		_ = json.Unmarshal([]byte(value), &a)
		list := []string{flag("average-every", a.Every)}
		if a.Every > 0 {
			list = append(list, flag("average-window", a.Window))
		}
		return list
	case "overrides":
		var o model.Overrides
		_ = json.Unmarshal([]byte(value), &o)
		return []string{flag("encoder", strconv.Quote(o.Encoding)), flag("policy", strconv.Quote(o.Policy)), flag("value", strconv.Quote(o.Value))}
	case "data", "validate":
		var paths, list []string
		_ = json.Unmarshal([]byte(value), &paths)
		for _, path := range paths {
			list = append(list, flag(name, path))
		}
		return list
	case "nesterov", "aux", "no_symmetries", "no_history_dropout":
		return []string{fmt.Sprintf("--%s=%s", strings.ReplaceAll(name, "_", "-"), value)}
	}
	if text, err := strconv.Unquote(value); err == nil && text != "" {
		value = text
	}
	return []string{flag(cmp.Or(settingFlags[name], strings.ReplaceAll(name, "_", "-")), value)}
}

// otherRun says how to resume a run that began with other settings.
func otherRun(dir string, changed []learn.Change) error {
	method := slices.ContainsFunc(changed, func(c learn.Change) bool { return c.Name == "method" })
	var was, is []string
	for _, c := range changed {
		if c.Name == "momentum" && method {
			continue // the default momentum depends on the optimizer
		}
		was, is = append(was, flagsOf(c.Name, c.Was)...), append(is, flagsOf(c.Name, c.Is)...)
	}
	if len(was)+len(is) == 0 {
		return fmt.Errorf("%s holds a run by another version of the optimizer: name another folder with -o to start over", dir)
	}
	none := "none of these flags"
	return fmt.Errorf("%s holds a run that was begun with %s, and now it is %s: give the old settings to resume, or another folder with -o to start over",
		dir, cmp.Or(strings.Join(was, " "), none), cmp.Or(strings.Join(is, " "), none))
}
