package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/nn/model"
	"kosumi/nn/ort"
	"kosumi/search"
)

// settings are what the subcommands share. A config file sets them by the name
// of the flag; a flag on the command line wins over the file.
type settings struct {
	Model       string  `toml:"model"`
	Provider    string  `toml:"provider"`
	Precision   string  `toml:"precision"`
	OnnxRuntime string  `toml:"onnxruntime"`
	Encoder     string  `toml:"encoder"`
	Policy      string  `toml:"policy"`
	Value       string  `toml:"value"`
	Threads     int     `toml:"threads"`
	Sessions    int     `toml:"sessions"`
	Batch       int     `toml:"batch"`
	Cache       int     `toml:"cache"`
	MaxMemory   int     `toml:"max-memory"`
	Visits      int64   `toml:"visits"`
	Playouts    int64   `toml:"playouts"`
	Time        float64 `toml:"time"`
	BoardSize   string  `toml:"boardsize"`
	Rules       string  `toml:"rules"`
	Komi        float64 `toml:"komi"`
	Seed        uint64  `toml:"seed"`
	LogLevel    string  `toml:"log-level"`

	Ponder     bool    `toml:"ponder"`
	Resign     bool    `toml:"resign"`
	ResignAt   float64 `toml:"resign-threshold"`
	LagBuffer  float64 `toml:"lag-buffer"`
	StrictPlay bool    `toml:"strict-play"`
	EarlyStop  bool    `toml:"early-stop"`
	Extend     float64 `toml:"extend"`
	Handicap   float64 `toml:"handicap-advantage"`
	WideNoise  float64 `toml:"analysis-wide-noise"`

	Preset string         `toml:"preset"`
	Search map[string]any `toml:"search"` // by the names of search.Settings

	config  string
	sets    []string // NAME=VALUE of --set
	komiSet bool
	stderr  *slog.Logger
	foreign struct {
		overrides          []string
		humanModel, config string
	}
}

func defaultSettings() settings {
	return settings{
		Provider: "auto", Precision: "auto",
		Cache: 256, MaxMemory: 4096,
		BoardSize: "19", Rules: "chinese", LogLevel: "info",
		Resign: true, ResignAt: -0.90, LagBuffer: 1.0, Preset: "katago",
		EarlyStop: engine.Defaults().EarlyStop, Extend: engine.Defaults().Extend,
		Handicap: engine.Defaults().HandicapAdvantage, WideNoise: engine.Defaults().AnalysisWideNoise,
	}
}

// networkFlags adds what says which network runs, and on what.
func (s *settings) networkFlags(f *pflag.FlagSet) {
	f.StringVar(&s.Model, "model", s.Model, "network `FILE`: .onnx, or KataGo's .bin.gz or .txt.gz; default: the embedded one")
	f.StringVar(&s.Provider, "provider", s.Provider, "what runs the network: auto, cpu, cuda, tensorrt, coreml, directml, openvino, webgpu or onnx-go")
	f.StringVar(&s.Precision, "precision", s.Precision, "number format of the network: auto, fp32, int8 (on the CPU) or fp16 (for GPUs); auto is int8 where that is faster and accurate, prepared once for each network and board size")
	f.StringVar(&s.OnnxRuntime, "onnxruntime", s.OnnxRuntime, "onnxruntime library `FILE`; default: looked for (see engine doctor)")
	f.StringVar(&s.Encoder, "encoder", s.Encoder, "input encoding of a foreign ONNX network that does not say: mini7, seed22 or v7")
	f.StringVar(&s.Policy, "policy", s.Policy, "policy output of a foreign ONNX network: logits, log_softmax or softmax")
	f.StringVar(&s.Value, "value", s.Value, "value output of a foreign ONNX network: tanh ([-1,1]) or wdl (three logits)")
	f.IntVar(&s.Threads, "threads", s.Threads, "search workers; 0: chosen to suit sessions and batch")
	f.IntVar(&s.Sessions, "sessions", s.Sessions, "network sessions at work at once; 0: one for each core")
	f.IntVar(&s.Batch, "batch", s.Batch, "most positions in one network call; 0: 8")
	f.IntVar(&s.Cache, "cache", s.Cache, "cache of evaluations in `MiB`; 0: none")
	f.StringVar(&s.config, "config", s.config, "config `FILE`.toml: any of these flags by name, without the dashes; engine config makes one")
	f.StringVar(&s.LogLevel, "log-level", s.LogLevel, "what goes to stderr: debug, info, warn or error")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "seed of everything random; 0: a new one each time")
}

// playFlags adds what says how to play.
func (s *settings) playFlags(f *pflag.FlagSet) {
	s.gameFlags(f)
	s.seatFlags(f)
	s.searchFlags(f)
}

