package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kosumi/engine"
	"kosumi/engine/level"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/nn/model"
	"kosumi/search"
	"kosumi/search/setting"
	"kosumi/search/setting/tomlfile"
)

// settings are shared by the subcommands: which network runs, on which device, and how to play.
// Flags, config files and --set change them; [table] has a row for each setting.
type settings struct {
	model.Settings
	LogLevel   string
	StrictPlay bool
	Preset     string

	// Play configures an engine. Its number of workers is 0 if unset: see settings.params.
	Play engine.Config

	chat    bool // chat about moves, see gtp.Options.Chat
	kataGo  bool // runs under the name katago, which has its own messages about human networks
	config  string
	given   map[string]string // text of the settings that flags have set, by name
	sets    []string          // NAME=VALUE of --set
	sized   bool              // the user gave a board size
	stderr  *slog.Logger
	foreign []string          // settings by KataGo's names, from --override-config
	idle    map[string]string // the keys in foreign and in a .cfg file that are not settings here
}

func defaultSettings() settings {
	s := settings{Settings: model.DefaultSettings(), LogLevel: "info", Preset: "katago", Play: engine.Defaults()}
	s.searchFrom(s.Play.Search)
	return s
}

// searchFrom sets the search's default parameters to p, except those that depend on the machine.
func (s *settings) searchFrom(p search.Params) {
	p.Parallel.Workers, p.Memory.MaxBytes = 0, 4<<30
	s.Play.Search = p
}

// Headings of settings in help; package engine has more.
const (
	networkGroup = "The network and what runs it"
	searchGroup  = "The search"
)

var table = makeTable()

func makeTable() setting.Table[settings] {
	play := setting.Lift(engine.Settings(), func(s *settings) *engine.Config { return &s.Play })
	split := slices.IndexFunc(play, func(s setting.Setting[settings]) bool { return s.Section != "" })
	return setting.Join(networkTable(), play[:split], setting.Table[settings]{
		setting.Of(setting.Info{Name: "strict-play", Group: engine.PlayGroup, Source: "a bot does not leave a server's game",
			Doc: "refuse ko, superko and suicide violations in GTP's play (default: warn and follow the server)"},
			func(s *settings) *bool { return &s.StrictPlay }),
		setting.Custom(setting.Info{Name: "preset", Group: searchGroup, Source: "the strongest",
			Doc: "preset of search settings: " + strings.Join(search.Presets, ", ")},
			func(s *settings) setting.Value { return preset{s} }),
	}, play[split:])
}

func networkTable() setting.Table[settings] {
	net := setting.Lift(model.SettingsTable(), func(s *settings) *model.Settings { return &s.Settings })
	return setting.Under(networkGroup, setting.Join(net, setting.Table[settings]{
		setting.Of(setting.Info{Name: "log-level", Source: "what is loaded, and warnings", Words: logLevels,
			Doc: "level of messages on stderr: debug, info, warn or error"},
			func(s *settings) *string { return &s.LogLevel }),
	}))
}

// networkFlags adds the flags that choose the network and its device.
func (s *settings) networkFlags(f *pflag.FlagSet) {
	s.flags(f, "human-model")
	s.oneNetworkFlags(f)
}

// oneNetworkFlags adds the flags of the network and its device for commands that use no human
// network.
func (s *settings) oneNetworkFlags(f *pflag.FlagSet) {
	s.groupFlags(f, networkGroup, "human-model")
	s.flags(f, "threads", "seed")
	f.StringVar(&s.config, "config", s.config, "config `FILE`.toml: any of these flags by name, without the dashes; engine config makes one. Or KataGo's .cfg")
}

func (s *settings) playFlags(f *pflag.FlagSet) {
	s.gameFlags(f)
	s.groupFlags(f, engine.PlayGroup)
	s.searchFlags(f)
}

// gameFlags adds the flags about the game: board, rules, komi.
func (s *settings) gameFlags(f *pflag.FlagSet) { s.groupFlags(f, engine.GameGroup) }

func (s *settings) searchFlags(f *pflag.FlagSet) {
	s.groupFlags(f, searchGroup)
	f.StringArrayVar(&s.sets, "set", nil, "`NAME=VALUE` of the search, may be given more than once; engine config lists the names")
}

// foreignFlags adds the flag --override-config, for command lines written for KataGo.
func (s *settings) foreignFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&s.foreign, "override-config", nil, "`KEY=VALUE`,... in KataGo's words, as in a .cfg file for --config")
}

