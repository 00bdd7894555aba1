package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/nntest"
	"kosumi/search"
	"kosumi/search/thinking"
)

// TestFriendlyPassByHand: after the opponent's pass, a move that only fills becomes a pass if the
// rules or the setting ask for that. A move stays if it touches a living stone of the opponent, if
// a border is open or a chain in doubt, and under territory rules.
func TestFriendlyPassByHand(t *testing.T) {
	// Black owns the left, White the right; both sides live, and no border is open.
	const closed = "..XO..O\n.XXO.O.\nXX.XOOO\n.XXXO.O\nX.XO.OO\n.XXOO.O\nXX.XO.O"
	const open = "..XO..O\n.XXO.O.\nXX.XOOO\n.XXXO.O\nX.XO.OO\n.XX....\nXX....."
	for _, c := range []struct {
		name, diagram, move string
		rules               board.Rules
		passed, doubt       bool
		passes              bool
		friendly            Whether
	}{
		{"a fill", closed, "A7", board.Chinese(), true, false, true, ByRules},
		{"strict rules, asked to", closed, "A7", board.TrompTaylor(), true, false, true, Always},
		{"asked not to", closed, "A7", board.Chinese(), true, false, false, Never},
		{"no pass before", closed, "A7", board.Chinese(), false, false, false, ByRules},
		{"strict rules", closed, "A7", board.TrompTaylor(), true, false, false, ByRules},
		{"territory rules", closed, "A7", board.Japanese(), true, false, false, ByRules},
		{"at a living stone", closed, "E6", board.Chinese(), true, false, false, ByRules},
		{"open borders", open, "A7", board.Chinese(), true, false, false, ByRules},
		{"a chain in doubt", closed, "A7", board.Chinese(), true, true, false, ByRules},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := engineOver(t, nntest.Uniform(), 7, func(conf *Config) { conf.Rules, conf.FriendlyPass = c.rules, c.friendly })
			setUp(t, e, c.diagram, board.White)
			if c.passed {
				require.NoError(t, e.Play(board.White, board.Pass))
			} else {
				setUp(t, e, c.diagram, board.Black)
			}
			p, err := e.game.Size().ParseVertex(c.move)
			require.NoError(t, err)
			result := &search.Result{}
			result.Root.Visits = 100
			_, err = e.judge.chains(context.Background(), e.game)
			require.NoError(t, err)
			if c.doubt {
				e.judge.judged.open = []board.Point{0}
			}
			got, err := e.judge.friendlyPass(context.Background(), e.game, result, p, false)
			require.NoError(t, err)
			want := p
			if c.passes {
				want = board.Pass
			}
			require.Equal(t, e.game.Size().Vertex(want), e.game.Size().Vertex(got))
		})
	}
}

// TestFriendlyPassOfASlowNetwork: without a time limit, the searches before a friendly pass do
// not depend on the network's speed; otherwise one seed would give different games.
func TestFriendlyPassOfASlowNetwork(t *testing.T) {
	asked := func(by time.Duration, timed bool) int64 {
		e := engineOver(t, nntest.Uniform(), 7, func(conf *Config) {
			conf.Rules, conf.FriendlyPass, conf.Search.Parallel.Workers = board.Chinese(), Always, 1
		})
		setUp(t, e, "..XO..O\n.XXO.O.\nXX.XOOO\n.XXXO.O\nX.XO.OO\n.XXOO.O\nXX.XO.O", board.White)
		require.NoError(t, e.Play(board.White, board.Pass))
		_, err := e.judge.chains(context.Background(), e.game)
		require.NoError(t, err)
		var asked atomic.Int64
		hook(t, e, func() {
			asked.Add(1)
			time.Sleep(by)
		})
		_, err = e.judge.friendlyPass(context.Background(), e.game, &search.Result{Analysis: thinking.Analysis{Root: thinking.Root{Visits: 2}}}, 0, timed)
		require.NoError(t, err)
		return asked.Load()
	}
	all := asked(0, false)
	require.Greater(t, all, int64(8))
	require.Equal(t, all, asked(15*time.Millisecond, false))
	require.Less(t, asked(15*time.Millisecond, true), all, "where time is limited, they end by it")
}

// TestChainsInDoubt: a chain is in doubt if the mean ownership of its stones, averaged over Black
// and White to move, is between -0.5 and 0.5, or its sign depends on the side to move; a pass-alive
// chain never is.
func TestChainsInDoubt(t *testing.T) {
	for _, c := range []struct {
		name, diagram string
		black, white  [2]float32 // ownership of all points with stones, with Black and White to move, + = White
		dead          int
		sure          bool
	}{
		{"all alive", "..X\n...\nO..", [2]float32{-0.9, -0.9}, [2]float32{0.9, 0.9}, 0, true},
		{"a dead stone", "X.X\n.O.\nX.X", [2]float32{-0.9, -0.9}, [2]float32{-0.9, -0.9}, 1, true},
		{"not surrounded", "..X\n...\nO..", [2]float32{-0.9, -0.9}, [2]float32{-0.9, -0.9}, 1, true},
		{"perhaps alive", "..X\n...\nO..", [2]float32{-0.9, -0.9}, [2]float32{0.4, 0.4}, 0, false},
		{"probably dead", "X.X\n.O.\nX.X", [2]float32{-0.9, -0.9}, [2]float32{-0.4, -0.4}, 1, false},
		{"Black's perhaps", "..X\n...\nO..", [2]float32{-0.3, -0.3}, [2]float32{0.9, 0.9}, 0, false},
		{"by who moves first", "X.X\n.O.\nX.X", [2]float32{-0.9, -0.9}, [2]float32{-0.9, 0.9}, 0, false},
		{"less sure in one view", "X.X\n.O.\nX.X", [2]float32{-0.9, -0.9}, [2]float32{-0.9, -0.4}, 1, true},
		{"two eyes, whatever the network says", ".X.\nXXX\n.X.", [2]float32{0.1, 0.1}, [2]float32{}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t, 3, nil)
			setUp(t, e, c.diagram, board.Black)
			v := judgement{views: [2][]float32{make([]float32, 9), make([]float32, 9)}}
			for i, own := range v.views {
				for p := range own {
					switch e.game.At(board.Point(p)) {
					case board.White:
						own[p] = c.white[i]
					case board.Black:
						own[p] = c.black[i]
					}
				}
			}
			e.judge.weigh(e.game, &v)
			require.Len(t, v.dead, c.dead)
			v.at, v.rules = e.judge.key(e.game)
			v.fates = make([]board.Color, 9) // proofs were sought
			e.judge.judged = v
			open, err := e.Unsettled(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.sure, len(open) == 0)
		})
	}
}

// TestCleanupEnds: against an opponent who only passes, the engine captures the dead stones and
// then passes; it does not fill its own area.
func TestCleanupEnds(t *testing.T) {
	for _, rules := range []board.Rules{board.TrompTaylor(), board.Chinese()} {
		e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules = rules; c.Rules.Komi = 7; c.Resign.Enabled = false })
		setUp(t, e, lifeAndDeath, board.Black)
		ended := false
		for range 30 {
			m, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: board.Black, Cleanup: true})
			require.NoError(t, err)
			if ended = m.Point == board.Pass; ended {
				break
			}
			require.NoError(t, e.Play(board.White, board.Pass))
		}
		require.True(t, ended)
		require.Equal(t, board.Empty, e.game.At(e.game.Size().Point(5, 5)), "the dead stone is gone")
		require.Equal(t, board.Black, e.game.At(e.game.Size().Point(3, 6)), "and the living ones are there")
	}
}
