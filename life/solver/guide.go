package solver

// Guide returns a winning move of a state's mover by another search, NoMove if none is known.
type Guide func(p *Position) int16

// aside is added to the proof numbers of moves other than the guide's.
const aside = 1 << 20

// Follow is Decide with a guide, whose moves it tries first. It forgets the table's entries
// afterwards.
func (s *Search) Follow(c Contest, root *Position, guide Guide) (proof int32) {
	kept := s.table
	s.table, s.guide = table{}, guide
	proof, _ = s.Decide(c, root)
	s.table, s.guide = kept, nil
	return proof
}

// steer puts the guide's move before all others, or the pass if it has none: moves outside the
// zone of the answer to the pass need no answer.
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

// Like converts p, a position of another game, to this game, with the given stones and ban.
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
