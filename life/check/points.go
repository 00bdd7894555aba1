package check

import "slices"

// points is a set of points of the board.
type points []uint64

func newPoints(n int) points { return make(points, (n+63)/64) }

func (s points) has(p int) bool { return s[p/64]>>(p%64)&1 != 0 }
func (s points) add(p int)      { s[p/64] |= 1 << (p % 64) }

func (s points) addAll(list []int) {
	for _, p := range list {
		s.add(p)
	}
}

func (s points) union(t points) {
	for i := range t {
		s[i] |= t[i]
	}
}

// list returns the points in rising order.
func (s points) list() (out []int) {
	for p := range len(s) * 64 {
		if s.has(p) {
			out = append(out, p)
		}
	}
	return out
}

func sorted(set map[int]bool) []int {
	out := make([]int, 0, len(set))
	for p := range set {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}
