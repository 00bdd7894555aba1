package solver

// A zone is the set of points that a proof depends on. The proof also wins every state that
// has the same stones and the same ban on the zone, the same mover, and threats no worse for
// the winner. By induction over the proof:
//
// If the winner moves, the zone contains that of the state after the move, and the points that
// make the move legal with the same effect. If the loser moves, it contains the zones of all
// replies, and is closed: a move outside captures nothing in it, a move inside has the same
// effect in both states, and an illegal move stays illegal. Then the answer to a pass answers
// every move outside.

// afterWin returns the zone of a state where the winner plays m; next is the zone of the state
// after it.
func (g *Game) afterWin(p *Position, m int16, e *effect, next Set) Set {
	z := next
	if m < 0 {
		return z
	}
	seed := Single(m)
	near := g.Around(&seed)
	z = z.Or(near)
	w, l := p.Mover, p.Mover.Other()
	empty := g.Empty(p)
	empty.remove(m)
	z = z.Or(g.Around(&e.taken))
	// Chains of the loser next to m that m does not capture: m must not capture them in other
	// states either.
	rest := near.and(p.Stones[l]).minus(e.taken)
	for q := rest.first(); q >= 0; q = rest.first() {
		chain := g.Chain(p, l, q)
		rest = rest.minus(chain)
		z = z.Or(g.rooted(p, l, chain, &empty, &z))
	}
	if near.Meets(&empty) || !e.taken.empty() {
		return z
	}
	// The move is no suicide because a chain that it joins has a liberty.
	own := near.and(p.Stones[w])
	for q := own.first(); q >= 0; q = own.first() {
		chain := g.Chain(p, w, q)
		own = own.minus(chain)
		around := g.Around(&chain)
		if g.immortal(&chain) || around.Meets(&empty) {
			return z.Or(g.rooted(p, w, chain, &empty, &z))
		}
	}
	return z
}

// rooted returns points that, added to z, keep a chain on the board: its connection to stones alive
// by assumption, or the chain, with a liberty if z has none. In a narrow question the liberties of a
// chain may lie outside.
func (g *Game) rooted(p *Position, c Side, chain Set, empty, z *Set) Set {
	if g.immortal(&chain) {
		return g.anchored(p, c, chain)
	}
	libs := g.Around(&chain).and(*empty)
	if at := libs.first(); at >= 0 && !libs.Meets(z) {
		chain.Add(at)
	}
	return chain
}

// closed returns z closed for the loser, who is to move.
func (g *Game) closed(p *Position, z Set) Set {
	if g.small() && !g.suicide {
		return Set{g.closed1(p, z[0])}
	}
	w, l := p.Mover.Other(), p.Mover
	empty := g.Empty(p)
	for {
		before := z
		rest := z.and(p.Stones[w])
		for q := rest.first(); q >= 0; q = rest.first() {
			chain := g.Chain(p, w, q)
			z = z.Or(g.held(p, chain, rest, &z))
			rest = rest.minus(chain)
		}
		if g.suicide {
			rest = z.and(p.Stones[l])
			for q := rest.first(); q >= 0; q = rest.first() {
				chain := g.Chain(p, l, q)
				rest = rest.minus(chain)
				z = z.Or(g.rooted(p, l, chain, &empty, &z))
			}
		}
		z.and(empty).each(func(x int16) bool {
			z = z.Or(g.sameMove(p, x))
			return true
		})
		if z == before {
			return z
		}
	}
}

// held returns the points that prevent the capture of a winner's chain by one move outside z: the
// chain and two liberties, or if it has only one liberty, all points around it.
func (g *Game) held(p *Position, chain, touched Set, z *Set) Set {
	if g.immortal(&chain) {
		t := touched.and(chain)
		if t.within(&g.Fixed) {
			return t
		}
		return g.anchored(p, p.Mover.Other(), chain)
	}
	around := g.Around(&chain)
	libs := around.and(g.Empty(p))
	if libs.Count() < 2 {
		return around
	}
	have := libs.and(*z)
	for have.Count() < 2 {
		more := libs.minus(have)
		have.Add(more.first())
	}
	return chain.Or(have)
}

// sameMove returns the points that give the loser's move on x, a point of the zone, the same
// effect in all states with the same zone.
func (g *Game) sameMove(p *Position, x int16) (out Set) {
	seed := Single(x)
	near := g.Around(&seed)
	e, legal := g.effectOf(p, x)
	l := p.Mover
	if !legal || !e.suicide.empty() {
		out = near
		own := near.and(p.Stones[l])
		for q := own.first(); q >= 0; q = own.first() {
			chain := g.Chain(p, l, q)
			own = own.minus(chain)
			out = out.Or(g.Around(&chain))
		}
		return out
	}
	if e.ban != NoBan || g.takesOne(p, &e) {
		out = near // decides whether a retake is banned
	}
	if g.suicide {
		out = out.Or(g.noSuicide(p, x, near, &e))
	}
	return out
}

// takesOne reports whether a chain of a single stone is captured.
func (g *Game) takesOne(p *Position, e *effect) bool {
	rest := e.taken
	for q := rest.first(); q >= 0; q = rest.first() {
		seed := Single(q)
		chain := g.flood(&seed, &e.taken)
		if chain == seed {
			return true
		}
		rest = rest.minus(chain)
	}
	return false
}

// noSuicide returns the points that prove that the loser's move on x is not a suicide.
func (g *Game) noSuicide(p *Position, x int16, near Set, e *effect) (out Set) {
	empty := g.Empty(p)
	empty.remove(x)
	if free := near.and(empty); !free.empty() {
		return Single(free.first())
	}
	if !e.taken.empty() {
		return g.Around(&e.taken)
	}
	own := near.and(p.Stones[p.Mover])
	for q := own.first(); q >= 0; q = own.first() {
		chain := g.Chain(p, p.Mover, q)
		own = own.minus(chain)
		around := g.Around(&chain)
		if g.immortal(&chain) || around.Meets(&empty) {
			return g.rooted(p, p.Mover, chain, &empty, &out)
		}
	}
	return out
}
