package engine

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/search"
	"kosumi/setting"
)

// The headings of the settings.
const (
	GameGroup = "The game"
	PlayGroup = "Limits of a move, and manners at the table"
)

// Settings returns what users may set of a configuration: what stands here, and
// the settings of the search.
func Settings() setting.Table[Config] { return settings }

var settings = setting.Join(
	setting.Under(GameGroup, setting.Table[Config]{
		setting.Custom(setting.Info{Name: "boardsize", KataGo: "defaultBoardSize", Source: "GTP's usual",
			Doc: "board `SIZE`: 2 to 25, or for example 9x13; default: the only one that the network serves, 9 for the embedded one, else 19"},
			func(c *Config) setting.Value { return sizeValue{&c.Size} }),
		setting.Custom(setting.Info{Name: "rules", KataGo: "rules", Source: "KataGo's example config",
			Doc: "rules: a name such as tromp-taylor, chinese, japanese, aga, or a JSON object"},
			func(c *Config) setting.Value { return rulesValue{&c.Rules} }),
		setting.Of(setting.Info{Name: "komi", Low: -400, High: 400, Source: "the rules",
			Doc: "komi; default: what the rules say"},
			func(c *Config) *float32 { return &c.Rules.Komi }),
	}),
	setting.Under(PlayGroup, setting.Table[Config]{
		setting.Of(setting.Info{Name: "visits", KataGo: "maxVisits", High: noLimit - 1, NoLimit: noLimit, Change: setting.Common,
			Doc: "visits for a move, those of the reused tree included; 0: no limit", Source: "off, the clock decides"},
			func(c *Config) *int64 { return &c.Limits.Visits }),
		setting.Of(setting.Info{Name: "playouts", KataGo: "maxPlayouts", High: noLimit - 1, NoLimit: noLimit, Change: setting.Common,
			Doc: "new playouts for a move; 0: no limit", Source: "off, the clock decides"},
			func(c *Config) *int64 { return &c.Limits.Playouts }),
		setting.Of(setting.Info{Name: "time", KataGo: "maxTime", High: 1e7, NoLimit: 1e20, To: asIs, Change: setting.Common,
			Doc: "`seconds` for a move where the clock gives no limit; 0: none", Source: "5 where nothing else limits a move"},
			func(c *Config) *time.Duration { return &c.Limits.Time }),
		setting.Of(setting.Info{Name: "threads", KataGo: "numSearchThreads", High: 1024, Change: setting.Common, From: threadsOfKataGo, To: asIs,
			Doc: "search workers; 0: chosen to suit sessions and batch", Source: "own measurements on CPUs"},
			func(c *Config) *int { return &c.Search.Parallel.Workers }),
		setting.Of(setting.Info{Name: "max-memory", Low: 16, High: 1 << 24, Unit: 1 << 20,
			Doc: "limit of the search tree in `MiB`", Source: "room for millions of visits"},
			func(c *Config) *int64 { return &c.Search.Memory.MaxBytes }),
		setting.Of(setting.Info{Name: "ponder", KataGo: "ponderingEnabled", Change: setting.Common,
			Doc: "search on while the opponent thinks", Source: "off, so that engines share a machine fairly"},
			func(c *Config) *bool { return &c.Ponder }),
		setting.Of(setting.Info{Name: "resign", KataGo: "allowResignation", Change: setting.Common,
			Doc: "resign hopeless games", Source: "KataGo's example config"},
			func(c *Config) *bool { return &c.Resign.Enabled }),
		setting.Of(setting.Info{Name: "resign-threshold", KataGo: "resignThreshold", Low: -1, High: 1, Change: setting.Common,
			Doc: "resign when win minus loss, -1 to 1, stays below this for three own moves", Source: "KataGo's example config, 3 moves there too"},
			func(c *Config) *float64 { return &c.Resign.Threshold }),
		setting.Of(setting.Info{Name: "lag-buffer", KataGo: "lagBuffer", High: 3600, Change: setting.Common,
			Doc: "`seconds` of each move kept back for the way to the server", Source: "KataGo's example config"},
			func(c *Config) *time.Duration { return &c.Lag }),
		setting.Of(setting.Info{Name: "early-stop",
			Doc: "on a clock: move as soon as no other move can catch up", Source: "on, since the time saved is used later"},
			func(c *Config) *bool { return &c.EarlyStop }),
		setting.Of(setting.Info{Name: "extend", High: 10,
			Doc: "on a clock: how much longer than planned, as a share, to think while the choice is unstable", Source: "own games on clocks"},
			func(c *Config) *float64 { return &c.Extend }),
		setting.Of(setting.Info{Name: "handicap-advantage", KataGo: "dynamicPlayoutDoublingAdvantageCapPerOppLead", High: 0.5, Change: setting.Common,
			Doc: "advantage that the side behind from the start is told to have, in doublings of search effort for each point; 0: none", Source: "KataGo 1.17"},
			func(c *Config) *float64 { return &c.HandicapAdvantage }),
		setting.Of(setting.Info{Name: "handicap-repeats", Low: -3, High: 3, Change: setting.Common,
			Doc: "utility taken off moves of the side behind from the start that are like earlier ones of its own; 0: none", Source: "KataGo 1.17"},
			func(c *Config) *float64 { return &c.HandicapRepeats }),
		setting.Of(setting.Info{Name: "analysis-wide-noise", KataGo: "analysisWideRootNoise", High: 5, Change: setting.Common,
			Doc: "how much wider than play analysis looks at the root, 0 to 5", Source: "KataGo 1.17"},
			func(c *Config) *float64 { return &c.AnalysisWideNoise }),
		setting.Custom(setting.Info{Name: "level", Change: setting.Common,
			Doc: "play like a person of this `RANK`, 20k to 1k or 1d to 9d, at fixed visits, fewer only where the clock leaves no time; auto finds that of its opponent over games; engine match ladder --show lists the ranks that a network serves; default: as strong as it can", Source: "people ask for it"},
			func(c *Config) setting.Value { return levelValue{&c.Level} }),
		setting.Of(setting.Info{Name: "level-file", Source: "one player a computer",
			Doc: "`FILE` that remembers what --level auto found out; default: kosumi/levels.json in the user's folder for settings"},
			func(c *Config) *string { return &c.LevelFile }),
		setting.Of(setting.Info{Name: "pace", KataGo: "delayMoveScale", High: 10000, Change: setting.Common,
			Doc: "answer as slowly as people, not before this many `seconds` on average for a likely move, ten times that for a surprising one; 2 is a person's pace, 0 at once; never slower than the clock allows", Source: "clocks should last"},
			func(c *Config) *float64 { return &c.Delay.Scale }),
		setting.Of(setting.Info{Name: "pace-most", KataGo: "delayMoveMax", High: 1e6, Change: setting.Common,
			Doc: "longest wait of --pace, in `seconds`", Source: "KataGo's example of human play"},
			func(c *Config) *float64 { return &c.Delay.Most }),
		setting.Of(setting.Info{Name: "seed", KataGo: "searchRandSeed",
			Doc: "seed of everything random; 0: a new one each time", Source: "games should differ"},
			func(c *Config) *uint64 { return &c.Seed }),
	}),
	setting.Lift(search.Settings(), func(c *Config) *search.Params { return &c.Search }),
)

// noLimit is what KataGo reports, and clients send, for no limit of visits.
const noLimit = 1 << 50

// threadsOfKataGo reads a number of threads where none is chosen for the user.
func threadsOfKataGo(text string) (string, error) {
	if n, err := strconv.ParseFloat(text, 64); err != nil || n < 1 || n > 1024 || n != math.Trunc(n) {
		return "", errors.New("must be an integer from 1 to 1024")
	}
	return text, nil
}

// asIs shows a value as it is.
func asIs(text string) string { return text }

// sizeValue reads and writes the size of a board.
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

// rulesValue reads and writes rules, and sets the komi that goes with them.
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
	if err == nil {
		*v.at = rules
	}
	return err
}
