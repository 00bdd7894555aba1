package check

import (
	"cmp"
	"errors"
	"slices"
)

// winner computes the zone of a state where the winner moves: the zone of the state after the move; the move's point
// and its neighbours; captured stones and their neighbours; and the points of root for the loser's other chains next
// to the move. If the move is no suicide only because it joins a chain, the zone also has the points of root for one
// such chain. If the goal is deny, the zone is the whole fight.
func (f *proof[W]) winner(i int) error {
	n, s, b := &f.nodes[i], &f.states[i], &f.b
	a := n.answers[0]
	e, err := f.after(i, a)
	if err != nil {
		return err
	}
	if !e.suicide.empty() {
		return errors.New("the winner's move is suicide")
	}
	z := &f.zones[i]
	*z = f.zones[a.to]
	if f.goals[i] == Deny {
		*z = z.or(b.fight)
	}
	n.free = f.nodes[a.to].free && (a.move == passed || a.move != int(s.ban))
	if a.move == passed {
		return nil
	}
	stone := single[W](a.move)
	near := b.near(stone)
	*z = z.or(stone).or(near).or(b.around(e.taken))
	for chain := range b.chains(s, 1-s.mover, near.minus(e.taken)) {
		b.root(s, chain, a.move, z)
	}
	if !e.taken.empty() || near.meets(b.free(s)) {
		return nil
	}
	if !b.joins(s, near, a.move, z) {
		return errors.New("the winner's move is suicide")
	}
	return nil
}

// joins reports whether a move on p joins a chain that has another liberty or is alive by assumption, so that the
// move is no suicide. It adds to z what keeps that chain on the board. The argument near has the neighbours of p.
func (b *board[W]) joins(s *state[W], near points[W], p int, z *points[W]) bool {
	for chain := range b.chains(s, s.mover, near) {
		if b.immortal(chain) || b.liberties(s, chain).count() > 1 {
			b.root(s, chain, p, z)
			return true
		}
	}
	return false
}

// root adds to z what keeps a chain on the board: the points of anchor if a stone of the chain is alive by
// assumption, else the chain and a liberty. The argument but is a point that does not count as a liberty.
func (b *board[W]) root(s *state[W], chain points[W], but int, z *points[W]) {
	if b.immortal(chain) {
		b.anchor(chain, z)
		return
	}
	*z = z.or(chain)
	libs := b.liberties(s, chain)
	if but != noPoint {
		libs.drop(but)
	}
	if !libs.empty() && !libs.meets(*z) {
		z.add(libs.first())
	}
}

// anchor adds to z the stones of a chain that are not alive by assumption. For each connected piece of these stones,
// it adds one stone next to the piece that is alive by assumption.
func (b *board[W]) anchor(chain points[W], z *points[W]) {
	loose := chain.minus(b.fixed)
	for piece := range b.parts(loose, loose) {
		*z = z.or(piece)
		if hold := b.near(piece).and(chain).and(b.fixed); !hold.empty() {
			z.add(hold.first())
		}
	}
}

// loser computes the zone of a state where the loser moves, and checks that the pass and each legal
// move in the zone have an answer.
func (f *proof[W]) loser(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	z := &f.zones[i]
	moves, passes, err := answered[W](n)
	switch {
	case err != nil:
		return err
	case !passes:
		return errors.New("the loser's pass has no answer")
	}
	for _, a := range n.answers {
		if a.to == ended {
			continue
		}
		if _, err := f.after(i, a); err != nil {
			return err
		}
		if n.free = n.free && f.nodes[a.to].free; a.move == passed {
			*z = z.or(f.zones[a.to])
		}
	}
	if stopsPlay(f.goals[i]) {
		*z = z.or(f.b.heart(s))
	}
	if f.goals[i] == Deny {
		*z = z.or(f.b.fight)
	} else {
		for again := true; again; {
			f.b.closeZone(s, z)
			before := *z
			for _, a := range n.answers {
				if a.move != passed && z.has(a.move) {
					*z = z.or(f.zones[a.to])
				}
			}
			again = before != *z
		}
	}
	if s.ban != noPoint && z.has(int(s.ban)) {
		n.free = false
	}
	return f.unanswered(s, moves, *z)
}

// heart returns the stones that the defender must keep: the whole target, or one chain if the attacker must take all.
func (b *board[W]) heart(s *state[W]) (z points[W]) {
	for i, t := range b.targets {
		if s.left>>i&1 != 0 {
			z = z.or(b.chain(s, defends, t))
			if b.all {
				break
			}
		}
	}
	return z
}

