package level

import (
	"math"
	"slices"
	"time"

	"kosumi/board"
)

// quality is what a review says of the moves of a player whose strength is known: the
// mean over a game of the square roots of the points that moves lost, and its standard
// deviation from game to game.
type quality struct{ elo, mean, spread float64 }

// qualities were measured on 9x9: 192 games of this program's levels against each other,
// reviewed with 32 visits a position by the network in the program. The mean root follows
// strength more closely than the mean does: one large slip says little.
var qualities = []quality{ // weakest first
	{-250, 0.981, 0.277}, // 15k, 48 sides of games
	{-100, 0.754, 0.185}, // 12k, 64
	{50, 0.672, 0.180},   // 9k, 64
	{200, 0.463, 0.185},  // 6k, 64
	{350, 0.336, 0.145},  // 3k, 64
	{500, 0.241, 0.118},  // 1d, 64
	{650, 0.159, 0.120},  // 4d, 16
}

const (
	mostLoss   = 10.0 // points of one move that count
	leastMoves = 12   // of the player in a game
	judgedKept = 1000 // games whose IDs are remembered
	// judgedWeight is the exponent of what a game says: people differ from this
	// program's levels, and the games of one player are alike.
	judgedWeight = 0.5
	leastSpread  = 0.05
)

// judgedOn is the board on which the quality of moves was measured.
var judgedOn = board.Square(9)

// expected is the quality of a player of a strength, by straight lines between those that
// were measured, and beyond them.
func expected(elo float64) quality {
	i := 1
	for i < len(qualities)-1 && qualities[i].elo < elo {
		i++
	}
	a, b := qualities[i-1], qualities[i]
	t := (elo - a.elo) / (b.elo - a.elo)
	within := min(1, max(0, t))
	return quality{elo, max(0, a.mean+t*(b.mean-a.mean)), max(leastSpread, a.spread+within*(b.spread-a.spread))}
}

// rootLoss is the mean of the square roots of what moves lost, in points.
func rootLoss(losses []float64) float64 {
	sum := 0.0
	for _, l := range losses {
		sum += math.Sqrt(min(max(l, 0), mostLoss))
	}
	return sum / float64(max(len(losses), 1))
}

// JudgedBy takes a reviewed game on 9x9 into account by what each of the player's moves
// lost, in points. It reports whether the game counted: not the same one twice, none with
// fewer than 12 moves, and none on another board, where nothing is measured.
func (f *PlayerRating) JudgedBy(size board.Size, game string, losses []float64, when time.Time) bool {
	if size != judgedOn || len(losses) < leastMoves || slices.Contains(f.Reviewed, game) {
		return false
	}
	f.drift(when)
	f.judge(rootLoss(losses))
	mean := 0.0
	for _, l := range losses {
		mean += l / float64(len(losses))
	}
	f.Judged++
	f.Reviewed = append(f.Reviewed, game)
	f.Reviewed = slices.Delete(f.Reviewed, 0, max(0, len(f.Reviewed)-judgedKept))
	f.later(when)
	f.remember(true, mean)
	return true
}

// judge makes what is known narrower by the quality of the moves of a game.
func (f *PlayerRating) judge(root float64) {
	for i := range f.Weights {
		q := expected(grid(i))
		z := (root - q.mean) / q.spread
		f.Weights[i] *= math.Pow(math.Exp(-z*z/2)/q.spread, judgedWeight)
	}
	f.normalise()
}
