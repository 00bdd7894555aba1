package loop

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/nn/autodiff"
	"kosumi/nn/fresh"
	"kosumi/nn/model"
	"kosumi/search/setting/tomlfile"
	"kosumi/train/learn"
	"kosumi/train/selfplay"
)

// RecipeFile is the name of the recipe in a loop's folder.
const RecipeFile = "loop.toml"

// ErrRecipe marks invalid settings.
var ErrRecipe = errors.New("bad settings of the loop")

// Recipe has all settings of a loop. The text of the default preset explains them.
type Recipe struct {
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

// Compute is the settings of the machine.
type Compute struct {
	Sessions  int    `toml:"sessions" range:"0 to 256"`
	Batch     int    `toml:"batch" range:"0 to 1024"`
	Precision string `toml:"precision"`
	Provider  string `toml:"provider"`
	CacheMiB  int    `toml:"cache_mib" range:"0 to 1048576"`
	Threads   int    `toml:"train_threads" range:"0 to 1024"`
}

// Bootstrap is the stage of random games, before the first network.
type Bootstrap struct {
	Games     int     `toml:"games" range:"0 or more"`
	RowsShare float64 `toml:"rows_share" range:"0.0001 to 1"`
	Samples   int64   `toml:"samples" range:"0 or more"`
}

// Iteration is the length of the stage of self-play.
type Iteration struct {
	Games int `toml:"games" range:"0 or more"`
	Rows  int `toml:"rows" range:"0 or more"`
}

// Window selects the rows to train on.
type Window struct {
	MinRows     int     `toml:"min_rows" range:"1 or more"`
	Taper       float64 `toml:"taper" range:"1 to 1e12"`
	Exponent    float64 `toml:"exponent" range:"above 0 to 1"`
	Growth      float64 `toml:"growth" range:"0 to 1000"`
	MaxRows     int     `toml:"max_rows"`
	RandomDecay float64 `toml:"random_decay" range:"0 to 1000"`
	MemoryMB    int     `toml:"memory_mib" range:"8 to 1048576"`
}

// Rows returns how many rows the window holds when the loop has made the given number of rows.
func (w *Window) Rows(made int64) int {
	n, m, o, e := float64(made), float64(w.MinRows), w.Taper, w.Exponent
	x := max(o, n-m+o)
	size := max(m, m+w.Growth*(math.Pow(x, e)-math.Pow(o, e))/(e*math.Pow(o, e-1)))
	return int(min(size, float64(w.MaxRows)))
}

// Train is the settings of the learner.
type Train struct {
	Batch          int                `toml:"batch" range:"1 to 65536"`
	Ratio          float64            `toml:"ratio" range:"0 to 10000"`
	Epochs         float64            `toml:"epochs" range:"0 to 10000"`
	Method         string             `toml:"method"`
	Rate           float64            `toml:"rate" range:"above 0 to 1"`
	Momentum       float64            `toml:"momentum" range:"0 to below 1"`
	WeightDecay    float64            `toml:"weight_decay" range:"0 to 1"`
	ClipNorm       float64            `toml:"clip_norm" range:"0 to 1000000"`
	HeadRate       float64            `toml:"head_rate" range:"0 to 100"`
	WarmupSteps    int64              `toml:"warmup_steps" range:"0 or more"`
	AverageEvery   int64              `toml:"average_every" range:"0 or more"`
	AverageWindow  float64            `toml:"average_window" range:"1 to 1000000"`
	Aux            bool               `toml:"aux"`
	Losses         map[string]float64 `toml:"losses" range:"0 to 10000"`
	HistoryDropout bool               `toml:"history_dropout"`
	Symmetries     bool               `toml:"symmetries"`
	Checkpoint     float64            `toml:"checkpoint_seconds" range:"above 0 to 1000000"`
}

// Keep bounds the loop's disk space.
type Keep struct {
	Rows     float64 `toml:"rows" range:"1 to 1000000"`
	Networks int     `toml:"networks" range:"2 or more"`
	Every    int     `toml:"every" range:"0 or more"`
}

// Stage changes settings from a number of games on, not counting those of the bootstrap. Settings
// that it does not name keep their values.
type Stage struct {
	Games         int64    `toml:"games" range:"0 or more"`
	Method        *string  `toml:"method"`
	Visits        *int     `toml:"visits" range:"2 to 1000000"`
	CheapVisits   *int     `toml:"cheap_visits" range:"0 to 1000000"`
	CheapShare    *float64 `toml:"cheap_share" range:"0 to 1"`
	Considered    *int     `toml:"considered" range:"0 to 625"`
	ValueScale    *float64 `toml:"value_scale" range:"0 to 100"`
	RowsShare     *float64 `toml:"rows_share" range:"0.0001 to 1"`
	SkipEyes      *bool    `toml:"skip_eyes"`
	MoveLimit     *float64 `toml:"move_limit" range:"above 0 to 100"`
	IterationRows *int     `toml:"iteration_rows" range:"0 or more"`
	Ratio         *float64 `toml:"ratio" range:"0 to 10000"`
	Rate          *float64 `toml:"rate" range:"above 0 to 1"`
}

// At returns the settings that hold after a number of games.
func (c *Recipe) At(games int64) Recipe {
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
		return nil, fmt.Errorf("%w: no preset %q; there are %s", ErrRecipe, name, strings.Join(Presets(), " and "))
	}
	return text, nil
}

