package main

import (
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/engine/analysis"
	"kosumi/katagocfg"
	"kosumi/search"
)

// kataOwn sets what a config of KataGo's gives by the names of this program's own
// settings, such as precision = fp32.
func (s *settings) kataOwn(c *katagocfg.Config) error {
	for _, name := range c.Unused() {
		row := table.Find(name)
		if row == nil || row.Name != name || row.Section != "" {
			continue
		}
		v, err := c.Get(katagocfg.Key{Name: name})
		if err == nil {
			err = row.Set(s, v.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kataSearch sets the parameters of a search, and returns those that have no
// effect here although they differ from their default.
func kataSearch(p *search.Params, values katagocfg.Search, of katagocfg.Program) (idle []string) {
	defaults := katagocfg.New(map[string]string{"numSearchThreads": "1"})
	usual, _ := defaults.Search(of, true) // an empty config can be read
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !analysis.SetParam(p, name, values[name]) && !slices.Contains(kataLimits, name) && values[name] != usual[name] {
			idle = append(idle, name)
		}
	}
	return idle
}

// kataLimits are the parameters that are settings of a seat here.
var kataLimits = []string{
	"maxVisits", "maxPlayouts", "maxTime", "maxVisitsPondering", "maxPlayoutsPondering", "maxTimePondering", "lagBuffer",
	"searchFactorAfterOnePass", "searchFactorAfterTwoPass",
}

// kataLimit reads three limits of a search; KataGo's numbers for none are none.
func kataLimit(values katagocfg.Search, suffix string) search.Limits {
	count := func(name string) int64 {
		if n := values[name+suffix].Int; n < 1<<50 {
			return n
		}
		return 0
	}
	return search.Limits{Visits: count("maxVisits"), Playouts: count("maxPlayouts"), Time: analysis.Seconds(values["maxTime"+suffix].Number)}
}

// kataNetwork sets how the network is run. flight is how many evaluations are
// under way at most.
func (s *settings) kataNetwork(n katagocfg.Network, flight int) {
	const entry = 2600 // bytes of a cached position of 19x19
	if n.Cache < 0 {
		s.Cache = 0
	} else if n.Cache < 40 {
		s.Cache = min(s.Cache, entry<<n.Cache)
	}
	if s.Batch = n.MaxBatch; s.Batch == 0 {
		s.Batch = min(8, max(2, flight))
	}
	if n.Sessions > 0 {
		s.Sessions = min(n.Sessions, s.sessionCount())
	}
	p := &s.Play.Search
	if p.Net.Symmetry = n.Symmetry; n.Symmetry < 0 && !n.Randomize {
		p.Net.Symmetry = 0
	}
	if n.FP16 == "true" && s.Provider != "cpu" && s.Provider != "auto" {
		s.Precision = "fp16"
	}
	s.seed(n.Seed)
}

// seed makes a number of a text that seeds.
func (s *settings) seed(text string) {
	if text == "" {
		return
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	s.Play.Seed ^= h.Sum64()
	s.Play.Search.Seed = s.Play.Seed
}

// kataSettings turns what the gtp program reads into settings.
func kataSettings(g *katagocfg.GTPSettings, c *katagocfg.Config) (s settings, idle []string, err error) {
	s = defaultSettings()
	p := &s.Play
	p.Size, p.Rules = g.Size, g.Rules
	idle = append(idle, s.kataPlay(g.Play)...)
	idle = append(idle, g.Patterns...)
	s.kataManners(g.Manners)
	p.Resign.Threshold, p.Resign.Turns = g.ResignThreshold, g.ResignTurns
	p.Resign.MinScore, p.Resign.MinMovesPerArea = max(0, g.ResignMinScore), g.ResignMinMovesPerArea
	p.HandicapAdvantage = g.HandicapAdvantage
	p.Hurry.Winning, p.Hurry.Threshold = g.WinningFactor, g.WinningThreshold
	if g.WinningFactor >= 1 {
		p.Hurry.Winning = 0
	}
	p.NoFriendlyPass, p.CleanUp = g.FriendlyPass == "false", g.CleanupBeforePass == "true"
	p.Game = board.GameOptions{PreventEncore: g.PreventCleanupPhase, StartBlackMovesAreHandicap: g.StartBlackMovesAreHandicap, ForgetOutOfTurn: true}
	s.kataNetwork(g.Network, p.Search.Parallel.Workers)
	s.seed(g.SearchSeed)
	if g.Deterministic {
		s.seed("forDeterministicTesting")
	}
	return s, idle, s.kataOwn(c)
}

// kataPlay sets the parameters of searches.
func (s *settings) kataPlay(play katagocfg.Play) (idle []string) {
	p := &s.Play
	idle = kataSearch(&p.Search, play.Search, katagocfg.GTP)
	p.Search.AntiMirror = play.AntiMirror
	p.AnalysisAntiMirror = play.Search["antiMirror"].Bool
	p.AnalysisWideNoise, p.AnalysisHistory = play.AnalysisWideNoise, !play.AnalysisIgnoreHistory
	p.Limits, p.PonderLimits = kataLimit(play.Search, ""), kataLimit(play.Search, "Pondering")
	p.Lag = time.Duration(play.Search["lagBuffer"].Number * float64(time.Second))
	p.Hurry.AfterOnePass, p.Hurry.AfterTwoPasses = play.Search["searchFactorAfterOnePass"].Number, play.Search["searchFactorAfterTwoPass"].Number
	return idle
}

func (s *settings) kataManners(m katagocfg.Manners) {
	s.Play.Resign.Enabled, s.Play.Ponder = m.Resign, m.Ponder
	s.Play.Delay = engine.Delay{Scale: m.DelayScale, Most: m.DelayMax}
}

// kataModels is what a network can be asked, before it is asked anything.
func (n *network) kataProfile(size board.Size, human string) (takes bool) {
	info, ok := n.info(size, 0)
	return ok && info.HumanProfile || human != ""
}

// SupportedRules returns the nearest rules that the network was trained under, as
// KataGo has them for its networks.
func (n *network) SupportedRules(r board.Rules) board.Rules {
	info, ok := n.info(board.Square(19), 0)
	if !ok || info.Version == 0 {
		return r
	}
	if r.Ko == board.KoSpight || info.Version <= 6 && r.Ko == board.KoSimple {
		r.Ko = board.KoSituational
	}
	if info.Version <= 6 {
		r.Scoring, r.Tax, r.Button = board.ScoringArea, board.TaxNone, false
	}
	return r
}

// shortName is a network's name as KataGo's version has it: without what follows
// from the rest, long numbers shortened.
func shortName(name string) string {
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

// warnIdle names, once, the keys that have no effect here.
func warnIdle(log *slog.Logger, c *katagocfg.Config, idle []string) {
	slices.Sort(idle)
	for _, name := range slices.Compact(idle) {
		if c.Has(name) {
			log.Warn("this key of the config has no effect here", "key", name)
		}
	}
}
