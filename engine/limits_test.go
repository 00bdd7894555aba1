package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/search"
	"kosumi/search/thinking"
)

// limitsNow returns the limits of a search for Black that begins now.
func limitsNow(e *Engine) search.Limits {
	return e.limits(board.Black, turn{e.budget(board.Black), time.Now()})
}

// TestTimeOfASearch: on a clock a search may stop early if the time saved is kept, and take
// longer if the clock allows; a fixed time stays fixed.
func TestTimeOfASearch(t *testing.T) {
	for name, c := range map[string]struct {
		set           clock.Settings
		early, longer bool
	}{
		"no clock":            {clock.Settings{}, false, false},
		"absolute":            {clock.Settings{System: clock.Absolute, Main: 100 * sec}, true, true},
		"fischer":             {clock.Settings{System: clock.Fischer, Main: 100 * sec, Increment: sec}, true, true},
		"byo-yomi, main time": {clock.Settings{System: clock.Byoyomi, Main: 100 * sec, Period: 5 * sec, Periods: 3}, true, true},
		"byo-yomi, overtime":  {clock.Settings{System: clock.Byoyomi, Period: 5 * sec, Periods: 3}, false, false},
		"canadian, overtime":  {clock.Settings{System: clock.Canadian, Period: 20 * sec, Stones: 10}, true, true},
		"canadian, one stone": {clock.Settings{System: clock.Canadian, Period: 20 * sec, Stones: 1}, false, false},
	} {
		for _, on := range []bool{true, false} {
			e := newEngine(t, 9, func(conf *Config) {
				conf.Limits = search.Limits{}
				if !on {
					conf.EarlyStop, conf.Extend = false, 0
				}
			})
			require.NoError(t, e.SetClock(c.set))
			l := limitsNow(e)
			require.Positive(t, l.Time, name)
			require.Equal(t, c.early && on, l.WhenDecided, name)
			require.Equal(t, c.longer && on, l.Extend > 0, name)
			if l.Extend > 0 {
				b := e.timer.clock(board.Black).Budget(81, 0, e.cfg.Lag)
				require.LessOrEqual(t, l.Time+l.Extend, b.Maximum, name)
				require.LessOrEqual(t, l.Extend, b.Recommended, "no more than twice as long")
			}
		}
	}
	// A fixed time shorter than the clock's is not extended.
	e := newEngine(t, 9, func(conf *Config) { conf.Limits = search.Limits{Time: time.Millisecond} })
	require.NoError(t, e.SetClock(clock.Settings{System: clock.Absolute, Main: 100 * sec}))
	l := limitsNow(e)
	require.Equal(t, search.Limits{Time: time.Millisecond}, l)
}

// TestOverrun: after moves that took longer than planned, the next moves reserve part of their time,
// at most half. Punctual moves make the reserve smaller.
func TestOverrun(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Limits = search.Limits{} })
	require.NoError(t, e.SetClock(clock.Settings{System: clock.Byoyomi, Period: 40 * sec, Periods: 3}))
	allowed := func() float64 { return limitsNow(e).Time.Seconds() }
	require.InDelta(t, 39, allowed(), 0.2, "the period without the second for the way to the server")
	for _, step := range []struct {
		over time.Duration
		want float64
	}{
		{4 * sec, 38},      // a quarter of an overrun is reserved at once
		{-sec, 38.25},      // a punctual move makes the reserve a quarter smaller
		{1000 * sec, 19.5}, // at most half of the time is reserved
		{-sec, 19.5},
	} {
		e.timer.learnOverrun(step.over)
		require.InDelta(t, step.want, allowed(), 0.2)
	}
	for range 30 {
		e.timer.learnOverrun(0)
	}
	require.InDelta(t, 39, allowed(), 0.3)
}

// TestOverrunOfASlowNetwork: the time that a search waits for its last evaluation counts as overrun.
func TestOverrunOfASlowNetwork(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Limits = search.Limits{Time: 5 * time.Millisecond} })
	hook(t, e, func() { time.Sleep(60 * time.Millisecond) })
	genmove(t, e, board.Black)
	require.GreaterOrEqual(t, e.timer.overrun, 55*time.Millisecond/4)
}

// TestSameSeedSameGame: with one worker the seed determines everything, even the numbers of
// nodes.
func TestSameSeedSameGame(t *testing.T) {
	type step struct {
		move   board.Point
		visits int64
		nodes  int64
		value  float64
	}
	game := func(seed uint64) (steps []step) {
		e := newEngine(t, 9, func(c *Config) {
			c.Search.Parallel.Workers, c.Search.Seed, c.Seed, c.Limits.Visits = 1, seed, seed, 80
			c.Search.Root.NoiseEnabled = true // so that the tree draws random numbers too
		})
		for range 10 {
			var last search.Result
			m, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: e.game.ToMove(), Report: func(*thinking.Analysis) { e.thinker.tree.Snapshot(&last) }})
			require.NoError(t, err)
			steps = append(steps, step{m.Point, last.Root.Visits, last.Stats.Nodes, last.Root.Utility})
		}
		return steps
	}
	first := game(5)
	require.Equal(t, first, game(5))
	require.NotEqual(t, first, game(6))
}
