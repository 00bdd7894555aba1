package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/search"
	"kosumi/thinking"
)

// TestFriendlyPassByHand: after the opponent's pass a move that only fills
// becomes a pass, where dead stones are agreed on; a move at a living stone, one
// that saves stones, and any move under other rules stays.
func TestFriendlyPassByHand(t *testing.T) {
	// Black owns the left; both sides are alive and closed.
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
				e.judge.judged.sure = false
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

// counted is a network that counts what it is asked, and is slow at it.
type counted struct {
	nn.Wrapper
	by    time.Duration
	asked *int
}

func (c counted) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	*c.asked++
	time.Sleep(c.by)
	return c.Network.Evaluate(ctx, q, out)
}

// TestFriendlyPassOfASlowNetwork: the searches before a friendly pass are as long
// whatever the network takes, where nothing limits a move's time; else the same seed
// would give other games.
func TestFriendlyPassOfASlowNetwork(t *testing.T) {
	asked := func(by time.Duration, timed bool) (n int) {
		e := engineOver(t, nntest.Uniform(), 7, func(conf *Config) {
			conf.Rules, conf.FriendlyPass, conf.Search.Parallel.Workers = board.Chinese(), Always, 1
		})
		setUp(t, e, "..XO..O\n.XXO.O.\nXX.XOOO\n.XXXO.O\nX.XO.OO\n.XXOO.O\nXX.XO.O", board.White)
		require.NoError(t, e.Play(board.White, board.Pass))
		_, err := e.judge.chains(context.Background(), e.game)
		require.NoError(t, err)
		replaceNetwork(e, counted{nn.Wrapper{Network: e.net}, by, &n})
		p, err := e.game.Size().ParseVertex("A7")
		require.NoError(t, err)
		_, err = e.judge.friendlyPass(context.Background(), e.game, &search.Result{Analysis: thinking.Analysis{Root: thinking.Root{Visits: 2}}}, p, timed)
		require.NoError(t, err)
		return n
	}
	all := asked(0, false)
	require.Greater(t, all, 8)
	require.Equal(t, all, asked(15*time.Millisecond, false))
	require.Less(t, asked(15*time.Millisecond, true), all, "where time is limited, they end by it")
}

// TestChainsInDoubt: a chain's fate is in doubt where the mean ownership of its
// stones lies between -0.5 and 0.5, whoever owns them; what is pass-alive never is.
func TestChainsInDoubt(t *testing.T) {
	for _, c := range []struct {
		name, diagram string
		white, black  float32 // ownership of all points with such stones, + = White
		dead          int
		sure          bool
	}{
		{"all alive", "..X\n...\nO..", 0.9, -0.9, 0, true},
		{"a dead stone", "..X\n...\nO..", -0.9, -0.9, 1, true},
		{"perhaps alive", "..X\n...\nO..", 0.4, -0.9, 0, false},
		{"probably dead", "..X\n...\nO..", -0.4, -0.9, 1, false},
		{"Black's perhaps", "..X\n...\nO..", 0.9, -0.3, 0, false},
		{"two eyes, whatever the network says", ".X.\nXXX\n.X.", 0, 0.1, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEngine(t, 3, nil)
			setUp(t, e, c.diagram, board.Black)
			own := make([]float32, 9)
			for p := range own {
				switch e.game.At(board.Point(p)) {
				case board.White:
					own[p] = c.white
				case board.Black:
					own[p] = c.black
				}
			}
			j := judgeChains(e.game, own)
			require.Len(t, j.dead, c.dead)
			require.Equal(t, c.sure, j.sure)
		})
	}
}

// TestCleanupEnds: with dead stones to take and an opponent who only passes, the
// engine takes them and passes before long; it does not fill its own area.
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

func TestHeadStart(t *testing.T) {
	for _, c := range []struct {
		rules    board.Rules
		handicap int
		moves    string
		want     float64
	}{
		{board.Chinese(), 0, "E5 C3", -0.5},          // komi 7.5
		{board.Chinese(), 4, "", 15*3 + 7 - 7.5 - 4}, // White gets 4 points
		{board.TrompTaylor(), 2, "", 15 + 7 - 7.5},
		{board.Japanese(), 3, "", 14*2 + 7 - 6.5},
	} {
		e := newEngine(t, 9, func(conf *Config) { conf.Rules = c.rules })
		if c.handicap > 0 {
			stones := make([]board.Point, c.handicap)
			for i := range stones {
				stones[i] = board.Point(10 + 3*i)
			}
			require.NoError(t, e.SetHandicap(stones))
		}
		play(t, e, c.moves)
		require.InDelta(t, c.want, headStart(e.game), 1e-6)
	}
	e := newEngine(t, 9, nil)
	for _, v := range []board.Point{20, 24, 56} { // handicap stones sent as moves
		require.NoError(t, e.Play(board.Black, v))
	}
	require.InDelta(t, 15*2+7-7.5, headStart(e.game), 1e-6)
}

