package katago

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/engine/analysis"
	"kosumi/katago/config"
	"kosumi/search"
)

// Setup holds what a config sets in the program, and the keys without effect.
type Setup struct {
	Play engine.Config
	Net  Network
	Idle []string
}

// Network is how to run the network.
type Network struct {
	CacheBytes int64 // upper bound; 0: no cache
	Batch      int   // largest batch of positions
	Sessions   int   // 0: as many as suit the machine
	FP16       string
}

// GTP applies the config of the gtp program to base.
func GTP(c *config.Config, g *config.GTPSettings, base engine.Config) Setup {
	s := Setup{Play: base}
	p := &s.Play
	p.Size, p.Rules = g.Size, g.Rules
	p.HandicapAdvantage = g.HandicapAdvantage
	s.Idle = play(p, c, g.Play)
	playOptions(p, g.PlayOptions)
	p.Resign.Threshold, p.Resign.Turns = g.ResignThreshold, g.ResignTurns
	p.Resign.MinScore, p.Resign.MinMovesPerArea = max(0, g.ResignMinScore), g.ResignMinMovesPerArea
	p.Hurry.Winning, p.Hurry.Threshold = g.WinningFactor, g.WinningThreshold
	if g.WinningFactor >= 1 {
		p.Hurry.Winning = 0
	}
	p.EarlyStop, p.Extend = false, 0 // KataGo makes exactly the visits that the clock allows
	p.FriendlyPass, p.CleanUp = whether[g.FriendlyPass], whether[g.CleanupBeforePass]
	p.ScoreByLead, p.PoolBothSidesValues = true, true
	p.Game = board.GameOptions{PreventEncore: g.PreventCleanupPhase, StartBlackMovesAreHandicap: g.StartBlackMovesAreHandicap, ForgetOutOfTurn: true}
	s.network(g.Network, p.Search.Parallel.Workers)
	s.seed(g.SearchSeed)
	if g.Deterministic {
		s.seed("forDeterministicTesting")
	}
	s.Idle = given(c, s.Idle, g.Network.Idle)
	return s
}

var whether = map[string]engine.Whether{"true": engine.Always, "false": engine.Never}

// Analysis applies the config of the analysis program to base, and returns the setup and the
// configuration of the JSON protocol's server.
func Analysis(c *config.Config, a *config.AnalysisSettings, base engine.Config) (Setup, analysis.Config) {
	conf := analysis.Defaults()
	workers, memory := base.Search.Parallel.Workers, base.Search.Memory.MaxBytes
	s := Setup{Play: base}
	s.Play.Search = conf.Search
	s.Play.Search.Parallel.Workers, s.Play.Search.Memory.MaxBytes = workers, memory
	s.Idle = parameters(&s.Play.Search, a.Search, config.Analysis, "maxVisits", "maxPlayouts", "maxTime")
	s.Play.Limits = limits(a.Search, "")
	s.network(a.Network, a.Threads*s.Play.Search.Parallel.Workers)
	if a.Deterministic {
		s.seed("forDeterministicTesting")
	}
	s.Idle = given(c, s.Idle, a.Network.Idle)
	conf.Limits = s.Play.Limits
	conf.NetworksLeads = true
	conf.Threads, conf.PVLen, conf.MaxSize, conf.Version = a.Threads, a.PVLen, config.MaxSize, config.Release
	conf.Perspective = a.Perspective
	conf.WarnUnused = a.WarnUnused
	conf.Game.PreventEncore, conf.Game.StartBlackMovesAreHandicap = a.PreventCleanupPhase, a.StartBlackMovesAreHandicap
	return s, conf
}

// parameters sets the parameters of a search and returns those that differ from their defaults
// but have no effect. elsewhere names parameters that the caller sets.
func parameters(p *search.Params, values config.Search, of config.Program, elsewhere ...string) (idle []string) {
	defaults := config.New(map[string]string{"numSearchThreads": "1"})
	usual, _ := defaults.Search(of, true) // a config with this key alone is valid
	p.Root.LooseImages = true
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !config.SetParam(p, name, values[name]) && !slices.Contains(elsewhere, name) && values[name] != usual[name] {
			idle = append(idle, name)
		}
	}
	return idle
}

// engineKeys are parameters that are settings of the engine here.
var engineKeys = []string{
	"maxVisits", "maxPlayouts", "maxTime", "maxVisitsPondering", "maxPlayoutsPondering", "maxTimePondering", "lagBuffer",
	"searchFactorAfterOnePass", "searchFactorAfterTwoPass",
}

