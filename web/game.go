package web

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/clock"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/hub"
)

// Phases of a game.
const (
	phasePlace = "place" // Black puts down handicap stones
	phasePlay  = "play"
	phaseCount = "count"
	phaseOver  = "over"
)

// game is one game against the engine. Every change is a line of its journal
// before it is made, so that it can be read back from there.
type game struct {
	home *games
	head header

	mu       sync.Mutex
	journal  *journal
	board    *board.Game
	setup    []board.Point // handicap stones
	rev      int
	since    int // the rev that made the position: what came after only stopped the clock, let it run, or helped
	phase    string
	changed  time.Time
	clocks   [2]clock.Clock
	ran      time.Time // when the clock of the side to move was last booked; zero: it stands
	flag     *time.Timer
	paused   string
	trouble  string
	owed     owed
	restored string // how, where the journal was damaged
	undone   []board.Move
	dead     map[board.Point]bool // in the count
	judged   []board.Point        // dead as the engine sees it
	isSure   bool                 // judged holds
	result   string
	byWord   bool // the count differs from the engine's
	hints    int
	fit      *api.Fit // after a game that counted for the player's level
	undos    int
	thinks   *thought
	engine   *engines.Engine
	alone    time.Time // since when nobody watches
	removed  bool
}

// player returns the colour of the person.
func (g *game) player() board.Color {
	if g.head.Colour == "w" {
		return board.White
	}
	return board.Black
}

func (g *game) size() board.Size { return board.Size{W: g.head.Size[0], H: g.head.Size[1]} }

// setUp makes a game at its beginning.
func setUp(h header) (*game, error) {
	g := &game{head: h, phase: phasePlay, changed: h.Created}
	rules, err := board.ParseRules(h.Rules)
	if err != nil {
		return nil, err
	}
	rules.Komi = float32(h.Komi)
	if g.board, err = board.NewGame(g.size(), rules); err != nil {
		return nil, err
	}
	set, err := timeSettings(h.Clock)
	if err != nil {
		return nil, err
	}
	g.clocks = [2]clock.Clock{clock.New(set, clock.Strict), clock.New(set, clock.Strict)}
	switch {
	case h.Handicap > 1 && h.Free:
		g.phase = phasePlace
	case h.Handicap > 1:
		return g, g.placeHandicap(board.FixedHandicap(g.size(), h.Handicap))
	}
	return g, nil
}

func (g *game) placeHandicap(stones []board.Point) error {
	g.setup, g.phase = stones, phasePlay
	if err := g.board.Setup(stones, nil, board.White); err != nil {
		return err
	}
	g.board.SetHandicapStones(len(stones))
	return nil
}

// commit writes a step and then makes it. The caller holds mu and has checked
// that the step can be made.
func (g *game) commit(e entry) error {
	if g.removed {
		return api.Refuse("not_found", "the game is deleted")
	}
	e.Rev, e.At = g.rev+1, time.Now().Round(time.Millisecond)
	if g.clocks[0].Limited() {
		e.Clocks = new(g.clockStates(false))
	}
	if err := g.journal.append(e); err != nil {
		return api.NotSaved(err)
	}
	if err := g.apply(&e); err != nil {
		return api.Refuse("internal", "%v", err)
	}
	g.owed.sgf, g.owed.level = true, g.owed.level || e.K == "over"
	g.pay()
	return nil
}

// apply makes a step: the only place where a game changes, whether it is played
// or read.
func (g *game) apply(e *entry) error {
	g.rev, g.changed = e.Rev, e.At
	if e.K != "pause" && e.K != "resume" && e.K != "help" && e.K != "restored" {
		g.since = e.Rev
	}
	if e.Clocks != nil {
		for i := range g.clocks {
			g.clocks[i].Left = leftOf(e.Clocks[i])
		}
	}
	switch e.K {
	case "stone":
		p, err := g.size().ParseVertex(e.M)
		if err != nil {
			return err
		}
		if g.setup = append(g.setup, p); len(g.setup) == g.head.Handicap {
			return g.placeHandicap(g.setup)
		}
		return g.board.Setup(g.setup, nil, board.Black)
	case "move", "redo":
		return g.applyMove(e)
	case "undo":
		for range e.N {
			m := g.board.LastMove(0)
			if !g.board.Undo() {
				return errors.New("nothing to undo")
			}
			g.undone = append(g.undone, m)
		}
		g.phase, g.paused = phasePlay, ""
		g.undos++
		g.stopCounting()
	case "dead":
		g.dead = map[board.Point]bool{}
		for _, v := range e.Dead {
			p, err := g.size().ParseVertex(v)
			if err != nil {
				return err
			}
			g.dead[p] = true
		}
	case "playon":
		g.phase = phasePlay
		g.stopCounting()
	case "over":
		g.phase, g.result, g.byWord, g.paused = phaseOver, e.Result, e.Why == "player", ""
	case "pause":
		g.paused = e.Why
	case "resume":
		g.paused = ""
	case "help":
		g.hints++
	case "restored":
		g.restored = e.Why
	default:
		return fmt.Errorf("unknown step %q", e.K)
	}
	return nil
}

