package solver

import "math/bits"

// effect holds the stones that a move removes, and the point that it bans.
type effect struct {
	taken   Set // captured stones
	suicide Set // the mover's stones removed by suicide, the new one included
	ban     int16
}

// effectOf returns the effect of the mover's move on the empty point m; legal is false for a
// suicide that the rules forbid.
func (g *Game) effectOf(p *Position, m int16) (e effect, legal bool) {
	c := p.Mover
	seed := Single(m)
	near := g.Around(&seed)
	near.remove(m)
	empty := g.Empty(p)
	empty.remove(m)
	e.ban = NoBan
	for rest := near.And(p.Stones[c.Other()]); !rest.empty(); {
		chain := g.take(&rest, &p.Stones[c.Other()])
		around := g.Around(&chain)
		if !around.Meets(&empty) && !g.immortal(&chain) {
			e.taken = e.taken.Or(chain)
		}
	}
	own := near.And(p.Stones[c])
	if e.taken.empty() {
		if near.Meets(&empty) {
			return e, true
		}
		mine := p.Stones[c]
		mine.Add(m)
		chain := g.flood(&seed, &mine)
		around := g.Around(&chain)
		if around.Meets(&empty) || g.immortal(&chain) {
			return e, true
		}
		if !g.suicide || own.empty() {
			return e, false
		}
		e.suicide = chain
		return e, true
	}
	if own.empty() && !near.Meets(&empty) && e.taken.Count() == 1 {
		e.ban = e.taken.first()
	}
	return e, true
}

// play plays a legal move with a known effect, or a pass. A move on the banned point costs a
// threat.
func (g *Game) play(p *Position, m int16, e *effect) {
	c := p.Mover
	if m >= 0 {
		if m == p.Ban {
			p.Threat[c], _ = g.spend(p.Threat[c], m)
		}
		p.Stones[c].Add(m)
		p.hash ^= g.zobrist[c][m]
		if !e.taken.empty() {
			g.lift(p, c.Other(), &e.taken)
		}
		if !e.suicide.empty() {
			g.lift(p, c, &e.suicide)
		}
		p.Ban = e.ban
	} else {
		p.Ban = NoBan
	}
	p.Mover = c.Other()
}

func (g *Game) lift(p *Position, c Side, gone *Set) {
	p.Stones[c] = p.Stones[c].minus(*gone)
	for i, w := range gone {
		for ; w != 0; w &= w - 1 {
			p.hash ^= g.zobrist[c][i<<6|bits.TrailingZeros64(w)]
		}
	}
	if c == Defender {
		for i, t := range g.Targets {
			if gone.Has(t) {
				p.left &^= 1 << i
			}
		}
	}
}

// taken reports whether the target is captured: every chain if the attacker must capture all,
// otherwise any one.
func (g *Game) taken(p *Position) bool {
	return p.left == 0 || !g.all && p.left != 1<<len(g.Targets)-1
}

// region is a connected set of points without a stone of the defender.
type region struct {
	points Set
	border Set // defender's stones next to the region
}

// safe reports whether every target chain is pass-alive (Benson 1976) or joined to a chain that is alive by
// assumption. If the attacker must capture all, one such chain is enough. If zone is not nil, safe adds to zone the
// points that prove the result.
func (g *Game) safe(p *Position, zone *Set) bool {
	for i, t := range g.Targets {
		if p.left>>i&1 == 0 {
			continue
		}
		lives := g.lives(p, t, zone)
		if lives == g.all {
			return lives
		}
	}
	return !g.all
}

// lives reports whether the target chain on t is safe.
func (g *Game) lives(p *Position, t int16, zone *Set) bool {
	if zone == nil && g.small() {
		chain := g.flood1(1<<t, p.Stones[Defender][0])
		return chain&g.Fixed[0] != 0 || g.mayLive1(p, chain) && chain&g.passAlive1(p) != 0
	}
	chain := g.Chain(p, Defender, t)
	if g.immortal(&chain) {
		if zone != nil {
			*zone = zone.Or(g.anchored(chain))
		}
		return true
	}
	if !g.mayLive(p, &chain) {
		return false
	}
	b := &g.benson
	b.find(g, p)
	if !chain.Meets(&b.alive) {
		return false
	}
	if zone != nil {
		b.zone(g, &chain, zone)
	}
	return true
}

