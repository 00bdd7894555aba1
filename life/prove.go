package life

// proved is a state that is won, with what shows it.
type proved struct {
	at      position
	kind    proofKind
	goal    goal
	free    bool // it meets no ban, and holds whatever the threats
	move    int16
	next    int32 // the state after the winner's move
	replies []reply
	zone    set
}

// proofKind is what a proved state is: a leaf, or one where a side moves.
type proofKind uint8

const (
	leafTaken proofKind = iota
	leafSafe
	leafDoomed
	winnerMoves
	loserMoves
)

// reply is the answer to a loser's move.
type reply struct {
	move int16
	to   int32 // stopped where the pass ends play
}

const stopped int32 = -1

func (s *search) leaf(p *position, kind proofKind) int32 {
	r := proved{at: *p, kind: kind, goal: s.contest.goal(kind.winner()), free: true}
	switch kind {
	case leafSafe:
		s.safe(p, &r.zone)
	case leafDoomed:
		s.doomed(p, &r.zone)
	}
	return s.keep(r)
}

// winner returns the winner of a leaf.
func (k proofKind) winner() side {
	if k == leafSafe {
		return defender
	}
	return attacker
}

// keep stores what is proved.
func (s *search) keep(r proved) int32 {
	at := int32(len(s.proofs))
	s.proofs = append(s.proofs, r)
	key := s.freeKey(&r.at)
	if !r.free {
		key = s.key(key, &r.at)
	}
	s.known[key] = at
	return at
}

// mark says which moves of a state have to be answered before the other side has won:
// all until the pass is answered, then those in the closed zone of what is answered.
func (s *search) mark(p *position, base int) {
	z, open := s.zoneOf(p, base)
	if open {
		return
	}
	missing := z.and(s.empty(p))
	for i := range s.kids[base:] {
		c := &s.kids[base+i]
		c.needed = c.move < 0 || z.has(c.move)
		if c.move >= 0 {
			missing.remove(c.move)
		}
	}
	// An added position may be proved already, and bring a zone of its own.
	if before := len(s.kids); s.wide && !missing.empty() {
		for _, m := range missing.points(nil) {
			s.consider(p, m)
		}
		if len(s.kids) > before {
			s.mark(p, base)
		}
	}
}

// zoneOf returns the closed zone of the answered moves of a state, the pass and those
// that lie in it; open says that the pass is not answered.
func (s *search) zoneOf(p *position, base int) (z set, open bool) {
	o := p.mover.other()
	if s.contest.goal(o) == deny {
		return s.on, s.wide
	}
	if s.contest.stopper() == p.mover {
		z = s.heart(p)
	}
	for i := range s.kids[base:] {
		if c := &s.kids[base+i]; c.move < 0 {
			if c.proof < 0 || c.cost[o] != 0 {
				return z, true
			}
			z = z.or(s.proofs[c.proof].zone)
		}
	}
	for {
		z = s.closed(p, z)
		before := z
		for i := range s.kids[base:] {
			if c := &s.kids[base+i]; c.move >= 0 && c.proof >= 0 && c.cost[o] == 0 && z.has(c.move) {
				z = z.or(s.proofs[c.proof].zone)
			}
		}
		if z == before {
			return z, false
		}
	}
}

// heart returns the target: all of it, or one chain where the attacker must take all.
func (s *search) heart(p *position) (z set) {
	for i, t := range s.targets {
		if p.left>>i&1 != 0 {
			z = z.or(s.chain(p, defender, t))
			if s.all {
				break
			}
		}
	}
	return z
}

// proveNode keeps the proof of a state whose moves decide it, for its mover or the
// other side.
func (s *search) proveNode(p *position, base int, mover bool) int32 {
	r := proved{at: *p, free: true, move: noMove}
	if mover {
		r.goal = s.contest.goal(p.mover)
		for i := range s.kids[base:] {
			c := &s.kids[base+i]
			if c.proof < 0 || c.suicide || c.cost[p.mover] != 0 {
				continue
			}
			next := &s.proofs[c.proof]
			if r.move != noMove && next.zone.count() >= s.proofs[r.next].zone.count() {
				continue
			}
			r.move, r.next = c.move, c.proof
		}
		e := effect{ban: noBan}
		if r.move >= 0 {
			e, _ = s.effectOf(p, r.move)
		}
		next := &s.proofs[r.next]
		r.kind, r.free = winnerMoves, next.free && (r.move < 0 || r.move != p.ban)
		r.zone = s.afterWin(p, r.move, &e, next.zone)
		if r.goal == deny {
			r.zone = s.on
		}
		return s.keep(r)
	}
	r.kind, r.goal = loserMoves, s.contest.goal(p.mover.other())
	z, _ := s.zoneOf(p, base)
	r.zone = z
	if s.contest.stopper() == p.mover && p.ban == noBan {
		r.replies = append(r.replies, reply{pass, stopped})
	}
	for i := range s.kids[base:] {
		if c := &s.kids[base+i]; c.move < 0 || z.has(c.move) {
			r.replies = append(r.replies, reply{c.move, c.proof})
			r.free = r.free && s.proofs[c.proof].free
		}
	}
	if p.ban != noBan && z.has(p.ban) {
		r.free = false
	}
	return s.keep(r)
}

// covers reports whether a state is won by a proof: the same stones and ban on its
// zone, the same mover, and no worse threats.
func (s *search) covers(at int32, p *position) bool {
	n := &s.proofs[at]
	if p.mover != n.at.mover || p.left != n.at.left {
		return false
	}
	for i := range n.zone {
		if (p.stones[0][i]^n.at.stones[0][i]|p.stones[1][i]^n.at.stones[1][i])&n.zone[i] != 0 {
			return false
		}
	}
	w := n.goal.winner()
	mine, its := banIn(p.ban, &n.zone), banIn(n.at.ban, &n.zone)
	if mine != its && (p.mover == w && mine != noBan || p.mover != w && its != noBan) {
		return false
	}
	l := w.other()
	return n.free || p.threat[w] >= n.at.threat[w] && p.threat[l] <= n.at.threat[l]
}

func banIn(ban int16, z *set) int16 {
	if ban != noBan && z.has(ban) {
		return ban
	}
	return noBan
}
