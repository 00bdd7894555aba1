package reviews

import (
	"context"

	"kosumi/board"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/wire"
)

// judge searches positions as reviews do, as a help for somebody who waits.
type judge struct{ engines *engines.Engines }

// search searches a position.
func (j judge) search(ctx context.Context, g *board.Game) (e *review.Eval, err error) {
	p := j.engines.Config.Search
	p.Memory.MaxBytes = min(p.Memory.MaxBytes, engines.TreeBytes)
	searcher, err := review.NewJudge(j.engines.Backend, p, review.Defaults().Visits)
	if err != nil {
		return nil, err
	}
	ran := j.engines.Scheduler.Do(ctx, engines.ForHelp, func(ctx context.Context) {
		defer j.engines.Backend.Pin()()
		e, err = searcher.Position(ctx, g)
	})
	if !ran && err == nil {
		err = ctx.Err()
	}
	return e, err
}

// verdict returns what a move is worth as an answer.
func (j judge) verdict(ctx context.Context, p *drill.Problem, move string) (*api.Verdict, error) {
	start, err := p.Position()
	if err != nil {
		return nil, api.Refuse("internal", "%v", err)
	}
	at, err := start.Size().ParseVertex(move)
	if err != nil {
		return nil, api.Refuse("bad_request", "%v", err)
	}
	if err := start.Legal(start.ToMove(), at); err != nil {
		return nil, wire.Illegal(err)
	}
	move = start.Size().Vertex(at)
	a := p.Answer(move)
	if a == nil {
		if a, err = p.Search(func(g *board.Game) (*review.Eval, error) { return j.search(ctx, g) }, move); err != nil {
			return nil, api.Refuse("engine_failed", "%v", err)
		}
	}
	return wireVerdict(p, a), nil
}

func wireVerdict(p *drill.Problem, a *drill.Answer) *api.Verdict {
	return &api.Verdict{Move: a.Move, Accepted: a.Accepted, Played: a.Move == p.Played, Loss: a.Loss, Class: review.ClassIndex(a.Loss), Line: a.Line}
}
