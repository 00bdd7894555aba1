package selfplay

import "kosumi/nn"

// steady is the network of a player. It is asked in orientations that are functions of
// the position and the run, so that games do not depend on what else was evaluated.
type steady struct {
	nn.Evaluator              // net, asked as simplify has it
	net          nn.Evaluator // nil: none
	salt         uint64       // of the run
}

// use has it ask another network.
func (s *steady) use(net nn.Evaluator) { s.net, s.Evaluator = net, nn.Rewrite(net, s.simplify) }

// simplify edits a query: without ownership, which self-play has no use for and caches
// may lack.
func (s *steady) simplify(q *nn.Query) {
	q.NeedOwnership = false
	q.FixSymmetry(s.salt)
}

// Steady returns an evaluator whose answers are functions of the query and the salt
// alone: no cache, which may answer for another history, is asked.
func Steady(e nn.Evaluator, salt uint64) nn.Evaluator {
	return nn.Rewrite(e, func(q *nn.Query) {
		q.SkipCache, q.NeedOwnership = true, false
		q.FixSymmetry(salt)
	})
}
