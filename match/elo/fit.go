package elo

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Pair is the result of player A's games against player B; players are numbered from 0,
// a win is one point and a draw half a point.
type Pair struct {
	A, B          int
	Points, Games float64
}

// scale converts Elo into the natural logarithm of odds.
const scale = math.Ln10 / 400

// Fit returns the most likely Elo numbers of n players and their 95 % errors, player zero
// at 0: Newton's method on the likelihood of the Bradley-Terry model. Each player is given
// so many drawn games against the mean of all, which keeps numbers finite and pulls players
// with few games towards the mean.
func Fit(n int, pairs []Pair, zero int, drawn float64) (elo, errs []float64) {
	elo, errs = make([]float64, n), make([]float64, n)
	var covariance mat.SymDense // the inverse of the information
	for range 100 {
		gradient, hessian := eloSlope(elo, pairs, drawn)
		var cholesky mat.Cholesky
		if !cholesky.Factorize(hessian) || cholesky.InverseTo(&covariance) != nil {
			break // only where numbers are not finite
		}
		var step mat.VecDense
		step.MulVec(&covariance, gradient)
		largest := 0.0
		for i := range elo {
			d := max(-200, min(200, step.AtVec(i)))
			elo[i] += d
			largest = max(largest, math.Abs(d))
		}
		if largest < 1e-6 {
			break
		}
	}
	at, origin := covariance.At, elo[zero]
	for i := range elo {
		elo[i] -= origin
		if !covariance.IsEmpty() {
			errs[i] = z95 * math.Sqrt(max(0, at(i, i)-2*at(i, zero)+at(zero, zero)))
		}
	}
	return elo, errs
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