// closeZone extends z until a move of the loser outside z captures nothing in z, and a move inside has the same
// effect in all states that agree on z.
func (b *board[W]) closeZone(s *state[W], z *points[W]) {
	l := s.mover
	empty := b.free(s)
	for {
		before := *z
		for chain := range b.chains(s, 1-l, before) {
			b.holdChain(s, chain, before, z)
		}
		if b.suicide {
			for chain := range b.chains(s, l, *z) {
				b.root(s, chain, noPoint, z)
			}
		}
		for rest := z.and(empty); !rest.empty(); {
			b.sameMove(s, rest.take(), z)
		}
		if before == *z {
			return
		}
	}
}

// holdChain adds to z the winner's chain and two of its liberties, or if it has only one, all points around it, so
// that no single move outside z captures the chain. A chain alive by assumption gets the points of anchor if
// necessary.
func (b *board[W]) holdChain(s *state[W], chain, touched points[W], z *points[W]) {
	if b.immortal(chain) {
		if !chain.and(touched).within(b.fixed) {
			b.anchor(chain, z)
		}
		return
	}
	libs := b.liberties(s, chain)
	*z = z.or(chain)
	if libs.count() < 2 {
		*z = z.or(b.around(chain))
		return
	}
	for have := libs.and(*z).count(); have < 2; have++ {
		z.add(libs.minus(*z).first())
	}
}

// sameMove adds points to z so that the loser's move on p has the same effect in all states that agree on z: for a
// suicide, the points around the chains that the move joins; for a capture of one stone, the points around p, which
// decide whether the retake is banned. If suicide is legal and the move is no suicide, z gets points that show this.
func (b *board[W]) sameMove(s *state[W], p int, z *points[W]) {
	next := *s
	next.ban = noPoint
	e, ok := b.play(&next, p)
	near := b.near(single[W](p))
	if !ok || !e.suicide.empty() {
		*z = z.or(near)
		for chain := range b.chains(s, s.mover, near) {
			*z = z.or(b.around(chain))
		}
		return
	}
	if b.takesSingle(&e) {
		*z = z.or(near)
	}
	if !b.suicide {
		return
	}
	if free := near.and(b.free(s)); !free.empty() {
		z.add(free.first())
		return
	}
	if !e.taken.empty() {
		*z = z.or(b.around(e.taken))
		return
	}
	var own points[W]
	b.joins(s, near, p, &own)
	*z = z.or(own)
}

// safeZone returns the points that prove that the target is safe: its chains, or one if the attacker must capture
// all; the two smallest eyes of each; the chains around these eyes; their eyes in turn; and so on.
func (b *board[W]) safeZone(s *state[W]) (z points[W]) {
	l := b.benson(s)
	for i, t := range b.targets {
		if s.left>>i&1 == 0 || !l.alive.has(t) {
			continue
		}
		l.zone(b.chain(s, defends, t), &z)
		if b.all {
			break
		}
	}
	return z
}

// zone adds to z the points that prove that a chain is alive.
func (l *life[W]) zone(target points[W], z *points[W]) {
	if l.b.immortal(target) {
		l.b.anchor(target, z)
		return
	}
	todo, done := target, points[W]{}
	for again := true; again; {
		again = false
		for _, chain := range l.chains {
			if !chain.meets(todo) || chain.meets(done) {
				continue
			}
			again = true
			done = done.or(chain)
			if l.b.immortal(chain) {
				continue // the method held adds this chain's stones next to eyes
			}
			*z = z.or(chain)
			eyes := slices.SortedStableFunc(l.eyes(chain), func(a, b *regionOf[W]) int { return cmp.Compare(a.points.count(), b.points.count()) })
			for _, r := range eyes[:2] {
				*z = z.or(r.points)
				todo = todo.or(r.border)
				l.held(r, z)
			}
		}
	}
}

// held adds to z the stones next to an eye that belong to chains with a stone alive by assumption. If such a stone is
// not alive by assumption itself, held also adds the points of anchor for its chain.
func (l *life[W]) held(r *regionOf[W], z *points[W]) {
	for _, chain := range l.chains {
		if touched := chain.and(r.border); !touched.empty() && l.b.immortal(chain) {
			*z = z.or(touched)
			if !touched.within(l.b.fixed) {
				l.b.anchor(chain, z)
			}
		}
	}
}
