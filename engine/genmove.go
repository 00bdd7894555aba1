package engine

import (
	"context"
	"fmt"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/search"
	"kosumi/search/thinking"
)

// GenMove chooses a move and plays it, unless it resigns or r.Keep is set. When ctx ends it takes
// the best move so far. The move is always legal, superko included.
func (e *Engine) GenMove(ctx context.Context, r thinking.MoveRequest) (thinking.Decision, error) {
	d, err := e.decide(ctx, &r)
	if err != nil {
		return thinking.Decision{}, err
	}
	if e.values = d.values; r.Keep || r.Deterministic {
		return d.Decision, nil
	}
	return e.commit(ctx, &d)
}

// plan is a prepared search for a move, with what is needed to interpret its result.
type plan struct {
	game        *board.Game // copy of the game with the side to move set
	turn        turn
	tree        *search.Tree
	limits      search.Limits
	temperature float64
	level       bool // a level chooses the move
}

// decision is a chosen move, not yet played: commit changes game, clock, values and records.
type decision struct {
	thinking.Decision
	plan   plan
	began  time.Time // time when the search began
	found  search.Result
	values ownValues // values of the engine's moves, this one included
}

// plan prepares the search for a move. A deterministic search has its own tree and no clock; a
// level has the limits of its rank, within those of the clock; all other searches have the limits
// of settings and clock.
func (e *Engine) plan(r *thinking.MoveRequest) (plan, error) {
	p := plan{turn: turn{start: e.timer.start(time.Now())}}
	e.Stop()
	p.game = e.gameFor(r.Color)
	asked := analysisOf(r)
	if r.Deterministic {
		p.turn.budget.Unlimited = true
		var err error
		p.tree, p.limits, err = e.thinker.repeatable(p.game, asked.Restrictions)
		return p, err
	}
	e.thinker.beginMove(e.game, &e.values)
	p.turn.budget = e.budget(r.Color)
	searched := p.turn
	searched.budget = searched.budget.Leaving(afterSearch(searched.budget, e.game, r.Cleanup))
	params := e.thinker.params()
	repeats := e.cfg.HandicapRepeats
	if r.Analysis != nil {
		repeats = params.RepeatPenalty.Utility
	}
	chargeRepeats(&params, e.game, p.game.ToMove(), repeats)
	p.temperature = e.cfg.Search.Choice.TemperatureAt(p.game.NumMoves(), p.game.Size())
	if p.level = e.cfg.Level != ""; p.level {
		params, p.limits = e.rank.search(params, e.game.Size())
		if !searched.budget.Unlimited {
			p.limits.Time = max(searched.budget.Rest(searched.used()), time.Nanosecond)
		}
		e.thinker.tree.Clear() // a level's moves must not depend on earlier searches
	} else {
		p.limits = e.limits(r.Color, searched)
	}
	if err := e.thinker.prepare(params, p.game, asked.Restrictions); err != nil {
		return p, err
	}
	p.tree = e.thinker.tree
	return p, nil
}

func (e *Engine) decide(ctx context.Context, r *thinking.MoveRequest) (decision, error) {
	p, err := e.plan(r)
	d := decision{plan: p, values: e.values}
	if err != nil {
		return d, err
	}
	before := e.net.Stats()
	d.began = time.Now()
	if d.found, err = e.think(ctx, r, &p); err != nil {
		return d, err
	}
	if d.Point, err = e.reconsider(ctx, r, &p, &d.found, e.choose(&p, &d.found)); err != nil {
		return d, err
	}
	work, root := e.net.Stats().Sub(before), &d.found.Root
	if r.Report == nil && !p.turn.hurried() { // without reports, only the root's lead is needed
		alone := search.Result{Analysis: thinking.Analysis{ToMove: d.found.ToMove, Root: *root}, Stats: d.found.Stats}
		e.judge.showLeads(ctx, p.game, &alone, p.limits)
		*root = alone.Root
	}
	e.thinker.logMove(&d.found, d.Point, work)
	if !r.Deterministic && (!r.Keep || e.cfg.PoolBothSidesValues) {
		d.values = e.values.with(p.game, root.TreeWinLoss)
		d.Resign = d.values.resigns(p.game, root.Lead, headStart(e.game))
	}
	return d, nil
}

