package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search/thinking"
	"kosumi/sgf"
)

// fifteenRules are rule sets with every scoring, tax and way to agree on dead stones.
var fifteenRules = []string{
	"tromp-taylor", "chinese", "chinese-ogs", "japanese", "stone-scoring", "ancient-territory", "aga", "aga-button", "new-zealand", "ing",
	`{"scoring":"AREA","tax":"SEKI","friendlyPassOk":true}`, `{"scoring":"AREA","tax":"SEKI","suicide":true,"friendlyPassOk":false}`,
	`{"scoring":"AREA","tax":"ALL","suicide":true,"friendlyPassOk":false}`, `{"scoring":"TERRITORY","tax":"NONE"}`,
	`{"scoring":"TERRITORY","tax":"SEKI","whiteHandicapBonus":"N"}`,
}

// TestFinishedGamesAreRecounted plays 300 games of random moves, in some of which both sides pass early,
// and recounts those without clean-up phases from the statuses alone.
func TestFinishedGamesAreRecounted(t *testing.T) {
	ctx := context.Background()
	strict := 0 // games whose score could be compared with asItStands
	for i, text := range fifteenRules {
		t.Run(text, func(t *testing.T) {
			rules, err := board.ParseRules(text)
			require.NoError(t, err)
			rules.Komi = 6.5
			for n := range 20 {
				e := newEngine(t, 5+n%3*2, func(c *Config) { c.Rules, c.Game.PreventEncore = rules, n%4 > 0 })
				rng := rand.New(rand.NewPCG(uint64(i), uint64(n)))
				finishAtRandom(t, e, rng)
				score := finalScore(t, e)
				if e.game.NoResult() {
					require.Zero(t, score)
					continue
				}
				status, err := e.FinalStatus(ctx)
				require.NoError(t, err)
				show := fmt.Sprintf("game %d: %s\n%v", n, e.game.Board(), status)
				if e.game.Phase() == 0 {
					require.Equal(t, recount(e.game, status), score, show)
				}
				if e.judge.counted(e.game) {
					require.Equal(t, float64(e.game.Score()), score, show)
				}
				if again, ok := asItStands(t, e.game, status); ok {
					strict++
					require.Equal(t, again, score, show)
				}
				require.Equal(t, sgf.ScoreResult(score), e.resultInRecord(ctx))
			}
		})
	}
	require.Greater(t, strict, 200)
}

// finishAtRandom plays points that are not eyes of the mover, then passes until the game is over.
func finishAtRandom(t *testing.T, e *Engine, rng *rand.Rand) {
	t.Helper()
	area := e.game.Size().Area()
	for left := area/2 + rng.IntN(4*area); left > 0 && !e.game.Ended(); left-- {
		c, p := e.game.ToMove(), board.Pass
		for range 4 * area {
			q := board.Point(rng.IntN(area))
			if e.game.Legal(c, q) == nil && !e.game.Board().IsEye(q, c) {
				p = q
				break
			}
		}
		require.NoError(t, e.Play(c, p))
	}
	for range 8 {
		if !e.game.Ended() {
			require.NoError(t, e.Play(e.game.ToMove(), board.Pass))
		}
	}
	require.True(t, e.game.Ended())
}

// ownersIn returns each point's owner by the statuses alone; a dead stone's point belongs to the
// owner of the empty points around it.
func ownersIn(g *board.Game, status []thinking.Status) []board.Color {
	owner := make([]board.Color, len(status))
	for p, s := range status {
		switch s {
		case thinking.BlackTerritory:
			owner[p] = board.Black
		case thinking.WhiteTerritory:
			owner[p] = board.White
		case thinking.Alive, thinking.Seki:
			owner[p] = g.At(board.Point(p))
		case thinking.Dead:
			for _, q := range g.Board().LibertyPoints(nil, board.Point(p)) {
				if status[q] == thinking.BlackTerritory && g.At(board.Point(p)) == board.White || status[q] == thinking.WhiteTerritory && g.At(board.Point(p)) == board.Black {
					owner[p] = g.At(board.Point(p)).Opponent()
				}
			}
		}
	}
	return owner
}

// recount computes White's points minus Black's from the statuses, as a client would.
func recount(g *board.Game, status []thinking.Status) (score float64) {
	territory := g.Rules().Scoring == board.ScoringTerritory
	var points [3]int
	for p, owner := range ownersIn(g, status) {
		c := g.At(board.Point(p))
		if !territory || owner != c {
			points[owner]++
		}
		if territory && status[p] == thinking.Dead {
			points[c.Opponent()]++
		}
	}
	if territory {
		points[board.White] += g.Board().Captured(board.Black)
		points[board.Black] += g.Board().Captured(board.White)
	} else {
		score = float64(g.BonusScore()) // includes a button
	}
	if g.Rules().Tax == board.TaxAll {
		score -= 2 * float64(livingGroups(g, status))
	}
	return score + float64(points[board.White]-points[board.Black]) + float64(g.Rules().Komi+g.HandicapBonusScore())
}

// livingGroups counts the connected areas of each side that contain a living stone, White's minus
// Black's.
func livingGroups(g *board.Game, status []thinking.Status) (whiteMinusBlack int) {
	owner := ownersIn(g, status)
	seen := make([]bool, len(status))
	var visit func(p board.Point) bool
	visit = func(p board.Point) (has bool) {
		seen[p], has = true, status[p] != thinking.Alive && status[p] != thinking.Seki
		for _, q := range g.Board().Neighbors(p) {
			if !seen[q] && owner[q] == owner[p] {
				has = visit(q) || has
			}
		}
		return has
	}
	for p, c := range owner {
		if c == board.Empty || seen[p] || !visit(board.Point(p)) {
			continue
		}
		if c == board.White {
			whiteMinusBlack++
		} else {
			whiteMinusBlack--
		}
	}
	return whiteMinusBlack
}

// asItStands returns KataGo's score of the position after the dead stones are captured by play.
// ok is false after clean-up phases, and if there are open neutral points or chains in atari,
// where KataGo's rules see a seki and people do not.
func asItStands(t *testing.T, g *board.Game, status []thinking.Status) (score float64, ok bool) {
	t.Helper()
	var stones [3][]board.Point
	for p, s := range status {
		c := g.At(board.Point(p))
		switch {
		case s == thinking.Dame:
			return 0, false
		case s == thinking.Alive, s == thinking.Seki:
			if g.Board().Liberties(board.Point(p)) == 1 {
				return 0, false
			}
			stones[c] = append(stones[c], board.Point(p))
		}
	}
	clean, err := board.NewGame(g.Size(), g.Rules())
	require.NoError(t, err)
	if g.Phase() > 0 || clean.Setup(stones[board.Black], stones[board.White], board.Black) != nil {
		return 0, false
	}
	score = float64(clean.Score()) - float64(clean.BonusScore()+clean.HandicapBonusScore())
	if clean.HasButton() {
		score += 0.5
	}
	return score + float64(g.BonusScore()+g.HandicapBonusScore()), true
}
