package search

import (
	"math"
	"sync"
)

// Layout of the table of expected score values. Row i is for a mean of i-421.5 points from the
// centre, column j for a standard deviation of j points, both on a board with scale*sqrt(area) =
// 19; for other boards the arguments are rescaled.
const (
	scoreRows  = 842
	scoreCols  = 421
	scoreUnits = 19
	tailSteps  = 50 // the normal distribution is cut at 5 deviations, in steps of 0.1
)

// scoreTable returns the expectation of (2/pi)*atan(x/19) for a normally distributed x, by its mean and
// deviation in steps of a point. The table is made once, within tens of milliseconds.
var scoreTable = sync.OnceValue(func() *[scoreRows][scoreCols]float64 {
	// For row i and column j, atan is needed at 10*i - 4215 ± j*n tenths of a point: n/10 deviations from the mean.
	const reach = 10*scoreRows/2 + 5 + tailSteps*scoreCols
	atan := make([]float64, 2*reach+1)
	for k := range atan {
		atan[k] = 2 / math.Pi * math.Atan(float64(k-reach)/(10*scoreUnits))
	}
	var weights [tailSteps + 1]float64
	sum := 0.0
	for n := range weights {
		weights[n] = math.Exp(-float64(n*n) / 200)
		sum += weights[n]
		if n > 0 {
			sum += weights[n]
		}
	}
	for n := range weights {
		weights[n] /= sum
	}
	t := new([scoreRows][scoreCols]float64)
	for i := range t {
		center := reach + 10*i - 5*(scoreRows+1)
		for j := range t[i] {
			v := weights[0] * atan[center]
			for n := 1; n <= tailSteps; n++ {
				v += weights[n] * (atan[center+j*n] + atan[center-j*n])
			}
			t[i][j] = v
		}
	}
	return t
})

// scoreValue returns the expectation, over scores normally distributed with a
// mean and standard deviation in points, of (2/pi)*atan((score-center)/
// (scale*sqrtArea)): -1 to 1.
func scoreValue(mean, stdev, center, scale, sqrtArea float64) float64 {
	t := scoreTable()
	f := scoreUnits / (scale * sqrtArea)
	x, y := (mean-center)*f, stdev*f
	const half = scoreRows / 2
	nearest := math.Round(x)
	row, dx := int(max(min(nearest, 1e6), -1e6))+half, x-nearest+0.5
	col, dy := int(min(y, 1e6)), y-math.Floor(y)
	row, row1 := min(max(row, 0), scoreRows-1), min(max(row+1, 0), scoreRows-1)
	col, col1 := min(max(col, 0), scoreCols-1), min(max(col+1, 0), scoreCols-1)
	a, b := t[row][col], t[row][col1]
	c, d := t[row1][col], t[row1][col1]
	lower, upper := a+dy*(b-a), c+dy*(d-c)
	return lower + dx*(upper-lower)
}

// scoreSlope returns the derivative of scoreValue by the mean, at a deviation of 0.
func scoreSlope(mean, center, scale, sqrtArea float64) float64 {
	k := scale * sqrtArea
	d := mean - center
	return 2 / math.Pi * k / (k*k + d*d)
}

// staticScale is the width of the static score term, in units of sqrt(area).
const staticScale = 2.0

// valuer turns results and scores into utilities, for one search, during which the centre of the
// dynamic score term is fixed.
type valuer struct {
	u        Utility
	b        Backup
	sqrtArea float64
	center   float64 // centre of the dynamic score term, points
	scores   bool    // the network predicts scores; otherwise only results count
}

// setCenter puts the dynamic score term around an expected score.
func (v *valuer) setCenter(expected float64) {
	width := v.u.DynamicCenterScale * v.sqrtArea
	c := expected * (1 - v.u.DynamicCenterZeroWeight)
	v.center = max(min(c, expected+width), expected-width)
}

// radius is the largest possible utility.
func (v *valuer) radius() float64 {
	r := v.u.WinLossFactor
	if v.scores {
		r += v.u.StaticScoreFactor + v.u.DynamicScoreFactor
	}
	return r
}

// ofScore is the part of utility that comes from the score.
func (v *valuer) ofScore(mean, stdev float64) float64 {
	if !v.scores {
		return 0
	}
	u := 0.0
	if f := v.u.StaticScoreFactor; f != 0 {
		u += f * scoreValue(mean, stdev, 0, staticScale, v.sqrtArea)
	}
	if f := v.u.DynamicScoreFactor; f != 0 {
		u += f * scoreValue(mean, stdev, v.center, v.u.DynamicCenterScale, v.sqrtArea)
	}
	return u
}

// of returns the utility of an outcome, in White's view.
func (v *valuer) of(o *outcome) float64 {
	return float64(o.winLoss)*v.u.WinLossFactor + float64(o.noResult)*v.u.NoResultForWhite +
		v.ofScore(float64(o.scoreMean), o.stdev())
}

// stdev is the standard deviation of the score, in points.
func (o *outcome) stdev() float64 {
	m := float64(o.scoreMean)
	return math.Sqrt(max(0, float64(o.scoreMeanSq)-m*m))
}

// weight returns the weight of an evaluation from the errors that the network predicts for it:
// 0.25/(error + 0.25/8) by default, at most 8. The weight is 1 if an error is unknown (negative).
func (v *valuer) weight(scoreMean, errWinLoss, errScore float64) float64 {
	if !v.b.UseUncertainty || errWinLoss < 0 || errScore < 0 {
		return 1
	}
	e := v.u.WinLossFactor * errWinLoss
	if v.scores {
		slope := v.u.StaticScoreFactor*scoreSlope(scoreMean, 0, staticScale, v.sqrtArea) +
			v.u.DynamicScoreFactor*scoreSlope(scoreMean, v.center, v.u.DynamicCenterScale, v.sqrtArea)
		e += errScore * slope
	}
	if x := v.b.UncertaintyExponent; x != 1 {
		e = math.Pow(e, x)
	}
	return v.b.UncertaintyCoeff / (e + v.b.UncertaintyCoeff/v.b.UncertaintyMaxWeight)
}

// terminalWeight is the weight of one visit to the end of the game; weighted
// reports whether the network's evaluations are weighted by their errors.
func (v *valuer) terminalWeight(weighted bool) float64 {
	if weighted && v.b.UseUncertainty {
		return v.b.UncertaintyMaxWeight
	}
	return 1
}

// terminal returns the outcome of a game that ended with a score for White.
// wholePoints says that the result is an integer, so that draws are possible.
func (v *valuer) terminal(score float32, wholePoints bool) outcome {
	wins := v.u.DrawEquivalentWinsForWhite
	o := outcome{scoreMean: score, lead: score}
	switch {
	case score > 0:
		o.winLoss = 1
	case score < 0:
		o.winLoss = -1
	default:
		o.winLoss = float32(2*wins - 1)
	}
	s := float64(score)
	o.scoreMeanSq = float32(s * s)
	if wholePoints {
		mean := s + wins - 0.5
		o.scoreMean, o.lead = float32(mean), float32(mean)
		low, high := (s-0.5)*(s-0.5), (s+0.5)*(s+0.5)
		o.scoreMeanSq = float32(low + wins*(high-low))
	}
	return o
}