// commit plays the chosen move, or resigns: it delays the reply if configured, changes game,
// clock and records, and starts pondering.
func (e *Engine) commit(ctx context.Context, d *decision) (thinking.Decision, error) {
	game, found := d.plan.game, &d.found
	paused := e.cfg.Delay.wait(ctx, found, d.Point, &e.seeds, d.plan.turn)
	if d.Resign {
		e.records.resign(game.ToMove(), e.game)
		e.rank.auto.resigned = true
		e.countGame()
		return thinking.Decision{Resign: true}, nil
	}
	e.records.remember(game, found, d.Point)
	if err := e.playOwn(game.ToMove(), d.Point, d.plan.turn.start); err != nil {
		return thinking.Decision{}, err
	}
	if found.Stop == search.StopTime {
		e.timer.learnOverrun(e.timer.lastEvent.Sub(d.began) - paused - d.plan.limits.Time - found.Stats.Extended)
	}
	return d.Decision, nil
}

func analysisOf(r *thinking.MoveRequest) thinking.Request {
	if r.Analysis == nil {
		return thinking.Request{}
	}
	return *r.Analysis
}

// think runs the search for a move. Its reports show corrected leads, see [judge.showLeads].
func (e *Engine) think(ctx context.Context, r *thinking.MoveRequest, p *plan) (search.Result, error) {
	asked, l := analysisOf(r), p.limits
	l.Ownership, l.MovesOwnership = asked.Want.Owners()
	l.MinMoves, l.Focus = asked.MinMoves, focusOf(asked.Focus)
	var report func(*search.Result)
	if r.Report != nil {
		report = func(found *search.Result) {
			e.judge.showLeads(ctx, p.game, found, l)
			r.Report(&found.Analysis)
		}
	}
	defer e.net.Pin()()
	return e.thinker.run(ctx, p.tree, l, asked.Interval, report)
}

// budget returns the time for the next move of a colour.
func (e *Engine) budget(c board.Color) clock.Budget { return e.timer.budget(c, e.game, e.cfg.Lag) }

// reconsider returns the move to play: it may replace a pass by the capture of dead stones, and a move
// that only fills by a pass. If the move's maximum time ends first, it returns the chosen move.
func (e *Engine) reconsider(ctx context.Context, r *thinking.MoveRequest, p *plan, found *search.Result, chosen board.Point) (board.Point, error) {
	hurried := p.turn.hurried()
	if !p.turn.budget.Unlimited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, p.turn.start.Add(p.turn.budget.Maximum))
		defer cancel()
	}
	switch {
	case chosen == board.Pass || r.Cleanup:
		if q := e.judge.beforePass(ctx, p.game, found, r.Cleanup, hurried); q != board.Pass {
			return q, nil
		}
	case !r.Deterministic && !hurried:
		q, err := e.judge.friendlyPass(ctx, p.game, found, chosen, p.limits.Time > 0)
		if ctx.Err() != nil {
			return chosen, nil
		}
		return q, err
	}
	return chosen, nil
}

// playOwn plays the engine's move, takes its time off the clock and starts pondering.
func (e *Engine) playOwn(c board.Color, p board.Point, start time.Time) error {
	play := e.game.Play
	if c != e.game.ToMove() {
		if play = e.game.PlayTolerant; e.cfg.Game.ForgetOutOfTurn {
			e.game.SetToMove(c)
		}
	}
	e.timer.mark(e.game.NumMoves())
	if err := play(c, p); err != nil {
		return fmt.Errorf("the move that was found cannot be played: %w", err)
	}
	e.thinker.tree.Advance(c, p)
	e.timer.book(c, start)
	e.thinker.ponder(e.game)
	return nil
}

// choose picks the move and checks it on the game itself, so that an error in the tree cannot
// lead to an illegal move.
func (e *Engine) choose(p *plan, found *search.Result) board.Point {
	rng, c := e.seeds.next(), p.game.ToMove()
	if p.level {
		q, err := e.rank.choose(found, p.game, rng)
		if err == nil && p.game.Legal(c, q) == nil {
			return q
		}
		e.log.Warn("the level could not choose a move", "error", err)
	}
	if q := found.Choose(p.temperature, rng); p.game.Legal(c, q) == nil {
		return q
	}
	for _, m := range found.Moves {
		if m.SymmetryOf == board.NoPoint && p.game.Legal(c, m.Move) == nil {
			return m.Move
		}
	}
	return board.Pass
}
