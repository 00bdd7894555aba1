package solver

// A zone is the set of points that a proof depends on. The proof also wins every state that has the same stones and
// the same ban on the zone, the same mover, and threats no worse for the winner. This follows by induction:
//
// If the winner moves, the zone contains the zone of the state after the move, and the points that make the move
// legal and give it the same effect. If the loser moves, the zone contains the zones of all replies and is closed: a
// move outside the zone captures nothing in it, and a move inside is illegal in all these states or has the same
// effect in all of them. So the winner can answer a move outside the zone as if it were a pass.

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
	l := p.Mover.Other()
	empty := g.Empty(p)
	empty.remove(m)
	z = z.Or(g.Around(&e.taken))
	// Chains of the loser next to m that m does not capture: m must not capture them in other
	// states either.
	for rest := near.And(p.Stones[l]).minus(e.taken); !rest.empty(); {
		chain := g.take(&rest, &p.Stones[l])
		z = z.Or(g.rooted(chain, &empty, &z))
	}
	if near.Meets(&empty) || !e.taken.empty() {
		return z
	}
	// The move is no suicide only because it joins a chain that has another liberty or is alive by assumption.
	return z.Or(g.joined(p, near, &empty, &z))
}

// rooted returns points that, added to z, keep a chain on the board. If the chain has a stone alive by assumption,
// they are the points of anchored; otherwise the chain and, if z has none of its liberties, one liberty. A chain may
// have no liberty here, since all of them can lie outside the area of a narrow question.
func (g *Game) rooted(chain Set, empty, z *Set) Set {
	if g.immortal(&chain) {
		return g.anchored(chain)
	}
	libs := g.Around(&chain).And(*empty)
	if at := libs.first(); at >= 0 && !libs.Meets(z) {
		chain.Add(at)
	}
	return chain
}

// joined returns points that show that a move is no suicide. It takes a chain that the move joins and that has
// another liberty or is alive by assumption, and returns the points of rooted for this chain. The argument near has
// the points next to the move, and empty has the points without a stone after the move.
func (g *Game) joined(p *Position, near Set, empty, z *Set) Set {
	own := &p.Stones[p.Mover]
	for rest := near.And(*own); !rest.empty(); {
		chain := g.take(&rest, own)
		around := g.Around(&chain)
		if g.immortal(&chain) || around.Meets(empty) {
			return g.rooted(chain, empty, z)
		}
	}
	return Set{}
}

// closed extends z until z is closed in the sense explained above. The loser is to move.
func (g *Game) closed(p *Position, z Set) Set {
	if g.small() && !g.suicide {
		return Set{g.closed1(p, z[0])}
	}
	w, l := p.Mover.Other(), p.Mover
	empty := g.Empty(p)
	for {
		before := z
		for rest := before.And(p.Stones[w]); !rest.empty(); {
			chain := g.take(&rest, &p.Stones[w])
			z = z.Or(g.held(p, chain, before, &z))
		}
		if g.suicide {
			for rest := z.And(p.Stones[l]); !rest.empty(); {
				chain := g.take(&rest, &p.Stones[l])
				z = z.Or(g.rooted(chain, &empty, &z))
			}
		}
		for x := range z.And(empty).All {
			z = z.Or(g.sameMove(p, x))
		}
		if z == before {
			return z
		}
	}
}

// held returns points to add to z so that no single move outside z captures the winner's chain: the chain and two of
// its liberties or, if it has only one, the chain and all points around it. A chain with a stone alive by assumption
// cannot be captured: it needs the points of anchored, and these only if touched has stones of it that are not alive
// by assumption themselves.
func (g *Game) held(p *Position, chain, touched Set, z *Set) Set {
	if g.immortal(&chain) {
		t := touched.And(chain)
		if t.within(&g.Fixed) {
			return t
		}
		return g.anchored(chain)
	}
	around := g.Around(&chain)
	libs := around.And(g.Empty(p))
	if libs.Count() < 2 {
		return around
	}
	have := libs.And(*z)
	for have.Count() < 2 {
		more := libs.minus(have)
		have.Add(more.first())
	}
	return chain.Or(have)
}

// sameMove returns points to add to the zone so that the loser's move on x, a point of the zone, has the same effect
// in all states that are equal on the zone.
func (g *Game) sameMove(p *Position, x int16) (out Set) {
	seed := Single(x)
	near := g.Around(&seed)
	e, legal := g.effectOf(p, x)
	if !legal || !e.suicide.empty() {
		own := &p.Stones[p.Mover]
		out = near.And(*own)
		out = g.flood(&out, own)
		return near.Or(g.Around(&out))
	}
	if e.ban != NoBan || g.takesOne(p, &e) {
		out = near // the stones on the points next to x decide whether basic ko bans the retake
	}
	if g.suicide {
		out = out.Or(g.noSuicide(p, x, near, &e))
	}
	return out
}

// takesOne reports whether a chain of a single stone is captured.
func (g *Game) takesOne(p *Position, e *effect) bool {
	for rest := e.taken; !rest.empty(); {
		chain := g.take(&rest, &e.taken)
		if chain.Count() == 1 {
			return true
		}
	}
	return false
}

// noSuicide returns the points that prove that the loser's move on x is not a suicide.
func (g *Game) noSuicide(p *Position, x int16, near Set, e *effect) (out Set) {
	empty := g.Empty(p)
	empty.remove(x)
	if free := near.And(empty); !free.empty() {
		return Single(free.first())
	}
	if !e.taken.empty() {
		return g.Around(&e.taken)
	}
	return g.joined(p, near, &empty, &out)
}
