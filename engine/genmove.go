package engine

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"kosumi/board"
	"kosumi/clock"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/thinking"
)

// deterministicVisits is how long a deterministic search is where no limit of
// visits is configured.
const deterministicVisits = 200

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
		if !e.thinker.ahead.adjusted {
			e.adjustAdvantage()
		}
		e.thinker.ahead.adjusted = false
	}
	t := turn{e.budget(r.Color), start}
	tree, limits, err := e.searchFor(&r, game, t)
	if err != nil {
		return thinking.Decision{}, err
	}
	before, began := e.net.Stats(), time.Now()
	asked := cmp.Or(r.Analysis, &thinking.Request{})
	limits.Ownership, limits.MovesOwnership = asked.Want.Owners()
	limits.MinMoves = asked.MinMoves
	result, err := e.think(ctx, &r, game, tree, limits, asked.Interval)
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
	done := e.net.Stats().Sub(before)
	if r.Report == nil && !hurried(t.budget, t.used()) { // nobody sees leads of moves
		root := search.Result{Analysis: thinking.Analysis{ToMove: result.ToMove, Root: result.Root}, Stats: result.Stats}
		e.showLeads(ctx, game, &root, limits)
		result.Root = root.Root
	}
	e.logMove(&result, game.Size(), move.Point, done)
	if r.Deterministic || r.Keep && !e.cfg.PoolBothSidesValues {
		return move, nil
	}
	if r.Keep {
		move.Resign = e.resigns(game, &result)
		return move, nil
	}
	paused := e.pause(ctx, &result, move.Point, t)
	if e.resigns(game, &result) {
		e.records.resigned = resigned{game.ToMove(), e.game.Hash()}
		e.rank.auto.resigned = true
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

// adjustAdvantage adjusts the advantage to the last own move of this game.
func (e *Engine) adjustAdvantage() {
	last, known := e.values.white()
	known = known && e.game.Board().Stones(board.White) > 0
	e.thinker.ahead.adjust(e.game.Size(), headStart(e.game), e.cfg.HandicapAdvantage, last, known)
}

// think searches for a move and reports on the way, with leads that are right.
func (e *Engine) think(ctx context.Context, r *thinking.MoveRequest, game *board.Game, tree *search.Tree, l search.Limits, every time.Duration) (search.Result, error) {
	var report func(*search.Result)
	if r.Report != nil {
		report = func(found *search.Result) {
			e.showLeads(ctx, game, found, l)
			r.Report(&found.Analysis)
		}
	}
	defer e.thinker.net.Pin()()
	return e.thinker.run(ctx, tree, l, every, report)
}

// showLeads corrects leads of a search under these limits, where there is time.
func (e *Engine) showLeads(ctx context.Context, game *board.Game, found *search.Result, l search.Limits) {
	if leadsFit(found, l) {
		e.judge.leads.Show(ctx, e.log, game, found)
	}
}

// resigns takes down what a search thought of a game and decides whether to give it up.
func (e *Engine) resigns(game *board.Game, result *search.Result) bool {
	e.values.add(game, result.Root.TreeWinLoss)
	return e.values.resigns(game, result.Root.Lead, headStart(e.game))
}

// budget is how long the next move of a colour may take.
func (e *Engine) budget(c board.Color) clock.Budget { return e.timer.budget(c, e.game, e.cfg.Lag) }

// reconsider returns the move to make in place of what the search chose, where a pass
// is near. It ends with the longest time for the move, and what is not found out by
// then changes nothing. timed says that the search before was bound by time.
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

// leadsFit reports whether a clock leaves time for the evaluations that leads may take.
func leadsFit(r *search.Result, l search.Limits) bool {
	const most, share = 24, 20 // evaluations; of the time for the move, one part in so many
	return l.Time == 0 || most*r.Stats.Elapsed/time.Duration(max(r.Stats.Evaluations, 1)) < l.Time/share
}

// commit plays our own move, books its time and goes on thinking.
func (e *Engine) commit(c board.Color, p board.Point, start time.Time) error {
	play := e.game.Play
	if c != e.game.ToMove() {
		if play = e.game.PlayTolerant; e.cfg.Game.ForgetOutOfTurn {
			e.game.SetToMove(c)
		}
	}
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
	asked := cmp.Or(r.Analysis, &thinking.Request{})
	if r.Deterministic {
		return e.repeatableSearch(game, asked.Restrictions)
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

// repeatableSearch returns a new tree and limits that know no clock.
func (e *Engine) repeatableSearch(game *board.Game, only []thinking.Restriction) (*search.Tree, search.Limits, error) {
	tree, err := search.New(repeatable(e.cfg.Search), nn.Uncached(e.net), e.log)
	if err != nil {
		return nil, search.Limits{}, err
	}
	tree.Reset(game)
	tree.Restrict(only...)
	limits := search.Limits{Visits: e.cfg.Limits.Visits, Playouts: e.cfg.Limits.Playouts}
	if limits.Visits == 0 && limits.Playouts == 0 {
		limits.Visits = deterministicVisits
	}
	return tree, limits, nil
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

// ending says in what way a search took other than its time.
func ending(r *search.Result) string {
	switch {
	case r.Stop == search.StopDecided:
		return ", decided early"
	case r.Stop == search.StopMemory:
		return ", memory full"
	case r.Stats.Extended > 0:
		return fmt.Sprintf(", %.1f s longer", r.Stats.Extended.Seconds())
	}
	return ""
}

// logMove writes a line about a move: work is what the network did for it.
func (e *Engine) logMove(r *search.Result, size board.Size, p board.Point, work nn.Stats) {
	if !e.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	var pv string
	if m := r.Move(p); m != nil {
		for i, q := range m.PV {
			if i == 12 {
				break
			}
			pv += " " + size.Vertex(q)
		}
	}
	var fill string
	if work.Batches > 0 {
		fill = fmt.Sprintf(", batch %.1f of %d", work.MeanBatch(), e.net.BatchSize())
	}
	lead := r.Root.Lead
	if !e.cfg.ScoreByLead {
		lead = search.OnSide(lead, r.Root.Winrate)
	}
	seconds := max(r.Stats.Elapsed.Seconds(), 1e-9)
	e.log.Info(fmt.Sprintf("%s %s: %d visits (%d new, %.0f/s%s), %d evaluations%s, %.0f %% cached, %.1f %% collisions, depth %.1f to %d, winrate %.1f %%, lead %+.1f, pv%s",
		r.ToMove, size.Vertex(p), r.Root.Visits, r.Stats.Playouts, float64(r.Stats.Playouts)/seconds, ending(r),
		r.Stats.Evaluations, fill, 100*r.Stats.CacheRate(), 100*r.Stats.CollisionRate(),
		r.Stats.MeanDepth(), r.Stats.MaxDepth, 100*r.Root.Winrate, tenths(lead), pv))
}
