package clock

import (
	"math"
	"time"
)

// Budget is how long a move may take.
type Budget struct {
	Unlimited   bool
	Recommended time.Duration
	Maximum     time.Duration
	UseUp       bool // time not used for this move is lost
}

// Rest returns how much of Maximum is left after the time used.
func (b Budget) Rest(used time.Duration) time.Duration {
	if b.Unlimited {
		return maxDuration
	}
	return max(b.Maximum-used, 0)
}

// Hold returns how long a ready answer may be held back: as long as wished, but no longer than
// the recommended time allows, less a tenth for waking up late.
func (b Budget) Hold(wish, used time.Duration) time.Duration {
	if b.Unlimited {
		return wish
	}
	return min(wish, max(b.Recommended-b.Recommended/10-used, 0))
}

// Leaving shortens Maximum by the time for later work, at most by half, and limits Recommended to
// the new Maximum.
func (b Budget) Leaving(after time.Duration) Budget {
	if b.Unlimited {
		return b
	}
	b.Maximum = max(b.Maximum-after, b.Maximum/2)
	b.Recommended = min(b.Recommended, b.Maximum)
	return b
}

// Budget divides the remaining time over the moves still to come, with the formulas of KataGo's
// time controls. area is the number of points of the board, stones the number of stones on it,
// lag the delay to the server.
func (c *Clock) Budget(area, stones int, lag time.Duration) Budget {
	switch c.Settings.System {
	case None:
		return Budget{Unlimited: true}
	case Absolute:
		left := afterLag(c.Left.Main, 2*lag)
		return c.capped(spread(left, turnsAbsolute(area, stones)), left/5)
	case Fischer, CappedFischer:
		return c.fischer(area, stones, lag)
	}
	if c.Left.Overtime {
		return c.overtime(lag)
	}
	return c.mainBeforeOvertime(area, stones, lag)
}

func (c *Clock) fischer(area, stones int, lag time.Duration) Budget {
	inc := c.Settings.Increment
	if c.Left.Main <= inc {
		left := afterLag(c.Left.Main, lag)
		return c.capped(left, left)
	}
	excess := afterLag(c.Left.Main-inc, lag)
	rec := inc + min(spread(excess, turnsIncrement(area, stones)), spread(excess, turnsAbsolute(area, stones))+2*inc)
	return c.capped(rec, min(afterLag(c.Left.Main, lag), inc+excess/5))
}

// capped bounds maximum by the limit per move, and rec by maximum.
func (c *Clock) capped(rec, maximum time.Duration) Budget {
	maximum = max(maximum, 0)
	if c.Settings.System == CappedFischer && c.Settings.MoveLimit > 0 {
		maximum = min(maximum, c.Settings.MoveLimit)
	}
	return Budget{Recommended: min(max(rec, 0), maximum), Maximum: maximum}
}

func (c *Clock) overtime(lag time.Duration) Budget {
	if n := float64(c.Left.Count); c.Settings.System == Canadian && n > 1 {
		left := afterLag(c.Left.Period, lag)
		return c.capped(scale(left, 1/n), scale(left, 1/(0.75*n+0.25)))
	}
	if c.Left.Count <= 1 {
		lag *= 2 // losing on time is final, so the margin is doubled
	}
	left := afterLag(c.Left.Period, lag)
	b := c.capped(left, left)
	b.UseUp = true // the next move gets a fresh period anyway
	return b
}

// heldBackPeriods is the number of Japanese periods kept in reserve; surplus
// periods count as main time.
const heldBackPeriods = 5

func (c *Clock) mainBeforeOvertime(area, stones int, lag time.Duration) Budget {
	left := c.Left.Main
	perMove := afterLag(c.Settings.Period, lag)
	if c.Settings.System == Canadian {
		perMove /= time.Duration(c.Settings.Stones)
	} else if surplus := c.Settings.Periods - heldBackPeriods; surplus > 0 {
		left = min(left+time.Duration(surplus)*c.Settings.Period, maxDuration)
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
	longest := perMove + max(min(scale(perMove, 1.75), left), left/5)
	if rec >= left { // main time ends with this move, so use all of it
		rec = left + perMove
	}
	return c.capped(rec, min(max(rec, longest), left+perMove))
}

// afterLag subtracts the server's delay, but at most half of t.
func afterLag(t, lag time.Duration) time.Duration {
	if t < 2*lag {
		return t / 2
	}
	return t - lag
}

func spread(t time.Duration, turns float64) time.Duration { return scale(t, 1/turns) }

func scale(t time.Duration, f float64) time.Duration { return time.Duration(float64(t) * f) }

// Estimates of the moves that a player still has to make, by time system: half of the points that
// will still be filled, with a lower bound.
func turnsAbsolute(area, stones int) float64  { return turns(area, stones, 0.95, 20, 0.15, 30) }
func turnsIncrement(area, stones int) float64 { return turns(area, stones, 0.75, 15, 0.10, 20) }
func turnsByoyomi(area, stones int) float64   { return turns(area, stones, 0.50, 10, 0.02, 4) }

func turns(area, stones int, share, base, floorShare, floorBase float64) float64 {
	a := float64(area)
	return 0.5 * max(share*a+base-float64(stones), floorShare*a+floorBase)
}
