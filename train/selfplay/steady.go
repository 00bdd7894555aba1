package selfplay

import "kosumi/nn"

// Steady returns a network whose answers depend on the query and the salt alone, since these
// determine the orientation. Self-play needs no ownership, which caches may lack. uncached
// disables the cache, which may answer for another history.
func Steady(e nn.Evaluator, salt uint64, uncached bool) nn.Evaluator {
	return nn.Rewrite(e, func(q *nn.Query) {
		q.SkipCache, q.NeedOwnership = q.SkipCache || uncached, false
		q.FixSymmetry(salt)
	})
}
