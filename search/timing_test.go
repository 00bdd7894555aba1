package search

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDeadlines: a search is over at the earlier of its time and its deadline.
func TestDeadlines(t *testing.T) {
	now := time.Unix(1e9, 0)
	for name, c := range map[string]struct {
		l      Limits
		before time.Duration // time at which the search is not over yet
		after  time.Duration // time at which the search is over; 0: never
	}{
		"none":        {Limits{}, 1000 * time.Hour, 0},
		"time":        {Limits{Time: time.Second}, 999 * time.Millisecond, time.Second},
		"a deadline":  {Limits{Deadline: now.Add(time.Second)}, 999 * time.Millisecond, time.Second},
		"the earlier": {Limits{Deadline: now.Add(time.Minute), Time: time.Second}, 999 * time.Millisecond, time.Second},
		"the other":   {Limits{Deadline: now.Add(time.Second), Time: time.Minute}, 999 * time.Millisecond, time.Second},
	} {
		var clock timing
		clock.begin(now, &c.l)
		require.False(t, clock.over(now.Add(c.before)), name)
		require.Equal(t, c.after > 0, clock.over(now.Add(c.after)), name)
	}
}

// TestChecks: while rounds are fast, the clock is checked less and less often, up to a bound; while
// they are slow, after each round.
func TestChecks(t *testing.T) {
	now := time.Unix(1e9, 0)
	var c timing
	c.begin(now, &Limits{})
	rounds := func() (n int) {
		for n = 1; !c.due(); n++ {
		}
		return n
	}
	require.Equal(t, 1, rounds())
	for _, want := range []int{2, 4, 8, 16, 32, mostRounds, mostRounds} {
		now = now.Add(checkEarly - 1)
		c.check(now)
		require.Equal(t, want, rounds())
	}
	now = now.Add(checkEarly + 1)
	c.check(now)
	require.Equal(t, mostRounds, rounds(), "neither quick nor slow")
	c.check(now.Add(checkLate + 1))
	require.Equal(t, 1, rounds())
}
