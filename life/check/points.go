package check

import mathbits "math/bits"

// words is an array of 64-bit words with a bit for each point of a fight.
type words interface {
	[1]uint64 | [2]uint64 | [6]uint64 | [mostWords]uint64
}

// mostWords is the number of words for the largest board.
const mostWords = (maxSide*maxSide + 63) / 64

// points is a set of points of the fight.
type points[W words] struct{ w W }

func (s *points[W]) has(p int) bool { return s.w[p>>6]>>(p&63)&1 != 0 }
func (s *points[W]) add(p int)      { s.w[p>>6] |= 1 << (p & 63) }
func (s *points[W]) drop(p int)     { s.w[p>>6] &^= 1 << (p & 63) }

func (s points[W]) or(t points[W]) points[W] {
	for i := 0; i < len(s.w); i++ {
		s.w[i] |= t.w[i]
	}
	return s
}

func (s points[W]) and(t points[W]) points[W] {
	for i := 0; i < len(s.w); i++ {
		s.w[i] &= t.w[i]
	}
	return s
}

func (s points[W]) minus(t points[W]) points[W] {
	for i := 0; i < len(s.w); i++ {
		s.w[i] &^= t.w[i]
	}
	return s
}

func (s points[W]) empty() bool {
	all := uint64(0)
	for i := 0; i < len(s.w); i++ {
		all |= s.w[i]
	}
	return all == 0
}

func (s points[W]) meets(t points[W]) bool  { return !s.and(t).empty() }
func (s points[W]) within(t points[W]) bool { return s.minus(t).empty() }

func (s points[W]) count() (n int) {
	for i := 0; i < len(s.w); i++ {
		n += mathbits.OnesCount64(s.w[i])
	}
	return n
}

// first returns the lowest point; noPoint if s is empty.
func (s points[W]) first() int {
	for i := 0; i < len(s.w); i++ {
		if s.w[i] != 0 {
			return i<<6 | mathbits.TrailingZeros64(s.w[i])
		}
	}
	return noPoint
}

// take removes and returns the lowest point; noPoint if s is empty.
func (s *points[W]) take() int {
	for i := 0; i < len(s.w); i++ {
		if w := s.w[i]; w != 0 {
			s.w[i] = w & (w - 1)
			return i<<6 | mathbits.TrailingZeros64(w)
		}
	}
	return noPoint
}

func single[W words](p int) (s points[W]) {
	s.add(p)
	return s
}

func (s points[W]) up(k uint) points[W] {
	for i := len(s.w) - 1; i > 0; i-- {
		s.w[i] = s.w[i]<<k | s.w[i-1]>>(64-k)
	}
	s.w[0] <<= k
	return s
}

func (s points[W]) down(k uint) points[W] {
	for i := 0; i < len(s.w)-1; i++ {
		s.w[i] = s.w[i]>>k | s.w[i+1]<<(64-k)
	}
	s.w[len(s.w)-1] >>= k
	return s
}
