// Package recipe is what a loop of self-play and training is told: its settings as TOML,
// the recipes that come with the program, and the changes that a command line makes.
//
// The recipe follows KataGo's SelfplayTraining.md and its synchronous loop, with
// the numbers of a small machine.
package recipe

import (
	"embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/nn/fresh"
	"kosumi/nn/model"
	"kosumi/setting/tomlfile"
	"kosumi/train/selfplay"
)

// File is the name of the recipe in a loop's folder.
const File = "loop.toml"

// ErrConfig marks settings that make no sense.
var ErrConfig = errors.New("bad settings of the loop")

// Config is everything that the loop does not find out for itself. The presets
// explain every constant.
type Config struct {
	Arch string `toml:"arch"`
	Seed uint64 `toml:"seed"`

	Start     Start           `toml:"start"`
	Compute   Compute         `toml:"compute"`
	Bootstrap Bootstrap       `toml:"bootstrap"`
	Iteration Iteration       `toml:"iteration"`
	Window    Window          `toml:"window"`
	Train     Train           `toml:"train"`
	Gate      Gate            `toml:"gate"`
	Keep      Keep            `toml:"keep"`
	Selfplay  selfplay.Config `toml:"selfplay"`
	Stages    []Stage         `toml:"stage"`
}

// Compute says what the machine gives.
type Compute struct {
	Sessions  int    `toml:"sessions"`
	Batch     int    `toml:"batch"`
	Precision string `toml:"precision"`
	Provider  string `toml:"provider"`
	CacheMiB  int    `toml:"cache_mib"`
	Threads   int    `toml:"train_threads"`
}

// Bootstrap is the beginning, before there is a network worth asking.
type Bootstrap struct {
	Games     int     `toml:"games"`
	RowsShare float64 `toml:"rows_share"`
	Samples   int64   `toml:"samples"`
}

// Iteration says how long self-play lasts before it is the learner's turn.
type Iteration struct {
	Games int `toml:"games"`
	Rows  int `toml:"rows"`
}

// Window says which rows are trained on.
type Window struct {
	MinRows     int     `toml:"min_rows"`
	Taper       float64 `toml:"taper"`
	Exponent    float64 `toml:"exponent"`
	Growth      float64 `toml:"growth"`
	MaxRows     int     `toml:"max_rows"`
	RandomDecay float64 `toml:"random_decay"`
	MemoryMB    int     `toml:"memory_mib"`
}

// Rows returns the length of the window when so many rows were made.
func (w *Window) Rows(made int64) int {
	n, m, o, e := float64(made), float64(w.MinRows), w.Taper, w.Exponent
	x := max(o, n-m+o)
	size := max(m, m+w.Growth*(math.Pow(x, e)-math.Pow(o, e))/(e*math.Pow(o, e-1)))
	return int(min(size, float64(w.MaxRows)))
}

// Train says how the network learns.
type Train struct {
	Batch          int                `toml:"batch"`
	Ratio          float64            `toml:"ratio"`
	Epochs         float64            `toml:"epochs"`
	Method         string             `toml:"method"`
	Rate           float64            `toml:"rate"`
	Momentum       float64            `toml:"momentum"`
	WeightDecay    float64            `toml:"weight_decay"`
	ClipNorm       float64            `toml:"clip_norm"`
	HeadRate       float64            `toml:"head_rate"`
	WarmupSteps    int64              `toml:"warmup_steps"`
	AverageEvery   int64              `toml:"average_every"`
	AverageWindow  float64            `toml:"average_window"`
	Aux            bool               `toml:"aux"`
	Losses         map[string]float64 `toml:"losses"`
	HistoryDropout bool               `toml:"history_dropout"`
	Symmetries     bool               `toml:"symmetries"`
	Checkpoint     float64            `toml:"checkpoint_seconds"`
}

// Gate says what a new network must show before it plays.
type Gate struct {
	Games       int     `toml:"games"`
	Visits      int     `toml:"visits"`
	MinScore    float64 `toml:"min_score"`
	Temperature float64 `toml:"temperature"`
	Komi        float64 `toml:"komi"`
}

// Keep bounds the disk.
type Keep struct {
	Rows     float64 `toml:"rows"`
	Networks int     `toml:"networks"`
	Every    int     `toml:"every"`
}

// Stage changes settings once so many games were played, those of the
// bootstrap not counted. What it does not name stays as it is.
type Stage struct {
	Games         int64    `toml:"games"`
	Method        *string  `toml:"method"`
	Visits        *int     `toml:"visits"`
	CheapVisits   *int     `toml:"cheap_visits"`
	CheapShare    *float64 `toml:"cheap_share"`
	Considered    *int     `toml:"considered"`
	ValueScale    *float64 `toml:"value_scale"`
	RowsShare     *float64 `toml:"rows_share"`
	SkipEyes      *bool    `toml:"skip_eyes"`
	MoveLimit     *float64 `toml:"move_limit"`
	IterationRows *int     `toml:"iteration_rows"`
	Ratio         *float64 `toml:"ratio"`
	Rate          *float64 `toml:"rate"`
}

