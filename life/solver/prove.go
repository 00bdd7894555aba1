package solver

// Proof proves that a state is won. Proofs are numbered from 0 to [Search.Proved] - 1.
type Proof struct {
	At      Position
	Kind    Kind
	Goal    Goal
	Free    bool    // the proof involves no ko, and holds for all threats
	Move    int16   // winner's move; NoMove if the loser moves
	Next    int32   // number of the proof of the state after Move
	Replies []Reply // the pass and the loser's moves in the zone, each with its answer
	Zone    Set     // the points that the proof depends on
}

// Kind is the kind of a proved state: an end of play, or the side that moves.
type Kind uint8

const (
	LeafTaken  Kind = iota // the target is captured
	LeafSafe               // the target is pass-alive, or joined to a chain alive by assumption
	LeafDoomed             // no room for two eyes is left
	WinnerMoves
	LoserMoves
)

// Reply is a loser's move with the proof of the state after it.
type Reply struct {
	Move int16
	To   int32 // number of the proof after the move; Stopped if the pass ends play
}

const Stopped int32 = -1

func (s *Search) leaf(p *Position, kind Kind) int32 {
	r := Proof{At: *p, Kind: kind, Goal: s.contest.Goal(kind.winner()), Free: true}
	switch kind {
	case LeafSafe:
		s.safe(p, &r.Zone)
	case LeafDoomed:
		s.doomed(p, &r.Zone)
	}
	return s.keep(r)
}

// winner returns the winner of a leaf.
func (k Kind) winner() Side {
	if k == LeafSafe {
		return Defender
	}
	return Attacker
}

// record is a stored proof without its parts of variable length: sets and replies.
type record struct {
	next      int32
	replies   uint32 // index of the first reply in Search.replies
	count     uint16
	move, ban int16
	kind      Kind
	goal      Goal
	mover     Side
	left      uint8
	threat    [2]uint8
	free      bool
}

// keep stores a proof and returns its number.
func (s *Search) keep(r Proof) int32 {
	at := int32(s.records.used)
	x := record{
		next: r.Next, count: uint16(len(r.Replies)), move: r.Move, kind: r.Kind, goal: r.Goal, free: r.Free,
		ban: r.At.Ban, mover: r.At.Mover, left: r.At.left, threat: r.At.Threat,
	}
	if len(r.Replies) > 0 {
		x.replies = uint32(s.replies.add(r.Replies...))
	}
	s.records.add(x)
	for _, set := range [3]*Set{&r.At.Stones[0], &r.At.Stones[1], &r.Zone} {
		s.sets.add(set[:s.used]...)
	}
	s.learn(at, r.At.hash)
	return at
}

// Proved returns the number of proofs. A proof has a higher number than the proofs of the states after its moves.
func (s *Search) Proved() int32 { return int32(s.records.used) }

func (s *Search) record(at int32) *record { return &s.records.at(int(at), 1)[0] }

func (s *Search) Proof(at int32) Proof {
	r := s.record(at)
	out := Proof{
		At:   Position{Stones: [2]Set{s.set(at, 0), s.set(at, 1)}, Ban: r.ban, Mover: r.mover, left: r.left, Threat: r.threat},
		Kind: r.kind, Goal: r.goal, Free: r.free, Move: r.move, Next: r.next, Zone: s.Zone(at),
	}
	if r.count > 0 {
		out.Replies = s.replies.at(int(r.replies), int(r.count))
	}
	return out
}

// Zone returns the zone of a proof.
func (s *Search) Zone(at int32) Set { return s.set(at, 2) }

func (s *Search) set(at int32, which int) (out Set) {
	copy(out[:], s.sets.at(3*int(at)+which, 1))
	return out
}

// mark marks the moves of a state that the other side must answer in order to win. As long as the pass has no answer,
// these are all moves; afterwards, they are the pass and the moves in the zone that zoneOf returns.
func (s *Search) mark(p *Position, base int) {
	z, open := s.zoneOf(p, base)
	if open {
		return
	}
	missing := z.And(s.Empty(p))
	for i := range s.kids[base:] {
		c := &s.kids[base+i]
		c.needed = c.move < 0 || z.Has(c.move)
		if c.move >= 0 {
			missing.remove(c.move)
		}
	}
	// The state after an added move may be proved already; then its zone can make this zone larger.
	if before := len(s.kids); (s.Wide || s.guide != nil) && !missing.empty() {
		s.fresh = s.fresh[:0]
		for m := range missing.All {
			s.make(p, m)
		}
		for i := range s.fresh {
			s.consider(p, &s.fresh[i])
		}
		if len(s.kids) > before {
			s.mark(p, base)
		}
	}
}

