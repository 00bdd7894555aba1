package solver

import (
	"math/bits"
	"slices"
)

// Goal is a goal of one side. Each is a least fixed point: a proof is a finite tree, in which a
// repetition counts against the side that seeks the goal.
type Goal uint8

const (
	Capture Goal = iota // the attacker captures the target
	Settle              // the defender makes the target pass-alive
	Hold                // play ends, and the target is not captured
	Deny                // play ends, and the target is not pass-alive
	Repeat              // not a goal: positions repeat, so that neither capture nor hold is reached
	NoGoal
)

// Winner returns the side that seeks a goal.
func (q Goal) Winner() Side {
	if q == Capture || q == Deny {
		return Attacker
	}
	return Defender
}

func (q Goal) contest() Contest { return Contest(q & 1) }

// Contest is a pair of goals. Unless positions repeat, exactly one of them is reached.
type Contest uint8

const (
	Fight Contest = iota // the attacker tries to reach Capture, the defender Hold
	Life                 // the attacker tries to reach Deny, the defender Settle
)

// Goal returns the goal of one side.
func (c Contest) Goal(winner Side) Goal {
	return [2][2]Goal{{Capture, Hold}, {Deny, Settle}}[c][winner]
}

// stopper returns the side whose pass ends play and loses, unless a retake is banned: the other side passes too, and
// so reaches its goal.
func (c Contest) stopper() Side { return Side(c) }

const infinite = 1 << 30

// child is a move of a visited state.
type child struct {
	move    int16
	needed  bool // the other side has not won until it has answered this move
	tainted bool // see result.tainted
	suicide bool // the move is a suicide, which the winner never plays in a proof
	key     uint64
	cost    [2]uint32 // proof numbers of each side's win
	proof   int32     // number of the proof of the state after the move; -1: not proved
}

// Search looks for proofs in one game, in one contest at a time. Not safe for concurrent use.
type Search struct {
	*Game
	contest Contest
	seeker  Side // side against which repetitions count
	Wide    bool // the fight is open or large: moves far from the target are left out
	Reuse   bool // a proof also decides other states that it covers (see Covers)

	table   table
	known   index
	records pages[record] // the proofs
	sets    pages[uint64]
	replies pages[Reply]
	scratch []Reply

	Evasions []*Evasion // found by Evade

	guide  Guide                    // used by Follow
	lead   int32                    // number of the guide's proof of the present state; -1: none
	last   int16                    // the previous move
	hint   int16                    // move to try first: the answer that refuted another move from the state before the last move
	credit [2][maxPoints + 1]uint32 // how often a move won a state; the pass has index 0
	tallies
	recent recent
	kids   []child
	fresh  []fresh // scratch of expand
	path   []uint64
	onPath [1 << 12]uint8

	Nodes    int64       // number of states so far
	MaxNodes int64       // states at which the search stops
	Stop     func() bool // called regularly; true stops the search; nil: never
	stopped  bool
	touched  uint32 // uses the values that expand loads ahead, so that the compiler keeps the loads
	strict   bool   // results by repetition are not stored, since they hold on one path only
}

// NewSearch returns a search without limits.
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

// freeKey identifies a state without its threats.
func (s *Search) freeKey(c Contest, p *Position) uint64 {
	return p.hash ^ s.keys[p.Ban+1] ^ mix(uint64(p.Mover)|uint64(c)<<1|uint64(p.left)<<3|1<<40)
}

// key identifies a state with its threats.
func (s *Search) key(free uint64, p *Position) uint64 {
	return free ^ mix(uint64(p.Threat[0])<<8|uint64(p.Threat[1])|1<<41)
}

// Key identifies a contest in a state.
func (s *Search) Key(c Contest, p *Position) uint64 {
	s.contest = c
	return s.key(s.freeKey(c, p), p)
}

// Ended reports whether play is over, and the kind of its end.
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

// firstEffort is the number of states that each side may visit in its first turn.
const firstEffort = 4000

// Decide searches for a proof that one side reaches its goal of a contest from a state. It returns the proof's
// number, or -1 without a proof; then the result neither is true if the search was complete, and false if a limit
// stopped it. The sides take turns as the seeker, against which repetitions count. Each round of turns may visit more
// states than the last.
func (s *Search) Decide(c Contest, root *Position) (proof int32, neither bool) {
	return s.decide(c, root, Attacker, Defender)
}

// Pursue is Decide with only one side as seeker: it may still find that the other side wins.
func (s *Search) Pursue(c Contest, root *Position, seeker Side) (proof int32, neither bool) {
	return s.decide(c, root, seeker, seeker)
}

