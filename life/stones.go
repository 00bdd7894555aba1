package life

import "math/bits"

// side is one of the two players of a question.
type side uint8

const (
	attacker side = iota
	defender
)

func (s side) other() side { return s ^ 1 }

const (
	pass   int16 = -1
	noBan  int16 = -1
	noMove int16 = -2
)

// endless threats; budgets are 0 to 3 or endless.
const endless = 4

// position is one state of the game of a question.
type position struct {
	stones [2]set
	hash   uint64 // of the stones
	ban    int16  // the point that the mover may not retake without a threat
	mover  side
	left   uint8    // the target chains not yet taken, a bit each
	threat [2]uint8 // threats of either side
}

// rules of a question that never change.
type game struct {
	area
	fixed   set // stones that are alive by assumption
	suicide bool
	all     bool
	targets []int16 // a stone of each target chain
	zobrist [2][maxPoints]uint64
	keys    [maxPoints + 1]uint64 // of bans
	benson  benson
	// Of the state looked at last: points where the target may still get eyes, 0 if nothing
	// encloses it, and how many regions are an eye already, 2 for more.
	space, eyes int
}

func (g *game) empty(p *position) set { return g.on.minus(p.stones[0]).minus(p.stones[1]) }

// chain returns the chain on q.
func (g *game) chain(p *position, c side, q int16) set {
	seed := single(q)
	return g.flood(&seed, &p.stones[c])
}

// immortal reports whether a chain holds a stone that is alive by assumption.
func (g *game) immortal(chain *set) bool { return chain.meets(&g.fixed) }

// effect is what a stone does.
type effect struct {
	taken   set // the other side's stones that it takes
	suicide set // own stones that go, the new one among them
	ban     int16
}

// effectOf returns what a stone of the mover on the empty point m does; legal is
// false where it would be a suicide that the rules forbid.
func (g *game) effectOf(p *position, m int16) (e effect, legal bool) {
	c := p.mover
	seed := single(m)
	near := g.around(&seed)
	near.remove(m)
	empty := g.empty(p)
	empty.remove(m)
	e.ban = noBan
	rest := near.and(p.stones[c.other()])
	for q := rest.first(); q >= 0; q = rest.first() {
		chain := g.chain(p, c.other(), q)
		rest = rest.minus(chain)
		around := g.around(&chain)
		if !around.meets(&empty) && !g.immortal(&chain) {
			e.taken = e.taken.or(chain)
		}
	}
	own := near.and(p.stones[c])
	if e.taken.empty() {
		if near.meets(&empty) {
			return e, true
		}
		mine := p.stones[c]
		mine.add(m)
		chain := g.flood(&seed, &mine)
		around := g.around(&chain)
		if around.meets(&empty) || g.immortal(&chain) {
			return e, true
		}
		if !g.suicide || own.empty() {
			return e, false
		}
		e.suicide = chain
		return e, true
	}
	if own.empty() && !near.meets(&empty) && e.taken.count() == 1 {
		e.ban = e.taken.first()
	}
	return e, true
}

// play makes a legal move whose effect is known, or a pass. A move on the ban costs
// a threat.
func (g *game) play(p *position, m int16, e *effect) {
	c := p.mover
	if m >= 0 {
		if m == p.ban && p.threat[c] != endless {
			p.threat[c]--
		}
		p.stones[c].add(m)
		p.hash ^= g.zobrist[c][m]
		if !e.taken.empty() {
			g.lift(p, c.other(), &e.taken)
		}
		if !e.suicide.empty() {
			g.lift(p, c, &e.suicide)
		}
		p.ban = e.ban
	} else {
		p.ban = noBan
	}
	p.mover = c.other()
}

// lift takes stones off the board.
func (g *game) lift(p *position, c side, gone *set) {
	p.stones[c] = p.stones[c].minus(*gone)
	for i, w := range gone {
		for ; w != 0; w &= w - 1 {
			p.hash ^= g.zobrist[c][i<<6|bits.TrailingZeros64(w)]
		}
	}
	if c == defender {
		for i, t := range g.targets {
			if gone.has(t) {
				p.left &^= 1 << i
			}
		}
	}
}

// taken reports whether the attacker has what he wants.
func (g *game) taken(p *position) bool {
	return p.left == 0 || !g.all && p.left != 1<<len(g.targets)-1
}

// region is a connected set of points without a stone of the defender.
type region struct {
	points set
	border set // defender's stones next to it
}

