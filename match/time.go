package match

import (
	"fmt"
	"time"

	"kosumi/engine/clock"
)

// timeDialect is the command that sets a program's clock.
type timeDialect string

const (
	dialectNone  timeDialect = ""                   // no command
	dialectPlain timeDialect = "time_settings"      // whole seconds, Canadian overtime
	dialectKGS   timeDialect = "kgs-time_settings"  // whole seconds, byo-yomi too
	dialectKata  timeDialect = "kata-time_settings" // everything, with decimals
)

// dialectOf returns the most exact dialect that a program knows.
func dialectOf(knows func(command string) bool) timeDialect {
	for _, d := range []timeDialect{dialectKata, dialectKGS, dialectPlain} {
		if knows(string(d)) {
			return d
		}
	}
	return dialectNone
}

// settings returns the command with its arguments. A clock that the dialect lacks is approximated by
// Canadian overtime of one stone. The overtime's period is Fischer's increment or the last byo-yomi
// period; earlier byo-yomi periods count as main time.
func (d timeDialect) settings(t clock.Settings) string {
	if d == dialectKata {
		return fmt.Sprintf("%s %s", d, t)
	}
	main, period, count := t.Main, t.Period, t.Stones+t.Periods
	switch {
	case t.System == clock.Fischer:
		main, period, count = max(main-t.Increment, 0), t.Increment, 1
	case t.System == clock.Byoyomi && d == dialectPlain:
		main, count = main+time.Duration(count-1)*period, 1
	}
	numbers := fmt.Sprintf("%d %d %d", whole(main), whole(period), count)
	switch {
	case d == dialectPlain:
		return fmt.Sprintf("%s %s", d, numbers)
	case t.System == clock.Absolute:
		return fmt.Sprintf("%s absolute %d", d, whole(main))
	case t.System == clock.Fischer:
		return fmt.Sprintf("%s canadian %s", d, numbers)
	}
	return fmt.Sprintf("%s %s %s", d, t.System, numbers)
}

// left returns the arguments that follow the colour in time_left; "" without a clock or a command to set it.
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

// whole returns whole seconds, rounded down, but at least 1 for a positive duration, since 0
// would tell the program that no time is left.
func whole(d time.Duration) int {
	if d > 0 && d < time.Second {
		return 1
	}
	return int(d / time.Second)
}
