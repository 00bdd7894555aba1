package match

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// TimeSystem is a way to limit the players' time.
type TimeSystem string

// The systems, by the words of GTP's kgs- and kata-time_settings.
const (
	TimeNone     TimeSystem = ""
	TimeAbsolute TimeSystem = "absolute" // main time only
	TimeByoyomi  TimeSystem = "byoyomi"  // then periods; an unused period is kept
	TimeCanadian TimeSystem = "canadian" // then so many stones in each period
	TimeFischer  TimeSystem = "fischer"  // each move adds to the main time
)

// TimeControl is the clock of each player. The zero value is no clock.
type TimeControl struct {
	System TimeSystem
	// Main is the time at the start.
	Main time.Duration
	// Period is the length of an overtime period, or Fischer's increment.
	Period time.Duration
	// Count is the number of byo-yomi periods, or of Canadian stones in a period.
	Count int
}

// ParseTime reads a clock, all times in seconds and good to a millisecond: "none", "absolute MAIN",
// "byoyomi MAIN PERIOD PERIODS", "canadian MAIN PERIOD STONES", "fischer MAIN
// INCREMENT". String is the inverse.
func ParseTime(text string) (TimeControl, error) {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) == 0 || len(fields) == 1 && fields[0] == "none" {
		return TimeControl{}, nil
	}
	t := TimeControl{System: TimeSystem(strings.ReplaceAll(fields[0], "byo-yomi", "byoyomi"))}
	want := map[TimeSystem]int{TimeAbsolute: 1, TimeByoyomi: 3, TimeCanadian: 3, TimeFischer: 2}[t.System]
	if want == 0 || len(fields) != want+1 {
		return TimeControl{}, fmt.Errorf("time settings %q: want none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, "+
			"canadian MAIN PERIOD STONES or fischer MAIN INCREMENT, in seconds", text)
	}
	for i, field := range fields[1:] {
		var err error
		switch i {
		case 0:
			t.Main, err = parseSeconds(field)
		case 1:
			t.Period, err = parseSeconds(field)
		case 2:
			t.Count, err = strconv.Atoi(field)
		}
		if err != nil {
			return TimeControl{}, fmt.Errorf("time settings %q: %w", text, err)
		}
	}
	if err := t.check(); err != nil {
		return TimeControl{}, err
	}
	return t, nil
}

func parseSeconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(s) || s < 0 || s > 1e7 {
		return 0, fmt.Errorf("bad number of seconds %q", text)
	}
	return time.Duration(math.Round(s*1000)) * time.Millisecond, nil
}

// String writes the clock as ParseTime reads it.
func (t TimeControl) String() string {
	switch t.System {
	case TimeNone:
		return "none"
	case TimeAbsolute:
		return "absolute " + seconds(t.Main)
	case TimeFischer:
		return "fischer " + seconds(t.Main) + " " + seconds(t.Period)
	}
	return fmt.Sprintf("%s %s %s %d", t.System, seconds(t.Main), seconds(t.Period), t.Count)
}

// seconds writes a time as GTP wants it: plain decimals, no more than needed.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64)
}

func (t TimeControl) check() error {
	overtime := t.System == TimeByoyomi || t.System == TimeCanadian
	ok := t.Main >= 0 && t.Period >= 0
	switch t.System {
	case TimeNone:
	case TimeAbsolute:
		ok = ok && t.Main > 0
	case TimeFischer:
		ok = ok && t.Main+t.Period > 0 && t.Main > 0
	case TimeByoyomi, TimeCanadian:
		ok = ok && t.Period > 0 && t.Count > 0
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("time settings %q: no time to play in", t)
	}
	if !overtime && t.Count != 0 {
		return fmt.Errorf("time settings %q: periods or stones make no sense here", t)
	}
	return nil
}

// clock is the state of one player's time.
type clock struct {
	control TimeControl
	grace   time.Duration
	main    time.Duration // left of the main time, or of the Fischer bank
	// Canadian: left of the present period, and stones to play in it.
	period time.Duration
	stones int
	// Byo-yomi: periods left, the present one included.
	periods int
}

func newClock(t TimeControl, grace time.Duration) *clock {
	c := &clock{control: t, grace: grace, main: t.Main, period: t.Period}
	switch t.System {
	case TimeByoyomi:
		c.periods = t.Count
	case TimeCanadian:
		c.stones = t.Count
	}
	return c
}

