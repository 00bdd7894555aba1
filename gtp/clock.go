package gtp

import (
	"context"
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

// timeSettings takes MAIN BYO STONES. Bridges send negative numbers, which count
// as 0, and settings before every move.
func (s *Server) timeSettings(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 3 {
		return errSyntax
	}
	n, err := parseNumbers(c.Args)
	if err != nil {
		return err
	}
	main, period, stones := duration(n[0]), duration(n[1]), count(n[2])
	t := TimeSettings{System: TimeCanadian, Main: main, Period: period, Stones: stones}
	switch {
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
	n, err := parseNumbers(c.Args[1:])
	if err != nil {
		return err
	}
	t, err := timeSystem(strings.ToLower(c.Args[0]), n)
	if err != nil {
		return err
	}
	return s.engine.SetClock(t)
}

// timeSystem makes settings from a name and numbers in seconds.
func timeSystem(name string, n []float64) (TimeSettings, error) {
	want := map[string]int{
		"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3, "byo-yomi": 3, "fischer": 2, "fischer-capped": 4,
	}
	if count, known := want[name]; !known || len(n) != count {
		return TimeSettings{}, errSyntax
	}
	switch name {
	case "absolute":
		return TimeSettings{System: TimeAbsolute, Main: duration(n[0])}, nil
	case "canadian":
		t := TimeSettings{System: TimeCanadian, Main: duration(n[0]), Period: duration(n[1]), Stones: count(n[2])}
		if t.Stones < 1 {
			return TimeSettings{}, errSyntax
		}
		return t, nil
	case "byoyomi", "byo-yomi":
		t := TimeSettings{System: TimeByoyomi, Main: duration(n[0]), Period: duration(n[1]), Periods: count(n[2])}
		if t.Periods < 1 {
			t = TimeSettings{System: TimeAbsolute, Main: t.Main}
		}
		return t, nil
	case "fischer":
		return TimeSettings{System: TimeFischer, Main: duration(n[0]), Increment: duration(n[1])}, nil
	case "fischer-capped":
		t := TimeSettings{
			System: TimeFischerCapped, Main: duration(n[0]), Increment: duration(n[1]),
			MainLimit: seconds(n[2]), MoveLimit: seconds(n[3]),
		}
		if t.MainLimit >= 0 && t.MainLimit < t.Main {
			return TimeSettings{}, errSyntax
		}
		return t, nil
	}
	return TimeSettings{}, nil
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
	n, err := parseNumbers(c.Args[1:])
	if err != nil {
		return err
	}
	stones := 0
	if len(n) == 2 {
		stones = count(n[1])
	}
	return s.engine.TimeLeft(color, seconds(n[0]), stones)
}

func parseNumbers(args []string) ([]float64, error) {
	n := make([]float64, len(args))
	for i, a := range args {
		var err error
		if n[i], err = parseNumber(a); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// duration is a number of seconds, negative ones counting as 0.
func duration(s float64) time.Duration { return max(seconds(s), 0) }

// count is a number of stones or periods, negative ones counting as 0.
func count(f float64) int { return int(min(max(f, 0), 1e6)) }
