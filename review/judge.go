package review

import (
	"context"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// Judge searches single positions in the way that reviews do, for answers that a
// problem set does not know. One goroutine at a time.
type Judge struct {
	tree   *search.Tree
	leads  *search.Leads
	visits int64
}

// NewJudge returns a judge that gives each position so many visits.
func NewJudge(net nn.Evaluator, p search.Params, visits int64) (*Judge, error) {
	judges, err := NewJudges(net, p, 1)
	if err != nil {
		return nil, err
	}
	judges[0].visits = visits
	return judges[0], nil
}

// NewJudges returns judges of one game that share what they have evaluated.
func NewJudges(net nn.Evaluator, p search.Params, n int) ([]*Judge, error) {
	shared := newMemo(net)
	judges := make([]*Judge, n)
	for i := range judges {
		tree, err := search.New(searchParams(p), shared, nil)
		if err != nil {
			return nil, err
		}
		judges[i] = &Judge{tree: tree, leads: search.NewLeads(shared)}
	}
	return judges, nil
}

// Search searches a position of a game; the move that was played there is kept among
// the candidates.
func (j *Judge) Search(ctx context.Context, g *Game, ply int, visits int64) (*Eval, error) {
	position, err := g.Position(ply)
	if err != nil {
		return nil, err
	}
	played := board.NoPoint
	if ply < len(g.Moves) {
		played = g.Moves[ply].Point
	}
	return j.search(ctx, position, visits, played)
}

// Position searches a position.
func (j *Judge) Position(ctx context.Context, g *board.Game) (*Eval, error) {
	return j.search(ctx, g, j.visits, board.NoPoint)
}

// Lost is how many points a move loses. It plays the move in the game.
func (j *Judge) Lost(ctx context.Context, g *board.Game, p board.Point) (float64, error) {
	before, err := j.Position(ctx, g)
	if err != nil {
		return 0, err
	}
	mover := g.ToMove()
	if err := g.PlayTolerant(mover, p); err != nil {
		return 0, err
	}
	after, err := j.Position(ctx, g)
	if err != nil {
		return 0, err
	}
	if mover == board.White {
		return after.Lead - before.Lead, nil
	}
	return before.Lead - after.Lead, nil
}

// search searches a position from the start: evaluations that were made before are
// remembered, so that only new ones cost anything. The move that was played is kept
// among the candidates.
func (j *Judge) search(ctx context.Context, g *board.Game, visits int64, played board.Point) (*Eval, error) {
	j.tree.Reset(g)
	result, err := j.tree.Search(ctx, search.Limits{Visits: visits, Ownership: true, MovesOwnership: true})
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = j.leads.Correct(ctx, g, &result)
	}
	if err != nil {
		return nil, err
	}
	return evalOf(&result, played), nil
}
