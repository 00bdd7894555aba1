package search

import (
	"kosumi/board"
	"kosumi/nn/features"
)

// Params are the settings of a tree. Start from [Defaults], [Plain] or [Tutorial]; the zero value
// is not valid. [Settings] explains each, with its range and the source of its default; the
// comments here only add to these explanations.
type Params struct {
	PUCT          PUCT
	FPU           FPU
	VirtualLoss   VirtualLoss
	Utility       Utility
	Backup        Backup
	Bias          Bias
	Graph         Graph
	Root          Root
	Pass          Pass
	Choice        Choice
	Net           Net
	Parallel      Parallel
	Memory        Memory
	Stop          Stop
	Human         Human
	RepeatPenalty RepeatPenalty
	// AntiMirror changes the search only against an opponent who answers every move with the
	// point opposite to it. On in play, off in analysis.
	AntiMirror bool
	Seed       uint64 // seed of the tree's random numbers (noise)
}

// PUCT is the rule that picks the move to descend into: utility plus
// K*prior/(1+weight), where K grows with the weight that was searched.
type PUCT struct {
	Exploration             float64 // c at zero weight
	ExplorationLog          float64
	ExplorationBase         float64
	ParentOffset            float64
	UtilityStdevScale       float64
	UtilityStdevPrior       float64 // expected spread of utility
	UtilityStdevPriorWeight float64 // weight of UtilityStdevPrior, in visits
}

// FPU sets the utility of a move that was not searched yet.
type FPU struct {
	Zero                           bool
	ReductionMax                   float64
	RootReductionMax               float64
	ParentWeightByVisitedPolicy    bool
	ParentWeightByVisitedPolicyPow float64
	ParentWeight                   float64
	LossProp                       float64 // share of a lost game in the assumed utility
	RootLossProp                   float64
}

// VirtualLoss spreads parallel evaluations over the tree.
type VirtualLoss struct {
	// PerVisit is the weight of one virtual loss. With a weight of 0.3, a search with 16 or 32
	// evaluations under way wastes no more visits than one that makes them one by one, and hardly
	// any two of them meet at a leaf (docs/performance.md).
	PerVisit    float64
	WeightFloor float64
}

// Utility is the value of results and scores.
type Utility struct {
	WinLossFactor              float64
	StaticScoreFactor          float64 // weight of score, measured from an even game
	DynamicScoreFactor         float64 // weight of score, measured from the expected score
	DynamicCenterZeroWeight    float64 // 0..1: how far the centre moves from the expected score towards 0
	DynamicCenterScale         float64
	NoResultForWhite           float64 // utility of a game without result
	DrawEquivalentWinsForWhite float64 // value of a draw for White in wins, 0..1
}

// Backup is how evaluations are averaged on the way up.
type Backup struct {
	UseUncertainty         bool
	UncertaintyCoeff       float64
	UncertaintyExponent    float64
	UncertaintyMaxWeight   float64
	UseNoisePruning        bool
	NoisePruneUtilityScale float64
	NoisePruningCap        float64
	ValueWeightExponent    float64 // gives better children more weight; 0 is off
	// ExactShare sets how often a node with n visits averages all its children: every n/ExactShare
	// visits. In between, the averages change by the difference that one child makes. 0 averages all
	// at each visit; 256 halves the work of averaging and costs less than 0.1 % of the visits.
	ExactShare int
}

// Bias is the subtree value bias correction: evaluations are corrected by the average error that
// the network made on the same local pattern elsewhere in the tree.
type Bias struct {
	Factor         float64 // share of the error that is corrected; 0 is off
	WeightExponent float64 // the power to which a subtree's weight is raised in the average
	FreeProp       float64 // share of a freed node's error that is forgotten
}

// Graph lets move orders that lead to the same position share one node.
type Graph struct {
	Use      bool
	RepBound int
}

