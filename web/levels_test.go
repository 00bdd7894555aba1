package web

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine"
	"kosumi/engine/level"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
)

// TestLevels plays at a level that is offered, and is refused others.
func TestLevels(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir)
	offered := s.welcome()
	require.Contains(t, offered.Features, "levels")
	require.NotEmpty(t, offered.Levels)
	require.Less(t, offered.Levels[0].Rank, -14, "beginners find an opponent")
	for i := range offered.Levels[1:] {
		require.Less(t, offered.Levels[i].Rank, offered.Levels[i+1].Rank, "from weak to strong")
	}
	c := join(t, s)
	for _, bad := range []string{"31k", "AUTO", "12K", "loss:3", "10d"} {
		n := small("b")
		n.Seat = api.Seat{Level: bad}
		require.Equal(t, "bad_request", c.refused("game.new", n).Code, bad)
	}
	n := api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Level: "15k"}}
	g := begin(c, n)
	require.Equal(t, "15k", g.Seat.Level)
	g = c.play(g, "E5")
	require.Len(t, g.Moves, 2)
	live, err := s.games.Open(g.Game)
	require.NoError(t, err)
	live.mu.Lock()
	e, now := live.takeEngine(), live.copyBoard()
	live.mu.Unlock()
	require.NoError(t, e.With(now, 0, func(e *engine.Engine) error {
		require.Equal(t, "15k", e.Config().Level, "the engine plays at it")
		return nil
	}))

	g = c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Equal(t, store.Over, g.Phase)
	data, err := os.ReadFile(s.folder.Path("games", g.Game, ".sgf"))
	require.NoError(t, err)
	_, err = sgf.Parse(data)
	require.NoError(t, err)
	require.Contains(t, string(data), "WR[15k]")
}

// TestFit plays at the level that fits: a game that was won makes the next one
// harder, one that ended at once does not count.
func TestFit(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Seat = api.Seat{Level: engines.Auto}
	require.Empty(t, s.games.levels.Fits())
	g := begin(c, n)
	require.True(t, g.Seat.Auto)
	first, err := level.ParseRank(g.Seat.Level)
	require.NoError(t, err)
	g = c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Nil(t, g.Fit)
	require.Empty(t, s.games.levels.Fits())

	g = begin(c, n)
	live, err := s.games.Open(g.Game)
	require.NoError(t, err)
	live.mu.Lock()
	for _, v := range []string{"C3", "C2", "B2", "D2", "D3", "B3", "C4", "B4"} {
		require.NoError(t, live.commit(store.Step{K: "move", M: v}))
	}
	require.NoError(t, live.commit(store.Step{K: "over", Result: "B+3"}))
	state := live.stateLocked()
	live.mu.Unlock()
	require.NotNil(t, state.Fit)
	require.Equal(t, "5x5", state.Fit.Size)
	require.Equal(t, 1.0, state.Fit.Games)
	require.Equal(t, []api.Fit{*state.Fit}, s.games.levels.Fits())

	g = begin(c, n)
	second, err := level.ParseRank(g.Seat.Level)
	require.NoError(t, err)
	require.Greater(t, second, first)
}
