package selfplay

import "kosumi/nn"

// simplify edits what the network is asked: without ownership, which self-play has no
// use for and caches may lack, and in an orientation that is a function of the position
// and the run, so that games do not depend on what else was evaluated.
func (p *player) simplify(q *nn.Query) {
	q.NeedOwnership = false
	q.FixSymmetry(p.salt)
}

// Steady returns an evaluator whose answers are functions of the query and the salt
// alone: no cache, which may answer for another history, is asked.
func Steady(e nn.Evaluator, salt uint64) nn.Evaluator {
	return nn.Rewrite(e, func(q *nn.Query) {
		q.SkipCache, q.NeedOwnership = true, false
		q.FixSymmetry(salt)
	})
}
