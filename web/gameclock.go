package web

import (
	"fmt"
	"time"

	"kosumi/clock"
	"kosumi/web/api"
)

// gameClock is what one player has left. Unlike an engine's own, it can run out.
type gameClock struct {
	set     clock.Settings
	main    time.Duration
	period  time.Duration // left of the period
	periods int           // byoyomi: periods left; canadian: stones left in the period
	over    bool          // main time is used up
}

// timeSettings reads what a page asks for.
func timeSettings(c api.Clock) (clock.Settings, error) {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, s := range []float64{c.Main, c.Period, c.Bonus} {
		if !(s >= 0 && s <= 100*3600) {
			return clock.Settings{}, fmt.Errorf("a time of %g seconds is out of range", s)
		}
	}
	if c.Periods < 0 || c.Periods > 1000 {
		return clock.Settings{}, fmt.Errorf("%d periods are out of range", c.Periods)
	}
	t := clock.Settings{Main: seconds(c.Main), Period: seconds(c.Period)}
	switch c.Kind {
	case "", "none":
		return clock.Settings{}, nil
	case "absolute":
		t.System = clock.Absolute
	case "byoyomi":
		t.System, t.Periods = clock.Byoyomi, c.Periods
	case "canadian":
		t.System, t.Stones = clock.Canadian, c.Periods
	case "fischer":
		t.System, t.Increment = clock.Fischer, seconds(c.Bonus)
	default:
		return t, fmt.Errorf("unknown clock %q", shown(c.Kind, 20))
	}
	t, err := t.Normalize()
	if err == nil && t.Main+t.Period+t.Increment < time.Second {
		err = fmt.Errorf("a clock needs a second at least")
	}
	return t, err
}

func newClock(t clock.Settings) gameClock {
	c := gameClock{set: t, main: t.Main}
	if c.main == 0 {
		c.enterOvertime()
	}
	return c
}

func (c *gameClock) limited() bool { return c.set.System != clock.None }

func (c *gameClock) enterOvertime() {
	switch c.set.System {
	case clock.Byoyomi:
		c.over, c.main, c.period, c.periods = true, 0, c.set.Period, c.set.Periods
	case clock.Canadian:
		c.over, c.main, c.period, c.periods = true, 0, c.set.Period, c.set.Stones
	}
}

// left is how long the player may think until the flag falls.
func (c *gameClock) left() time.Duration {
	total := c.main
	switch c.set.System {
	case clock.Byoyomi:
		if c.over {
			return c.period + time.Duration(c.periods-1)*c.set.Period
		}
		total += time.Duration(c.set.Periods) * c.set.Period
	case clock.Canadian:
		if c.over {
			return c.period
		}
		total += c.set.Period
	}
	return total
}

// spend takes time off; false if the flag has fallen.
func (c *gameClock) spend(d time.Duration) bool {
	if !c.limited() {
		return true
	}
	if !c.over {
		if d < c.main {
			c.main -= d
			return true
		}
		d -= c.main
		c.main = 0
		c.enterOvertime()
	}
	for c.set.System == clock.Byoyomi && d >= c.period && c.periods > 1 {
		d -= c.period
		c.period = c.set.Period
		c.periods--
	}
	c.period -= d
	return c.over && c.period > 0
}

// moved books a move that was made in time.
func (c *gameClock) moved() {
	switch c.set.System {
	case clock.Fischer:
		c.main += c.set.Increment
	case clock.Byoyomi:
		if c.over {
			c.period = c.set.Period
		}
	case clock.Canadian:
		if c.over {
			if c.periods--; c.periods == 0 {
				c.period, c.periods = c.set.Period, c.set.Stones
			}
		}
	}
}

// after is the clock once it has run for d more.
func (c gameClock) after(d time.Duration) gameClock {
	c.spend(d)
	return c
}

// state is what pages are told; the clock ran for d since it was last booked.
func (c gameClock) state(d time.Duration, running bool) api.ClockState {
	if running {
		c = c.after(d)
	}
	return api.ClockState{Main: c.main.Milliseconds(), Period: max(0, c.period).Milliseconds(), Periods: c.periods, Over: c.over, Running: running && c.limited()}
}

// restore is the inverse of state, for a clock that stands.
func (c *gameClock) restore(s api.ClockState) {
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	c.main, c.period, c.periods, c.over = ms(s.Main), ms(s.Period), s.Periods, s.Over
}

// tell gives an engine the clock of its colour: time, and stones or periods.
func (c *gameClock) tell() (left time.Duration, stones int) {
	if c.over {
		return c.period, c.periods
	}
	return c.main, 0
}
