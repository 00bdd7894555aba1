package rows

import (
	"errors"
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/nn/features"
)

// Errors of this package. An error about the content of a file of rows names the file and wraps one of these.
var (
	// ErrFormat marks data that is not a set of training rows.
	ErrFormat = errors.New("not usable as training rows")
	// ErrTooLarge marks a file beyond the limits that keep memory bounded.
	ErrTooLarge = errors.New("too large for training rows")
	// ErrLayout marks rows that were made for another input encoding, or for boards padded to another size.
	ErrLayout = errors.New("training rows of another layout")
)

// Sizes that every layout shares.
const (
	Targets     = 80 // global targets of a row, format version 3
	PointMaps   = 5  // value targets by point
	policyRows  = 2
	scoreMargin = 60 // cells of the score distribution beyond the area, on each side
)

// Layout is the shape of the arrays of a set: the encoding of positions, and the side L of the
// square arrays. Smaller boards are in the top-left corner.
type Layout struct {
	Encoding features.Encoding
	Side     int
}

// Check returns an error that wraps ErrLayout unless rows of that layout can be stored.
func (l Layout) Check() error {
	if _, known := forms[l.Encoding]; !known {
		return fmt.Errorf("%w: encoding %v; use v7, seed22, mini7, agz17 or agz17-split", ErrLayout, l.Encoding)
	}
	if l.Side < board.MinSize || l.Side > board.MaxSize {
		return fmt.Errorf("%w: arrays of side %d; 2 to 25 are possible", ErrLayout, l.Side)
	}
	return nil
}

// Area is L*L.
func (l Layout) Area() int { return l.Side * l.Side }

// PlaneBytes is the number of bytes of one packed plane.
func (l Layout) PlaneBytes() int { return (l.Area() + 7) / 8 }

// Planes is the number of packed planes of a row.
func (l Layout) Planes() int { return l.Encoding.Planes() }

// Globals is the number of values in a row of globalInputNC: the encoding's global values or, if it
// has none, one value for each of its constant planes (see form).
func (l Layout) Globals() int {
	return max(l.Encoding.Globals(), len(forms[l.Encoding].constant))
}

// ScoreCells is the number of cells of the score distribution.
func (l Layout) ScoreCells() int { return 2*l.Area() + 2*scoreMargin }

// RowBytes is the memory of one row.
func (l Layout) RowBytes() int {
	return l.Planes()*l.PlaneBytes() + 4*l.Globals() + 2*policyRows*(l.Area()+1) + 4*Targets + l.ScoreCells() + PointMaps*l.Area()
}

// form names the planes of an encoding that rows store in a special way, and those that show the position.
type form struct {
	// constant lists planes with the same number on all points. A row stores a plane as one bit a point
	// and such a number as a global value: Seed22's komi does not fit into a bit, and the bits of the
	// colour plane of AlphaGo Zero's encodings say which points are on the board.
	constant []int
	mask     [2]int // planes mask[0] to mask[1]-1: on each point of the board one of them is set
	stones   [2]int // planes of the stones of the side to move and of the opponent
	legal    int    // the plane of legal moves; 0: none
	ko       int    // the plane of points forbidden by ko; 0: none
}

var forms = map[features.Encoding]form{
	features.V7:         {mask: [2]int{0, 1}, stones: [2]int{1, 2}, ko: 6},
	features.Seed22:     {constant: []int{20}, mask: [2]int{0, 3}, stones: [2]int{0, 1}, ko: 11},
	features.Mini7:      {mask: [2]int{0, 3}, stones: [2]int{0, 1}, legal: 5},
	features.AGZ17:      {constant: []int{16}, mask: [2]int{16, 17}, stones: [2]int{0, 1}},
	features.AGZ17Split: {constant: []int{16}, mask: [2]int{16, 17}, stones: [2]int{0, 8}},
}

// Info is the provenance of rows, stored in their file.
type Info struct {
	Encoding string `json:"encoding"`
	Network  string `json:"network,omitempty"`  // network that played
	SHA256   string `json:"sha256,omitempty"`   // of the network's file
	Seed     uint64 `json:"seed,omitempty"`     // of the self-play run
	First    uint64 `json:"first,omitempty"`    // number of the first game
	Games    int    `json:"games,omitempty"`    // in the file
	Moves    int    `json:"moves,omitempty"`    // of all games
	Evals    int64  `json:"evals,omitempty"`    // evaluations that the games took
	Settings string `json:"settings,omitempty"` // the settings of self-play, TOML
	// Teacher is the network whose numbers are in taught rows, TeacherSHA256 the sha256 of its file.
	Teacher       string `json:"teacher,omitempty"`
	TeacherSHA256 string `json:"teacher_sha256,omitempty"`
	// Origins are the files whose positions were taught; none for fresh games.
	Origins []Origin `json:"origins,omitempty"`
	// IDs identify the games of the file in their run: the original game's number, the number of
	// forks since, and 1 if another game forks from this one.
	IDs [][3]uint64 `json:"ids,omitempty"`
}

