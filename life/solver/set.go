package solver

import (
	"math/bits"
	"slices"
)

// words is the number of 64-bit words of a set: enough for 19 rows of 19 points with an empty column between rows.
const words = 6

// maxPoints is the largest number of points of a box, counting one additional empty column.
const maxPoints = 64 * words

// Set is a set of points of an area. Bit y*(w+1)+x is the point in column x and row y, so that an empty column
// separates rows; [Game.Pack] changes these numbers.
type Set [words]uint64

func Single(p int16) (s Set) {
	s[p>>6] = 1 << (p & 63)
	return s
}

func (s *Set) Add(p int16)      { s[p>>6] |= 1 << (p & 63) }
func (s *Set) remove(p int16)   { s[p>>6] &^= 1 << (p & 63) }
func (s *Set) Has(p int16) bool { return s[p>>6]>>(p&63)&1 != 0 }

func (s *Set) empty() bool {
	return s[0]|s[1]|s[2]|s[3]|s[4]|s[5] == 0
}

func (s *Set) Count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s *Set) Meets(t *Set) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3]|s[4]&t[4]|s[5]&t[5] != 0
}

// within reports whether s is a subset of t.
func (s *Set) within(t *Set) bool {
	return s[0]&^t[0]|s[1]&^t[1]|s[2]&^t[2]|s[3]&^t[3]|s[4]&^t[4]|s[5]&^t[5] == 0
}

func (s Set) And(t Set) Set {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

func (s Set) Or(t Set) Set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func (s Set) minus(t Set) Set {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// first returns the lowest point, -1 for an empty set.
func (s *Set) first() int16 {
	for i, w := range s {
		if w != 0 {
			return int16(i<<6 | bits.TrailingZeros64(w))
		}
	}
	return -1
}

// All yields every point in rising order.
func (s Set) All(yield func(p int16) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(int16(i<<6 | bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// Points returns all points in rising order.
func (s Set) Points() []int16 { return slices.Collect(s.All) }

// area is the fight: the part of the board that a question is about.
type area struct {
	w           int
	right, down uint // difference between the numbers of two neighbours in a row, in a column
	sx, sy      int  // what a step to the right and a step down add to a number
	origin      int  // number of the point in column 0 and row 0
	points      int
	used        int // number of words of a set that hold points
	On          Set // all points of the fight
}

// At returns the point in column x and row y.
func (a *area) At(x, y int) int16 { return int16(a.origin + a.sx*x + a.sy*y) }

// Order returns what a step to the right and a step down add to a point's number; packed reports that points are not
// numbered row by row.
func (a *area) Order() (right, down int, packed bool) { return a.sx, a.sy, a.sx != 1 || a.sy != a.w+1 }

// Points returns a number that is larger than the numbers of all points of the area.
func (a *area) Points() int { return a.points }

// Around returns the points of s and the points next to them.
func (a *area) Around(s *Set) (out Set) {
	if a.used == 1 {
		out[0] = a.around1(s[0])
		return out
	}
	k := a.down
	for i := range a.used {
		v := s[i]
		if v == 0 {
			continue
		}
		out[i] |= v | v<<1 | v>>1 | v<<k | v>>k
		if i > 0 {
			out[i-1] |= v<<63 | v<<(64-k)
		}
		if i+1 < a.used {
			out[i+1] |= v>>63 | v>>(64-k)
		}
	}
	for i := range a.used {
		out[i] &= a.On[i]
	}
	return out
}

// take returns the part of the set within that is connected to the lowest point of rest, and removes this part from
// rest. The set rest must be a subset of within.
func (a *area) take(rest, within *Set) Set {
	seed := Single(rest.first())
	part := a.flood(&seed, within)
	*rest = rest.minus(part)
	return part
}

// flood returns the connected parts of the set within that contain points of seed, a subset of within.
func (a *area) flood(seed, within *Set) Set {
	if a.used == 1 {
		return Set{a.flood1(seed[0], within[0])}
	}
	s, k := *seed, a.down
	for again := true; again; {
		again = false
		before := uint64(0)
		for i := range a.used {
			v, after := s[i], uint64(0)
			if i+1 < a.used {
				after = s[i+1]
			}
			for v|before|after != 0 {
				t := (v | v<<1 | before>>63 | v>>1 | after<<63 | v<<k | before>>(64-k) | v>>k | after<<(64-k)) & within[i]
				if t == v {
					break
				}
				v, again = t, true
			}
			s[i], before = v, v
		}
	}
	return s
}
