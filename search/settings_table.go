package search

import (
	"math"

	"kosumi/board"
	"kosumi/nn/features"
	"kosumi/search/setting"
)

const (
	kataGo   = "KataGo 1.17"
	measured = "own measurements"
)

// row describes a setting of the search that KataGo has under the same name, and whose
// default is KataGo's.
func row(name, doc string) setting.Info {
	return setting.Info{Name: name, KataGo: name, Source: kataGo, Doc: doc, Section: "search", Change: setting.Expert}
}

func number[F int | float64](name string, low, high float64, doc string, field func(*Params) *F) Setting {
	info := row(name, doc)
	info.Low, info.High = low, high
	return setting.Of(info, field)
}

func toggle(name, doc string, field func(*Params) *bool) Setting {
	return setting.Of(row(name, doc), field)
}

func choice[F ~uint8 | ~int8](name string, words []string, doc string, field func(*Params) *F) Setting {
	info := row(name, doc)
	info.Words = words
	return setting.Enum(info, field)
}

// ours marks a setting that KataGo has no key for, and names the source of its default.
func ours(source string, s Setting) Setting {
	s.KataGo = ""
	return from(source, s)
}

// from names the source of a default.
func from(source string, s Setting) Setting {
	s.Source = source
	return s
}

// called marks a setting that KataGo has another name for.
func called(katago string, s Setting) Setting {
	s.KataGo = katago
	return s
}

// common marks a setting that clients offer to people.
func common(s Setting) Setting {
	s.Change = setting.Common
	return s
}

