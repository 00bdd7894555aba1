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

// RulesOf returns SupportedRules for a network.
func RulesOf(n nn.Network) func(board.Rules) board.Rules {
	return func(r board.Rules) board.Rules { return SupportedRules(r, n.Describe().Version) }
}

// SupportedRules returns the nearest rules that a KataGo network of a model version was trained
// under. Version 0 is any other network; it supports all rules.
func SupportedRules(r board.Rules, version int) board.Rules {
	if version == 0 {
		return r
	}
	if r.Ko == board.KoSpight || version <= 6 && r.Ko == board.KoSimple {
		r.Ko = board.KoSituational
	}
	if version <= 6 {
		r.Scoring, r.Tax, r.Button = board.ScoringArea, board.TaxNone, false
	}
	return r
}
