package thinking

import (
	"slices"
	"time"

	"kosumi/board"
)

// Request says what to analyse and what to report.
type Request struct {
	// Color is the side whose move is analysed; it need not be the side to move of
	// the game. Every number of the reports is from its view.
	Color board.Color
	// Interval is the time between two reports; 0 asks for the last one only.
	Interval time.Duration
	// MinMoves asks for at least so many moves where that many are legal, 0 or more:
	// moves that were not searched make up the number.
	MinMoves int
	// MaxMoves is the most moves printed, 0 for no limit. It may save work; whoever
	// prints cuts the list in any case.
	MaxMoves     int
	Restrictions []Restriction
	Focus        *Focus // nil: none
	Want         Details
}

// Focus asks a search to look more deeply into some moves at its root. A share of the
// playouts goes to them without weight: what is found counts for the move itself, and the
// position hears of it only through ordinary visits, which the move wins if it is good.
// Such playouts count for no limit.
type Focus struct {
	// Moves are for the side to move, board.Pass for a pass. Those that are illegal, or
	// not allowed, are left out.
	Moves []board.Point
	// Weights are how the moves share the playouts, each positive; nil: equally.
	Weights []float64
	Prob    float64 // the share of the playouts, 0 to 1; 1 is taken for 0.99
}

// mostWeight bounds a weight, so that their sum is a number. KataGo's.
const mostWeight = 1e30

// Weight returns the weight of the k-th move.
func (f *Focus) Weight(k int) float64 {
	if f.Weights == nil {
		return 1
	}
	return min(f.Weights[k], mostWeight)
}

// Restriction limits the moves of one colour in the first plies of a search.
type Restriction struct {
	Color  board.Color
	Points []board.Point // may hold board.Pass
	// Depth is how many plies from the root the list holds for, at least 1: 1 is the
	// root only.
	Depth int
	// Allow makes the points the only moves that are allowed; else they are forbidden.
	Allow bool
}

// Permits reports whether c may play p so many plies below the root. A move is
// forbidden if any restriction forbids it.
func Permits(all []Restriction, c board.Color, p board.Point, depth int) bool {
	for i := range all {
		r := &all[i]
		if r.Color == c && depth < r.Depth && slices.Contains(r.Points, p) != r.Allow {
			return false
		}
	}
	return true
}

// Details are the parts of an analysis that cost time or room and are given only on
// request.
type Details struct {
	RootInfo, Policy, NoResult          bool
	Ownership, OwnershipStdev           bool
	MovesOwnership, MovesOwnershipStdev bool
	PVVisits, PVEdgeVisits              bool
}

// Owners reports whether the search has to average the owners of points, and those
// after each move.
func (d Details) Owners() (root, moves bool) {
	return d.Ownership || d.OwnershipStdev, d.MovesOwnership || d.MovesOwnershipStdev
}

// MoveRequest asks for a move.
type MoveRequest struct {
	Color board.Color // becomes the side to move if it is not
	// Keep leaves game, clock and tree as they are: the move is not played.
	Keep bool
	// Deterministic asks for the same answer in the same position each time: one
	// evaluation at a time, fixed orientation, no temperature, no noise, no clock.
	Deterministic bool
	// Cleanup takes dead stones of the opponent off the board first, and forbids a
	// pass while one is there (kgs-genmove_cleanup).
	Cleanup bool
	// Analysis, if not nil, is what somebody reads beside the move: the search is then
	// not bent for the sake of the game, and its restrictions hold for the move too.
	Analysis *Request
	// Report, if not nil, gets a snapshot of the search at each interval of Analysis
	// and once at the end, never two at a time. The analysis is its to keep.
	Report func(*Analysis)
}

// ModelInfo describes a network that is in use, as kata-get-models and query_models do.
type ModelInfo struct {
	Name         string `json:"name"`         // file name
	InternalName string `json:"internalName"` // the network's own name
	MaxBatchSize int    `json:"maxBatchSize"`
	HumanProfile bool   `json:"usesHumanSLProfile"` // takes human rank and style as input
	Version      int    `json:"version"`            // of KataGo's format; 0 for others
	FP16         string `json:"usingFP16"`          // "true", "false" or "auto"
}

// Decision is the answer to a MoveRequest.
type Decision struct {
	Point  board.Point // a point or board.Pass; unused if Resign
	Resign bool
}
