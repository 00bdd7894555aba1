package engine

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/nntest"
	"kosumi/search"
	"kosumi/search/thinking"
	"kosumi/sgf"
)

// TestFinalScoreUnderWay: in an unfinished game the score is the lead that a search finds, not a
// count of an open board; once both sides have passed it is counted.
func TestFinalScoreUnderWay(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, 7, func(c *Config) { c.Rules = board.Chinese(); c.Rules.Komi = 7 })
	play(t, e, "D4 D5 D3")
	lead, err := e.Estimate(ctx)
	require.NoError(t, err)
	score := finalScore(t, e)
	require.InDelta(t, lead.Lead, score, 0.5)
	require.Equal(t, math.Trunc(score), score, "what a game can end with")
	play(t, e, "pass pass")
	j, err := e.judge.verdict(ctx, e.game)
	require.NoError(t, err)
	require.InDelta(t, e.game.ScoreWithDead(j.dead), finalScore(t, e), 0)
}

func TestStrictRulesCaptureInSureTerritoryBeforePassing(t *testing.T) {
	e := newEngine(t, 7, nil)
	// Black is pass-alive, with a white stone inside.
	setUp(t, e, `
. X . X X . .
X X X X . X X
. X . O X . .
X X X X X X X
O O O O O O O
. O . O . O .
O . O . O . O
`, board.Black)
	p := e.judge.beforePass(context.Background(), e.game, &search.Result{}, false, false)
	require.NotEqual(t, board.Pass, p)
	require.NoError(t, e.game.Legal(board.Black, p))
	e.cfg.Rules.FriendlyPassOk = true
	rules := e.game.Rules()
	rules.FriendlyPassOk = true
	require.NoError(t, e.SetRules(rules))
	_, err := e.judge.chains(context.Background(), e.game)
	require.NoError(t, err)
	e.judge.judged.open = nil
	require.Equal(t, board.Pass, e.judge.beforePass(context.Background(), e.game, &search.Result{}, false, false))
	e.judge.judged.open = []board.Point{0} // the opponent might disagree
	require.Equal(t, p, e.judge.beforePass(context.Background(), e.game, &search.Result{}, false, false))
	e.judge.judged.open = nil
	require.Equal(t, p, e.judge.beforePass(context.Background(), e.game, &search.Result{}, false, true), "nothing is judged in a hurry")
}

// TestWhetherToCleanUp: dead stones in sure territory are captured under all rules if CleanUp is Always,
// and under no rules if it is Never.
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
		require.Equal(t, c.takes, e.judge.cleansUp(context.Background(), e.game, false), "%v", c)
	}
}

// TestScoreIsThatOfItsStatuses: score, statuses, estimate and record agree on the dead stones;
// under rules without agreement on dead stones only stones in pass-alive territory are dead.
func TestScoreIsThatOfItsStatuses(t *testing.T) {
	const contested = "..XO.\n.OXOO\n..XO.\nXXXOO\n..XO."
	for _, c := range []struct {
		name, rules, diagram string
		want                 float64 // NaN: any score, since the network judges
		dead                 int
	}{
		{"a stone in territory", "tromp-taylor", contested, 2, 0},
		{"area, no friendly pass", `{"scoring":"AREA","friendlyPassOk":false}`, contested, 2, 0},
		{"the network judges", "chinese", contested, math.NaN(), -1},
		{"territory", "japanese", contested, math.NaN(), -1},
		{"seki tax", `{"scoring":"AREA","tax":"SEKI"}`, contested, 4, 0},
		{"in pass-alive territory", "tromp-taylor", ".XOX.\nXX.XX\nXXXXX\nOOOOO\n.O.O.", -5, 1},
		{"the same, agreed on", "chinese", ".XOX.\nXX.XX\nXXXXX\nOOOOO\n.O.O.", -5, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := board.ParseRules(c.rules)
			require.NoError(t, err)
			rules.Komi = 0
			e := newEngine(t, 5, func(conf *Config) { conf.Rules = rules })
			setUp(t, e, c.diagram, board.Black)
			play(t, e, "pass pass")
			status, err := e.FinalStatus(context.Background())
			require.NoError(t, err)
			score := finalScore(t, e)
			require.Equal(t, recount(e.game, status), score)
			dead := 0
			for _, s := range status {
				if s == thinking.Dead {
					dead++
				}
			}
			if c.dead >= 0 {
				require.Equal(t, c.dead, dead)
				require.Equal(t, c.want, score)
			}
			estimate, err := e.Estimate(context.Background())
			require.NoError(t, err)
			require.True(t, estimate.Final)
			require.Equal(t, [3]float64{score, score, score}, [3]float64{estimate.Lead, estimate.Low, estimate.High})
			require.Equal(t, sgf.ScoreResult(score), e.resultInRecord(context.Background()))
		})
	}
}

