package solver

import "math/bits"

// worked counts a move that decided a state.
func (s *Search) worked(c Side, m int16) {
	credit := &s.credit[c]
	if credit[m+1]++; credit[m+1] > 1<<10 {
		for i := range credit {
			credit[i] /= 2
		}
	}
}

// Advise gives a move credit in proportion to its probability.
func (s *Search) Advise(c Side, m int16, probability float32) {
	s.credit[c][m+1] = uint32(200 * max(0, min(1, probability)))
}

// tally counts how often a move was decided after a given previous move, and how often it won.
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

// guess sets the initial proof number of a child by how often its move has won after the same
// previous move, or if there are too few counts, by the move's credit.
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

// others returns the number that the other undecided moves of a state add to one move's proof
// number. It is an eighth of the sum of their proof numbers, since moves have much in common; if Wide
// is set, it is just the number of other moves, since most of them are far away.
func (s *Search) others(r *result, one uint32) uint32 {
	if s.Wide {
		return r.moves - 1
	}
	return uint32(min((r.open-uint64(one))/8, infinite))
}

// recent holds, for each side and each of its moves, the last proofs of states after the move:
// their numbers plus 1, the newest first.
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

// similar returns a recent proof that also holds for the state p after the move m, -1 for none.
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
