package check

// net holds the attacker's stones that enclose the defender: the walls, and the chains that the defender cannot keep
// from joining the walls.
type net[W words] struct {
	wall  points[W] // the walls: stones alive by assumption, and stones connected to them
	stone points[W] // all stones of the net, the walls included
	links points[W] // two liberties of each chain of the net that is no wall (see linked)
}

// linked finds the attacker's net. A chain joins the net by two links, which are liberties of this chain and not
// links of another: if the defender plays on one link, the attacker connects the chain on the other. Both links touch
// the net, or one has only stones of the net and of the chain as neighbours: the defender cannot play on that one
// while the chain has the other link as a liberty.
func (b *board[W]) linked(s *state[W]) (n net[W]) {
	mine := s.stones[attacks]
	n.wall = b.flood(b.fixed.and(mine), mine)
	n.stone = n.wall
	for again := true; again; {
		again = false
		for chain := range b.chains(s, attacks, mine.minus(n.stone)) {
			if pair := b.link(&n, chain, b.liberties(s, chain).minus(n.links)); !pair.empty() {
				n.links = n.links.or(pair)
				n.stone = n.stone.or(chain)
				again = true
			}
		}
	}
	return n
}

// link returns two points of free that can be the chain's links, none if there are no such points. The set free has
// the chain's liberties that are not links of other chains.
func (b *board[W]) link(n *net[W], chain, free points[W]) (pair points[W]) {
	gates := free.and(b.near(n.stone))
	if gates.empty() || free.count() < 2 {
		return pair
	}
	both := n.stone.or(chain)
	for rest := gates; !rest.empty(); {
		gate := single[W](rest.take())
		if b.near(gate).within(both) {
			return gate.or(single[W](free.minus(gate).first()))
		}
	}
	if gates.count() < 2 {
		return pair
	}
	pair.add(gates.take())
	pair.add(gates.take())
	return pair
}

// doom holds the proof that a chain of the target is doomed: the room cannot hold two eyes.
type doom[W words] struct {
	net  net[W]
	room points[W] // all points that the chain reaches without crossing the net
	own  points[W] // the chain, if its capture wins: then its points cannot become eyes; else empty
}

// doomed reports whether one chain of the target dies whatever is played; if the attacker must capture all, whether
// every chain does. If shown is not nil, doomed adds the proof for each doomed chain to it.
func (b *board[W]) doomed(s *state[W], shown *[]doom[W]) bool {
	d := doom[W]{net: b.linked(s)}
	for i, t := range b.targets {
		if s.left>>i&1 == 0 {
			continue
		}
		d.room = b.flood(single[W](t), b.fight.minus(d.net.stone))
		d.own = points[W]{}
		if !b.all || s.left&(s.left-1) == 0 {
			d.own = b.chain(s, defends, t)
		}
		dies := b.tooSmall(&d)
		if dies && shown != nil {
			*shown = append(*shown, d)
		}
		if dies != b.all {
			return dies
		}
	}
	return b.all
}

// tooSmall reports whether a room cannot hold two eyes: at most one of its points can be an eye, or
// only two adjacent points can.
func (b *board[W]) tooSmall(d *doom[W]) bool {
	if d.room.meets(b.fixed) {
		return false
	}
	eyes := d.room.minus(d.own).minus(b.near(d.net.stone))
	switch eyes.count() {
	case 0, 1:
		return true
	case 2:
		return eyes.within(b.around(single[W](eyes.first())))
	}
	return false
}

// doomedZone returns the points that prove that the target is doomed: doom.own, all links, the net's chains that are
// no walls, the stones of walls next to links or room, and what connects these to stones alive by assumption.
func (b *board[W]) doomedZone(s *state[W]) (z points[W]) {
	var shown []doom[W]
	b.doomed(s, &shown)
	for i := range shown {
		d := &shown[i]
		z = z.or(d.own).or(d.net.links).or(d.net.stone.minus(d.net.wall))
		touched := b.near(d.room.or(d.net.links)).and(d.net.wall)
		z = z.or(touched)
		for chain := range b.chains(s, attacks, touched.minus(b.fixed)) {
			b.anchor(chain, &z)
		}
	}
	return z
}
