package level

import (
	"maps"
	"math"
	"slices"
	"time"

	"kosumi/board"
)

// quality is the distribution of a measure of reviewed games at a known strength: the mean over a
// game of the square roots of the points lost by the player's moves, and its standard deviation
// between games.
type quality struct{ elo, mean, spread float64 }

// qualities were measured on games between levels of this program, reviewed with 32 visits a
// position by the built-in network: 192 games on 9x9, 22 on 13x13. The mean of square roots
// follows strength more closely than the mean, which depends much on single slips. Other boards
// are not measured.
var qualities = map[board.Size][]quality{ // by board, the weakest first
	board.Square(9): {
		{-250, 0.981, 0.277}, // 15k, 48 sides of games
		{-100, 0.754, 0.185}, // 12k, 64 sides
		{50, 0.672, 0.180},   // 9k, 64 sides
		{200, 0.463, 0.185},  // 6k, 64 sides
		{350, 0.336, 0.145},  // 3k, 64 sides
		{500, 0.241, 0.118},  // 1d, 64 sides
		{650, 0.159, 0.120},  // 4d, 16 sides
	},
	board.Square(13): {
		{-400, 0.885, 0.244}, // 18k, 6 sides
		{-250, 0.676, 0.186}, // 15k, 10 sides
		{-100, 0.406, 0.112}, // 12k, 8 sides
		{50, 0.342, 0.094},   // 9k, 8 sides
		{200, 0.236, 0.065},  // 6k, 6 sides
		{350, 0.236, 0.065},  // 3k, 4 sides
		{450, 0.224, 0.062},  // 1k, 2 sides
	},
}

const (
	mostLoss   = 10.0 // points lost above which a move counts no more
	leastMoves = 12   // minimum number of the player's moves for a game to count
	judgedKept = 1000 // maximum number of games whose IDs are remembered
	// judgedWeight is the exponent of a game's likelihood, below 1, since people differ from this
	// program's levels, and the games of one player are alike.
	judgedWeight = 0.5
	leastSpread  = 0.05
)

// JudgedOn lists the boards on which the quality of moves is a measure of strength, the smallest
// first.
func JudgedOn() []board.Size {
	return slices.SortedFunc(maps.Keys(qualities), func(a, b board.Size) int { return a.Area() - b.Area() })
}

// expected is the quality of a player of a strength, interpolated linearly between the measured
// strengths of a board, and extrapolated beyond them.
func expected(on []quality, elo float64) quality {
	i := 1
	for i < len(on)-1 && on[i].elo < elo {
		i++
	}
	a, b := on[i-1], on[i]
	t := (elo - a.elo) / (b.elo - a.elo)
	within := min(1, max(0, t))
	return quality{elo, max(0, a.mean+t*(b.mean-a.mean)), max(leastSpread, a.spread+within*(b.spread-a.spread))}
}

// rootLoss is the mean of the square roots of the moves' losses, in points.
func rootLoss(losses []float64) float64 {
	sum := 0.0
	for _, l := range losses {
		sum += math.Sqrt(min(max(l, 0), mostLoss))
	}
	return sum / float64(max(len(losses), 1))
}

// JudgedBy updates the rating by a reviewed game: the loss of each of the player's moves, in
// points. It reports whether the game counted: it must be new, with at least 12 moves of the
// player, on a board of [JudgedOn].
func (f *PlayerRating) JudgedBy(size board.Size, game string, losses []float64, when time.Time) bool {
	on := qualities[size]
	if on == nil || len(losses) < leastMoves || slices.Contains(f.Reviewed, game) {
		return false
	}
	f.drift(when)
	f.judge(on, rootLoss(losses))
	mean := 0.0
	for _, l := range losses {
		mean += max(l, 0) / float64(len(losses))
	}
	f.Judged++
	f.Reviewed = append(f.Reviewed, game)
	f.Reviewed = slices.Delete(f.Reviewed, 0, max(0, len(f.Reviewed)-judgedKept))
	f.later(when)
	f.remember(true, mean)
	return true
}

// judge narrows the distribution by the quality of the moves of a game.
func (f *PlayerRating) judge(on []quality, root float64) {
	for i := range f.Weights {
		q := expected(on, grid(i))
		z := (root - q.mean) / q.spread
		f.Weights[i] *= math.Pow(math.Exp(-z*z/2)/q.spread, judgedWeight)
	}
	f.normalise()
}
