package check

import (
	"cmp"
	"errors"
	"slices"
)

// winner computes the zone of a state where the winner moves: the zone of the state after the move;
// the move's point and its neighbours; captured stones and their neighbours; the loser's adjacent
// chains that stay, each with a liberty; and if the new stone has no liberty of its own, a chain that
// it joins, with a liberty. If the goal is deny, the zone is the whole fight.
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

// joins reports whether a move at p joins a chain that saves the move from suicide, and adds to z
// what keeps that chain on the board. The argument near has the neighbours of p.
func (b *board[W]) joins(s *state[W], near points[W], p int, z *points[W]) bool {
	for chain := range b.chains(s, s.mover, near) {
		if b.immortal(chain) || b.liberties(s, chain).count() > 1 {
			b.root(s, chain, p, z)
			return true
		}
	}
	return false
}

// root adds to z a chain and what keeps it on the board: a stone alive by assumption, or a liberty.
// The point in the argument but does not count as a liberty.
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

// anchor adds to z the stones of a chain that are not alive by assumption, and for each connected
// piece of these, one adjacent stone that is alive by assumption.
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

// heart returns the stones that must stay for the defender to win: the whole target, or if the attacker
// must capture all, one chain.
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

// closeZone extends z until a move of the loser outside z captures nothing in it, and a move inside
// has the same effect in all states that agree on z.
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

// holdChain extends z so that no single move outside z captures a winner's chain: by two liberties
// of the chain, or by all points around it if it has only one.
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

// sameMove adds to z the points that make the loser's move on p have the same effect in every
// state that equals s on z. For a suicide these are the points around the move's chain; for a capture of one stone,
// the points around p, which decide whether the retake is banned. If suicide is legal, z gets points that rule it out.
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

// safeZone returns the points that prove that the target is safe: its chains, the two smallest eyes of
// each, and in turn the chains around these eyes.
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

// held adds to z the stones next to an eye that are in chains with a stone alive by assumption. If
// such a stone is not itself assumed alive, held also calls the method anchor for its chain.
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
