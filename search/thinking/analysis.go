package thinking

import "kosumi/board"

// Analysis is the result of a search, or a snapshot of a running one. Every number is from the
// view of the side to move at the root. The zero value is an empty analysis.
type Analysis struct {
	Size   board.Size
	ToMove board.Color
	// Moves are the searched moves, best first. Moves left out as symmetric copies follow their
	// originals.
	Moves []Move
	// Unsearched are further moves, in order of prior, with their assumed values: enough to reach the
	// requested number of moves, and their symmetric copies.
	Unsearched []Move
	Root       Root
	Human      *Human // nil without a human SL network
	// Policy is by move: the network's probabilities at the root, before temperature and noise;
	// -1 if illegal.
	Policy []float32
	// Ownership is by point: the average over the search, with its standard deviation; nil if not
	// requested or unknown.
	Ownership, OwnershipStdev []float32
}

// Value is the average value of a position in a search, from one side's view.
type Value struct {
	Winrate  float64 // [0,1]
	NoResult float64 // [0,1], the probability of a game without result
	Utility  float64 // quantity that the search maximises, about [-1.5,1.5]
	// Lead is the number of points by which the side is ahead if both play evenly. ScoreMean is
	// the mean final score of the network's self-play, ScoreStdev its standard deviation.
	Lead, ScoreMean, ScoreStdev float64
}

// Move is the result of a search for one move at the root, from the view of the side to move.
type Move struct {
	Move  board.Point // board.Pass for a pass
	Order int         // 0 is the best
	// Visits and Weight are those of the position after the move, EdgeVisits and EdgeWeight the
	// share that arrived by this move; the two differ if several move orders lead to the position.
	Visits, EdgeVisits int64
	Weight, EdgeWeight float64
	Prior              float32 // [0,1], the network's policy after temperature and noise
	Value                      // of the position after the move
	// LCB and UtilityLCB are lower confidence bounds of Winrate and Utility; LCB may
	// leave [0,1].
	LCB, UtilityLCB float64
	// Selection is the number by which the move is chosen, in visits: its weight, reduced if its
	// value does not justify it; 0 if the weight is too small to trust.
	Selection float64
	// PV is the principal variation, this move first. PVVisits are the visits of the position after each
	// move, PVEdgeVisits those of the edge that leads there.
	PV                     []board.Point
	PVVisits, PVEdgeVisits []int64
	// PVEndsPhase reports whether the PV's last move begins a clean-up phase.
	PVEndsPhase bool
	// SymmetryOf is the searched move that this one is a symmetric copy of, or board.NoPoint.
	SymmetryOf board.Point
	// Ownership is by point: the average below this move, with its standard deviation; nil if not
	// requested or unknown.
	Ownership, OwnershipStdev []float32
}

// Root is the result of a search for the root position, from the view of the side to move. Value is
// an average as KataGo reports it: of the root's own evaluation and the moves' values, each weighted
// by Move.Selection before lower bounds raise it. Visits and Weight are the root's.
type Root struct {
	Visits int64
	Weight float64
	Value
	// TreeWinLoss is the plain average of win minus loss over the tree, in [-1,1]; resignation
	// depends on it. TreeLead is the average lead.
	TreeWinLoss, TreeLead float64
	Raw                   Raw
}

// Raw is the network's evaluation of the root, from the view of the side to move.
type Raw struct {
	Winrate, NoResult           float64 // [0,1]
	ScoreMean, ScoreStdev, Lead float64 // points
	// WinrateError and ScoreError are the errors that the network predicts for itself,
	// WinrateError being half the error of win minus loss. VarTimeLeft is its estimate of how
	// long the game stays open, in moves. Negative if the network has no such output.
	WinrateError, ScoreError, VarTimeLeft float64
	HasScore                              bool
	Ownership                             []float32 // by point; nil if the network has none
}

// Human is a human SL network's evaluation of the root, from the view of the side to move.
type Human struct {
	Winrate, ScoreMean, ScoreStdev float64
	WinrateError, ScoreError       float64   // as in Raw
	Policy                         []float32 // by move: probabilities; -1 if illegal
}

// Move returns the analysis of a searched move, or nil.
func (a *Analysis) Move(p board.Point) *Move {
	for i := range a.Moves {
		if a.Moves[i].Move == p {
			return &a.Moves[i]
		}
	}
	return nil
}
