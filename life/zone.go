package life

// A zone is what a proof depends on. A state that equals the proved one on the zone,
// with the same mover, the same ban there and no worse threats, is won by the same
// proof, whatever stands elsewhere. By induction over the proof:
//
// If the winner moves, the zone holds that of the position after the move, and
// what makes the move legal and its effect the same. If the loser moves, it holds
// those of all replies that were looked at, and is closed: a move outside takes
// nothing in it, a move inside does the same in both states, a move that is illegal
// stays so. Then each move outside is answered as a pass is.

// afterWin returns the zone of a state where the winner plays m, from the zone next
// of the state after it.
func (g *game) afterWin(p *position, m int16, e *effect, next set) set {
	z := next
	if m < 0 {
		return z
	}
	seed := single(m)
	near := g.around(&seed)
	z = z.or(near)
	w, l := p.mover, p.mover.other()
	empty := g.empty(p)
	empty.remove(m)
	z = z.or(g.around(&e.taken))
	// The loser's chains next to m that stay: m must not take them elsewhere either.
	rest := near.and(p.stones[l]).minus(e.taken)
	for q := rest.first(); q >= 0; q = rest.first() {
		chain := g.chain(p, l, q)
		rest = rest.minus(chain)
		z = z.or(g.rooted(p, l, chain, &empty, &z))
	}
	if near.meets(&empty) || !e.taken.empty() {
		return z
	}
	// The move is no suicide because a chain that it joins has a liberty.
	own := near.and(p.stones[w])
	for q := own.first(); q >= 0; q = own.first() {
		chain := g.chain(p, w, q)
		own = own.minus(chain)
		around := g.around(&chain)
		if g.immortal(&chain) || around.meets(&empty) {
			return z.or(g.rooted(p, w, chain, &empty, &z))
		}
	}
	return z
}

// rooted returns a chain with what keeps it on the board: one of its liberties in
// empty, one in z if possible, or a stone that is alive by assumption.
func (g *game) rooted(p *position, c side, chain set, empty, z *set) set {
	if g.immortal(&chain) {
		return g.anchored(p, c, chain)
	}
	libs := g.around(&chain).and(*empty)
	if !libs.meets(z) {
		chain.add(libs.first())
	}
	return chain
}

// closed returns z closed for the loser, who is to move.
func (g *game) closed(p *position, z set) set {
	if g.small() && !g.suicide {
		return set{g.closed1(p, z[0])}
	}
	w, l := p.mover.other(), p.mover
	empty := g.empty(p)
	for {
		before := z
		rest := z.and(p.stones[w])
		for q := rest.first(); q >= 0; q = rest.first() {
			chain := g.chain(p, w, q)
			z = z.or(g.held(p, chain, rest, &z))
			rest = rest.minus(chain)
		}
		if g.suicide {
			rest = z.and(p.stones[l])
			for q := rest.first(); q >= 0; q = rest.first() {
				chain := g.chain(p, l, q)
				rest = rest.minus(chain)
				z = z.or(g.rooted(p, l, chain, &empty, &z))
			}
		}
		z.and(empty).each(func(x int16) bool {
			z = z.or(g.sameMove(p, x))
			return true
		})
		if z == before {
			return z
		}
	}
}

// held returns what keeps a chain of the winner's from being taken by one move
// outside of z: the chain and two liberties, or all that is around it if it has only
// one.
func (g *game) held(p *position, chain, touched set, z *set) set {
	if g.immortal(&chain) {
		t := touched.and(chain)
		if t.within(&g.fixed) {
			return t
		}
		return g.anchored(p, p.mover.other(), chain)
	}
	around := g.around(&chain)
	libs := around.and(g.empty(p))
	if libs.count() < 2 {
		return around
	}
	have := libs.and(*z)
	for have.count() < 2 {
		more := libs.minus(have)
		have.add(more.first())
	}
	return chain.or(have)
}

// sameMove returns what makes the loser's move on x, a point of the zone, do the
// same wherever the zone is the same.
func (g *game) sameMove(p *position, x int16) (out set) {
	seed := single(x)
	near := g.around(&seed)
	e, legal := g.effectOf(p, x)
	l := p.mover
	if !legal || !e.suicide.empty() {
		out = near
		own := near.and(p.stones[l])
		for q := own.first(); q >= 0; q = own.first() {
			chain := g.chain(p, l, q)
			own = own.minus(chain)
			out = out.or(g.around(&chain))
		}
		return out
	}
	if e.ban != noBan || g.takesOne(p, &e) {
		out = near // whether the mover is banned from taking back
	}
	if g.suicide {
		out = out.or(g.noSuicide(p, x, near, &e))
	}
	return out
}

// takesOne reports whether a chain of a single stone is among what is taken.
func (g *game) takesOne(p *position, e *effect) bool {
	rest := e.taken
	for q := rest.first(); q >= 0; q = rest.first() {
		seed := single(q)
		chain := g.flood(&seed, &e.taken)
		if chain == seed {
			return true
		}
		rest = rest.minus(chain)
	}
	return false
}

// noSuicide returns what shows that the loser's stone on x stays, where suicide is
// legal.
func (g *game) noSuicide(p *position, x int16, near set, e *effect) (out set) {
	empty := g.empty(p)
	empty.remove(x)
	if free := near.and(empty); !free.empty() {
		return single(free.first())
	}
	if !e.taken.empty() {
		return g.around(&e.taken)
	}
	own := near.and(p.stones[p.mover])
	for q := own.first(); q >= 0; q = own.first() {
		chain := g.chain(p, p.mover, q)
		own = own.minus(chain)
		around := g.around(&chain)
		if g.immortal(&chain) || around.meets(&empty) {
			return g.rooted(p, p.mover, chain, &empty, &out)
		}
	}
	return out
}