// Root holds settings for the root only.
type Root struct {
	NoiseEnabled bool
	// DirichletTotalConcentration is divided among the legal moves: 10.83 is 0.03 a move on
	// 19x19, as in AlphaGo Zero, and 0.13 on 9x9.
	DirichletTotalConcentration float64
	// DirichletAlpha, if not 0, is the concentration of each legal move and overrides the
	// total. AlphaGo Zero has 0.03 on 19x19.
	DirichletAlpha             float64
	DirichletWeight            float64 // share of the noise in the prior
	DirichletShaped            bool    // gives half of the concentration to likely moves
	PolicyTemperature          float64
	PolicyTemperatureEarly     float64
	WideNoise                  float64 // for analysis: flattens priors and adds noise to utilities
	DesiredPerChildVisitsCoeff float64
	SymmetryPruning            bool // searches one of several symmetric moves
	// LooseImages lets a move represent a symmetric one even if restrictions deeper in the tree
	// break the symmetry, and lists forbidden moves among the unsearched.
	LooseImages       bool
	EndingBonusPoints float64
	PruneUselessMoves bool
	NumSymmetries     int // orientations that the root's evaluation is averaged over, 1..8
	// Gumbel, if switched on, takes the place of PUCT at the root.
	Gumbel Gumbel
}

// Pass is how passing and the end of the game are treated.
type Pass struct {
	Conservative         bool // never treats a pass at the root as the end of the game
	Hacks                bool
	MoreHacks            bool
	FillDameBefore       bool
	IgnorePreRootHistory bool // shows the network no move before the root; on in analysis
	IgnoreAllHistory     bool // shows the network no earlier move at all
	// Areas says how area is counted, for networks and at the end of the game; see board.AreaModes.
	Areas features.Areas
}

// Choice is how the move is chosen from the finished search.
type Choice struct {
	UseLCB               bool    // chooses by lower confidence bound
	LCBStdevs            float64 // width of the bound
	MinVisitPropForLCB   float64 // share of the best move's weight that a move needs to be chosen by LCB
	Reduce               bool
	Temperature          float64
	TemperatureEarly     float64
	TemperatureHalflife  float64
	TemperatureOnlyBelow float64
	Subtract             float64
	Prune                float64
}

// Net holds options of the queries.
type Net struct {
	Symmetry          int     // orientation shown, 0..7, or -1 for any
	PolicyOptimism    float64 // share of the optimistic policy below the root
	RootOptimism      float64 // share of the optimistic policy at the root
	PolicyTemperature float64 // divides the logits
	// PlayoutDoublingAdvantage is the advantage of one colour in doublings of search effort, -3..3.
	// The colour is AdvantageFor; board.Empty stands for the side to move at the root, and then no
	// tree is kept from move to move.
	PlayoutDoublingAdvantage float64
	AdvantageFor             board.Color
}

// Parallel is how many evaluations are under way at once.
type Parallel struct {
	// Workers is the largest number of evaluations in flight. With 1 the
	// search is sequential and deterministic and starts no goroutine.
	Workers int
	// VisitsPerFlight is the number of root visits needed for each parallel evaluation, since many at
	// once would scatter the visits of a small tree. 0 is no bound.
	VisitsPerFlight int
	// Sessions is the number of evaluations computed at the same time. Up to that number, each
	// evaluation in flight needs only an eighth of VisitsPerFlight, so that no processor is idle. 0
	// means one.
	Sessions          int
	PlayoutsPerFlight int
}

// Memory bounds the tree.
type Memory struct {
	MaxBytes int64 // limit for nodes, edges and priors, MinBytes or more; 0 means 4 GiB
	// PriorsPerNode is the number of moves whose priors a node stores, or up to a third more if
	// that covers all moves. Once the stored moves are all searched, the node is evaluated again
	// for the other moves' priors. The default is 64.
	PriorsPerNode int
}

// Stop ends a search before its limits.
type Stop struct {
	FutileVisitsThreshold float64
}

