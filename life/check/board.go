package check

import (
	"iter"
	"slices"
)

// The two sides.
const (
	attacks uint8 = 0
	defends uint8 = 1
)

const noPoint = -1

// state is one state of the game.
type state[W words] struct {
	stones  [2]points[W]
	ban     int16
	mover   uint8
	left    uint8 // bit set of the target chains that are not captured
	threats [2]uint8
	again   uint8     // how many threats may be spent on points in spent; unbounded: all
	spent   points[W] // points on which a threat was spent so far; empty if again is unbounded
}

const unbounded = 255

// pays spends a threat of the mover on the banned point, and reports whether that was possible.
func (s *state[W]) pays() bool {
	left := &s.threats[s.mover]
	if *left == 0 {
		return false
	}
	if *left != Endless {
		*left--
	}
	switch {
	case s.again == unbounded:
	case s.spent.has(int(s.ban)) && s.again == 0:
		return false
	case *left == 0:
		s.again, s.spent = unbounded, points[W]{}
	case s.spent.has(int(s.ban)):
		s.again--
	default:
		s.spent.add(int(s.ban))
	}
	return true
}

// axis holds all pairs of neighbours in rows, or all pairs in columns. The set low has the point with the lower
// number of each pair, and step is the difference between the two numbers.
type axis[W words] struct {
	step uint
	low  points[W]
}

func (a *axis[W]) near(s points[W]) points[W] {
	return s.and(a.low).up(a.step).or(s.down(a.step).and(a.low))
}

// board is the constant part of a question.
type board[W words] struct {
	axes    [2]axis[W]
	fight   points[W] // points not separated from the targets by chains alive by assumption
	fixed   points[W] // stones alive by assumption
	suicide bool
	all     bool
	targets []int
	found   life[W]
}

// near returns the points of the fight that are next to points of s.
func (b *board[W]) near(s points[W]) points[W] {
	return b.axes[0].near(s).or(b.axes[1].near(s))
}

// around returns points and their neighbours.
func (b *board[W]) around(s points[W]) points[W] { return s.or(b.near(s)) }

// flood returns the set seed with all points that are connected to it through points of the set in.
func (b *board[W]) flood(seed, in points[W]) points[W] {
	for {
		next := seed.or(b.near(seed).and(in))
		if next == seed {
			return seed
		}
		seed = next
	}
}

func (b *board[W]) free(s *state[W]) points[W] {
	return b.fight.minus(s.stones[attacks]).minus(s.stones[defends])
}

func (b *board[W]) chain(s *state[W], side uint8, p int) points[W] {
	return b.flood(single[W](p), s.stones[side])
}

// parts yields the connected parts of the set in that contain points of seeds, a subset of in.
func (b *board[W]) parts(seeds, in points[W]) iter.Seq[points[W]] {
	return func(yield func(points[W]) bool) {
		for !seeds.empty() {
			part := b.flood(single[W](seeds.first()), in)
			seeds = seeds.minus(part)
			if !yield(part) {
				return
			}
		}
	}
}

// chains yields the chains of a side with stones in seeds.
func (b *board[W]) chains(s *state[W], side uint8, seeds points[W]) iter.Seq[points[W]] {
	return b.parts(seeds.and(s.stones[side]), s.stones[side])
}

// liberties returns the empty points next to a chain.
func (b *board[W]) liberties(s *state[W], chain points[W]) points[W] {
	return b.near(chain).and(b.free(s))
}

func (b *board[W]) immortal(chain points[W]) bool { return chain.meets(b.fixed) }

// stands reports whether a chain has a liberty or a stone alive by assumption.
func (b *board[W]) stands(s *state[W], chain points[W]) bool {
	return b.immortal(chain) || !b.liberties(s, chain).empty()
}

// effect is the effect of a move.
type effect[W words] struct {
	taken   points[W] // captured stones
	suicide points[W] // the mover's stones removed by suicide
}

// takesSingle reports whether a chain of one stone was captured.
func (b *board[W]) takesSingle(e *effect[W]) bool {
	return !e.taken.minus(b.near(e.taken)).empty()
}

