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

// GenMove chooses a move and plays it, unless it is to be kept off the board or
// the game is resigned. When ctx ends it takes the best move so far. The move
// is strictly legal, superko included.
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

// plan is a search for a move that is ready to begin, and how its result is read.
type plan struct {
	game        *board.Game // with the side to move that the move is for
	turn        turn
	tree        *search.Tree
	limits      search.Limits
	temperature float64
	level       bool // the move is the level's
}

// decision is a move that was decided on. Game, clock, values and records are as before;
// commit changes them.
type decision struct {
	thinking.Decision
	plan   plan
	began  time.Time // when the search began
	found  search.Result
	values ownValues // to remember from now on
}

// plan prepares the search for a move. Deterministic searches have a tree of their own
// and no clock, levels the limits of their rank, bounded by the clock, and all others
// those of settings and clock.
func (e *Engine) plan(r *thinking.MoveRequest) (plan, error) {
	p := plan{turn: turn{start: e.timer.start(time.Now())}}
	e.Stop()
	var err error
	if p.game, err = e.gameFor(r.Color); err != nil {
		return p, err
	}
	asked := analysisOf(r)
	if r.Deterministic {
		p.turn.budget.Unlimited = true
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
		p.limits = searched.bound(p.limits)
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

// decide searches and decides on the move.
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
	if r.Report == nil && !p.turn.hurried() { // nobody sees leads of moves
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

// commit plays the move that was decided on, or resigns: it waits as long as a person
// would, changes game, clock and records, and ponders.
func (e *Engine) commit(ctx context.Context, d *decision) (thinking.Decision, error) {
	game, found := d.plan.game, &d.found
	paused := e.cfg.Delay.wait(ctx, found, d.Point, &e.seeds, d.plan.turn)
	if d.Resign {
		e.records.resign(game.ToMove(), e.game)
		e.rank.resign()
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

// analysisOf returns what is read of a search beside its move.
func analysisOf(r *thinking.MoveRequest) thinking.Request {
	if r.Analysis == nil {
		return thinking.Request{}
	}
	return *r.Analysis
}

// think searches for a move and reports on the way, with leads that are right.
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

// budget is how long the next move of a colour may take.
func (e *Engine) budget(c board.Color) clock.Budget { return e.timer.budget(c, e.game, e.cfg.Lag) }

// reconsider returns the move to make in place of the one chosen, where a pass is near.
// It ends with the longest time for the move; a search that is not done by then changes
// nothing.
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

// playOwn plays our own move, books its time and ponders.
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

// choose picks the move, and checks it against the game itself: whatever the
// tree believes, an illegal move is never played.
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