// Origin is a part of a file whose positions were taught: rows of an npz file, or games
// of a file of records.
type Origin struct {
	Name   string `json:"name"`   // of the file
	SHA256 string `json:"sha256"` // of the file's content
	From   int    `json:"from"`   // the first of the rows or games
	N      int    `json:"n"`
}

// Set holds N rows in the arrays of a KataGo training file, each array C-ordered
// with the row first. All numbers are for the side to move of their row. They
// mean the same as in KataGo's cpp/dataio/trainingwrite.h, format version 3.
type Set struct {
	Layout Layout
	N      int
	Info   Info

	Binary  []uint8   // [N, planes, PlaneBytes] bits, most significant first
	Global  []float32 // [N, Globals]
	Policy  []int16   // [N, 2, L*L+1] weights of this turn's search and the next turn's
	Globals []float32 // [N, 80] global targets
	Scores  []int8    // [N, 2*L*L+120] distribution of the score, in hundredths
	Points  []int8    // [N, 5, L, L] ownership, seki, the boards 8 and 32 turns later, scoring x 120

	columns []column // six arrays
	source  string   // file that the set was read from
	first   int      // field From of the part that the set was read from
}

func NewSet(l Layout) *Set {
	s := &Set{Layout: l, Info: Info{Encoding: l.Encoding.String()}}
	s.columns = []column{
		numbers[uint8]{&s.Binary, newHead("binaryInputNCHWPacked", npyU1, l.Planes(), l.PlaneBytes())},
		numbers[float32]{&s.Global, newHead("globalInputNC", npyF4, l.Globals())},
		numbers[int16]{&s.Policy, newHead("policyTargetsNCMove", npyI2, policyRows, l.Area()+1)},
		numbers[float32]{&s.Globals, newHead(nameTargets, npyF4, Targets)},
		numbers[int8]{&s.Scores, newHead("scoreDistrN", npyI1, l.ScoreCells())},
		numbers[int8]{&s.Points, newHead(namePoints, npyI1, PointMaps, l.Side, l.Side)},
	}
	return s
}

// Reset empties the set and keeps its memory.
func (s *Set) Reset() { s.resize(0) }

// grow appends a zeroed row and returns its index.
func (s *Set) grow() int {
	s.resize(s.N + 1)
	return s.N - 1
}

// resize sets the number of rows; new ones are zeroed.
func (s *Set) resize(n int) {
	s.N = n
	for _, c := range s.columns {
		c.resize(n)
	}
}

// copyRow overwrites a row by row i of another set, or of this one.
func (s *Set) copyRow(at int, from *Set, i int) {
	for k, c := range s.columns {
		c.copyRow(at, from.columns[k], i)
	}
}

func rowOf[T any](a []T, i, n int) []T { return a[i*n : (i+1)*n : (i+1)*n] }

// Row accessors; the slices share the set's memory.
func (s *Set) binary(i int) []uint8 {
	return rowOf(s.Binary, i, s.Layout.Planes()*s.Layout.PlaneBytes())
}
func (s *Set) global(i int) []float32  { return rowOf(s.Global, i, s.Layout.Globals()) }
func (s *Set) policy(i int) []int16    { return rowOf(s.Policy, i, policyRows*(s.Layout.Area()+1)) }
func (s *Set) targets(i int) []float32 { return rowOf(s.Globals, i, Targets) }
func (s *Set) scores(i int) []int8     { return rowOf(s.Scores, i, s.Layout.ScoreCells()) }
func (s *Set) points(i int) []int8     { return rowOf(s.Points, i, PointMaps*s.Layout.Area()) }

// Append adds row i of another set of the same layout.
func (s *Set) Append(from *Set, i int) error {
	if s.Layout != from.Layout {
		return fmt.Errorf("%w: %v side %d, not %v side %d", ErrLayout, from.Layout.Encoding, from.Layout.Side, s.Layout.Encoding, s.Layout.Side)
	}
	s.copyRow(s.grow(), from, i)
	return nil
}

// keep drops the rows for which want returns false. The order stays.
func (s *Set) keep(want func(i int) bool) {
	n := 0
	for i := range s.N {
		if want(i) {
			s.copyRow(n, s, i)
			n++
		}
	}
	s.resize(n)
}