// zoneOf returns the zone of a state that the mover loses. The zone is closed (see closed), and contains the zones of
// the answers to the pass and to each move in it. open reports that all moves need answers: the pass has none yet, or
// the zone is the area of a wide search.
func (s *Search) zoneOf(p *Position, base int) (z Set, open bool) {
	o := p.Mover.Other()
	if s.contest.Goal(o) == Deny {
		return s.On, s.Wide
	}
	if s.contest.stopper() == p.Mover {
		z = s.heart(p)
	}
	for i := range s.kids[base:] {
		if c := &s.kids[base+i]; c.move < 0 {
			if c.proof < 0 || c.cost[o] != 0 {
				return z, true
			}
			z = z.Or(s.Zone(c.proof))
		}
	}
	for {
		z = s.closed(p, z)
		before := z
		for i := range s.kids[base:] {
			if c := &s.kids[base+i]; c.move >= 0 && c.proof >= 0 && c.cost[o] == 0 && z.Has(c.move) {
				z = z.Or(s.Zone(c.proof))
			}
		}
		if z == before {
			return z, false
		}
	}
}

// heart returns the stones that the defender must keep: the whole target, or one chain if the attacker must take all.
func (s *Search) heart(p *Position) (z Set) {
	for i, t := range s.Targets {
		if p.left>>i&1 != 0 {
			z = z.Or(s.Chain(p, Defender, t))
			if s.all {
				break
			}
		}
	}
	return z
}

// proveNode makes a proof of a state from the proofs of the states after its moves, and returns the new proof's
// number. The side to move wins if mover is true, otherwise the other side wins.
func (s *Search) proveNode(p *Position, base int, mover bool) int32 {
	r := Proof{At: *p, Free: true, Move: NoMove}
	if mover {
		r.Goal = s.contest.Goal(p.Mover)
		for i := range s.kids[base:] {
			c := &s.kids[base+i]
			if c.proof < 0 || c.suicide || c.cost[p.Mover] != 0 {
				continue
			}
			z := s.Zone(c.proof)
			if r.Move != NoMove && z.Count() >= r.Zone.Count() {
				continue
			}
			r.Move, r.Next, r.Zone = c.move, c.proof, z
		}
		e := effect{ban: NoBan}
		if r.Move >= 0 {
			e, _ = s.effectOf(p, r.Move)
		}
		r.Kind, r.Free = WinnerMoves, s.record(r.Next).free && (r.Move < 0 || r.Move != p.Ban)
		r.Zone = s.afterWin(p, r.Move, &e, r.Zone)
		if r.Goal == Deny {
			r.Zone = s.On
		}
		return s.keep(r)
	}
	r.Kind, r.Goal = LoserMoves, s.contest.Goal(p.Mover.Other())
	z, _ := s.zoneOf(p, base)
	r.Zone = z
	r.Replies = s.scratch[:0]
	if s.contest.stopper() == p.Mover && p.Ban == NoBan {
		r.Replies = append(r.Replies, Reply{Pass, Stopped})
	}
	for i := range s.kids[base:] {
		if c := &s.kids[base+i]; c.move < 0 || z.Has(c.move) {
			r.Replies = append(r.Replies, Reply{c.move, c.proof})
			r.Free = r.Free && s.record(c.proof).free
		}
	}
	if p.Ban != NoBan && z.Has(p.Ban) {
		r.Free = false
	}
	s.scratch = r.Replies
	return s.keep(r)
}

// Known returns the number of a state's proof, -1 without one.
func (s *Search) Known(c Contest, p *Position) int32 {
	s.contest = c
	free := s.freeKey(c, p)
	return s.find(free, s.key(free, p), p)
}

// Covers reports whether a proof holds for a state. The state must have the same stones in the zone, the same
// mover and the same uncaptured targets. Its threats, and its ban in the zone, must be no worse for the winner.
func (s *Search) Covers(at int32, p *Position) bool {
	r := s.record(at)
	if p.Mover != r.mover || p.left != r.left {
		return false
	}
	mine, yours, zone := s.sets.at(3*int(at), 1), s.sets.at(3*int(at)+1, 1), s.sets.at(3*int(at)+2, 1)
	for i, z := range zone {
		if ((p.Stones[0][i]^mine[i])|(p.Stones[1][i]^yours[i]))&z != 0 {
			return false
		}
	}
	w := r.goal.Winner()
	ban, its := banIn(p.Ban, zone), banIn(r.ban, zone)
	if ban != its && (p.Mover == w && ban != NoBan || p.Mover != w && its != NoBan) {
		return false
	}
	l := w.Other()
	return r.free || p.Threat[w] >= r.threat[w] && p.Threat[l] <= r.threat[l]
}

func banIn(ban int16, zone []uint64) int16 {
	if ban != NoBan && zone[ban>>6]>>(ban&63)&1 != 0 {
		return ban
	}
	return NoBan
}
