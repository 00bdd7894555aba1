package search

import (
	"time"

	"kosumi/board"
)

// Result is what a search found, all values in the view of the side to move at
// the root. The zero value is an empty result.
type Result struct {
	Size   board.Size
	ToMove board.Color
	// Turn is the number of moves made before the root.
	Turn int
	// Moves are the moves that have an edge, best first, then the moves left
	// out as symmetric copies behind their originals.
	Moves []MoveInfo
	// Unsearched are moves that have no edge, by prior, with what they are taken to be
	// worth: as many as Limits.MinMoves asks for, and their symmetric copies.
	Unsearched []MoveInfo
	Root       RootInfo
	// Policy holds the network's probability of every move at the root, by
	// Size.Index, before temperature and noise; -1 where illegal.
	Policy []float32
	// Human is what the human network says; nil where it takes no part.
	Human *HumanInfo
	// Improved is the policy that a Gumbel search says the network should have
	// had, a target for training; nil after other searches. Moves that are not
	// searched have -1.
	Improved []float32
	// Ownership, in [-1,1], by point, + = side to move, and OwnershipStdev
	// are averages over the search; nil unless Limits.Ownership was set and
	// the network has it.
	Ownership      []float32
	OwnershipStdev []float32
	Stats          Stats
	Stop           StopReason
	// Final is set once the search is over; a snapshot has it unset.
	Final bool

	choice  Choice
	options []option // all that may be chosen, where the human policy has a share in that or nothing was searched
}

// MoveInfo is what the search found out about a move at the root.
type MoveInfo struct {
	Move  board.Point // board.Pass for a pass
	Order int         // 0 is the best
	// Visits and Weight are those of the position after the move, EdgeVisits
	// and EdgeWeight what the root gave; they differ where move orders share a
	// position.
	Visits     int64
	EdgeVisits int64
	Weight     float64
	EdgeWeight float64
	Prior      float32 // as searched: after temperature and noise
	// Winrate is the chance to win, a game without result counted half, LCB
	// its lower confidence bound, which may leave [0,1].
	Winrate    float64
	LCB        float64
	NoResult   float64
	Utility    float64
	UtilityLCB float64
	// Lead is the number of points by which the mover is ahead, ScoreMean the
	// expected final score of the network's own play and ScoreStdev its
	// standard deviation.
	Lead       float64
	ScoreMean  float64
	ScoreStdev float64
	// Selection is what the move is chosen by: its weight, less what its value
	// does not justify; 0 where that is too small to be trusted.
	Selection float64
	// PV is the expected continuation, the move itself first, with the visits
	// of each position and of each edge to it.
	PV           []board.Point
	PVVisits     []int64
	PVEdgeVisits []int64
	// PVEndsPhase tells that the last move of the PV begins a clean-up phase, which the
	// game keeps out of.
	PVEndsPhase bool
	// SymmetryOf is the move whose numbers these are, or board.NoPoint.
	SymmetryOf board.Point
	// Ownership is the average below this move, as Result.Ownership.
	Ownership      []float32
	OwnershipStdev []float32
}

// RootInfo is what the search found out about the position. Averages are those
// of the moves weighted with Selection before LCB, with the root's own
// evaluation, as KataGo reports them; Visits and Weight are the root's.
type RootInfo struct {
	Hash     board.Hash
	Visits   int64
	Weight   float64
	Winrate  float64
	NoResult float64
	Utility  float64
	Lead     float64
	// ScoreMean and ScoreStdev are as in MoveInfo.
	ScoreMean  float64
	ScoreStdev float64
	// Value is the plain average of win minus loss over the tree, what
	// resignation goes by; ValueLead is that of lead.
	Value, ValueLead float64
	Raw              RawInfo
}

// RawInfo is the network's answer at the root.
type RawInfo struct {
	Winrate, NoResult           float64
	ScoreMean, ScoreStdev, Lead float64
	// WinrateError, ScoreError and VarTimeLeft are the errors that the network
	// expects of itself, and how long the game stays open; negative where the
	// network has none. WinrateError is half the error of win minus loss.
	WinrateError, ScoreError, VarTimeLeft float64
	HasScore                              bool
	// Ownership is by point, + = side to move; nil where there is none.
	Ownership []float32
}

// Stats counts what one search did.
type Stats struct {
	Playouts    int64 // visits added to the root
	Reused      int64 // visits that the root had before
	Evaluations int64 // answers of the evaluator, cached ones included
	CacheHits   int64
	Terminals   int64 // visits to the end of the game
	CatchUps    int64 // visits that only took over what another path knew
	Probes      int64 // visits without weight to passes
	Collisions  int64 // descents given up at a leaf that was being evaluated
	MaxDepth    int
	DepthSum    int64         // over all playouts
	Elapsed     time.Duration // of the search
	Extended    time.Duration // by how much its deadline was put off
	Waiting     time.Duration // of it spent on evaluations, or waiting for them
	Nodes       int64         // in the tree
	Bytes       int64         // that the tree takes
}

// MeanDepth is the mean length of a descent.
func (s *Stats) MeanDepth() float64 {
	if s.Playouts == 0 {
		return 0
	}
	return float64(s.DepthSum) / float64(s.Playouts)
}

// CacheRate is the share of evaluations that a cache answered.
func (s *Stats) CacheRate() float64 { return share(s.CacheHits, s.Evaluations) }

// CollisionRate is the share of descents that were given up because they came to
// a position that was being evaluated. Above a fifth there are more evaluations
// under way than the tree has room for.
func (s *Stats) CollisionRate() float64 { return share(s.Collisions, s.Collisions+s.Playouts) }

func share(part, whole int64) float64 { return float64(part) / float64(max(whole, 1)) }

// BytesPerNode is the memory in use per node.
func (s *Stats) BytesPerNode() float64 {
	if s.Nodes == 0 {
		return 0
	}
	return float64(s.Bytes) / float64(s.Nodes)
}

// Move returns what is known of a move, or nil.
func (r *Result) Move(p board.Point) *MoveInfo {
	for i := range r.Moves {
		if r.Moves[i].Move == p {
			return &r.Moves[i]
		}
	}
	return nil
}