var settings = setting.Join(
	setting.Under("Selection: utility + K*prior/(1+weight)", setting.Table[Params]{
		number("cpuctExploration", 0, 10, "exploration c at zero weight", func(p *Params) *float64 { return &p.PUCT.Exploration }),
		number("cpuctExplorationLog", 0, 10, "growth of c: c + this * ln((weight+base)/base); 0: off", func(p *Params) *float64 { return &p.PUCT.ExplorationLog }),
		number("cpuctExplorationBase", 10, 100000, "base of the growth, in weight", func(p *Params) *float64 { return &p.PUCT.ExplorationBase }),
		ours(kataGo, number("cpuctParentOffset", 1e-9, 100, "weight added under the root sign; 1 in AlphaZero", func(p *Params) *float64 { return &p.PUCT.ParentOffset })),
		number("cpuctUtilityStdevScale", 0, 1, "how far c follows the spread of utility below a node; 0: off", func(p *Params) *float64 { return &p.PUCT.UtilityStdevScale }),
		number("cpuctUtilityStdevPrior", 1e-8, 10, "expected spread, in utility", func(p *Params) *float64 { return &p.PUCT.UtilityStdevPrior }),
		number("cpuctUtilityStdevPriorWeight", 0, 100, "weight of that expectation", func(p *Params) *float64 { return &p.PUCT.UtilityStdevPriorWeight }),
	}),
	setting.Under("FPU: the utility of a move without visits", setting.Table[Params]{
		ours("the tutorial has it on", toggle("fpuZero", "take an even game, and ignore the rest of this group", func(p *Params) *bool { return &p.FPU.Zero })),
		number("fpuReductionMax", 0, 2, "reduction in utility once all prior is visited", func(p *Params) *float64 { return &p.FPU.ReductionMax }),
		number("rootFpuReductionMax", 0, 2, "the same at the root", func(p *Params) *float64 { return &p.FPU.RootReductionMax }),
		toggle("fpuParentWeightByVisitedPolicy", "start from the node's average, weighted by the visited prior; if off, from its own evaluation", func(p *Params) *bool { return &p.FPU.ParentWeightByVisitedPolicy }),
		number("fpuParentWeightByVisitedPolicyPow", 0, 5, "power of the visited prior in that weight", func(p *Params) *float64 { return &p.FPU.ParentWeightByVisitedPolicyPow }),
		number("fpuParentWeight", 0, 1, "share of the node's own evaluation if fpuParentWeightByVisitedPolicy is off", func(p *Params) *float64 { return &p.FPU.ParentWeight }),
		number("fpuLossProp", 0, 1, "share of a lost game mixed in", func(p *Params) *float64 { return &p.FPU.LossProp }),
		number("rootFpuLossProp", 0, 1, "the same at the root", func(p *Params) *float64 { return &p.FPU.RootLossProp }),
	}),
	setting.Under("Virtual loss: spreads parallel evaluations over the tree", setting.Table[Params]{
		from(measured, number("numVirtualLossesPerThread", 0.01, 1000, "weight of one virtual loss; KataGo has 1", func(p *Params) *float64 { return &p.VirtualLoss.PerVisit })),
		ours(kataGo, number("virtualLossWeightFloor", 0, 100, "least weight of an edge when losses are mixed in", func(p *Params) *float64 { return &p.VirtualLoss.WeightFloor })),
	}),
	setting.Under("Utility: weights of results and scores", setting.Table[Params]{
		number("winLossUtilityFactor", 0, 1, "weight of win minus loss", func(p *Params) *float64 { return &p.Utility.WinLossFactor }),
		number("staticScoreUtilityFactor", 0, 1, "weight of the score relative to an even game; 0: off", func(p *Params) *float64 { return &p.Utility.StaticScoreFactor }),
		number("dynamicScoreUtilityFactor", 0, 1, "weight of the score relative to the expected score; 0: off", func(p *Params) *float64 { return &p.Utility.DynamicScoreFactor }),
		number("dynamicScoreCenterZeroWeight", 0, 1, "how far the expected score is drawn towards 0", func(p *Params) *float64 { return &p.Utility.DynamicCenterZeroWeight }),
		number("dynamicScoreCenterScale", 0.2, 5, "width of the dynamic term, in sqrt(points of the board)", func(p *Params) *float64 { return &p.Utility.DynamicCenterScale }),
		number("noResultUtilityForWhite", -1, 1, "utility of a game without result", func(p *Params) *float64 { return &p.Utility.NoResultForWhite }),
		number("drawEquivalentWinsForWhite", 0, 1, "value of a draw, in wins", func(p *Params) *float64 { return &p.Utility.DrawEquivalentWinsForWhite }),
	}),
	setting.Under("Averages: how evaluations are weighted on the way up", setting.Table[Params]{
		toggle("useUncertainty", "weight evaluations by the network's own error estimate, if it has one", func(p *Params) *bool { return &p.Backup.UseUncertainty }),
		number("uncertaintyCoeff", 1e-4, 1, "weight is this / (error^exponent + this/max)", func(p *Params) *float64 { return &p.Backup.UncertaintyCoeff }),
		number("uncertaintyExponent", 0, 2, "exponent of the error", func(p *Params) *float64 { return &p.Backup.UncertaintyExponent }),
		number("uncertaintyMaxWeight", 1, 100, "largest weight, and that of a finished game", func(p *Params) *float64 { return &p.Backup.UncertaintyMaxWeight }),
		toggle("useNoisePruning", "remove visits from moves that turned out worse than their prior justifies", func(p *Params) *bool { return &p.Backup.UseNoisePruning }),
		number("noisePruneUtilityScale", 1e-3, 10, "how much worse, in utility", func(p *Params) *float64 { return &p.Backup.NoisePruneUtilityScale }),
		number("noisePruningCap", 0, 1e50, "most weight removed", func(p *Params) *float64 { return &p.Backup.NoisePruningCap }),
		number("valueWeightExponent", 0, 1, "how much weight is shifted to better moves; 0: off", func(p *Params) *float64 { return &p.Backup.ValueWeightExponent }),
		ours(measured, number("exactShare", 0, math.MaxInt32, "nodes of 64 visits or more average all their moves once every visits/this visits, and by differences in between; 0: at each visit, as KataGo does", func(p *Params) *int { return &p.Backup.ExactShare })),
	}),
	setting.Under("Subtree value bias: learns the network's error on local patterns", setting.Table[Params]{
		number("subtreeValueBiasFactor", 0, 1, "share of the average error that is corrected; 0: off", func(p *Params) *float64 { return &p.Bias.Factor }),
		number("subtreeValueBiasWeightExponent", 0, 1, "power of a subtree's weight in that average", func(p *Params) *float64 { return &p.Bias.WeightExponent }),
		number("subtreeValueBiasFreeProp", 0, 1, "share of a discarded node's error that is forgotten", func(p *Params) *float64 { return &p.Bias.FreeProp }),
	}),
	setting.Under("Graph search", setting.Table[Params]{
		toggle("useGraphSearch", "let move orders that lead to the same position share a node", func(p *Params) *bool { return &p.Graph.Use }),
		number("graphSearchRepBound", 3, 50, "a position's history counts only if the position could return within this many moves", func(p *Params) *int { return &p.Graph.RepBound }),
	}),
	rootSettings(), passSettings(), choiceSettings(), humanSettings(), engineSettings(),
)