// safe reports whether the target is pass-alive (Benson 1976), or joined to a chain
// that is alive by assumption; all of it, or one chain where the attacker must take
// all. zone, if not nil, gets the points that show it.
func (g *game) safe(p *position, zone *set) bool {
	for i, t := range g.targets {
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
func (g *game) lives(p *position, t int16, zone *set) bool {
	if zone == nil && g.small() {
		chain := g.flood1(1<<t, p.stones[defender][0])
		return chain&g.fixed[0] != 0 || g.mayLive1(p, chain) && chain&g.passAlive1(p) != 0
	}
	chain := g.chain(p, defender, t)
	if g.immortal(&chain) {
		if zone != nil {
			*zone = zone.or(g.anchored(p, defender, chain))
		}
		return true
	}
	if !g.mayLive(p, &chain) {
		return false
	}
	b := &g.benson
	b.find(g, p)
	if !chain.meets(&b.alive) {
		return false
	}
	if zone != nil {
		b.zone(g, p, &chain, zone)
	}
	return true
}

// doomed reports whether the target dies whatever is played: where it may still get
// eyes no two points lie apart, since all others are next to attackers who are joined to
// such as are alive by assumption, or cannot be kept from that. All that is needed is to
// join those and to fill those. zone, if not nil, gets the points that show it.
func (g *game) doomed(p *position, zone *set) bool {
	if zone == nil && g.small() {
		return g.doomed1(p)
	}
	g.space = 0
	walls := g.walls(p)
	if walls.empty() {
		return false
	}
	net, links := g.linked(p, walls)
	closed := g.around(&net)
	open := g.on.minus(net)
	for i, t := range g.targets {
		if p.left>>i&1 == 0 {
			continue
		}
		chain := g.chain(p, defender, t)
		room := g.flood(&chain, &open)
		eyes := room.minus(closed)
		one := !g.all || p.left&(p.left-1) == 0
		if one {
			eyes = eyes.minus(chain)
		}
		g.space = eyes.count()
		dies := !room.meets(&g.fixed) && g.together(&eyes)
		if dies && zone != nil {
			*zone = zone.or(net.minus(walls)).or(links).or(g.wallsOf(p, room.or(links), walls))
			if one {
				*zone = zone.or(chain)
			}
		}
		if dies != g.all {
			return dies
		}
	}
	return g.all
}

// walls returns the attacker's stones that are joined to such as are alive by assumption.
func (g *game) walls(p *position) set {
	fixed := g.fixed.and(p.stones[attacker])
	return g.flood(&fixed, &p.stones[attacker])
}

// linked returns the walls with the attacker's chains that cannot be kept from joining
// them, and two liberties of each: links. If the defender plays on one, the attacker joins
// on the other. Both are next to what the chain joins; one alone is enough where a
// defender's stone on it would be suicide.
func (g *game) linked(p *position, walls set) (net, links set) {
	net = walls
	empty := g.empty(p)
	for changed := true; changed; {
		changed = false
		rest := p.stones[attacker].minus(net)
		for q := rest.first(); q >= 0; q = rest.first() {
			chain := g.chain(p, attacker, q)
			rest = rest.minus(chain)
			near := g.around(&net)
			libs := g.around(&chain).and(empty).minus(links)
			if pair, ok := g.link(&chain, &net, &libs, libs.and(near)); ok {
				net, links, changed = net.or(chain), links.or(pair), true
			}
		}
	}
	return net, links
}

// link returns two of a chain's free liberties that join it to the net, of which gates
// are those next to it.
func (g *game) link(chain, net, libs *set, gates set) (pair set, ok bool) {
	if gates.empty() || libs.count() < 2 {
		return pair, false
	}
	both := net.or(*chain)
	for rest := gates; ; {
		q := rest.first()
		if q < 0 {
			break
		}
		rest.remove(q)
		pair = single(q)
		near := g.around(&pair)
		near.remove(q)
		if near.within(&both) {
			other := libs.minus(pair)
			pair.add(other.first())
			return pair, true
		}
	}
	pair = single(gates.first())
	gates = gates.minus(pair)
	if gates.empty() {
		return pair, false
	}
	pair.add(gates.first())
	return pair, true
}

// together reports whether s has no two points that are not next to each other.
func (g *game) together(s *set) bool {
	switch s.count() {
	case 0, 1:
		return true
	case 2:
		one := single(s.first())
		near := g.around(&one)
		return s.within(&near)
	}
	return false
}

// wallsOf returns the walls next to a room and what ties them to stones alive by
// assumption.
func (g *game) wallsOf(p *position, room, walls set) (out set) {
	touched := g.around(&room).and(walls)
	out = touched
	for q := touched.first(); q >= 0; q = touched.first() {
		chain := g.chain(p, attacker, q)
		if part := touched.and(chain); !part.within(&g.fixed) {
			out = out.or(g.anchored(p, attacker, chain))
		}
		touched = touched.minus(chain)
	}
	return out
}

// mayLive reports whether two regions are vital to the chain: fewer make no life.
func (g *game) mayLive(p *position, chain *set) bool {
	out := g.on.minus(p.stones[defender])
	near := g.around(chain)
	rest := near.and(out)
	g.eyes = 0
	for q := rest.first(); q >= 0; q = rest.first() {
		seed := single(q)
		points := g.flood(&seed, &out)
		rest = rest.minus(points)
		if g.vital(p, &points, &near) {
			if g.eyes++; g.eyes == 2 {
				return true
			}
		}
	}
	return false
}

// vital reports whether a region is vital to a chain with these points around it: each
// empty point of it, where suicide is legal each point, is a liberty of the chain, and
// no stone in it is alive by assumption.
func (g *game) vital(p *position, points, near *set) bool {
	need := points.minus(*near)
	if !g.suicide {
		need = need.minus(p.stones[attacker])
	}
	return need.empty() && !points.meets(&g.fixed)
}

// anchored returns, of a chain that holds stones alive by assumption, the part that
// is not and one stone by assumption next to each of its pieces.
func (g *game) anchored(p *position, c side, chain set) (out set) {
	loose := chain.minus(g.fixed)
	out = loose
	held := chain.and(g.fixed)
	for q := loose.first(); q >= 0; q = loose.first() {
		seed := single(q)
		piece := g.flood(&seed, &loose)
		loose = loose.minus(piece)
		hold := g.around(&piece).and(held)
		out.add(hold.first())
	}
	return out
}

// mostRegions is how many regions are looked at: chains that would need others are not
// found to be alive.
const mostRegions = 64

// benson finds what is pass-alive of the defender's. Its memory is used again.
type benson struct {
	alive   set // stones
	chains  []set
	regions []region
	vital   []uint64 // for each chain, the regions vital to it, a bit each
	live    []bool
	words   []uint64 // regions of fights of one word
}

func (b *benson) find(g *game, p *position) {
	b.chains, b.regions, b.vital, b.live = b.chains[:0], b.regions[:0], b.vital[:0], b.live[:0]
	mine := p.stones[defender]
	out := g.on.minus(mine)
	for rest := out; len(b.regions) < mostRegions; {
		q := rest.first()
		if q < 0 {
			break
		}
		seed := single(q)
		r := region{points: g.flood(&seed, &out)}
		rest = rest.minus(r.points)
		r.border = g.around(&r.points).and(mine)
		b.regions = append(b.regions, r)
	}
	for rest := mine; ; {
		q := rest.first()
		if q < 0 {
			break
		}
		c := g.chain(p, defender, q)
		rest = rest.minus(c)
		near := g.around(&c)
		vital := uint64(0)
		for j := range b.regions {
			if r := &b.regions[j]; r.border.meets(&c) && g.vital(p, &r.points, &near) {
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

// zone adds to zone what shows that the chain is pass-alive: chains, two vital
// regions of each, and in turn the chains around those.
func (b *benson) zone(g *game, p *position, chain, zone *set) {
	need := *chain
	done := make([]bool, len(b.chains))
	for again := true; again; {
		again = false
		for i := range b.chains {
			if done[i] || !need.meets(&b.chains[i]) {
				continue
			}
			done[i], again = true, true
			if g.immortal(&b.chains[i]) {
				touched := b.chains[i].and(need)
				*zone = zone.or(touched.and(g.fixed))
				if !touched.within(&g.fixed) {
					*zone = zone.or(g.anchored(p, defender, b.chains[i]))
				}
				continue
			}
			*zone = zone.or(b.chains[i])
			for _, j := range b.smallest(i) {
				*zone = zone.or(b.regions[j].points)
				need = need.or(b.regions[j].border)
			}
		}
	}
}

// smallest returns the two smallest regions that give chain i its life.
func (b *benson) smallest(i int) [2]int {
	out := [2]int{-1, -1}
	for w := b.vital[i]; w != 0; w &= w - 1 {
		j := bits.TrailingZeros64(w)
		if !b.regions[j].border.within(&b.alive) {
			continue
		}
		n := b.regions[j].points.count()
		switch {
		case out[0] < 0 || n < b.regions[out[0]].points.count():
			out[0], out[1] = j, out[0]
		case out[1] < 0 || n < b.regions[out[1]].points.count():
			out[1] = j
		}
	}
	return out
}