// clip frees the memory of dropped rows if it is more than half of the set's memory.
func (s *Set) clip() {
	if 2*len(s.Binary) >= cap(s.Binary) {
		return
	}
	for _, c := range s.columns {
		c.clip()
	}
}

func bit(plane []uint8, i int) bool { return plane[i>>3]&(0x80>>(i&7)) != 0 }

// Size returns the board size of a row.
func (s *Set) Size(i int) board.Size {
	row, nb, l := s.binary(i), s.Layout.PlaneBytes(), s.Layout.Side
	mask := forms[s.Layout.Encoding].mask
	on := func(p int) bool {
		k := mask[0]
		for k < mask[1] && !bit(row[k*nb:], p) {
			k++
		}
		return k < mask[1]
	}
	var size board.Size
	for size.W < l && on(size.W) {
		size.W++
	}
	for size.H < l && on(size.H*l) {
		size.H++
	}
	return size
}

// board returns the board size of a row, with an error that wraps ErrFormat if no board has that
// size.
func (s *Set) board(i int) (board.Size, error) {
	size := s.Size(i)
	if size.Check() != nil {
		return size, fmt.Errorf("%w: row %d: the mask is not a board in the top-left corner (%v)", ErrFormat, i, size)
	}
	return size, nil
}

// Check returns an error that wraps ErrFormat unless row i can be trained on.
func (s *Set) Check(i int) error {
	size, err := s.board(i)
	if err != nil {
		return err
	}
	if err := s.checkMask(i, size); err != nil {
		return err
	}
	for k, v := range s.global(i) {
		if !(math.Abs(float64(v)) <= 1e6) {
			return fmt.Errorf("%w: row %d: global input %d is %v", ErrFormat, i, k, v)
		}
	}
	g := s.targets(i)
	for k, v := range g {
		if !(math.Abs(float64(v)) <= 1e9) {
			return fmt.Errorf("%w: row %d: global target %d is %v", ErrFormat, i, k, v)
		}
	}
	for _, k := range []int{TargetGlobalWeight, TargetPolicyWeight, TargetFinalWeight, TargetReplyWeight, TargetLeadWeight, TargetFutureWeight, TargetScoringWeight} {
		if g[k] < 0 {
			return fmt.Errorf("%w: row %d: the weight in global target %d is negative (%v)", ErrFormat, i, k, g[k])
		}
	}
	if sum := g[TargetWin] + g[TargetLoss] + g[TargetNoResult]; g[TargetNoValue] < 1 && math.Abs(float64(sum)-1) > 1e-3 {
		return fmt.Errorf("%w: row %d: win, loss and no result add up to %v, not 1", ErrFormat, i, sum)
	}
	if s.Taught(i) {
		if err := s.checkTaught(i); err != nil {
			return err
		}
	}
	return s.checkPolicy(i, size)
}

func (s *Set) checkMask(i int, size board.Size) error {
	planes := forms[s.Layout.Encoding].mask
	if planes[1]-planes[0] > 1 {
		return nil
	}
	mask, l := s.binary(i)[planes[0]*s.Layout.PlaneBytes():], s.Layout.Side
	for p := range s.Layout.Area() {
		if bit(mask, p) != (p%l < size.W && p/l < size.H) {
			return fmt.Errorf("%w: row %d: the mask is not one rectangle in the top-left corner", ErrFormat, i)
		}
	}
	return nil
}

func (s *Set) checkPolicy(i int, size board.Size) error {
	n, l := s.Layout.Area()+1, s.Layout.Side
	for ch := range policyRows {
		sum := 0
		for p, w := range s.policy(i)[ch*n : (ch+1)*n] {
			if w < 0 {
				return fmt.Errorf("%w: row %d: policy weight %d of move %d is negative", ErrFormat, i, w, p)
			}
			if p == n-1 || p%l < size.W && p/l < size.H {
				sum += int(w)
			}
		}
		weight := s.targets(i)[TargetPolicyWeight]
		if ch == 1 {
			weight = s.targets(i)[TargetReplyWeight]
			if s.Taught(i) {
				weight = max(weight, s.targets(i)[TargetTaughtLucky])
			}
		}
		if sum == 0 && weight > 0 {
			return fmt.Errorf("%w: row %d: policy channel %d is empty though its weight is %v", ErrFormat, i, ch, weight)
		}
	}
	return nil
}

// MarkChanged marks the rows in [from, before): the network changed during their game.
func (s *Set) MarkChanged(from, before int) {
	for i := from; i < before; i++ {
		s.targets(i)[TargetNetChanged] = 1
	}
}