func rootSettings() setting.Table[Params] {
	return setting.Under("Root", setting.Table[Params]{
		toggle("rootNoiseEnabled", "Dirichlet noise on the priors, for self-play", func(p *Params) *bool { return &p.Root.NoiseEnabled }),
		number("rootDirichletNoiseTotalConcentration", 1e-3, 10000, "concentration divided among the legal moves", func(p *Params) *float64 { return &p.Root.DirichletTotalConcentration }),
		ours("AlphaGo Zero has 0.03", number("rootDirichletAlpha", 0, 1e6, "concentration of each legal move, in place of the total; 0: use the total", func(p *Params) *float64 { return &p.Root.DirichletAlpha })),
		number("rootDirichletNoiseWeight", 0, 1, "share of the noise in the prior", func(p *Params) *float64 { return &p.Root.DirichletWeight }),
		ours(kataGo, toggle("rootDirichletShaped", "give half of the concentration to likely moves", func(p *Params) *bool { return &p.Root.DirichletShaped })),
		number("rootPolicyTemperature", 0.01, 100, "flattens the priors late in the game", func(p *Params) *float64 { return &p.Root.PolicyTemperature }),
		number("rootPolicyTemperatureEarly", 0.01, 100, "flattens the priors at move 0", func(p *Params) *float64 { return &p.Root.PolicyTemperatureEarly }),
		number("wideRootNoise", 0, 5, "flattens priors and adds noise to utilities, to search more moves", func(p *Params) *float64 { return &p.Root.WideNoise }),
		number("rootDesiredPerChildVisitsCoeff", 0, 100, "k: visited moves get at least sqrt(k*prior*weight) visits; 0: off", func(p *Params) *float64 { return &p.Root.DesiredPerChildVisitsCoeff }),
		toggle("rootSymmetryPruning", "search one of several symmetric moves", func(p *Params) *bool { return &p.Root.SymmetryPruning }),
		number("rootEndingBonusPoints", -1, 1, "points subtracted from moves that only fill sure area; 0: off", func(p *Params) *float64 { return &p.Root.EndingBonusPoints }),
		toggle("rootPruneUselessMoves", "drop moves in sure areas if the opponent has only passed", func(p *Params) *bool { return &p.Root.PruneUselessMoves }),
		number("rootNumSymmetriesToSample", 1, 8, "orientations averaged in the root's evaluation", func(p *Params) *int { return &p.Root.NumSymmetries }),
		ours("ICLR 2022, Danihelka et al., has 16", number("gumbelConsidered", 0, board.MaxMoves, "moves at the start of a Gumbel search, in place of PUCT at the root; 0: off", func(p *Params) *int { return &p.Root.Gumbel.Considered })),
		ours("ICLR 2022, Danihelka et al.", number("gumbelVisitScale", 0, 1e6, "c_visit of the Gumbel search", func(p *Params) *float64 { return &p.Root.Gumbel.VisitScale })),
		ours("ICLR 2022, Danihelka et al.", number("gumbelValueScale", 0, 1e6, "c_scale of the Gumbel search", func(p *Params) *float64 { return &p.Root.Gumbel.ValueScale })),
		ours("ICLR 2022, Danihelka et al.", toggle("gumbelGreedy", "Gumbel search without noise, for play", func(p *Params) *bool { return &p.Root.Gumbel.Greedy })),
	})
}