// seatFlags adds how a game is played.
func (s *settings) seatFlags(f *pflag.FlagSet) {
	f.Int64Var(&s.Visits, "visits", s.Visits, "visits for a move, those of the reused tree included; 0: no limit")
	f.Int64Var(&s.Playouts, "playouts", s.Playouts, "new playouts for a move; 0: no limit")
	f.Float64Var(&s.Time, "time", s.Time, "`seconds` for a move where the clock gives no limit; 0: none")
	f.IntVar(&s.MaxMemory, "max-memory", s.MaxMemory, "limit of the search tree in `MiB`")
	f.BoolVar(&s.Ponder, "ponder", s.Ponder, "search on while the opponent thinks")
	f.BoolVar(&s.Resign, "resign", s.Resign, "resign hopeless games")
	f.Float64Var(&s.ResignAt, "resign-threshold", s.ResignAt, "resign when win minus loss, -1 to 1, stays below this for three own moves")
	f.Float64Var(&s.LagBuffer, "lag-buffer", s.LagBuffer, "`seconds` of each move kept back for the way to the server")
	f.BoolVar(&s.EarlyStop, "early-stop", s.EarlyStop, "on a clock: move as soon as no other move can catch up")
	f.Float64Var(&s.Extend, "extend", s.Extend, "on a clock: how much longer than planned, as a share, to think while the choice is unstable")
	f.Float64Var(&s.Handicap, "handicap-advantage", s.Handicap, "advantage that the side behind from the start is told to have, in doublings of search effort for each point; 0: none")
	f.Float64Var(&s.WideNoise, "analysis-wide-noise", s.WideNoise, "how much wider than play analysis looks at the root, 0 to 5")
	f.BoolVar(&s.StrictPlay, "strict-play", s.StrictPlay, "refuse ko, superko and suicide violations in GTP's play (default: warn and follow the server)")
}

// gameFlags adds what says which game is played.
func (s *settings) gameFlags(f *pflag.FlagSet) {
	f.StringVar(&s.BoardSize, "boardsize", s.BoardSize, "board `SIZE`: 2 to 25, or for example 9x13")
	f.StringVar(&s.Rules, "rules", s.Rules, "rules: a name such as tromp-taylor, chinese, japanese, aga, or a JSON object")
	f.Float64Var(&s.Komi, "komi", s.Komi, "komi; default: what the rules say")
}

// foreignFlags adds what launch lines made for KataGo carry and this engine has
// no use for: it is named on stderr and ignored, as is a .cfg file.
func (s *settings) foreignFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&s.foreign.overrides, "override-config", nil, "`SETTINGS` of KataGo, ignored")
	f.StringVar(&s.foreign.humanModel, "human-model", "", "second network `FILE` of KataGo, ignored; name a human-like network with --model")
}

// ignoreForeign says which parts of the launch line do nothing.
func (s *settings) ignoreForeign() {
	for _, o := range s.foreign.overrides {
		s.stderr.Warn("this setting of KataGo is ignored", "override-config", o)
	}
	if s.foreign.humanModel != "" {
		s.stderr.Warn("a second network for human-like play is not supported and is ignored", "human-model", s.foreign.humanModel)
	}
	if s.foreign.config != "" {
		s.stderr.Warn("config files of KataGo are not read; flags and .toml files set this engine", "config", s.foreign.config)
	}
}

// load reads the config file, if one is named, under the flags that were given.
func (s *settings) load(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if strings.EqualFold(filepath.Ext(s.config), ".cfg") {
		s.foreign.config, s.config = s.config, ""
	}
	if s.config != "" {
		if err := s.loadFile(flags); err != nil {
			return err
		}
	}
	s.komiSet = s.komiSet || flags.Changed("komi")
	if err := s.check(); err != nil {
		return err
	}
	s.ignoreForeign()
	return nil
}

func (s *settings) loadFile(flags *pflag.FlagSet) error {
	data, err := readBounded(s.config, maxConfigSize)
	if err != nil {
		return fmt.Errorf("config file: %w", err)
	}
	given := map[string]string{}
	flags.Visit(func(f *pflag.Flag) {
		if _, list := f.Value.(pflag.SliceValue); !list { // lists are no settings of the file
			given[f.Name] = f.Value.String()
		}
	})
	loaded, err := parseConfig(data, *s)
	if err != nil {
		return usagef("config file %s: %w", s.config, err)
	}
	*s = loaded
	for name, value := range given {
		if err := flags.Set(name, value); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// maxConfigSize bounds a config file; real ones have a few kilobytes.
const maxConfigSize = 1 << 20

// parseConfig reads a TOML file over the given settings. Unknown keys are
// refused, so that a misspelt one does not pass unnoticed.
func parseConfig(data []byte, base settings) (settings, error) {
	out := base
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) && len(strict.Errors) > 0 {
			keys := make([]string, 0, len(strict.Errors))
			for _, e := range strict.Errors {
				keys = append(keys, strings.Join(e.Key(), "."))
			}
			return base, fmt.Errorf("unknown key %s", strings.Join(keys, ", "))
		}
		return base, fmt.Errorf("not a valid TOML file: %w", err)
	}
	var has struct {
		Komi *float64 `toml:"komi"`
	}
	if err := toml.Unmarshal(data, &has); err == nil && has.Komi != nil {
		out.komiSet = true
	}
	return out, nil
}

