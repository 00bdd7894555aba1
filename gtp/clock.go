package gtp

import (
	"context"
	"fmt"
	"math"
	"time"

	"kosumi/engine/clock"
)

func (s *handlers) clockCommands() []Handler {
	return []Handler{
		{Name: "time_settings", Run: s.timeSettings, args: 3, usage: usage{"MAIN PERIOD STONES", "clocks in seconds: absolute or Canadian time", standard}},
		{Name: "time_left", Run: s.timeLeft, usage: usage{"COLOR SECONDS STONES", "the time left on a clock", standard}},
		{Name: "kgs-time_settings", Run: s.namedTimeSettings, usage: usage{"SYSTEM [ARGUMENTS]", "one of none, absolute MAIN, canadian MAIN PERIOD STONES, byoyomi MAIN PERIOD PERIODS", byKGS}},
		{Name: "kata-time_settings", Run: s.namedTimeSettings, usage: usage{"SYSTEM [ARGUMENTS]", "as kgs-time_settings, and fischer MAIN INCREMENT, fischer-capped MAIN INCREMENT LIMIT MAXIMUM", byKataGo}},
		{Name: "kata-list_time_settings", Run: Text("none absolute byoyomi canadian fischer fischer-capped"), usage: usage{"", "the systems that kata-time_settings knows", byKataGo}},
	}
}

// timeSettings takes MAIN PERIOD STONES. Bridges send it during a game too, before every move.
func (s *handlers) timeSettings(_ context.Context, c Command, _ *Reply) error {
	n := clockNumbers{args: c.Args}
	main, period, stones := n.main(0, c.Args[1]), n.time(1, "byo-yomi time"), n.count(2, "stones")
	t := clock.Settings{System: clock.Canadian, Main: main, Period: period, Stones: stones}
	switch {
	case n.err != nil:
		return n.err
	case period > 0 && stones == 0:
		t = clock.Settings{} // the protocol's form of "no limit"
	case period == 0 && main == 0:
		s.log.Warn("time settings without any time: playing without a clock")
		t = clock.Settings{}
	case period == 0:
		t = clock.Settings{System: clock.Absolute, Main: main}
	}
	return s.engine.SetClock(t)
}

// namedTimeSettings takes the name of a time system and its numbers, for KGS and
// KataGo alike.
func (s *handlers) namedTimeSettings(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) == 0 {
		return ErrSyntax
	}
	t, err := timeSystem(c.Args[0], c.Args[1:])
	if err != nil {
		return err
	}
	return s.engine.SetClock(t)
}

// timeSystem makes settings from a name and numbers in seconds.
func timeSystem(name string, args []string) (clock.Settings, error) {
	system, known := clock.ParseSystem(name)
	want := [...]int{clock.None: 0, clock.Absolute: 1, clock.Canadian: 3, clock.Byoyomi: 3, clock.Fischer: 2, clock.CappedFischer: 4}
	if !known || len(args) != want[system] {
		return clock.Settings{}, ErrSyntax
	}
	n := clockNumbers{args: args}
	t := clock.Settings{System: system}
	switch system {
	case clock.Absolute:
		t.Main = n.time(0, "main time")
	case clock.Canadian:
		t.Main, t.Period, t.Stones = n.main(0, args[1]), n.time(1, "byo-yomi time"), n.count(2, "stones")
		if n.err == nil && t.Stones < 1 {
			return clock.Settings{}, ErrSyntax
		}
	case clock.Byoyomi:
		t.Main, t.Period, t.Periods = n.main(0, args[1]), n.time(1, "byo-yomi time"), n.count(2, "periods")
		if t.Periods < 1 {
			t = clock.Settings{System: clock.Absolute, Main: t.Main}
		}
	case clock.Fischer:
		t.Main, t.Increment = n.main(0, args[1]), n.time(1, "increment")
	case clock.CappedFischer:
		t.Main, t.Increment = n.main(0, args[1]), n.time(1, "increment")
		t.MainLimit, t.MoveLimit = n.seconds(2, "limit of main time", -mostSeconds), n.seconds(3, "limit of a move", -mostSeconds)
		if n.err == nil && t.MainLimit >= 0 && t.MainLimit < t.Main {
			return clock.Settings{}, ErrSyntax
		}
	}
	return t, n.err
}

func (s *handlers) timeLeft(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 2 && len(c.Args) != 3 {
		return ErrSyntax
	}
	color, err := parseColor(c.Args[0])
	if err != nil {
		return err
	}
	n := clockNumbers{args: c.Args[1:]}
	left, stones := n.seconds(0, "time left", -mostSeconds), 0
	if len(n.args) == 2 {
		stones = n.count(1, "stones")
	}
	if n.err != nil {
		return n.err
	}
	return s.engine.TimeLeft(color, left, stones)
}

// Upper bounds for clock commands: 30 years, and more stones than any game has.
const (
	mostSeconds = 1e9
	mostStones  = 1e6
)

// clockNumbers reads the numbers of a clock command and keeps the first fault.
type clockNumbers struct {
	args []string
	err  error
}

// number reads argument i, which must lie between low and high and, if whole is true, have no
// fraction.
func (n *clockNumbers) number(i int, what string, low, high float64, whole bool) float64 {
	x, err := ParseNumber(n.args[i])
	if err == nil && !(x >= low && x <= high && (!whole || x == math.Trunc(x))) {
		kind := "a number of seconds"
		if whole {
			kind = "an integer"
		}
		err = fmt.Errorf("%s %s: must be %s from %.0f to %.0f", what, n.args[i], kind, low, high)
	}
	if err != nil && n.err == nil {
		n.err = err
	}
	if err != nil {
		return 0
	}
	return x
}

func (n *clockNumbers) seconds(i int, what string, low float64) time.Duration {
	return Seconds(n.number(i, what, low, mostSeconds, false))
}

func (n *clockNumbers) time(i int, what string) time.Duration { return n.seconds(i, what, 0) }

func (n *clockNumbers) count(i int, what string) int {
	return int(n.number(i, what, 0, mostStones, true))
}

// main reads main time. Some bridges send a negative one, which counts as 0 if the argument after
// it, the period or increment, is positive.
func (n *clockNumbers) main(i int, next string) time.Duration {
	low := 0.0
	if added, err := ParseNumber(next); err == nil && added > 0 {
		low = -mostSeconds
	}
	return max(n.seconds(i, "main time", low), 0)
}
