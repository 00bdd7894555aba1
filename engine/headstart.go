package engine

import (
	"math"

	"kosumi/board"
	"kosumi/search"
)

// In handicap games the network of the weaker side is told that this side searches more (playout
// doubling advantage), so that it plays for complications. White resigns late, since it is expected
// to be behind. Advantage and resignation follow KataGo (github.com/lightvector/KataGo, cpp/command/gtp.cpp).

// headStart returns Black's lead in points after its handicap stones: each stone but the first,
// which stands for Black's first move, is worth 15 points, or 14 under territory rules; komi 7
// makes an even game.
func headStart(game *board.Game) float64 {
	rules := game.Rules()
	stones := game.StartingStones()
	if stones <= 1 {
		return 7 - float64(rules.Komi)
	}
	worth := 15.0
	if rules.Scoring == board.ScoringTerritory {
		worth = 14
	}
	bonus := 0
	switch rules.HandicapBonus {
	case board.BonusN:
		bonus = stones
	case board.BonusNMinus1:
		bonus = stones - 1
	}
	return worth*float64(stones-1) + 7 - float64(rules.Komi) - float64(bonus)
}

// advantage is the playout doubling advantage of the side that is behind from the start. The
// thinker owns it; it is zero at the start of a game.
type advantage struct {
	doublings float64     // for White; negative: for Black
	side      board.Color // side that the last search was for
	adjusted  bool        // already adjusted for the next move
}

// Steps and bounds of the advantage.
const (
	advantageStep = 0.125
	advantageMost = 2.75 // networks were hardly trained beyond this
)

// adjust sets the advantage before a move of the engine: at first as high as the head start allows,
// later so that the weaker side's winrate stays between 5 % and 25 %. The argument last is the
// value of the engine's last move, win minus loss from White's view; known is false if there is none.
func (a *advantage) adjust(size board.Size, headStart, perPoint, last float64, known bool) {
	scale, from := weightOfPoint(size), handicapFrom(size)
	ahead := math.Abs(headStart)
	if perPoint <= 0 || ahead < from || size.W <= 7 || size.H <= 7 {
		a.doublings = 0
		return
	}
	sign := math.Copysign(1, headStart)
	most := min(advantageMost, perPoint*(ahead-from)*scale)
	most = math.Round(most/advantageStep) * advantageStep
	d := sign * a.doublings
	switch {
	case !known:
		d = most
	case sign*last < -0.9:
		d += advantageStep
	case sign*last > -0.5:
		d -= advantageStep
	}
	a.doublings = sign * min(max(d, 0), most)
}

// weightOfPoint is the weight of a point relative to 19x19: points decide more on small boards.
func weightOfPoint(size board.Size) float64 { return math.Pow(361/float64(size.Area()), 0.75) }

// handicapFrom is the head start, in points, from which a game counts as a handicap game.
func handicapFrom(size board.Size) float64 { return max(4/weightOfPoint(size), 2) }

// chargeRepeats sets the utility that the side behind in a handicap game loses by a move that resembles
// one of its earlier moves, so that it plays different ones.
func chargeRepeats(p *search.Params, game *board.Game, c board.Color, utility float64) {
	if float64(sideSign(c))*headStart(game) > handicapFrom(game.Size()) {
		p.RepeatPenalty.Utility = utility
	}
	if p.RepeatPenalty.Utility != 0 {
		p.RepeatPenalty.Player = c // also while pondering in the opponent's turn
	}
}

// mayResign reports whether White, in a game with a head start for Black, is further behind than it
// should be by now. Black, and White in other games, may always resign. lead is White's.
func mayResign(game *board.Game, lead, headStart float64) bool {
	if headStart <= 0.9 || game.ToMove() != board.White {
		return true
	}
	area := float64(game.Size().Area())
	first := 1 + math.Floor(area/5)
	moves := float64(game.NumMoves())
	if moves < first {
		return false
	}
	turns := max(1, 0.6*area-first) // turns until White has caught up
	spent := min(max(0, moves-first), turns)
	return lead <= -headStart*(turns-spent)/turns-5-0.15*headStart
}
