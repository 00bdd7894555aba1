package check

// net encloses a room: the attacker's stones that are alive by assumption or joined to such
// stones, and the attacker's chains that cannot be prevented from joining them.
type net[W words] struct {
	wall  points[W] // alive by assumption or joined to such stones
	stone points[W] // stones of the net
	links points[W] // two liberties of each chain that is not joined yet
}

// linked finds the net of a state. A chain belongs to the net if it has two liberties, not needed by other chains,
// such that the attacker can join the chain to the net on one of them when the defender plays on the other. Either
// both liberties are next to the net, or one is and has only stones of the net and of the chain as neighbours: the
// defender cannot play there while the chain has the other liberty.
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

// link returns two of the free liberties that join a chain to the net; empty if there are none.
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

// doom proves that a chain of the target is doomed.
type doom[W words] struct {
	net  net[W]
	room points[W]
	own  points[W] // points of the chain if its capture decides, since they cannot become eyes then; else empty
}

// doomed reports whether one chain of the target dies whatever is played or, if the attacker must
// capture all, whether every chain does. shown, if not nil, gets the proof for each doomed chain.
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

// doomedZone returns the points on which the proof that the target is doomed depends. They are the
// attacker's chains that can always join the net, and their links; the walls next to the links and
// to the room, with the connections of these walls to stones alive by assumption; and the target's
// points that cannot be eyes. Other points of the room do not matter.
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
