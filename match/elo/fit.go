package elo

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Pair is player A's score against player B; players are numbered from 0, a win is one point and
// a draw half a point.
type Pair struct {
	A, B          int
	Points, Games float64
}

// scale turns Elo into natural logarithms of odds.
const scale = math.Ln10 / 400

// Scale holds the Elo ratings of players and the covariances of these ratings.
type Scale struct {
	Elo     []float64
	inverse mat.SymDense // inverse of the information matrix, in Elo squared
}

// Fit returns the most likely Elo numbers of n players and their 95 % errors, with one player
// fixed at 0. As a prior, each player has drawn two games against the mean of all, which pulls
// players with few games together.
func Fit(n int, pairs []Pair, zero int) (elo, errs []float64) {
	return Solve(n, pairs, 2).From(zero)
}

// From returns Elo numbers and their 95 % errors relative to one player, who has 0.
func (s *Scale) From(zero int) (elo, errs []float64) {
	elo, errs = make([]float64, len(s.Elo)), make([]float64, len(s.Elo))
	for i := range elo {
		elo[i] = s.Elo[i] - s.Elo[zero]
		errs[i] = z95 * math.Sqrt(max(0, s.Covariance(i, zero, i, zero)))
	}
	return elo, errs
}

// Solve finds the maximum-likelihood ratings of n players in the Bradley-Terry model by Newton's
// method. To keep ratings finite, each player is given some additional draws against the average
// player; the argument drawn is their number.
func Solve(n int, pairs []Pair, drawn float64) *Scale {
	s := &Scale{Elo: make([]float64, n)}
	for range 100 {
		gradient, hessian := eloSlope(s.Elo, pairs, drawn)
		var cholesky mat.Cholesky
		if !cholesky.Factorize(hessian) || cholesky.InverseTo(&s.inverse) != nil {
			break // reached only with non-finite numbers
		}
		var step mat.VecDense
		step.MulVec(&s.inverse, gradient)
		largest := 0.0
		for i := range s.Elo {
			d := max(-200, min(200, step.AtVec(i)))
			s.Elo[i] += d
			largest = max(largest, math.Abs(d))
		}
		if largest < 1e-6 {
			break
		}
	}
	return s
}

// Covariance returns the covariance of the rating difference between players i and j with that between
// players k and l.
func (s *Scale) Covariance(i, j, k, l int) float64 {
	if s.inverse.IsEmpty() {
		return 0
	}
	at := s.inverse.At
	return at(i, k) - at(i, l) - at(j, k) + at(j, l)
}

// Gain estimates by how much a number of new games between a and b lowers the variances of the
// rating differences between player zero and the players k for which counts[k] is true. Each
// reduction is weighted by the variance so far, so the least certain player counts most.
func (s *Scale) Gain(a, b, zero int, games float64, counts []bool) float64 {
	x := scoreOf(s.Elo[a] - s.Elo[b])
	w := scale * scale * games * x * (1 - x)
	w /= 1 + w*s.Covariance(a, b, a, b)
	sum := 0.0
	for k := range s.Elo {
		if !counts[k] {
			continue
		}
		c := s.Covariance(k, zero, a, b)
		sum += w * c * c * s.Covariance(k, zero, k, zero)
	}
	return sum
}

// eloSlope returns the gradient of the log likelihood and its negative Hessian,
// which is positive definite.
func eloSlope(elo []float64, pairs []Pair, drawn float64) (*mat.VecDense, *mat.SymDense) {
	n := len(elo)
	gradient, hessian := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	add := func(i, j int, x float64) { hessian.SetSym(i, j, hessian.At(i, j)+x) }
	mean := 0.0
	for _, e := range elo {
		mean += e / float64(n)
	}
	for _, p := range pairs {
		x := scoreOf(elo[p.A] - elo[p.B])
		d, w := scale*(p.Points-p.Games*x), scale*scale*p.Games*x*(1-x)
		gradient.SetVec(p.A, gradient.AtVec(p.A)+d)
		gradient.SetVec(p.B, gradient.AtVec(p.B)-d)
		add(p.A, p.A, w)
		add(p.B, p.B, w)
		add(p.A, p.B, -w)
	}
	for i, e := range elo {
		x := scoreOf(e - mean)
		gradient.SetVec(i, gradient.AtVec(i)+scale*drawn*(0.5-x))
		add(i, i, scale*scale*drawn*x*(1-x))
	}
	return gradient, hessian
}
