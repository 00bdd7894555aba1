package web

import (
	"sync"
	"time"

	"kosumi/board"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// game is one game against the engine. Every change is written to its journal before it is
// made, so the journal is enough to restore the game.
type game struct {
	home *games

	mu      sync.Mutex
	rec     *store.Game
	journal *store.Journal
	ran     time.Time // when the clock of the side to move was last updated; zero: it is stopped
	flag    *time.Timer
	trouble string
	pending pending
	fit     *api.Fit // the player's rating after a rated game
	task    *task
	taught  lesson
	offered offered
	engine  *engines.Engine
	alone   time.Time // when pages stopped watching; zero: a page watches
	removed bool
}

// commit writes a step and then makes it. The caller holds mu and has checked
// that the step can be made.
func (g *game) commit(e store.Step) error {
	if g.removed {
		return api.Refuse("not_found", "the game is deleted")
	}
	e.Rev, e.At = g.rec.Rev+1, time.Now().Round(time.Millisecond)
	if g.rec.Clocks[0].Limited() {
		e.Clocks = new(g.rec.ClockStates(time.Time{}))
	}
	if err := g.journal.Append(e); err != nil {
		return api.NotSaved(err)
	}
	if err := g.rec.Apply(&e); err != nil {
		return api.Refuse("internal", "%v", err)
	}
	g.pending.sgf, g.pending.level = true, g.pending.level || e.K == "over"
	g.writePending()
	return nil
}

// command performs a command of the player. It is refused as stale if the position has changed
// since rev.
func (g *game) command(rev int, do func(*game) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if rev < g.rec.Since || rev > g.rec.Rev {
		g.home.pages.Publish("game:"+g.rec.Head.ID, api.GameNews.Of(*g.stateLocked()))
		return api.Refuse("stale", "the game has gone on")
	}
	before := g.rec.Rev
	err := do(g)
	if err == nil || g.rec.Rev != before { // even a failed command may have made some of its steps
		g.advance()
	}
	return err
}

// advance runs after every change: it starts clocks, the engine's search or the count, and
// publishes the state. The caller holds mu.
func (g *game) advance() {
	if g.removed {
		return
	}
	g.runClock()
	g.stopThinking()
	switch {
	case g.blocked():
	case g.teaches():
		g.examine()
	case g.rec.EnginesTurn():
		g.think()
	case g.rec.Phase == store.Counting && !g.rec.Marking.Sure:
		g.judge()
	case g.rec.Phase == store.Over:
		g.freeEngine()
	}
	g.home.pages.Publish("game:"+g.rec.Head.ID, api.GameNews.Of(*g.stateLocked()))
	if g.home.pages.Watched("games") {
		go g.home.publishList()
	}
}

// wake resumes the engine's turn in a game that was read from its journal: the server may have
// ended during the search.
func (g *game) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.task == nil && !g.blocked() && (g.rec.EnginesTurn() || g.rec.Phase == store.Counting && !g.rec.Marking.Sure) {
		g.advance()
	}
}

// blocked reports whether the game is paused or in trouble, or waits for a step to be saved or
// for the player's answer to advice.
func (g *game) blocked() bool {
	return g.rec.Paused != "" || g.trouble != "" || g.pending.step != nil || g.advice() != nil
}

// runClock starts or stops the clock of the side to move.
func (g *game) runClock() {
	runs := g.rec.Phase == store.Play && !g.blocked() && g.rec.Clocks[0].Limited()
	if g.flag != nil {
		g.flag.Stop()
		g.flag = nil
	}
	if !runs {
		g.ran = time.Time{}
		return
	}
	now := time.Now()
	if g.ran.IsZero() {
		g.ran = now
	}
	rev := g.rec.Rev
	left := g.rec.Clocks[g.rec.Board.ToMove()-board.Black].Total() - now.Sub(g.ran)
	g.flag = time.AfterFunc(max(left, 0)+time.Millisecond, func() { g.flagFalls(rev) })
}

func (g *game) flagFalls(rev int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rec.Rev != rev || g.rec.Phase != store.Play || g.ran.IsZero() {
		return
	}
	c := &g.rec.Clocks[g.rec.Board.ToMove()-board.Black]
	if c.Run(time.Since(g.ran)) {
		g.ran = time.Now()
	} else {
		g.tryStep(g.loseOnTime)
	}
	g.advance()
}

// close stops searches and timers and closes the journal.
func (g *game) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopThinking()
	if g.flag != nil {
		g.flag.Stop()
	}
	if g.pending.timer != nil {
		g.pending.timer.Stop()
	}
	if !g.removed {
		g.writePending() // the last attempt
		if g.rec.Phase == store.Play && !g.ran.IsZero() {
			g.halt("restart")
		}
		g.journal.Close()
	}
}

// leaveIdle stops a running clock if nobody has watched the game for wire.AloneFor, or if the
// machine slept. gap is the time of the sleep, which no clock counts.
func (g *game) leaveIdle(now time.Time, watched bool, gap time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if watched {
		g.alone = time.Time{}
	} else if g.alone.IsZero() {
		g.alone = now
	}
	running := g.rec.Phase == store.Play && !g.ran.IsZero() && !g.removed
	why := ""
	switch {
	case running && gap > 0:
		why = "sleep"
		g.ran = g.ran.Add(min(gap, now.Sub(g.ran)))
	case running && !watched && now.Sub(g.alone) > wire.AloneFor:
		why = "alone"
	}
	if why != "" {
		g.tryStep(func() error { return g.halt(why) })
		g.advance()
	}
	if !watched && g.task == nil && now.Sub(g.alone) > wire.AloneFor {
		g.freeEngine()
	}
}
