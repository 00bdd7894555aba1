package analysis

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/search"
)

// levelMove is the field of a reply that names a level's move.
type levelMove struct {
	Level string `json:"level"`
	Move  string `json:"move"`
	Note  string `json:"note"`
	// PointsLost is how much worse the move is than the best move of the level's own search;
	// absent if that search did not visit it.
	PointsLost *number `json:"pointsLost,omitempty"`
}

// readLevel reads the rank for which a query wants a move in addition to its analysis. KataGo's
// protocol does not have the field.
func (s *Server) readLevel(q *query, r *fieldReader) {
	const fault = "Must be a level from 30k to 1k or 1d to 9d"
	var name string
	if !r.take("level", fault, &name) {
		return
	}
	rank, err := level.ParseRank(name)
	if err != nil {
		r.fail("level", fault)
		return
	}
	setting, err := level.Find(level.Ladders(), s.net.Describe().SHA256, q.size, rank)
	if err = cmp.Or(err, setting.Refusal); err != nil {
		r.fail("level", "%v", err)
		return
	}
	q.level = &setting
}

// levelMove runs the level's own search after the analysis and chooses a move.
func (s *Server) levelMove(ctx context.Context, tree *search.Tree, t *task) (*levelMove, error) {
	l := t.query.level
	game, err := t.query.position(t.turn)
	if err != nil {
		return nil, err
	}
	params, limits := level.Searched(t.query.params, l.Dial)
	params.Pass.IgnorePreRootHistory = false
	if err := tree.SetParams(params); err != nil {
		return nil, err
	}
	tree.Reset(game)
	tree.Restrict(t.query.restrict...)
	result, err := tree.Search(ctx, limits)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	p := level.Player{Dial: l.Dial, Seed: s.seed}
	stream := rand.Uint64()
	if s.conf.Search.Seed != 0 { // with a seed, the same position gets the same move
		stream = game.GraphHash(board.Hash{}).Lo
	}
	c, _ := p.Choose(game, &result, rand.New(rand.NewPCG(s.seed, stream)))
	if c.Move != board.Pass && game.Legal(game.ToMove(), c.Move) != nil {
		c = level.Choice{Move: board.Pass, Loss: math.NaN()}
	}
	out := &levelMove{Level: l.Rank.String(), Move: game.Size().Vertex(c.Move), Note: l.Note}
	if !math.IsNaN(c.Loss) {
		lost := plain(c.Loss)
		out.PointsLost = &lost
	}
	return out, nil
}
