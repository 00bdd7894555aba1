package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/search"
	"kosumi/search/setting"
)

// Headings of settings.
const (
	GameGroup = "The game"
	PlayGroup = "Limits of a move, pondering, resignation, pace"
)

// Settings returns the table of all settings that users have for an engine, including its search.
func Settings() setting.Table[Config] { return settings }

var settings = setting.Join(
	setting.Under(GameGroup, setting.Table[Config]{
		setting.Custom(setting.Info{Name: "boardsize", KataGo: "defaultBoardSize", Source: "GTP's usual",
			Doc: "board `SIZE`: 2 to 25, or for example 9x13; default: the network's only size, 9 for the built-in network, else 19"},
			func(c *Config) setting.Value { return sizeValue{&c.Size} }),
		setting.Custom(setting.Info{Name: "rules", KataGo: "rules", Source: "KataGo's example config",
			Doc: "rules: a name such as tromp-taylor, chinese, japanese, aga, or a JSON object"},
			func(c *Config) setting.Value { return rulesValue{&c.Rules} }),
		setting.Of(setting.Info{Name: "komi", Low: -400, High: 400, Source: "the rules",
			Doc: "komi; default: that of the rules"},
			func(c *Config) *float32 { return &c.Rules.Komi }),
	}),
	setting.Under(PlayGroup, setting.Table[Config]{
		setting.Of(setting.Info{Name: "visits", KataGo: "maxVisits", High: noLimit - 1, NoLimit: noLimit, Change: setting.Common,
			Doc: "visits for a move, including those of the reused tree; 0: no limit", Source: "off, the clock decides"},
			func(c *Config) *int64 { return &c.Limits.Visits }),
		setting.Of(setting.Info{Name: "playouts", KataGo: "maxPlayouts", High: noLimit - 1, NoLimit: noLimit, Change: setting.Common,
			Doc: "new playouts for a move; 0: no limit", Source: "off, the clock decides"},
			func(c *Config) *int64 { return &c.Limits.Playouts }),
		setting.Of(setting.Info{Name: "time", KataGo: "maxTime", High: 1e7, NoLimit: 1e20, To: asIs, Change: setting.Common,
			Doc: "most `seconds` for a move, with a clock too; 0: no limit", Source: "5 if nothing else limits a move"},
			func(c *Config) *time.Duration { return &c.Limits.Time }),
		setting.Of(setting.Info{Name: "threads", KataGo: "numSearchThreads", High: 1024, Change: setting.Common, From: threadsOfKataGo, To: asIs,
			Doc: "search workers; 0: chosen to suit sessions and batch. Fewer cores: --sessions", Source: "own measurements on CPUs"},
			func(c *Config) *int { return &c.Search.Parallel.Workers }),
		setting.Of(setting.Info{Name: "max-memory", Low: 16, High: 1 << 24, Unit: 1 << 20,
			Doc: "limit of the search tree in `MiB`", Source: "room for millions of visits"},
			func(c *Config) *int64 { return &c.Search.Memory.MaxBytes }),
		setting.Of(setting.Info{Name: "ponder", KataGo: "ponderingEnabled", Change: setting.Common,
			Doc: "search in the opponent's time (pondering)", Source: "off, so that engines share a machine fairly"},
			func(c *Config) *bool { return &c.Ponder }),
		setting.Of(setting.Info{Name: "resign", KataGo: "allowResignation", Change: setting.Common,
			Doc: "resign hopeless games; false: never (--resign=false)", Source: "KataGo's example config"},
			func(c *Config) *bool { return &c.Resign.Enabled }),
		setting.Of(setting.Info{Name: "resign-threshold", KataGo: "resignThreshold", Low: -1, High: 1, Change: setting.Common,
			Doc: "resign when win minus loss, -1 to 1, stays below this for three own moves", Source: "KataGo's example config, 3 moves there too"},
			func(c *Config) *float64 { return &c.Resign.Threshold }),
		setting.Of(setting.Info{Name: "lag-buffer", KataGo: "lagBuffer", High: 3600, Change: setting.Common,
			Doc: "`seconds` of each move kept in reserve for the connection to the server", Source: "KataGo's example config"},
			func(c *Config) *time.Duration { return &c.Lag }),
		setting.Of(setting.Info{Name: "early-stop",
			Doc: "on a clock: move as soon as no other move can catch up", Source: "on, since the time saved is used later"},
			func(c *Config) *bool { return &c.EarlyStop }),
		setting.Of(setting.Info{Name: "extend", High: 10,
			Doc: "on a clock: extra time while the best move is unclear, as a fraction of the planned time", Source: "own games on clocks"},
			func(c *Config) *float64 { return &c.Extend }),
		setting.Of(setting.Info{Name: "handicap-advantage", KataGo: "dynamicPlayoutDoublingAdvantageCapPerOppLead", High: 0.5, Change: setting.Common,
			Doc: "in handicap games, the advantage that the weaker side assumes, in doublings of search effort per point; 0: none", Source: "KataGo 1.17"},
			func(c *Config) *float64 { return &c.HandicapAdvantage }),
		setting.Of(setting.Info{Name: "handicap-repeats", Low: -3, High: 3, Change: setting.Common,
			Doc: "in handicap games, the utility that the weaker side subtracts from moves like its earlier ones; 0: none", Source: "KataGo 1.17"},
			func(c *Config) *float64 { return &c.HandicapRepeats }),
		setting.Of(setting.Info{Name: "analysis-wide-noise", KataGo: "analysisWideRootNoise", High: 5, Change: setting.Common,
			Doc: "extra exploration at the root in analysis", Source: "KataGo 1.17"},
			func(c *Config) *float64 { return &c.AnalysisWideNoise }),
		setting.Custom(setting.Info{Name: "level", Change: setting.Common,
			Doc: "play like a person of this `RANK`, 30k to 1k or 1d to 9d (engine match ladder --show lists a network's ranks). auto finds the opponent's rank over several games. Default: full strength", Source: "people ask for it"},
			func(c *Config) setting.Value { return levelValue{&c.Level} }),
		setting.Of(setting.Info{Name: "level-file", Source: "one player a computer",
			Doc: "`FILE` with the ranks that --level auto has found; default: kosumi/levels.json in the user's configuration folder"},
			func(c *Config) *string { return &c.LevelFile }),
		setting.Of(setting.Info{Name: "pace", KataGo: "delayMoveScale", High: 10000, Change: setting.Common,
			Doc: "wait this many `seconds` on average before a likely move, and ten times as long before a surprising one, if the clock allows. 2 is a person's pace; 0 answers at once", Source: "clocks should last"},
			func(c *Config) *float64 { return &c.Delay.Scale }),
		setting.Of(setting.Info{Name: "pace-most", KataGo: "delayMoveMax", High: 1e6, Change: setting.Common,
			Doc: "longest wait of --pace, in `seconds`", Source: "KataGo's example of human play"},
			func(c *Config) *float64 { return &c.Delay.Most }),
		setting.Of(setting.Info{Name: "seed", KataGo: "searchRandSeed",
			Doc: "random seed; 0: a new one each time", Source: "games should differ"},
			func(c *Config) *uint64 { return &c.Seed }),
	}),
	setting.Lift(search.Settings(), func(c *Config) *search.Params { return &c.Search }),
)

