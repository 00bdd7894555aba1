package solver

// mostStep is how far apart neighbours lie at most where a fight is packed.
const mostStep = 24

// Pack rearranges a fight whose box is too large for one word, so that it fits in
// one if possible: points that take part lie where those that take none would. in says of the
// points of the box, row by row, whether they do. It comes before any point is added.
//
// Neighbours are a step apart, and what is a step apart are neighbours.
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
