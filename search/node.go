package search

import "kosumi/board"

// node is a position that is evaluated or being evaluated. Values are White's. 128 bytes, two
// cache lines; the fields that selection reads come first.
type node struct {
	visits    int32   // own evaluation included
	edges     uint32  // first edge of the block
	weight    float64 // weight of all evaluations below, after pruning
	utility   float64 // weighted average of utility below
	utilitySq float64 // weighted average of squared utility

	priors     uint32 // block of priors
	priorCount uint16 // moves in the block
	edgeCount  uint16 // number of edges, created in the order of priors
	flags      nodeFlags
	edgeClass  uint8 // capacity of the edge block is 1<<edgeClass

	ownUtility float32 // utility of the node's own evaluation, without bias
	ownWeight  float32
	errs       ownErrors
	owners     uint32 // index of its ownership map; 0: none

	// Second cache line: backup and output.

	weightSq float64 // sum of squared weights
	avg      outcome
	own      outcome // the node's own evaluation

	bias biasShare

	// sinceExact counts the visits since the averages were computed from all
	// children.
	sinceExact uint16
	slot       uint16 // index of the slot that evaluates the node, while it is pending
}

// ownErrors are the errors that the network predicts for its own evaluation; -1: unknown.
type ownErrors struct{ winLoss, score float32 }

// biasShare is a node's entry in the table of biases, 0 for none, and the node's contribution to
// it.
type biasShare struct {
	entry         uint32
	delta, weight float32
}

// outcome is the expected result of the game, by one evaluation or on average, from White's view.
type outcome struct {
	winLoss     float32 // P(White wins) - P(Black wins)
	noResult    float32
	scoreMean   float32 // points
	scoreMeanSq float32
	lead        float32
}

type nodeFlags uint16

const (
	flagWhite     nodeFlags = 1 << iota // White is to move
	flagEvaluated                       // it has its own evaluation and priors
	flagPending                         // an evaluation is under way
	flagTerminal                        // the game is over here
	flagForced                          // the search goes on here although two passes ended the game
	flagTruncated                       // there are legal moves beyond the priors stored
	flagUnsorted                        // the priors behind the next one to get an edge are not sorted
	flagPassEnds                        // a pass would end the phase
	flagHuman                           // the priors include a human policy
	flagMark                            // reached by the current walk
)

func (n *node) is(f nodeFlags) bool { return n.flags&f != 0 }

// sign is +1 if White is to move and -1 otherwise: it turns White's values into
// the mover's and back.
func (n *node) sign() float64 {
	if n.is(flagWhite) {
		return 1
	}
	return -1
}

func (n *node) toMove() board.Color {
	if n.is(flagWhite) {
		return board.White
	}
	return board.Black
}

// edge is a move from a node, with copies of the child's fields that selection reads, so that
// selection reads contiguous memory. 32 bytes.
type edge struct {
	child    uint32
	move     board.Point
	inFlight uint16 // descents through this edge that are not backed up yet
	visits   int32
	prior    float32

	weight    float32 // the child's weight times the edge's visits / the child's visits
	utility   float32 // utility of the child
	utilitySq float32
	mult      float32 // share of weight that pruning and value weighting left
}

// refresh updates the copy of the child's fields.
func (e *edge) refresh(child *node) {
	if child.visits == 0 || child.weight <= 0 {
		e.weight = 0
		return
	}
	w := child.weight
	if e.visits != child.visits {
		w *= float64(e.visits) / float64(child.visits)
	}
	e.weight = float32(w)
	e.utility = float32(child.utility)
	e.utilitySq = float32(child.utilitySq)
}
