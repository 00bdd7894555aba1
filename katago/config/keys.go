package config

// unlimited is KataGo's number for no limit of visits or playouts.
const unlimited = 1 << 50

// Param is a parameter of the search: what kata-set-param and overrideSettings may
// change, and kata-get-params shows.
type Param struct {
	Key
	// Default holds where nothing is given, Analysis the one of the analysis
	// program where it differs.
	Default  string
	Analysis string
	// Hidden parameters are not shown; Human ones need a second network.
	Hidden, Human bool
}

func double(name string, low, high float64, value string) Param {
	return Param{Key: Key{Name: name, Kind: Double, Low: low, High: high}, Default: value}
}

func whole(name string, low, high float64, value string) Param {
	return Param{Key: Key{Name: name, Kind: Int, Low: low, High: high}, Default: value}
}

func long(name string, value string) Param {
	return Param{Key: Key{Name: name, Kind: Int64, Low: 1, High: unlimited}, Default: value}
}

func toggle(name, value string) Param { return Param{Key: Key{Name: name, Kind: Bool}, Default: value} }

func (p Param) inAnalysis(value string) Param { p.Analysis = value; return p }
func (p Param) hidden() Param                 { p.Hidden = true; return p }
func (p Param) human() Param                  { p.Human = true; return p }

// noLimit is unlimited as text.
const noLimit = "1125899906842624"