func (g *game) stopCounting() { g.dead, g.judged, g.isSure = nil, nil, false }

func (g *game) applyMove(e *entry) error {
	p, err := g.size().ParseVertex(e.M)
	if err != nil {
		return err
	}
	if err := g.board.Play(g.board.ToMove(), p); err != nil {
		return err
	}
	if g.paused = ""; e.K == "redo" {
		g.undone = g.undone[:max(0, len(g.undone)-1)]
	} else {
		g.undone = nil
	}
	switch {
	case g.board.NoResult():
		g.phase, g.result = phaseOver, "Void"
	case g.board.ConsecutivePasses() >= 2:
		g.phase = phaseCount
	}
	return nil
}

// command performs a command of the player on the state that it answers to.
func (g *game) command(rev int, do func(*game) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if rev < g.since || rev > g.rev {
		g.home.pages.Publish("game:"+g.head.ID, api.Event{T: "game.state", D: g.stateLocked()})
		return api.Refuse("stale", "the game has gone on")
	}
	before := g.rev
	err := do(g)
	if err == nil || g.rev != before { // a command of several steps may have come half way
		g.goOn()
	}
	return err
}

// goOn follows every change: clocks, the engine's turn, the count, and the news
// to pages. The caller holds mu.
func (g *game) goOn() {
	if g.removed {
		return
	}
	g.runClock()
	g.stopThinking()
	switch {
	case g.stands():
	case g.enginesTurn():
		g.think()
	case g.phase == phaseCount && !g.isSure:
		g.judge()
	case g.phase == phaseOver:
		g.leaveEngine()
	}
	g.home.pages.Publish("game:"+g.head.ID, api.Event{T: "game.state", D: g.stateLocked()})
	if g.home.pages.Watched("games") {
		go g.home.publishList()
	}
}

// wake lets the engine go on in a game that was read from its journal: the server
// may have ended in the middle of its thought.
func (g *game) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.thinks == nil && !g.stands() && (g.enginesTurn() || g.phase == phaseCount && !g.isSure) {
		g.goOn()
	}
}

// stands reports whether nothing moves: the game is paused, in trouble, or waits for a
// step to be saved.
func (g *game) stands() bool { return g.paused != "" || g.trouble != "" || g.owed.step != nil }

func (g *game) enginesTurn() bool {
	return g.phase == phasePlay && g.board.ToMove() != g.player() || g.phase == phasePlace && g.player() == board.White
}

// runClock starts or stops the clock of the side to move.
func (g *game) runClock() {
	runs := g.phase == phasePlay && !g.stands() && g.clocks[0].Limited()
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
	rev := g.rev
	left := g.clocks[g.board.ToMove()-board.Black].Total() - now.Sub(g.ran)
	g.flag = time.AfterFunc(max(left, 0)+time.Millisecond, func() { g.flagFalls(rev) })
}

func (g *game) flagFalls(rev int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rev != rev || g.phase != phasePlay || g.ran.IsZero() {
		return
	}
	c := &g.clocks[g.board.ToMove()-board.Black]
	if c.Run(time.Since(g.ran)) {
		g.ran = time.Now()
	} else {
		g.owe(g.loseOnTime)
	}
	g.goOn()
}

// close ends what runs for the game.
func (g *game) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopThinking()
	if g.flag != nil {
		g.flag.Stop()
	}
	if g.owed.timer != nil {
		g.owed.timer.Stop()
	}
	if !g.removed {
		g.pay() // for the last time
		if g.phase == phasePlay && !g.ran.IsZero() {
			g.halt("restart")
		}
		g.journal.close()
	}
}

// leaveIdle stops the clock of a game that nobody watches, or that stood still for a
// gap, which does not count.
func (g *game) leaveIdle(now time.Time, watched bool, gap time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if watched {
		g.alone = time.Time{}
	} else if g.alone.IsZero() {
		g.alone = now
	}
	running := g.phase == phasePlay && !g.ran.IsZero() && !g.removed
	why := ""
	switch {
	case running && gap > 0:
		why = "sleep"
		g.ran = g.ran.Add(min(gap, now.Sub(g.ran)))
	case running && !watched && now.Sub(g.alone) > hub.AloneFor:
		why = "alone"
	}
	if why != "" {
		g.owe(func() error { return g.halt(why) })
		g.goOn()
	}
	if !watched && g.thinks == nil && now.Sub(g.alone) > hub.AloneFor {
		g.leaveEngine()
	}
}
