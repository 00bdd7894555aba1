package check

import "slices"

// Stones of the two sides.
const (
	attacks byte = 1
	defends byte = 2
)

const noPoint = -1

// state is one state of the game.
type state struct {
	stones  []byte
	ban     int
	mover   byte
	left    uint8 // target chains not yet taken
	threats [3]int
}

func (s *state) clone() state {
	c := *s
	c.stones = append([]byte(nil), s.stones...)
	return c
}

// board is what never changes.
type board struct {
	near    [][]int
	fixed   []bool // stones alive by assumption
	suicide bool
	all     bool
	targets []int
	seen    []int // the last round that met a point
	round   int
	fight   points // what chains alive by assumption do not cut off from the targets
}

// newBoard has the point that row by row is number c be place[c].
func newBoard(w, h int, place []int) board {
	b := board{near: make([][]int, w*h), fixed: make([]bool, w*h), seen: make([]int, w*h)}
	for c, p := range place {
		if x := c % w; x > 0 {
			b.near[p] = append(b.near[p], place[c-1])
		}
		if x := c % w; x < w-1 {
			b.near[p] = append(b.near[p], place[c+1])
		}
		if c >= w {
			b.near[p] = append(b.near[p], place[c-w])
		}
		if c+w < w*h {
			b.near[p] = append(b.near[p], place[c+w])
		}
	}
	return b
}

// findFight floods from the targets; stones alive by assumption are reached but not
// crossed.
func (b *board) findFight(s *state) {
	b.fight = newPoints(len(b.near))
	list := append([]int(nil), b.targets...)
	for len(list) > 0 {
		p := list[len(list)-1]
		list = list[:len(list)-1]
		if b.fight.has(p) {
			continue
		}
		b.fight.add(p)
		if !b.fixed[p] {
			list = append(list, b.near[p]...)
		}
	}
}

// chain returns the stones of the chain on p.
func (b *board) chain(s *state, p int) []int {
	b.round++
	b.seen[p] = b.round
	list := []int{p}
	for i := 0; i < len(list); i++ {
		for _, q := range b.near[list[i]] {
			if s.stones[q] == s.stones[p] && b.seen[q] != b.round {
				b.seen[q] = b.round
				list = append(list, q)
			}
		}
	}
	return list
}

// stands reports whether a chain has a liberty or a stone alive by assumption.
func (b *board) stands(s *state, chain []int) bool {
	return b.immortal(chain) || len(b.liberties(s, chain)) > 0
}

func (b *board) immortal(chain []int) bool {
	for _, p := range chain {
		if b.fixed[p] {
			return true
		}
	}
	return false
}

// liberties returns the empty points next to a chain in rising order.
func (b *board) liberties(s *state, chain []int) (free []int) {
	b.round++
	for _, p := range chain {
		for _, q := range b.near[p] {
			if s.stones[q] == 0 && b.seen[q] != b.round {
				b.seen[q] = b.round
				free = append(free, q)
			}
		}
	}
	slices.Sort(free)
	return free
}

// effect is what a move did.
type effect struct {
	taken   [][]int // chains of the other side
	suicide []int   // own stones
}

// play plays p, or passes; ok is false where the move is not legal. A retake of the
// ban is paid.
func (b *board) play(s *state, p int) (e effect, ok bool) {
	me := s.mover
	other := 3 - me
	if p == passed {
		s.ban, s.mover = noPoint, other
		return e, true
	}
	if s.stones[p] != 0 {
		return e, false
	}
	if p == s.ban {
		if s.threats[me] == 0 {
			return e, false
		}
		if s.threats[me] != Endless {
			s.threats[me]--
		}
	}
	s.stones[p] = me
	total := 0
	for _, q := range b.near[p] {
		if s.stones[q] != other {
			continue
		}
		if chain := b.chain(s, q); !b.stands(s, chain) {
			e.taken = append(e.taken, chain)
			total += len(chain)
			b.lift(s, chain)
		}
	}
	own := b.chain(s, p)
	s.ban = noPoint
	switch {
	case !b.stands(s, own):
		if !b.suicide || len(own) == 1 {
			return e, false
		}
		e.suicide = own
		b.lift(s, own)
	case total == 1 && len(own) == 1 && len(b.liberties(s, own)) == 1 && !b.immortal(own):
		s.ban = e.taken[0][0]
	}
	s.mover = other
	return e, true
}

