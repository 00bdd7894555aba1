package life

import (
	"math/bits"
	"slices"
)

// goal is what a side tries to reach. Each is a least fixed point: a proof is a
// finite tree in which a repetition counts against the side that wants it.
type goal uint8

const (
	capture   goal = iota // the attacker takes the target
	settle                // the defender makes it pass-alive
	hold                  // the defender lets the attacker do nothing but pass
	deny                  // the attacker lets the defender do nothing but pass, and it is not pass-alive
	repeat                // no goal: neither capture nor hold is reached without a repetition
	unsettled             // no goal: settle is not reached
	noGoal
)

func (q goal) winner() side {
	if q == capture || q == deny {
		return attacker
	}
	return defender
}

// stops reports whether a pass of the loser's without a ban ends the play for the
// winner: he passes too, and nothing has changed.
func (q goal) stops() bool { return q == hold || q == deny }

const infinite = 1 << 30

// child is a move of a state that is looked at.
type child struct {
	move    int16
	needed  bool
	tainted bool
	key     uint64
	pn, dn  uint32
	proof   int32 // -1 if not proved
}

// search looks for the proof of one goal after the other in one game.
type search struct {
	*game
	goal   goal
	winner side
	wide   bool // the fight is not enclosed: moves far from it are left out

	table  table
	known  map[uint64]int32 // proved states by key
	proofs []proved

	credit [2][maxPoints + 1]uint32 // how often a move decided, 0 for the pass
	kids   []child
	path   []uint64
	onPath [1 << 12]uint8

	nodes    int64
	maxNodes int64
	maxProof int
	stop     func() bool
	stopped  bool
	strict   bool // what is refuted by a repetition is not kept for other paths
}

