package thinking

import (
	"slices"
	"time"

	"kosumi/board"
)

// Request tells what to analyse, and what the reports of the analysis contain.
type Request struct {
	// Color is the side whose move is analysed; it need not be the side to move. All numbers of
	// the reports are from its view.
	Color board.Color
	// Interval is the time between reports; 0 asks for the final one only.
	Interval time.Duration
	// MinMoves asks for at least that many moves, if so many are legal: moves that were not
	// searched fill up the list. 0 or more.
	MinMoves int
	// MaxMoves bounds the moves of a report, 0 for no limit. Analyses may still hold more; the
	// writer cuts the list.
	MaxMoves     int
	Restrictions []Restriction
	Focus        *Focus // nil: no focus
	Want         Details
}

// Focus asks a search to look more deeply into some moves at the root. They get a share of the
// playouts. Such playouts improve the value of the move itself but carry no weight at the root,
// and they do not count towards any limit.
type Focus struct {
	// Moves are moves of the side to move, board.Pass for a pass. Illegal and forbidden ones are
	// ignored.
	Moves []board.Point
	// Weights are the moves' shares of the focus's playouts, any positive numbers; nil: equal shares.
	Weights []float64
	Prob    float64 // share of all playouts, 0 to 1; 1 is treated as 0.99
}

// mostWeight bounds a weight, so that the sum is finite. KataGo has the same bound.
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
	// Depth is the number of plies from the root for which the restriction holds, at least 1: 1
	// is the root only.
	Depth int
	// Allow makes the points the only allowed moves; otherwise they are forbidden.
	Allow bool
}

// Permits reports whether c may play p at a depth, in plies below the root. A move is forbidden
// if any restriction forbids it.
func Permits(all []Restriction, c board.Color, p board.Point, depth int) bool {
	for i := range all {
		r := &all[i]
		if r.Color == c && depth < r.Depth && slices.Contains(r.Points, p) != r.Allow {
			return false
		}
	}
	return true
}

// Details selects parts of an analysis that are given only on request, since they cost time or memory.
type Details struct {
	RootInfo, Policy, NoResult          bool
	Ownership, OwnershipStdev           bool
	MovesOwnership, MovesOwnershipStdev bool
	PVVisits, PVEdgeVisits              bool
}

// Owners reports whether the search has to average ownership at the root, and after each move.
func (d Details) Owners() (root, moves bool) {
	return d.Ownership || d.OwnershipStdev, d.MovesOwnership || d.MovesOwnershipStdev
}

// MoveRequest asks for a move.
type MoveRequest struct {
	Color board.Color // becomes the side to move
	// Keep chooses a move without playing it: game, clock and tree stay unchanged.
	Keep bool
	// Deterministic asks for the same answer each time in the same position: one evaluation at a
	// time, fixed orientation, no temperature, no noise, no clock.
	Deterministic bool
	// Cleanup asks to capture the opponent's dead stones first: a pass is forbidden while any of
	// them is on the board (kgs-genmove_cleanup).
	Cleanup bool
	// Analysis, if not nil, requests an analysis as well as the move. Its restrictions also apply to
	// the move, and the search has no extra penalty for repeats in handicap games.
	Analysis *Request
	// Report, if not nil, is called with a snapshot at each interval of Analysis and once at the
	// end, never concurrently. It may keep the analysis.
	Report func(*Analysis)
}

// ModelInfo describes a loaded network, as kata-get-models and query_models report it.
type ModelInfo struct {
	Name         string `json:"name"`         // file name
	InternalName string `json:"internalName"` // the network's own name
	MaxBatchSize int    `json:"maxBatchSize"`
	HumanProfile bool   `json:"usesHumanSLProfile"` // takes human rank and style as input
	Version      int    `json:"version"`            // version of KataGo's format; 0 for other formats
	FP16         string `json:"usingFP16"`          // "true", "false" or "auto"
}

// Decision is the answer to a MoveRequest.
type Decision struct {
	Point  board.Point // a point or board.Pass; unused if Resign
	Resign bool
}
