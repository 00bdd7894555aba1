package engine

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/thinking"
)

// MoveRequest asks for a move.
type MoveRequest struct {
	Color board.Color // becomes the side to move if it is not
	// Keep leaves game and clock as they are: the move is not played.
	Keep bool
	// Deterministic asks for the same answer in the same position each time:
	// one evaluation at a time, fixed orientation, no clock, no sampling.
	Deterministic bool
	// Cleanup takes dead stones of the opponent off the board first, and forbids
	// a pass while one is there.
	Cleanup  bool
	Restrict []search.Restriction
	// Analysed says that somebody reads what the search finds, not only the move:
	// it is then not bent for the sake of the game.
	Analysed bool
	// Report, if not nil, gets a snapshot of the search at every Interval (0:
	// only at the end) and once at the end. The result is its to keep.
	Report   func(*search.Result)
	Interval time.Duration
	// Ownership asks that reports carry the owners of points, MovesOwnership those
	// after each move.
	Ownership, MovesOwnership bool
	MinMoves                  int // that reports list at least
}

// Move is the answer to a MoveRequest.
type Move struct {
	Point  board.Point // a point or board.Pass; unused if Resign
	Resign bool
}

// ownValue is what a search of ours thought of the position at a turn.
type ownValue struct {
	turn  int
	color board.Color
	value float64 // win minus loss, own view
}

// deterministicVisits is how long a deterministic search is where no limit of
// visits is configured.
const deterministicVisits = 200

// GenMove chooses a move and plays it, unless it is to be kept off the board or
// the game is resigned. When ctx ends it takes the best move so far. The move
// is strictly legal, superko included.
func (e *Engine) GenMove(ctx context.Context, r MoveRequest) (Move, error) {
	now := time.Now()
	start := e.turnStart(now)
	e.Stop()
	game, err := e.gameFor(r.Color)
	if err != nil {
		return Move{}, err
	}
	if !r.Deterministic {
		if !e.ahead.adjusted {
			e.adjustAdvantage()
		}
		e.ahead.adjusted = false
	}
	t := turn{e.budget(r.Color), start}
	tree, limits, err := e.searchFor(&r, game, t)
	if err != nil {
		return Move{}, err
	}
	limits.Ownership, limits.MovesOwnership, limits.MinMoves = r.Ownership, r.MovesOwnership, r.MinMoves
	before, began := e.work(), time.Now()
	correct := func(found *search.Result) {
		if leadsFit(found, limits) {
			e.leads.Show(ctx, e.log, game, found)
		}
	}
	report := r.Report
	if report != nil {
		report = func(found *search.Result) {
			correct(found)
			r.Report(found)
		}
	}
	result, err := e.runSearch(ctx, tree, limits, r.Interval, report)
	if err != nil {
		return Move{}, err
	}
	move := Move{Point: e.choose(&result, game, &r)}
	if r.Deterministic {
		t.budget.Unlimited = true
	}
	if move.Point, err = e.reconsider(ctx, game, &result, move.Point, &r, t, limits.Time > 0); err != nil {
		return Move{}, err
	}
	work := e.work().Sub(before)
	if r.Report == nil && !hurried(t.budget, t.used()) { // nobody sees leads of moves
		root := search.Result{Analysis: thinking.Analysis{ToMove: result.ToMove, Root: result.Root}, Stats: result.Stats}
		correct(&root)
		result.Root = root.Root
	}
	e.logMove(&result, game.Size(), move.Point, work)
	if r.Deterministic || r.Keep && !e.cfg.PoolBothSidesValues {
		return move, nil
	}
	if r.Keep {
		move.Resign = e.resigns(&result, game)
		return move, nil
	}
	paused := e.pause(ctx, &result, move.Point, t)
	if e.resigns(&result, game) {
		e.resigned = resigned{game.ToMove(), e.game.Hash()}
		e.auto.resigned = true
		e.countGame()
		return Move{Resign: true}, nil
	}
	e.remember(game, &result, move.Point)
	e.followPlayer(game, result.Root.Lead)
	if err := e.commit(r.Color, move.Point, start); err != nil {
		return Move{}, err
	}
	if result.Stop == search.StopTime {
		e.learnOverrun(e.lastEvent.Sub(began) - paused - limits.Time - result.Stats.Extended)
	}
	return move, nil
}

// reconsider returns the move to make in place of what the search chose, where a pass
// is near. It ends with the longest time for the move, and what is not found out by
// then changes nothing. timed says that the search before was bound by time.
func (e *Engine) reconsider(ctx context.Context, g *board.Game, result *search.Result, chosen board.Point, r *MoveRequest, t turn, timed bool) (board.Point, error) {
	hurried := hurried(t.budget, t.used())
	if !t.budget.Unlimited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, t.start.Add(t.budget.Maximum))
		defer cancel()
	}
	switch {
	case chosen == board.Pass || r.Cleanup:
		if p := e.beforePass(ctx, g, result, r.Cleanup, hurried); p != board.Pass {
			return p, nil
		}
	case !r.Deterministic && !hurried:
		p, err := e.friendlyPass(ctx, g, result, chosen, timed)
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
	e.advance(c, p)
	e.lastEvent = time.Now()
	e.clockOf(c).Run(e.lastEvent.Sub(start))
	e.clockOf(c).Moved()
	e.ponder()
	return nil
}

