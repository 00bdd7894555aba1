package web

import (
	"context"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/search"
	"kosumi/thinking"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/record"
	"kosumi/web/wire"
)

// searchFor analyses the position of a game for its player, as a help.
func (gs *games) searchFor(ctx context.Context, id string, rev int, limits search.Limits, want thinking.Details) (*search.Result, *game, error) {
	g, err := gs.Open(id)
	if err != nil {
		return nil, nil, err
	}
	g.mu.Lock()
	if g.rec.Rev != rev || g.rec.Phase != record.Play || g.rec.Board.ToMove() != g.rec.Player() {
		g.mu.Unlock()
		return nil, nil, api.Refuse("stale", "the game has gone on")
	}
	st, now, handicap := g.takeEngine(), g.copyBoard(), len(g.rec.Setup)
	g.mu.Unlock()
	var last *search.Result
	r := thinking.Request{Color: now.ToMove(), Want: want}
	ran := gs.engines.Scheduler.Do(ctx, engines.ForHelp, func(ctx context.Context) {
		err = st.With(now, handicap, func(e *engine.Engine) error {
			return e.AnalyzeWithin(ctx, r, limits, func(res *search.Result) { last = res })
		})
	})
	if err != nil {
		return nil, nil, api.Refuse("engine_failed", "%v", err)
	}
	if !ran || last == nil || len(last.Moves) == 0 {
		return nil, nil, api.Refuse("busy", "the engine had no time")
	}
	return last, g, nil
}

// Hint helps the player with the next move; the record says that it did.
func (gs *games) Hint(ctx context.Context, a *api.AskHint) (any, error) {
	if a.Stage < 1 || a.Stage > 3 {
		return nil, api.Refuse("bad_request", "stage: 1, 2 or 3")
	}
	r, g, err := gs.searchFor(ctx, a.Game, a.Rev, search.Limits{Visits: 400, Time: 2 * time.Second}, thinking.Details{})
	if err != nil {
		return nil, err
	}
	h := api.Hint{Stage: a.Stage, Rev: a.Rev}
	r.Moves = slices.DeleteFunc(r.Moves, func(m thinking.Move) bool { return m.SymmetryOf != board.NoPoint }) // no help, and no second best
	best := r.Moves[0]
	switch a.Stage {
	case 1:
		h.Region = region(r.Size, best.Move)
	case 2:
		for _, m := range r.Moves[:min(3, len(r.Moves))] {
			h.Moves = append(h.Moves, r.Size.Vertex(m.Move))
		}
		slices.Sort(h.Moves) // the order would say which is best
	case 3:
		h.Moves = []string{r.Size.Vertex(best.Move)}
		h.Line = wire.Vertices(r.Size, best.PV, 8)
		if len(r.Moves) > 1 {
			h.Loss = wire.Round(max(0, best.Lead-r.Moves[1].Lead), 1)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rec.Rev != a.Rev {
		return nil, api.Refuse("stale", "the game has gone on")
	}
	if err := g.commit(record.Step{K: "help", N: a.Stage}); err != nil {
		return nil, err
	}
	h.Rev = g.rec.Rev
	g.home.pages.Publish("game:"+g.rec.Head.ID, api.Event{T: "game.state", D: g.stateLocked()})
	return h, nil
}

// region returns the points of about a third of the board around a move, with
// the move anywhere in it.
func region(size board.Size, p board.Point) []int {
	if p == board.Pass {
		return nil
	}
	x, y := size.XY(p)
	span := func(at, n int) (from, to int) {
		wide := max(2, (n*3+4)/5)
		from = min(max(0, at-wide/2), n-wide)
		if from*2 < n/2 {
			from = 0
		} else if (n-from-wide)*2 < n/2 {
			from = n - wide
		}
		return from, min(n, from+wide)
	}
	x0, x1 := span(x, size.W)
	y0, y1 := span(y, size.H)
	var all []int
	for yy := y0; yy < y1; yy++ {
		for xx := x0; xx < x1; xx++ {
			all = append(all, int(size.Point(xx, yy)))
		}
	}
	return all
}

// openBelow is the ownership below which a point is not settled.
const openBelow = 0.6

// Estimate says how the game stands. It costs the engine nothing of its clock.
func (gs *games) Estimate(ctx context.Context, a *api.GameCommand) (any, error) {
	r, _, err := gs.searchFor(ctx, a.Game, a.Rev, search.Limits{Visits: 60, Time: time.Second}, thinking.Details{Ownership: true})
	if err != nil {
		return nil, err
	}
	e := api.Estimate{Rev: a.Rev, Lead: wire.Round(wire.Blacks(r.ToMove, r.Root.Lead), 1), Spread: wire.Round(r.Root.ScoreStdev, 1), Ownership: wire.Ownership(r.Ownership, r.ToMove)}
	for _, v := range r.Ownership {
		if max(v, -v) < openBelow {
			e.Open++
		}
	}
	return e, nil
}
