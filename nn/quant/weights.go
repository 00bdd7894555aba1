package quant

import (
	"math"
	"runtime"
	"sync"
)

// quantizedWeights are a convolution's weights [out, ...] with a scale for each
// output channel and zero point 0, and the biases that go with them.
type quantizedWeights struct {
	values []int8
	scales []float32
	bias   []float32
}

// quantizeWeights rounds weights of len(bias) output channels to -most..most, in
// the scale with the least squared error for each channel.
//
// With a gram it then moves single weights up or down as long as that brings the
// outputs closer to those of the float weights over the calibration rows, and
// shifts the biases so that the outputs' means are kept. That is coordinate
// descent on the layer's squared error, the objective of Nagel et al., "Up or
// Down? Adaptive Rounding for Post-Training Quantization" (2020).
func quantizeWeights(w, bias []float32, most int, a *gram) quantizedWeights {
	out := len(bias)
	q := quantizedWeights{values: make([]int8, len(w)), scales: make([]float32, out), bias: append([]float32(nil), bias...)}
	n := len(w) / out
	var mean []float64
	var cov []float32
	if a != nil {
		mean = a.mean()
		cov = a.covariance(mean)
	}
	var work sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), out)
	for k := range workers {
		work.Go(func() {
			r := rounder{most: float64(most), cov: cov, mean: mean, grad: make([]float32, n)}
			for c := k; c < out; c += workers {
				shift := r.round(w[c*n:(c+1)*n], q.values[c*n:(c+1)*n], &q.scales[c])
				q.bias[c] -= float32(shift)
			}
		})
	}
	work.Wait()
	return q
}

// rounder rounds the weights of one output channel after another.
type rounder struct {
	most float64
	cov  []float32 // of the numbers that the weights are multiplied by, or nil
	mean []float64
	grad []float32
}

// round fills in q and scale, and returns by how much the mean output moves.
func (r *rounder) round(row []float32, q []int8, scale *float32) (shift float64) {
	*scale = float32(weightScale(row, r.most))
	s := float64(*scale)
	for i, x := range row {
		q[i] = int8(clampRound(float64(x)/s, r.most))
	}
	if r.cov == nil {
		return 0
	}
	r.descend(row, q, s)
	for i, x := range row {
		shift += (float64(q[i])*s - float64(x)) * r.mean[i]
	}
	return shift
}

// descend changes single weights while that lessens the squared error of the
// output: the error is d'Cd with d the weights' errors and C the covariance, and
// the best step for weight i alone is -(Cd)_i / C_ii.
func (r *rounder) descend(row []float32, q []int8, s float64) {
	n := len(row)
	clear(r.grad)
	for i, x := range row {
		axpy(r.grad, r.cov[i*n:(i+1)*n], float32(float64(q[i])*s-float64(x)))
	}
	const passes = 8
	for range passes {
		changed := false
		for i := range n {
			ideal := float64(q[i]) - float64(r.grad[i])/(float64(r.cov[i*n+i])*s)
			next := int8(clampRound(ideal, r.most))
			if next == q[i] {
				continue
			}
			axpy(r.grad, r.cov[i*n:(i+1)*n], float32(float64(next-q[i])*s))
			q[i] = next
			changed = true
		}
		if !changed {
			return
		}
	}
}

// axpy adds a*x to y.
func axpy(y, x []float32, a float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += a * x[i]
	}
}

func clampRound(x, most float64) float64 { return min(max(math.RoundToEven(x), -most), most) }

// weightScale looks for the scale with the least squared error.
func weightScale(row []float32, most float64) float64 {
	top := 0.0
	for _, x := range row {
		top = max(top, math.Abs(float64(x)))
	}
	if top < 1e-30 {
		return 1
	}
	best, least := top/most, math.Inf(1)
	for i := range 24 {
		scale := top / most * (1 - 0.02*float64(i))
		inv, sum := 1/scale, 0.0
		for _, x := range row {
			d := clampRound(float64(x)*inv, most)*scale - float64(x)
			sum += d * d
		}
		if sum < least {
			best, least = scale, sum
		}
	}
	return best
}
