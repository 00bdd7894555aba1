// Package rows reads and writes training positions in KataGo's npz files, turns game records into
// rows, and draws streams of batches from a folder of such files.
package rows

import "kosumi/board"

// Batch is N training rows of one exact board size, A = W*H points, unpacked for
// a learner. Every number is for the side to move of its row. Rows that lack a
// target have weight 0 for it in Globals (spec: KataGo's globalTargetsNC). Taught
// rows have 1 in Globals[69], and the teacher's numbers in the columns after it; see Taught.
type Batch struct {
	Size  board.Size
	N     int
	Wants Wants // slices of targets that are not wanted are empty

	Spatial []float32 // [N,C,H,W] input planes, 0 or 1 for KataGo's encoder
	Global  []float32 // [N,G] input values; empty for encoders that have none
	Policy  []float32 // [N,A+1] this turn's search, sum 1, pass last
	Reply   []float32 // [N,A+1] the next turn's search, sum 1; uniform if there was none; in taught rows the optimistic policy, if known

	Globals []float32 // [N,80] KataGo's global targets, version 3 (older ones padded with 0); columns 69 to 79 are 0 unless the row is taught
	Points  []float32 // [N,5,H,W] ownership (in [-1,1] where taught), seki, the boards 8 and 32 turns later, scoring in points (KataGo's value targets, except that scoring is divided by 120)
}

// Wants selects the optional targets; the others stay empty.
type Wants struct {
	Points, Reply bool
}

// Stream delivers batches without end. Not safe for concurrent use. After an error the
// content of the batch is undefined.
type Stream interface {
	// Next fills b, reusing its slices if they are large enough.
	Next(b *Batch) error
	// State returns the position in the stream, for Restore.
	State() ([]byte, error)
	Restore(state []byte) error
}
