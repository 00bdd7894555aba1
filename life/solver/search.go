package solver

import (
	"math/bits"
	"slices"
)

// Goal is what a side tries to reach. Each is a least fixed point: a proof is a
// finite tree in which a repetition counts against the side that wants it.
type Goal uint8

const (
	Capture Goal = iota // the attacker takes the target
	Settle              // the defender makes it pass-alive
	Hold                // the defender lets the attacker do nothing but pass
	Deny                // the attacker lets the defender do nothing but pass, and it is not pass-alive
	Repeat              // no goal: neither capture nor hold is reached without a repetition
	NoGoal
)

// Winner is the side that a goal is of.
func (q Goal) Winner() Side {
	if q == Capture || q == Deny {
		return Attacker
	}
	return Defender
}

func (q Goal) contest() Contest { return Contest(q & 1) }

// Contest is a pair of goals of which one is reached, but for repetitions.
type Contest uint8

const (
	Fight Contest = iota // the attacker's capture, or the defender's hold
	Life                 // the attacker's deny, or the defender's settle
)

// Goal is that of one side.
func (c Contest) Goal(winner Side) Goal {
	return [2][2]Goal{{Capture, Hold}, {Deny, Settle}}[c][winner]
}

// stopper is the side whose pass without a ban ends play: the other passes too, and
// reaches its goal.
func (c Contest) stopper() Side { return Side(c) }

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

// Search looks for proofs of one contest after the other in one game. Not safe for
// concurrent use.
type Search struct {
	*Game
	contest Contest
	seeker  Side // repetitions count against it
	Wide    bool // the fight is not enclosed: moves far from it are left out

	table   table
	known   index
	records pages[record] // all that is proved
	sets    pages[uint64]
	replies pages[Reply]
	scratch []Reply

	Evasions []*Evasion // those that Evade found

	guide  Guide                    // of a search that follows another
	last   int16                    // the move before
	hint   int16                    // the move that answered another move of the side that moved last
	credit [2][maxPoints + 1]uint32 // how often a move decided, 0 for the pass
	tallies
	kids   []child
	fresh  []fresh // scratch of expand
	path   []uint64
	onPath [1 << 12]uint8

	Nodes    int64       // states that were made
	MaxNodes int64       // when to stop
	Stop     func() bool // asked now and then whether to stop; nil: never
	stopped  bool
	touched  uint32
	strict   bool // what is decided by a repetition is not kept for other paths
}

