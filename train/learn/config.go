package learn

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"

	"kosumi/nn/autodiff"
	"kosumi/nn/model"
)

// Errors of this package. Test with errors.Is.
var (
	// ErrConfig marks settings that make no sense.
	ErrConfig = errors.New("bad training settings")
	// ErrNetwork says that a network cannot be trained as asked.
	ErrNetwork = errors.New("the network cannot be trained")
	// ErrBatch marks a batch that does not fit the learner.
	ErrBatch = errors.New("the batch does not fit")
	// ErrDiverged says that losses or gradients were not finite for too long.
	ErrDiverged = errors.New("training diverged")
	// ErrCheckpoint marks a checkpoint that cannot be used.
	ErrCheckpoint = errors.New("unusable checkpoint")
	// ErrNoCheckpoint says that a folder holds no checkpoint at all.
	ErrNoCheckpoint = errors.New("no checkpoint")
)

// Config has the settings of a learner. Batch is required; [Config.WithDefaults] replaces zero
// values. Fields not tagged "-" identify a run: a learner with other values refuses the run's
// checkpoints.
type Config struct {
	// Model is the network to begin with: .bin.gz, .txt.gz or .onnx; "" is the one inside
	// the program.
	Model     string          `json:"-"`
	Overrides model.Overrides `json:"overrides"`
	// Batch is the number of rows of a step.
	Batch int `json:"batch"`

	// Method and the fields below it are those of autodiff.Optimizer. If zero, they mean: sgd,
	// momentum 0.9 (muon: 0.95), betas 0.9 and 0.999, epsilon 1e-8.
	Method   autodiff.Method `json:"method"`
	Momentum float64         `json:"momentum"`
	Nesterov bool            `json:"nesterov"`
	Beta1    float64         `json:"beta1"`
	Beta2    float64         `json:"beta2"`
	Epsilon  float64         `json:"epsilon"`
	// WeightDecay applies to kernels and matrices, not to biases and scales.
	WeightDecay float64 `json:"weight_decay"`
	// ClipNorm limits the norm of all gradients together; 0: no limit.
	ClipNorm float64 `json:"clip_norm"`
	// Rate is the learning rate for a loss averaged over the batch; Schedule changes it over time.
	Rate     float64  `json:"-"`
	Schedule Schedule `json:"-"`
	// HeadRate multiplies the learning rate of the heads; 0 means 1.
	HeadRate float64 `json:"head_rate"`

	// Losses are the coefficients of loss terms by name: 0 switches a term off, and
	// a term without an entry has its default. See [TermNames].
	Losses map[string]float64 `json:"losses"`
	// Aux adds training-only outputs to KataGo networks: the opponent's reply, soft policies and
	// the short-term value. They teach the trunk and help a fresh network. Their weights are kept
	// in checkpoints.
	Aux bool `json:"aux"`
	// Freeze is "", "trunk" or "heads": the part whose weights do not change. The trunk is the
	// part that both the policy and another output depend on.
	Freeze string `json:"freeze"`
	// Norms selects the statistics of batch normalization: "train" (those of the batch, which also
	// update the running ones), "frozen" (the running ones, unchanged) or "auto" (frozen for KataGo, else train).
	Norms string `json:"norms"`
	// Average has the settings of averaged weights, the ones meant for play.
	Average Average `json:"average"`

	// Provider runs the graphs: "cpu" (default) or "cuda".
	Provider string `json:"-"`
	// Library names the onnxruntime library; "" searches for it.
	Library string `json:"-"`
	// resident keeps weights in the provider's memory between steps, even if the provider is the CPU.
	resident bool
	// Threads is the number of threads that share each step; 0 means one per processor.
	Threads int `json:"-"`
	// plain leaves convolutions to onnxruntime even if package kernel could run them.
	plain bool
	// Seed determines the first weights of the outputs that exist in training only.
	Seed uint64 `json:"seed"`

	Log *slog.Logger `json:"-"` // nil: silent
}

// Average is a moving average of the weights. At intervals of Every samples it moves 1/Window of
// the way to the present weights, or further in the first Window snapshots.
type Average struct {
	Every  int64   `json:"every"`  // samples; 0: no average
	Window float64 `json:"window"` // snapshots; 0 means 8
}

// WithDefaults replaces zero values by defaults.
func (c Config) WithDefaults() Config {
	d := autodiff.DefaultOptimizer(c.Method)
	or := func(p *float64, v float64) { *p = cmp.Or(*p, v) }
	c.Method = cmp.Or(c.Method, autodiff.SGD)
	if c.Method == autodiff.SGD || c.Method == autodiff.Muon {
		or(&c.Momentum, d.Momentum)
	}
	if c.Method != autodiff.SGD {
		or(&c.Beta1, d.Beta1)
		or(&c.Beta2, d.Beta2)
		or(&c.Epsilon, d.Epsilon)
	}
	or(&c.HeadRate, 1)
	if c.Average.Every > 0 {
		or(&c.Average.Window, 8)
	}
	c.Norms = cmp.Or(c.Norms, "auto")
	if c.Provider == "" || c.Provider == "auto" {
		c.Provider = "cpu"
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// Validate reports every fault of the configuration, joined.
func (c *Config) Validate() error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fault(ErrConfig, format, args...)) }
	if c.Batch < 1 || c.Batch > 1<<16 {
		bad("batch of %d rows: use 1 to 65536", c.Batch)
	}
	if !(c.Rate >= 0) || math.IsInf(c.Rate, 0) {
		bad("learning rate %v: use 0 or more", c.Rate)
	}
	if !(c.HeadRate >= 0) || math.IsInf(c.HeadRate, 0) {
		bad("rate of the heads %v: use 0 or more", c.HeadRate)
	}
	o := c.optimizer()
	if err := o.Check(); err != nil {
		bad("%w", err)
	}
	if err := c.Schedule.Validate(); err != nil {
		bad("%w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Losses)) {
		if !slices.Contains(TermNames(), name) {
			bad("no loss is named %q: there are %s", name, strings.Join(TermNames(), ", "))
		} else if v := c.Losses[name]; !(v >= 0) || math.IsInf(v, 0) {
			bad("coefficient %v of loss %s: use 0 or more", v, name)
		}
	}
	if !slices.Contains([]string{"", "trunk", "heads"}, c.Freeze) {
		bad("freeze %q: use trunk or heads", c.Freeze)
	}
	if !slices.Contains([]string{"auto", "train", "frozen"}, c.Norms) {
		bad("norms %q: use auto, train or frozen", c.Norms)
	}
	if c.Average.Every < 0 || c.Average.Every > 0 && !(c.Average.Window >= 1) {
		bad("average every %d samples over %v snapshots: use 0 or more, and 1 or more", c.Average.Every, c.Average.Window)
	}
	if c.Threads < 0 {
		bad("%d threads", c.Threads)
	}
	return errors.Join(faults...)
}

// fault returns an error that wraps kind.
func fault(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %w", kind, fmt.Errorf(format, args...))
}

func (c *Config) optimizer() autodiff.Optimizer {
	return autodiff.Optimizer{
		Method: c.Method, Momentum: c.Momentum, Nesterov: c.Nesterov, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon,
		WeightDecay: c.WeightDecay, ClipNorm: c.ClipNorm,
	}
}

// identity is a digest of the settings that must equal those of a checkpoint.
func (c *Config) identity() string {
	text, err := json.Marshal(c)
	if err != nil { // numbers that are not finite; Validate refuses them
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
