package thinking

import "kosumi/board"

// EvaluationRequest asks for one evaluation by the network, without a search.
type EvaluationRequest struct {
	Color    board.Color // side to move
	Symmetry int         // 0..7, board.Symmetry
	// Human asks the network of human moves, under the profile that is set.
	Human    bool
	Optimism float64 // weight of the optimistic policy in [0,1], where the network has one
}

// Evaluation is what a network says of a position, always from WHITE's view.
type Evaluation struct {
	Win, Loss, NoResult float64 // of White; sum 1
	Lead, ScoreMean     float64 // points for White; 0 where the network knows no score
	ScoreMeanSq         float64 // mean of the squared score
	// VarTimeLeft, ErrWinLoss and ErrScore are the network's estimates of how long the
	// game stays open, in moves, and of its errors; -1 where it has none.
	VarTimeLeft, ErrWinLoss, ErrScore float64
	Policy                            []float32 // by move: probabilities for the side to move; -1 where illegal
	Ownership                         []float32 // by point, + = White; nil where the network has none
}

// Estimate is an opinion about how a game stands, or its result.
type Estimate struct {
	// Lead is White's lead in points with best play, as the search sees it, komi and
	// bonuses included. Low and High bound the result of the game, White's points: a
	// tenth of games that the engine played on with itself would end below Low, a
	// tenth above High, by the network's own opinion of its uncertainty. All three are
	// 0 where the network knows no score.
	Lead, Low, High float64
	Winrate         float64 // Black's, [0,1]
	Visits          int64   // of each search that it rests on, or evaluations where nothing was left to decide
	// Sure and Likely count points by who will own them, stones and empty ones
	// alike, by board.Color: 95 times in a hundred or more, and 70 or more. Open
	// are the others, on which nothing is decided.
	Sure, Likely [3]int
	Open         int
	Ownership    []float32 // by point, [-1,1], + = White; nil where the network has none
	// Unsettled are chains that may live or die, the largest first.
	Unsettled [][]board.Point
	// Final reports whether the game is over, Settled whether nothing is left to decide in
	// one that is not: Lead, Low and High are its result.
	Final, Settled bool
}

// Status is the fate of a point at the end of the game: the first three for stones,
// the others for empty points.
type Status uint8

// The statuses of points.
const (
	Alive Status = iota
	Dead
	Seki
	BlackTerritory
	WhiteTerritory
	Dame
)

// statusNames are the words of GTP and of GNU Go, by Status.
var statusNames = [...]string{"alive", "dead", "seki", "black_territory", "white_territory", "dame"}

// String returns the word that GTP has for the status.
func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return "unknown"
	}
	return statusNames[s]
}

// OfStone reports whether stones can have the status; the others are of empty points.
func (s Status) OfStone() bool { return s <= Seki }

// ParseStatus reads the word of a status.
func ParseStatus(word string) (s Status, ok bool) {
	for i, name := range statusNames {
		if name == word {
			return Status(i), true
		}
	}
	return 0, false
}