// Params are the parameters of the search in the order in which KataGo reads
// them, with its names, ranges and defaults.
var Params = []Param{
	long("maxPlayouts", noLimit), long("maxVisits", noLimit), double("maxTime", 0, 1e20, "1e20"),
	long("maxPlayoutsPondering", noLimit), long("maxVisitsPondering", noLimit), double("maxTimePondering", 0, 1e20, "1e20"),
	double("lagBuffer", 0, 3600, "0"),
	double("searchFactorAfterOnePass", 0, 1, "1"), double("searchFactorAfterTwoPass", 0, 1, "1"),
	whole("numSearchThreads", 1, 4096, ""), double("minPlayoutsPerThread", 0, 1e20, "8"),
	double("winLossUtilityFactor", 0, 1, "1"), double("staticScoreUtilityFactor", 0, 1, "0.1"), double("dynamicScoreUtilityFactor", 0, 1, "0.3"),
	double("noResultUtilityForWhite", -1, 1, "0"), double("drawEquivalentWinsForWhite", 0, 1, "0.5"),
	double("dynamicScoreCenterZeroWeight", 0, 1, "0.2"), double("dynamicScoreCenterScale", 0.2, 5, "0.75"),
	double("cpuctExploration", 0, 10, "1"), double("cpuctExplorationLog", 0, 10, "0.45"), double("cpuctExplorationBase", 10, 100000, "500"),
	double("cpuctUtilityStdevPrior", 1e-8, 10, "0.4"), double("cpuctUtilityStdevPriorWeight", 0, 100, "2"), double("cpuctUtilityStdevScale", 0, 1, "0.85"),
	double("fpuReductionMax", 0, 2, "0.2"), double("fpuLossProp", 0, 1, "0"),
	toggle("fpuParentWeightByVisitedPolicy", "true"), double("fpuParentWeightByVisitedPolicyPow", 0, 5, "2"), double("fpuParentWeight", 0, 1, "0"),
	double("policyOptimism", 0, 1, "1"), double("valueWeightExponent", 0, 1, "0.25"),
	toggle("useNoisePruning", "true"), double("noisePruneUtilityScale", 0.001, 10, "0.15"), double("noisePruningCap", 0, 1e50, "1e50"),
	toggle("useUncertainty", "true"), double("uncertaintyCoeff", 0.0001, 1, "0.25"), double("uncertaintyExponent", 0, 2, "1"), double("uncertaintyMaxWeight", 1, 100, "8"),
	toggle("useGraphSearch", "true"), whole("graphSearchRepBound", 3, 50, "11"), double("graphSearchCatchUpLeakProb", 0, 1, "0"),
	toggle("rootNoiseEnabled", "false"), double("rootDirichletNoiseTotalConcentration", 0.001, 10000, "10.83"), double("rootDirichletNoiseWeight", 0, 1, "0.25"),
	double("rootPolicyTemperature", 0.01, 100, "1"), double("rootPolicyTemperatureEarly", 0.01, 100, "1"),
	double("rootFpuReductionMax", 0, 2, "0.1"), double("rootFpuLossProp", 0, 1, "0"),
	whole("rootNumSymmetriesToSample", 1, 8, "1"), toggle("rootSymmetryPruning", "true"), double("rootDesiredPerChildVisitsCoeff", 0, 100, "0"),
	double("rootPolicyOptimism", 0, 1, "0.2"),
	double("chosenMoveTemperature", 0, 5, "0.1"), double("chosenMoveTemperatureEarly", 0, 5, "0.5"), double("chosenMoveTemperatureHalflife", 0.1, 100000, "19"),
	double("chosenMoveTemperatureOnlyBelowProb", 0, 1, "1"), double("chosenMoveSubtract", 0, 1e10, "0"), double("chosenMovePrune", 0, 1e10, "1"),
	toggle("useLcbForSelection", "true"), double("lcbStdevs", 1, 12, "5"), double("minVisitPropForLCB", 0, 1, "0.15"), toggle("useNonBuggyLcb", "true"),
	double("rootEndingBonusPoints", -1, 1, "0.5"), toggle("rootPruneUselessMoves", "true"), toggle("conservativePass", "true"),
	toggle("fillDameBeforePass", "true").inAnalysis("false"),
	{Key: Key{Name: "alwaysComputePassAliveUnderSuicideRules", Kind: Enabled}, Default: "auto"},
	{Key: Key{Name: "excludeTerritoryAdjacentToAtari", Kind: Enabled}, Default: "auto"},
	double("wideRootNoise", 0, 5, "0").inAnalysis("0.04"), toggle("enablePassingHacks", "true"), toggle("enableMorePassingHacks", "true"),
	double("playoutDoublingAdvantage", -3, 3, "0"), {Key: Key{Name: "playoutDoublingAdvantagePla"}, Default: "E"},
	double("avoidRepeatedPatternUtility", -3, 3, "0").hidden(),
	{Key: Key{Name: "nnPolicyTemperature", Kind: Single, Low: float64(float32(0.01)), High: 5}, Default: "1"},
	toggle("antiMirror", "false"), toggle("ignorePreRootHistory", "false").inAnalysis("true"), toggle("ignoreAllHistory", "false"),
	double("subtreeValueBiasFactor", 0, 1, "0.45"), double("subtreeValueBiasFreeProp", 0, 1, "0.8"), double("subtreeValueBiasWeightExponent", 0, 1, "0.85"),
	toggle("useEvalCache", "false").hidden(), {Key: Key{Name: "evalCacheMinVisits", Kind: Int64, Low: 1, High: unlimited}, Default: "100", Hidden: true},
	whole("nodeTableShardsPowerOfTwo", 8, 24, "16").hidden(), double("numVirtualLossesPerThread", 0.01, 1000, "1"),
	double("treeReuseCarryOverTimeFactor", 0, 1, "0"), double("overallocateTimeFactor", 0.01, 100, "1"), double("midgameTimeFactor", 0.01, 100, "1"),
	double("midgameTurnPeakTime", 0, 1000, "130"), double("endgameTurnTimeDecay", 0, 1000, "100"), double("obviousMovesTimeFactor", 0.01, 1, "1"),
	double("obviousMovesPolicyEntropyTolerance", 0.001, 2, "0.3"), double("obviousMovesPolicySurpriseTolerance", 0.001, 2, "0.15"),
	double("futileVisitsThreshold", 0.01, 1, "0"),
	{Key: Key{Name: "humanSLProfile"}, Hidden: true},
	double("humanSLCpuctExploration", 0, 1000, "1").human(), double("humanSLCpuctPermanent", 0, 1000, "0").human(),
	double("humanSLRootExploreProbWeightless", 0, 1, "0").human(), double("humanSLRootExploreProbWeightful", 0, 1, "0").human(),
	double("humanSLPlaExploreProbWeightless", 0, 1, "0").human(), double("humanSLPlaExploreProbWeightful", 0, 1, "0").human(),
	double("humanSLOppExploreProbWeightless", 0, 1, "0").human(), double("humanSLOppExploreProbWeightful", 0, 1, "0").human(),
	double("humanSLChosenMoveProp", 0, 1, "0").human(), toggle("humanSLChosenMoveIgnorePass", "false").human(),
	double("humanSLChosenMovePiklLambda", 0, 1e9, "1e9").human(),
}

// UnusedInAnalysis are the parameters that KataGo's analysis reads and never uses:
// those of clocks and of pondering.
var UnusedInAnalysis = []string{
	"lagBuffer", "maxVisitsPondering", "maxPlayoutsPondering", "maxTimePondering", "searchFactorAfterOnePass", "searchFactorAfterTwoPass",
	"treeReuseCarryOverTimeFactor", "overallocateTimeFactor", "midgameTimeFactor", "midgameTurnPeakTime", "endgameTurnTimeDecay",
	"obviousMovesTimeFactor", "obviousMovesPolicyEntropyTolerance", "obviousMovesPolicySurpriseTolerance", "nodeTableShardsPowerOfTwo",
}

// FindParam returns the parameter of a name; nil if there is none.
func FindParam(name string) *Param {
	for i := range Params {
		if Params[i].Name == name {
			return &Params[i]
		}
	}
	return nil
}
