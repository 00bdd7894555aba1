package search

import "time"

// timing is the clock of one search: when it ends, and how often the time is read. The owner of
// the tree calls it.
type timing struct {
	start    time.Time
	deadline time.Time   // zero: none
	latest   time.Time   // latest time to which the deadline may be extended
	snapshot time.Time   // time of the next snapshot
	alarm    *time.Timer // fires when the clock has to be checked; nil: nobody waits for it

	checked time.Time // time of the last check
	every   int       // rounds of the search cycle between two checks
	rounds  int       // rounds until the next check of the clock
}

const never = 1 << 40 * time.Microsecond

// begin starts the clock of a search.
func (c *timing) begin(now time.Time, l *Limits) {
	*c = timing{start: now, deadline: l.Deadline, checked: now, every: 1, rounds: 1,
		snapshot: now.Add(l.SnapshotEvery)}
	if l.Time > 0 {
		if end := now.Add(l.Time); c.deadline.IsZero() || end.Before(c.deadline) {
			c.deadline = end
		}
	}
	c.latest = c.deadline.Add(max(0, l.Extend))
}

// The clock is checked after a number of rounds that takes 50 to 500 microseconds, or after each
// round if rounds are slow.
const (
	mostRounds = 64
	checkEarly = 50 * time.Microsecond
	checkLate  = 500 * time.Microsecond
)

// due reports whether the clock has to be checked in this round.
func (c *timing) due() bool {
	c.rounds--
	return c.rounds <= 0
}

// check plans the next check from how long the rounds since the last one took.
func (c *timing) check(now time.Time) {
	switch d := now.Sub(c.checked); {
	case d > checkLate:
		c.every = 1
	case d < checkEarly:
		c.every = min(mostRounds, 2*c.every)
	}
	c.checked, c.rounds = now, c.every
}

// over reports whether the deadline has come.
func (c *timing) over(now time.Time) bool { return !c.deadline.IsZero() && !now.Before(c.deadline) }

// setAlarm lets the owner wake up for the next snapshot or the deadline.
func (c *timing) setAlarm(now time.Time) {
	if c.alarm == nil {
		return
	}
	next := c.snapshot
	if !c.deadline.IsZero() && c.deadline.Before(next) {
		next = c.deadline
	}
	c.alarm.Reset(next.Sub(now) + time.Microsecond)
}

// extend postpones an expired deadline by an eighth of the search's time, up to the limit, and
// returns the delay.
func (c *timing) extend(now time.Time) time.Duration {
	next := now.Add(max(c.deadline.Sub(c.start)/8, time.Millisecond))
	if next.After(c.latest) {
		next = c.latest
	}
	by := next.Sub(c.deadline)
	c.deadline = next
	c.setAlarm(now)
	return by
}

// speedAfter is how long a search with a deadline runs before its speed counts as known; short
// searches take a quarter of their time instead.
const speedAfter = 100 * time.Millisecond

// playoutsLeft estimates how many further playouts the time allows; false without a deadline or
// if the speed is not known yet.
func (c *timing) playoutsLeft(now time.Time, made int64) (float64, bool) {
	spent := now.Sub(c.start)
	if c.deadline.IsZero() || spent < min(speedAfter, c.deadline.Sub(c.start)/4) {
		return 0, false
	}
	return float64(made) * float64(c.deadline.Sub(now)) / float64(spent), true
}
