package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// TestPonderingIsNotLost: visits below the opponent's move that were made while pondering are
// kept when it is played, and count for the engine's next move. Stop ends all evaluations.
func TestPonderingIsNotLost(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) {
		c.Ponder, c.Limits.Visits = true, 200
		// Otherwise visits of mirrored moves would be dropped if Black's move and the reply left the
		// board symmetric.
		c.Search.Root.SymmetryPruning = false
	})
	genmove(t, e, board.Black)
	var snapshot search.Result
	require.NotNil(t, e.thinker.pondering)
	server := e.net.(anySize).Server
	require.Eventually(t, func() bool { s := server.Stats(); return s.Rows+s.Hits > 1000 }, time.Minute, time.Millisecond)
	e.Stop()
	stopped := server.Stats()
	time.Sleep(20 * time.Millisecond)
	require.Equal(t, stopped, server.Stats(), "no evaluation after that")
	e.thinker.tree.Snapshot(&snapshot)
	require.True(t, snapshot.Final)
	require.Greater(t, snapshot.Root.Visits, int64(200), "no limit while pondering")
	expected := snapshot.Moves[0]
	require.Greater(t, expected.Visits, int64(10))
	require.NoError(t, e.Play(board.White, expected.Move))
	require.Equal(t, expected.Visits, e.thinker.tree.Visits())
	require.True(t, e.thinker.tree.Matches(e.game))
	var last search.Result
	_, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: board.Black, Report: func(*thinking.Analysis) { e.thinker.tree.Snapshot(&last) }})
	require.NoError(t, err)
	require.Equal(t, expected.Visits, last.Stats.Reused)
	require.Equal(t, max(200, expected.Visits), last.Root.Visits, "kept visits count")
}

// TestEndlessPondering: pondering ends once the tree's memory is full, without exceeding it, and
// the engine still plays.
func TestEndlessPondering(t *testing.T) {
	const limit = 6 << 20
	e := newEngine(t, 9, func(c *Config) { c.Ponder, c.Limits.Visits, c.Search.Memory.MaxBytes = true, 50, limit })
	color := board.Black
	for range 3 {
		m := genmove(t, e, color)
		require.False(t, m.Resign)
		select {
		case <-e.thinker.pondering.done: // pondering ended, since the memory is full
		case <-time.After(time.Minute):
			t.Fatal("pondering should have filled the memory")
		}
		var r search.Result
		e.thinker.tree.Snapshot(&r)
		require.Equal(t, search.StopMemory, r.Stop)
		require.LessOrEqual(t, e.thinker.tree.Bytes(), int64(limit))
		require.NoError(t, e.Play(color.Opponent(), r.Moves[0].Move))
		require.Positive(t, e.thinker.tree.Visits())
		require.LessOrEqual(t, e.thinker.tree.Bytes(), int64(limit))
	}
}

func TestTheTreeFollowsTheGame(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Limits.Visits = 400 })
	genmove(t, e, board.Black)
	require.True(t, e.thinker.tree.Matches(e.game))
	kept := e.thinker.tree.Visits()
	require.Positive(t, kept)
	for _, c := range []struct {
		name   string
		change func() error
	}{
		{"komi", func() error { return e.SetKomi(6) }},
		{"rules", func() error { return e.SetRules(board.Japanese()) }},
		{"undo", func() error { return e.Undo(1) }},
		{"turn", func() error { return e.Play(e.game.ToMove().Opponent(), board.Pass) }},
		{"set-up", func() error { return e.Setup([]board.Point{40}, []board.Point{41}, board.White) }},
		{"set-up with the other side to move", func() error { return e.Setup([]board.Point{40}, []board.Point{41}, board.Black) }},
		{"a record", func() error { return e.LoadSGF([]byte("(;SZ[9]KM[6]RU[Japanese];B[ee];W[gc])"), 0) }},
		{"the same stones by other moves", func() error { return e.LoadSGF([]byte("(;SZ[9]KM[6]RU[Japanese]AB[ee];W[gc])"), 0) }},
		{"new game", func() error { return e.NewGame(board.Square(9)) }},
		{"handicap", func() error {
			return errors.Join(e.NewGame(board.Square(9)), e.SetHandicap([]board.Point{20, 60}))
		}},
		{"size", func() error { return e.NewGame(board.Square(7)) }},
	} {
		genmove(t, e, e.game.ToMove())
		require.NoError(t, c.change(), c.name)
		require.False(t, e.thinker.tree.Matches(e.game), c.name)
		e.thinker.follow(e.game)
		require.Zero(t, e.thinker.tree.Visits(), c.name)
		require.True(t, e.thinker.tree.Matches(e.game), c.name)
	}
}

// TestTheTreeIsKept: changes that do not affect the values in the tree keep it.
func TestTheTreeIsKept(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Limits.Visits = 400 })
	play(t, e, "C4 E7") // breaks the root's symmetry, so that no symmetric moves are pruned
	genmove(t, e, board.Black)
	for name, change := range map[string]func() error{
		"the same komi":       func() error { return e.SetKomi(e.game.Rules().Komi) },
		"the same rules":      func() error { return e.SetRules(e.game.Rules()) },
		"an illegal move":     func() error { e.Play(board.White, e.game.LastMove(0).Point); return nil },
		"a clock":             func() error { return e.SetClock(clock.Settings{System: clock.Absolute, Main: 100 * sec}) },
		"a setting of choice": func() error { return e.SetParams(map[string]string{"lcbStdevs": "4"}) },
		"other limits":        func() error { return e.SetParams(map[string]string{"maxVisits": "500"}) },
		"other threads":       func() error { return e.SetParams(map[string]string{"numSearchThreads": "2"}) },
		"a move that was kept": func() error {
			_, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: board.White, Keep: true})
			return err
		},
		"a score": func() error { _, err := e.FinalScore(context.Background()); return err },
	} {
		before := e.thinker.tree.Visits()
		require.Positive(t, before)
		require.NoError(t, change(), name)
		require.GreaterOrEqual(t, e.thinker.tree.Visits(), before, name)
		require.True(t, e.thinker.tree.Matches(e.game), name)
	}
	// The opponent's reply keeps the subtree below it.
	var r search.Result
	e.thinker.tree.Snapshot(&r)
	reply := r.Moves[0]
	require.NoError(t, e.Play(board.White, reply.Move))
	require.Equal(t, reply.Visits, e.thinker.tree.Visits())
	// A setting that affects the search drops the tree.
	require.NoError(t, e.SetParams(map[string]string{"cpuctExploration": "1.5"}))
	require.Zero(t, e.thinker.tree.Visits())
}

// TestAside searches another position twice: both searches find the same, and the thinker's own tree
// stays unchanged.
func TestAside(t *testing.T) {
	e := newEngine(t, 5, nil)
	k := e.thinker
	k.follow(e.game)
	other := new(board.Game)
	other.CopyFrom(e.game)
	require.NoError(t, other.Play(board.Black, 12))
	r, err := k.aside(t.Context(), repeatable(e.cfg.Search), nn.Uncached(e.net), other, search.Limits{Visits: 20})
	require.NoError(t, err)
	require.Equal(t, board.White, r.ToMove)
	require.GreaterOrEqual(t, r.Root.Visits, int64(20))
	require.True(t, k.tree.Matches(e.game))
	require.Zero(t, k.tree.Visits())
	again, err := k.aside(t.Context(), repeatable(e.cfg.Search), nn.Uncached(e.net), other, search.Limits{Visits: 20})
	require.NoError(t, err)
	require.Equal(t, r.Root.Utility, again.Root.Utility, "and finds the same")
}
