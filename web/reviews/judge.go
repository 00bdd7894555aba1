package reviews

import (
	"context"
	"slices"

	"kosumi/board"
	"kosumi/life"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/wire"
)

// judge searches positions as reviews do, with the urgency [engines.ForHelp].
type judge struct{ engines *engines.Engines }

// search waits for its turn and returns the engine's evaluation of g; if ctx ends first, it returns ctx's error.
func (j judge) search(ctx context.Context, g *board.Game) (e *review.Eval, err error) {
	p := j.engines.Config.Search
	p.Memory.MaxBytes = min(p.Memory.MaxBytes, engines.TreeBytes)
	searcher, err := review.NewJudge(j.engines.Networks, p, review.Defaults().Visits)
	if err != nil {
		return nil, err
	}
	ran := j.engines.Scheduler.Do(ctx, engines.ForHelp, func(ctx context.Context) {
		defer j.engines.Networks.Pin()()
		e, err = searcher.Position(ctx, g)
	})
	if !ran && err == nil {
		err = ctx.Err()
	}
	return e, err
}

// verdict judges a move as the player's next answer to a problem; after has the moves so far.
func (j judge) verdict(ctx context.Context, p *drill.Problem, after []string, move string) (t drill.Turn, err error) {
	start, err := p.After(after)
	if err != nil || wire.Letter(start.ToMove()) != p.ToMove || len(after) > 0 && !p.Continues() {
		return t, api.Refuse("bad_request", "after: moves of both sides at a problem that asks for more than one")
	}
	at, err := start.Size().ParseVertex(move)
	if err != nil {
		return t, api.Refuse("bad_request", "%v", err)
	}
	if err := start.Legal(start.ToMove(), at); err != nil {
		return t, wire.Illegal(err)
	}
	move = start.Size().Vertex(at)
	t, err = p.Play(ctx, append(slices.Clip(after), move), drill.Judge{Life: life.Options{Progress: engines.Breath()}, Search: j.search})
	if err != nil {
		err = api.Refuse("engine_failed", "%v", err)
	}
	return t, err
}

// wireVerdict converts an answer for pages; played is the move of the game, which was a mistake.
func wireVerdict(a *drill.Answer, played string) *api.Verdict {
	return &api.Verdict{Move: a.Move, Accepted: a.Accepted, Played: a.Move != "" && a.Move == played, Loss: a.Loss, Class: review.ClassIndex(a.Loss), Line: a.Line}
}