func passSettings() setting.Table[Params] {
	return setting.Under("Passing and the end of the game", setting.Table[Params]{
		common(toggle("conservativePass", "never treat a pass at the root as the end of the game", func(p *Params) *bool { return &p.Pass.Conservative })),
		toggle("enablePassingHacks", "cap the prior of a pass, and hide a pass that would lose from the network", func(p *Params) *bool { return &p.Pass.Hacks }),
		toggle("enableMorePassingHacks", "visit passing, and not passing, whenever a pass would end the phase", func(p *Params) *bool { return &p.Pass.MoreHacks }),
		toggle("fillDameBeforePass", "do not pass while a neutral point is as good, under territory rules", func(p *Params) *bool { return &p.Pass.FillDameBefore }),
		toggle("ignorePreRootHistory", "show the network no move before the root; on in analysis", func(p *Params) *bool { return &p.Pass.IgnorePreRootHistory }),
		toggle("ignoreAllHistory", "show the network no earlier move at all", func(p *Params) *bool { return &p.Pass.IgnoreAllHistory }),
		called("alwaysComputePassAliveUnderSuicideRules", choice("passAliveUnderSuicide", features.ModeWords,
			"judge pass-alive areas as if suicide were legal; auto: as the network was trained", func(p *Params) *features.Mode { return &p.Pass.Areas.PassAliveUnderSuicide })),
		from("KataGo 1.18", choice("excludeTerritoryAdjacentToAtari", features.ModeWords, "count no empty point in seki beside an own chain in atari, under territory rules without a tax; auto: as the network was trained",
			func(p *Params) *features.Mode { return &p.Pass.Areas.ExcludeTerritoryAdjacentToAtari })),
	})
}

func choiceSettings() setting.Table[Params] {
	return setting.Under("Choice of the move", setting.Table[Params]{
		toggle("useLcbForSelection", "choose by lower confidence bound", func(p *Params) *bool { return &p.Choice.UseLCB }),
		number("lcbStdevs", 0, 12, "width of the bound, in standard deviations", func(p *Params) *float64 { return &p.Choice.LCBStdevs }),
		number("minVisitPropForLCB", 0, 1, "least share of the best move's weight for a move to be chosen", func(p *Params) *float64 { return &p.Choice.MinVisitPropForLCB }),
		ours(kataGo, toggle("reduceByFinalValues", "remove visits that the final values do not justify, before moves are compared", func(p *Params) *bool { return &p.Choice.Reduce })),
		common(number("chosenMoveTemperature", 0, 5, "randomness of the choice late in the game; 0: the best move", func(p *Params) *float64 { return &p.Choice.Temperature })),
		common(number("chosenMoveTemperatureEarly", 0, 5, "randomness of the choice at move 0", func(p *Params) *float64 { return &p.Choice.TemperatureEarly })),
		number("chosenMoveTemperatureHalflife", 0.1, 100000, "moves of a 19x19 game that halve the difference", func(p *Params) *float64 { return &p.Choice.TemperatureHalflife }),
		number("chosenMoveTemperatureOnlyBelowProb", 0, 1, "moves with a larger share keep their probability; 1: none", func(p *Params) *float64 { return &p.Choice.TemperatureOnlyBelow }),
		number("chosenMoveSubtract", 0, 1e10, "visits subtracted from every move before one is drawn", func(p *Params) *float64 { return &p.Choice.Subtract }),
		number("chosenMovePrune", 0, 1e10, "least visits of a move to be drawn", func(p *Params) *float64 { return &p.Choice.Prune }),
	})
}

