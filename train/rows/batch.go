// Package rows holds training positions: KataGo's npz rows read and written, game
// records turned into rows, and streams of batches drawn from a folder of them.
package rows

import "kosumi/board"

// Batch is N training rows of one exact board size, A = W*H points, unpacked for
// a learner. Every number is for the side to move of its row. Rows that lack a
// target have weight 0 for it in Globals (spec: KataGo's globalTargetsNC). Taught
// rows have 1 in Globals[69], and the teacher's numbers behind it; see Taught.
type Batch struct {
	Size  board.Size
	N     int
	Wants Wants // what was asked for: slices of targets that were not are empty

	Spatial []float32 // [N,C,H,W] input planes, 0 or 1 for KataGo's encoder
	Global  []float32 // [N,G] input values; empty for encoders without
	Policy  []float32 // [N,A+1] this turn's search, sum 1, pass last
	Reply   []float32 // [N,A+1] the next turn's search, sum 1; uniform where there is none; the optimistic policy of taught rows that have one
	Value   []float32 // [N,3] win, loss, no result of the game: targets 0..2

	Globals []float32 // [N,80] KataGo's global targets, version 3 (older ones padded with 0); columns 69 to 79 are 0 unless the row is taught
	Scores  []float32 // [N,2A+120] distribution of the final score, sum 1; the number of cells follows the exact board
	Points  []float32 // [N,5,H,W] ownership, in [-1,1] where taught, seki, board 8 and 32 turns later, scoring in points (KataGo's value targets; scoring divided by 120)
}

// Wants says which of the larger targets a learner needs; the others stay empty.
type Wants struct {
	Scores, Points, Reply bool
}

// Stream delivers batches for ever. One caller at a time. After an error the
// batch holds nothing of use.
type Stream interface {
	// Next fills b, whose slices are reused where they are large enough.
	Next(b *Batch) error
	// State returns what Restore needs to go on with exactly the batch that
	// Next would deliver now.
	State() ([]byte, error)
	Restore(state []byte) error
	Close() error
}
