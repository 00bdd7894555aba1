package engine

import (
	"math"
	"time"

	"kosumi/board"
	"kosumi/clock"
	"kosumi/search"
)

// SetClock starts both clocks anew under these settings.
func (e *Engine) SetClock(s clock.Settings) error {
	s, err := s.Normalize()
	if err != nil {
		return err
	}
	e.clocks = [2]clock.Clock{clock.New(s, clock.Forgiving), clock.New(s, clock.Forgiving)}
	return nil
}

// TimeLeft overrides one clock with a controller's report: stones is 0 in main
// time, else the stones to play in this period (Canadian) or the periods left,
// this one included (Japanese).
func (e *Engine) TimeLeft(c board.Color, left time.Duration, stones int) error {
	e.clockOf(c).Set(left, stones)
	return nil
}

func (e *Engine) clockOf(c board.Color) *clock.Clock { return &e.clocks[c-board.Black] }

// maxUnseen is how much thinking time may have run before the command that asks
// for a move: controllers start the clock at the opponent's move, but a person
// who replays a game and then asks for a move has started no clock.
const maxUnseen = time.Second

// turnStart is when the clock of the move that is asked for now began to run.
func (e *Engine) turnStart(now time.Time) time.Time {
	if since := now.Sub(e.lastEvent); since > maxUnseen {
		return now
	}
	return e.lastEvent
}

// hurryBelow is the time for a move below which chains are not judged: that takes
// evaluations of its own, one after the other, and on a busy machine each may
// have to wait for the processor: 0.2 s in all where twelve programs share a core.
// The search leaves half of it for them, and a quarter has to be there.
const hurryBelow = 500 * time.Millisecond

// turn is the time of one move: how long it may take, and since when it does.
type turn struct {
	budget clock.Budget
	start  time.Time
}

func (t turn) used() time.Duration { return time.Since(t.start) }

// bound bounds limits that know no clock by the longest time for the move.
func (t turn) bound(l search.Limits) search.Limits {
	if !t.budget.Unlimited {
		l.Time = max(t.budget.Rest(t.used()), time.Nanosecond)
	}
	return l
}

// hurried reports whether the clock of a colour leaves no time for anything beside
// the search.
func (e *Engine) hurried(c board.Color) bool { return hurried(e.budget(c), 0) }

// hurried is that for what follows a search, which ended after a part of the move's
// time.
func hurried(b clock.Budget, used time.Duration) bool {
	return !b.Unlimited && (b.Recommended < hurryBelow || b.Rest(used) < hurryBelow/4)
}

// afterSearch is how much of a move's time a search leaves for what may follow it:
// judging chains before a pass, and the short searches for a friendly one.
func afterSearch(b clock.Budget, g *board.Game, cleanup bool) time.Duration {
	on := g.Board()
	switch {
	case b.Unlimited || b.Recommended < hurryBelow:
		return 0
	case g.LastMove(0).Point == board.Pass:
		return max(b.Recommended/4, hurryBelow/2)
	case cleanup || 2*(on.Stones(board.Black)+on.Stones(board.White)) > on.Size().Area():
		return hurryBelow / 2
	}
	return 0
}

// leastLag is what a move's answer takes at least until the controller has it.
const leastLag = 20 * time.Millisecond

// budget is how long the next move of a colour may take by its clock.
func (e *Engine) budget(c board.Color) clock.Budget {
	b := e.game.Board()
	stones := b.Stones(board.Black) + b.Stones(board.White)
	return e.clockOf(c).Budget(b.Size().Area(), stones, max(e.cfg.Lag, leastLag))
}

// learnOverrun books by how much a move took longer than its search was given:
// evaluations that were under way have to come back, and on a machine that is
// busy, or with a network that is slow, that takes time which the next moves
// leave for it. Overruns of the last few moves count most.
func (e *Engine) learnOverrun(d time.Duration) {
	e.overrun += (max(d, 0) - e.overrun) / 4
}

