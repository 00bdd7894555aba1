package engine

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search"
	"kosumi/thinking"
)

const sec = time.Second

func TestNormalizeTimeSettings(t *testing.T) {
	for name, c := range map[string]struct {
		in, want TimeSettings
		bad      bool
	}{
		"negative main time becomes none left":      {in: TimeSettings{System: CanadianByoyomi, Main: -10 * sec, Period: 10 * sec, Stones: 1}, want: TimeSettings{System: CanadianByoyomi, Period: 10 * sec, Stones: 1}},
		"canadian without stones is absolute":       {in: TimeSettings{System: CanadianByoyomi, Main: 9 * sec, Period: sec}, want: TimeSettings{System: AbsoluteTime, Main: 9 * sec, Period: sec}},
		"byo-yomi without a period is absolute":     {in: TimeSettings{System: JapaneseByoyomi, Main: 9 * sec, Periods: 3}, want: TimeSettings{System: AbsoluteTime, Main: 9 * sec, Periods: 3}},
		"negative stones":                           {in: TimeSettings{System: CanadianByoyomi, Stones: -1}, bad: true},
		"negative periods":                          {in: TimeSettings{System: JapaneseByoyomi, Periods: -1}, bad: true},
		"bank below main time":                      {in: TimeSettings{System: CappedFischer, Main: 9 * sec, MainLimit: sec}, bad: true},
		"no bank limit":                             {in: TimeSettings{System: CappedFischer, Main: 9 * sec, MainLimit: -1}, want: TimeSettings{System: CappedFischer, Main: 9 * sec, MainLimit: -1}},
		"unknown system":                            {in: TimeSettings{System: 99}, bad: true},
		"absurd times are cut, not overflowed into": {in: TimeSettings{System: AbsoluteTime, Main: 1 << 62}, want: TimeSettings{System: AbsoluteTime, Main: maxDuration}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.in.Normalize()
			if c.bad {
				require.ErrorIs(t, err, ErrTimeSettings)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestClockBooksTime(t *testing.T) {
	type step struct {
		spend        time.Duration
		main, period time.Duration
		stones       int
		periods      int
		over         bool
	}
	for name, c := range map[string]struct {
		set   TimeSettings
		steps []step
	}{
		"absolute": {TimeSettings{System: AbsoluteTime, Main: 10 * sec}, []step{
			{spend: 4 * sec, main: 6 * sec}, {spend: 7 * sec, main: 0},
		}},
		"fischer adds after the move": {TimeSettings{System: FischerTime, Main: 10 * sec, Increment: 2 * sec}, []step{
			{spend: 4 * sec, main: 8 * sec}, {spend: 20 * sec, main: 2 * sec},
		}},
		"the bank of capped fischer": {TimeSettings{System: CappedFischer, Main: 10 * sec, Increment: 5 * sec, MainLimit: 12 * sec}, []step{
			{spend: sec, main: 12 * sec},
		}},
		"byo-yomi": {TimeSettings{System: JapaneseByoyomi, Main: 5 * sec, Period: 3 * sec, Periods: 3}, []step{
			{spend: 4 * sec, main: sec},
			{spend: 2 * sec, period: 3 * sec, periods: 3, over: true},
			{spend: 2 * sec, period: 3 * sec, periods: 3, over: true},
			{spend: 4 * sec, period: 3 * sec, periods: 2, over: true},
			{spend: 9 * sec, period: 3 * sec, periods: 1, over: true},
		}},
		"canadian": {TimeSettings{System: CanadianByoyomi, Main: 5 * sec, Period: 10 * sec, Stones: 2}, []step{
			{spend: 6 * sec, period: 9 * sec, stones: 1, over: true},
			{spend: 3 * sec, period: 10 * sec, stones: 2, over: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newClock(c.set)
			for i, s := range c.steps {
				k.spend(s.spend)
				got := step{s.spend, k.main, k.period, k.stones, k.periods, k.over}
				require.Equal(t, s, got, "step %d", i)
			}
		})
	}
}

func TestTimeLeft(t *testing.T) {
	byoyomi := TimeSettings{System: JapaneseByoyomi, Main: 300 * sec, Period: 20 * sec, Periods: 5}
	k := newClock(byoyomi)
	k.setLeft(20*sec, 4)
	require.True(t, k.over)
	require.Equal(t, 4, k.periods, "the stones field counts periods")
	k.setLeft(0, 0)
	require.Equal(t, 5, k.periods, "main time has just ended")
	require.Equal(t, 20*sec, k.period)
	k.setLeft(-2*sec, 3)
	require.Zero(t, k.period)
	k.setLeft(100*sec, 0)
	require.False(t, k.over)

	k = newClock(TimeSettings{System: CanadianByoyomi, Main: 0, Period: 30 * sec, Stones: 5})
	require.True(t, k.over, "no main time")
	k.setLeft(21*sec, 3)
	require.Equal(t, 3, k.stones)

	k = newClock(TimeSettings{System: AbsoluteTime, Main: 60 * sec})
	k.setLeft(12*sec, 4)
	require.Equal(t, 4, k.stones, "overtime that nobody declared")
}

// TestBudgetByHand compares budgets with numbers worked out from the formulas.
func TestBudgetByHand(t *testing.T) {
	near := func(want, got time.Duration) {
		t.Helper()
		require.InDelta(t, want.Seconds(), got.Seconds(), 0.001)
	}
	// Absolute, 9x9, empty: 0.5*(0.95*81+20) = 48.475 moves; lag twice 1 s.
	k := newClock(TimeSettings{System: AbsoluteTime, Main: 100 * sec})
	b := k.budgetFor(81, 0, sec)
	near(98*sec/48475*1000, b.recommended)
	near(98*sec/5, b.maximum)
	// The last byo-yomi period of 5 s: lag is doubled and the rest is used up.
	k = newClock(TimeSettings{System: JapaneseByoyomi, Period: 5 * sec, Periods: 1})
	b = k.budgetFor(81, 0, sec)
	near(3*sec, b.recommended)
	// An earlier one.
	k = newClock(TimeSettings{System: JapaneseByoyomi, Period: 5 * sec, Periods: 3})
	near(4*sec, k.budgetFor(81, 0, sec).recommended)
	// Canadian: 10 stones in 20 s.
	k = newClock(TimeSettings{System: CanadianByoyomi, Period: 20 * sec, Stones: 10})
	b = k.budgetFor(81, 0, sec)
	near(1900*time.Millisecond, b.recommended)
	near(19*sec*100/775, b.maximum)
	// Fischer below one increment: everything but the lag.
	k = newClock(TimeSettings{System: FischerTime, Main: 3 * sec, Increment: 5 * sec})
	near(2*sec, k.budgetFor(81, 0, sec).recommended)
	// Fischer: excess 100-5-1 s; 0.5*(0.75*81+15) = 37.875 and 48.475 moves.
	k = newClock(TimeSettings{System: FischerTime, Main: 100 * sec, Increment: 5 * sec})
	near(5*sec+94*sec*1000/37875, k.budgetFor(81, 0, sec).recommended)
	require.True(t, (&clock{}).budgetFor(81, 0, sec).unlimited)
}

// TestNoBudgetLosesOnTime plays whole games in which each move takes all that
// its budget allows and the way to the server takes a tenth of the lag buffer.
func TestNoBudgetLosesOnTime(t *testing.T) {
	for name, set := range map[string]TimeSettings{
		"absolute":       {System: AbsoluteTime, Main: 10 * sec},
		"byo-yomi":       {System: JapaneseByoyomi, Main: 5 * sec, Period: sec, Periods: 3},
		"many periods":   {System: JapaneseByoyomi, Main: 5 * sec, Period: sec, Periods: 30},
		"canadian":       {System: CanadianByoyomi, Main: 5 * sec, Period: 2 * sec, Stones: 10},
		"one stone":      {System: CanadianByoyomi, Period: 2 * sec, Stones: 1},
		"fischer":        {System: FischerTime, Main: 5 * sec, Increment: 100 * time.Millisecond},
		"fischer capped": {System: CappedFischer, Main: 5 * sec, Increment: sec, MainLimit: 5 * sec, MaxPerMove: 3 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			k := newClock(set)
			for move := range 60 {
				b := k.budgetFor(81, min(2*move, 70), 100*time.Millisecond)
				require.LessOrEqual(t, b.recommended, b.maximum)
				require.GreaterOrEqual(t, b.recommended, time.Duration(0))
				used := b.maximum + min(10*time.Millisecond, b.maximum/10)
				allowed := k.main
				if k.over {
					allowed = k.period + time.Duration(max(k.periods-1, 0))*set.Period
				} else if set.System == JapaneseByoyomi {
					allowed += time.Duration(set.Periods) * set.Period
				} else if set.System == CanadianByoyomi {
					allowed += set.Period
				}
				require.Less(t, used, allowed+time.Millisecond, "move %d", move)
				if set.System == CappedFischer {
					require.LessOrEqual(t, b.maximum, set.MaxPerMove)
				}
				k.spend(used)
			}
		})
	}
}

// randomClock draws settings of any system, from none at all to minutes, and a clock
// under them as a controller may have left it.
func randomClock(rng *rand.Rand) (TimeSettings, clock) {
	some := func(most float64) time.Duration { // half of them short
		return time.Duration(most * math.Pow(rng.Float64(), 4) * float64(sec))
	}
	set := TimeSettings{System: TimeSystem(1 + rng.IntN(5)), Main: some(600), Period: some(60), Stones: rng.IntN(30),
		Periods: rng.IntN(12), Increment: some(30), MainLimit: -1, MaxPerMove: -1}
	if rng.IntN(2) == 0 {
		set.MainLimit, set.MaxPerMove = set.Main+some(600), some(30)
	}
	if rng.IntN(5) == 0 {
		set.Main = 0
	}
	set, err := set.Normalize()
	if err != nil {
		panic(err)
	}
	k := newClock(set)
	switch rng.IntN(4) {
	case 0:
		k.setLeft(some(600), 0)
	case 1:
		k.setLeft(some(60), 1+rng.IntN(10))
	case 2:
		k.setLeft([]time.Duration{0, -sec, 3 * sec}[rng.IntN(3)], rng.IntN(3))
	}
	return set, k
}

// allowed is what a player has before the flag falls, counted anew.
func (c *clock) allowed() time.Duration {
	switch c.set.System {
	case JapaneseByoyomi:
		if c.over {
			return c.period + time.Duration(max(c.periods-1, 0))*c.set.Period
		}
		return c.main + time.Duration(c.set.Periods)*c.set.Period
	case CanadianByoyomi:
		if c.over {
			return c.period
		}
		return c.main + c.set.Period
	}
	return c.main
}

// TestPaceStaysOnTheClock: on any clock a move whose search took no more than its
// budget is held back no longer than the clock recommends, whatever wait is drawn, and
// never so long that the flag falls or a period is lost.
func TestPaceStaysOnTheClock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	held := 0
	for n := range 20_000 {
		set, k := randomClock(rng)
		lag := time.Duration(rng.IntN(3000)) * time.Millisecond
		delay := Delay{Scale: 100 * rng.Float64(), Most: 1000 * rng.Float64()}
		for move := range 20 {
			b := k.budgetFor(81, min(2*move, 70), max(lag, leastLag))
			used := scale(b.maximum, rng.Float64())
			wait := b.hold(delay.forMove(rng.Float64(), rng), used)
			require.GreaterOrEqual(t, wait, time.Duration(0))
			if wait > 0 {
				held++
				require.LessOrEqual(t, used+wait, b.recommended, "clock %d, move %d: %+v", n, move, set)
				require.Less(t, used+wait, k.allowed(), "clock %d, move %d: %+v", n, move, set)
			}
			if k.over && set.System == JapaneseByoyomi {
				require.LessOrEqual(t, used+wait, k.period, "a period is lost: %+v", set)
			}
			k.spend(used + wait)
		}
	}
	require.Greater(t, held, 10_000, "a pace there was")
	require.Equal(t, time.Hour, budget{unlimited: true}.hold(time.Hour, time.Hour), "without a clock there is time")
}

// TestPaceOfThreeSeconds is a clock that a pace has lost: 3 s for the whole game.
func TestPaceOfThreeSeconds(t *testing.T) {
	k := newClock(TimeSettings{System: AbsoluteTime, Main: 3 * sec})
	k.setLeft(3*sec, 0)
	b := k.budgetFor(361, 0, sec)
	require.LessOrEqual(t, b.hold(10*sec, 5*time.Millisecond), 10*time.Millisecond)
	for _, left := range []time.Duration{0, -sec} {
		k.setLeft(left, 0)
		require.Zero(t, k.budgetFor(361, 0, sec).hold(10*sec, 0))
	}
}

// TestSearchLeavesTime: where a pass is near, the search leaves a part of the longest
// time to what follows it, and nothing of it where there is room in any case.
func TestSearchLeavesTime(t *testing.T) {
	b := budget{recommended: 10 * sec, maximum: 10 * sec}
	require.Equal(t, budget{recommended: 8 * sec, maximum: 8 * sec}, b.leaving(2*sec))
	require.Equal(t, budget{recommended: 5 * sec, maximum: 5 * sec}, b.leaving(9*sec), "half of it is the search's")
	require.Equal(t, budget{recommended: sec, maximum: 8 * sec}, budget{recommended: sec, maximum: 10 * sec}.leaving(2*sec))
	require.Equal(t, budget{unlimited: true}, budget{unlimited: true}.leaving(2*sec))

	e := newEngine(t, 9, func(c *Config) { c.Rules = board.Chinese() })
	require.NoError(t, e.SetClock(TimeSettings{System: JapaneseByoyomi, Period: 9 * sec, Periods: 2}))
	b = e.budget(board.White)
	require.Equal(t, 8*sec, b.recommended)
	require.Zero(t, b.afterSearch(e.game, false), "the game begins")
	require.Equal(t, hurryBelow/2, b.afterSearch(e.game, true))
	require.NoError(t, e.Play(board.Black, board.Pass))
	require.Equal(t, 2*sec, b.afterSearch(e.game, false), "a friendly pass takes two searches")
	require.Zero(t, budget{unlimited: true}.afterSearch(e.game, true))
	require.False(t, b.hurried(6*sec))
	require.True(t, b.hurried(b.maximum), "a search that took everything")
}

// TestLevelOnAClock: the fixed visits of a level end with the longest time for the move.
func TestLevelOnAClock(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Level = "10k" })
	limits := func() search.Limits {
		_, l, err := e.searchFor(&thinking.MoveRequest{Color: board.Black}, e.game, turn{e.budget(board.Black), time.Now()})
		require.NoError(t, err)
		return l
	}
	require.Zero(t, limits().Time, "no clock")
	require.NoError(t, e.SetClock(TimeSettings{System: AbsoluteTime, Main: 3 * sec}))
	l := limits()
	require.Positive(t, l.Time)
	require.LessOrEqual(t, l.Time, 300*time.Millisecond)
	require.Zero(t, l.Extend)
}
