package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/search/setting"
)

// Play is the parameters of the gtp program's searches.
type Play struct {
	Search
	// AnalysisWideNoise and AnalysisIgnoreHistory replace wideRootNoise and ignorePreRootHistory
	// in analysis.
	AnalysisWideNoise     float64
	AnalysisIgnoreHistory bool
	// AntiMirror applies to genmove; the parameter antiMirror applies to analysis.
	AntiMirror bool
}

// Play reads the parameters of the gtp program's searches.
func (c *Config) Play(human bool) (Play, error) {
	s, err := c.Search(GTP, human)
	if err != nil {
		return Play{}, err
	}
	a := asker{c: c}
	p := Play{Search: s}
	p.AnalysisWideNoise = a.number("analysisWideRootNoise", 0, 5, 0.04)
	p.AnalysisIgnoreHistory = a.flag("analysisIgnorePreRootHistory", true)
	p.AntiMirror = a.flag("genmoveAntiMirror", !c.Has("antiMirror") || s["antiMirror"].Bool)
	return p, a.err
}

// PlayOptions are options that kata-set-param can change and that are not parameters of the search.
type PlayOptions struct {
	Resign, Ponder       bool
	DelayScale, DelayMax float64 // seconds by which replies to genmove are delayed
}

// PlayOptions reads the options. An option that is not given keeps its old value.
func (c *Config) PlayOptions(was PlayOptions) (PlayOptions, error) {
	a := asker{c: c}
	m := PlayOptions{
		Resign: a.flag("allowResignation", was.Resign), Ponder: a.flag("ponderingEnabled", was.Ponder),
		DelayScale: a.number("delayMoveScale", 0, 10000, was.DelayScale), DelayMax: a.number("delayMoveMax", 0, 1e6, was.DelayMax),
	}
	return m, a.err
}

type GTPSettings struct {
	Log                                   Log
	LogCommands, LogSearch                bool
	Greet                                 bool // print on stderr what was loaded
	Rules                                 board.Rules
	ForcedKomi                            *float32
	Play                                  Play
	PlayOptions                           PlayOptions
	CleanupBeforePass, FriendlyPass       string // auto, true or false
	ResignThreshold                       float64
	ResignTurns                           int
	ResignMinScore, ResignMinMovesPerArea float64 // ResignMinScore is negative if not given.
	WinningFactor, WinningThreshold       float64
	OGSChat                               bool
	PVLen                                 int // maximum number of moves that a variation shows after its first
	StartBlackMovesAreHandicap            bool
	PreventCleanupPhase                   bool
	HandicapAdvantage                     float64 // dynamicPlayoutDoublingAdvantageCapPerOppLead
	Size                                  board.Size
	Deterministic                         bool
	SearchSeed                            string
	Network                               Network
	Perspective                           board.Color // Empty: the side to move
	NoLimit                               bool        // neither visits, playouts nor time are limited
}

// GTP reads the settings of the gtp program. say gets each line of KataGo's messages at once, so
// that it gets the first ones even if a later key has an error.
func (c *Config) GTP(human bool, say func(line string)) (GTPSettings, error) {
	a := &asker{c: c}
	g := GTPSettings{Log: a.log(false)}
	g.LogCommands = a.needed(Key{Name: "logAllGTPCommunication", Kind: Bool}).Bool
	g.LogSearch = a.needed(Key{Name: "logSearchInfo", Kind: Bool}).Bool
	g.Greet = a.flag("startupPrintMessageToStderr", true)
	if a.err != nil {
		return g, a.err
	}
	if !g.Greet {
		say = func(string) {}
	}
	say(Version)
	if g.Rules, a.err = c.Rules(); a.err != nil {
		return g, a.err
	}
	say(fmt.Sprintf("Using %s rules initially, unless GTP/GUI overrides this", g.Rules.Name()))
	if c.Has("ignoreGTPAndForceKomi") {
		komi := float32(a.needed(Key{Name: "ignoreGTPAndForceKomi", Kind: Single, Low: -400, High: 400}).Number)
		g.ForcedKomi, g.Rules.Komi = &komi, komi
	}
	if a.err == nil {
		g.Play, a.err = c.Play(human)
	}
	g.conduct(a)
	return g, a.err
}

