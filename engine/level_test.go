package engine

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/level"
)

// TestLevelsPlayWholeGames: a level plays a game to its end without filling its own eyes, even with a
// limit of 3 visits. It can be changed between moves, and unknown levels are refused.
func TestLevelsPlayWholeGames(t *testing.T) {
	e := newEngine(t, 7, func(c *Config) { c.Level, c.Resign.Enabled, c.Limits.Visits = "20k", false, 3 })
	for range 3 * 49 {
		if e.Game().Finished() {
			break
		}
		us := e.Game().ToMove()
		before := board.NewBoard(e.Game().Size())
		before.CopyFrom(e.Game().Board())
		m := genmove(t, e, us)
		if m.Point != board.Pass {
			require.False(t, level.FillsEye(before, us, m.Point), "an eye of its own")
		}
		if e.Game().NumMoves() == 4 {
			require.NoError(t, e.SetParams(map[string]string{"level": "3d"}))
			require.Contains(t, e.rank.note(e.game.Size()), "3d")
			served, err := e.rank.setting(e.game.Size())
			require.NoError(t, err)
			require.Contains(t, printed(t, e), "BR["+served.Served.String()+"]")
		}
	}
	require.True(t, e.Game().Finished(), "both pass in the end")
	require.ErrorContains(t, e.SetParams(map[string]string{"level": "10p"}), "10p")
	require.ErrorContains(t, e.SetParams(map[string]string{"level": "loss:26"}), "-4 to 25")
	require.Equal(t, "3d", e.cfg.Level)
	var served, refused []string // the ranks that the network can play, and the errors for all others
	for r := level.Lowest; r <= level.Highest; r++ {
		s, err := e.rank.find(e.Game().Size(), r)
		require.NoError(t, err)
		if err := e.rank.refusal(r.String(), e.Game().Size()); err != nil {
			refused = append(refused, err.Error())
		}
		if s.Refusal == nil {
			served = append(served, r.String())
		}
	}
	require.Len(t, refused, int(level.Highest-level.Lowest)+1-len(served))
	for _, why := range refused {
		require.Contains(t, why, served[0]+" to "+served[len(served)-1]+" are")
	}
	require.NoError(t, e.SetParams(map[string]string{"level": "off"}))
	require.Empty(t, e.cfg.Level)
	require.NoError(t, e.SetParams(map[string]string{"level": "10k"}))
	require.NoError(t, e.SetParams(map[string]string{"level": ""}))
	require.Empty(t, e.rank.note(e.game.Size()))
	require.NotContains(t, printed(t, e), "BR[")
}

// anyMove plays as a beginner does: the first point that does not fill an eye, and a pass in
// answer to a late pass.
func anyMove(g *board.Game) board.Point {
	if g.LastMove(0).Point == board.Pass && g.NumMoves() > 12 {
		return board.Pass
	}
	for p := range board.Point(g.Size().Area()) {
		if g.Legal(g.ToMove(), p) == nil && !g.Board().IsEye(p, g.ToMove()) {
			return p
		}
	}
	return board.Pass
}

// TestAutoLevelRemembers: each game at level auto adds one game to the player's ratings, which the
// file keeps.
func TestAutoLevelRemembers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "deep", "levels.json")
	one := func() *Engine {
		return newEngine(t, 5, func(c *Config) { c.Level, c.LevelFile, c.Resign.Enabled = "auto", name, false })
	}
	e := one()
	for range 75 {
		if e.Game().Finished() {
			break
		}
		genmove(t, e, board.Black)
		if !e.Game().Finished() {
			require.NoError(t, e.Play(board.White, anyMove(e.Game())))
		}
	}
	require.True(t, e.Game().Finished())
	require.NoError(t, e.NewGame(board.Square(5)))
	all, err := level.ReadPlayerRatings(name)
	require.NoError(t, err)
	require.InDelta(t, 1, all.On(board.Square(5)).Games, 0, "the game that ended")
	before := all.On(board.Square(5)).Next()
	e.Close()
	all, err = level.ReadPlayerRatings(name)
	require.NoError(t, err)
	require.InDelta(t, 1, all.On(board.Square(5)).Games, 0, "no game was played since")
	require.Equal(t, before, all.On(board.Square(5)).Next())
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(t, os.WriteFile(name, []byte("{"), 0o666))
	_, err = one().rank.ratings()
	require.ErrorContains(t, err, "levels.json")
	require.InDelta(t, 1, playersPoints(-3, board.White), 0)
	require.InDelta(t, 0, playersPoints(3, board.White), 0)
	require.InDelta(t, 0.5, playersPoints(0, board.Black), 0)
}

