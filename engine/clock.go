package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// TimeSystem names a way of limiting a player's time.
type TimeSystem uint8

// The time systems that GTP clients declare.
const (
	NoTimeLimit     TimeSystem = iota
	AbsoluteTime               // main time only
	CanadianByoyomi            // after main time: Stones moves in each Period
	JapaneseByoyomi            // after main time: Periods periods of one move each
	FischerTime                // Increment is added after each move
	CappedFischer              // as FischerTime, with caps on the bank and on one move
)

func (s TimeSystem) String() string {
	return [...]string{"none", "absolute", "canadian", "byoyomi", "fischer", "fischer-capped"}[s]
}

// TimeSettings is the time limit of a game, the same for both players. The
// zero value is no limit.
type TimeSettings struct {
	System     TimeSystem
	Main       time.Duration
	Period     time.Duration // length of an overtime period
	Stones     int           // Canadian: moves to play in a period
	Periods    int           // Japanese: number of periods
	Increment  time.Duration // Fischer
	MainLimit  time.Duration // capped Fischer: the bank never exceeds it; negative: no cap
	MaxPerMove time.Duration // capped Fischer: longest move; negative: no cap
}

// ErrTimeSettings says that time settings make no sense.
var ErrTimeSettings = errors.New("bad time settings")

// maxDuration bounds every duration of a clock, so that sums cannot overflow.
const maxDuration = 10_000 * time.Hour

// Normalize returns settings that a clock can work with: negative times become
// zero (bridges send them) and overtime without stones, periods or time turns
// into the system that it amounts to.
func (s TimeSettings) Normalize() (TimeSettings, error) {
	clamp := func(d *time.Duration) { *d = min(max(*d, 0), maxDuration) }
	clamp(&s.Main)
	clamp(&s.Period)
	clamp(&s.Increment)
	s.MainLimit = min(s.MainLimit, maxDuration)
	s.MaxPerMove = min(s.MaxPerMove, maxDuration)
	switch s.System {
	case CanadianByoyomi:
		if s.Stones < 0 {
			return s, fmt.Errorf("%w: %d stones a period", ErrTimeSettings, s.Stones)
		}
		if s.Stones == 0 || s.Period == 0 {
			s.System = AbsoluteTime
		}
	case JapaneseByoyomi:
		if s.Periods < 0 {
			return s, fmt.Errorf("%w: %d periods", ErrTimeSettings, s.Periods)
		}
		if s.Periods == 0 || s.Period == 0 {
			s.System = AbsoluteTime
		}
	case CappedFischer:
		if s.MainLimit >= 0 {
			if s.MainLimit < s.Main {
				return s, fmt.Errorf("%w: the cap on main time is below main time", ErrTimeSettings)
			}
		}
	}
	if s.System > CappedFischer {
		return s, fmt.Errorf("%w: unknown time system", ErrTimeSettings)
	}
	return s, nil
}

// clock is what one player has left. Its owner is the engine.
type clock struct {
	set TimeSettings

	main    time.Duration // left of main time, or of the Fischer bank
	period  time.Duration // left of the running overtime period
	stones  int           // Canadian: moves still to play in this period
	periods int           // Japanese: periods left, the running one included
	over    bool          // main time is used up
}

func newClock(s TimeSettings) clock {
	c := clock{set: s, main: s.Main}
	if s.hasOvertime() && s.Main == 0 {
		c.enterOvertime()
	}
	return c
}

func (s TimeSettings) hasOvertime() bool {
	return s.System == CanadianByoyomi || s.System == JapaneseByoyomi
}

func (c *clock) enterOvertime() {
	c.over, c.main = true, 0
	c.period, c.stones, c.periods = c.set.Period, c.set.Stones, c.set.Periods
}

// setLeft takes over a controller's report. stones is zero in main time; in
// overtime it counts the stones of the Canadian period, or the Japanese periods
// left including the running one. A report of zero time and zero stones while
// overtime exists means that main time has just ended.
func (c *clock) setLeft(left time.Duration, stones int) {
	left = min(max(left, 0), maxDuration)
	switch {
	case c.set.System == NoTimeLimit:
	case !c.set.hasOvertime():
		c.main = left
		if stones > 0 { // overtime that nobody declared: time for that many moves
			c.set = TimeSettings{System: CanadianByoyomi, Period: left, Stones: stones}
			c.enterOvertime()
		}
	case stones <= 0 && left == 0:
		c.enterOvertime()
	case stones <= 0:
		c.over, c.main = false, left
	default:
		c.enterOvertime()
		c.period = left
		if c.set.System == CanadianByoyomi {
			c.stones = stones
		} else {
			c.periods = stones
		}
	}
}

// spend books the time that a move took. A flag that fell is forgiven: the
// controller decides, and the clock goes on with what a fresh period gives.
func (c *clock) spend(d time.Duration) {
	d = max(d, 0)
	switch c.set.System {
	case NoTimeLimit:
		return
	case AbsoluteTime:
		c.main = max(c.main-d, 0)
		return
	case FischerTime, CappedFischer:
		c.main = min(max(c.main-d, 0)+c.set.Increment, maxDuration)
		if c.set.System == CappedFischer && c.set.MainLimit >= 0 {
			c.main = min(c.main, c.set.MainLimit)
		}
		return
	}
	if !c.over {
		if d < c.main {
			c.main -= d
			return
		}
		d -= c.main
		c.enterOvertime()
	}
	if c.set.System == CanadianByoyomi {
		c.period -= d
		c.stones--
		if c.stones <= 0 || c.period <= 0 {
			c.period, c.stones = c.set.Period, c.set.Stones
		}
		return
	}
	for d >= c.period && c.periods > 1 {
		d -= c.period
		c.period = c.set.Period
		c.periods--
	}
	c.period = c.set.Period
}

