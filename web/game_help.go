package web

import (
	"context"
	"errors"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/search"
	"kosumi/search/thinking"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// help runs f with the game's engine at the present position, on the player's turn. due is the
// loss, in points, at which teaching would warn.
func (gs *games) help(ctx context.Context, id string, rev int, f func(ctx context.Context, e *engine.Engine, now *board.Game, handicap int, due float64) error) (*game, error) {
	g, err := gs.Open(id)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	if g.rec.Rev != rev || g.rec.Phase != store.Play || g.rec.Board.ToMove() != g.rec.Player() {
		g.mu.Unlock()
		return nil, api.Refuse("stale", "the game has gone on")
	}
	st, now, handicap := g.takeEngine(), g.rec.Board.Clone(), len(g.rec.Setup)
	due := gs.levels.Due(now.Size(), g.rec.Head.Seat.Level, g.rec.Teach)
	g.mu.Unlock()
	ran := gs.engines.Scheduler.Do(ctx, engines.ForHelp, func(ctx context.Context) {
		err = st.With(now, handicap, func(e *engine.Engine) error { return f(ctx, e, now, handicap, due) })
	})
	if !ran || errors.Is(err, context.Canceled) {
		return nil, api.Refuse("busy", "the engine had no time")
	}
	if err != nil {
		return nil, api.Refuse("engine_failed", "%v", err)
	}
	return g, nil
}

// offered holds the moves of a hint and the hash of their position. Teaching does not warn of these
// moves there.
type offered struct {
	to    board.Hash
	moves []board.Point
}

// Hint suggests the next move, and notes in the game's journal that the player had help. It offers
// no move that teaching would warn of.
func (gs *games) Hint(ctx context.Context, a *api.AskHint) (*api.Hint, error) {
	if a.Stage < 1 || a.Stage > 3 {
		return nil, api.Refuse("bad_request", "stage: 1, 2 or 3")
	}
	h, hint := &api.Hint{Stage: a.Stage}, offered{}
	g, err := gs.help(ctx, a.Game, a.Rev, func(ctx context.Context, e *engine.Engine, now *board.Game, handicap int, due float64) error {
		var last *search.Result
		err := e.AnalyzeWithin(ctx, thinking.Request{Color: now.ToMove()}, search.Limits{Visits: 400, Time: 2 * time.Second}, func(r *search.Result) { last = r })
		if err == nil && (last == nil || len(last.Moves) == 0) {
			err = context.Canceled
		}
		if err != nil {
			return err
		}
		last.Moves = slices.DeleteFunc(last.Moves, func(m thinking.Move) bool { return m.SymmetryOf != board.NoPoint }) // mirror images are not separate choices
		most := []int{1, 3, 1}[a.Stage-1]
		hint.to = now.Hash()
		if hint.moves, err = engines.Sound(ctx, e, now, handicap, last, most, due); err != nil || a.Stage < 3 {
			return err
		}
		best := last.Move(hint.moves[0])
		if best == nil {
			return nil
		}
		h.Line = wire.Vertices(last.Size, best.PV, 8)
		if len(last.Moves) > 1 && best == &last.Moves[0] {
			h.Loss = wire.Round(max(0, best.Lead-last.Moves[1].Lead), 1)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if a.Stage == 1 {
		h.Region = region(g.rec.Size(), hint.moves[0])
	} else {
		h.Moves = wire.Vertices(g.rec.Size(), hint.moves, len(hint.moves))
		slices.Sort(h.Moves) // by name, since the original order reveals the best move
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rec.Rev != a.Rev {
		return nil, api.Refuse("stale", "the game has gone on")
	}
	if err := g.commit(store.Step{K: "help", N: a.Stage}); err != nil {
		return nil, err
	}
	g.offered = hint
	h.Rev = g.rec.Rev
	g.home.pages.Publish("game:"+g.rec.Head.ID, api.GameNews.Of(*g.stateLocked()))
	return h, nil
}

// region returns the points of a rectangle that contains p and covers about a third of the board.
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

// tenth is the 90 % quantile of the standard normal distribution: the fields Low and High of an
// estimate lie this many standard deviations from the mean.
const tenth = 1.2816

// openBelow is the ownership below which a point is not settled.
const openBelow = 0.6

// Estimate estimates the score by a short search.
func (gs *games) Estimate(ctx context.Context, a *api.GameCommand) (*api.Estimate, error) {
	var t *thinking.Estimate
	_, err := gs.help(ctx, a.Game, a.Rev, func(ctx context.Context, e *engine.Engine, _ *board.Game, _ int, _ float64) (err error) {
		t, err = e.EstimateWithin(ctx, search.Limits{Visits: 60, Time: time.Second})
		return err
	})
	if err != nil {
		return nil, err
	}
	e := &api.Estimate{Rev: a.Rev, Lead: wire.Round(-t.Lead, 1), Spread: wire.Round((t.High-t.Low)/(2*tenth), 1), Ownership: wire.Ownership(t.Ownership, board.White)}
	for _, v := range t.Ownership {
		if max(v, -v) < openBelow {
			e.Open++
		}
	}
	return e, nil
}