// Defaults returns KataGo 1.17's settings for play over GTP, with one worker. If measurements here
// found a better value, Source in [Settings] says so.
func Defaults() Params {
	return Params{
		PUCT: PUCT{Exploration: 1.0, ExplorationLog: 0.45, ExplorationBase: 500, ParentOffset: 0.01,
			UtilityStdevScale: 0.85, UtilityStdevPrior: 0.40, UtilityStdevPriorWeight: 2},
		FPU: FPU{ReductionMax: 0.2, RootReductionMax: 0.1,
			ParentWeightByVisitedPolicy: true, ParentWeightByVisitedPolicyPow: 2},
		VirtualLoss: VirtualLoss{PerVisit: 0.3, WeightFloor: 0.25},
		Utility: Utility{WinLossFactor: 1, StaticScoreFactor: 0.1, DynamicScoreFactor: 0.3,
			DynamicCenterZeroWeight: 0.2, DynamicCenterScale: 0.75, DrawEquivalentWinsForWhite: 0.5},
		Backup: Backup{UseUncertainty: true, UncertaintyCoeff: 0.25, UncertaintyExponent: 1, UncertaintyMaxWeight: 8,
			UseNoisePruning: true, NoisePruneUtilityScale: 0.15, NoisePruningCap: 1e50,
			ValueWeightExponent: 0.25, ExactShare: 256},
		Bias:  Bias{Factor: 0.45, WeightExponent: 0.85, FreeProp: 0.8},
		Graph: Graph{Use: true, RepBound: board.DefaultRepBound},
		Root: Root{DirichletTotalConcentration: 10.83, DirichletWeight: 0.25, DirichletShaped: true,
			PolicyTemperature: 1, PolicyTemperatureEarly: 1,
			SymmetryPruning: true, EndingBonusPoints: 0.5, PruneUselessMoves: true, NumSymmetries: 1,
			Gumbel: Gumbel{VisitScale: 50, ValueScale: 1}},
		Pass: Pass{Conservative: true, Hacks: true, MoreHacks: true, FillDameBefore: true},
		Choice: Choice{UseLCB: true, LCBStdevs: 5, MinVisitPropForLCB: 0.15, Reduce: true,
			Temperature: 0.10, TemperatureEarly: 0.50, TemperatureHalflife: 19, TemperatureOnlyBelow: 1, Prune: 1},
		Net:      Net{Symmetry: -1, PolicyOptimism: 1, RootOptimism: 0.2, PolicyTemperature: 1},
		Parallel: Parallel{Workers: 1, VisitsPerFlight: 32, PlayoutsPerFlight: 8},
		Memory:   Memory{PriorsPerNode: 64},
		Human:    Human{Exploration: 1, PiklLambda: 1e9},

		AntiMirror: true,
	}
}

// Plain returns the bare search: PUCT with c growing by visits, FPU, averages of equal weight and
// choice by LCB, with every other technique off. It is the base for trying single techniques.
func Plain() Params {
	p := Defaults()
	p.PUCT.UtilityStdevScale = 0
	p.Backup.UseUncertainty = false
	p.Backup.UseNoisePruning = false
	p.Backup.ValueWeightExponent = 0
	p.Bias.Factor = 0
	p.Graph.Use = false
	p.Root.SymmetryPruning = false
	p.Root.EndingBonusPoints = 0
	p.Root.PruneUselessMoves = false
	p.Pass = Pass{}
	p.Net.PolicyOptimism, p.Net.RootOptimism = 0, 0
	p.AntiMirror = false
	return p
}

// Tutorial returns the search of the AlphaGo Zero tutorials: PUCT with a fixed c of 1.5 and the
// node's own visits under the square root, unvisited moves that count as an even game, a virtual
// loss of 3, plain averages of win minus loss and choice by visits. Noise is off;
// Root.NoiseEnabled adds 25 % of Dirichlet noise of 0.3 a move (9x9; set Root.DirichletAlpha to
// 0.03 on 19x19).
func Tutorial() Params {
	p := Plain()
	p.PUCT = PUCT{Exploration: 1.5, ExplorationBase: 500, ParentOffset: 1,
		UtilityStdevPrior: 0.40, UtilityStdevPriorWeight: 2}
	p.FPU = FPU{Zero: true}
	p.VirtualLoss = VirtualLoss{PerVisit: 3}
	p.Utility = Utility{WinLossFactor: 1, DynamicCenterScale: 0.75, DrawEquivalentWinsForWhite: 0.5}
	p.Root.DirichletShaped = false
	p.Root.DirichletAlpha = 0.3
	p.Choice = Choice{Temperature: 0, TemperatureEarly: 0, TemperatureHalflife: 19, TemperatureOnlyBelow: 1}
	return p
}
