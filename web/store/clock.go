package store

import (
	"cmp"
	"fmt"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// TimeSettings converts the time settings of a page.
func TimeSettings(c api.Clock) (clock.Settings, error) {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, s := range []float64{c.Main, c.Period, c.Bonus} {
		if !(s >= 0 && s <= 100*3600) {
			return clock.Settings{}, fmt.Errorf("a time of %g seconds is out of range", s)
		}
	}
	if c.Periods < 0 || c.Periods > 1000 {
		return clock.Settings{}, fmt.Errorf("%d periods are out of range", c.Periods)
	}
	kind := cmp.Or(c.Kind, clock.None.String())
	system, known := clock.ParseSystem(kind)
	if !known || system == clock.CappedFischer || system.String() != kind {
		return clock.Settings{}, fmt.Errorf("unknown clock %q", wire.Shown(c.Kind, 20))
	}
	t := clock.Settings{System: system, Main: seconds(c.Main), Period: seconds(c.Period)}
	switch system {
	case clock.None:
		return clock.Settings{}, nil
	case clock.Byoyomi:
		t.Periods = c.Periods
	case clock.Canadian:
		t.Stones = c.Periods
	case clock.Fischer:
		t.Increment = seconds(c.Bonus)
	}
	t, err := t.Normalize()
	if err == nil && t.Main+t.Period+t.Increment < time.Second {
		err = fmt.Errorf("a clock needs a second at least")
	}
	return t, err
}

// clockState converts a clock for pages; a running one has run for d since its last update.
func clockState(c clock.Clock, d time.Duration, running bool) api.ClockState {
	if running {
		c.Run(d)
	}
	l := c.Left
	return api.ClockState{Main: l.Main.Milliseconds(), Period: l.Period.Milliseconds(), Periods: l.Count, Over: l.Overtime, Running: running && c.Limited()}
}

// leftOf is the inverse of clockState for a stopped clock.
func leftOf(s api.ClockState) clock.Left {
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	return clock.Left{Main: ms(s.Main), Period: ms(s.Period), Count: s.Periods, Overtime: s.Over}
}

// Rewound returns the clocks set to the times in at (nil: to their present times), and then takes off the
// time that the player has used in this turn. The argument running is the part of that time since the
// clock's last update. inTime is false if the player did not have so much time left.
func (g *Game) Rewound(at *[2]api.ClockState, running time.Duration) (clocks [2]clock.Clock, inTime bool) {
	clocks = g.Clocks
	side := g.Player() - board.Black
	mine := &clocks[side]
	if at == nil || g.turn == nil {
		return clocks, mine.Run(running)
	}
	left := mine.Total()
	mine.Left = leftOf(g.turn[side])
	thought := mine.Total() - left + running
	for i := range clocks {
		clocks[i].Left = leftOf(at[i])
	}
	return clocks, mine.Run(thought)
}
