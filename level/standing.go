package level

import (
	"math"
	"slices"
	"time"

	"kosumi/board"
)

// Standing is where a player stood after a game had counted: eight times in ten between
// Low and High.
type Standing struct {
	When           time.Time `json:"when"`
	Low, Mid, High Rank
	// Judged reports whether the quality of the moves of a game counted, whose mean loss
	// is Mark; else its result did, in points.
	Judged bool    `json:"judged,omitempty"`
	Mark   float64 `json:"mark"`
}

// Bounds of what a rating remembers.
const (
	historyKept = 500
	judgedKept  = 1000
)

// remember notes where the player stands now.
func (f *PlayerRating) remember(when time.Time, judged bool, mark float64) {
	s := Standing{When: when.Round(time.Second), Judged: judged, Mark: mark}
	s.Low, s.Mid, s.High = f.Range()
	f.History = append(f.History, s)
	f.History = slices.Delete(f.History, 0, max(0, len(f.History)-historyKept))
}

// The quality of a player's moves, as a review sees it.
const (
	mostLoss     = 10.0 // points of one move that count, on 9x9
	judgedWeight = 0.5  // exponent: the games of one player are alike
)

// leastMoves is how many moves of the player a game must have to say something: 12 on
// 9x9, 20 on 19x19.
func leastMoves(size board.Size) int {
	return int(12 * math.Pow(float64(size.Area())/81, 0.34))
}

// MeanLoss is the mean of what moves lost, in points, each capped at 10 points on 9x9 and
// more on larger boards: one slip says little.
func MeanLoss(size board.Size, losses []float64) float64 {
	most := mostLoss * scale(size)
	sum := 0.0
	for _, l := range losses {
		sum += min(max(l, 0), most)
	}
	return sum / float64(max(len(losses), 1))
}

// JudgedBy takes a reviewed game into account by what each of the player's moves lost, in
// points: the likelihood of their mean at each strength. It reports whether the game
// counted: not the same one twice, and none with too few moves.
func (f *PlayerRating) JudgedBy(size board.Size, game string, losses []float64, when time.Time) bool {
	if len(losses) < leastMoves(size) || slices.Contains(f.Reviewed, game) {
		return false
	}
	ladders, err := Ladders()
	if err != nil {
		return false // the table in the program is tested
	}
	f.drift(when)
	mean := MeanLoss(size, losses)
	for i := range f.Weights {
		expected, spread := expectedLoss(ladders, size, grid(i))
		z := (mean - expected) / spread
		f.Weights[i] *= math.Exp(-judgedWeight*z*z/2) / math.Pow(spread, judgedWeight)
	}
	f.normalise()
	f.Judged++
	f.Reviewed = append(f.Reviewed, game)
	f.Reviewed = slices.Delete(f.Reviewed, 0, max(0, len(f.Reviewed)-judgedKept))
	f.later(when)
	f.remember(when, true, mean)
	return true
}

// expectedLoss is the mean loss of a move of a player of a strength in a reviewed game,
// and its standard deviation from game to game.
func expectedLoss(ladders []Ladder, size board.Size, elo float64) (mean, spread float64) {
	rank := Rank(math.Round(elo/eloARank)) + anchorRank
	mean = 0.3 + PointsLost(ladders, "", size, max(Lowest, min(Highest, rank)))
	return mean, 0.2*scale(size) + 0.35*mean
}
