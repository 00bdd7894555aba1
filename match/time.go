package match

import (
	"fmt"
	"time"

	"kosumi/engine/clock"
)

// timeDialect is the form of a program's clock commands.
type timeDialect int

const (
	dialectNone  timeDialect = iota // no clock commands
	dialectPlain                    // time_settings: whole seconds, Canadian overtime
	dialectKGS                      // kgs-time_settings: whole seconds, byo-yomi too
	dialectKata                     // kata-time_settings: everything, with decimals
)

func dialectOf(knows func(command string) bool) timeDialect {
	switch {
	case knows("kata-time_settings"):
		return dialectKata
	case knows("kgs-time_settings"):
		return dialectKGS
	case knows("time_settings"):
		return dialectPlain
	}
	return dialectNone
}

// settings returns the command that sets a program's clock, "" for none. A clock that the dialect
// lacks is approximated by Canadian overtime of one stone. The overtime's period is Fischer's
// increment or the last byo-yomi period; earlier byo-yomi periods count as main time.
func (d timeDialect) settings(t clock.Settings) string {
	if t.System == clock.None {
		switch d {
		case dialectKata:
			return "kata-time_settings none"
		case dialectKGS:
			return "kgs-time_settings none"
		case dialectPlain:
			return "time_settings 0 1 0"
		}
		return ""
	}
	main, period, count := t.Main, t.Period, t.Stones+t.Periods
	switch {
	case t.System == clock.Fischer && d != dialectKata:
		main, period, count = max(main-t.Increment, 0), t.Increment, 1
	case t.System == clock.Byoyomi && d == dialectPlain:
		main, count = main+time.Duration(count-1)*period, 1
	}
	m, p := whole(main), whole(period)
	switch d {
	case dialectKata:
		return "kata-time_settings " + t.String()
	case dialectKGS:
		switch t.System {
		case clock.Absolute:
			return fmt.Sprintf("kgs-time_settings absolute %d", m)
		case clock.Fischer:
			return fmt.Sprintf("kgs-time_settings canadian %d %d 1", m, p)
		}
		return fmt.Sprintf("kgs-time_settings %s %d %d %d", t.System, m, p, count)
	case dialectPlain:
		return fmt.Sprintf("time_settings %d %d %d", m, p, count)
	}
	return ""
}

// left returns the arguments of time_left after the colour, "" without a clock.
func (d timeDialect) left(c *clock.Clock) string {
	if !c.Limited() || d == dialectNone {
		return ""
	}
	left, count := c.Shown()
	if d == dialectKata {
		return fmt.Sprintf("%s %d", clock.Seconds(left), count)
	}
	switch set := &c.Settings; {
	case set.System == clock.Fischer && left <= set.Increment:
		count = 1
	case set.System == clock.Fischer:
		left -= set.Increment
	case set.System == clock.Byoyomi && d == dialectPlain:
		// All periods but the last count as main time.
		left, count = c.Total()-set.Period, 0
		if left <= 0 {
			left, count = set.Period, 1
		}
	}
	return fmt.Sprintf("%d %d", int(left/time.Second), count)
}

// whole returns whole seconds, rounded down, but at least 1 for a positive duration: 0
// means no time.
func whole(d time.Duration) int {
	if d > 0 && d < time.Second {
		return 1
	}
	return int(d / time.Second)
}
