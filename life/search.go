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

// contest is a pair of goals of which one is reached, but for repetitions.
type contest uint8

const (
	fight contest = iota // the attacker's capture, or the defender's hold
	life                 // the attacker's deny, or the defender's settle
)

func (c contest) goal(winner side) goal {
	return [2][2]goal{{capture, hold}, {deny, settle}}[c][winner]
}

// stopper is the side whose pass without a ban ends play: the other passes too, and
// reaches its goal.
func (c contest) stopper() side { return side(c) }

const infinite = 1 << 30

// child is a move of a state that is looked at.
type child struct {
	move    int16
	needed  bool
	tainted bool
	suicide bool // enters no proof as the winner's move
	key     uint64
	cost    [2]uint32 // proof number of either side's win
	proof   int32     // -1 if not proved
}

// search looks for proofs of one contest after the other in one game.
type search struct {
	*game
	contest contest
	seeker  side // repetitions count against it
	wide    bool // the fight is not enclosed: moves far from it are left out

	table  table
	known  map[uint64]int32 // proved states by key
	proofs []proved

	hint   int16                    // the move that answered another move of the side that moved last
	credit [2][maxPoints + 1]uint32 // how often a move decided, 0 for the pass
	kids   []child
	path   []uint64
	onPath [1 << 12]uint8

	nodes    int64
	maxNodes int64
	maxProof int
	stop     func() bool
	stopped  bool
	strict   bool // what is decided by a repetition is not kept for other paths
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
	return p.hash ^ s.keys[p.ban+1] ^ mix(uint64(p.mover)|uint64(s.contest)<<1|uint64(p.left)<<3|1<<40)
}

func (s *search) key(free uint64, p *position) uint64 {
	return free ^ mix(uint64(p.threat[0])<<8|uint64(p.threat[1])|1<<41)
}

// ended reports whether play is over, and by what.
func (s *search) ended(p *position) (over bool, by proofKind) {
	switch {
	case s.taken(p):
		return true, leafTaken
	case s.safe(p, nil):
		return true, leafSafe
	case s.doomed(p, nil):
		return true, leafDoomed
	}
	return false, 0
}

// firstEffort is after how many states a search turns to the other side's proofs.
const firstEffort = 4000

// decide searches for a proof that one side reaches its goal of a contest from a state,
// and returns its number, or -1 where none was found: then neither says that the search
// is complete. Both sides in turn seek, with more and more states: a repetition counts
// against the one that seeks.
func (s *search) decide(c contest, root *position) (proof int32, neither bool) {
	s.contest = c
	free := s.freeKey(root)
	key := s.key(free, root)
	if over, by := s.ended(root); over {
		return s.leaf(root, by), false
	}
	var strict [2]bool
	ended := [2]int{-1, -1} // how much was proved when a strict search of a side's ended
	most := s.maxNodes
	defer func() { s.maxNodes = most }()
	for effort := int64(firstEffort); ; effort *= 2 {
		for s.seeker = attacker; s.seeker <= defender; s.seeker++ {
			if at, ok := s.find(free, key); ok {
				return at, false
			}
			before := len(s.proofs)
			if ended[s.seeker] == before {
				continue
			}
			s.table.forgetTainted()
			s.strict, s.stopped, s.maxNodes = strict[s.seeker], false, min(most, s.nodes+effort)
			r := s.visit(root, key, [2]uint32{infinite, infinite})
			if r.proof >= 0 {
				return r.proof, false
			}
			if s.stopped {
				if s.nodes >= most || s.full() {
					return -1, false
				}
				continue
			}
			// A state decided by a repetition of one path may be otherwise on another. Proofs
			// found on the way help the next round; at last nothing of the kind is kept.
			if len(s.proofs) == before {
				if strict[s.seeker] {
					ended[s.seeker] = before
				}
				strict[s.seeker] = true
			}
		}
		if ended[attacker] == len(s.proofs) && ended[defender] == len(s.proofs) {
			return -1, true
		}
	}
}

// full reports whether the search has to end.
func (s *search) full() bool {
	return len(s.proofs) >= s.maxProof || s.stop != nil && s.stop()
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
	cost    [2]uint32
	proof   int32
	open    uint32 // moves that are not decided
	tainted bool   // decided by a repetition of this path, or by what enters no proof
}

