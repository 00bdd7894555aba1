package web

import (
	"context"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/search/thinking"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// task is a search of the engine for a game.
type task struct{ cancel context.CancelFunc }

// stopThinking cancels the search of the game. The caller holds mu.
func (g *game) stopThinking() {
	if g.task != nil {
		g.task.cancel()
		g.task = nil
	}
}

// takeEngine returns the game's engine. The caller holds mu.
func (g *game) takeEngine() *engines.Engine {
	if g.engine == nil {
		g.engine = g.home.engines.Engine()
	}
	return g.engine
}

// freeEngine frees the engine's memory. The caller holds mu.
func (g *game) freeEngine() {
	if g.engine != nil {
		go g.engine.Close()
		g.engine = nil
	}
}

// work runs f in the background on a copy of the game. Unless the game has changed meanwhile, it
// then calls the function done under mu. The caller holds mu.
func (g *game) work(urgency int, f func(context.Context, *engine.Engine) error, done func()) {
	ctx, cancel := context.WithCancel(g.home.ctx)
	t := &task{cancel}
	g.task = t
	st, rev, now, handicap := g.takeEngine(), g.rec.Rev, g.rec.Board.Clone(), len(g.rec.Setup)
	g.home.jobs.Go(func() {
		defer cancel()
		var err error
		ran := g.home.engines.Scheduler.Do(ctx, urgency, func(ctx context.Context) {
			err = st.With(now, handicap, func(e *engine.Engine) error { return f(ctx, e) })
		})
		g.mu.Lock()
		defer g.mu.Unlock()
		if !ran || ctx.Err() != nil || g.rec.Rev != rev || g.task != t {
			return
		}
		g.task = nil
		if err != nil {
			g.home.log.Error("the engine failed in a game", "game", g.rec.Head.ID, "error", err)
			g.trouble = err.Error()
		} else {
			done()
		}
		g.advance()
	})
}

// humanPace is the minimum time that the engine takes for a move if its seat has the pace "human".
const humanPace = 400 * time.Millisecond

// think asks the engine for its move, or for its handicap stones.
func (g *game) think() {
	if g.rec.Phase == store.Place {
		var stones []board.Point
		g.work(engines.ForMove, func(ctx context.Context, e *engine.Engine) (err error) {
			stones, err = e.FreeHandicap(ctx, g.rec.Head.Handicap)
			return err
		}, func() { g.tryStep(func() error { return g.putStones(stones) }) })
		return
	}
	var move thinking.Decision
	began := time.Now()
	color := g.rec.Board.ToMove()
	mine := g.rec.Clocks[color-board.Black]
	if !g.ran.IsZero() {
		mine.Run(began.Sub(g.ran))
	}
	g.work(engines.ForMove, func(ctx context.Context, e *engine.Engine) (err error) {
		if err := e.SetClock(mine.Settings); err != nil {
			return err
		}
		left, stones := mine.Shown()
		if err := e.TimeLeft(color, left, stones); err != nil {
			return err
		}
		if move, err = choose(ctx, e, color, g.rec.Head.Seat, mine.Limited()); err != nil {
			return err
		}
		if rest := humanPace - time.Since(began); g.rec.Head.Seat.Pace == "human" && rest > 0 {
			select {
			case <-time.After(rest):
			case <-ctx.Done():
			}
		}
		return nil
	}, func() {
		g.tryStep(func() error {
			if move.Resign {
				return g.resigns(color)
			}
			return g.makeMove(move.Point)
		})
	})
}

// putStones places the engine's handicap stones that are not on the board yet.
func (g *game) putStones(stones []board.Point) error {
	for _, p := range stones {
		if g.rec.Phase != store.Place || slices.Contains(g.rec.Setup, p) {
			continue
		}
		if err := g.commit(store.Step{K: "stone", M: g.rec.Size().Vertex(p)}); err != nil {
			return err
		}
	}
	return nil
}

// defaultSeconds is the time for a move at full strength without a limit.
const defaultSeconds = 2

// choose finds the engine's move at the level of its seat, or at full strength within the seat's
// limits.
func choose(ctx context.Context, e *engine.Engine, c board.Color, seat api.Seat, clocked bool) (thinking.Decision, error) {
	params := map[string]string{"level": seat.Level}
	if seat.Level == "" {
		seconds := seat.Seconds
		if seconds == 0 && seat.Visits == 0 && !clocked {
			seconds = defaultSeconds
		}
		params = map[string]string{"maxVisits": number(seat.Visits), "maxTime": wire.Decimal(seconds)}
	}
	if err := e.SetParams(params); err != nil {
		return thinking.Decision{}, err
	}
	return e.GenMove(ctx, thinking.MoveRequest{Color: c})
}

// judge asks the engine which stones are dead, and which are not settled.
func (g *game) judge() {
	var status []thinking.Status
	var open []board.Point
	g.work(engines.ForHelp, func(ctx context.Context, e *engine.Engine) (err error) {
		if status, err = e.FinalStatus(ctx); err == nil {
			open, err = e.Unsettled(ctx)
		}
		return err
	}, func() {
		var dead []board.Point
		for p, s := range status {
			if s == thinking.Dead {
				dead = append(dead, board.Point(p))
			}
		}
		g.rec.Judge(dead, open)
	})
}
