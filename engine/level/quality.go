package level

import (
	"maps"
	"math"
	"slices"
	"time"

	"kosumi/board"
)

// quality describes the reviewed games of players of strength elo: mean is the average of the
// games' rootLoss, spread the standard deviation of rootLoss between games.
type quality struct{ elo, mean, spread float64 }

// qualities were measured on games of the ladder, between this program's levels, reviewed with 32
// visits a position by the built-in network: 246 games on 9x9, 138 on 13x13, 60 on 19x19. The mean
// of the square roots of the points lost follows strength more closely than the mean loss, which
// depends much on single slips. Other boards are not measured. Elo is on the scale of 9x9, 50 a
// rank. A side of a game is one player's part in it.
var qualities = map[board.Size][]quality{ // by board, the weakest first
	board.Square(9): {
		{-900, 1.666, 0.314}, // 28k, one player's moves in 26 games
		{-744, 1.597, 0.260}, // 25k, 30 sides of games
		{-619, 1.478, 0.256}, // 22k, 44 sides of games
		{-319, 1.182, 0.221}, // 16k, 70 sides of games
		{-143, 1.024, 0.241}, // 13k, 42 sides of games
		{39, 0.700, 0.211},   // 9k, 50 sides of games
		{181, 0.599, 0.184},  // 6k, 38 sides of games
		{371, 0.380, 0.150},  // 3k, 50 sides of games
		{822, 0.173, 0.111},  // 7d, 60 sides of games
		{1282, 0.139, 0.085}, // above 9d, 34 sides of games
	},
	board.Square(13): {
		{-1092, 1.869, 0.202}, // below 30k, 41 sides of games
		{-856, 1.585, 0.150},  // 27k, 25 sides of games
		{-571, 1.348, 0.217},  // 21k, 48 sides of games
		{-256, 1.001, 0.188},  // 15k, 37 sides of games
		{369, 0.530, 0.109},   // 3k, 39 sides of games
		{853, 0.267, 0.105},   // 8d, 20 sides of games
		{906, 0.144, 0.058},   // 9d, 13 sides of games
	},
	board.Square(19): {
		{-1189, 2.068, 0.153}, // below 30k, 9 sides of games
		{-855, 1.646, 0.246},  // 27k, 31 sides of games
		{-470, 1.423, 0.160},  // 19k, 9 sides of games
		{30, 0.701, 0.065},    // 9k, 20 sides of games
		{496, 0.314, 0.075},   // 1d, 10 sides of games
		{810, 0.154, 0.080},   // 7d, 12 sides of games
	},
}

const (
	mostLoss   = 10.0 // in points; a greater loss of a move counts as this one
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

// expected returns the quality at strength elo, interpolated linearly between the measured
// strengths on a board, and extrapolated beyond them.
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

// JudgedBy updates the rating by a reviewed game: the loss of each of the player's moves, in points. A game counts
// if it has at least 12 moves of the player and is on a board of [JudgedOn]. An update by the same game with other
// losses, such as the other side's, is taken back; without losses, it only is taken back. JudgedBy reports whether
// the rating has changed.
func (f *PlayerRating) JudgedBy(size board.Size, game string, losses []float64, when time.Time) bool {
	s := Standing{When: when, Judged: true, Game: game, Root: rootLoss(losses), Weight: 1}
	counts := qualities[size] != nil && len(losses) >= leastMoves
	at := slices.IndexFunc(f.History, func(s Standing) bool { return s.Judged && s.Game == game && s.Weight > 0 })
	if at < 0 && slices.Contains(f.Reviewed, game) || !counts && at < 0 || counts && at >= 0 && f.History[at].Root == s.Root {
		return false
	}
	if at >= 0 {
		f.takeBack(size, at)
	}
	if counts {
		for _, l := range losses {
			s.Mark += max(l, 0) / float64(len(losses))
		}
		f.add(size, s)
		f.Reviewed = append(f.Reviewed, game)
		f.Reviewed = slices.Delete(f.Reviewed, 0, max(0, len(f.Reviewed)-judgedKept))
	}
	return true
}

func (f *PlayerRating) judge(on []quality, root float64) {
	for i := range f.Weights {
		q := expected(on, grid(i))
		z := (root - q.mean) / q.spread
		f.Weights[i] *= math.Pow(math.Exp(-z*z/2)/q.spread, judgedWeight)
	}
	f.normalise()
}
