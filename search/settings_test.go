package search_test

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/search"
)

// setters map the names of KataGo's settings to our parameters. Those mapped to
// nil say what the search does not do at all, or what the caller sees to.
var setters = map[string]func(p *search.Params, v float64){
	"useGraphSearch":               func(p *search.Params, v float64) { p.Graph.Use = v != 0 },
	"useNoisePruning":              func(p *search.Params, v float64) { p.Backup.UseNoisePruning = v != 0 },
	"valueWeightExponent":          func(p *search.Params, v float64) { p.Backup.ValueWeightExponent = v },
	"useUncertainty":               func(p *search.Params, v float64) { p.Backup.UseUncertainty = v != 0 },
	"subtreeValueBiasFactor":       func(p *search.Params, v float64) { p.Bias.Factor = v },
	"cpuctUtilityStdevScale":       func(p *search.Params, v float64) { p.PUCT.UtilityStdevScale = v },
	"policyOptimism":               func(p *search.Params, v float64) { p.Net.PolicyOptimism = v },
	"rootPolicyOptimism":           func(p *search.Params, v float64) { p.Net.RootOptimism = v },
	"wideRootNoise":                func(p *search.Params, v float64) { p.Root.WideNoise = v },
	"rootSymmetryPruning":          func(p *search.Params, v float64) { p.Root.SymmetryPruning = v != 0 },
	"rootEndingBonusPoints":        func(p *search.Params, v float64) { p.Root.EndingBonusPoints = v },
	"rootPruneUselessMoves":        func(p *search.Params, v float64) { p.Root.PruneUselessMoves = v != 0 },
	"enablePassingHacks":           func(p *search.Params, v float64) { p.Pass.Hacks = v != 0 },
	"enableMorePassingHacks":       func(p *search.Params, v float64) { p.Pass.MoreHacks = v != 0 },
	"conservativePass":             func(p *search.Params, v float64) { p.Pass.Conservative = v != 0 },
	"ignorePreRootHistory":         func(p *search.Params, v float64) { p.Pass.IgnorePreRootHistory = v != 0 },
	"fillDameBeforePass":           func(p *search.Params, v float64) { p.Pass.FillDameBefore = v != 0 },
	"rootNoiseEnabled":             func(p *search.Params, v float64) { p.Root.NoiseEnabled = v != 0 },
	"rootNumSymmetriesToSample":    func(p *search.Params, v float64) { p.Root.NumSymmetries = int(v) },
	"rootPolicyTemperature":        func(p *search.Params, v float64) { p.Root.PolicyTemperature = v },
	"rootPolicyTemperatureEarly":   func(p *search.Params, v float64) { p.Root.PolicyTemperatureEarly = v },
	"nnPolicyTemperature":          func(p *search.Params, v float64) { p.Net.PolicyTemperature = v },
	"staticScoreUtilityFactor":     func(p *search.Params, v float64) { p.Utility.StaticScoreFactor = v },
	"dynamicScoreUtilityFactor":    func(p *search.Params, v float64) { p.Utility.DynamicScoreFactor = v },
	"dynamicScoreCenterZeroWeight": func(p *search.Params, v float64) { p.Utility.DynamicCenterZeroWeight = v },
	"dynamicScoreCenterScale":      func(p *search.Params, v float64) { p.Utility.DynamicCenterScale = v },
	"drawEquivalentWinsForWhite":   func(p *search.Params, v float64) { p.Utility.DrawEquivalentWinsForWhite = v },
	"fpuReductionMax":              func(p *search.Params, v float64) { p.FPU.ReductionMax = v },
	"rootFpuReductionMax":          func(p *search.Params, v float64) { p.FPU.RootReductionMax = v },
	"fpuLossProp":                  func(p *search.Params, v float64) { p.FPU.LossProp = v },
	"rootFpuLossProp":              func(p *search.Params, v float64) { p.FPU.RootLossProp = v },
	"fpuParentWeight":              func(p *search.Params, v float64) { p.FPU.ParentWeight = v },
	"fpuParentWeightByVisitedPolicy": func(p *search.Params, v float64) {
		p.FPU.ParentWeightByVisitedPolicy = v != 0
	},
	"cpuctExploration":                        func(p *search.Params, v float64) { p.PUCT.Exploration = v },
	"cpuctExplorationLog":                     func(p *search.Params, v float64) { p.PUCT.ExplorationLog = v },
	"cpuctExplorationBase":                    func(p *search.Params, v float64) { p.PUCT.ExplorationBase = v },
	"useLcbForSelection":                      func(p *search.Params, v float64) { p.Choice.UseLCB = v != 0 },
	"lcbStdevs":                               func(p *search.Params, v float64) { p.Choice.LCBStdevs = v },
	"minVisitPropForLCB":                      func(p *search.Params, v float64) { p.Choice.MinVisitPropForLCB = v },
	"rootDesiredPerChildVisitsCoeff":          func(p *search.Params, v float64) { p.Root.DesiredPerChildVisitsCoeff = v },
	"futileVisitsThreshold":                   func(p *search.Params, v float64) { p.Stop.FutileVisitsThreshold = v },
	"playoutDoublingAdvantage":                func(p *search.Params, v float64) { p.Net.PlayoutDoublingAdvantage = v },
	"antiMirror":                              nil,
	"useEvalCache":                            nil,
	"graphSearchRepBound":                     func(p *search.Params, v float64) { p.Graph.RepBound = int(v) },
	"alwaysComputePassAliveUnderSuicideRules": nil,
}

// katagoParams turns a list of KataGo's settings into parameters: KataGo's
// defaults, one evaluation at a time, one orientation, exact arithmetic.
func katagoParams(t testing.TB, settings map[string]string) search.Params {
	t.Helper()
	p := search.Defaults()
	p.Net.Symmetry = 0
	p.Backup.ExactShare = 0
	for name, value := range settings {
		set, known := setters[name]
		require.True(t, known, "unknown setting %s", name)
		if set == nil {
			continue
		}
		var v float64
		if value == "true" {
			v = 1
		} else if value != "false" {
			var err error
			v, err = strconv.ParseFloat(value, 64)
			require.NoError(t, err)
		}
		set(&p, v)
	}
	require.NoError(t, p.Validate())
	return p
}

// katagoSettings reads the settings of all recorded searches by name.
func katagoSettings(t testing.TB) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile(testshared.Path(t, "golden/search/settings.json"))
	require.NoError(t, err)
	var file struct {
		Settings map[string]map[string]string
	}
	require.NoError(t, json.Unmarshal(data, &file))
	return file.Settings
}

func TestSettingsAreKnown(t *testing.T) {
	for name, settings := range katagoSettings(t) {
		t.Run(name, func(t *testing.T) { katagoParams(t, settings) })
	}
}
