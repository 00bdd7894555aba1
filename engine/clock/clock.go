package clock

import "time"

// Policy says what happens when a move takes too long.
type Policy struct {
	grace    time.Duration // a move that oversteps by less is in time
	forgives bool          // no flag falls
}

// The policies of a referee and of a player.
var (
	// Strict lets the flag fall when the time is used up.
	Strict = Policy{}
	// Forgiving lets no flag fall, since the controller decides: the clock goes on
	// with what a fresh period gives.
	Forgiving = Policy{forgives: true}
)

// Tolerant allows each move to exceed its time by a grace. Such a move uses up all time; a
// period entered by less than the grace is not lost.
func Tolerant(grace time.Duration) Policy { return Policy{grace: grace + 1} }

// Left is a player's remaining time.
type Left struct {
	Main     time.Duration // of main time, or of the Fischer bank
	Overtime bool          // main time is used up, and there is more
	Period   time.Duration // in overtime: of the running period
	Count    int           // in overtime: periods, the running one included, or stones to play in it
}

// Clock is one player's time: it runs by [Clock.Run], and [Clock.Moved] ends a move.
type Clock struct {
	Settings Settings
	Left     Left
	policy   Policy
}

// New returns a clock at the start of a game. The settings are normalized.
func New(s Settings, p Policy) Clock {
	c := Clock{Settings: s, policy: p, Left: Left{Main: s.Main}}
	if s.hasOvertime() && s.Main == 0 {
		c.enterOvertime()
	}
	return c
}

// Limited reports whether there is a clock at all.
func (c *Clock) Limited() bool { return c.Settings.System != None }

func (c *Clock) enterOvertime() {
	c.Left = Left{Overtime: true, Period: c.Settings.Period, Count: c.Settings.count()}
}

// Total is the longest time that the next move may take, without grace.
func (c *Clock) Total() time.Duration {
	l, s := &c.Left, &c.Settings
	switch {
	case l.Overtime && s.System == Byoyomi:
		return l.Period + time.Duration(l.Count-1)*s.Period
	case l.Overtime:
		return l.Period
	case s.System == Byoyomi:
		return l.Main + time.Duration(s.Periods)*s.Period
	case s.System == Canadian:
		return l.Main + s.Period
	}
	return l.Main
}

// Run takes time off, which need not be that of a whole move, and reports whether the
// player is still in time.
func (c *Clock) Run(d time.Duration) bool {
	if !c.Limited() {
		return true
	}
	d = max(d, 0)
	inTime := c.policy.forgives || d < c.Total()+c.policy.grace
	l := &c.Left
	if !l.Overtime {
		if d <= l.Main || !c.Settings.hasOvertime() {
			l.Main = max(l.Main-d, 0)
			return inTime
		}
		d -= l.Main
		c.enterOvertime()
	}
	if c.Settings.System == Byoyomi {
		for d-c.policy.grace >= l.Period && l.Count > 1 {
			d -= l.Period
			l.Period = c.Settings.Period
			l.Count--
		}
	}
	l.Period = max(l.Period-d, 0)
	return inTime
}

// Moved books a move for which the clock has run.
func (c *Clock) Moved() {
	l, s := &c.Left, &c.Settings
	switch {
	case s.System == Fischer || s.System == CappedFischer:
		l.Main = min(l.Main+s.Increment, maxDuration)
		if s.System == CappedFischer && s.MainLimit >= 0 {
			l.Main = min(l.Main, s.MainLimit)
		}
	case !l.Overtime:
		if l.Main == 0 && s.hasOvertime() {
			c.enterOvertime() // of which nothing is used yet
		}
	case s.System == Byoyomi:
		l.Period = s.Period
	default:
		if l.Count--; l.Count <= 0 || c.policy.forgives && l.Period == 0 {
			c.enterOvertime()
		}
	}
}

// Shown returns what the clock shows: time, and in overtime the stones or periods
// that go with it, else 0.
func (c *Clock) Shown() (left time.Duration, count int) {
	if c.Left.Overtime {
		return c.Left.Period, c.Left.Count
	}
	return c.Left.Main, 0
}

// Set takes over a controller's report, the inverse of Shown. A report of zero time
// and zero stones while overtime exists means that main time has just ended.
func (c *Clock) Set(left time.Duration, count int) {
	left = min(max(left, 0), maxDuration)
	switch {
	case !c.Limited():
	case count > 0:
		if !c.Settings.hasOvertime() { // that nobody declared: time for so many moves
			c.Settings = Settings{System: Canadian, Period: left, Stones: count}
		}
		c.Left = Left{Overtime: true, Period: left, Count: count}
	case left == 0 && c.Settings.hasOvertime():
		c.enterOvertime()
	default:
		c.Left = Left{Main: left}
	}
}