// TestAbandonedGames: leaving a game that has long been lost counts as resigning; leaving an open
// one, or one that has just turned, does not.
func TestAbandonedGames(t *testing.T) {
	values := func(at ...float64) (all []ownValue) {
		for i, v := range at {
			all = append(all, ownValue{turn: 2 * i, color: board.Black, value: v})
		}
		return all
	}
	for name, c := range map[string]struct {
		values []ownValue
		lost   bool
	}{
		"long lost":        {values(-0.5, 0.2, 0.95, 0.96, 0.97, 0.99, 0.99), true},
		"just lost":        {values(-0.5, 0.2, 0.3, 0.96, 0.97, 0.99, 0.99), false},
		"won":              {values(-0.95, -0.96, -0.97, -0.97, -0.98, -0.99), false},
		"of a few moves":   {values(0.99, 0.99, 0.99, 0.99), false},
		"without any move": {nil, false},
	} {
		require.Equal(t, c.lost, (&ownValues{all: c.values}).abandonedWon(board.Square(9)), name)
	}
	require.False(t, (&ownValues{all: values(0.99, 0.99, 0.99, 0.99, 0.99, 0.99)}).abandonedWon(board.Square(19)))

	name := filepath.Join(t.TempDir(), "levels.json")
	e := newEngine(t, 5, func(c *Config) { c.Level, c.LevelFile, c.Resign.Enabled = "auto", name, false })
	lose := func(undo bool) {
		for range 5 {
			genmove(t, e, board.Black)
			require.NoError(t, e.Play(board.White, anyMove(e.Game())))
			if undo {
				require.NoError(t, e.Undo(1))
				require.NoError(t, e.Play(board.White, anyMove(e.Game())))
			}
		}
		for i := range e.values.all {
			e.values.all[i].value = 0.99
		}
		require.NoError(t, e.NewGame(board.Square(5)))
	}
	lose(true) // a game with an undo does not count
	lose(false)
	all, err := level.ReadPlayerRatings(name)
	require.NoError(t, err)
	require.InDelta(t, 1, all.On(board.Square(5)).Games, 0)
	require.Less(t, all.On(board.Square(5)).Next(), level.NewPlayerRating().Next(), "it counts as lost")
}

// TestLevelsAreRepeatable: the same seed plays the same game.
func TestLevelsAreRepeatable(t *testing.T) {
	game := func() []board.Move {
		e := newEngine(t, 7, func(c *Config) { c.Level, c.Search.Parallel.Workers, c.Search.Net.Symmetry = "loss:5", 1, 0 })
		for range 12 {
			genmove(t, e, e.Game().ToMove())
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

// TestMoveLog: there is a line about each move, and one about a level's move with its cost and the
// rank. Both have the configured log level, so that they can be hidden at a terminal.
func TestMoveLog(t *testing.T) {
	for level, lines := range map[slog.Level]int{slog.LevelInfo: 1, slog.LevelDebug: 0} {
		e := newEngine(t, 7, func(c *Config) { c.Level, c.MoveLog = "18k", level })
		var log bytes.Buffer
		e.rank.log = slog.New(slog.NewTextHandler(&log, nil))
		e.thinker.log = e.rank.log
		genmove(t, e, board.Black)
		require.Equal(t, lines, strings.Count(log.String(), " visits ("), log.String())
		played := regexp.MustCompile(`played (the best move that it found|a move (that costs [0-9.]+ points|of unknown cost)), as an? \S+ would`)
		require.Len(t, played.FindAllString(log.String(), -1), lines, log.String())
	}
}
