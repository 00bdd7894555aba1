package review

import (
	"cmp"
	"slices"

	"kosumi/board"
)

// part is a region whose ownership the mistake changed. Diagonal neighbours are connected.
type part struct {
	points []board.Point
	sum    float64 // points lost in the region
}

// partFrom is the minimum change of a point's ownership that counts, on a scale of 0 to 2.
const partFrom = 0.2

// findParts finds the regions that the mistake lost.
func (k *mistake) findParts() {
	area := k.size.Area()
	k.diff, k.partOf = make([]float64, area), make([]int, area)
	for i := range k.diff {
		k.diff[i] = k.bestOwn[i] - k.did[i]
		k.partOf[i] = -1
	}
	for i := range k.diff {
		if k.diff[i] <= partFrom || k.partOf[i] >= 0 {
			continue
		}
		n := len(k.parts)
		k.partOf[i] = n
		found := []board.Point{board.Point(i)}
		sum := 0.0
		for at := 0; at < len(found); at++ {
			sum += k.diff[found[at]]
			x, y := k.size.XY(found[at])
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if x+dx < 0 || x+dx >= k.size.W || y+dy < 0 || y+dy >= k.size.H {
						continue
					}
					q := k.size.Point(x+dx, y+dy)
					if k.partOf[q] < 0 && k.diff[q] > partFrom {
						k.partOf[q] = n
						found = append(found, q)
					}
				}
			}
		}
		k.parts = append(k.parts, part{found, sum})
	}
}

// worth returns the points lost in all regions that contain any of the given stones, and at those of the
// given stones that lie outside all regions.
func (k *mistake) worth(stones []board.Point) float64 {
	sum := 0.0
	var counted []int
	for _, p := range stones {
		switch n := k.partOf[p]; {
		case n < 0:
			sum += k.diff[p]
		case !slices.Contains(counted, n):
			counted = append(counted, n)
			sum += k.parts[n].sum
		}
	}
	return sum
}

// bigPart returns the region with the largest loss. It returns nil if the region has less than half of the whole
// loss by any judgement of the ownership, or is far from both the better and the played move.
func (k *mistake) bigPart() *part {
	if len(k.parts) == 0 {
		return nil
	}
	big := slices.MaxFunc(k.parts, func(a, b part) int { return cmp.Compare(a.sum, b.sum) })
	if float64(len(big.points))*k.change(big.points) < 0.5*k.loss {
		return nil
	}
	if !k.near(big.points, k.best) && !k.near(big.points, k.played) {
		return nil
	}
	return &big
}

// groups returns the chains of a colour for which changed returns true, as clusters. It leaves out
// clusters that are far from both the better and the played move.
func (k *mistake) groups(color board.Color, changed func(chain []board.Point) bool) [][]board.Point {
	var all []board.Point
	for _, chain := range chainsOf(k.before, func(p board.Point) bool { return k.before.At(p) == color }) {
		if changed(chain) {
			all = append(all, chain...)
		}
	}
	return slices.DeleteFunc(k.clusters(all), func(g []board.Point) bool { return !k.near(g, k.best) && !k.near(g, k.played) })
}

// clusters splits points into clusters of points at most two lines apart.
func (k *mistake) clusters(points []board.Point) (list [][]board.Point) {
	rest := slices.Clone(points)
	slices.Sort(rest)
	for len(rest) > 0 {
		c := []board.Point{rest[0]}
		rest = rest[1:]
		for i := 0; i < len(c); i++ {
			rest = slices.DeleteFunc(rest, func(p board.Point) bool {
				if k.distance(c[i], p) > 2 {
					return false
				}
				c = append(c, p)
				return true
			})
		}
		slices.Sort(c)
		list = append(list, c)
	}
	return list
}

// mean returns the mean of a board's values over some points.
func mean(of []float64, points []board.Point) float64 {
	sum := 0.0
	for _, p := range points {
		sum += of[p]
	}
	return sum / float64(max(1, len(points)))
}

func (k *mistake) distance(p, q board.Point) int {
	px, py := k.size.XY(p)
	qx, qy := k.size.XY(q)
	return max(px-qx, qx-px) + max(py-qy, qy-py)
}

// near reports whether a move is close to one of some points.
func (k *mistake) near(points []board.Point, move board.Point) bool {
	return move >= 0 && slices.ContainsFunc(points, func(p board.Point) bool { return k.distance(p, move) <= max(3, k.size.W/3) })
}

// Region returns the key of the part of a board that some points lie in.
func Region(size board.Size, points []board.Point) string {
	x, y := 0.0, 0.0
	for _, p := range points {
		px, py := size.XY(p)
		x, y = x+float64(px)+0.5, y+float64(py)+0.5
	}
	x, y = x/float64(len(points))/float64(size.W), y/float64(len(points))/float64(size.H)
	third := func(v float64, low, high string) string {
		switch {
		case v < 1.0/3:
			return low
		case v > 2.0/3:
			return high
		}
		return ""
	}
	column, row := third(x, "left", "right"), third(y, "upper", "lower")
	switch {
	case column != "" && row != "":
		return row + "_" + column
	case column != "":
		return column
	case row != "":
		return row
	}
	return "centre"
}
