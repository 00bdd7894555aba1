package katago

import (
	"strconv"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// Models describes the network and the human SL network, if loaded.
func Models(n nn.Network) []thinking.ModelInfo {
	var all []thinking.ModelInfo
	for ; n != nil; n = n.Humans() {
		if d := n.Describe(); d != (nn.Description{}) {
			all = append(all, thinking.ModelInfo{Name: d.File, InternalName: d.Name, MaxBatchSize: n.BatchSize(),
				FP16: strconv.FormatBool(d.Precision == "fp16"), Version: d.Version, HumanProfile: d.TakesProfile})
		}
	}
	return all
}

// RulesOf returns a function that turns rules into the nearest ones that a KataGo network was
// trained under. Any other network, whose version is 0, supports all rules.
func RulesOf(n nn.Network) func(board.Rules) board.Rules {
	return func(r board.Rules) board.Rules {
		version := n.Describe().Version
		if version > 0 && (r.Ko == board.KoSpight || version <= 6 && r.Ko == board.KoSimple) {
			r.Ko = board.KoSituational
		}
		if version > 0 && version <= 6 {
			r.Scoring, r.Tax, r.Button = board.ScoringArea, board.TaxNone, false
		}
		return r
	}
}