func won(winner side) (cost [2]uint32) {
	cost[winner.other()] = infinite
	return cost
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

// visit searches a state until one of its numbers reaches its limit (df-pn: Nagai
// 2002).
func (s *search) visit(p *position, key uint64, limit [2]uint32) result {
	base := len(s.kids)
	start := s.nodes
	s.push(key)
	hint := s.hint
	s.expand(p)
	s.mark(p, base)
	m, o := p.mover, p.mover.other()
	r := result{proof: -1}
	answer := noMove // what answered the last move
	for {
		best, second := s.sum(p, base, &r)
		if r.cost[m] == 0 || r.cost[o] == 0 {
			if !r.tainted {
				r.proof = s.proveNode(p, base, r.cost[m] == 0)
				if r.cost[m] == 0 {
					s.worked(m, s.proofs[r.proof].move)
				}
			}
			break
		}
		if r.cost[m] >= limit[m] || r.cost[o] >= limit[o] || s.stopped {
			break
		}
		c := &s.kids[base+best]
		var next [2]uint32
		next[m] = min(limit[m], second+1+second/4)
		next[o] = limit[o] - min(limit[o]-1, r.open-1)
		q := *p
		s.step(&q, c.move)
		s.hint = answer
		got := s.visit(&q, c.key, next)
		s.hint = hint
		k := &s.kids[base+best]
		k.cost, k.proof, k.tainted = got.cost, got.proof, got.tainted
		if got.cost[o] == 0 {
			if k.proof >= 0 && s.proofs[k.proof].kind == winnerMoves {
				answer = s.proofs[k.proof].move
			}
			s.mark(p, base)
		}
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

// step plays m, a legal move, and reports whether it is suicide.
func (s *search) step(p *position, m int16) (suicide, legal bool) {
	if m >= 0 && s.small() {
		return s.move1(p, m)
	}
	e, legal := s.move(p, m)
	return !e.suicide.empty(), legal
}

// expand appends the moves of a state to kids.
func (s *search) expand(p *position) {
	if p.ban != noBan || p.mover != s.contest.stopper() {
		s.consider(p, pass)
	}
	for i, w := range s.room(p) {
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

// mostSpace is how much space for eyes the first numbers of a state tell apart.
const mostSpace = 24

// consider appends a move with what is known of the state after it, if it is legal.
func (s *search) consider(p *position, m int16) {
	next := *p
	if m >= 0 && m == p.ban && p.threat[p.mover] == 0 {
		return
	}
	suicide, legal := s.step(&next, m)
	if !legal {
		return
	}
	s.nodes++
	if s.nodes >= s.maxNodes || s.nodes&1023 == 0 && s.full() {
		s.stopped = true
	}
	c := child{move: m, needed: true, suicide: suicide, cost: [2]uint32{1, 1}, proof: -1}
	s.guess(p.mover, m, &c)
	free := s.freeKey(&next)
	c.key = s.key(free, &next)
	if s.repeats(c.key) {
		c.cost, c.tainted = won(s.seeker.other()), true
		s.kids = append(s.kids, c)
		return
	}
	if t := s.table.get(c.key); t != nil {
		c.cost, c.tainted = t.cost, t.tainted != 0
	} else if at, ok := s.find(free, c.key); ok {
		c.cost, c.proof = won(s.proofs[at].goal.winner()), at
	} else if over, by := s.ended(&next); over {
		c.cost, c.proof = won(by.winner()), s.leaf(&next, by)
	} else {
		// It takes longer to kill what has space, and to live without an eye.
		c.cost[attacker] += uint32(min(s.space, mostSpace) / 2)
		c.cost[defender] += uint32(2 * (2 - s.eyes))
	}
	s.kids = append(s.kids, c)
}

// sum combines the numbers of the moves in r: the other side has won when all moves that
// are needed are answered, and how far that is the numbers of all others tell. It returns
// the move to search next and the second smallest number beside its own.
func (s *search) sum(p *position, base int, r *result) (best int, second uint32) {
	m, o := p.mover, p.mover.other()
	least, most := uint32(infinite), uint32(0)
	second = infinite
	best = -1
	decided, tainted, answered := false, false, true
	r.open, r.tainted = 0, false
	for i := range s.kids[base:] {
		c := &s.kids[base+i]
		switch {
		case c.cost[m] == 0 && !c.tainted && !c.suicide:
			r.cost = won(m)
			return i, infinite
		case c.cost[m] == 0:
			decided = decided || !c.suicide || m != s.seeker
			tainted = true
			continue
		case c.cost[o] == 0:
			tainted = tainted || c.tainted && c.needed
			continue
		}
		answered = answered && !c.needed
		r.open++
		most = max(most, c.cost[o])
		if a := c.cost[m]; a < least {
			second = least
			least, best = a, i
		} else if a < second {
			second = a
		}
	}
	switch {
	case decided:
		r.cost, r.tainted = won(m), true
	case answered:
		r.cost, r.tainted = won(o), tainted || s.wide && s.contest.goal(o) == deny
	default:
		r.cost[m], r.cost[o] = least, min(most+r.open-1, infinite-1)
	}
	return best, second
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

// advise gives a move the credit that it had if it had decided states as often as it
// is probable.
func (s *search) advise(c side, m int16, probability float32) {
	s.credit[c][m+1] = uint32(200 * max(0, min(1, probability)))
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
	if m == s.hint {
		guess = 1
	}
	k.cost[c] = guess
}
