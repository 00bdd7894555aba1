package solver

// Guide returns a move that wins a state for its mover, as far as another search knows, and
// NoMove where that knows none.
type Guide func(p *Position) int16

// aside is added to the numbers of the moves that a guide does not name.
const aside = 1 << 20

// Follow is Decide for a search that tries what a guide says before all else. What it
// learns of states that it does not prove is forgotten.
func (s *Search) Follow(c Contest, root *Position, guide Guide) (proof int32) {
	kept := s.table
	s.table, s.guide = table{}, guide
	proof, _ = s.Decide(c, root)
	s.table, s.guide = kept, nil
	return proof
}

// steer puts the guide's move before all others, and where it names none the pass: what is
// not in the zone of its answer needs none.
func (s *Search) steer(p *Position, base int) {
	move := s.guide(p)
	if move == NoMove {
		move = Pass
	}
	m := p.Mover
	found := false
	for i := range s.kids[base:] {
		c := &s.kids[base+i]
		if c.move == move {
			found = true
			continue
		}
		if c.cost[0] != 0 && c.cost[1] != 0 {
			c.cost[m] = min(c.cost[m]+aside, infinite-1)
		}
	}
	if found || move == Pass {
		return
	}
	s.fresh = s.fresh[:0]
	s.make(p, move)
	for i := range s.fresh {
		s.consider(p, &s.fresh[i])
	}
}

// Like returns a position of the game that is as one of another game, with other stones
// and another ban.
func (g *Game) Like(p *Position, stones [2]Set, ban int16) Position {
	q := *p
	q.Stones, q.Ban, q.hash = stones, ban, 0
	for c := range stones {
		stones[c].each(func(at int16) bool {
			q.hash ^= g.zobrist[c][at]
			return true
		})
	}
	return q
}
