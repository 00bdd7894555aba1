package selfplay

import "kosumi/nn"

// steady returns a network whose answers are functions of the query and the salt, so
// that games do not depend on what else was evaluated: a random orientation is one of the
// position and the salt. Ownership, which self-play has no use for and caches may lack,
// is not asked for, and if uncached no cache, which may answer for another history.
func steady(e nn.Evaluator, salt uint64, uncached bool) nn.Evaluator {
	return nn.Rewrite(e, func(q *nn.Query) {
		q.SkipCache, q.NeedOwnership = q.SkipCache || uncached, false
		q.FixSymmetry(salt)
	})
}

// Steady returns an evaluator whose answers are functions of the query and the salt
// alone.
func Steady(e nn.Evaluator, salt uint64) nn.Evaluator { return steady(e, salt, true) }
