package thinking

import "kosumi/board"

// Analysis is what a search found: one snapshot of it, or its end. Every number is seen
// by the side to move at the root. The zero value is an empty one.
type Analysis struct {
	Size   board.Size
	ToMove board.Color
	// Moves are the moves that were searched, best first, those left out as symmetric
	// copies behind their originals.
	Moves []Move
	// Unsearched are other moves, by prior, with what they are taken to be worth: as
	// many as were asked for, and their symmetric copies.
	Unsearched []Move
	Root       Root
	Human      *Human // nil where no network of human moves takes part
	// Policy is by move: the network's probabilities at the root, before temperature
	// and noise; -1 where illegal.
	Policy []float32
	// Ownership is by point, the average over the search, with its standard deviation;
	// nil where not asked for or not known.
	Ownership, OwnershipStdev []float32
}

// Value is what a search found a position to be worth on average, seen by one side.
type Value struct {
	Winrate  float64 // [0,1]
	NoResult float64 // [0,1], the probability of a game without result
	Utility  float64 // what the search maximises, about [-1.5,1.5]
	// Lead is the number of points by which the side is ahead if both play evenly,
	// ScoreMean the mean final score of the network's own play and ScoreStdev its
	// standard deviation.
	Lead, ScoreMean, ScoreStdev float64
}

// Move is what a search found out about a move at the root, seen by the side to move
// there.
type Move struct {
	Move  board.Point // board.Pass for a pass
	Order int         // 0 is the best
	// Visits and Weight are those of the position after the move, EdgeVisits and
	// EdgeWeight what the root gave; they differ where move orders share a position.
	Visits, EdgeVisits int64
	Weight, EdgeWeight float64
	Prior              float32 // [0,1], the network's, as searched: after temperature and noise
	Value                      // of the position after the move
	// LCB and UtilityLCB are lower confidence bounds of Winrate and Utility; LCB may
	// leave [0,1].
	LCB, UtilityLCB float64
	// Selection is what the move is chosen by, in visits: its weight, less what its
	// value does not justify; 0 where that is too small to be trusted.
	Selection float64
	// PV is the principal variation, the move itself first, with the visits of each
	// position and of each edge to it.
	PV                     []board.Point
	PVVisits, PVEdgeVisits []int64
	// PVEndsPhase reports whether the last move of the PV begins a clean-up phase,
	// which the game keeps out of.
	PVEndsPhase bool
	// SymmetryOf is the searched move whose numbers these are, or board.NoPoint.
	SymmetryOf board.Point
	// Ownership is by point, the average below this move, with its standard deviation;
	// nil where not asked for or not known.
	Ownership, OwnershipStdev []float32
}

// Root is what a search found out about the position itself, seen by the side to move.
// Its Value averages the moves weighted with Move.Selection before bounds count, with
// the root's own evaluation, as KataGo reports them; Visits and Weight are the root's.
type Root struct {
	Visits int64
	Weight float64
	Value
	// TreeWinLoss is the plain average of win minus loss over the tree, in [-1,1], which
	// resignation goes by; TreeLead is that of the lead.
	TreeWinLoss, TreeLead float64
	Raw                   Raw
}

// Raw is the network's own answer at the root of a search, seen by the side to move.
type Raw struct {
	Winrate, NoResult           float64 // [0,1]
	ScoreMean, ScoreStdev, Lead float64 // points
	// WinrateError, ScoreError and VarTimeLeft are the errors that the network
	// expects of itself, and how long the game stays open, in moves; negative where
	// the network has none. WinrateError is half the error of win minus loss.
	WinrateError, ScoreError, VarTimeLeft float64
	HasScore                              bool
	Ownership                             []float32 // by point; nil where there is none
}

// Human is what a network of human moves says of the root, seen by the side to move.
type Human struct {
	Winrate, ScoreMean, ScoreStdev float64
	WinrateError, ScoreError       float64   // as in Raw
	Policy                         []float32 // by move: probabilities; -1 where illegal
}

// Move returns what is known of a move that was searched, or nil.
func (a *Analysis) Move(p board.Point) *Move {
	for i := range a.Moves {
		if a.Moves[i].Move == p {
			return &a.Moves[i]
		}
	}
	return nil
}
