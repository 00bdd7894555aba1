package gtp

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
)

func TestClock(t *testing.T) {
	const s = time.Second
	for command, want := range map[string]clock.Settings{
		"time_settings 0 1 0":                           {},
		"time_settings 0 0 0":                           {},
		"time_settings 600 0 0":                         {System: clock.Absolute, Main: 600 * s},
		"time_settings 600 0 5":                         {System: clock.Absolute, Main: 600 * s},
		"time_settings 300 30 5":                        {System: clock.Canadian, Main: 300 * s, Period: 30 * s, Stones: 5},
		"time_settings -10 10 1":                        {System: clock.Canadian, Period: 10 * s, Stones: 1},
		"kgs-time_settings none":                        {},
		"kgs-time_settings absolute 60,5":               {System: clock.Absolute, Main: 60*s + s/2},
		"kgs-time_settings canadian 60 30 10":           {System: clock.Canadian, Main: 60 * s, Period: 30 * s, Stones: 10},
		"kgs-time_settings byoyomi 60 30 3":             {System: clock.Byoyomi, Main: 60 * s, Period: 30 * s, Periods: 3},
		"kata-time_settings byo-yomi 60 30 3":           {System: clock.Byoyomi, Main: 60 * s, Period: 30 * s, Periods: 3},
		"kata-time_settings byoyomi 60 30 0":            {System: clock.Absolute, Main: 60 * s},
		"kata-time_settings Fischer 60 1.5":             {System: clock.Fischer, Main: 60 * s, Increment: 3 * s / 2},
		"kata-time_settings fischer-capped 60 5 120 -1": {System: clock.CappedFischer, Main: 60 * s, Increment: 5 * s, MainLimit: 120 * s, MoveLimit: -s},
		"kata-time_settings fischer-capped 60 5 -1 1e9": {System: clock.CappedFischer, Main: 60 * s, Increment: 5 * s, MainLimit: -s, MoveLimit: 1e9 * s},
		"kgs-time_settings byoyomi -5 10 1":             {System: clock.Byoyomi, Period: 10 * s, Periods: 1},
		"kata-time_settings fischer -5 10":              {System: clock.Fischer, Increment: 10 * s},
	} {
		f := newFake()
		f.clock = clock.Settings{System: clock.Fischer}
		require.Equal(t, "= \n\n", talk(t, f, Options{}, command), command)
		require.Equal(t, want, f.clock, command)
	}
	f := newFake()
	talk(t, f, Options{}, "time_left b 12,5 0\ntime_left w -3 2\n")
	require.Equal(t, [3]time.Duration{board.Black: 25 * s / 2, board.White: -3 * s}, f.left)
}

// TestClockRefusals: every clock command refuses bad and impossible times, and the clock stays
// unchanged.
func TestClockRefusals(t *testing.T) {
	commands := []string{
		"time_settings -1 -1 -1", "time_settings -1 0 0", "time_settings -1 0 5", "time_settings 10 -1 5", "time_settings 10 5 -1",
		"time_settings 10 5 2.5", "time_settings 0 0 1e7",
	}
	for _, x := range []string{"1e300", "1e26", "-1e300", "1e999", "nan", "inf", "-inf", "0x1p4", ""} {
		for _, form := range []string{
			"time_settings X 0 0", "time_settings 10 X 5", "time_settings 10 5 X", "kgs-time_settings absolute X",
			"kgs-time_settings canadian X 5 5", "kgs-time_settings canadian 10 X 5", "kgs-time_settings canadian 10 5 X",
			"kgs-time_settings byoyomi X 5 5", "kata-time_settings byoyomi 10 X 5", "kata-time_settings byoyomi 10 5 X",
			"kata-time_settings fischer X 5", "kata-time_settings fischer 5 X",
			"kata-time_settings fischer-capped X 5 -1 -1", "kata-time_settings fischer-capped 5 X -1 -1",
			"kata-time_settings fischer-capped 5 5 X -1", "kata-time_settings fischer-capped 5 5 -1 X",
			"time_left b X 0", "time_left b 5 X",
		} {
			if x != "" || !strings.HasPrefix(form, "time_left") { // time_left may lack its count
				commands = append(commands, strings.Replace(form, "X", x, 1))
			}
		}
	}
	for _, x := range []string{"-1", "-0.001"} {
		for _, form := range []string{
			"time_settings 10 X 5", "kgs-time_settings absolute X", "kgs-time_settings canadian 10 X 5", "kgs-time_settings canadian 10 5 X",
			"kata-time_settings byoyomi 10 X 5", "kata-time_settings byoyomi 10 5 X", "kata-time_settings fischer 5 X", "kata-time_settings fischer X 0",
			"time_left b 5 X",
		} {
			commands = append(commands, strings.Replace(form, "X", x, 1))
		}
	}
	for _, c := range commands {
		f := newFake()
		f.clock = clock.Settings{System: clock.Fischer}
		out := talk(t, f, Options{}, c)
		require.True(t, strings.HasPrefix(out, "? "), "%s: %s", c, out)
		require.Equal(t, clock.Settings{System: clock.Fischer}, f.clock, c)
		require.Zero(t, f.left, c)
	}
	require.Equal(t, "? main time -1: must be a number of seconds from 0 to 1000000000\n\n", talk(t, newFake(), Options{}, "time_settings -1 -1 -1"))
	require.Equal(t, "? main time 1e300: must be a number of seconds from 0 to 1000000000\n\n", talk(t, newFake(), Options{}, "time_settings 1e300 0 0"))
	require.Equal(t, "? stones -1: must be an integer from 0 to 1000000\n\n", talk(t, newFake(), Options{}, "time_left b 3 -1"))
}