// doomed reports whether the target dies whatever is played. The room of a target chain is all points that the chain
// reaches without crossing the net (see linked). Points next to the net cannot become eyes, nor can the chain's own
// points if its capture wins. The chain dies if at most one other point of the room is left, or two adjacent ones:
// the attacker connects the net and fills the room. If zone is not nil, doomed adds to zone the points that prove
// this.
func (g *Game) doomed(p *Position, zone *Set) bool {
	if zone == nil && g.small() {
		return g.doomed1(p)
	}
	g.space = 0
	walls := g.walls(p)
	if walls.empty() {
		return false
	}
	net, links := g.linked(p, walls)
	closed := g.Around(&net)
	open := g.On.minus(net)
	for i, t := range g.Targets {
		if p.left>>i&1 == 0 {
			continue
		}
		chain := g.Chain(p, Defender, t)
		room := g.flood(&chain, &open)
		eyes := room.minus(closed)
		one := !g.all || p.left&(p.left-1) == 0
		if one {
			eyes = eyes.minus(chain)
		}
		g.space = eyes.Count()
		dies := !room.Meets(&g.Fixed) && g.together(&eyes)
		if dies && zone != nil {
			*zone = zone.Or(net.minus(walls)).Or(links).Or(g.wallsOf(p, room.Or(links), walls))
			if one {
				*zone = zone.Or(chain)
			}
		}
		if dies != g.all {
			return dies
		}
	}
	return g.all
}

// walls returns the attacker's walls: its stones alive by assumption, and its stones connected to them.
func (g *Game) walls(p *Position) Set {
	fixed := g.Fixed.And(p.Stones[Attacker])
	return g.flood(&fixed, &p.Stones[Attacker])
}

// linked returns the net and its links. The net consists of the walls, and of the attacker's chains that the defender
// cannot keep from joining the walls. Two liberties of such a chain are its links: if the defender plays on one link,
// the attacker connects on the other. Both links touch the net, or one does and a defender's move there would be
// suicide.
func (g *Game) linked(p *Position, walls Set) (net, links Set) {
	net = walls
	empty := g.Empty(p)
	for changed := true; changed; {
		changed = false
		for rest := p.Stones[Attacker].minus(net); !rest.empty(); {
			chain := g.take(&rest, &p.Stones[Attacker])
			libs := g.Around(&chain).And(empty).minus(links)
			if pair, ok := g.link(&chain, &net, &libs, libs.And(g.Around(&net))); ok {
				net, links, changed = net.Or(chain), links.Or(pair), true
			}
		}
	}
	return net, links
}

// link returns the two links that join a chain to the net (see linked). libs are the chain's
// liberties that are not links yet, and gates those of libs that are next to the net.
func (g *Game) link(chain, net, libs *Set, gates Set) (pair Set, ok bool) {
	if gates.empty() || libs.Count() < 2 {
		return pair, false
	}
	both := net.Or(*chain)
	for rest := gates; !rest.empty(); {
		q := rest.first()
		rest.remove(q)
		pair = Single(q)
		near := g.Around(&pair)
		near.remove(q)
		if near.within(&both) {
			other := libs.minus(pair)
			pair.Add(other.first())
			return pair, true
		}
	}
	pair = Single(gates.first())
	gates = gates.minus(pair)
	if gates.empty() {
		return pair, false
	}
	pair.Add(gates.first())
	return pair, true
}

// together reports whether s has at most one point, or two points that are neighbours.
func (g *Game) together(s *Set) bool {
	switch s.Count() {
	case 0, 1:
		return true
	case 2:
		one := Single(s.first())
		near := g.Around(&one)
		return s.within(&near)
	}
	return false
}

// wallsOf returns the walls next to a room, and the stones that connect them to stones alive by assumption.
func (g *Game) wallsOf(p *Position, room, walls Set) (out Set) {
	touched := g.Around(&room).And(walls)
	out = touched
	for rest := touched; !rest.empty(); {
		chain := g.take(&rest, &p.Stones[Attacker])
		if part := touched.And(chain); !part.within(&g.Fixed) {
			out = out.Or(g.anchored(chain))
		}
	}
	return out
}

// mayLive reports whether at least two regions are vital to the chain. If not, the chain is not pass-alive.
func (g *Game) mayLive(p *Position, chain *Set) bool {
	out := g.On.minus(p.Stones[Defender])
	near := g.Around(chain)
	g.eyes = 0
	for rest := near.And(out); !rest.empty(); {
		points := g.take(&rest, &out)
		if g.vital(p, &points, &near) {
			if g.eyes++; g.eyes == 2 {
				return true
			}
		}
	}
	return false
}

