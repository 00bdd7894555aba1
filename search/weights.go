package search

import (
	"math"
	"sync"
)

// child holds the data of one edge that are needed to average its parent.
type child struct {
	weight  float64 // the edge's weight, changed by pruning and value weighting
	utility float64 // from the view of the side to move at the parent
	prior   float64
}

// leastPrior replaces a prior of 0, to avoid a division by zero.
const leastPrior = 1e-30

// pruneNoise reduces the weight of each child that is worse than the children before it and was
// visited more than its prior justifies. The children are in order of creation. It returns the sum
// of the remaining weights.
func pruneNoise(children []child, scale, limit float64) float64 {
	var weight, weighted, prior float64
	for i := range children {
		c := &children[i]
		if i > 0 && weight > 0 && prior > 0 {
			gap := weighted/weight - c.utility
			if gap > 0 {
				lenient := 2 * weight * c.prior / prior
				if c.weight > lenient {
					c.weight -= min(limit, (c.weight-lenient)*(1-math.Exp(-gap/scale)))
				}
			}
		}
		weight += c.weight
		weighted += c.weight * c.utility
		prior += c.prior
	}
	return weight
}

// studentPoints is the number of points in studentTable; they go from -studentReach to studentReach.
const (
	studentPoints = 2000
	studentReach  = 50.0
)

// studentTable is the distribution function of Student's t with 3 degrees of
// freedom at equidistant points from -50 to 50, the ends set to 0 and 1.
var studentTable = sync.OnceValue(func() *[studentPoints]float64 {
	t := new([studentPoints]float64)
	for i := 1; i < studentPoints-1; i++ {
		z := studentReach * (2*float64(i)/(studentPoints-1) - 1)
		t[i] = studentClosed(z)
	}
	t[studentPoints-1] = 1
	return t
})

// studentClosed is the closed form of the distribution function.
func studentClosed(z float64) float64 {
	y := z / math.Sqrt(3)
	return 0.5 + (math.Atan(y)+y/(1+y*y))/math.Pi
}

// studentCDF reads the table, and interpolates between its points.
func studentCDF(t *[studentPoints]float64, z float64) float64 {
	x := (z + studentReach) * ((studentPoints - 1) / (2 * studentReach))
	switch {
	case !(x > 0):
		return 0
	case x >= studentPoints-1:
		return 1
	}
	i := int(x)
	return t[i] + (x-float64(i))*(t[i+1]-t[i])
}

// power returns x^exponent, faster for the usual exponents.
func power(x, exponent float64) float64 {
	switch exponent {
	case 0.25:
		return math.Sqrt(math.Sqrt(x))
	case 0.5:
		return math.Sqrt(x)
	}
	return math.Pow(x, exponent)
}

// weighByValue shifts weight to children that are better than average; the shift grows with the
// difference in standard deviations. The sum of the weights does not change.
func weighByValue(children []child, total, exponent float64) {
	if len(children) == 0 || total <= 0 {
		return
	}
	t := studentTable()
	mean := 0.0
	for i := range children {
		mean += children[i].weight * children[i].utility
	}
	mean /= total
	sum := 0.0
	for i := range children {
		c := &children[i]
		if c.weight <= 0 {
			continue
		}
		// The deviation is sqrt(1e-8 + 1/(1.5*sqrt(weight))).
		s := 1.5 * math.Sqrt(c.weight)
		z := (c.utility - mean) * math.Sqrt(s/(1+1e-8*s))
		c.weight *= power(studentCDF(t, z)+1e-4, exponent)
		sum += c.weight
	}
	if sum <= 0 {
		return
	}
	scale := total / sum
	for i := range children {
		children[i].weight *= scale
	}
}
