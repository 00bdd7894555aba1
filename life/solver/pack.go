package solver

// Cell is how a point of an area starts.
type Cell uint8

const (
	Outside      Cell = iota // no part of the fight
	Inside                   // a point where stones come and go
	FixedAttack              // a stone of the attacker's that is alive by assumption
	FixedDefence             // one of the defender's
)

// mostStep is how far apart neighbours lie at most where a fight is packed.
const mostStep = 24

// Pack lays a fight whose box is too large for one word out anew, so that it fits in
// one if possible: points that take part lie where those that take none would. The cells are
// those of the box, row by row. It comes before any point is added.
//
// Neighbours are a step apart, and what is a step apart are neighbours, but for two
// kinds of pairs that change nothing: two stones that are alive by assumption, and
// such a stone with a point that has one of the same colour beside it anyway.
func (g *Game) Pack(cells []Cell) {
	if g.small() {
		return
	}
	k := &packing{w: g.w, cells: cells}
	n := 0
	for i, c := range cells {
		if c != Outside {
			k.points = append(k.points, i)
			n++
		}
	}
	if n > 64 {
		return
	}
	for sum := 3; sum <= 2*mostStep; sum++ {
		for x := max(1, sum-mostStep); x < sum && x <= mostStep; x++ {
			for _, y := range [2]int{sum - x, x - sum} {
				if x != y && x != -y && k.fits(x, y) {
					g.right, g.down = uint(x), uint(max(y, -y))
					g.sx, g.sy, g.origin = x, y, -k.least
					g.used, g.points = 1, 64
					return
				}
			}
		}
	}
}

type packing struct {
	w      int
	cells  []Cell
	points []int
	least  int
	at     [64]int // the point that lies there, and 1
}

// fits reports whether the fight fits in a word with such steps.
func (k *packing) fits(x, y int) bool {
	least, most := 1<<30, -1<<30
	for _, p := range k.points {
		at := x*(p%k.w) + y*(p/k.w)
		least, most = min(least, at), max(most, at)
	}
	if most-least >= len(k.at) {
		return false
	}
	k.least = least
	clear(k.at[:])
	for _, p := range k.points {
		at := x*(p%k.w) + y*(p/k.w) - least
		if k.at[at] != 0 {
			return false
		}
		k.at[at] = p + 1
	}
	for i, p := range k.at {
		if p == 0 {
			continue
		}
		for _, step := range [2]int{x, max(y, -y)} {
			if i+step < len(k.at) && k.at[i+step] != 0 && !k.beside(p-1, k.at[i+step]-1) {
				return false
			}
		}
	}
	return true
}

// beside reports whether two points are next to each other, or nothing changes if they were.
func (k *packing) beside(p, q int) bool {
	a, b := k.cells[p], k.cells[q]
	switch {
	case a != Inside && b != Inside:
		return true
	case b == Inside && a != Inside:
		return k.has(q, a) || k.next(p, q)
	case a == Inside && b != Inside:
		return k.has(p, b) || k.next(p, q)
	}
	return k.next(p, q)
}

func (k *packing) next(p, q int) bool {
	dx, dy := p%k.w-q%k.w, p/k.w-q/k.w
	return dx*dx+dy*dy == 1
}

// has reports whether a cell of a kind is next to a point.
func (k *packing) has(p int, c Cell) bool {
	x := p % k.w
	return x > 0 && k.cells[p-1] == c || x+1 < k.w && k.cells[p+1] == c ||
		p >= k.w && k.cells[p-k.w] == c || p+k.w < len(k.cells) && k.cells[p+k.w] == c
}
