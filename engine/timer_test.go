package engine

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/search"
	"kosumi/search/thinking"
)

const sec = time.Second

// randomClock draws time settings of any system, from no time to minutes, and a clock in some
// state.
func randomClock(rng *rand.Rand) (clock.Settings, clock.Clock) {
	some := func(most float64) time.Duration { // half of the times are short
		return time.Duration(most * math.Pow(rng.Float64(), 4) * float64(sec))
	}
	set := clock.Settings{System: clock.System(1 + rng.IntN(5)), Main: some(600), Period: some(60), Stones: rng.IntN(30),
		Periods: rng.IntN(12), Increment: some(30), MainLimit: -1, MoveLimit: -1}
	if rng.IntN(2) == 0 {
		set.MainLimit, set.MoveLimit = set.Main+some(600), some(30)
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
		k.Set(some(600), 0)
	case 1:
		k.Set(some(60), 1+rng.IntN(10))
	case 2:
		k.Set([]time.Duration{0, -sec, 3 * sec}[rng.IntN(3)], rng.IntN(3))
	}
	return set, k
}

func newClock(s clock.Settings) clock.Clock { return clock.New(s, clock.Forgiving) }

// TestPaceStaysOnTheClock: on any clock, a move whose search kept to its budget is delayed no
// longer than the clock recommends, and never so long that the flag falls or a period is lost.
func TestPaceStaysOnTheClock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	held := 0
	for n := range 20_000 {
		set, k := randomClock(rng)
		lag := time.Duration(rng.IntN(3000)) * time.Millisecond
		delay := Delay{Scale: 100 * rng.Float64(), Most: 1000 * rng.Float64()}
		for move := range 20 {
			b := k.Budget(81, min(2*move, 70), max(lag, leastLag))
			used := scale(b.Maximum, rng.Float64())
			wait := b.Hold(delay.forMove(rng.Float64(), rng), used)
			require.GreaterOrEqual(t, wait, time.Duration(0))
			if wait > 0 {
				held++
				require.LessOrEqual(t, used+wait, b.Recommended, "clock %d, move %d: %+v", n, move, set)
				require.Less(t, used+wait, k.Total(), "clock %d, move %d: %+v", n, move, set)
			}
			if k.Left.Overtime && set.System == clock.Byoyomi {
				require.LessOrEqual(t, used+wait, k.Left.Period, "a period is lost: %+v", set)
			}
			k.Run(used + wait)
			k.Moved()
		}
	}
	require.Greater(t, held, 10_000, "a pace there was")
	require.Equal(t, time.Hour, clock.Budget{Unlimited: true}.Hold(time.Hour, time.Hour), "without a clock there is time")
}

// TestSearchLeavesTime: if there is a clock and a pass is likely, the search leaves part of the longest
// time for the work after the search.
func TestSearchLeavesTime(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Rules = board.Chinese() })
	require.NoError(t, e.SetClock(clock.Settings{System: clock.Byoyomi, Period: 9 * sec, Periods: 2}))
	b := e.budget(board.White)
	require.Equal(t, 8*sec, b.Recommended)
	require.Zero(t, afterSearch(b, e.game, false), "the game begins")
	require.Equal(t, hurryBelow/2, afterSearch(b, e.game, true))
	require.NoError(t, e.Play(board.Black, board.Pass))
	require.Equal(t, 2*sec, afterSearch(b, e.game, false), "a friendly pass takes two searches")
	require.Zero(t, afterSearch(clock.Budget{Unlimited: true}, e.game, true))
	require.False(t, hurried(b, 6*sec))
	require.True(t, hurried(b, b.Maximum), "a search that took everything")
}

// TestLevelOnAClock: on a clock, a level's search ends at the longest time for the move, whatever its visits.
func TestLevelOnAClock(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Level = "10k" })
	limits := func() search.Limits {
		p, err := e.plan(&thinking.MoveRequest{Color: board.Black})
		require.NoError(t, err)
		return p.limits
	}
	require.Zero(t, limits().Time, "no clock")
	require.NoError(t, e.SetClock(clock.Settings{System: clock.Absolute, Main: 3 * sec}))
	l := limits()
	require.Positive(t, l.Time)
	require.LessOrEqual(t, l.Time, 300*time.Millisecond)
	require.Zero(t, l.Extend)
}
