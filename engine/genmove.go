package engine

import (
	"context"
	"fmt"
	"time"

	"kosumi/board"
	"kosumi/clock"
	"kosumi/search"
	"kosumi/thinking"
)

// GenMove chooses a move and plays it, unless it is to be kept off the board or
// the game is resigned. When ctx ends it takes the best move so far. The move
// is strictly legal, superko included.
func (e *Engine) GenMove(ctx context.Context, r thinking.MoveRequest) (thinking.Decision, error) {
	start := e.timer.start(time.Now())
	e.Stop()
	game, err := e.gameFor(r.Color)
	if err != nil {
		return thinking.Decision{}, err
	}
	if !r.Deterministic {
		e.thinker.beginMove(e.game, &e.values)
	}
	t := turn{e.budget(r.Color), start}
	tree, limits, err := e.searchFor(&r, game, t)
	if err != nil {
		return thinking.Decision{}, err
	}
	before, began := e.net.Stats(), time.Now()
	result, err := e.think(ctx, &r, game, tree, limits)
	if err != nil {
		return thinking.Decision{}, err
	}
	move := thinking.Decision{Point: e.choose(&result, game, &r)}
	if r.Deterministic {
		t.budget.Unlimited = true
	}
	if move.Point, err = e.reconsider(ctx, game, &result, move.Point, &r, t, limits.Time > 0); err != nil {
		return thinking.Decision{}, err
	}
	work := e.net.Stats().Sub(before)
	if r.Report == nil && !hurried(t.budget, t.used()) { // nobody sees leads of moves
		root := search.Result{Analysis: thinking.Analysis{ToMove: result.ToMove, Root: result.Root}, Stats: result.Stats}
		e.judge.showLeads(ctx, game, &root, limits)
		result.Root = root.Root
	}
	e.thinker.logMove(&result, move.Point, work)
	if r.Deterministic || r.Keep && !e.cfg.PoolBothSidesValues {
		return move, nil
	}
	e.values.add(game, result.Root.TreeWinLoss)
	resigns := e.values.resigns(game, result.Root.Lead, headStart(e.game))
	if r.Keep {
		move.Resign = resigns
		return move, nil
	}
	paused := e.cfg.Delay.wait(ctx, &result, move.Point, &e.dice, t)
	if resigns {
		e.records.resign(game.ToMove(), e.game)
		e.rank.resign()
		e.countGame()
		return thinking.Decision{Resign: true}, nil
	}
	e.records.remember(game, &result, move.Point)
	e.rank.followPlayer(game, result.Root.Lead, headStart(e.game))
	if err := e.commit(r.Color, move.Point, start); err != nil {
		return thinking.Decision{}, err
	}
	if result.Stop == search.StopTime {
		e.timer.learnOverrun(e.timer.lastEvent.Sub(began) - paused - limits.Time - result.Stats.Extended)
	}
	return move, nil
}

// analysisOf returns what is read of a search beside its move.
func analysisOf(r *thinking.MoveRequest) thinking.Request {
	if r.Analysis == nil {
		return thinking.Request{}
	}
	return *r.Analysis
}

// think searches for a move and reports on the way, with leads that are right.
func (e *Engine) think(ctx context.Context, r *thinking.MoveRequest, game *board.Game, tree *search.Tree, l search.Limits) (search.Result, error) {
	asked := analysisOf(r)
	l.Ownership, l.MovesOwnership = asked.Want.Owners()
	l.MinMoves, l.Focus = asked.MinMoves, focusOf(asked.Focus)
	var report func(*search.Result)
	if r.Report != nil {
		report = func(found *search.Result) {
			e.judge.showLeads(ctx, game, found, l)
			r.Report(&found.Analysis)
		}
	}
	defer e.net.Pin()()
	return e.thinker.run(ctx, tree, l, asked.Interval, report)
}

// budget is how long the next move of a colour may take.
func (e *Engine) budget(c board.Color) clock.Budget { return e.timer.budget(c, e.game, e.cfg.Lag) }

// reconsider returns the move to make in place of what the search chose, where a pass
// is near. It ends with the longest time for the move, and what is not found out by
// then changes nothing. timed reports whether the search before was bound by time.
func (e *Engine) reconsider(ctx context.Context, g *board.Game, result *search.Result, chosen board.Point, r *thinking.MoveRequest, t turn, timed bool) (board.Point, error) {
	hurried := hurried(t.budget, t.used())
	if !t.budget.Unlimited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, t.start.Add(t.budget.Maximum))
		defer cancel()
	}
	switch {
	case chosen == board.Pass || r.Cleanup:
		if p := e.judge.beforePass(ctx, g, result, r.Cleanup, hurried); p != board.Pass {
			return p, nil
		}
	case !r.Deterministic && !hurried:
		p, err := e.judge.friendlyPass(ctx, g, result, chosen, timed)
		if ctx.Err() != nil {
			return chosen, nil
		}
		return p, err
	}
	return chosen, nil
}

// commit plays our own move, books its time and goes on thinking.
func (e *Engine) commit(c board.Color, p board.Point, start time.Time) error {
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
	e.thinker.advance(c, p)
	e.timer.book(c, start)
	e.thinker.ponder(e.game)
	return nil
}

// searchFor returns the tree to search and its limits.
func (e *Engine) searchFor(r *thinking.MoveRequest, game *board.Game, t turn) (*search.Tree, search.Limits, error) {
	asked := analysisOf(r)
	if r.Deterministic {
		return e.thinker.repeatable(game, asked.Restrictions)
	}
	t.budget = t.budget.Leaving(afterSearch(t.budget, e.game, r.Cleanup))
	params, limits := e.thinker.params(), e.limits(r.Color, t)
	repeats := e.cfg.HandicapRepeats
	if r.Analysis != nil {
		repeats = params.RepeatPenalty.Utility
	}
	chargeRepeats(&params, e.game, game.ToMove(), repeats)
	if e.cfg.Level != "" {
		params, limits = e.rank.search(params, e.game.Size())
		limits = t.bound(limits)
		e.thinker.tree.Clear() // what a level sees must not depend on what was searched before
	}
	if err := e.thinker.prepare(params, game, asked.Restrictions); err != nil {
		return nil, search.Limits{}, err
	}
	return e.thinker.tree, limits, nil
}

// choose picks the move, and checks it against the game itself: whatever the
// tree believes, an illegal move is never played.
func (e *Engine) choose(result *search.Result, game *board.Game, r *thinking.MoveRequest) board.Point {
	rng := e.dice.next()
	temperature := e.cfg.Search.Choice.TemperatureAt(game.NumMoves(), game.Size())
	if r.Deterministic {
		temperature = 0
	} else if e.cfg.Level != "" {
		p, err := e.rank.choose(result, game, rng)
		if err == nil && game.Legal(r.Color, p) == nil {
			return p
		}
		e.log.Warn("the level could not choose a move", "error", err)
	}
	if p := result.Choose(temperature, rng); game.Legal(r.Color, p) == nil {
		return p
	}
	for _, m := range result.Moves {
		if m.SymmetryOf == board.NoPoint && game.Legal(r.Color, m.Move) == nil {
			return m.Move
		}
	}
	return board.Pass
}