func newSearch(g *game) *search {
	return &search{game: g, known: map[uint64]int32{}, maxNodes: 1 << 62, maxProof: 400000}
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// freeKey identifies a state without its threats; key with them.
func (s *search) freeKey(p *position) uint64 {
	return p.hash ^ s.keys[p.ban+1] ^ mix(uint64(p.mover)|uint64(s.goal)<<1|uint64(p.left)<<3|1<<40)
}

func (s *search) key(free uint64, p *position) uint64 {
	return free ^ mix(uint64(p.threat[0])<<8|uint64(p.threat[1])|1<<41)
}

// ended reports whether play is over, and who has won then.
func (s *search) ended(p *position) (over bool, winner side) {
	if s.taken(p) {
		return true, attacker
	}
	if s.safe(p, nil) {
		return true, defender
	}
	return false, 0
}

// prove searches for a proof that the winner reaches the goal from a state, and
// returns its number, or -1 where none was found: then refuted says that the search
// is complete.
func (s *search) prove(q goal, root *position) (proof int32, refuted bool) {
	s.goal, s.winner, s.stopped = q, q.winner(), false
	if over, winner := s.ended(root); over {
		if winner != s.winner {
			return -1, true
		}
		return s.leaf(root), false
	}
	for s.strict = false; ; {
		s.table.forgetTainted()
		before := len(s.proofs)
		free := s.freeKey(root)
		key := s.key(free, root)
		if at, ok := s.find(free, key); ok {
			return at, false
		}
		r := s.visit(root, key, infinite, infinite)
		if r.pn == 0 {
			return r.proof, false
		}
		if s.stopped || !r.tainted {
			return -1, !s.stopped
		}
		// A state refuted by a repetition of one path may be won on another. Proofs
		// found on the way help the next round; at last nothing of the kind is kept.
		if len(s.proofs) == before {
			if s.strict {
				return -1, true
			}
			s.strict = true
		}
	}
}

func (s *search) find(free, key uint64) (int32, bool) {
	if at, ok := s.known[free]; ok {
		return at, true
	}
	at, ok := s.known[key]
	return at, ok
}

// result is what is known of a state.
type result struct {
	pn, dn  uint32
	proof   int32
	tainted bool // refuted by a repetition of this path
}

func (s *search) push(key uint64) {
	s.path = append(s.path, key)
	s.onPath[key&(1<<12-1)]++
}

func (s *search) pop() {
	key := s.path[len(s.path)-1]
	s.path = s.path[:len(s.path)-1]
	s.onPath[key&(1<<12-1)]--
}

func (s *search) repeats(key uint64) bool {
	return s.onPath[key&(1<<12-1)] != 0 && slices.Contains(s.path, key)
}

// visit searches a state until its numbers reach the limits (df-pn: Nagai 2002).
func (s *search) visit(p *position, key uint64, pnLimit, dnLimit uint32) result {
	base := len(s.kids)
	start := s.nodes
	s.push(key)
	s.expand(p)
	or := p.mover == s.winner
	if !or {
		s.mark(p, base)
	}
	var r result
	for {
		best, second, n := s.sum(base, or, &r)
		if r.pn == 0 {
			r.proof = s.proveNode(p, base)
			if or {
				s.worked(p.mover, s.proofs[r.proof].move)
			}
			break
		}
		if r.dn == 0 && !or && best >= 0 {
			s.worked(p.mover, s.kids[base+best].move)
		}
		if r.dn == 0 || r.pn >= pnLimit || r.dn >= dnLimit || s.stopped {
			break
		}
		c := s.kids[base+best]
		pnNext, dnNext := pnLimit, dnLimit
		if or {
			pnNext = min(pnLimit, second+1+second/4)
			dnNext = dnLimit - min(dnLimit-1, n-1)
		} else {
			dnNext = min(dnLimit, second+1+second/4)
			pnNext = pnLimit - min(pnLimit-1, n-1)
		}
		next := *p
		s.move(&next, c.move)
		got := s.visit(&next, c.key, pnNext, dnNext)
		k := &s.kids[base+best]
		k.pn, k.dn, k.proof, k.tainted = got.pn, got.dn, got.proof, got.tainted
		if got.pn == 0 && !or {
			s.mark(p, base)
		}
	}
	if r.pn != 0 {
		r.proof = -1
	}
	s.pop()
	s.kids = s.kids[:base]
	if !r.tainted || !s.strict {
		s.table.put(key, r, uint64(s.nodes-start))
	}
	return r
}

// move plays m, a legal move.
func (s *search) move(p *position, m int16) (effect, bool) {
	if m < 0 {
		s.play(p, m, nil)
		return effect{ban: noBan}, true
	}
	e, legal := s.effectOf(p, m)
	if legal {
		s.play(p, m, &e)
	}
	return e, legal
}

// expand appends the moves of a state to kids.
func (s *search) expand(p *position) {
	or := p.mover == s.winner
	room := s.room(p)
	// A pass of the winner's without a ban changes nothing, but where play may stop.
	if p.ban != noBan || or && s.goal.stops() || !or && !s.goal.stops() {
		s.consider(p, pass)
	}
	if s.wide && !or {
		return // until the pass is answered, then in the zone of the answer
	}
	for i, w := range room {
		for ; w != 0; w &= w - 1 {
			s.consider(p, int16(i<<6|bits.TrailingZeros64(w)))
		}
	}
}

// room returns the points where moves are tried at first: all, or where nothing
// encloses the fight those near the target. Points that a proof depends on are added later.
func (s *search) room(p *position) set {
	empty := s.empty(p)
	if !s.wide {
		return empty
	}
	heart := s.heart(p)
	near := s.around(&heart)
	foes := near.and(p.stones[attacker])
	foes = s.flood(&foes, &p.stones[attacker])
	near = s.around(&near)
	for q := foes.first(); q >= 0; q = foes.first() {
		chain := s.chain(p, attacker, q)
		foes = foes.minus(chain)
		libs := s.around(&chain).and(empty)
		if libs.count() <= 4 {
			near = near.or(libs)
		}
	}
	return near.and(empty)
}

// consider appends a move with what is known of the state after it, if it is legal.
func (s *search) consider(p *position, m int16) {
	next := *p
	if m >= 0 && m == p.ban && p.threat[p.mover] == 0 {
		return
	}
	e, legal := s.move(&next, m)
	if !legal || p.mover == s.winner && !e.suicide.empty() {
		return
	}
	s.nodes++
	if s.nodes&1023 == 0 && (s.nodes > s.maxNodes || s.stop != nil && s.stop()) {
		s.stopped = true
	}
	c := child{move: m, needed: true, pn: 1, dn: 1, proof: -1}
	s.guess(p.mover, m, &c)
	free := s.freeKey(&next)
	c.key = s.key(free, &next)
	if s.repeats(c.key) {
		c.pn, c.dn, c.tainted = infinite, 0, true
		s.kids = append(s.kids, c)
		return
	}
	if t := s.table.get(c.key); t != nil && t.pn != 0 {
		c.pn, c.dn, c.tainted = t.pn, t.dn, t.tainted != 0
		s.kids = append(s.kids, c)
		return
	}
	if at, ok := s.find(free, c.key); ok {
		c.pn, c.dn, c.proof = 0, infinite, at
	} else if over, winner := s.ended(&next); over {
		if winner == s.winner {
			c.pn, c.dn, c.proof = 0, infinite, s.leaf(&next)
		} else {
			c.pn, c.dn = infinite, 0
			s.table.put(c.key, result{pn: infinite, proof: -1}, 1)
		}
	}
	s.kids = append(s.kids, c)
}

// sum combines the numbers of the moves. It returns the one to search next, the
// second smallest number beside its own, and how many moves the sum runs over.
func (s *search) sum(base int, or bool, r *result) (best int, second uint32, n uint32) {
	least, most := uint32(infinite), uint32(0)
	second = infinite
	best = -1
	r.tainted = false
	taintedAny := false
	for i := range s.kids[base:] {
		c := &s.kids[base+i]
		if !c.needed {
			continue
		}
		a, b := c.pn, c.dn
		if !or {
			a, b = b, a
		}
		// a is minimised, b is summed.
		if a == 0 {
			// One move decides.
			r.tainted = c.tainted
			if or {
				r.pn, r.dn = 0, infinite
			} else {
				r.pn, r.dn = infinite, 0
			}
			return i, infinite, 1
		}
		if b == 0 {
			taintedAny = taintedAny || c.tainted
			continue
		}
		n++
		most = max(most, b)
		if a < least {
			second = least
			least, best = a, i
		} else if a < second {
			second = a
		}
	}
	if n == 0 {
		// All are decided against the mover.
		r.tainted = taintedAny
		if or {
			r.pn, r.dn = infinite, 0
		} else {
			r.pn, r.dn = 0, infinite
		}
		return -1, infinite, 0
	}
	// Of the winner's moves few will be searched: they count as one.
	if or {
		n = 1
	}
	total := min(most+n-1, infinite-1)
	if or {
		r.pn, r.dn = least, total
	} else {
		r.pn, r.dn = total, least
	}
	return best, second, n
}

// worked notes that a move decided a state.
func (s *search) worked(c side, m int16) {
	credit := &s.credit[c]
	if credit[m+1]++; credit[m+1] > 1<<10 {
		for i := range credit {
			credit[i] /= 2
		}
	}
}

// guess sets the first numbers of a state by how often the move to it has decided
// others.
func (s *search) guess(c side, m int16, k *child) {
	n := s.credit[c][m+1]
	guess := uint32(1)
	switch {
	case n < 2:
		guess = 16
	case n < 16:
		guess = 12
	case n < 128:
		guess = 8
	}
	if c == s.winner {
		k.pn = guess
	} else {
		k.dn = guess
	}
}
