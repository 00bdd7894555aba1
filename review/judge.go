package review

import (
	"context"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// Judge searches single positions as reviews do. Not safe for concurrent use.
type Judge struct {
	tree   *search.Tree
	leads  *search.Leads
	visits int64
}

// NewJudge returns a judge that searches each position with a number of visits.
func NewJudge(net nn.Evaluator, p search.Params, visits int64) (*Judge, error) {
	judges, err := NewJudges(net, p, 1)
	if err != nil {
		return nil, err
	}
	judges[0].visits = visits
	return judges[0], nil
}

// NewJudges returns n judges of one game that share evaluations.
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

// Search searches the position before a ply; the candidates include the ply's move.
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

// Lost returns how many points a move loses, and plays it in g.
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
	return Sign(letter(mover)) * (before.Lead - after.Lead), nil
}

// search searches a position with a new tree; the shared memo makes repeated evaluations
// cheap. The candidates include the played move.
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