func humanSettings() setting.Table[Params] {
	return setting.Under("Human-like network (--human-model)", setting.Table[Params]{
		common(setting.Custom(row("humanSLProfile", "the player to imitate: rank_5k, rank_3k_1d (Black, White), preaz_5k, proyear_1950; empty: unknown"),
			func(p *Params) setting.Value { return profileName{&p.Human.Profile} })),
		number("humanSLRootExploreProbWeightless", 0, 1, "share of the root's visits that follow human moves without weight", func(p *Params) *float64 { return &p.Human.Root.Weightless }),
		number("humanSLRootExploreProbWeightful", 0, 1, "share of the root's visits that follow human moves with weight", func(p *Params) *float64 { return &p.Human.Root.Weightful }),
		number("humanSLPlaExploreProbWeightless", 0, 1, "the first share below the root, for the player to move there", func(p *Params) *float64 { return &p.Human.Own.Weightless }),
		number("humanSLPlaExploreProbWeightful", 0, 1, "the second share below the root, for the player to move there", func(p *Params) *float64 { return &p.Human.Own.Weightful }),
		number("humanSLOppExploreProbWeightless", 0, 1, "the first share below the root, for the other player", func(p *Params) *float64 { return &p.Human.Opponent.Weightless }),
		number("humanSLOppExploreProbWeightful", 0, 1, "the second share below the root, for the other player", func(p *Params) *float64 { return &p.Human.Opponent.Weightful }),
		number("humanSLCpuctExploration", 0, 1000, "exploration among human moves", func(p *Params) *float64 { return &p.Human.Exploration }),
		number("humanSLCpuctPermanent", 0, 1000, "exploration that does not shrink with visits, so that they tend to the human policy", func(p *Params) *float64 { return &p.Human.Permanent }),
		number("humanSLChosenMoveProp", 0, 1, "share of the human policy in the choice of the move", func(p *Params) *float64 { return &p.Human.ChosenShare }),
		toggle("humanSLChosenMoveIgnorePass", "leave passing to the search, not to the human policy", func(p *Params) *bool { return &p.Human.IgnorePass }),
		number("humanSLChosenMovePiklLambda", 0, 1e9, "utility that makes a human move e times less likely to be chosen (piKL)", func(p *Params) *float64 { return &p.Human.PiklLambda }),
	})
}

func engineSettings() setting.Table[Params] {
	return setting.Join(
		setting.Under("Network queries", setting.Table[Params]{
			called("nnForcedSymmetry", number("nnSymmetry", -1, 7, "orientation shown, 0 to 7; -1: a random one each time", func(p *Params) *int { return &p.Net.Symmetry })),
			number("policyOptimism", 0, 1, "share of the optimistic policy in the tree, if the network has one", func(p *Params) *float64 { return &p.Net.PolicyOptimism }),
			number("rootPolicyOptimism", 0, 1, "the same at the root", func(p *Params) *float64 { return &p.Net.RootOptimism }),
			number("nnPolicyTemperature", 0.01, 5, "flattens the policy everywhere", func(p *Params) *float64 { return &p.Net.PolicyTemperature }),
			common(number("playoutDoublingAdvantage", -3, 3, "search advantage reported to the network, in doublings of effort", func(p *Params) *float64 { return &p.Net.PlayoutDoublingAdvantage })),
			choice("playoutDoublingAdvantagePla", []string{"mover", "black", "white"}, "side with the advantage; mover: the side to move at the root", func(p *Params) *board.Color { return &p.Net.AdvantageFor }),
		}),
		setting.Under("Parallel evaluations, and memory", setting.Table[Params]{
			ours(measured, number("visitsPerFlight", 0, 1e6, "visits of the root per parallel evaluation; 0: no bound", func(p *Params) *int { return &p.Parallel.VisitsPerFlight })),
			number("minPlayoutsPerThread", 0, 1e6, "playouts of a limited search per parallel evaluation; 0: no bound", func(p *Params) *int { return &p.Parallel.PlayoutsPerFlight }),
			ours(measured, number("priorsPerNode", 8, board.MaxMoves, "priors stored per node; the others are evaluated again when needed", func(p *Params) *int { return &p.Memory.PriorsPerNode })),
		}),
		setting.Under("Ending a search early", setting.Table[Params]{
			number("futileVisitsThreshold", 0, 1, "skip moves that can no longer reach this share of the best move's visits; 0: off", func(p *Params) *float64 { return &p.Stop.FutileVisitsThreshold }),
		}),
		setting.Under("Mirror Go", setting.Table[Params]{
			number("avoidRepeatedPatternUtility", -3, 3, "utility subtracted from moves that resemble the player's earlier ones in this game", func(p *Params) *float64 { return &p.RepeatPenalty.Utility }),
			toggle("antiMirror", "counter an opponent who copies every move at the opposite point; off in analysis", func(p *Params) *bool { return &p.AntiMirror }),
		}),
	)
}
