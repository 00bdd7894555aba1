package clock

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const sec = time.Second

func newForgiving(s Settings) Clock { return New(s, Forgiving) }

func mustParse(t testing.TB, text string) Settings {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	return s
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Settings{
		"":                  {},
		"none":              {},
		"absolute 10":       {System: Absolute, Main: 10 * sec},
		"byoyomi 5 1 3":     {System: Byoyomi, Main: 5 * sec, Period: sec, Periods: 3},
		"Byo-Yomi 0 0.5 1":  {System: Byoyomi, Period: sec / 2, Periods: 1},
		"canadian 5 2 10":   {System: Canadian, Main: 5 * sec, Period: 2 * sec, Stones: 10},
		"fischer 5 0.1":     {System: Fischer, Main: 5 * sec, Increment: sec / 10},
		" absolute   0.25 ": {System: Absolute, Main: sec / 4},
	} {
		got := mustParse(t, text)
		require.Equal(t, want, got, text)
		require.Equal(t, want, mustParse(t, got.String()), "String is the inverse")
		wire, err := json.Marshal(got)
		require.NoError(t, err)
		var back Settings
		require.NoError(t, json.Unmarshal(wire, &back))
		require.Equal(t, want, back)
	}
	for _, text := range []string{
		"absolute", "absolute 0", "absolute -1", "absolute x", "absolute NaN", "absolute 1e99", "absolute 1 2",
		"byoyomi 5 1", "byoyomi 5 0 3", "byoyomi 5 1 0", "byoyomi 5 1 -2", "byoyomi 5 1 1.5", "canadian 1 2",
		"fischer 0 1", "fischer 5", "fischer-capped 5 1 9 9", "hourglass 5", "none 1",
	} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
	require.Error(t, new(Settings).UnmarshalText([]byte("absolute 0")))
	require.Error(t, Settings{System: Absolute, Main: -1}.Check())
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"none", "absolute 1", "byoyomi 5 1 3", "canadian 5 2 10", "fischer 5 0.1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		require.NoError(t, s.Check())
		back, err := Parse(s.String())
		require.NoError(t, err)
		require.Equal(t, s, back)
	})
}

// TestBudgetLeaves: time for later work shortens Maximum, at most by half; Recommended changes only
// if it is longer than the new Maximum.
func TestBudgetLeaves(t *testing.T) {
	b := Budget{Recommended: 10 * sec, Maximum: 10 * sec}
	require.Equal(t, Budget{Recommended: 8 * sec, Maximum: 8 * sec}, b.Leaving(2*sec))
	require.Equal(t, Budget{Recommended: 5 * sec, Maximum: 5 * sec}, b.Leaving(9*sec), "half of it is the search's")
	require.Equal(t, Budget{Recommended: sec, Maximum: 8 * sec}, Budget{Recommended: sec, Maximum: 10 * sec}.Leaving(2*sec))
	require.Equal(t, Budget{Unlimited: true}, Budget{Unlimited: true}.Leaving(2*sec))
}