// available returns the longest time that the next move may take, without the
// grace; ok is false when there is no clock.
func (c *clock) available() (d time.Duration, ok bool) {
	switch c.control.System {
	case TimeNone:
		return 0, false
	case TimeByoyomi:
		return c.main + time.Duration(c.periods)*c.control.Period, true
	case TimeCanadian:
		return c.main + c.period, true
	}
	return c.main, true
}

// spend takes the time of a move off the clock and reports whether the player
// is still in time. A move may overstep by the grace, and then uses up all it
// has.
func (c *clock) spend(d time.Duration) bool {
	limit, limited := c.available()
	if !limited {
		return true
	}
	if d > limit+c.grace {
		return false
	}
	overtime := max(d-c.main, 0)
	counts := overtime > 0 || c.main == 0
	c.main = max(c.main-d, 0)
	switch c.control.System {
	case TimeFischer:
		c.main += c.control.Period
	case TimeByoyomi:
		if over := overtime - c.grace; over > 0 {
			c.periods = max(c.periods-int((over-1)/c.control.Period), 1)
		}
	case TimeCanadian:
		if counts {
			c.period = max(c.period-overtime, 0)
			if c.stones--; c.stones == 0 {
				c.period, c.stones = c.control.Period, c.control.Count
			}
		}
	}
	return true
}

// inOvertime reports whether the main time is used up, and overtime exists.
func (c *clock) inOvertime() bool {
	return c.main == 0 && (c.control.System == TimeByoyomi || c.control.System == TimeCanadian)
}

// left returns what the clock shows: time, and the stones or periods that go
// with it in overtime, else 0.
func (c *clock) left() (d time.Duration, count int) {
	switch {
	case !c.inOvertime():
		return c.main, 0
	case c.control.System == TimeByoyomi:
		return c.control.Period, c.periods
	}
	return c.period, c.stones
}

// timeDialect is how a program is told about clocks.
type timeDialect int

const (
	dialectNone  timeDialect = iota // it knows no clock
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

// settings returns the command that tells a program the clock, "" for none. What
// a dialect lacks is said as well as it can be: the last byo-yomi period as
// Canadian overtime of one stone with the periods before it as main time, and
// Fischer's increment as such a period too.
func (d timeDialect) settings(t TimeControl) string {
	if t.System == TimeNone {
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
	main, period, count := t.Main, t.Period, t.Count
	switch {
	case t.System == TimeFischer && d != dialectKata:
		main, count = max(main-period, 0), 1
	case t.System == TimeByoyomi && d == dialectPlain:
		main, count = main+time.Duration(count-1)*period, 1
	}
	m, p := whole(main), whole(period)
	switch d {
	case dialectKata:
		return "kata-time_settings " + t.String()
	case dialectKGS:
		switch t.System {
		case TimeAbsolute:
			return fmt.Sprintf("kgs-time_settings absolute %d", m)
		case TimeFischer:
			return fmt.Sprintf("kgs-time_settings canadian %d %d 1", m, p)
		}
		return fmt.Sprintf("kgs-time_settings %s %d %d %d", t.System, m, p, count)
	case dialectPlain:
		return fmt.Sprintf("time_settings %d %d %d", m, p, count)
	}
	return ""
}

// left returns the arguments of time_left behind the colour, "" when there is
// nothing to say.
func (d timeDialect) left(c *clock) string {
	if c.control.System == TimeNone || d == dialectNone {
		return ""
	}
	left, count := c.left()
	if d == dialectKata {
		return fmt.Sprintf("%s %d", seconds(left), count)
	}
	switch {
	case c.control.System == TimeFischer && left <= c.control.Period:
		count = 1
	case c.control.System == TimeFischer:
		left -= c.control.Period
	case c.control.System == TimeByoyomi && d == dialectPlain:
		// All periods but the last count as main time.
		last := c.control.Period
		if main := c.main + time.Duration(c.periods-1)*last; main > 0 {
			left, count = main, 0
		} else {
			left, count = last, 1
		}
	}
	return fmt.Sprintf("%d %d", int(left/time.Second), count)
}

// whole returns whole seconds, rounded down, but at least one where there is any
// time: 0 would mean that there is none.
func whole(d time.Duration) int {
	if d > 0 && d < time.Second {
		return 1
	}
	return int(d / time.Second)
}
