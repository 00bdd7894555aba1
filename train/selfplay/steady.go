package selfplay

import "kosumi/nn"

// Steady returns a network whose answers depend on the query and the salt alone: together they
// determine the orientation. It asks for no ownership, which self-play does not need and cached
// answers may lack. uncached disables the cache, which may answer for the same position after other moves.
func Steady(e nn.Evaluator, salt uint64, uncached bool) nn.Evaluator {
	return nn.Rewrite(e, func(q *nn.Query) {
		q.SkipCache, q.NeedOwnership = q.SkipCache || uncached, false
		q.FixSymmetry(salt)
	})
}