// play plays p or passes; ok is false if the move is not legal. A move on the banned point costs a
// threat.
func (b *board[W]) play(s *state[W], p int) (e effect[W], ok bool) {
	me := s.mover
	other := 1 - me
	if p == passed {
		s.ban, s.mover = noPoint, other
		return e, true
	}
	stone := single[W](p)
	if !stone.meets(b.free(s)) {
		return e, false
	}
	if p == int(s.ban) && !s.pays() {
		return e, false
	}
	s.stones[me].add(p)
	for chain := range b.chains(s, other, b.near(stone)) {
		if !b.stands(s, chain) {
			e.taken = e.taken.or(chain)
		}
	}
	if !e.taken.empty() {
		b.lift(s, other, e.taken)
	}
	own := b.chain(s, me, p)
	s.ban = noPoint
	switch {
	case !b.stands(s, own):
		if !b.suicide || own == stone {
			return e, false
		}
		e.suicide = own
		b.lift(s, me, own)
	case own == stone && e.taken.count() == 1 && b.liberties(s, own).count() == 1 && !b.immortal(own):
		s.ban = int16(e.taken.first())
	}
	s.mover = other
	return e, true
}

func (b *board[W]) lift(s *state[W], side uint8, gone points[W]) {
	s.stones[side] = s.stones[side].minus(gone)
	if side != defends {
		return
	}
	for i, t := range b.targets {
		if gone.has(t) {
			s.left &^= 1 << i
		}
	}
}

// taken reports whether the target is captured: every chain if the attacker must capture all,
// otherwise any one.
func (b *board[W]) taken(s *state[W]) bool {
	return s.left == 0 || !b.all && int(s.left) != 1<<len(b.targets)-1
}

// regionOf is a connected set of points without a stone of the defender.
type regionOf[W words] struct {
	points points[W]
	border points[W] // defender's stones around the region
	need   points[W] // the region can be an eye of a chain only if all these points are next to the chain
	no     bool      // the region cannot be an eye of any chain
}

// life holds the data of Benson's algorithm for one state.
type life[W words] struct {
	b       *board[W]
	chains  []points[W]
	regions []regionOf[W]
	alive   points[W] // stones of chains that still may have two eyes
}

// benson finds the pass-alive chains. The next call reuses the result's memory.
func (b *board[W]) benson(s *state[W]) *life[W] {
	l := &b.found
	l.b, l.chains, l.regions, l.alive = b, l.chains[:0], l.regions[:0], s.stones[defends]
	l.chains = slices.AppendSeq(l.chains, b.chains(s, defends, b.fight))
	out := b.fight.minus(s.stones[defends])
	for part := range b.parts(out, out) {
		r := regionOf[W]{points: part, border: b.near(part).and(s.stones[defends]), no: part.meets(b.fixed), need: part}
		if !b.suicide {
			r.need = part.minus(s.stones[attacks])
		}
		l.regions = append(l.regions, r)
	}
	for again := true; again; {
		again = false
		for _, chain := range l.chains {
			if chain.within(l.alive) && !b.immortal(chain) && !l.lives(chain) {
				l.alive = l.alive.minus(chain)
				again = true
			}
		}
	}
	return l
}

// eye reports whether a region is an eye of a chain: the chain is next to the region and to all points of r.need, and
// all chains around the region may still have two eyes.
func (l *life[W]) eye(r *regionOf[W], chain, near points[W]) bool {
	return !r.no && r.border.meets(chain) && r.need.within(near) && r.border.within(l.alive)
}

// lives reports whether a chain has two eyes.
func (l *life[W]) lives(chain points[W]) bool {
	eyes := 0
	for range l.eyes(chain) {
		if eyes++; eyes == 2 {
			return true
		}
	}
	return false
}

// eyes yields the regions that are eyes of a chain.
func (l *life[W]) eyes(chain points[W]) iter.Seq[*regionOf[W]] {
	return func(yield func(*regionOf[W]) bool) {
		near := l.b.near(chain)
		for j := range l.regions {
			if r := &l.regions[j]; l.eye(r, chain, near) && !yield(r) {
				return
			}
		}
	}
}

// safe reports whether every target chain is pass-alive or joined to a chain alive by assumption. If the attacker
// must capture all, one such chain is enough.
func (b *board[W]) safe(s *state[W]) bool {
	l := b.benson(s)
	for i, t := range b.targets {
		if s.left>>i&1 != 0 && l.alive.has(t) == b.all {
			return b.all
		}
	}
	return !b.all
}