// load applies the config file, if one is named, then the flags, then --set; the later ones win.
func (s *settings) load(cmd *cobra.Command, _ []string) error {
	s.Context = cmd.Context()
	values := map[string]string{}
	if s.config != "" && !s.isCfg() {
		data, err := file.Read(s.config, maxConfigSize)
		if err != nil {
			return fmt.Errorf("config file: %w", err)
		}
		if values, err = tomlfile.Values(table, data); err != nil {
			return usagef("config file %s: %w", s.config, err)
		}
	}
	if s.isCfg() || len(s.foreign) > 0 {
		if err := s.readKataGo(values); err != nil {
			return err
		}
	}
	maps.Copy(values, s.given)
	for _, set := range s.sets {
		for one := range strings.SplitSeq(set, ",") {
			name, value, ok := strings.Cut(one, "=")
			if !ok {
				return usagef("--set %s: want NAME=VALUE", one)
			}
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	set := func(s *settings, name, text string) error {
		err := table.Set(s, name, text)
		if _, flag := s.given[name]; flag && err != nil {
			return fmt.Errorf("--%w", err)
		}
		return err
	}
	if err := errors.Join(table.Apply(s, values, set), s.check()); err != nil {
		return usageError{err}
	}
	_, s.sized = values["boardsize"]
	if own, ok := model.OwnSize(s.Model, s.Config(nil).Overrides); ok && !s.sized {
		s.Play.Size = own
	}
	idle := slices.DeleteFunc(slices.Sorted(maps.Keys(s.idle)), func(key string) bool { return key == "numAnalysisThreads" && cmd.Name() == "analysis" })
	if len(idle) > 0 {
		s.stderr.Warn("these keys of KataGo's do nothing here, though they may under the name katago: " + strings.Join(idle, ", "))
	}
	return nil
}

// maxConfigSize bounds a config file; real ones have kilobytes.
const maxConfigSize = 1 << 20

// check validates the settings as a whole, and opens the log.
func (s *settings) check() error {
	s.Play.Search.Seed = s.Play.Seed
	level, err := parseLevel(s.LogLevel)
	if err != nil {
		return err
	}
	s.stderr = console.NewLog(os.Stderr, level)
	s.Play.Rules.Komi = float32(halfPoints(float64(s.Play.Rules.Komi), s.stderr))
	if err := s.checkHuman(); err != nil {
		return err
	}
	return s.engineConfig().Validate()
}

// findLevelFile chooses the file of the player's level: --level-file if given, else levels.json in
// the user's folder of settings. It returns an error if --level-file cannot be used.
func (s *settings) findLevelFile() error {
	if s.Play.LevelFile != "" {
		if err := level.TryFile(s.Play.LevelFile); err != nil {
			return fmt.Errorf("--level-file: %w", err)
		}
		return nil
	}
	if dir, err := file.Config(); err == nil {
		s.Play.LevelFile = filepath.Join(dir, "levels.json")
	}
	return nil
}

var logLevels = []string{"debug", "info", "warn", "error"}

func parseLevel(name string) (slog.Level, error) {
	var l slog.Level
	if err := must(slices.Contains(logLevels, strings.ToLower(name)), "log-level", strconv.Quote(name), "one of "+strings.Join(logLevels, ", ")); err != nil {
		return l, err
	}
	return l, l.UnmarshalText([]byte(name))
}

// preset is the value of --preset: a named set of parameters of the search.
type preset struct{ s *settings }

func (v preset) String() string { return v.s.Preset }

func (v preset) Set(name string) error {
	from, err := search.Preset(name)
	if err != nil {
		return err
	}
	p := &v.s.Play.Search
	// A preset keeps these parameters, which distinguish analysis from play; it may turn AntiMirror off.
	from.Root.WideNoise, from.Pass.IgnorePreRootHistory = p.Root.WideNoise, p.Pass.IgnorePreRootHistory
	from.AntiMirror = from.AntiMirror && p.AntiMirror
	// A preset changes neither the parameters that depend on the machine nor the seed.
	from.Parallel.Workers, from.Memory.MaxBytes, from.Seed = p.Parallel.Workers, p.Memory.MaxBytes, p.Seed
	v.s.Preset, *p = name, from
	return nil
}

func (s *settings) engineConfig() engine.Config {
	conf := s.Play
	conf.Search = s.params()
	return conf
}

// params returns the parameters of the search. An unset number of workers becomes the number that
// suits the network.
func (s *settings) params() search.Params {
	p := s.Play.Search
	p.Parallel.Workers, p.Parallel.Sessions = s.workers(), s.SessionCount()
	return p
}

// workers is the number of evaluations under way at once. By default it is two batches for each
// session, one running and one filling; on a device four: two running, one prepared, one answered.
func (s *settings) workers() int {
	if n := s.Play.Search.Parallel.Workers; n > 0 {
		return n
	}
	if s.OnDevice() {
		return 4 * s.BatchSize()
	}
	return 2 * s.SessionCount() * s.BatchSize()
}
