package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
