package gtp

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
)

// kataClock is a player's clock as KataGo keeps it, in seconds. Its estimates of
// how long to think are shown by kata-debug-print-tc; the engine has its own.
type kataClock struct {
	main, increment      float64
	mainLimit, moveLimit float64
	periods, stones      int // of byo-yomi or Canadian time
	period               float64

	mainLeft                float64
	overtime                bool
	periodsLeft, stonesLeft int
	periodLeft              float64
}

// Times that mean none.
const (
	noTime     = 1e30
	noTimeMost = 1e40
	unlimited  = 1e20 // and more is no limit
	mostTime   = 1e25 // that a user may give
)

func noClock() kataClock {
	return kataClock{main: noTime, mainLeft: noTime, mainLimit: noTimeMost, moveLimit: noTimeMost}
}

// kataClockOf returns the clock of settings at the start of a game.
func kataClockOf(t TimeSettings) kataClock {
	c := noClock()
	if t.System == TimeNone {
		return c
	}
	c.main, c.mainLeft = t.Main.Seconds(), t.Main.Seconds()
	switch t.System {
	case TimeCanadian:
		c.periods, c.stones, c.period = 1, t.Stones, t.Period.Seconds()
	case TimeByoyomi:
		c.periods, c.stones, c.period = t.Periods, 1, t.Period.Seconds()
	case TimeFischer, TimeFischerCapped:
		c.increment = t.Increment.Seconds()
	}
	if t.System == TimeFischerCapped {
		c.mainLimit, c.moveLimit = mostTime, mostTime
		if t.MainLimit >= 0 {
			c.mainLimit = t.MainLimit.Seconds()
		}
		if t.MoveLimit >= 0 {
			c.moveLimit = t.MoveLimit.Seconds()
		}
	}
	c.periodsLeft = c.periods
	return c
}

// lag takes the buffer off a time.
func lag(t, buffer float64) float64 {
	switch {
	case t < 0:
		return t
	case t < 2*buffer:
		return t / 2
	}
	return t - buffer
}

// turns estimates how many moves of ours are left.
type turns struct{ absolute, increment, byoyomi float64 }

func turnsLeft(g *board.Game) turns {
	area := float64(g.Size().Area())
	on := float64(g.Board().Stones(board.Black) + g.Board().Stones(board.White))
	estimate := func(length, extra, least, leastExtra float64) float64 {
		return max(length*area+extra-on, least*area+leastExtra) / 2
	}
	return turns{estimate(0.95, 20, 0.15, 30), estimate(0.75, 15, 0.10, 20), estimate(0.50, 10, 0.02, 4)}
}

// share is the part of a bank of time that one move takes.
func (c *kataClock) share(bank float64, t turns, byoyomi bool) float64 {
	even := bank / t.absolute
	switch {
	case !byoyomi && bank <= 0:
		return bank
	case !byoyomi:
		return min(bank/t.increment, even+2*c.increment)
	case c.period <= 0 || c.stones <= 0:
		return even
	}
	each := c.period / float64(c.stones)
	best := bank / each / math.E
	left := best
	if t.byoyomi > best {
		left = min(t.byoyomi, best*1.75)
	}
	left = max(min(left, t.absolute), 1)
	use := max(min(bank/left, even+3*each), each)
	if use < each*1.5 && bank < each*1.5 {
		use = bank + each
	}
	return use
}

// budget returns the least, the recommended and the longest time for a move.
func (c *kataClock) budget(g *board.Game, buffer float64) (least, best, most float64) {
	t := turnsLeft(g)
	if c.increment > 0 || c.periodsLeft <= 0 {
		least = min(max(0, c.mainLeft/2), max(0, c.mainLeft+c.increment-c.mainLimit))
		if c.mainLeft <= c.increment {
			best, most = lag(c.mainLeft, buffer), c.mainLeft
		} else {
			excess := lag(c.mainLeft-c.increment, buffer)
			best, most = c.increment+c.share(excess, t, false), min(c.mainLeft, c.increment+excess/5)
		}
	} else {
		least, best, most, buffer = c.overtimeBudget(t, buffer)
	}
	most = max(0, lag(min(most, c.moveLimit), buffer))
	return min(max(0, lag(least, buffer)), most), min(max(0, lag(best, buffer)), most), most
}

// overtimeBudget is budget where there are periods; it returns the buffer too, which
// grows where time could run out.
func (c *kataClock) overtimeBudget(t turns, buffer float64) (least, best, most, grown float64) {
	bank, over, periods, left, stones := c.mainLeft, c.overtime, c.periodsLeft, c.periodLeft, c.stonesLeft
	if bank < 0 && !over {
		over, left, stones = true, bank+c.period, c.stones
	}
	for over && left < 0 && periods > 1 {
		periods, left = periods-1, left+c.period
	}
	const reserved = 5
	if periods > reserved {
		over = false
		if c.overtime {
			bank += left + c.period*float64(periods-reserved-1)
		} else {
			bank += c.period * float64(periods-reserved)
		}
	}
	if !over {
		large := c.period / (0.75*float64(c.stones) + 0.25)
		best = c.share(bank, t, true)
		most = large + max(min(large*1.75, bank), bank/5)
		if most > bank && most < bank+large {
			most = bank + large
		}
		if most > bank && periods <= 1 && c.stones <= 1 {
			buffer *= 2
		}
		return 0, best, most, buffer
	}
	if periods > 1 && lag(left, buffer) < lag(c.period/2, buffer)*float64(periods-1)/(reserved-1) {
		periods, left = periods-1, left+c.period
	}
	if stones <= 1 {
		least = left
	}
	n := max(1, float64(stones))
	best, most = left/n, left/(0.75*n+0.25)
	if periods <= 1 && stones <= 1 {
		buffer *= 2
	}
	return least, best, most, buffer
}