func TestNormalize(t *testing.T) {
	for name, c := range map[string]struct {
		in, want Settings
		bad      bool
	}{
		"negative main time becomes none left":      {in: Settings{System: Canadian, Main: -10 * sec, Period: 10 * sec, Stones: 1}, want: Settings{System: Canadian, Period: 10 * sec, Stones: 1}},
		"canadian without stones is absolute":       {in: Settings{System: Canadian, Main: 9 * sec, Period: sec}, want: Settings{System: Absolute, Main: 9 * sec, Period: sec}},
		"byo-yomi without a period is absolute":     {in: Settings{System: Byoyomi, Main: 9 * sec, Periods: 3}, want: Settings{System: Absolute, Main: 9 * sec, Periods: 3}},
		"negative stones":                           {in: Settings{System: Canadian, Stones: -1}, bad: true},
		"negative periods":                          {in: Settings{System: Byoyomi, Periods: -1}, bad: true},
		"bank below main time":                      {in: Settings{System: CappedFischer, Main: 9 * sec, MainLimit: sec}, bad: true},
		"no bank limit":                             {in: Settings{System: CappedFischer, Main: 9 * sec, MainLimit: -1}, want: Settings{System: CappedFischer, Main: 9 * sec, MainLimit: -1}},
		"unknown system":                            {in: Settings{System: 99}, bad: true},
		"absurd times are cut, not overflowed into": {in: Settings{System: Absolute, Main: 1 << 62}, want: Settings{System: Absolute, Main: maxDuration}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.in.Normalize()
			if c.bad {
				require.ErrorIs(t, err, ErrSettings)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestForgiving: a player never loses on time, and each move leaves the time that the table lists.
func TestForgiving(t *testing.T) {
	type step struct {
		took time.Duration
		left Left
	}
	for name, c := range map[string]struct {
		set   Settings
		steps []step
	}{
		"none": {Settings{}, []step{{time.Hour, Left{}}}},
		"absolute": {Settings{System: Absolute, Main: 10 * sec}, []step{
			{4 * sec, Left{Main: 6 * sec}}, {7 * sec, Left{}},
		}},
		"fischer adds after the move": {Settings{System: Fischer, Main: 10 * sec, Increment: 2 * sec}, []step{
			{4 * sec, Left{Main: 8 * sec}}, {20 * sec, Left{Main: 2 * sec}},
		}},
		"the bank of capped fischer": {Settings{System: CappedFischer, Main: 10 * sec, Increment: 5 * sec, MainLimit: 12 * sec}, []step{
			{sec, Left{Main: 12 * sec}},
		}},
		"byo-yomi": {Settings{System: Byoyomi, Main: 5 * sec, Period: 3 * sec, Periods: 3}, []step{
			{4 * sec, Left{Main: sec}},
			{2 * sec, Left{Period: 3 * sec, Count: 3, Overtime: true}},
			{2 * sec, Left{Period: 3 * sec, Count: 3, Overtime: true}},
			{4 * sec, Left{Period: 3 * sec, Count: 2, Overtime: true}},
			{9 * sec, Left{Period: 3 * sec, Count: 1, Overtime: true}},
		}},
		"canadian": {Settings{System: Canadian, Main: 5 * sec, Period: 10 * sec, Stones: 2}, []step{
			{6 * sec, Left{Period: 9 * sec, Count: 1, Overtime: true}},
			{3 * sec, Left{Period: 10 * sec, Count: 2, Overtime: true}},
		}},
		"a canadian period overstepped": {Settings{System: Canadian, Period: 10 * sec, Stones: 3}, []step{
			{11 * sec, Left{Period: 10 * sec, Count: 3, Overtime: true}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k := New(c.set, Forgiving)
			for i, s := range c.steps {
				require.True(t, k.Run(s.took))
				k.Moved()
				require.Equal(t, s.left, k.Left, "step %d", i)
			}
		})
	}
}

// TestTolerant lists times of moves in milliseconds and what the clock shows afterwards; a
// negative count means that the flag has fallen.
func TestTolerant(t *testing.T) {
	type step struct{ took, left, count int }
	for _, test := range []struct {
		settings string
		steps    []step
	}{
		{"absolute 1", []step{{400, 600, 0}, {600, 0, 0}, {100, 0, 0}, {101, 0, -1}}},
		{"absolute 1", []step{{1100, 0, 0}}},
		{"absolute 1", []step{{1101, 0, -1}}},
		{"fischer 1 0.5", []step{{400, 1100, 0}, {1200, 500, 0}, {601, 0, -1}}},
		{"byoyomi 1 0.5 2", []step{{400, 600, 0}, {700, 500, 2}, {500, 500, 2}, {600, 500, 2}, {601, 500, 1}, {600, 500, 1}, {601, 0, -1}}},
		{"byoyomi 1 0.5 3", []step{{1000, 500, 3}, {1200, 500, 1}}},
		{"byoyomi 1 0.5 3", []step{{2600, 500, 1}}},
		{"byoyomi 1 0.5 3", []step{{2601, 0, -1}}},
		{"canadian 1 0.6 2", []step{{1000, 600, 2}, {300, 300, 1}, {300, 600, 2}, {0, 600, 1}, {700, 600, 2}, {701, 0, -1}}},
		{"canadian 1 0.6 2", []step{{1200, 400, 1}, {500, 600, 2}}},
		{"canadian 1 0.6 3", []step{{1200, 400, 2}, {500, 0, 1}, {100, 600, 3}}},
	} {
		k := New(mustParse(t, test.settings), Tolerant(100*time.Millisecond))
		for i, s := range test.steps {
			ok := k.Run(time.Duration(s.took) * time.Millisecond)
			require.Equal(t, s.count >= 0, ok, "%s, step %d", test.settings, i)
			if !ok {
				continue
			}
			k.Moved()
			left, count := k.Shown()
			require.Equal(t, [2]int{s.left, s.count}, [2]int{int(left.Milliseconds()), count}, "%s, step %d", test.settings, i)
		}
	}
	none := New(Settings{}, Tolerant(0))
	require.True(t, none.Run(time.Hour))
	require.False(t, none.Limited())
}

// TestStrict runs a clock in pieces: the flag falls when Total is used up.
func TestStrict(t *testing.T) {
	for _, text := range []string{"absolute 10", "fischer 10 5", "byoyomi 10 5 3", "byoyomi 0 5 3", "canadian 10 5 2"} {
		k := New(mustParse(t, text), Strict)
		total := k.Total()
		require.True(t, k.Run(total/2), text)
		require.Equal(t, total-total/2, k.Total(), text)
		require.True(t, k.Run(k.Total()-1), text)
		require.Equal(t, time.Duration(1), k.Total(), text)
		require.False(t, k.Run(1), text)
		require.Zero(t, k.Left.Main+k.Left.Period, text)
	}
}

func TestTimeLeft(t *testing.T) {
	byoyomi := Settings{System: Byoyomi, Main: 300 * sec, Period: 20 * sec, Periods: 5}
	k := newForgiving(byoyomi)
	k.Set(20*sec, 4)
	require.True(t, k.Left.Overtime)
	require.Equal(t, 4, k.Left.Count, "the stones field counts periods")
	k.Set(0, 0)
	require.Equal(t, 5, k.Left.Count, "main time has just ended")
	require.Equal(t, 20*sec, k.Left.Period)
	k.Set(-2*sec, 3)
	require.Zero(t, k.Left.Period)
	k.Set(100*sec, 0)
	require.False(t, k.Left.Overtime)

	k = newForgiving(Settings{System: Canadian, Main: 0, Period: 30 * sec, Stones: 5})
	require.True(t, k.Left.Overtime, "no main time")
	k.Set(21*sec, 3)
	require.Equal(t, 3, k.Left.Count)

	k = newForgiving(Settings{System: Absolute, Main: 60 * sec})
	k.Set(12*sec, 4)
	require.Equal(t, 4, k.Left.Count, "overtime that nobody declared")
}

// TestBudgetByHand compares budgets with numbers computed by hand from the formulas.
func TestBudgetByHand(t *testing.T) {
	near := func(want, got time.Duration) {
		t.Helper()
		require.InDelta(t, want.Seconds(), got.Seconds(), 0.001)
	}
	// Absolute, 9x9, empty: 0.5*(0.95*81+20) = 48.475 moves share 98 s, since two lags of 1 s are
	// kept.
	k := newForgiving(Settings{System: Absolute, Main: 100 * sec})
	b := k.Budget(81, 0, sec)
	near(98*sec/48475*1000, b.Recommended)
	near(98*sec/5, b.Maximum)
	// The last byo-yomi period of 5 s: lag is doubled and the rest is used up.
	k = newForgiving(Settings{System: Byoyomi, Period: 5 * sec, Periods: 1})
	b = k.Budget(81, 0, sec)
	near(3*sec, b.Recommended)
	// Before the last period only one lag is kept.
	k = newForgiving(Settings{System: Byoyomi, Period: 5 * sec, Periods: 3})
	near(4*sec, k.Budget(81, 0, sec).Recommended)
	// Canadian: 10 stones in 20 s.
	k = newForgiving(Settings{System: Canadian, Period: 20 * sec, Stones: 10})
	b = k.Budget(81, 0, sec)
	near(1900*time.Millisecond, b.Recommended)
	near(19*sec*100/775, b.Maximum)
	// Fischer with less than one increment left: everything but the lag.
	k = newForgiving(Settings{System: Fischer, Main: 3 * sec, Increment: 5 * sec})
	near(2*sec, k.Budget(81, 0, sec).Recommended)
	// Fischer: an increment, and one of 0.5*(0.75*81+15) = 37.875 shares of the other 100-5-1 = 94 s.
	k = newForgiving(Settings{System: Fischer, Main: 100 * sec, Increment: 5 * sec})
	near(5*sec+94*sec*1000/37875, k.Budget(81, 0, sec).Recommended)
	require.True(t, (&Clock{}).Budget(81, 0, sec).Unlimited)
}

// TestNoBudgetLosesOnTime plays whole games in which each move takes the maximum of its budget,
// plus a tenth of the expected lag for the way to the server.
func TestNoBudgetLosesOnTime(t *testing.T) {
	for name, set := range map[string]Settings{
		"absolute":       {System: Absolute, Main: 10 * sec},
		"byo-yomi":       {System: Byoyomi, Main: 5 * sec, Period: sec, Periods: 3},
		"many periods":   {System: Byoyomi, Main: 5 * sec, Period: sec, Periods: 30},
		"canadian":       {System: Canadian, Main: 5 * sec, Period: 2 * sec, Stones: 10},
		"one stone":      {System: Canadian, Period: 2 * sec, Stones: 1},
		"fischer":        {System: Fischer, Main: 5 * sec, Increment: 100 * time.Millisecond},
		"fischer capped": {System: CappedFischer, Main: 5 * sec, Increment: sec, MainLimit: 5 * sec, MoveLimit: 3 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			k := newForgiving(set)
			for move := range 60 {
				b := k.Budget(81, min(2*move, 70), 100*time.Millisecond)
				require.LessOrEqual(t, b.Recommended, b.Maximum)
				require.GreaterOrEqual(t, b.Recommended, time.Duration(0))
				used := b.Maximum + min(10*time.Millisecond, b.Maximum/10)
				require.Less(t, used, k.Total()+time.Millisecond, "move %d", move)
				if set.System == CappedFischer {
					require.LessOrEqual(t, b.Maximum, set.MoveLimit)
				}
				k.Run(used)
				k.Moved()
			}
		})
	}
}
