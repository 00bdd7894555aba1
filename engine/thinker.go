package engine

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// thinker runs the engine's searches. It owns the tree of the game on the board, pondering, and
// the handicap advantage. Only one search uses the tree at a time: pondering is stopped before
// anything else uses it.
type thinker struct {
	cfg *Config
	net nn.Network
	log *slog.Logger

	tree      *search.Tree
	pondering *background
	ahead     advantage
}

// background is a search that runs until stopped.
type background struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// stop ends pondering and waits for it. The tree is kept.
func (t *thinker) stop() {
	if t.pondering == nil {
		return
	}
	t.pondering.cancel()
	<-t.pondering.done
	t.pondering = nil
}

// ponder searches the current position until PonderLimits or memory end it.
func (t *thinker) ponder(game *board.Game) {
	if !t.cfg.Ponder || t.cfg.Level != "" || game.Ended() || t.pondering != nil {
		return
	}
	params := t.params()
	chargeRepeats(&params, game, game.ToMove().Opponent(), t.cfg.HandicapRepeats)
	if err := t.tree.SetParams(params); err != nil {
		return
	}
	t.follow(game)
	t.tree.Restrict()
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{cancel: cancel, done: make(chan struct{})}
	unpin := t.net.Pin()
	go func() {
		defer close(b.done)
		defer unpin()
		if _, err := t.search(ctx, t.tree, t.cfg.PonderLimits); err != nil && ctx.Err() == nil {
			t.log.Error("pondering failed", "error", err)
		}
	}()
	t.pondering = b
}

// search searches a tree. A panic becomes an error; if it happened in the thinker's own tree, a new
// tree replaces it, since its state is unknown.
func (t *thinker) search(ctx context.Context, tree *search.Tree, l search.Limits) (result search.Result, err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		t.log.Error("a search panicked", "panic", p, "stack", string(debug.Stack()))
		err = search.ErrFault
		if tree == t.tree {
			if fresh, err := search.New(t.cfg.Search, t.net, t.log); err == nil {
				t.tree = fresh
			}
		}
	}()
	return tree.Search(ctx, l)
}

func (t *thinker) aside(ctx context.Context, p search.Params, net nn.Evaluator, g *board.Game, l search.Limits) (search.Result, error) {
	tree, err := search.New(p, net, nil)
	if err != nil {
		return search.Result{}, err
	}
	tree.Reset(g)
	defer t.net.Pin()()
	return t.search(ctx, tree, l)
}

// run searches a tree and calls report from this goroutine.
func (t *thinker) run(ctx context.Context, tree *search.Tree, l search.Limits, every time.Duration, report func(*search.Result)) (search.Result, error) {
	if report == nil {
		return t.search(ctx, tree, l)
	}
	if every > 0 {
		l.SnapshotEvery = min(max(every/2, 5*time.Millisecond), 50*time.Millisecond)
	}
	var result search.Result
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = t.search(ctx, tree, l)
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
			tree.Snapshot(&snapshot)
			// A final snapshot belongs to the previous search, which may have had other parameters.
			if len(snapshot.Moves) > 0 && !snapshot.Final {
				report(&snapshot)
			}
		case <-done:
			if err == nil {
				report(&result)
			}
			return result, err
		}
	}
}

// holds reports whether the tree has visits of this position.
func (t *thinker) holds(game *board.Game) bool { return t.tree.Visits() > 0 && t.tree.Matches(game) }

// follow moves the tree's root to this position, keeping the subtree if there is one.
func (t *thinker) follow(game *board.Game) {
	if !t.tree.Matches(game) {
		t.tree.Reset(game)
	}
}

func (t *thinker) drop() {
	t.stop()
	t.tree.Clear()
}

// beginMove adjusts the advantage to the value of the engine's last move, unless it is already
// adjusted for the move that begins.
func (t *thinker) beginMove(game *board.Game, v *ownValues) {
	if !t.ahead.adjusted {
		t.adjustAdvantage(game, v)
	}
	t.ahead.adjusted = false
}

