package life

import "math/bits"

// words is the length of a set: 19 rows of 19 points and a column between rows.
const words = 6

// maxPoints is how many points, with one more for each row, an area may have.
const maxPoints = 64 * words

// A set holds points of an area: bit y*stride+x is the point in column x and row y,
// with an empty column between the end of a row and the beginning of the next.
type set [words]uint64

func single(p int16) (s set) {
	s[p>>6] = 1 << (p & 63)
	return s
}

func (s *set) add(p int16)      { s[p>>6] |= 1 << (p & 63) }
func (s *set) remove(p int16)   { s[p>>6] &^= 1 << (p & 63) }
func (s *set) has(p int16) bool { return s[p>>6]>>(p&63)&1 != 0 }

func (s *set) empty() bool {
	return s[0]|s[1]|s[2]|s[3]|s[4]|s[5] == 0
}

func (s *set) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s *set) meets(t *set) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3]|s[4]&t[4]|s[5]&t[5] != 0
}

// within reports whether s is a subset of t.
func (s *set) within(t *set) bool {
	return s[0]&^t[0]|s[1]&^t[1]|s[2]&^t[2]|s[3]&^t[3]|s[4]&^t[4]|s[5]&^t[5] == 0
}

func (s set) and(t set) set {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

func (s set) or(t set) set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func (s set) minus(t set) set {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// first returns the lowest point, -1 of an empty set.
func (s *set) first() int16 {
	for i, w := range s {
		if w != 0 {
			return int16(i<<6 | bits.TrailingZeros64(w))
		}
	}
	return -1
}

// each calls f for every point in rising order until f returns false.
func (s set) each(f func(p int16) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !f(int16(i<<6 | bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// points appends the points to dst in rising order.
func (s *set) points(dst []int16) []int16 {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, int16(i<<6|bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// area is the part of the board that a question is about: its points and how they
// lie. It never changes.
type area struct {
	w, h   int
	stride uint
	used   int // words that hold points
	on     set // all points
}

// around returns the points next to s and s itself.
func (a *area) around(s *set) (out set) {
	k := a.stride
	if a.used == 1 {
		v := s[0]
		out[0] = (v | v<<1 | v>>1 | v<<k | v>>k) & a.on[0]
		return out
	}
	before := uint64(0)
	for i := 0; i < a.used; i++ {
		v, after := s[i], uint64(0)
		if i+1 < words {
			after = s[i+1]
		}
		out[i] = (v | v<<1 | before>>63 | v>>1 | after<<63 | v<<k | before>>(64-k) | v>>k | after<<(64-k)) & a.on[i]
		before = v
	}
	return out
}

// flood returns the part of within that is connected to seed, a subset of it.
func (a *area) flood(seed, within *set) set {
	if a.used == 1 {
		s, in, k := seed[0], within[0], a.stride
		for {
			t := (s | s<<1 | s>>1 | s<<k | s>>k) & in
			if t == s {
				return set{s}
			}
			s = t
		}
	}
	s := *seed
	for {
		t := a.around(&s).and(*within)
		if t == s {
			return s
		}
		s = t
	}
}
