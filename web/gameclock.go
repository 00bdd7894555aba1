package web

import (
	"fmt"
	"time"

	"kosumi/engine"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// clock is what one player has left. Unlike an engine's own, it can run out.
type clock struct {
	set     engine.TimeSettings
	main    time.Duration
	period  time.Duration // left of the period
	periods int           // byoyomi: periods left; canadian: stones left in the period
	over    bool          // main time is used up
}

// timeSettings reads what a page asks for.
func timeSettings(c api.Clock) (engine.TimeSettings, error) {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, s := range []float64{c.Main, c.Period, c.Bonus} {
		if !(s >= 0 && s <= 100*3600) {
			return engine.TimeSettings{}, fmt.Errorf("a time of %g seconds is out of range", s)
		}
	}
	if c.Periods < 0 || c.Periods > 1000 {
		return engine.TimeSettings{}, fmt.Errorf("%d periods are out of range", c.Periods)
	}
	t := engine.TimeSettings{Main: seconds(c.Main), Period: seconds(c.Period)}
	switch c.Kind {
	case "", "none":
		return engine.TimeSettings{}, nil
	case "absolute":
		t.System = engine.AbsoluteTime
	case "byoyomi":
		t.System, t.Periods = engine.JapaneseByoyomi, c.Periods
	case "canadian":
		t.System, t.Stones = engine.CanadianByoyomi, c.Periods
	case "fischer":
		t.System, t.Increment = engine.FischerTime, seconds(c.Bonus)
	default:
		return t, fmt.Errorf("unknown clock %q", wire.Shown(c.Kind, 20))
	}
	t, err := t.Normalize()
	if err == nil && t.Main+t.Period+t.Increment < time.Second {
		err = fmt.Errorf("a clock needs a second at least")
	}
	return t, err
}

func newClock(t engine.TimeSettings) clock {
	c := clock{set: t, main: t.Main}
	if c.main == 0 {
		c.enterOvertime()
	}
	return c
}

func (c *clock) limited() bool { return c.set.System != engine.NoTimeLimit }

func (c *clock) enterOvertime() {
	switch c.set.System {
	case engine.JapaneseByoyomi:
		c.over, c.main, c.period, c.periods = true, 0, c.set.Period, c.set.Periods
	case engine.CanadianByoyomi:
		c.over, c.main, c.period, c.periods = true, 0, c.set.Period, c.set.Stones
	}
}

// left is how long the player may think until the flag falls.
func (c *clock) left() time.Duration {
	total := c.main
	switch c.set.System {
	case engine.JapaneseByoyomi:
		if c.over {
			return c.period + time.Duration(c.periods-1)*c.set.Period
		}
		total += time.Duration(c.set.Periods) * c.set.Period
	case engine.CanadianByoyomi:
		if c.over {
			return c.period
		}
		total += c.set.Period
	}
	return total
}

// spend takes time off; false if the flag has fallen.
func (c *clock) spend(d time.Duration) bool {
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
	for c.set.System == engine.JapaneseByoyomi && d >= c.period && c.periods > 1 {
		d -= c.period
		c.period = c.set.Period
		c.periods--
	}
	c.period -= d
	return c.over && c.period > 0
}

// moved books a move that was made in time.
func (c *clock) moved() {
	switch c.set.System {
	case engine.FischerTime:
		c.main += c.set.Increment
	case engine.JapaneseByoyomi:
		if c.over {
			c.period = c.set.Period
		}
	case engine.CanadianByoyomi:
		if c.over {
			if c.periods--; c.periods == 0 {
				c.period, c.periods = c.set.Period, c.set.Stones
			}
		}
	}
}

// after is the clock once it has run for d more.
func (c clock) after(d time.Duration) clock {
	c.spend(d)
	return c
}

// state is what pages are told; the clock ran for d since it was last booked.
func (c clock) state(d time.Duration, running bool) api.ClockState {
	if running {
		c = c.after(d)
	}
	return api.ClockState{Main: c.main.Milliseconds(), Period: max(0, c.period).Milliseconds(), Periods: c.periods, Over: c.over, Running: running && c.limited()}
}

// restore is the inverse of state, for a clock that stands.
func (c *clock) restore(s api.ClockState) {
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	c.main, c.period, c.periods, c.over = ms(s.Main), ms(s.Period), s.Periods, s.Over
}

// tell gives an engine the clock of its colour: time, and stones or periods.
func (c *clock) tell() (left time.Duration, stones int) {
	if c.over {
		return c.period, c.periods
	}
	return c.main, 0
}
