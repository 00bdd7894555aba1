package web

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/sgf"
	"kosumi/web/api"
)

// TestLevels plays at a level that is offered, and is refused others.
func TestLevels(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir)
	offered := s.welcome()
	require.Contains(t, offered.Features, "levels")
	require.NotEmpty(t, offered.Levels)
	require.Equal(t, api.Level{ID: "20k", Rank: -20}, offered.Levels[0])
	for i := range offered.Levels[1:] {
		require.Less(t, offered.Levels[i].Rank, offered.Levels[i+1].Rank, "from weak to strong")
	}
	c := join(t, s)
	for _, bad := range []string{"21k", "auto", "12K", "loss:3", "9d"} { // the ladder ends long before 9d
		n := small("b")
		n.Seat = api.Seat{Level: bad}
		require.Equal(t, "bad_request", c.refused("game.new", n).Code, bad)
	}
	n := api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Level: "20k"}}
	g := begin(c, n)
	require.Equal(t, "20k", g.Seat.Level)
	g = c.play(g, "E5")
	require.Len(t, g.Moves, 2)
	live, err := s.game(g.Game)
	require.NoError(t, err)
	live.mu.Lock()
	st := live.takeSeat()
	live.mu.Unlock()
	st.mu.Lock()
	require.Contains(t, st.e.LevelNote(), "20k: ", "the engine plays at it")
	st.mu.Unlock()

	g = c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Equal(t, phaseOver, g.Phase)
	data, err := os.ReadFile(s.store.path("games", g.Game, ".sgf"))
	require.NoError(t, err)
	_, err = sgf.Parse(data)
	require.NoError(t, err)
	require.Contains(t, string(data), "WR[20k]")
}