// conduct reads the settings of play, board and network that are not parameters of the search.
func (g *GTPSettings) conduct(a *asker) {
	c := a.c
	g.PlayOptions.Ponder = a.flag("ponderingEnabled", false)
	g.CleanupBeforePass, g.FriendlyPass = a.enabled("cleanupBeforePass"), a.enabled("friendlyPass")
	if g.CleanupBeforePass == "true" && g.FriendlyPass == "true" {
		a.err = cmp.Or(a.err, errors.New("Cannot specify both cleanupBeforePass = true and friendlyPass = true at the same time"))
	}
	g.PlayOptions.Resign, g.ResignThreshold = a.flag("allowResignation", false), -1
	if c.Has("allowResignation") {
		g.ResignThreshold = a.needed(Key{Name: "resignThreshold", Kind: Double, Low: -1, High: 0}).Number
	}
	g.ResignTurns = a.whole("resignConsecTurns", 1, 100, 3)
	g.ResignMinScore = a.number("resignMinScoreDifference", 0, 1000, -1)
	g.ResignMinMovesPerArea = a.number("resignMinMovesPerBoardArea", 0, 1, 0)
	g.WinningFactor = a.number("searchFactorWhenWinning", 0.01, 1, 1)
	g.WinningThreshold = a.number("searchFactorWhenWinningThreshold", 0, 1, 1)
	g.OGSChat = a.flag("ogsChatToStderr", false)
	g.PVLen = a.whole("analysisPVLen", 1, 1000, 13)
	g.StartBlackMovesAreHandicap = a.flag("assumeMultipleStartingBlackMovesAreHandicap", true)
	g.PreventCleanupPhase = a.flag("preventCleanupPhase", true)
	g.HandicapAdvantage = a.number("dynamicPlayoutDoublingAdvantageCapPerOppLead", 0, 0.5, 0.045)
	g.PlayOptions.DelayScale = a.number("delayMoveScale", 0, 10000, 0)
	g.PlayOptions.DelayMax = a.number("delayMoveMax", 0, 1e6, 1e6)
	g.Size = board.Size{W: a.side("defaultBoardXSize"), H: a.side("defaultBoardYSize")}
	if g.Size.W < 0 || g.Size.H < 0 {
		g.Size = board.Square(19)
	}
	g.Deterministic = a.flag("forDeterministicTesting", false)
	if a.err == nil {
		g.Perspective, a.err = c.Perspective(board.Empty)
	}
	g.Network = a.network(GTP)
	g.SearchSeed = a.text("searchRandSeed")
	g.NoLimit = !c.Has("maxPlayouts") && !c.Has("maxVisits") && !c.Has("maxTime")
}

// MaxSize is the largest board side of a default build of KataGo.
const MaxSize = 19

// side reads the width or height of the board; -1 if neither the key nor defaultBoardSize is given.
func (a *asker) side(key string) int {
	square := a.whole("defaultBoardSize", 2, MaxSize, -1)
	return a.whole(key, 2, MaxSize, square)
}

// Release is the KataGo release whose behaviour this package follows; Version is its full name.
const (
	Release = "1.18.2"
	Version = "KataGo v" + Release
)

// own returns the parameters that kata-get-params writes as strings.
func own(c *Config, p Play, m PlayOptions) map[string]string {
	flag := func(b bool) string { return Value{Kind: Bool, Bool: b}.String() }
	return map[string]string{
		"analysisWideRootNoise": setting.General(p.AnalysisWideNoise), "analysisIgnorePreRootHistory": flag(p.AnalysisIgnoreHistory),
		"genmoveAntiMirror": flag(p.AntiMirror), "antiMirror": p.Search["antiMirror"].String(), "humanSLProfile": c.values["humanSLProfile"],
		"allowResignation": flag(m.Resign), "ponderingEnabled": flag(m.Ponder),
		"delayMoveScale": setting.General(m.DelayScale), "delayMoveMax": setting.General(m.DelayMax),
	}
}

// OwnNames are the names of the parameters that kata-get-params writes as strings, in KataGo's order.
var OwnNames = []string{
	"analysisWideRootNoise", "analysisIgnorePreRootHistory", "genmoveAntiMirror", "antiMirror", "humanSLProfile",
	"allowResignation", "ponderingEnabled", "delayMoveScale", "delayMoveMax",
}

// ParamsJSON returns all parameters in the format of kata-get-params, sorted by name.
func (c *Config) ParamsJSON(p Play, m PlayOptions) string {
	texts := map[string]string{}
	for name, value := range own(c, p, m) {
		texts[name] = Value{Text: value}.JSON()
	}
	for _, name := range p.Names() {
		v, _ := p.Shown(name)
		texts[name] = v.JSON()
	}
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fields = append(fields, Value{Text: name}.JSON()+":"+texts[name])
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// Param returns one parameter in the format of kata-get-param.
func (c *Config) Param(p Play, m PlayOptions, name string) (string, bool) {
	if text, ok := own(c, p, m)[name]; ok {
		return text, true
	}
	v, ok := p.Shown(name)
	return v.JSON(), ok
}