// limitsFor combines the limits of the configuration with those of the clock.
func (e *Engine) limitsFor(c board.Color, t turn) search.Limits {
	l, budget := e.cfg.Limits, t.budget
	switch {
	case !budget.Unlimited:
		budget.Recommended = min(e.timeUse(budget.Recommended), budget.Maximum)
		late := min(e.overrun, budget.Recommended/2)
		allowed := max(budget.Recommended-t.used()-late, time.Nanosecond)
		if l.Time == 0 || allowed < l.Time {
			l.Time = allowed
			l.Extend = min(max(budget.Maximum-budget.Recommended, 0), scale(budget.Recommended, e.cfg.Extend))
			l.WhenDecided = e.cfg.EarlyStop && !budget.UseUp
			if !budget.UseUp {
				l.Obvious = e.cfg.TimeUse.Obvious
			}
		}
	case l.Visits == 0 && l.Playouts == 0 && l.Time == 0:
		l.Time = e.cfg.DefaultTime
	}
	e.hurry(&l, c)
	return l
}

// TimeUse changes how time on a clock is spread over a game, by KataGo's keys. A
// factor of 0 is 1. Moves are those of a 19x19 game.
type TimeUse struct {
	Overall float64 // factor of every move's time; overallocateTimeFactor
	// Midgame is the factor at move MidgamePeak. Before it grows from 1 in equal
	// steps, after it tends to 1 again, e times closer every EndgameDecay moves
	// (midgameTimeFactor, midgameTurnPeakTime, endgameTurnTimeDecay).
	Midgame, MidgamePeak, EndgameDecay float64
	Obvious                            search.Obvious
	// CarryOver is the share of the time in which a kept tree was searched that
	// counts as time of the move now (treeReuseCarryOverTimeFactor).
	CarryOver float64
}

// timeUse changes the time that the clock recommends for a move.
func (e *Engine) timeUse(t time.Duration) time.Duration {
	u, factor := e.cfg.TimeUse, 1.0
	if u.Overall > 0 {
		factor = u.Overall
	}
	if u.Midgame > 0 && u.Midgame != 1 {
		size := float64(e.game.Size().Area()) / 361
		peak, turn := u.MidgamePeak*size, float64(e.game.NumMoves())
		weight := turn / max(peak, 1e-9)
		if turn >= peak {
			weight = math.Exp((peak - turn) / max(u.EndgameDecay*size, 1e-9))
		}
		factor *= 1 + min(max(weight, 0), 1)*(u.Midgame-1)
	}
	full := float64(t) * factor
	if carried := float64(e.carried); carried > 0 && full > 0 {
		// Softly down to nothing: a little is searched in any case.
		full *= min(1, math.Log1p(math.Exp(6*(full-carried)/full))/6)
	}
	return time.Duration(full)
}

// sureness is how far the least of what the last three searches thought a colour's
// game worth is beyond a threshold: 0 at most there, 1 where the game is won.
func (e *Engine) sureness(c board.Color, threshold float64) float64 {
	n, least := len(e.values), 1.0
	if n < 3 || threshold >= 1 {
		return 0
	}
	for _, v := range e.values[n-3:] {
		if v.color != c {
			v.value = -v.value
		}
		least = min(least, v.value)
	}
	return max(0, (least-threshold)/(1-threshold))
}

// hurry shortens limits where little depends on the search.
func (e *Engine) hurry(l *search.Limits, c board.Color) {
	h, share := e.cfg.Hurry, 1.0
	passed := func(back int) bool {
		return back < e.game.NumMoves()-e.game.Forgotten() && e.game.LastMove(back).Point == board.Pass
	}
	switch {
	case passed(0) && passed(2) && h.AfterTwoPasses > 0:
		share = h.AfterTwoPasses
	case passed(0) && !passed(2) && h.AfterOnePass > 0:
		share = h.AfterOnePass
	}
	if h.Winning > 0 {
		share *= 1 + e.sureness(c, h.Threshold)*(h.Winning-1)
	}
	if share >= 1 {
		return
	}
	shorten := func(n int64) int64 {
		if n <= 0 {
			return n
		}
		return max(1, int64(math.Ceil(float64(n)*share)))
	}
	l.Visits, l.Playouts, l.Time = shorten(l.Visits), shorten(l.Playouts), time.Duration(shorten(int64(l.Time)))
}

func scale(t time.Duration, f float64) time.Duration { return time.Duration(float64(t) * f) }