// At returns the settings when so many games were played.
func (c *Config) At(games int64) Config {
	out := *c
	for _, s := range c.Stages {
		if games < s.Games {
			continue
		}
		set(&out.Selfplay.Search.Method, s.Method)
		set(&out.Selfplay.Search.Visits, s.Visits)
		set(&out.Selfplay.Search.CheapVisits, s.CheapVisits)
		set(&out.Selfplay.Search.CheapShare, s.CheapShare)
		set(&out.Selfplay.Search.Considered, s.Considered)
		set(&out.Selfplay.Search.ValueScale, s.ValueScale)
		set(&out.Selfplay.Rows.Share, s.RowsShare)
		set(&out.Selfplay.Ending.SkipEyes, s.SkipEyes)
		set(&out.Selfplay.MoveLimit, s.MoveLimit)
		set(&out.Iteration.Rows, s.IterationRows)
		set(&out.Train.Ratio, s.Ratio)
		set(&out.Train.Rate, s.Rate)
	}
	return out
}

func set[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

//go:embed presets/*.toml
var presets embed.FS

// Presets lists the recipes that come with the program.
func Presets() []string { return []string{"default", "tutorial"} }

// Preset returns the text of a recipe.
func Preset(name string) ([]byte, error) {
	text, err := presets.ReadFile("presets/" + name + ".toml")
	if err != nil {
		return nil, fmt.Errorf("%w: no preset %q; there are %s", ErrConfig, name, strings.Join(Presets(), " and "))
	}
	return text, nil
}

// Parse reads a recipe. Every key must be known; keys that are missing
// have the default recipe's value.
func Parse(text []byte) (Config, error) {
	var c Config
	base, err := Preset("default")
	if err != nil {
		return c, err
	}
	if err := decode(base, &c); err != nil {
		return c, err
	}
	stages, boards, losses := c.Stages, c.Selfplay.Boards, c.Train.Losses
	c.Stages, c.Selfplay.Boards, c.Train.Losses = nil, nil, nil
	if err := decode(text, &c); err != nil {
		return c, err
	}
	if c.Stages == nil {
		c.Stages = stages
	}
	if c.Selfplay.Boards == nil {
		c.Selfplay.Boards = boards
	}
	if c.Train.Losses == nil {
		c.Train.Losses = losses
	}
	return c, c.Validate()
}

// Load reads the recipe in a loop's folder.
func Load(dir string) (Config, error) {
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	c, err := Parse(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return c, err
}

// Init makes the folder of a new loop with a recipe; the text is kept as it is.
// A folder that holds a loop already is left alone.
func Init(dir string, text []byte) error {
	if _, err := Parse(text); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%w: %s is there already; change it, or take another folder", ErrConfig, path)
	}
	return file.WriteBytes(path, text)
}

func decode(text []byte, c *Config) error {
	if err := tomlfile.Decode(text, c); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// Validate returns every fault of the settings, joined; each wraps ErrConfig.
func (c *Config) Validate() error {
	var errs []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
		}
	}
	fault(!slices.Contains(model.Precisions, c.Compute.Precision), "compute.precision %q: %s", c.Compute.Precision, strings.Join(model.Precisions, ", "))
	fault(c.Arch == "", "arch: name an architecture, such as kb4c64 or mini")
	fault(c.Start.Games < 0, "start.games_behind %d: 0 or more", c.Start.Games)
	fault(c.Start.Games > 0 && c.Start.Network == "", "start.games_behind belongs to a network: name it in start.network")
	fault(len(c.Start.Data) > 0 && c.Start.Network == "", "start.data belongs to a network: name it in start.network")
	fault(c.Start.Network != "" && !fresh.IsKataGo(c.Arch), "start: a loop that begins with a network has a KataGo architecture, such as kb4c64, not %s", c.Arch)
	fault(c.Compute.Sessions < 0 || c.Compute.Batch < 0 || c.Compute.CacheMiB < 0 || c.Compute.Threads < 0, "compute: nothing may be negative")
	fault(c.Bootstrap.Games < 0 || c.Bootstrap.Samples < 0 || !(c.Bootstrap.RowsShare >= 0 && c.Bootstrap.RowsShare <= 1),
		"bootstrap: games and samples from 0 on, rows_share 0 to 1")
	fault(c.Iteration.Games < 0 || c.Iteration.Rows < 0 || c.Iteration.Games+c.Iteration.Rows == 0, "iteration: games or rows must be above 0")
	w := &c.Window
	fault(w.MinRows < 1 || w.MaxRows < w.MinRows || !(w.Taper >= 1) || !(w.Exponent > 0 && w.Exponent <= 1) || !(w.Growth >= 0) || !(w.RandomDecay >= 0) || w.MemoryMB < 8,
		"window: 1 <= min_rows <= max_rows, taper from 1 on, exponent above 0 to 1, growth and random_decay from 0 on, memory_mib from 8 on")
	t := &c.Train
	fault(t.Batch < 1, "train.batch %d: 1 or more", t.Batch)
	fault(!(t.Ratio > 0) && !(t.Epochs > 0), "train: ratio or epochs must be above 0")
	fault(!(t.Rate > 0), "train.rate %v: above 0", t.Rate)
	fault(!(t.Checkpoint > 0), "train.checkpoint_seconds %v: above 0", t.Checkpoint)
	g := &c.Gate
	fault(g.Games < 0 || g.Games > 0 && g.Visits < 1 || !(g.MinScore >= 0 && g.MinScore <= 1), "gate: games from 0 on, visits from 1 on, min_score 0 to 1")
	fault(!(c.Keep.Rows >= 1) || c.Keep.Networks < 2 || c.Keep.Every < 0, "keep: rows from 1 on (times the window), networks from 2 on, every from 0 on")
	for i := range c.Stages {
		at := c.At(c.Stages[i].Games)
		if err := at.Selfplay.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%w: stage %d: %w", ErrConfig, i+1, err))
		}
	}
	if err := c.Selfplay.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("%w: selfplay: %w", ErrConfig, err))
	}
	return errors.Join(errs...)
}