func (t *thinker) adjustAdvantage(game *board.Game, v *ownValues) {
	last, known := v.white()
	known = known && game.Board().Stones(board.White) > 0
	t.ahead.adjust(game.Size(), headStart(game), t.cfg.HandicapAdvantage, last, known)
	t.ahead.adjusted = true
}

// params returns the parameters of the search for a move of the engine, with the advantage in
// handicap games. An advantage set by the user stays.
func (t *thinker) params() search.Params {
	p := t.cfg.Search
	if p.Net.PlayoutDoublingAdvantage == 0 && t.ahead.doublings != 0 {
		p.Net.PlayoutDoublingAdvantage, p.Net.AdvantageFor = t.ahead.doublings, board.White
	}
	return p
}

// prepare readies the tree to search for a move under these parameters. It discards subtrees
// searched for the other side with a different advantage.
func (t *thinker) prepare(p search.Params, game *board.Game, restrict []thinking.Restriction) error {
	if err := t.tree.SetParams(p); err != nil {
		return err
	}
	t.follow(game)
	if a := &t.ahead; a.side != game.ToMove() && a.side != board.Empty && a.doublings != 0 {
		t.tree.Clear()
	}
	t.ahead.side = game.ToMove()
	t.tree.Restrict(restrict...)
	return nil
}

// deterministicVisits is the length of a deterministic search if no limit of visits is configured.
const deterministicVisits = 200

// repeatable returns a new tree and limits without a clock, for a search whose result is the same
// each time.
func (t *thinker) repeatable(game *board.Game, only []thinking.Restriction) (*search.Tree, search.Limits, error) {
	tree, err := search.New(repeatable(t.cfg.Search), nn.Uncached(t.net), t.log)
	if err != nil {
		return nil, search.Limits{}, err
	}
	tree.Reset(game)
	tree.Restrict(only...)
	limits := search.Limits{Visits: t.cfg.Limits.Visits, Playouts: t.cfg.Limits.Playouts}
	if limits.Visits == 0 && limits.Playouts == 0 {
		limits.Visits = deterministicVisits
	}
	return tree, limits, nil
}

// repeatable returns parameters for a search whose result is the same each time.
func repeatable(p search.Params) search.Params {
	p.Parallel.Workers = 1
	p.Net.Symmetry = 0
	p.Choice.Temperature, p.Choice.TemperatureEarly = 0, 0
	p.Root.NoiseEnabled = false
	p.Seed = 1
	return p
}

// ending describes why a search ended before or after its planned time.
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

// logMove logs a line about a move; work is the network's statistics for it.
func (t *thinker) logMove(r *search.Result, p board.Point, work nn.Stats) {
	if !t.log.Enabled(context.Background(), t.cfg.MoveLog) {
		return
	}
	var pv string
	if m := r.Move(p); m != nil {
		for _, q := range m.PV[:min(len(m.PV), 12)] {
			pv += " " + r.Size.Vertex(q)
		}
	}
	var fill string
	if work.Batches > 0 {
		fill = fmt.Sprintf(", batch %.1f of %d", work.MeanBatch(), t.net.BatchSize())
	}
	lead := r.Root.Lead
	if !t.cfg.ScoreByLead {
		lead = search.OnSide(lead, r.Root.Winrate)
	}
	seconds := max(r.Stats.Elapsed.Seconds(), 1e-9)
	t.log.Log(context.Background(), t.cfg.MoveLog, fmt.Sprintf("%s %s: %d visits (%d new, %.0f/s%s), %d evaluations%s, %.0f %% cached, %.1f %% collisions, depth %.1f to %d, winrate %.1f %%, lead %+.1f, pv%s",
		r.ToMove, r.Size.Vertex(p), r.Root.Visits, r.Stats.Playouts, float64(r.Stats.Playouts)/seconds, ending(r),
		r.Stats.Evaluations, fill, 100*r.Stats.CacheRate(), 100*r.Stats.CollisionRate(),
		r.Stats.MeanDepth(), r.Stats.MaxDepth, 100*r.Root.Winrate, tenths(lead), pv))
}
