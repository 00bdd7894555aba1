package clock

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseSystem reads the name of a time system; "byo-yomi" is accepted for "byoyomi".
func ParseSystem(name string) (System, bool) {
	i := slices.Index(names[:], strings.Replace(strings.ToLower(name), "byo-yomi", "byoyomi", 1))
	return System(max(i, 0)), i >= 0
}

// Parse reads playable settings, all times in seconds with up to three decimals: "none",
// "absolute MAIN", "byoyomi MAIN PERIOD PERIODS", "canadian MAIN PERIOD STONES", "fischer MAIN
// INCREMENT". String is the inverse.
func Parse(text string) (Settings, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return Settings{}, nil
	}
	system, known := ParseSystem(fields[0])
	want := [...]int{None: 0, Absolute: 1, Canadian: 3, Byoyomi: 3, Fischer: 2, CappedFischer: -1}
	if !known || len(fields) != want[system]+1 {
		return Settings{}, fmt.Errorf("time settings %q: want none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, "+
			"canadian MAIN PERIOD STONES or fischer MAIN INCREMENT, in seconds", text)
	}
	s := Settings{System: system}
	for i, field := range fields[1:] {
		var err error
		switch {
		case i == 0:
			s.Main, err = parseSeconds(field)
		case system == Fischer:
			s.Increment, err = parseSeconds(field)
		case i == 1:
			s.Period, err = parseSeconds(field)
		case system == Canadian:
			s.Stones, err = strconv.Atoi(field)
		default:
			s.Periods, err = strconv.Atoi(field)
		}
		if err != nil {
			return Settings{}, fmt.Errorf("time settings %q: %w", text, err)
		}
	}
	if err := s.Check(); err != nil {
		return Settings{}, err
	}
	return s, nil
}

func parseSeconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(s) || s < 0 || s > 1e7 {
		return 0, fmt.Errorf("bad number of seconds %q", text)
	}
	return time.Duration(math.Round(s*1000)) * time.Millisecond, nil
}

// Check returns an error if the settings leave no time to play.
func (s Settings) Check() error {
	ok := s.Main >= 0 && s.Period >= 0 && s.Increment >= 0 && s.System <= CappedFischer
	switch s.System {
	case None:
	case Canadian, Byoyomi:
		ok = ok && s.Period > 0 && s.count() > 0
	default:
		ok = ok && s.Main > 0
	}
	if !ok {
		return fmt.Errorf("time settings %q: no time to play in", s)
	}
	return nil
}

// String writes settings as Parse reads them, except capped Fischer time, which Parse does not read.
func (s Settings) String() string {
	switch s.System {
	case None:
		return "none"
	case Absolute:
		return "absolute " + Seconds(s.Main)
	case Fischer, CappedFischer:
		return s.System.String() + " " + Seconds(s.Main) + " " + Seconds(s.Increment)
	}
	return fmt.Sprintf("%s %s %s %d", s.System, Seconds(s.Main), Seconds(s.Period), s.count())
}

func (s Settings) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Settings) UnmarshalText(text []byte) (err error) {
	*s, err = Parse(string(text))
	return err
}

// Seconds writes a time for GTP: a plain decimal with up to three digits after the point, as few
// as needed.
func Seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64)
}