// TestAdvantageByHand: 0.045 doublings for each point of the head start beyond
// 4 points of a 19x19 board.
func TestAdvantageByHand(t *testing.T) {
	nineteen := board.Square(19)
	var a advantage
	a.adjust(nineteen, 29.5, 0.045, 0, false)
	require.InDelta(t, 1.125, a.doublings, 1e-12) // 0.045*25.5 = 1.1475, in eighths
	a.adjust(nineteen, 29.5, 0.045, -0.95, true)
	require.InDelta(t, 1.125, a.doublings, 1e-12, "no more than at the start")
	a.adjust(nineteen, 29.5, 0.045, -0.2, true)
	require.InDelta(t, 1.0, a.doublings, 1e-12, "White is doing well")
	a.adjust(nineteen, 29.5, 0.045, -0.7, true)
	require.InDelta(t, 1.0, a.doublings, 1e-12, "as intended")
	a.adjust(nineteen, 29.5, 0.045, -0.95, true)
	require.InDelta(t, 1.125, a.doublings, 1e-12)
	a.adjust(nineteen, 100, 0.045, 0, false)
	require.InDelta(t, 2.75, a.doublings, 1e-12, "the cap")
	a.adjust(nineteen, -29.5, 0.045, 0, false)
	require.InDelta(t, -1.125, a.doublings, 1e-12, "Black is behind, by komi")
	for name, f := range map[string]func(){
		"even game":   func() { a.adjust(nineteen, 0.5, 0.045, 0, false) },
		"small board": func() { a.adjust(board.Square(7), 29.5, 0.045, 0, false) },
		"off":         func() { a.adjust(nineteen, 29.5, 0, 0, false) },
	} {
		a.doublings = 1
		f()
		require.Zero(t, a.doublings, name)
	}
	// The search of a handicap game gets it for White, whoever is to move.
	e := newEngine(t, 9, nil)
	require.NoError(t, e.SetHandicap([]board.Point{20, 24, 56, 60}))
	_, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: board.White})
	require.NoError(t, err)
	p := e.thinker.tree.Params()
	require.Positive(t, p.Net.PlayoutDoublingAdvantage)
	require.Equal(t, board.White, p.Net.AdvantageFor)
	require.Zero(t, e.cfg.Search.Net.PlayoutDoublingAdvantage)
	require.NoError(t, e.SetParams(map[string]string{"playoutDoublingAdvantage": "-0.5"}))
	require.InDelta(t, -0.5, e.thinker.params().Net.PlayoutDoublingAdvantage, 0, "what was set by hand stays")
	require.NoError(t, e.NewGame(board.Square(9)))
	require.Zero(t, e.thinker.ahead.doublings)
}

// TestWhiteResignsLateWithHandicap: on 9x9 with 15 points to catch up in 0.6*81 -
// 17 moves, plus 5 and 15 %.
func TestWhiteResignsLateWithHandicap(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Rules.Komi = 7 })
	require.NoError(t, e.SetHandicap([]board.Point{20, 60}))
	require.False(t, mayResign(e.game, -81, headStart(e.game)), "too early, whatever the score")
	c := board.White
	for p := board.Point(0); e.game.NumMoves() < 18; p++ {
		if e.game.At(p) == board.Empty && p != 30 {
			require.NoError(t, e.Play(c, p))
			c = c.Opponent()
		}
	}
	turns := 0.6*81 - 17.0
	limit := -15*(turns-1)/turns - 5 - 2.25
	require.True(t, mayResign(e.game, limit-0.01, headStart(e.game)))
	require.False(t, mayResign(e.game, limit+0.01, headStart(e.game)))
	e.game.SetToMove(board.Black)
	require.True(t, mayResign(e.game, -1, headStart(e.game)), "Black may at any time")
}