// searchFor returns the tree to search and its limits.
func (e *Engine) searchFor(r *MoveRequest, game *board.Game, t turn) (*search.Tree, search.Limits, error) {
	if !r.Deterministic {
		t.budget = t.budget.Leaving(afterSearch(t.budget, e.game, r.Cleanup))
		params, limits := e.searchParams(), e.limitsFor(r.Color, t)
		e.chargeRepeats(&params, game.ToMove(), r.Analysed)
		if e.cfg.Level != "" {
			params, limits = e.levelSearch(params)
			limits = t.bound(limits)
			e.tree.Clear() // what a level sees must not depend on what was searched before
		}
		if err := e.tree.SetParams(params); err != nil {
			return nil, search.Limits{}, err
		}
		e.syncTree(game)
		if e.ahead.turnsTo(game.ToMove()) {
			e.tree.Clear() // what was found for the other side is of another game
		}
		e.tree.Restrict(r.Restrict...)
		return e.tree, limits, nil
	}
	p := e.repeatable()
	tree, err := search.New(p, uncached{e.net}, e.log)
	if err != nil {
		return nil, search.Limits{}, err
	}
	tree.Reset(game)
	tree.Restrict(r.Restrict...)
	limits := search.Limits{Visits: e.cfg.Limits.Visits, Playouts: e.cfg.Limits.Playouts}
	if limits.Visits == 0 && limits.Playouts == 0 {
		limits.Visits = deterministicVisits
	}
	return tree, limits, nil
}

// repeatable are the settings of a search that finds the same each time.
func (e *Engine) repeatable() search.Params {
	p := e.cfg.Search
	p.Parallel.Workers = 1
	p.Net.Symmetry = 0
	p.Choice.Temperature, p.Choice.TemperatureEarly = 0, 0
	p.Root.NoiseEnabled = false
	p.Seed = 1
	return p
}

// uncached evaluates everything anew: what an earlier search left in the cache
// may have been seen in another orientation.
type uncached struct{ e nn.Evaluator }

// Humans implements what the search asks for.
func (u uncached) Humans(size board.Size) (nn.Evaluator, bool) {
	s, ok := u.e.(humanSource)
	if !ok {
		return nil, false
	}
	humans, profiled := s.Humans(size)
	if humans == nil {
		return nil, false
	}
	return uncached{humans}, profiled
}

func (u uncached) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	fresh := *q
	fresh.SkipCache = true
	return u.e.Evaluate(ctx, &fresh, out)
}

// runSearch searches and reports on the way. Reports come from this goroutine.
func (e *Engine) runSearch(ctx context.Context, t *search.Tree, l search.Limits, every time.Duration, report func(*search.Result)) (search.Result, error) {
	defer e.searching()()
	if report == nil {
		return e.search(ctx, t, l)
	}
	if every > 0 {
		l.SnapshotEvery = min(max(every/2, 5*time.Millisecond), 50*time.Millisecond)
	}
	type outcome struct {
		result search.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := e.search(ctx, t, l)
		done <- outcome{result, err}
	}()
	var tick <-chan time.Time
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			var snapshot search.Result
			t.Snapshot(&snapshot)
			// A final one is that of the search before, which may not have
			// been asked for what this one is.
			if len(snapshot.Moves) > 0 && !snapshot.Final {
				report(&snapshot)
			}
		case o := <-done:
			if o.err == nil {
				report(&o.result)
			}
			return o.result, o.err
		}
	}
}

// choose picks the move, and checks it against the game itself: whatever the
// tree believes, an illegal move is never played.
func (e *Engine) choose(result *search.Result, game *board.Game, r *MoveRequest) board.Point {
	e.moveCount++
	rng := rand.New(rand.NewPCG(newSeed(e.cfg.Seed, 0), e.moveCount))
	temperature := e.cfg.Search.Choice.TemperatureAt(game.NumMoves(), game.Size())
	if r.Deterministic {
		temperature = 0
	} else if e.cfg.Level != "" {
		p, err := e.chooseLevel(result, game, rng)
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

// newSeed is the configured seed, told apart by n, or one that nobody chose.
func newSeed(configured, n uint64) uint64 {
	if configured == 0 {
		return rand.Uint64()
	}
	return configured + n
}

// resigns decides whether to give the game up: when the last Turns searches of
// ours in this game all found it hopeless.
func (e *Engine) resigns(result *search.Result, game *board.Game) bool {
	e.values = append(e.values, ownValue{game.NumMoves(), game.ToMove(), result.Root.TreeWinLoss})
	p := e.cfg.Resign
	if !p.Enabled || !e.mayResign(game, result.Root.Lead) || p.MinScore > 0 && result.Root.Lead > -p.MinScore ||
		float64(game.NumMoves()) < p.MinMovesPerArea*float64(game.Size().Area()) {
		return false
	}
	if e.cfg.Level != "" {
		p.Threshold = levelResignThreshold
		return levelResigns(game, result.Root.Lead, e.hopelessTurns(game.ToMove(), p.Threshold))
	}
	return e.hopelessTurns(game.ToMove(), p.Threshold) >= p.Turns
}

// hopelessTurns is how many of the last own turns of a colour all stood below a
// value.
func (e *Engine) hopelessTurns(c board.Color, threshold float64) int {
	hopeless := 0
	for i := len(e.values) - 1; i >= 0; i-- {
		v := e.values[i]
		if v.color != c && e.cfg.PoolBothSidesValues {
			v.color, v.value = c, -v.value
		}
		switch {
		case v.color != c:
		case v.value >= threshold:
			return hopeless
		default:
			hopeless++
		}
	}
	return hopeless
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

// batcher is a network that runs several positions at once and counts them.
type batcher interface {
	Stats() nn.Stats
	BatchSize() int
}

// work is what the network has done so far, where it counts that.
func (e *Engine) work() nn.Stats {
	if b, ok := e.net.(batcher); ok {
		return b.Stats()
	}
	return nn.Stats{}
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
	if b, ok := e.net.(batcher); ok && work.Batches > 0 {
		fill = fmt.Sprintf(", batch %.1f of %d", work.MeanBatch(), b.BatchSize())
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