// noLimit is KataGo's number for no limit of visits.
const noLimit = 1 << 50

// threadsOfKataGo reads a number of threads; KataGo has no automatic choice.
func threadsOfKataGo(text string) (string, error) {
	if n, err := strconv.ParseFloat(text, 64); err != nil || n < 1 || n > 1024 || n != math.Trunc(n) {
		return "", errors.New("must be an integer from 1 to 1024")
	}
	return text, nil
}

func asIs(text string) string { return text }

type sizeValue struct{ at *board.Size }

func (v sizeValue) String() string {
	if v.at.W == v.at.H {
		return strings.SplitN(v.at.String(), "x", 2)[0]
	}
	return v.at.String()
}

func (v sizeValue) Set(text string) error {
	size, err := board.ParseSize(text)
	if err == nil {
		*v.at = size
	}
	return err
}

// rulesValue is the setting for the rules. Rules include komi, so a change of rules replaces komi too.
type rulesValue struct{ at *board.Rules }

func (v rulesValue) String() string {
	name := v.at.Name()
	if lower := strings.ToLower(name); name != v.at.Text() {
		return lower
	}
	return name
}

func (v rulesValue) Set(text string) error {
	rules, err := board.ParseRules(text)
	switch {
	case err == nil:
		*v.at = rules
	case !strings.HasPrefix(strings.TrimSpace(text), "{"):
		if near := setting.Near(text, board.RuleNames()); near != "" {
			return fmt.Errorf("no rules are called %q, did you mean %s?", text, near)
		}
		return fmt.Errorf("no rules are called %q: write one of %s, or a JSON object", text, strings.Join(board.RuleNames(), ", "))
	}
	return err
}

// params are the settings that may change while the engine runs.
var params = settings.Changeable()

// Params lists all parameters in a fixed order, by their GTP names.
func (e *Engine) Params() []setting.Param { return params.Params(&e.cfg) }

// SetParams sets some parameters, all or none. Pondering that is under way keeps the old values.
func (e *Engine) SetParams(values map[string]string) error {
	next := e.cfg
	if err := params.Apply(&next, values, params.SetParam); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	if err := next.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	if err := CheckHuman(e.net, changedFrom(params.Params(&e.cfg), params.Params(&next)), next.Search.Human); err != nil {
		return err
	}
	if next.Level != e.cfg.Level {
		if err := e.rank.refusal(next.Level, e.game.Size()); err != nil {
			return fmt.Errorf("%w: %w", ErrParam, err)
		}
	}
	return e.Configure(next)
}

// changedFrom returns the names of the parameters whose values differ, sorted.
func changedFrom(before, after []setting.Param) (names []string) {
	for i := range after {
		if before[i].Value != after[i].Value {
			names = append(names, after[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

func (e *Engine) Config() Config { return e.cfg }

// Configure replaces the configuration, except its size, rules and game options, which belong to the
// game on the board.
func (e *Engine) Configure(next Config) error {
	if err := next.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	e.Stop()
	if err := e.thinker.tree.SetParams(next.Search); err != nil {
		return fmt.Errorf("%w: %w", ErrParam, err)
	}
	next.Size, next.Rules, next.Game = e.cfg.Size, e.cfg.Rules, e.cfg.Game
	e.cfg = next
	return nil
}
