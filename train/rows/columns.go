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
	tWin              = 0
	tLoss             = 1
	tNoResult         = 2
	tScore            = 3
	tLong             = 4  // the same four over the searches to come: long horizon
	tMiddle           = 8  // middle
	tShort            = 12 // short
	tRoot             = 16 // of this very search
	tFinalScore       = 20
	tLead             = 21
	tArrival          = 22
	tNoTD             = 24 // 1 - weight of the three horizons
	tGlobalWeight     = 25
	tPolicyWeight     = 26
	tFinalWeight      = 27 // of ownership and everything else that needs a real end
	tReplyWeight      = 28
	tLeadWeight       = 29
	tPolicySurprise   = 30
	tPriorEntropy     = 31
	tTargetEntropy    = 32
	tFutureWeight     = 33
	tScoringWeight    = 34
	tNoValue          = 35 // 1 - weight of win, loss and no result
	tHistory          = 36 // five flags: this move of the history may be used
	tHash             = 41 // six pieces of the game's hash
	tSelfKomi         = 47
	tArea             = 48
	tNetChanged       = 49
	tTurn             = 51
	tHitLimit         = 52
	tFirstTurn        = 53
	tExtraBlack       = 54
	tMode             = 55
	tInitialTurn      = 56
	tRawWinLoss       = 57
	tRawScore         = 58
	tRawEntropy       = 59
	tVisits           = 60
	tBonus            = 61
	tPlainEnd         = 62 // 1: the game ended properly and this is not a side position
	tVersion          = 63
	tPassAliveSuicide = 68
	tExcludeTerritory = 69
)

// HashColumn is the first of the six global targets that say of which game a row is.
const HashColumn = tHash

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
	// read reads all rows, of which a file may have the first numbers only.
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

// resized returns a slice of n values: those of a, and zeros behind them.
func resized[T any](a []T, n int) []T {
	if n <= len(a) {
		return a[:n]
	}
	old := len(a)
	if n > cap(a) {
		b := make([]T, n, max(n, cap(a)+cap(a)/2))
		copy(b, a)
		return b
	}
	a = a[:n]
	clear(a[old:])
	return a
}
