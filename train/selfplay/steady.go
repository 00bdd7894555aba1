package selfplay

import (
	"context"

	"kosumi/board"
	"kosumi/nn"
)

// steady makes a network's answers functions of the query: a random orientation is
// one of the position and the salt, so that games do not depend on what else was
// evaluated. Ownership, which self-play has no use for and caches may lack, is not
// asked for. One goroutine at a time.
type steady struct {
	nn.Evaluator
	salt     uint64
	uncached bool // no cache, which may answer for another history, is asked
	query    nn.Query
}

// Steady returns an evaluator whose answers are functions of the query and the salt
// alone. One goroutine at a time.
func Steady(e nn.Evaluator, salt uint64) nn.Evaluator {
	return &steady{Evaluator: e, salt: salt, uncached: true}
}

// Evaluate implements nn.Evaluator.
func (s *steady) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	s.query = *q
	s.query.SkipCache, s.query.NeedOwnership = q.SkipCache || s.uncached, false
	if q.Symmetry == nn.SymmetryRandom {
		s.query.Symmetry = symmetryOf(q.Game, s.salt)
	}
	return s.Evaluator.Evaluate(ctx, &s.query, out)
}

// symmetryOf draws the orientation in which a network of a run sees a position.
func symmetryOf(g *board.Game, salt uint64) int8 {
	h := g.Hash()
	x := (h.Lo ^ salt) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32 ^ h.Hi) * 0xd1342543de82ef95
	return int8(x >> 61)
}
