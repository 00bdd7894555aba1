package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/store"
)

var takenBack = []struct {
	name         string
	clock        api.Clock
	over         bool
	made         float64 // seconds left after 100 seconds of thought and a move
	madeCount    int
	back         float64 // seconds left after 50 more seconds of thought and a take-back
	backCount    int
	forthAndBack float64 // seconds left after 50 more seconds of thought and the redo of the move
}{
	{"absolute", api.Clock{Kind: "absolute", Main: 1000}, false, 900, 0, 850, 0, 800},
	{"fischer", api.Clock{Kind: "fischer", Main: 600, Bonus: 300}, false, 800, 0, 450, 0, 700},
	{"byoyomi", api.Clock{Kind: "byoyomi", Period: 300, Periods: 3}, true, 300, 3, 150, 3, 200},
	{"canadian", api.Clock{Kind: "canadian", Period: 600, Periods: 5}, true, 500, 4, 450, 5, 400},
}

// TestTakeBackTime takes moves back and makes them again, on clocks of every kind, with minutes of
// thinking. A take-back removes the time that the move gained, and sets the engine's clock back; the
// time that the player has used since stays spent. The same holds for a game read from its journal.
func TestTakeBackTime(t *testing.T) {
	s := serve(t, t.TempDir())
	var c *client
	var st *api.GameState
	think := func(seconds int) {
		g := opened(t, s, st.Game)
		g.mu.Lock()
		defer g.mu.Unlock()
		require.False(t, g.ran.IsZero(), "the clock runs")
		g.ran = g.ran.Add(-time.Duration(seconds) * time.Second)
	}
	do := func(command string) { st = c.do(st, "game."+command, api.GameCommand{Game: st.Game, Rev: st.Rev}) }
	reopen := func() {
		journal := testshared.Read(t, s.folder.Path("games", st.Game, ".jsonl"))
		st = c.settled(c.game(put(t, s, []byte(journal), nil)))
	}
	mine := func(over bool, seconds float64, count int) {
		t.Helper()
		hasLeft(t, st.Clocks[0], over, seconds, count)
	}
	for _, tc := range takenBack {
		t.Run(tc.name, func(t *testing.T) {
			c = join(t, s)
			n := small("b")
			n.Clock = tc.clock
			st = begin(c, n)
			whole := st.Clocks[1]
			think(100)
			st = c.play(st, "C3")
			mine(tc.over, tc.made, tc.madeCount)
			once := st.Clocks[1]
			think(50)
			reopen() // the program was killed: the journal has the move, but not the time spent since
			require.Equal(t, "restart", st.Paused)
			do("resume")
			mine(tc.over, tc.made, tc.madeCount)
			think(50)
			do("undo")
			mine(tc.over, tc.back, tc.backCount)
			require.Equal(t, whole, st.Clocks[1])
			think(50)
			do("redo")
			mine(tc.over, tc.forthAndBack, tc.madeCount)
			require.Equal(t, once, st.Clocks[1])
			do("undo")
			mine(tc.over, tc.back-50, tc.backCount)
			reopen()
			mine(tc.over, tc.back-50, tc.backCount)
			do("redo")
			mine(tc.over, tc.forthAndBack, tc.madeCount)
			do("undo")
			for range 3 { // a move and its take-back gain nothing
				st = c.play(st, "C3")
				do("undo")
			}
			mine(tc.over, tc.back-50, tc.backCount)
			require.Equal(t, whole, st.Clocks[1])
			// After two take-backs in a row the clock shows the time of the earlier move.
			st = c.play(c.play(st, "C3"), "C4")
			think(20)
			do("undo")
			do("undo")
			require.NotContains(t, st.Stones, "b")
			mine(tc.over, tc.back-70, tc.backCount)
		})
	}

	t.Run("too late", func(t *testing.T) {
		c = join(t, s)
		n := small("b")
		n.Clock = api.Clock{Kind: "fischer", Main: 300, Bonus: 600}
		st = begin(c, n)
		think(200)
		st = c.play(st, "C3")
		think(200)
		before := *st
		e := c.refused("game.undo", api.GameCommand{Game: st.Game, Rev: st.Rev})
		require.Equal(t, "no_time_back", e.Say.Key)
		c.ask("watch", api.Watch{What: "game:" + st.Game}, st)
		require.Equal(t, before.Moves, st.Moves)
		require.Equal(t, before.Rev, st.Rev)
		require.True(t, st.Clocks[0].Running)
		mine(false, 500, 0)
		require.Equal(t, store.Play, c.play(st, "C4").Phase)
	})
}

func hasLeft(t *testing.T, c api.ClockState, over bool, seconds float64, count int) {
	t.Helper()
	left := c.Main
	if over {
		left = c.Period
	}
	require.Equal(t, over, c.Over)
	require.InDelta(t, 1000*seconds, left, 20_000)
	require.Equal(t, count, c.Periods)
}