// roundUp lengthens a limit where stopping at it would waste what a period has
// left.
func (c *kataClock) roundUp(buffer, used, limit float64) float64 {
	if c.increment > 0 || c.periodsLeft <= 0 {
		return limit
	}
	bank, over, periods, left, stones := c.mainLeft, c.overtime, c.periodsLeft, c.periodLeft, c.stonesLeft
	if over {
		left -= used
	} else {
		bank -= used
	}
	if bank < 0 && !over {
		over, left, stones = true, bank+c.period, c.stones
	}
	for over && left < 0 && periods > 1 {
		periods, left = periods-1, left+c.period
	}
	each := c.period / float64(c.stones)
	buffered := lag(each, buffer)
	bit := min(max(buffer, buffered*0.01), buffered)
	rounded := used
	switch {
	case !over && bank >= each/2, over && left <= 0, over && stones > 1 && (c.overtime || c.period-left >= bit):
		return limit
	case !over && c.stones <= 1:
		rounded = used + bank + buffered
	case !over:
		rounded = used + bank + bit
	case stones > 1:
		rounded = used + bit - (c.period - left)
	default:
		rounded = lag(used+left, buffer)
	}
	if rounded < used {
		return limit
	}
	return max(limit, rounded)
}

func (c *kataClock) text(g *board.Game, buffer float64) string {
	var b strings.Builder
	word := func(name string, value float64, shown bool) {
		if shown {
			b.WriteString(name + " " + general(value) + " ")
		}
	}
	word("originalMainTime", c.main, true)
	word("increment", c.increment, c.increment != 0)
	word("mainTimeLimit", c.mainLimit, c.mainLimit < unlimited)
	word("maxTimePerMove", c.moveLimit, c.moveLimit < unlimited)
	word("originalNumPeriods", float64(c.periods), c.periods != 0)
	word("numStonesPerPeriod", float64(c.stones), c.stones != 0)
	word("perPeriodTime", c.period, c.period != 0)
	word("mainTimeLeft", c.mainLeft, true)
	word("inOvertime", map[bool]float64{true: 1}[c.overtime], true)
	word("numPeriodsLeftIncludingCurrent", float64(c.periodsLeft), c.periodsLeft != 0)
	word("numStonesLeftInPeriod", float64(c.stonesLeft), c.stonesLeft != 0)
	word("timeLeftInPeriod", c.periodLeft, c.periodLeft != 0)
	least, best, most := c.budget(g, buffer)
	at := c.roundUp(buffer, best-1e-6, best)
	fmt.Fprintf(&b, "minRecMax %s %s %s rrec0 %s rreclimit %s rreclimit2 %s", general(least), general(best), general(most),
		general(c.roundUp(buffer, 0, best)), general(at), general(c.roundUp(buffer, at-1e-6, at)))
	return b.String()
}

func (k *kataServer) clock() []handler {
	return []handler{
		{name: "time_settings", run: k.timeSettings}, {name: "kgs-time_settings", run: k.namedTime}, {name: "kata-time_settings", run: k.namedTime},
		{name: "time_left", run: k.timeLeft}, {name: "kata-debug-print-tc", run: k.printClocks},
	}
}

func (k *kataServer) printClocks(_ context.Context, _ Command, r *Reply) error {
	g, buffer := k.engine.Game(), k.k.LagBuffer()
	_, err := r.WriteString("Black " + k.clocks[0].text(g, buffer) + "\nWhite " + k.clocks[1].text(g, buffer))
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
	return k.setClock(a.canadian(0, "byo-yomi per-period time"), a.err)
}

func (k *kataServer) setClock(t TimeSettings, err error) error {
	if err != nil {
		return err
	}
	if err := k.engine.SetClock(t); err != nil {
		return err
	}
	k.clocks = [2]kataClock{kataClockOf(t), kataClockOf(t)}
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
	return k.setClock(t, a.err)
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
	clock := &k.clocks[color-board.Black]
	switch {
	case left < -10 || left > mostTime:
		return kataError("invalid time")
	case stones < 0 || stones > 100000:
		return kataError("invalid stones")
	case stones > 0 && clock.periods <= 0:
		return kataError("stones left in period is > 0 but the time control used does not have any overtime periods")
	}
	if err := k.engine.TimeLeft(color, seconds(left), stones); err != nil {
		return err
	}
	if stones == 0 {
		clock.mainLeft, clock.overtime, clock.periodsLeft, clock.stonesLeft, clock.periodLeft = left, false, clock.periods, 0, 0
		return nil
	}
	clock.mainLeft, clock.overtime, clock.periodLeft = 0, true, left
	if clock.periods > 1 && clock.stones == 1 {
		clock.periodsLeft, clock.stonesLeft = min(stones, clock.periods), 1
	} else {
		clock.periodsLeft, clock.stonesLeft = 1, min(stones, clock.stones)
	}
	return nil
}
