package clock

import "time"

// Policy says what happens when a move exceeds its time.
type Policy struct {
	grace    time.Duration // a move that is late by less than this is in time
	forgives bool          // the flag never falls
}

// The policies of a referee and of a player.
var (
	// Strict ends the game when the time is used up.
	Strict = Policy{}
	// Forgiving never ends the game, since the controller decides who loses on time: the clock
	// continues with a fresh period.
	Forgiving = Policy{forgives: true}
)

// Tolerant lets each move be late by up to grace: a late move uses up the remaining time, but loses
// neither the game nor a period.
func Tolerant(grace time.Duration) Policy { return Policy{grace: grace + 1} }

// Left is a player's remaining time.
type Left struct {
	Main     time.Duration // main time, or the bank of Fischer time
	Overtime bool          // main time is used up and there is overtime
	Period   time.Duration // in overtime: what is left of the current period
	Count    int           // in overtime: periods left, this one included (byo-yomi), or stones to play in it (Canadian)
}

// Clock is one player's clock: [Clock.Run] takes time off, [Clock.Moved] ends a move.
type Clock struct {
	Settings Settings
	Left     Left
	policy   Policy
}

// New returns a clock at the start of a game. It normalizes the settings.
func New(s Settings, p Policy) Clock {
	c := Clock{Settings: s, policy: p, Left: Left{Main: s.Main}}
	if s.hasOvertime() && s.Main == 0 {
		c.enterOvertime()
	}
	return c
}

// Limited reports whether time is limited.
func (c *Clock) Limited() bool { return c.Settings.System != None }

func (c *Clock) enterOvertime() {
	c.Left = Left{Overtime: true, Period: c.Settings.Period, Count: c.Settings.count()}
}

// Total returns the longest time that the next move may take, without grace.
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

// Run subtracts time, of a whole move or of a part, and reports whether the player is still in
// time.
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

// Moved ends a move after Run has subtracted its time.
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
			c.enterOvertime() // a full period
		}
	case s.System == Byoyomi:
		l.Period = s.Period
	default:
		if l.Count--; l.Count <= 0 || c.policy.forgives && l.Period == 0 {
			c.enterOvertime()
		}
	}
}

// Shown returns the remaining time and, in overtime, the stones or periods left, else 0.
func (c *Clock) Shown() (left time.Duration, count int) {
	if c.Left.Overtime {
		return c.Left.Period, c.Left.Count
	}
	return c.Left.Main, 0
}

// Set overwrites the clock with a controller's report; it is the inverse of Shown. Zero time and
// zero stones mean that main time has just ended, if overtime exists.
func (c *Clock) Set(left time.Duration, count int) {
	left = min(max(left, 0), maxDuration)
	switch {
	case !c.Limited():
	case count > 0:
		if !c.Settings.hasOvertime() { // the settings have no overtime: assume a Canadian one
			c.Settings = Settings{System: Canadian, Period: left, Stones: count}
		}
		c.Left = Left{Overtime: true, Period: left, Count: count}
	case left == 0 && c.Settings.hasOvertime():
		c.enterOvertime()
	default:
		c.Left = Left{Main: left}
	}
}
