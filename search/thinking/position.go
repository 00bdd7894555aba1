package thinking

import (
	"slices"

	"kosumi/board"
)

// EvaluationRequest asks for one evaluation by the network without a search.
type EvaluationRequest struct {
	Color    board.Color // side to move
	Symmetry int         // 0..7, board.Symmetry
	// Human asks the human SL network, under the current profile.
	Human    bool
	Optimism float64 // weight of the optimistic policy in [0,1], if the network has one
}

// Evaluation is a network's evaluation of a position, always from WHITE's view.
type Evaluation struct {
	Win, Loss, NoResult float64 // of White; sum 1
	Lead, ScoreMean     float64 // points for White; 0 if the network predicts no score
	ScoreMeanSq         float64 // mean of the squared score
	// VarTimeLeft is the network's estimate of how long the game stays open, in moves; ErrWinLoss
	// and ErrScore are the errors that it predicts for itself. -1 if it has no such output.
	VarTimeLeft, ErrWinLoss, ErrScore float64
	Policy                            []float32 // by move: probabilities for the side to move; -1 if illegal
	Ownership                         []float32 // by point, + = White; nil if the network has none
}

// Estimate is an estimate of the score of a running game, or a finished game's result.
type Estimate struct {
	// Lead is White's lead in points with best play, as the search sees it, komi and bonuses
	// included. Low and High bound the final result in points for White: by the network's own
	// estimate of its uncertainty, a tenth of games played on from here would end below Low and a
	// tenth above High. All three are 0 if the network predicts no score.
	Lead, Low, High float64
	Winrate         float64 // Black's, in [0,1]
	Visits          int64   // visits of each search for the estimate; if Settled, all evaluations and visits so far
	// Sure and Likely count points, occupied or empty, by their probable owner, indexed by
	// board.Color: those owned with a probability of 95 % or more, and of 70 % or more. Open
	// counts the others.
	Sure, Likely [3]int
	Open         int
	Ownership    []float32 // by point, [-1,1], + = White; nil if the network has none
	// Unsettled are the chains that may live or die, largest first.
	Unsettled [][]board.Point
	// Final reports that the game is over, Settled that it goes on but nothing is left to decide;
	// in both cases Lead, Low and High are the result.
	Final, Settled bool
}

// Status is the fate of a point at the end of the game: the first three values are for stones,
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

// statusNames are the statuses' names in GTP and GNU Go.
var statusNames = [...]string{"alive", "dead", "seki", "black_territory", "white_territory", "dame"}

// String returns GTP's name of the status.
func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return "unknown"
	}
	return statusNames[s]
}

// ParseStatus reads the name of a status.
func ParseStatus(word string) (s Status, ok bool) {
	i := slices.Index(statusNames[:], word)
	return Status(max(0, i)), i >= 0
}
