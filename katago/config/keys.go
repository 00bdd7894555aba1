package config

import (
	"strings"

	"kosumi/search"
	"kosumi/search/setting"
)

// unlimited is KataGo's number for no limit of visits or playouts.
const unlimited = 1 << 50

// Param is a parameter of the search. kata-set-param and overrideSettings change it,
// kata-get-params shows it.
type Param struct {
	Key
	// Default is used if the key is absent; Analysis, if not empty, is the default of the
	// analysis program.
	Default, Analysis string
	// Hidden parameters are not shown. Human ones need a human SL network.
	Hidden, Human bool
}

func double(name string, low, high float64, value string) Param {
	return Param{Key: Key{Name: name, Kind: Double, Low: low, High: high}, Default: value}
}

func count(name string) Param {
	return Param{Key: Key{Name: name, Kind: Int64, Low: 1, High: unlimited}, Default: "1125899906842624"}
}

// Params are all parameters: limits, clocks and KataGo's internals first, then the search.
var Params = append([]Param{
	count("maxPlayouts"), count("maxVisits"), double("maxTime", 0, 1e20, "1e20"),
	count("maxPlayoutsPondering"), count("maxVisitsPondering"), double("maxTimePondering", 0, 1e20, "1e20"),
	double("lagBuffer", 0, 3600, "0"),
	double("searchFactorAfterOnePass", 0, 1, "1"), double("searchFactorAfterTwoPass", 0, 1, "1"),
	double("treeReuseCarryOverTimeFactor", 0, 1, "0"), double("overallocateTimeFactor", 0.01, 100, "1"), double("midgameTimeFactor", 0.01, 100, "1"),
	double("midgameTurnPeakTime", 0, 1000, "130"), double("endgameTurnTimeDecay", 0, 1000, "100"), double("obviousMovesTimeFactor", 0.01, 1, "1"),
	double("obviousMovesPolicyEntropyTolerance", 0.001, 2, "0.3"), double("obviousMovesPolicySurpriseTolerance", 0.001, 2, "0.15"),
	{Key: Key{Name: "numSearchThreads", Kind: Int, Low: 1, High: 4096}},
	double("graphSearchCatchUpLeakProb", 0, 1, "0"),
	{Key: Key{Name: "useNonBuggyLcb", Kind: Bool}, Default: "true"},
	{Key: Key{Name: "useEvalCache", Kind: Bool}, Default: "false", Hidden: true},
	{Key: Key{Name: "evalCacheMinVisits", Kind: Int64, Low: 1, High: unlimited}, Default: "100", Hidden: true},
	{Key: Key{Name: "nodeTableShardsPowerOfTwo", Kind: Int, Low: 8, High: 24}, Default: "16", Hidden: true},
}, searchParams()...)

// searchParams are the search settings with a KataGo name. Ranges and defaults are those of the
// search's own table, except where KataGo's differ.
func searchParams() []Param {
	kinds := map[setting.Kind]Kind{setting.Number: Double, setting.Integer: Int, setting.Bool: Bool, setting.Choice: Enabled}
	var all []Param
	defaults := search.Defaults()
	for _, s := range search.Settings() {
		if s.KataGo == "" || s.KataGo == "nnForcedSymmetry" { // nnForcedSymmetry is a setting of the network
			continue
		}
		p := Param{Key: Key{Name: s.KataGo, Kind: kinds[s.Kind], Low: s.Low, High: s.High}, Default: s.Get(&defaults)}
		p.Human = strings.HasPrefix(p.Name, "humanSL")
		switch p.Name {
		case "numVirtualLossesPerThread":
			p.Default = "1"
		case "antiMirror": // for analysis; genmoveAntiMirror is the one for play
			p.Default = "false"
		case "fillDameBeforePass":
			p.Analysis = "false"
		case "wideRootNoise":
			p.Analysis = "0.04"
		case "ignorePreRootHistory":
			p.Analysis = "true"
		case "minPlayoutsPerThread":
			p.Kind, p.High = Double, 1e20
		case "nnPolicyTemperature":
			p.Kind, p.Low = Single, float64(float32(p.Low))
		case "lcbStdevs":
			p.Low = 1
		case "futileVisitsThreshold":
			p.Low = 0.01
		case "playoutDoublingAdvantagePla":
			p.Kind, p.Default = Text, "E"
		case "avoidRepeatedPatternUtility":
			p.Hidden = true
		case "humanSLProfile":
			p.Hidden, p.Human = true, false
		}
		all = append(all, p)
	}
	return all
}

// UnusedInAnalysis are parameters that KataGo's analysis program reads but never uses, such as
// those of clocks and pondering.
var UnusedInAnalysis = []string{
	"lagBuffer", "maxVisitsPondering", "maxPlayoutsPondering", "maxTimePondering", "searchFactorAfterOnePass", "searchFactorAfterTwoPass",
	"treeReuseCarryOverTimeFactor", "overallocateTimeFactor", "midgameTimeFactor", "midgameTurnPeakTime", "endgameTurnTimeDecay",
	"obviousMovesTimeFactor", "obviousMovesPolicyEntropyTolerance", "obviousMovesPolicySurpriseTolerance", "nodeTableShardsPowerOfTwo",
}

// FindParam returns a parameter by name; nil if there is none.
func FindParam(name string) *Param {
	for i := range Params {
		if Params[i].Name == name {
			return &Params[i]
		}
	}
	return nil
}