// limits reads three limits of a search, whose keys end with suffix; KataGo's numbers for no
// limit become 0.
func limits(values config.Search, suffix string) search.Limits {
	count := func(name string) int64 {
		if n := values[name+suffix].Int; n < 1<<50 {
			return n
		}
		return 0
	}
	return search.Limits{Visits: count("maxVisits"), Playouts: count("maxPlayouts"), Time: config.Seconds(values["maxTime"+suffix].Number)}
}

// play sets the parameters of an engine's searches and clock. The key playoutDoublingAdvantage turns
// the engine's own advantage in handicap games off, unless the config has a key for that one too.
func play(p *engine.Config, c *config.Config, values config.Play) (idle []string) {
	idle = parameters(&p.Search, values.Search, config.GTP, engineKeys...)
	number := func(name string) float64 { return values.Search[name].Number }
	p.Search.AntiMirror = values.AntiMirror
	p.AnalysisAntiMirror = values.Search["antiMirror"].Bool
	p.AnalysisWideNoise, p.AnalysisHistory = values.AnalysisWideNoise, !values.AnalysisIgnoreHistory
	p.Limits, p.PonderLimits = limits(values.Search, ""), limits(values.Search, "Pondering")
	p.Lag = time.Duration(number("lagBuffer") * float64(time.Second))
	p.Hurry.AfterOnePass, p.Hurry.AfterTwoPasses = number("searchFactorAfterOnePass"), number("searchFactorAfterTwoPass")
	if c.Has("playoutDoublingAdvantage") && !c.Has("dynamicPlayoutDoublingAdvantageCapPerOppLead") {
		p.HandicapAdvantage = 0
	}
	if c.Has("avoidRepeatedPatternUtility") {
		p.HandicapRepeats = p.Search.RepeatPenalty.Utility
	}
	return idle
}

func playOptions(p *engine.Config, m config.PlayOptions) {
	p.Resign.Enabled, p.Ponder = m.Resign, m.Ponder
	p.Delay = engine.Delay{Scale: m.DelayScale, Most: m.DelayMax}
}

// network sets how to run the network; flight is the largest number of parallel evaluations.
func (s *Setup) network(n config.Network, flight int) {
	const entry = 2600 // bytes of a cached 19x19 position
	s.Net = Network{CacheBytes: math.MaxInt64, Batch: n.MaxBatch, Sessions: n.Sessions, FP16: n.FP16}
	switch {
	case n.Cache < 0:
		s.Net.CacheBytes = 0
	case n.Cache < 40:
		s.Net.CacheBytes = entry << n.Cache
	}
	if n.MaxBatch == 0 {
		s.Net.Batch = min(8, max(2, flight))
	}
	p := &s.Play.Search
	if p.Net.Symmetry = n.Symmetry; n.Symmetry < 0 && !n.Randomize {
		p.Net.Symmetry = 0
	}
	s.seed(n.Seed)
}

// seed mixes a hash of text into the random seed.
func (s *Setup) seed(text string) {
	if text == "" {
		return
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	s.Play.Seed ^= h.Sum64()
	s.Play.Search.Seed = s.Play.Seed
}

// given returns those of the listed keys that the config has, sorted, without duplicates.
func given(c *config.Config, lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return !c.Has(name) })
}

// WithoutEffect logs keys without effect: a plain line for those that tune KataGo's own program,
// a warning for the others.
func (l *Log) WithoutEffect(idle []string) {
	var tuning, others []string
	for _, name := range idle {
		if config.Tuning(name) {
			tuning = append(tuning, name)
		} else {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		l.Say("warning: these keys of the config have no effect here: " + strings.Join(others, ", "))
	}
	if len(tuning) > 0 {
		l.Say("Not needed here, since they only tune KataGo's own memory and devices: " + strings.Join(tuning, ", "))
	}
}

// ShortName shortens a network's name as KataGo's version command does.
func ShortName(name string) string {
	var parts []string
	for _, part := range strings.Split(name, "-") {
		var n int64
		digits := strings.TrimLeft(part, "sd")
		_, err := fmt.Sscanf(digits, "%d", &n)
		number := err == nil && len(part) == len(digits)+1 && strings.Trim(digits, "0123456789") == ""
		switch {
		case part == "kata1", number && part[0] == 'd':
		case number && n >= 10_000_000:
			parts = append(parts, fmt.Sprintf("s%dM", n/1_000_000))
		case number && n >= 10_000:
			parts = append(parts, fmt.Sprintf("s%dK", n/1000))
		default:
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "-")
}