// vital reports whether a region is vital to a chain: each empty point of the region (each point, if suicide is
// legal) is next to the chain, and no stone in the region is alive by assumption.
func (g *Game) vital(p *Position, points, near *Set) bool {
	need := points.minus(*near)
	if !g.suicide {
		need = need.minus(p.Stones[Attacker])
	}
	return need.empty() && !points.Meets(&g.Fixed)
}

// anchored returns the stones of a chain that are not alive by assumption. For each connected piece of these stones,
// it adds one stone next to the piece that is alive by assumption.
func (g *Game) anchored(chain Set) (out Set) {
	loose := chain.minus(g.Fixed)
	out = loose
	held := chain.And(g.Fixed)
	for rest := loose; !rest.empty(); {
		piece := g.take(&rest, &loose)
		hold := g.Around(&piece).And(held)
		out.Add(hold.first())
	}
	return out
}

// mostRegions is the largest number of regions that benson examines. It does not find life that needs other regions.
const mostRegions = 64

// benson holds the data with which find looks for the defender's pass-alive chains. All states use the same memory.
type benson struct {
	alive   Set // pass-alive stones
	chains  []Set
	regions []region
	vital   []uint64 // for each chain, a bit set of the regions vital to it
	live    []bool
	words   []uint64 // the regions, if the fight fits into a word
}

func (b *benson) find(g *Game, p *Position) {
	b.chains, b.regions, b.vital, b.live = b.chains[:0], b.regions[:0], b.vital[:0], b.live[:0]
	mine := p.Stones[Defender]
	out := g.On.minus(mine)
	for rest := out; !rest.empty() && len(b.regions) < mostRegions; {
		points := g.take(&rest, &out)
		b.regions = append(b.regions, region{points, g.Around(&points).And(mine)})
	}
	for rest := mine; !rest.empty(); {
		c := g.take(&rest, &mine)
		near := g.Around(&c)
		vital := uint64(0)
		for j := range b.regions {
			if r := &b.regions[j]; r.border.Meets(&c) && g.vital(p, &r.points, &near) {
				vital |= 1 << j
			}
		}
		b.chains, b.vital, b.live = append(b.chains, c), append(b.vital, vital), append(b.live, true)
	}
	b.alive = mine
	for changed := true; changed; {
		changed = false
		for i := range b.chains {
			if !b.live[i] || g.immortal(&b.chains[i]) {
				continue
			}
			eyes := 0
			for w := b.vital[i]; w != 0; w &= w - 1 {
				if b.regions[bits.TrailingZeros64(w)].border.within(&b.alive) {
					eyes++
				}
			}
			if eyes < 2 {
				b.live[i], changed = false, true
				b.alive = b.alive.minus(b.chains[i])
			}
		}
	}
}

// zone adds to the argument zone the points that prove that a chain is pass-alive: the chain, two regions vital to
// it, the chains around these regions, two regions vital to each of these chains, and so on.
func (b *benson) zone(g *Game, chain, zone *Set) {
	need := *chain
	done := make([]bool, len(b.chains))
	for again := true; again; {
		again = false
		for i := range b.chains {
			if done[i] || !need.Meets(&b.chains[i]) {
				continue
			}
			done[i], again = true, true
			if g.immortal(&b.chains[i]) {
				touched := b.chains[i].And(need)
				*zone = zone.Or(touched.And(g.Fixed))
				if !touched.within(&g.Fixed) {
					*zone = zone.Or(g.anchored(b.chains[i]))
				}
				continue
			}
			*zone = zone.Or(b.chains[i])
			for _, j := range b.smallest(i) {
				*zone = zone.Or(b.regions[j].points)
				need = need.Or(b.regions[j].border)
			}
		}
	}
}

// smallest returns the two smallest regions that are vital to chain i and have only pass-alive chains around them.
func (b *benson) smallest(i int) [2]int {
	out := [2]int{-1, -1}
	for w := b.vital[i]; w != 0; w &= w - 1 {
		j := bits.TrailingZeros64(w)
		if !b.regions[j].border.within(&b.alive) {
			continue
		}
		n := b.regions[j].points.Count()
		switch {
		case out[0] < 0 || n < b.regions[out[0]].points.Count():
			out[0], out[1] = j, out[0]
		case out[1] < 0 || n < b.regions[out[1]].points.Count():
			out[1] = j
		}
	}
	return out
}
