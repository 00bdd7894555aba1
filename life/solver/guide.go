package solver

import "slices"

// Guide asks another search for the winner's move in p. It returns the move, or NoMove, and the number of the other
// search's proof of the state after the move. The argument last is the loser's move that led to p. The argument after
// is the number of the other search's proof of the state before that move; -1: none.
type Guide func(p *Position, after int32, last int16) (move int16, next int32)

// Follow is Pursue with a guide: it tries the guide's moves first. It uses a new table, then puts the old one back.
func (s *Search) Follow(c Contest, root *Position, winner Side, guide Guide) (proof int32) {
	kept := s.table
	s.table, s.guide, s.lead = table{}, guide, -1
	proof, _ = s.Pursue(c, root, winner)
	s.table, s.guide = kept, nil
	return proof
}

// steer appends at most one move to kids. If the winner moves, it is the guide's move; steer returns false if there
// is none. If the loser moves, it is the pass, unless the pass ends play; the method mark later adds the loser's
// moves in the zone that zoneOf returns.
func (s *Search) steer(p *Position) bool {
	s.fresh = s.fresh[:0]
	if p.Mover != s.seeker {
		if p.Ban != NoBan || p.Mover != s.contest.stopper() {
			s.make(p, Pass)
		}
	} else {
		var move int16
		if move, s.lead = s.guide(p, s.lead, s.last); move == NoMove {
			return false
		}
		s.make(p, move)
	}
	for i := range s.fresh {
		s.consider(p, &s.fresh[i])
	}
	return true
}

// expandRest adds the moves that steer left out in a state where the winner moves.
func (s *Search) expandRest(p *Position, base int) {
	tried := len(s.kids) - base
	s.expand(p)
	kids := s.kids[base+tried:]
	for _, c := range s.kids[base : base+tried] {
		kids = slices.DeleteFunc(kids, func(k child) bool { return k.move == c.move })
	}
	s.kids = s.kids[:base+tried+len(kids)]
	s.mark(p, base)
}

// Like returns p, a position of another game, as a position of this game, with the given stones and ban.
func (g *Game) Like(p *Position, stones [2]Set, ban int16) Position {
	q := *p
	q.Stones, q.Ban, q.hash = stones, ban, 0
	for c := range stones {
		for at := range stones[c].All {
			q.hash ^= g.zobrist[c][at]
		}
	}
	return q
}
