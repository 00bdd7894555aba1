package check

import "slices"

// net is what encloses a room: the attacker's stones that are alive by assumption or
// joined to such, and his chains that cannot be kept from joining them.
type net struct {
	wall  []bool // alive by assumption or joined to such
	stone []bool // all of the net
	links []int  // two liberties of each chain that is not joined yet
}

// linked finds the net of a state. A chain is part of it if it has two liberties that no
// other chain of it needs, so that the attacker joins it on one if the defender plays on
// the other: both next to the net, or one alone whose neighbours are all of the net or of
// the chain, since the defender cannot play there while the chain has the other.
func (b *board) linked(s *state) *net {
	n := &net{wall: b.walls(s)}
	n.stone = slices.Clone(n.wall)
	for again := true; again; {
		again = false
		seen := slices.Clone(n.stone)
		for p, c := range s.stones {
			if c != attacks || seen[p] || !b.fight.has(p) {
				continue
			}
			chain := b.chain(s, p)
			for _, q := range chain {
				seen[q] = true
			}
			free := slices.DeleteFunc(b.liberties(s, chain), func(l int) bool { return slices.Contains(n.links, l) })
			if pair := b.link(n, chain, free); pair != nil {
				n.links = append(n.links, pair...)
				for _, q := range chain {
					n.stone[q] = true
				}
				again = true
			}
		}
	}
	return n
}

// link returns two of the free liberties that join a chain to the net, nil if there are
// none.
func (b *board) link(n *net, chain, free []int) []int {
	if len(free) < 2 {
		return nil
	}
	var gates []int
	for _, l := range free {
		if slices.ContainsFunc(b.near[l], func(q int) bool { return n.stone[q] }) {
			gates = append(gates, l)
		}
	}
	for _, l := range gates {
		if !slices.ContainsFunc(b.near[l], func(q int) bool { return !n.stone[q] && !slices.Contains(chain, q) }) {
			if free[0] == l {
				return []int{l, free[1]}
			}
			return []int{l, free[0]}
		}
	}
	if len(gates) < 2 {
		return nil
	}
	return gates[:2]
}

// doomed reports whether the target dies whatever is played: all of it, or one chain
// where one is enough. show is called with what shows it.
func (b *board) doomed(s *state, show func(n *net, target int, room []int)) bool {
	n := b.linked(s)
	for i, t := range b.targets {
		if s.left>>i&1 == 0 {
			continue
		}
		around := b.roomOf(t, n)
		dies := b.tooSmall(s, t, around, n)
		if dies {
			show(n, t, around)
		}
		if dies != b.all {
			return dies
		}
	}
	return b.all
}

// tooSmall reports whether a room has no place for two eyes: no two of its points that
// lie apart and are not next to the net. A chain's own points give it none, unless others
// have to be taken too.
func (b *board) tooSmall(s *state, target int, room []int, n *net) bool {
	own := b.ownPoints(s, target)
	var eyes []int
	for _, p := range room {
		if b.fixed[p] {
			return false
		}
		if !slices.Contains(own, p) && !slices.ContainsFunc(b.near[p], func(q int) bool { return n.stone[q] }) {
			eyes = append(eyes, p)
		}
	}
	for _, p := range eyes {
		for _, q := range eyes {
			if p != q && !slices.Contains(b.near[p], q) {
				return false
			}
		}
	}
	return true
}

// ownPoints returns the points of a target chain, none where others have to be taken too.
func (b *board) ownPoints(s *state, target int) []int {
	if b.all && s.left&(s.left-1) != 0 {
		return nil
	}
	return b.chain(s, target)
}

// walls marks the attacker's stones that are alive by assumption or joined to such.
func (b *board) walls(s *state) []bool {
	wall := make([]bool, len(b.near))
	for p, c := range s.stones {
		if c == attacks && b.fixed[p] && !wall[p] {
			for _, q := range b.chain(s, p) {
				wall[q] = true
			}
		}
	}
	return wall
}

// roomOf returns what is connected with p by points that are not of the net.
func (b *board) roomOf(p int, n *net) []int {
	seen := make([]bool, len(b.near))
	seen[p] = true
	room := []int{p}
	for i := 0; i < len(room); i++ {
		for _, q := range b.near[room[i]] {
			if !n.stone[q] && !seen[q] {
				seen[q] = true
				room = append(room, q)
			}
		}
	}
	return room
}

// doomedZone adds what shows that the target is doomed: the walls next to the room
// around it and to the links, with what ties them to stones alive by assumption, the
// chains that cannot be kept from joining those with their links, and where its own points
// do not count, the target. What stands elsewhere in the room does not matter.
func (f *file) doomedZone(s *state, z points) {
	f.b.doomed(s, func(n *net, target int, room []int) {
		z.addAll(f.b.ownPoints(s, target))
		z.addAll(n.links)
		for p, in := range n.stone {
			if in && !n.wall[p] {
				z.add(p)
			}
		}
		for _, p := range append(room, n.links...) {
			for _, q := range f.b.near[p] {
				if !n.wall[q] || z.has(q) {
					continue
				}
				z.add(q)
				if !f.b.fixed[q] {
					f.anchor(f.b.chain(s, q), z)
				}
			}
		}
	})
}
