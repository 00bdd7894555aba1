package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

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
	play(t, e, "b:C7 b:G7 b:C3") // handicap stones sent as moves
	require.InDelta(t, 15*2+7-7.5, headStart(e.game), 1e-6)
}

// TestAdvantageByHand: the side behind gets 0.045 doublings for each point of head start beyond 4
// points on 19x19.
func TestAdvantageByHand(t *testing.T) {
	nineteen := board.Square(19)
	var a advantage
	a.adjust(nineteen, 29.5, 0.045, 0, false)
	require.InDelta(t, 1.125, a.doublings, 1e-12) // 0.045*25.5 = 1.1475, rounded to eighths
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
	// In a handicap game the search has the advantage for White, with either side to move.
	e := newEngine(t, 9, nil)
	require.NoError(t, e.SetHandicap([]board.Point{20, 24, 56, 60}))
	genmove(t, e, board.White)
	p := e.thinker.tree.Params()
	require.Positive(t, p.Net.PlayoutDoublingAdvantage)
	require.Equal(t, board.White, p.Net.AdvantageFor)
	require.Zero(t, e.cfg.Search.Net.PlayoutDoublingAdvantage)
	require.NoError(t, e.SetParams(map[string]string{"playoutDoublingAdvantage": "-0.5"}))
	require.InDelta(t, -0.5, e.thinker.params().Net.PlayoutDoublingAdvantage, 0, "what was set by hand stays")
	require.NoError(t, e.NewGame(board.Square(9)))
	require.Zero(t, e.thinker.ahead.doublings)
}

// TestWhiteResignsLateWithHandicap: on 9x9 White plans to make up 15 points in 0.6*81 - 17 moves.
// It resigns if it is behind this plan by more than 5 points plus 15 % of the head start.
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
