package review

import (
	"cmp"
	"fmt"
	"slices"

	"kosumi/board"
)

// part is a region, connected also diagonally, whose ownership the mistake changed.
type part struct {
	points []board.Point
	sum    float64 // lost points
}

// partFrom is the least change of a point's ownership that counts, of 2.
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

// worth returns the points lost at some stones and in the regions that contain them.
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

// explains reports whether stones account for half of the loss.
func (k *mistake) explains(stones []board.Point) bool { return k.worth(stones) >= 0.5*k.loss }

// ownedFrom is the least ownership of a side's point.
const ownedFrom = 0.4

// turned describes how many points of the most costly region change owner. It is empty for
// fewer than three points, if neither move is near the region, or if the loss is uncertain.
func (k *mistake) turned() string {
	if len(k.parts) == 0 || k.err > 0.5*k.loss {
		return ""
	}
	big := slices.MaxFunc(k.parts, func(a, b part) int { return cmp.Compare(a.sum, b.sum) })
	flipped, opened, lost := 0, 0, 0 // ours to theirs, ours to nobody's, nobody's to theirs
	for _, p := range big.points {
		switch best, did := k.bestOwn[p], k.did[p]; {
		case best >= ownedFrom && did <= -ownedFrom:
			flipped++
		case best >= ownedFrom && did < ownedFrom:
			opened++
		case best > -ownedFrom && did <= -ownedFrom:
			lost++
		}
	}
	us, them := name(k.mover), name(k.mover.Opponent())
	where := k.region(big.points)
	if !k.near(big.points, k.best) && !k.near(big.points, k.played) {
		return "" // searches differ about it, not the moves
	}
	switch most := max(flipped, opened, lost); {
	case most < 3:
		return ""
	case flipped == most:
		return fmt.Sprintf(" %d points of the %s turn from %s's to %s's.", flipped, where, us, them)
	case opened == most:
		return fmt.Sprintf(" %d points of the %s are no longer %s's for sure.", opened, where, us)
	}
	return fmt.Sprintf(" %d open points of the %s become %s's.", lost, where, them)
}
