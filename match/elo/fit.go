package elo

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Pair is what player A got in games against player B; players are numbered
// from 0, a win is a point and a draw half of one.
type Pair struct {
	A, B          int
	Points, Games float64
}

// Fit returns the most likely Elo numbers of n players and their 95 % errors,
// with one player fixed at 0: Newton's method on the likelihood of the
// Bradley-Terry model, with two drawn games of every player against the mean of
// all, which keeps numbers finite.
func Fit(n int, pairs []Pair, zero int) (elo, errs []float64) {
	elo = make([]float64, n)
	var inverse mat.SymDense
	for range 100 {
		gradient, hessian := eloSlope(elo, pairs)
		var cholesky mat.Cholesky
		if !cholesky.Factorize(hessian) || cholesky.InverseTo(&inverse) != nil {
			break // only where numbers are not finite
		}
		var step mat.VecDense
		step.MulVec(&inverse, gradient)
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
	base := elo[zero]
	errs = make([]float64, n)
	for i := range elo {
		elo[i] -= base
		if !inverse.IsEmpty() {
			errs[i] = z95 * math.Sqrt(max(0, inverse.At(i, i)+inverse.At(zero, zero)-2*inverse.At(i, zero)))
		}
	}
	return elo, errs
}

// eloSlope returns the gradient of the log likelihood and its negative Hessian,
// which is positive definite.
func eloSlope(elo []float64, pairs []Pair) (*mat.VecDense, *mat.SymDense) {
	const (
		scale   = math.Ln10 / 400
		virtual = 2.0
	)
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
		gradient.SetVec(i, gradient.AtVec(i)+scale*virtual*(0.5-x))
		add(i, i, scale*scale*virtual*x*(1-x))
	}
	return gradient, hessian
}