// ParseRecipe reads a recipe. Unknown keys are errors; missing ones have the values of the default
// recipe.
func ParseRecipe(text []byte) (Recipe, error) {
	var c Recipe
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

func loadRecipe(dir string) (Recipe, error) {
	path := filepath.Join(dir, RecipeFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Recipe{}, err
	}
	c, err := ParseRecipe(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return c, err
}

// Init makes the folder of a new loop with the text of a recipe. A folder with a loop is an error, and
// so is, if the loop is to begin now, a file that the recipe names and that cannot be used.
func Init(dir string, text []byte, now bool) error {
	c, err := ParseRecipe(text)
	if err == nil && now {
		err = (&workspace{dir: dir, conf: c}).ready()
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, RecipeFile)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%w: %s is there already; change it, or take another folder", ErrRecipe, path)
	}
	return file.WriteBytes(path, text)
}

func decode(text []byte, c *Recipe) error {
	if err := tomlfile.Decode(text, c); err != nil {
		return fmt.Errorf("%w: %w", ErrRecipe, err)
	}
	return nil
}

// Validate returns every error of the recipe, joined and wrapped in ErrRecipe. Each names its key.
func (c *Recipe) Validate() error {
	rest := *c
	rest.Selfplay = selfplay.Defaults() // the settings of self-play are checked separately
	errs := tomlfile.Check(rest)
	if len(errs) == 0 {
		errs = c.faults()
	}
	if len(errs) > 0 {
		return fmt.Errorf("%w: %w", ErrRecipe, errors.Join(errs...))
	}
	return nil
}

// faults returns the errors of a recipe whose values are all in their ranges.
func (c *Recipe) faults() (errs []error) {
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	compute := model.DefaultSettings()
	for key, value := range map[string]string{"precision": c.Compute.Precision, "provider": c.Compute.Provider} {
		err := model.SettingsTable().Set(&compute, key, value)
		fault(err != nil, "compute.%w", err)
	}
	_, err := fresh.Parse(c.Arch)
	fault(err != nil, "arch: %w", err)
	fault(c.Start.Games > 0 && c.Start.Network == "", "start.games_behind belongs to a network: name it in start.network")
	fault(len(c.Start.Data) > 0 && c.Start.Network == "", "start.data belongs to a network: name it in start.network")
	fault(c.Start.Network != "" && !fresh.IsKataGo(c.Arch), "start: a loop that begins with a network has a KataGo architecture, such as kb4c64, not %s", c.Arch)
	fault(c.Iteration.Games+c.Iteration.Rows == 0, "iteration: games or rows must be above 0")
	fault(c.Window.MaxRows < c.Window.MinRows, "window.max_rows is %d, must be %d (min_rows) or more", c.Window.MaxRows, c.Window.MinRows)
	t := &c.Train
	fault(t.Ratio == 0 && t.Epochs == 0, "train: ratio or epochs must be above 0")
	fault(!slices.Contains(autodiff.Methods, autodiff.Method(t.Method)), "train.method is %q, must be one of %s", t.Method, autodiff.Methods)
	for _, name := range slices.Sorted(maps.Keys(t.Losses)) {
		fault(!slices.Contains(learn.TermNames(), name), "train.losses.%s: there is no such loss; there are %s", name, strings.Join(learn.TermNames(), ", "))
	}
	if err := c.Selfplay.Validate(); err != nil {
		return append(errs, fmt.Errorf("selfplay: %w", err))
	}
	for i := range c.Stages {
		at := c.At(c.Stages[i].Games)
		if err := at.Selfplay.Validate(); err != nil {
			return append(errs, fmt.Errorf("stage %d: %w", i+1, err)) // later stages depend on this one
		}
	}
	return errs
}
