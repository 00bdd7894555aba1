package solver

import "math/bits"

// worked adds to the credit of a move that won a state for its side.
func (s *Search) worked(c Side, m int16) {
	credit := &s.credit[c]
	if credit[m+1]++; credit[m+1] > 1<<10 {
		for i := range credit {
			credit[i] /= 2
		}
	}
}

// Advise sets the credit of a move in proportion to its probability.
func (s *Search) Advise(c Side, m int16, probability float32) {
	s.credit[c][m+1] = uint32(200 * max(0, min(1, probability)))
}

// tally counts how often a move was won or lost after a given previous move (tries), and how often it was won (wins).
type tally struct{ wins, tries uint16 }

// tallies is a hash table without collision checks; the key is two moves and the side of the
// second.
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

// guess sets the mover's initial proof number for a child: the number is low if the move has often won after the same
// previous move. If that was counted too rarely, the move's credit decides.
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

// others returns the number that the other undecided moves of a state add to the proof number of one move. It is an
// eighth of the sum of their proof numbers, since proofs of different moves have much in common. If Wide is set, it
// is only the number of the other moves, since most of them are far away.
func (s *Search) others(r *result, one uint32) uint32 {
	if s.Wide {
		return r.moves - 1
	}
	return uint32(min((r.open-uint64(one))/8, infinite))
}

// recent holds proofs of states after each move of each side: their numbers plus 1. The one found or used last is
// first.
type recent [2][maxPoints + 1][8]int32

// remember adds the proof of a state to the recent proofs of the move that led to it. Proofs of Deny
// are left out, since their zone is the whole area.
func (s *Search) remember(last int16, mover Side, at int32) {
	if last == NoMove || s.record(at).goal == Deny {
		return
	}
	list := &s.recent[mover.Other()][last+1]
	copy(list[1:], list[:])
	list[0] = at + 1
}

// similar returns the number of a recent proof that also holds for p, the state after the move m; -1 without one.
func (s *Search) similar(m int16, p *Position) int32 {
	list := &s.recent[p.Mover.Other()][m+1]
	for i, at := range list {
		if at > 0 && s.Covers(at-1, p) {
			copy(list[1:i+1], list[:i])
			list[0] = at
			return at - 1
		}
	}
	return -1
}
