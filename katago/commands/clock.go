package commands

import (
	"context"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/gtp"
)

// mostTime is the longest time that a client may set, in seconds.
const mostTime = 1e25

// clockCommands set the clocks of the engine, and remember the commands for kata-debug-print-tc.
type clockCommands struct {
	*Personality
	settings string
	overtime bool // the time system has overtime periods
	left     [2]string
}

func hasPeriods(t clock.Settings) bool {
	return t.System == clock.Canadian || t.System == clock.Byoyomi
}

func (k *clockCommands) list() []gtp.Handler {
	return []gtp.Handler{
		{Name: "time_settings", Run: k.timeSettings}, {Name: "kgs-time_settings", Run: k.namedTime}, {Name: "kata-time_settings", Run: k.namedTime},
		{Name: "time_left", Run: k.timeLeft}, {Name: "kata-debug-print-tc", Run: k.printClocks},
	}
}

// printClocks shows the last time settings of both players.
func (k *clockCommands) printClocks(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	return r.Print("Black " + k.settings + k.left[0] + "\nWhite " + k.settings + k.left[1])
}

// clockArgs reads the numbers of a time system and keeps the first error.
type clockArgs struct {
	args []string
	err  error
}

func (a *clockArgs) fail(format string, args ...any) {
	if a.err == nil {
		a.err = gtp.Failf(format, args...)
	}
}

// time reads a number of seconds.
func (a *clockArgs) time(i int, what string, negative bool) time.Duration {
	x, err := 0.0, error(gtp.ErrSyntax)
	if i < len(a.args) && !strings.Contains(a.args[i], ",") {
		x, err = gtp.ParseNumber(a.args[i])
	}
	if err != nil {
		a.fail("Expected float for %s as argument %d", what, i)
		return 0
	}
	if x > mostTime || x < 0 && !negative || x < -mostTime {
		a.fail("%s is an invalid value: %s", what, a.args[i])
	}
	return gtp.Seconds(x)
}

// count reads a number of stones or periods.
func (a *clockArgs) count(i int, what string) int {
	n, err := 0, error(gtp.ErrSyntax)
	if i < len(a.args) {
		n, err = strconv.Atoi(a.args[i])
	}
	if err != nil {
		a.fail("Expected int for byo-yomi overtime %s as argument %d", what, i)
		return 0
	}
	if n < 0 || n > 1000000 {
		a.fail("byo-yomi overtime %s is an invalid value: %s", what, a.args[i])
	}
	return n
}

// canadian reads main time, period and stones.
func (a *clockArgs) canadian(i int, period string) clock.Settings {
	t := clock.Settings{System: clock.Canadian, Main: a.time(i, "main time", false), Period: a.time(i+1, period, false), Stones: a.count(i+2, "stones")}
	switch {
	case t.Stones == 0 && t.Period > 0:
		return clock.Settings{} // GTP's way to say "no limit"
	case t.Stones == 0:
		return clock.Settings{System: clock.Absolute, Main: t.Main}
	}
	return t
}

func (k *clockCommands) timeSettings(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	a := clockArgs{args: c.Args}
	return k.setClock(c, a.canadian(0, "byo-yomi per-period time"), a.err)
}

func (k *clockCommands) setClock(c gtp.Command, t clock.Settings, err error) error {
	if err != nil {
		return err
	}
	if err := k.Engine.SetClock(t); err != nil {
		return err
	}
	k.settings, k.overtime, k.left = c.Name+" "+args(c), hasPeriods(t), [2]string{}
	return nil
}

func (k *clockCommands) namedTime(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	a := clockArgs{args: c.Args}
	name, fischer := "", c.Name == "kata-time_settings"
	if len(c.Args) > 0 {
		name = strings.ToLower(c.Args[0])
	}
	var t clock.Settings
	switch {
	case name == "none":
	case name == "absolute":
		t = clock.Settings{System: clock.Absolute, Main: a.time(1, "main time", false)}
	case name == "canadian":
		t = a.canadian(1, "byo-yomi period time")
	case name == "byoyomi":
		t = clock.Settings{System: clock.Byoyomi, Main: a.time(1, "main time", false), Period: a.time(2, "byo-yomi per-period time", false), Periods: a.count(3, "periods")}
		if t.Periods == 0 {
			t = clock.Settings{System: clock.Absolute, Main: t.Main}
		}
	case name == "fischer" && fischer:
		t = clock.Settings{System: clock.Fischer, Main: a.time(1, "main time", false), Increment: a.time(2, "increment time", false)}
	case name == "fischer-capped" && fischer:
		t = clock.Settings{
			System: clock.CappedFischer, Main: a.time(1, "main time", false), Increment: a.time(2, "increment time", false),
			MainLimit: a.time(3, "main time limit", true), MoveLimit: a.time(4, "max time per move", true),
		}
		if t.MainLimit >= 0 && t.MainLimit < t.Main {
			a.fail("TimeControls: mainTimeLimit is smaller than mainTime")
		}
	case fischer:
		a.fail("Expected 'none', 'absolute', 'byoyomi', 'canadian', 'fischer', or 'fischer-capped' as first argument for kata-time_settings")
	default:
		a.fail("Expected 'none', 'absolute', 'byoyomi', or 'canadian' as first argument for kgs-time_settings")
	}
	return k.setClock(c, t, a.err)
}

func (k *clockCommands) timeLeft(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	form := gtp.Failf("Expected player and float time and int stones for time_left but got '%s'", args(c))
	if len(c.Args) != 3 || strings.Contains(c.Args[1], ",") {
		return form
	}
	color, errC := board.ParseColor(c.Args[0])
	left, errT := gtp.ParseNumber(c.Args[1])
	stones, errS := strconv.Atoi(c.Args[2])
	if errC != nil || errT != nil || errS != nil {
		return form
	}
	switch {
	case left < -10 || left > mostTime:
		return gtp.Failure("invalid time")
	case stones < 0 || stones > 100000:
		return gtp.Failure("invalid stones")
	case stones > 0 && !k.overtime:
		return gtp.Failure("stones left in period is > 0 but the time control used does not have any overtime periods")
	}
	if err := k.Engine.TimeLeft(color, gtp.Seconds(left), stones); err != nil {
		return err
	}
	k.left[color-board.Black] = ", " + c.Name + " " + args(c)
	return nil
}
