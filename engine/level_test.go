package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/level"
)

// A level plays whole games, every move legal, none of them nonsense, at the
// visits of levels whatever the limits say, and can be changed between moves.
func TestLevelsPlayWholeGames(t *testing.T) {
	e := newEngine(t, 7, func(c *Config) { c.Level, c.Resign.Enabled, c.Limits.Visits = "20k", false, 3 })
	for range 3 * 49 {
		if e.Game().Finished() {
			break
		}
		us := e.Game().ToMove()
		before := board.NewBoard(e.Game().Size())
		before.CopyFrom(e.Game().Board())
		m, err := e.GenMove(t.Context(), MoveRequest{Color: us})
		require.NoError(t, err)
		if m.Point != board.Pass {
			require.False(t, level.FillsEye(before, us, m.Point), "an eye of its own")
		}
		if e.Game().NumMoves() == 4 {
			require.NoError(t, e.SetParams(map[string]string{"level": "3d"}))
			require.Contains(t, e.LevelNote(), "3d")
		}
	}
	require.True(t, e.Game().Finished(), "both pass in the end")
	require.ErrorContains(t, e.SetParams(map[string]string{"level": "10p"}), "10p")
	require.ErrorContains(t, e.SetParams(map[string]string{"level": "loss:11"}), "0 to 10")
	require.Equal(t, "3d", e.cfg.Level)
	require.NoError(t, e.SetParams(map[string]string{"level": ""}))
	require.Empty(t, e.LevelNote())
}

// The same seed plays the same game, since a level depends on nothing else.
func TestLevelsAreRepeatable(t *testing.T) {
	game := func() []board.Move {
		e := newEngine(t, 7, func(c *Config) { c.Level, c.Search.Parallel.Workers, c.Search.Net.Symmetry = "loss:5", 1, 0 })
		for range 12 {
			_, err := e.GenMove(t.Context(), MoveRequest{Color: e.Game().ToMove()})
			require.NoError(t, err)
		}
		return e.Game().Moves()
	}
	require.Equal(t, game(), game())
}

func TestLevelsResignLate(t *testing.T) {
	e := newEngine(t, 9, nil)
	g := e.Game()
	require.False(t, levelResigns(g, -60, 30), "not in the opening")
	for range 40 {
		require.NoError(t, e.Play(e.game.ToMove(), board.Pass))
	}
	require.True(t, levelResigns(e.game, -60, 30))
	require.False(t, levelResigns(e.game, -5, 30), "a close game is played out")
	require.False(t, levelResigns(e.game, -60, 2), "not at the first shock")
}
