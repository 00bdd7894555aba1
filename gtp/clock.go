package gtp

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// clockCommands tell the engine how much time there is.
func (s *Server) clockCommands() []handler {
	return []handler{
		{name: "time_settings", run: s.timeSettings},
		{name: "time_left", run: s.timeLeft},
		{name: "kgs-time_settings", run: s.namedTimeSettings},
		{name: "kata-time_settings", run: s.namedTimeSettings},
		{name: "kata-list_time_settings", run: text("none absolute byoyomi canadian fischer fischer-capped")},
	}
}

// timeSettings takes MAIN BYO STONES; bridges send settings before every move.
func (s *Server) timeSettings(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 3 {
		return errSyntax
	}
	n := clockNumbers{args: c.Args}
	main, period, stones := n.main(0, c.Args[1]), n.time(1, "byo-yomi time"), n.count(2, "stones")
	t := TimeSettings{System: TimeCanadian, Main: main, Period: period, Stones: stones}
	switch {
	case n.err != nil:
		return n.err
	case period > 0 && stones == 0:
		t = TimeSettings{} // so the protocol says "no limit"
	case period == 0 && main == 0:
		s.log.Warn("time settings without any time: playing without a clock")
		t = TimeSettings{}
	case period == 0:
		t = TimeSettings{System: TimeAbsolute, Main: main}
	}
	return s.engine.SetClock(t)
}

// namedTimeSettings takes the name of a time system and its numbers, for KGS and
// KataGo alike.
func (s *Server) namedTimeSettings(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) == 0 {
		return errSyntax
	}
	t, err := timeSystem(strings.ToLower(c.Args[0]), c.Args[1:])
	if err != nil {
		return err
	}
	return s.engine.SetClock(t)
}

// timeSystem makes settings from a name and numbers in seconds.
func timeSystem(name string, args []string) (TimeSettings, error) {
	want := map[string]int{
		"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3, "byo-yomi": 3, "fischer": 2, "fischer-capped": 4,
	}
	if count, known := want[name]; !known || len(args) != count {
		return TimeSettings{}, errSyntax
	}
	n := clockNumbers{args: args}
	var t TimeSettings
	switch name {
	case "absolute":
		t = TimeSettings{System: TimeAbsolute, Main: n.time(0, "main time")}
	case "canadian":
		t = TimeSettings{System: TimeCanadian, Main: n.main(0, args[1]), Period: n.time(1, "byo-yomi time"), Stones: n.count(2, "stones")}
		if n.err == nil && t.Stones < 1 {
			return TimeSettings{}, errSyntax
		}
	case "byoyomi", "byo-yomi":
		t = TimeSettings{System: TimeByoyomi, Main: n.main(0, args[1]), Period: n.time(1, "byo-yomi time"), Periods: n.count(2, "periods")}
		if t.Periods < 1 {
			t = TimeSettings{System: TimeAbsolute, Main: t.Main}
		}
	case "fischer":
		t = TimeSettings{System: TimeFischer, Main: n.main(0, args[1]), Increment: n.time(1, "increment")}
	case "fischer-capped":
		t = TimeSettings{
			System: TimeFischerCapped, Main: n.main(0, args[1]), Increment: n.time(1, "increment"),
			MainLimit: n.seconds(2, "limit of main time", -mostSeconds), MoveLimit: n.seconds(3, "limit of a move", -mostSeconds),
		}
		if n.err == nil && t.MainLimit >= 0 && t.MainLimit < t.Main {
			return TimeSettings{}, errSyntax
		}
	}
	return t, n.err
}

// timeLeft takes COLOR SECONDS [STONES].
func (s *Server) timeLeft(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 2 && len(c.Args) != 3 {
		return errSyntax
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

// Bounds of what clock commands take: 30 years, and more stones than any game has.
const (
	mostSeconds = 1e9
	mostStones  = 1e6
)

// clockNumbers reads the numbers of a clock command and keeps the first fault.
type clockNumbers struct {
	args []string
	err  error
}

// number reads a number from low to high; whole ones have no fraction.
func (n *clockNumbers) number(i int, what string, low, high float64, whole bool) float64 {
	x, err := parseNumber(n.args[i])
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
	return seconds(n.number(i, what, low, mostSeconds, false))
}

func (n *clockNumbers) time(i int, what string) time.Duration { return n.seconds(i, what, 0) }

func (n *clockNumbers) count(i int, what string) int {
	return int(n.number(i, what, 0, mostStones, true))
}

// main reads main time. Bridges send a negative one, which counts as 0, where time is
// added after it: next is the number that says how much.
func (n *clockNumbers) main(i int, next string) time.Duration {
	low := 0.0
	if added, err := parseNumber(next); err == nil && added > 0 {
		low = -mostSeconds
	}
	return max(n.seconds(i, "main time", low), 0)
}