// readBounded reads a whole file that must not be larger than limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder", path)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that are accepted", path, info.Size(), limit)
	}
	return os.ReadFile(path)
}

func (s *settings) check() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(s.Threads < 0 || s.Threads > 1024, "--threads %d: 0 to 1024", s.Threads)
	fault(s.Sessions < 0 || s.Sessions > 256, "--sessions %d: 0 to 256", s.Sessions)
	fault(s.Batch < 0 || s.Batch > 1024, "--batch %d: 0 to 1024", s.Batch)
	fault(s.Cache < 0 || s.Cache > 1<<20, "--cache %d: 0 to 1048576 MiB", s.Cache)
	fault(s.MaxMemory < 16 || s.MaxMemory > 1<<24, "--max-memory %d: 16 MiB or more", s.MaxMemory)
	fault(s.Visits < 0, "--visits %d: 0 or more", s.Visits)
	fault(s.Playouts < 0, "--playouts %d: 0 or more", s.Playouts)
	fault(!(s.Time >= 0 && s.Time <= 1e7), "--time %g: 0 or more seconds", s.Time)
	fault(!(s.Komi >= -400 && s.Komi <= 400), "--komi %g: -400 to 400", s.Komi)
	fault(!(s.ResignAt >= -1 && s.ResignAt <= 1), "--resign-threshold %g: -1 to 1", s.ResignAt)
	fault(!(s.Extend >= 0 && s.Extend <= 10), "--extend %g: 0 to 10", s.Extend)
	fault(!(s.Handicap >= 0 && s.Handicap <= 0.5), "--handicap-advantage %g: 0 to 0.5", s.Handicap)
	fault(!(s.WideNoise >= 0 && s.WideNoise <= 5), "--analysis-wide-noise %g: 0 to 5", s.WideNoise)
	fault(!(s.LagBuffer >= 0 && s.LagBuffer <= 3600), "--lag-buffer %g: 0 to 3600 seconds", s.LagBuffer)
	providers := append([]string{"auto", model.OnnxGo}, ort.ProviderNames()...)
	fault(!slices.Contains(providers, strings.ToLower(s.Provider)), "--provider %q: %s", s.Provider, strings.Join(providers, ", "))
	if _, err := s.size(); err != nil {
		faults = append(faults, err)
	}
	if _, err := s.gameRules(); err != nil {
		faults = append(faults, err)
	}
	if _, err := s.searchParams(search.Defaults()); err != nil {
		faults = append(faults, err)
	}
	level, err := parseLevel(s.LogLevel)
	if err != nil {
		faults = append(faults, err)
	}
	if len(faults) > 0 {
		return usageError{errors.Join(faults...)}
	}
	s.stderr = slog.New(newPlainHandler(os.Stderr, level))
	return nil
}

func parseLevel(name string) (slog.Level, error) {
	var l slog.Level
	switch strings.ToLower(name) {
	case "debug", "info", "warn", "error":
		err := l.UnmarshalText([]byte(name))
		return l, err
	}
	return l, fmt.Errorf("--log-level %q: debug, info, warn or error", name)
}

func (s *settings) size() (board.Size, error) { return parseSize(s.BoardSize) }

// parseSize reads "9" or "9x13" (width first).
func parseSize(text string) (board.Size, error) {
	w, h, rect := strings.Cut(strings.ToLower(text), "x")
	if !rect {
		h = w
	}
	width, errW := strconv.Atoi(strings.TrimSpace(w))
	height, errH := strconv.Atoi(strings.TrimSpace(h))
	size := board.Size{W: width, H: height}
	if errW != nil || errH != nil || size.Check() != nil {
		return board.Size{}, fmt.Errorf("board size %q: a number from 2 to 25, or for example 9x13", text)
	}
	return size, nil
}

// gameRules returns the rules with the komi that was asked for.
func (s *settings) gameRules() (board.Rules, error) {
	rules, err := board.ParseRules(s.Rules)
	if err != nil {
		return rules, fmt.Errorf("--rules: %w", err)
	}
	if s.komiSet {
		rules.Komi = float32(s.Komi)
	}
	return rules, nil
}

func (s *settings) moveTime() time.Duration { return time.Duration(s.Time * float64(time.Second)) }

func (s *settings) sessionCount() int {
	if s.Sessions > 0 {
		return s.Sessions
	}
	return runtime.NumCPU()
}

func (s *settings) batchSize() int {
	if s.Batch > 0 {
		return s.Batch
	}
	return 8
}

func (s *settings) lag() time.Duration { return time.Duration(s.LagBuffer * float64(time.Second)) }
