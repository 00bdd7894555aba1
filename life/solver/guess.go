package solver

import "math/bits"

// The first numbers of a state.

// worked notes that a move decided a state.
func (s *Search) worked(c Side, m int16) {
	credit := &s.credit[c]
	if credit[m+1]++; credit[m+1] > 1<<10 {
		for i := range credit {
			credit[i] /= 2
		}
	}
}

// Advise gives a move the credit that it had if it had decided states as often as it
// is probable.
func (s *Search) Advise(c Side, m int16, probability float32) {
	s.credit[c][m+1] = uint32(200 * max(0, min(1, probability)))
}

// tally is how often a move was searched to the end after another, and how often it decided.
type tally struct{ wins, tries uint16 }

// tallies are found by both moves and the side that makes the second; a few share one.
type tallies [1 << 14]tally

func (t *tallies) tally(c Side, last, m int16) *tally {
	return &t[mix(uint64(uint16(last+2))<<16|uint64(uint16(m+1))<<1|uint64(c))&uint64(len(t)-1)]
}

func (t *tally) count(win bool) {
	if t.tries == 1000 {
		t.wins, t.tries = t.wins/2, t.tries/2
	}
	t.tries++
	if win {
		t.wins++
	}
}

// guess sets the first number of a state by how often the move to it has decided others,
// after the same move if that is known.
func (s *Search) guess(c Side, m int16, k *child) {
	guess := uint32(1)
	if t := s.tally(c, s.last, m); t.tries >= 2 {
		rare := (2*uint32(t.tries) + 2) / (2*uint32(t.wins) + 1)
		guess = min(max(1, 4*uint32(bits.Len32(rare)-1)), 20)
	} else {
		switch n := s.credit[c][m+1]; {
		case n < 2:
			guess = 16
		case n < 16:
			guess = 12
		case n < 128:
			guess = 8
		}
	}
	if m == s.hint {
		guess = 1
	}
	k.cost[c] = guess
}

// others is what the numbers of the open moves beside one add to it. Their sum would count
// what they have in common again and again, and their number alone says nothing of how hard
// they are; it serves where most of them lie far from a fight that is not enclosed.
func (s *Search) others(r *result, one uint32) uint32 {
	if s.Wide {
		return r.moves - 1
	}
	return uint32(min((r.open-uint64(one))/8, infinite))
}
