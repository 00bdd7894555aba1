package analysis

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kosumi/board"
)

// Perspective says whose view numbers are given in.
type Perspective uint8

// The perspectives.
const (
	SideToMove Perspective = iota
	Black
	White
)

// ParsePerspective reads KataGo's names: SIDETOMOVE, BLACK, WHITE.
func ParsePerspective(s string) (Perspective, error) {
	switch strings.ToUpper(s) {
	case "SIDETOMOVE":
		return SideToMove, nil
	case "BLACK":
		return Black, nil
	case "WHITE":
		return White, nil
	}
	return 0, fmt.Errorf("perspective %q must be BLACK, WHITE or SIDETOMOVE", s)
}

// accepted are settings of KataGo that clients send and that change nothing
// here: they tune what this engine does not do, or does by itself. So do all
// that begin with humanSL.
var accepted = map[string]bool{
	"antiMirror": true, "delayMoveScale": true, "delayMoveMax": true, "numSearchThreads": true, "nnRandomize": true,
	"chosenMoveTemperature": true, "chosenMoveTemperatureEarly": true,
}

// readOverrides changes the settings of one query. Values may be strings, as in
// a config file. Bad values are errors; unknown names give a warning.
func (q *query) readOverrides(r *fieldReader) []fieldError {
	var settings map[string]json.RawMessage
	if !r.take("overrideSettings", "an object", &settings) {
		return nil
	}
	o := &fieldReader{fields: settings, quoted: true}
	q.overrideReports(o)
	q.overrideLimits(o)
	q.overrideSearch(o)
	if o.err != nil {
		r.fail(faultf("overrideSettings", "%v", o.err))
		return nil
	}
	var unknown []string
	for _, name := range o.rest() {
		if !accepted[name] && !strings.HasPrefix(name, "humanSL") {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return []fieldError{{"overrideSettings", "unknown settings, ignored: " + strings.Join(unknown, ", ")}}
}

func (q *query) overrideReports(o *fieldReader) {
	var text string
	if o.take("reportAnalysisWinratesAs", "BLACK, WHITE or SIDETOMOVE", &text) {
		view, err := ParsePerspective(text)
		if err != nil {
			o.fail(faultf("reportAnalysisWinratesAs", "%v", err))
		}
		q.view = view
	}
	length := int64(q.wishes.pvLen)
	o.integer("analysisPVLen", 1, maxPVLen, &length)
	q.wishes.pvLen = int(length)
}

func (q *query) overrideLimits(o *fieldReader) {
	s := 0.0
	if o.number("maxTime", 0, 1e20, &s) {
		q.limits.Time = 0
		if s < 1e8 { // else as good as none, and more than a Duration holds
			q.limits.Time = max(seconds(s), time.Nanosecond)
		}
	}
	o.integer("maxVisits", 1, maxVisits, &q.limits.Visits)
	o.integer("maxPlayouts", 1, maxVisits, &q.limits.Playouts)
}

// overrideSearch reads the settings of the search by the names and within the
// limits of KataGo's configuration file.
func (q *query) overrideSearch(o *fieldReader) {
	p := &q.params
	for _, n := range []struct {
		name      string
		low, high float64
		v         *float64
	}{
		{"wideRootNoise", 0, 5, &p.Root.WideNoise},
		{"playoutDoublingAdvantage", -3, 3, &p.Net.PlayoutDoublingAdvantage},
		{"policyOptimism", 0, 1, &p.Net.PolicyOptimism},
		{"rootPolicyOptimism", 0, 1, &p.Net.RootOptimism},
		{"rootPolicyTemperature", 0.01, 100, &p.Root.PolicyTemperature},
		{"rootPolicyTemperatureEarly", 0.01, 100, &p.Root.PolicyTemperatureEarly},
		{"fpuReductionMax", 0, 2, &p.FPU.ReductionMax},
		{"rootFpuReductionMax", 0, 2, &p.FPU.RootReductionMax},
		{"cpuctExploration", 0, 10, &p.PUCT.Exploration},
		{"cpuctExplorationLog", 0, 10, &p.PUCT.ExplorationLog},
		{"winLossUtilityFactor", 0, 1, &p.Utility.WinLossFactor},
		{"staticScoreUtilityFactor", 0, 1, &p.Utility.StaticScoreFactor},
		{"dynamicScoreUtilityFactor", 0, 1, &p.Utility.DynamicScoreFactor},
		{"noResultUtilityForWhite", -1, 1, &p.Utility.NoResultForWhite},
		{"drawEquivalentWinsForWhite", 0, 1, &p.Utility.DrawEquivalentWinsForWhite},
		{"subtreeValueBiasFactor", 0, 1, &p.Bias.Factor},
		{"rootEndingBonusPoints", -1, 1, &p.Root.EndingBonusPoints},
	} {
		o.number(n.name, n.low, n.high, n.v)
	}
	o.boolean("ignorePreRootHistory", &p.Pass.IgnorePreRootHistory)
	o.boolean("conservativePass", &p.Pass.Conservative)
	o.boolean("useUncertainty", &p.Backup.UseUncertainty)
	o.boolean("useGraphSearch", &p.Graph.Use)
	o.boolean("rootSymmetryPruning", &p.Root.SymmetryPruning)
	symmetries := int64(p.Root.NumSymmetries)
	o.integer("rootNumSymmetriesToSample", 1, board.NumSymmetries, &symmetries)
	p.Root.NumSymmetries = int(symmetries)
	var player string
	if o.take("playoutDoublingAdvantagePla", "BLACK or WHITE", &player) && player != "" {
		c, err := board.ParseColor(player)
		if err != nil {
			o.fail(faultf("playoutDoublingAdvantagePla", "must be BLACK or WHITE"))
		}
		q.advanced = c
	}
}
