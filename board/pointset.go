package board

import "math/bits"

type pointSet [(MaxPoints + 63) / 64]uint64

func (s *pointSet) add(p Point)      { s[p>>6] |= 1 << (p & 63) }
func (s *pointSet) remove(p Point)   { s[p>>6] &^= 1 << (p & 63) }
func (s *pointSet) has(p Point) bool { return s[p>>6]>>(p&63)&1 != 0 }

func (s *pointSet) empty() bool {
	var all uint64
	for _, w := range s {
		all |= w
	}
	return all == 0
}

// next returns the first point of the set at or after p, or NoPoint.
func (s *pointSet) next(p Point) Point {
	i := int(p >> 6)
	if i >= len(s) {
		return NoPoint
	}
	w := s[i] >> (p & 63) << (p & 63)
	for w == 0 {
		if i++; i == len(s) {
			return NoPoint
		}
		w = s[i]
	}
	return Point(i<<6 | bits.TrailingZeros64(w))
}