// TestScoreWithGroupTax: each living group costs its owner two points.
func TestScoreWithGroupTax(t *testing.T) {
	rules, err := board.ParseRules("stone-scoring")
	require.NoError(t, err)
	rules.Komi = 0
	for _, lead := range []bool{false, true} {
		rules.FriendlyPassOk = !lead // ScoreByLead counts only games without agreement on dead stones
		e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules, c.ScoreByLead = rules, lead })
		setUp(t, e, ".X.XO..\nXXXXO.O\nXXXOOO.\nOOOO.OO\nXXXOOO.\nXXXXO.O\n.X.XO..", board.Black)
		play(t, e, "pass pass")
		require.Equal(t, 7.0, finalScore(t, e))
		require.Equal(t, "W+7", e.resultInRecord(context.Background()))
	}
}

// TestNoResult: a game that repeats for ever, here by three kos, has no score.
func TestNoResult(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Rules = board.Chinese(); c.Size = board.Size{W: 4, H: 9} })
	setUp(t, e, ".XO.\nXO.O\n.XO.\n.XO.\nXO.O\n.XO.\n.XO.\nX.XO\n.XO.", board.Black)
	for range 3 {
		if !e.game.Ended() {
			play(t, e, "C8 B2 C5 B8 C2 B5")
		}
	}
	require.True(t, e.game.NoResult())
	require.Zero(t, finalScore(t, e))
	require.Equal(t, "Void", e.resultInRecord(context.Background()))
	status, err := e.FinalStatus(context.Background())
	require.NoError(t, err)
	require.NotContains(t, status, thinking.Dead)
}

// TestScoreAsTrained: a finished game is counted with the area rules of the network's training,
// or with configured ones.
func TestScoreAsTrained(t *testing.T) {
	e := engineOver(t, nntest.Uniform(), 7, func(c *Config) {
		c.Rules = board.Rules{Scoring: board.ScoringTerritory}
		c.Game.PreventEncore = false
	})
	setUp(t, e, `
		X . X O . . .
		X X X O . . .
		O O O O . . .
		. . . . . . .
		. . . . . . .
		. . . . . . .
		. . . . . . .`, board.Black)
	for range 3 {
		play(t, e, "pass pass")
	}
	require.True(t, e.game.Finished())
	plain := finalScore(t, e)
	require.NoError(t, e.SetParams(map[string]string{"excludeTerritoryAdjacentToAtari": "true"}))
	require.Equal(t, plain+1, finalScore(t, e))
}

// TestStonesInSeki: stones of both sides in seki have that status, before and after both sides pass. Borders and kos that nobody has closed
// make none, and an open board has none.
func TestStonesInSeki(t *testing.T) {
	const shared = "....OXXXXX.\n....OXXXOOO\n....OOOXXXO\n....OOOOOX.\n....O.O.OXX\n....OOOOOOO"
	e := builtIn(t, nil)
	for _, c := range []struct {
		name, diagram, alive string // alive: a stone that is not in seki
		stones               int
	}{
		{"shared liberties", shared, "E6", 18},
		{"the whole board", "XXX.O\nXXX.O\nXXXOO\nXXXOO\nXXXOO", "", 23},
		{"an open border", "..X.O..\n..X.O..\n..XXO..\n..X.O..\n..X.O..\n..X.O..\n..X.O..", "C7", 0},
		{"a ko", "..XO..\n.X.XO.\n..XOO.\n..XO..\n..XO..", "C3", 0},
		{"a dead stone, which counts under some rules", "..XO.\n.OXOO\n..XO.\nXXXOO\n..XO.", "C5", 0},
		{"an open board", ".......\n..X.O..\n.......\n.......\n.......\n..O.X..\n.......", "C6", 0},
	} {
		for _, rules := range []string{"japanese", "chinese", "tromp-taylor"} {
			place(t, e, c.diagram, board.Black, rules)
			for _, moves := range []string{"", "pass pass"} {
				play(t, e, moves)
				status, err := e.FinalStatus(t.Context())
				require.NoError(t, err)
				n := 0
				for p, s := range status {
					if s == thinking.Seki {
						n++
					}
					if c.alive == e.game.Size().Vertex(board.Point(p)) {
						require.Equal(t, thinking.Alive, s, "%s, %s, %q", c.name, rules, moves)
					}
				}
				require.Equal(t, c.stones, n, "%s, %s, %q: %v", c.name, rules, moves, status)
			}
		}
	}
}