// NewSearch returns a search without bounds.
func NewSearch(g *Game) *Search {
	s := &Search{Game: g, known: index{slots: make([]uint64, firstSlots)}, MaxNodes: 1 << 62}
	s.records.width, s.sets.width, s.replies.width = 1, g.used, 1
	return s
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// freeKey identifies a state without its threats; key with them.
func (s *Search) freeKey(c Contest, p *Position) uint64 {
	return p.hash ^ s.keys[p.Ban+1] ^ mix(uint64(p.Mover)|uint64(c)<<1|uint64(p.left)<<3|1<<40)
}

func (s *Search) key(free uint64, p *Position) uint64 {
	return free ^ mix(uint64(p.Threat[0])<<8|uint64(p.Threat[1])|1<<41)
}

// Key identifies a contest in a state.
func (s *Search) Key(c Contest, p *Position) uint64 {
	s.contest = c
	return s.key(s.freeKey(c, p), p)
}

// Ended reports whether play is over, and by what.
func (s *Search) Ended(p *Position) (over bool, by Kind) {
	switch {
	case s.taken(p):
		return true, LeafTaken
	case s.safe(p, nil):
		return true, LeafSafe
	case s.doomed(p, nil):
		return true, LeafDoomed
	}
	return false, 0
}

// firstEffort is after how many states a search turns to the other side's proofs.
const firstEffort = 4000

// Decide searches for a proof that one side reaches its goal of a contest from a state,
// and returns its number, or -1 where none was found: then neither says that the search
// is complete. Both sides in turn seek, with more and more states: a repetition counts
// against the one that seeks.
func (s *Search) Decide(c Contest, root *Position) (proof int32, neither bool) {
	s.contest, s.last, s.hint = c, NoMove, NoMove
	free := s.freeKey(c, root)
	key := s.key(free, root)
	if over, by := s.Ended(root); over {
		return s.leaf(root, by), false
	}
	var strict [2]bool
	ended := [2]int{-1, -1} // how much was proved when a strict search of a side's ended
	most := s.MaxNodes
	defer func() { s.MaxNodes = most }()
	for effort := int64(firstEffort); ; effort *= 2 {
		for s.seeker = Attacker; s.seeker <= Defender; s.seeker++ {
			if at := s.find(free, key, root); at >= 0 {
				return at, false
			}
			before := s.records.used
			if ended[s.seeker] == before {
				continue
			}
			s.table.forgetTainted()
			s.strict, s.stopped, s.MaxNodes = strict[s.seeker], false, min(most, s.Nodes+effort)
			r := s.visit(root, key, [2]uint32{infinite, infinite})
			if r.proof >= 0 {
				return r.proof, false
			}
			if s.stopped {
				if s.Nodes >= most || s.full() {
					return -1, false
				}
				continue
			}
			// A state decided by a repetition of one path may be otherwise on another. Proofs
			// found on the way help the next round; at last nothing of the kind is kept.
			if s.records.used == before {
				if strict[s.seeker] {
					ended[s.seeker] = before
				}
				strict[s.seeker] = true
			}
		}
		if ended[Attacker] == s.records.used && ended[Defender] == s.records.used {
			return -1, true
		}
	}
}

// mostWords is how many words the proofs may take.
const mostWords = 8 << 20

// full reports whether the search has to end.
func (s *Search) full() bool {
	return 3*s.records.used+s.sets.used*s.used+s.replies.used >= mostWords || s.Stop != nil && s.Stop()
}

// result is what is known of a state.
type result struct {
	cost    [2]uint32
	proof   int32
	open    uint64 // the sum of the other side's numbers of moves that are not decided
	moves   uint32 // how many those are
	tainted bool   // decided by a repetition of this path, or by what enters no proof
}

func won(winner Side) (cost [2]uint32) {
	cost[winner.Other()] = infinite
	return cost
}

func (s *Search) push(key uint64) {
	s.path = append(s.path, key)
	s.onPath[key&(1<<12-1)]++
}

func (s *Search) pop() {
	key := s.path[len(s.path)-1]
	s.path = s.path[:len(s.path)-1]
	s.onPath[key&(1<<12-1)]--
}

func (s *Search) repeats(key uint64) bool {
	return s.onPath[key&(1<<12-1)] != 0 && slices.Contains(s.path, key)
}

// visit searches a state until one of its numbers reaches its limit (df-pn: Nagai
// 2002).
func (s *Search) visit(p *Position, key uint64, limit [2]uint32) result {
	base := len(s.kids)
	start := s.Nodes
	s.push(key)
	hint, last := s.hint, s.last
	s.expand(p)
	if s.guide != nil {
		s.steer(p, base)
	}
	s.mark(p, base)
	m, o := p.Mover, p.Mover.Other()
	r := result{proof: -1}
	answer := NoMove // what answered the last move
	for {
		best, second := s.sum(p, base, &r)
		if r.cost[m] == 0 || r.cost[o] == 0 {
			if !r.tainted {
				r.proof = s.proveNode(p, base, r.cost[m] == 0)
				if r.cost[m] == 0 {
					s.worked(m, s.record(r.proof).move)
				}
			}
			break
		}
		if r.cost[m] >= limit[m] || r.cost[o] >= limit[o] || s.stopped {
			break
		}
		c := &s.kids[base+best]
		var next [2]uint32
		next[m] = min(limit[m], second+2+second/8)
		next[o] = limit[o] - min(limit[o]-1, s.others(&r, c.cost[o]))
		q := *p
		s.Move(&q, c.move)
		s.hint, s.last = answer, c.move
		got := s.visit(&q, c.key, next)
		s.hint, s.last = hint, last
		k := &s.kids[base+best]
		k.cost, k.proof, k.tainted = got.cost, got.proof, got.tainted
		if k.cost[m] == 0 || k.cost[o] == 0 {
			s.tally(m, last, k.move).count(k.cost[m] == 0)
		}
		if got.cost[o] == 0 {
			if k.proof >= 0 && s.record(k.proof).kind == WinnerMoves {
				answer = s.record(k.proof).move
			}
			s.mark(p, base)
		}
	}
	s.pop()
	s.kids = s.kids[:base]
	if r.proof < 0 && (!r.tainted || !s.strict) {
		s.table.put(key, &r, uint64(s.Nodes-start))
	}
	return r
}

// fresh is a move and the state after it.
type fresh struct {
	after     Position
	free, key uint64
	move      int16
	suicide   bool
}

// expand appends the moves of a state to kids. All that is looked up about the states
// after them is fetched at once: memory is slow, but has several answers under way.
func (s *Search) expand(p *Position) {
	s.fresh = s.fresh[:0]
	if p.Ban != NoBan || p.Mover != s.contest.stopper() {
		s.make(p, Pass)
	}
	for i, w := range s.Room(p) {
		for ; w != 0; w &= w - 1 {
			s.make(p, int16(i<<6|bits.TrailingZeros64(w)))
		}
	}
	if len(s.table.rows) > 0 {
		for i := range s.fresh {
			f := &s.fresh[i]
			s.touched ^= s.table.row(f.key)[0].check ^ uint32(*s.known.home(f.free))
		}
	}
	for i := range s.fresh {
		s.consider(p, &s.fresh[i])
	}
}

// Room returns the points where moves are tried at first: all, or where nothing
// encloses the fight those near the target. Points that a proof depends on are added later.
func (s *Search) Room(p *Position) Set {
	empty := s.Empty(p)
	if !s.Wide {
		return empty
	}
	heart := s.heart(p)
	near := s.Around(&heart)
	foes := near.and(p.Stones[Attacker])
	foes = s.flood(&foes, &p.Stones[Attacker])
	near = s.Around(&near)
	for q := foes.first(); q >= 0; q = foes.first() {
		chain := s.Chain(p, Attacker, q)
		foes = foes.minus(chain)
		libs := s.Around(&chain).and(empty)
		if libs.Count() <= 4 {
			near = near.Or(libs)
		}
	}
	return near.and(empty)
}

// mostSpace is how much space for eyes the first numbers of a state tell apart.
const mostSpace = 24

// make adds a move to the fresh ones, if it is legal.
func (s *Search) make(p *Position, m int16) {
	if m >= 0 && m == p.Ban && !s.pays(p) {
		return
	}
	s.fresh = append(s.fresh, fresh{after: *p, move: m})
	f := &s.fresh[len(s.fresh)-1]
	var legal bool
	if f.suicide, legal = s.Move(&f.after, m); !legal {
		s.fresh = s.fresh[:len(s.fresh)-1]
		return
	}
	f.free = s.freeKey(s.contest, &f.after)
	f.key = s.key(f.free, &f.after)
}

// consider appends a move to kids, with what is known of the state after it.
func (s *Search) consider(p *Position, f *fresh) {
	s.Nodes++
	if s.Nodes >= s.MaxNodes || s.Nodes&1023 == 0 && s.full() {
		s.stopped = true
	}
	next := &f.after
	c := child{move: f.move, needed: true, suicide: f.suicide, key: f.key, cost: [2]uint32{1, 1}, proof: -1}
	s.guess(p.Mover, f.move, &c)
	if s.repeats(c.key) {
		c.cost, c.tainted = won(s.seeker.Other()), true
		s.kids = append(s.kids, c)
		return
	}
	if at := s.find(f.free, c.key, next); at >= 0 {
		c.cost, c.proof = won(s.record(at).goal.Winner()), at
	} else if t := s.table.get(c.key); t != nil {
		c.cost, c.tainted = t.cost, t.round != 0
	} else if over, by := s.Ended(next); over {
		c.cost, c.proof = won(by.winner()), s.leaf(next, by)
	} else {
		// It takes longer to kill what has space, and to live without an eye.
		c.cost[Attacker] += uint32(min(s.space, mostSpace))
		c.cost[Defender] += uint32(6 * (2 - s.eyes))
	}
	s.kids = append(s.kids, c)
}

// sum combines the numbers of the moves in r: the other side has won when all moves that
// are needed are answered, and how far that is the numbers of all others tell. It returns
// the move to search next and the second smallest number beside its own.
func (s *Search) sum(p *Position, base int, r *result) (best int, second uint32) {
	m, o := p.Mover, p.Mover.Other()
	least, most := uint32(infinite), uint32(0)
	second = infinite
	best = -1
	decided, tainted, answered := false, false, true
	r.open, r.moves, r.tainted = 0, 0, false
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
		case !c.needed && s.guide != nil:
			continue
		}
		answered = answered && !c.needed
		r.open += uint64(c.cost[o])
		r.moves++
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
		r.cost, r.tainted = won(o), tainted || s.Wide && s.contest.Goal(o) == Deny
	default:
		r.cost[m], r.cost[o] = least, min(most+s.others(r, most), infinite-1)
	}
	return best, second
}
