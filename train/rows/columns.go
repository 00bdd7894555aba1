package rows

import (
	"encoding/binary"
	"io"
	"slices"
)

// Columns of the global targets (KataGo, cpp/dataio/trainingwrite.h). Values,
// scores and komi are for the side to move; blocks of four are win, loss, no
// result and score. Those of taught rows, from 69 on, are in taught.go.
const (
	TargetWin              = 0
	TargetLoss             = 1
	TargetNoResult         = 2
	TargetScore            = 3
	TargetLong             = 4  // averages of win, loss, no result and score over later searches, with a long horizon
	TargetMiddle           = 8  // averages with a middle horizon
	TargetShort            = 12 // averages with a short horizon
	TargetRoot             = 16 // win, loss, no result and score of the turn's search
	TargetFinalScore       = 20
	TargetLead             = 21
	TargetArrival          = 22
	TargetNoTD             = 24 // 1 - weight of the three averages
	TargetGlobalWeight     = 25
	TargetPolicyWeight     = 26
	TargetFinalWeight      = 27 // weight of ownership and other targets that need a proper end
	TargetReplyWeight      = 28
	TargetLeadWeight       = 29
	TargetPolicySurprise   = 30
	TargetPriorEntropy     = 31
	TargetTargetEntropy    = 32
	TargetFutureWeight     = 33
	TargetScoringWeight    = 34
	TargetNoValue          = 35 // 1 - weight of win, loss and no result
	TargetHistory          = 36 // five flags, one for each move of the history: 1 if it may be used
	TargetHash             = 41 // six pieces of the game's hash
	TargetSelfKomi         = 47
	TargetArea             = 48
	TargetNetChanged       = 49
	TargetTurn             = 51
	TargetHitLimit         = 52
	TargetFirstTurn        = 53
	TargetExtraBlack       = 54
	TargetMode             = 55
	TargetInitialTurn      = 56
	TargetRawWinLoss       = 57
	TargetRawScore         = 58
	TargetRawEntropy       = 59
	TargetVisits           = 60
	TargetBonus            = 61
	TargetPlainEnd         = 62 // 1: the game ended properly and this is not a side position
	TargetVersion          = 63
	TargetPassAliveSuicide = 68
	TargetExcludeTerritory = 69
)

// head describes an array of a training file: its name, its type and the shape of a row.
type head struct {
	name, dtype string
	shape       []int
	perRow      int // numbers in a row
}

func newHead(name, dtype string, shape ...int) head {
	h := head{name, dtype, shape, 1}
	for _, n := range shape {
		h.perRow *= n
	}
	return h
}

// column is an array of a set.
type column interface {
	head() head
	resize(n int)
	copyRow(at int, from column, i int)
	clip()
	// read reads the first perRow numbers of every row; it leaves the other numbers of a row alone.
	read(r io.Reader, perRow int) error
	write(w io.Writer) error
}

// numbers is a column of numbers of one type.
type numbers[T uint8 | int8 | int16 | float32] struct {
	data *[]T
	of   head
}

func (c numbers[T]) head() head { return c.of }

func (c numbers[T]) resize(n int) { *c.data = resized(*c.data, n*c.of.perRow) }

func (c numbers[T]) clip() { *c.data = slices.Clone(*c.data) }

func (c numbers[T]) copyRow(at int, from column, i int) {
	n := c.of.perRow
	copy(rowOf(*c.data, at, n), rowOf(*from.(numbers[T]).data, i, n))
}

func (c numbers[T]) read(r io.Reader, perRow int) error {
	if perRow == 0 {
		return nil
	}
	block := make([]byte, perRow*npyBytes(c.of.dtype))
	for row := range slices.Chunk(*c.data, c.of.perRow) {
		if _, err := io.ReadFull(r, block); err != nil {
			return err
		}
		if _, err := binary.Decode(block, binary.LittleEndian, row[:perRow]); err != nil {
			return err
		}
	}
	return nil
}

func (c numbers[T]) write(w io.Writer) error { return binary.Write(w, binary.LittleEndian, *c.data) }

// resized returns a slice of n values: those of a, then zeros.
func resized[T any](a []T, n int) []T {
	old := min(n, len(a))
	a = slices.Grow(a[:old], n-old)[:n]
	clear(a[old:])
	return a
}