func (s *Search) decide(c Contest, root *Position, first, last Side) (proof int32, neither bool) {
	s.contest, s.last, s.hint = c, NoMove, NoMove
	free := s.freeKey(c, root)
	key := s.key(free, root)
	if over, by := s.Ended(root); over {
		return s.leaf(root, by), false
	}
	var strict [2]bool
	ended := [2]int{-1, -1} // by side: number of proofs at the end of its last complete strict search; -1: there was no such search
	most := s.MaxNodes
	defer func() { s.MaxNodes = most }()
	effort := int64(firstEffort)
	if s.guide != nil {
		effort = most - s.Nodes
	}
	for ; ; effort *= 2 {
		for s.seeker = first; s.seeker <= last; s.seeker++ {
			if at := s.find(free, key, root); at >= 0 {
				return at, false
			}
			before := s.records.used
			if ended[s.seeker] == before {
				continue
			}
			if s.table.round++; s.table.round == 0 { // forgets the results by repetition, of all 65,535 turns before
				s.table = table{round: 1}
			}
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
			// The turn was complete, but it may have used results by repetition on paths where they do not hold. If
			// it found new proofs, the side's next turn uses them; if not, that turn stores no results by repetition.
			if s.records.used == before {
				if strict[s.seeker] {
					ended[s.seeker] = before
				}
				strict[s.seeker] = true
			}
		}
		if ended[first] == s.records.used && ended[last] == s.records.used {
			return -1, true
		}
	}
}

// mostWords is the largest number of 64-bit words that the proofs may take.
const mostWords = 8 << 20

// full reports whether the search must end.
func (s *Search) full() bool {
	return 3*s.records.used+s.sets.used*s.used+s.replies.used >= mostWords || s.Stop != nil && s.Stop()
}

// result holds what is known of a visited state: the proof numbers, and the number of its proof, or -1.
type result struct {
	cost    [2]uint32
	proof   int32
	open    uint64 // sum of the undecided moves' proof numbers for the side that is not to move
	moves   uint32 // number of undecided moves
	tainted bool   // decided by a repetition on this path, or by a move that cannot be in a proof
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

// visit searches a state until a side's proof number reaches that side's limit (df-pn: Nagai 2002).
func (s *Search) visit(p *Position, key uint64, limit [2]uint32) result {
	base := len(s.kids)
	start := s.Nodes
	s.push(key)
	hint, last := s.hint, s.last
	m, o := p.Mover, p.Mover.Other()
	few := s.guide != nil && s.steer(p) // not all moves are in kids
	lead := s.lead
	if !few {
		s.expand(p)
	}
	if few = few && m == s.seeker; !few {
		s.mark(p, base)
	}
	r := result{proof: -1}
	answer := NoMove // the answer to the move that was tried last
	for {
		best, second := s.sum(p, base, &r)
		if few && r.cost[o] == 0 {
			few = false
			s.expandRest(p, base)
			continue
		}
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
		s.hint, s.last, s.lead = answer, c.move, lead
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
			if !few {
				s.mark(p, base)
			}
		}
	}
	s.pop()
	s.kids = s.kids[:base]
	if r.proof >= 0 && s.Reuse {
		s.remember(last, m, r.proof)
	}
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

// expand appends the moves of a state to kids. It first loads the table entries of all successors,
// so that the memory accesses overlap.
func (s *Search) expand(p *Position) {
	s.fresh = s.fresh[:0]
	if p.Ban != NoBan || p.Mover != s.contest.stopper() {
		s.make(p, Pass)
	}
	for i, w := range s.Room(p) { // All would take longer
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

// Room returns the points where moves are tried at first: all empty points, or if Wide is set,
// those near the target. The method mark later adds points that a proof depends on.
func (s *Search) Room(p *Position) Set {
	empty := s.Empty(p)
	if !s.Wide {
		return empty
	}
	heart := s.heart(p)
	near := s.Around(&heart)
	foes := near.And(p.Stones[Attacker])
	foes = s.flood(&foes, &p.Stones[Attacker])
	near = s.Around(&near)
	for rest := foes; !rest.empty(); {
		chain := s.take(&rest, &foes)
		libs := s.Around(&chain).And(empty)
		if libs.Count() <= 4 {
			near = near.Or(libs)
		}
	}
	return near.And(empty)
}

// mostSpace limits what the space for eyes adds to the attacker's initial proof number.
const mostSpace = 24

// make appends a move to fresh if it is legal.
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

// consider appends a move to kids, with the result of the state after the move if it is known, else with estimates.
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
	at := s.find(f.free, c.key, next)
	if at < 0 && s.Reuse {
		at = s.similar(f.move, next)
	}
	if at >= 0 {
		c.cost, c.proof = won(s.record(at).goal.Winner()), at
	} else if t := s.table.get(c.key); t != nil {
		c.cost, c.tainted = t.cost, t.round != 0
	} else if over, by := s.Ended(next); over {
		c.cost, c.proof = won(by.winner()), s.leaf(next, by)
	} else {
		// Killing takes longer if there is more space, and living takes longer if there are fewer eyes.
		c.cost[Attacker] += uint32(min(s.space, mostSpace))
		c.cost[Defender] += uint32(6 * (2 - s.eyes))
	}
	s.kids = append(s.kids, c)
}

// sum combines the proof numbers of the moves into r. The side not to move has won once every needed move is refuted.
// sum returns the index of the mover's most promising move, and the second smallest of the mover's proof numbers.
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
