package engine

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/nntest"
	"kosumi/search"
)

func TestScoringOfAFinishedPosition(t *testing.T) {
	e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules = board.Chinese(); c.Rules.Komi = 7 })
	setUp(t, e, lifeAndDeath, board.Black)
	status, err := e.FinalStatus(context.Background())
	require.NoError(t, err)
	size := e.game.Size()
	require.Equal(t, Dead, status[size.Point(1, 1)])
	require.Equal(t, Dead, status[size.Point(5, 5)])
	require.Equal(t, Alive, status[size.Point(2, 0)])
	require.Equal(t, WhiteTerritory, status[size.Point(0, 0)])
	require.Equal(t, BlackTerritory, status[size.Point(6, 6)])
	score, err := e.FinalScore(context.Background())
	require.NoError(t, err)
	require.Equal(t, 21.0-28.0+7.0, score)
}

// In the middle of a game the score is the lead that a search finds, not what a count
// would make of an open board; once both sides have passed it is counted.
func TestFinalScoreUnderWay(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, 7, func(c *Config) { c.Rules = board.Chinese(); c.Rules.Komi = 7 })
	for i, p := range []board.Point{24, 17, 31} {
		require.NoError(t, e.Play([]board.Color{board.Black, board.White}[i%2], p))
	}
	lead, err := e.Estimate(ctx)
	require.NoError(t, err)
	score, err := e.FinalScore(ctx)
	require.NoError(t, err)
	require.InDelta(t, lead.Lead, score, 0.5)
	require.Equal(t, math.Trunc(score), score, "what a game can end with")
	require.NoError(t, e.Play(board.White, board.Pass))
	require.NoError(t, e.Play(board.Black, board.Pass))
	j, err := e.judge(ctx, e.game)
	require.NoError(t, err)
	score, err = e.FinalScore(ctx)
	require.NoError(t, err)
	require.InDelta(t, e.game.ScoreWithDead(j.dead), score, 0)
}

func TestCleanupCapturesBeforePassing(t *testing.T) {
	e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules = board.Chinese() })
	setUp(t, e, lifeAndDeath, board.Black)
	dead := e.game.Size().Point(5, 5)
	for range 12 {
		m, err := e.GenMove(context.Background(), MoveRequest{Color: board.Black, Cleanup: true})
		require.NoError(t, err)
		if e.game.At(dead) == board.Empty {
			return
		}
		require.NotEqual(t, board.Pass, m.Point, "no pass while a dead stone is on the board")
		require.NoError(t, e.Play(board.White, board.Pass))
	}
	t.Fatal("the dead stone was never captured")
}

func TestStrictRulesCaptureInSureTerritoryBeforePassing(t *testing.T) {
	e := newEngine(t, 7, nil)
	// Black lives for sure, with a white stone inside.
	setUp(t, e, `
. X . X X . .
X X X X . X X
. X . O X . .
X X X X X X X
O O O O O O O
. O . O . O .
O . O . O . O
`, board.Black)
	p := e.beforePass(context.Background(), e.game, &search.Result{}, false, false)
	require.NotEqual(t, board.Pass, p)
	require.NoError(t, e.game.Legal(board.Black, p))
	e.cfg.Rules.FriendlyPassOk = true
	rules := e.game.Rules()
	rules.FriendlyPassOk = true
	require.NoError(t, e.SetRules(rules))
	_, err := e.judge(context.Background(), e.game)
	require.NoError(t, err)
	e.judged.sure = true
	require.Equal(t, board.Pass, e.beforePass(context.Background(), e.game, &search.Result{}, false, false))
	e.judged.sure = false // the opponent may not agree
	require.Equal(t, p, e.beforePass(context.Background(), e.game, &search.Result{}, false, false))
	e.judged.sure = true
	require.Equal(t, p, e.beforePass(context.Background(), e.game, &search.Result{}, false, true), "nothing is judged in a hurry")
}

// TestWhetherToCleanUp: dead stones in sure territory are taken where that is asked
// for under any rules, and under none where it is not wanted.
func TestWhetherToCleanUp(t *testing.T) {
	for _, c := range []struct {
		rules    board.Rules
		cleanUp  Whether
		friendly Whether
		takes    bool
	}{
		{board.TrompTaylor(), ByRules, ByRules, true},
		{board.TrompTaylor(), Never, ByRules, false},
		{board.TrompTaylor(), ByRules, Always, false},
		{board.TrompTaylor(), Always, ByRules, true},
		{board.Japanese(), ByRules, ByRules, false},
		{board.Japanese(), Always, ByRules, true},
	} {
		e := engineOver(t, nntest.Uniform(), 7, func(conf *Config) { conf.Rules, conf.CleanUp, conf.FriendlyPass = c.rules, c.cleanUp, c.friendly })
		require.Equal(t, c.takes, e.cleansUp(context.Background(), e.game, false), "%v", c)
	}
}
