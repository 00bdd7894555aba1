package gtp

import (
	"context"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
)

// mostTime is the longest time that a client may give, in seconds.
const mostTime = 1e25

// clocks are what clients said of the clocks, in their words; the engine keeps time.
type clocks struct {
	settings string
	overtime bool // the settings have periods
	left     [2]string
}

// set takes what settings are now in force, by the words of a command.
func (k *clocks) set(t TimeSettings, words string) {
	*k = clocks{settings: words, overtime: t.System == TimeCanadian || t.System == TimeByoyomi}
}

func (k *kataServer) clock() []handler {
	return []handler{
		{name: "time_settings", run: k.timeSettings}, {name: "kgs-time_settings", run: k.namedTime}, {name: "kata-time_settings", run: k.namedTime},
		{name: "time_left", run: k.timeLeft}, {name: "kata-debug-print-tc", run: k.printClocks},
	}
}

// printClocks tells how the clocks were set last.
func (k *kataServer) printClocks(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString("Black " + k.clocks.settings + k.clocks.left[0] + "\nWhite " + k.clocks.settings + k.clocks.left[1])
	return err
}

// clockArgs reads the numbers of a time system and keeps the first fault.
type clockArgs struct {
	args []string
	err  error
}

func (a *clockArgs) fail(format string, args ...any) {
	if a.err == nil {
		a.err = kataErrorf(format, args...)
	}
}

// time reads seconds.
func (a *clockArgs) time(i int, what string, negative bool) time.Duration {
	x, err := 0.0, errSyntax
	if i < len(a.args) && !strings.Contains(a.args[i], ",") {
		x, err = parseNumber(a.args[i])
	}
	if err != nil {
		a.fail("Expected float for %s as argument %d", what, i)
		return 0
	}
	if x > mostTime || x < 0 && !negative || x < -mostTime {
		a.fail("%s is an invalid value: %s", what, a.args[i])
	}
	return seconds(x)
}

// count reads stones or periods.
func (a *clockArgs) count(i int, what string) int {
	n, err := 0, errSyntax
	if i < len(a.args) {
		n, err = parseInt(a.args[i])
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
func (a *clockArgs) canadian(i int, period string) TimeSettings {
	t := TimeSettings{System: TimeCanadian, Main: a.time(i, "main time", false), Period: a.time(i+1, period, false), Stones: a.count(i+2, "stones")}
	switch {
	case t.Stones == 0 && t.Period > 0:
		return TimeSettings{} // so the protocol says "no limit"
	case t.Stones == 0:
		return TimeSettings{System: TimeAbsolute, Main: t.Main}
	}
	return t
}

func (k *kataServer) timeSettings(_ context.Context, c Command, _ *Reply) error {
	a := clockArgs{args: c.Args}
	return k.setClock(c, a.canadian(0, "byo-yomi per-period time"), a.err)
}

func (k *kataServer) setClock(c Command, t TimeSettings, err error) error {
	if err != nil {
		return err
	}
	if err := k.engine.SetClock(t); err != nil {
		return err
	}
	k.clocks.set(t, c.Name+" "+c.args())
	return nil
}

func (k *kataServer) namedTime(_ context.Context, c Command, _ *Reply) error {
	a := clockArgs{args: c.Args}
	name, fischer := "", c.Name == "kata-time_settings"
	if len(c.Args) > 0 {
		name = strings.ToLower(c.Args[0])
	}
	var t TimeSettings
	switch {
	case name == "none":
	case name == "absolute":
		t = TimeSettings{System: TimeAbsolute, Main: a.time(1, "main time", false)}
	case name == "canadian":
		t = a.canadian(1, "byo-yomi period time")
	case name == "byoyomi":
		t = TimeSettings{System: TimeByoyomi, Main: a.time(1, "main time", false), Period: a.time(2, "byo-yomi per-period time", false), Periods: a.count(3, "periods")}
		if t.Periods == 0 {
			t = TimeSettings{System: TimeAbsolute, Main: t.Main}
		}
	case name == "fischer" && fischer:
		t = TimeSettings{System: TimeFischer, Main: a.time(1, "main time", false), Increment: a.time(2, "increment time", false)}
	case name == "fischer-capped" && fischer:
		t = TimeSettings{
			System: TimeFischerCapped, Main: a.time(1, "main time", false), Increment: a.time(2, "increment time", false),
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

func (k *kataServer) timeLeft(_ context.Context, c Command, _ *Reply) error {
	form := kataErrorf("Expected player and float time and int stones for time_left but got '%s'", c.args())
	if len(c.Args) != 3 || strings.Contains(c.Args[1], ",") {
		return form
	}
	color, errC := board.ParseColor(c.Args[0])
	left, errT := parseNumber(c.Args[1])
	stones, errS := strconv.Atoi(c.Args[2])
	if errC != nil || errT != nil || errS != nil {
		return form
	}
	switch {
	case left < -10 || left > mostTime:
		return kataError("invalid time")
	case stones < 0 || stones > 100000:
		return kataError("invalid stones")
	case stones > 0 && !k.clocks.overtime:
		return kataError("stones left in period is > 0 but the time control used does not have any overtime periods")
	}
	if err := k.engine.TimeLeft(color, seconds(left), stones); err != nil {
		return err
	}
	k.clocks.left[color-board.Black] = ", " + c.Name + " " + c.args()
	return nil
}