// budget is how long a move may take.
type budget struct {
	unlimited   bool
	recommended time.Duration
	maximum     time.Duration
	useUp       bool // what is not used now is lost
}

// rest is how much of the longest time for a move is left after a part of it.
func (b budget) rest(used time.Duration) time.Duration {
	if b.unlimited {
		return maxDuration
	}
	return max(b.maximum-used, 0)
}

// hold is how long an answer that is ready after a time may be held back: a wish,
// but not beyond the time that the clock recommends for the move, of which a tenth
// is left for waking up late.
func (b budget) hold(wish, used time.Duration) time.Duration {
	if b.unlimited {
		return wish
	}
	return min(wish, max(b.recommended-b.recommended/10-used, 0))
}

// leaving returns the budget of a search that leaves time for what follows it, where
// the longest time for the move has no room for that beside the recommended one.
func (b budget) leaving(after time.Duration) budget {
	if b.unlimited {
		return b
	}
	b.maximum = max(b.maximum-after, b.maximum/2)
	b.recommended = min(b.recommended, b.maximum)
	return b
}

// budgetFor spreads the time left over the moves still to come, as KataGo's
// time controls do it: area is the number of points of the board, stones the
// number of stones on it, lag the time that the way to the server may cost.
func (c *clock) budgetFor(area, stones int, lag time.Duration) budget {
	switch c.set.System {
	case NoTimeLimit:
		return budget{unlimited: true}
	case AbsoluteTime:
		left := afterLag(c.main, 2*lag)
		return c.capped(spread(left, turnsAbsolute(area, stones)), left/5)
	case FischerTime, CappedFischer:
		return c.fischer(area, stones, lag)
	}
	if c.over {
		return c.overtime(lag)
	}
	return c.mainBeforeOvertime(area, stones, lag)
}

func (c *clock) fischer(area, stones int, lag time.Duration) budget {
	inc := c.set.Increment
	if c.main <= inc {
		left := afterLag(c.main, lag)
		return c.capped(left, left)
	}
	excess := afterLag(c.main-inc, lag)
	rec := inc + min(spread(excess, turnsIncrement(area, stones)), spread(excess, turnsAbsolute(area, stones))+2*inc)
	return c.capped(rec, min(afterLag(c.main, lag), inc+excess/5))
}

// capped orders the two times and applies the limit of a single move.
func (c *clock) capped(rec, maximum time.Duration) budget {
	maximum = max(maximum, 0)
	if c.set.System == CappedFischer && c.set.MaxPerMove > 0 {
		maximum = min(maximum, c.set.MaxPerMove)
	}
	return budget{recommended: min(max(rec, 0), maximum), maximum: maximum}
}

func (c *clock) overtime(lag time.Duration) budget {
	if c.set.System == CanadianByoyomi {
		if c.stones <= 1 {
			left := afterLag(c.period, 2*lag)
			b := c.capped(left, left)
			b.useUp = true // the next period begins in any case
			return b
		}
		left := afterLag(c.period, lag)
		n := float64(c.stones)
		return c.capped(scale(left, 1/n), scale(left, 1/(0.75*n+0.25)))
	}
	if c.periods <= 1 {
		lag *= 2 // the flag falls for good
	}
	left := afterLag(c.period, lag)
	b := c.capped(left, left)
	b.useUp = true
	return b
}

// heldBackPeriods is the number of Japanese periods kept in reserve; surplus
// periods count as main time.
const heldBackPeriods = 5

func (c *clock) mainBeforeOvertime(area, stones int, lag time.Duration) budget {
	left := c.main
	perMove := afterLag(c.set.Period, lag)
	if c.set.System == CanadianByoyomi {
		perMove /= time.Duration(c.set.Stones)
	} else if surplus := c.set.Periods - heldBackPeriods; surplus > 0 {
		left = min(left+time.Duration(surplus)*c.set.Period, maxDuration)
	}
	left = afterLag(left, lag)
	if perMove <= 0 {
		return c.capped(spread(left, turnsAbsolute(area, stones)), left/5)
	}
	absolute, byoyomi := turnsAbsolute(area, stones), turnsByoyomi(area, stones)
	n := float64(left) / float64(perMove) / math.E
	if n < byoyomi {
		n = min(n*1.75, byoyomi)
	}
	turns := max(1, min(absolute, n))
	rec := max(spread(left, turns), perMove)
	rec = min(rec, spread(left, absolute)+3*perMove)
	most := perMove + max(min(scale(perMove, 1.75), left), left/5)
	if rec >= left { // main time ends on this move: its rest is no use alone
		rec = left + perMove
	}
	return c.capped(rec, min(max(rec, most), left+perMove))
}

// afterLag takes off the time that the way to the server may cost, but never
// more than half of what is there.
func afterLag(t, lag time.Duration) time.Duration {
	if t < 2*lag {
		return t / 2
	}
	return t - lag
}

func spread(t time.Duration, turns float64) time.Duration { return scale(t, 1/turns) }

func scale(t time.Duration, f float64) time.Duration { return time.Duration(float64(t) * f) }

// The number of moves that a player still has to make, for each kind of clock:
// half of the points that will still be filled, never below a floor.
func turnsAbsolute(area, stones int) float64  { return turns(area, stones, 0.95, 20, 0.15, 30) }
func turnsIncrement(area, stones int) float64 { return turns(area, stones, 0.75, 15, 0.10, 20) }
func turnsByoyomi(area, stones int) float64   { return turns(area, stones, 0.50, 10, 0.02, 4) }

func turns(area, stones int, share, base, floorShare, floorBase float64) float64 {
	a := float64(area)
	return 0.5 * max(share*a+base-float64(stones), floorShare*a+floorBase)
}
