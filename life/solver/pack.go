package solver

// mostStep is the largest difference between the numbers of two neighbouring points in a packed fight.
const mostStep = 24

// Pack tries to renumber the points of a fight so that they fit into one 64-bit word, if its box is too large for
// that. The argument marks the points of the fight in the box, row by row. Call Pack before any point is added.
//
// With the new numbers too, two points of the fight are neighbours if and only if their numbers differ by g.right or
// by g.down.
func (g *Game) Pack(in []bool) {
	if g.small() {
		return
	}
	k := &packing{w: g.w}
	for i, part := range in {
		if part {
			k.points = append(k.points, i)
		}
	}
	if len(k.points) > 64 {
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
	points []int
	least  int
	at     [64]int // for each bit, the point with this number plus 1; 0: none
}

// fits reports whether x*column + y*row can be the number of each point of the fight. The numbers must fit into a
// word, no two may be equal, and only those of points adjacent in the box may differ by |x| or |y|.
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
			if i+step < len(k.at) && k.at[i+step] != 0 && !k.next(p-1, k.at[i+step]-1) {
				return false
			}
		}
	}
	return true
}

func (k *packing) next(p, q int) bool {
	dx, dy := p%k.w-q%k.w, p/k.w-q/k.w
	return dx*dx+dy*dy == 1
}