// lift takes a chain off the board.
func (b *board) lift(s *state, chain []int) {
	for _, p := range chain {
		for i, t := range b.targets {
			if t == p && s.stones[p] == defends {
				s.left &^= 1 << i
			}
		}
		s.stones[p] = 0
	}
}

// taken reports whether the attacker has what he wants.
func (b *board) taken(s *state) bool {
	return s.left == 0 || !b.all && int(s.left) != 1<<len(b.targets)-1
}

// regionOf is a connected set of points without a stone of the defender.
type regionOf struct {
	points []int
	border map[int]bool // numbers of the chains around it
	vital  map[int]bool // numbers of the chains that it may give an eye
}

// life is Benson's algorithm on a state.
type life struct {
	b       *board
	chains  [][]int
	number  []int // 1 + number of the chain on a point
	regions []regionOf
	alive   map[int]bool
}

func (b *board) benson(s *state) *life {
	l := &life{b: b, number: make([]int, len(b.near)), alive: map[int]bool{}}
	for p, c := range s.stones {
		if c != defends || l.number[p] != 0 {
			continue
		}
		chain := b.chain(s, p)
		l.chains = append(l.chains, chain)
		for _, q := range chain {
			l.number[q] = len(l.chains)
		}
		l.alive[len(l.chains)-1] = true
	}
	seen := make([]bool, len(b.near))
	for p, c := range s.stones {
		if c != defends && !seen[p] && b.fight.has(p) {
			l.regions = append(l.regions, l.region(s, p, seen))
		}
	}
	for again := true; again; {
		again = false
		for i, chain := range l.chains {
			if l.alive[i] && !b.immortal(chain) && len(l.eyes(i)) < 2 {
				delete(l.alive, i)
				again = true
			}
		}
	}
	return l
}

// region floods the region of p within the fight.
func (l *life) region(s *state, p int, seen []bool) regionOf {
	r := regionOf{border: map[int]bool{}}
	seen[p] = true
	r.points = []int{p}
	for i := 0; i < len(r.points); i++ {
		for _, q := range l.b.near[r.points[i]] {
			switch {
			case s.stones[q] == defends:
				r.border[l.number[q]-1] = true
			case !seen[q] && l.b.fight.has(q):
				seen[q] = true
				r.points = append(r.points, q)
			}
		}
	}
	r.vital = map[int]bool{}
	for c := range r.border {
		r.vital[c] = true
	}
	for _, p := range r.points {
		if l.b.fixed[p] {
			r.vital = nil
			return r
		}
		if s.stones[p] != 0 && !l.b.suicide {
			continue
		}
		touched := map[int]bool{}
		for _, q := range l.b.near[p] {
			if s.stones[q] == defends {
				touched[l.number[q]-1] = true
			}
		}
		for c := range r.vital {
			if !touched[c] {
				delete(r.vital, c)
			}
		}
	}
	return r
}

// eyes returns the regions that give chain i an eye: vital to it, and with no chain
// around that is not alive.
func (l *life) eyes(i int) (out []int) {
	for j, r := range l.regions {
		ok := r.vital[i]
		for c := range r.border {
			ok = ok && l.alive[c]
		}
		if ok {
			out = append(out, j)
		}
	}
	return out
}

// safe reports whether the target is pass-alive or joined to a chain alive by
// assumption: all of it, or one chain of it where the attacker must take all.
func (b *board) safe(s *state) bool {
	l := b.benson(s)
	for i, t := range b.targets {
		if s.left>>i&1 != 0 && l.alive[l.number[t]-1] == b.all {
			return b.all
		}
	}
	return !b.all
}
