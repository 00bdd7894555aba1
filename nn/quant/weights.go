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
	fine   []int8 // [out, split planes, kernel]: parts of a step for split planes
	scales []float32
	bias   []float32
}

// fineColumns returns which weights of an output channel belong to split planes,
// nil for none.
func fineColumns(c *conv, split []int) []bool {
	if len(split) == 0 {
		return nil
	}
	fine := make([]bool, c.inputs*c.kernel)
	for _, p := range split {
		for k := range c.kernel {
			fine[p*c.kernel+k] = true
		}
	}
	return fine
}

// quantizeWeights rounds weights of len(bias) output channels to -most..most, in
// the scale with the least squared error for each channel; fine weights to
// 127ths of that.
//
// With a gram it then moves single weights up or down as long as that brings the
// outputs closer to those of the float weights over the calibration rows, and
// shifts the biases so that the outputs' means are kept. That is coordinate
// descent on the layer's squared error, the objective of Nagel et al., "Up or
// Down? Adaptive Rounding for Post-Training Quantization" (2020).
func quantizeWeights(w, bias []float32, most int, a *gram, fine []bool) quantizedWeights {
	out := len(bias)
	n := len(w) / out
	fines := 0
	for _, f := range fine {
		if f {
			fines++
		}
	}
	q := quantizedWeights{
		values: make([]int8, len(w)), fine: make([]int8, out*fines),
		scales: make([]float32, out), bias: append([]float32(nil), bias...),
	}
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
			r := rounder{most: float64(most), cov: cov, mean: mean, fine: fine, grad: make([]float32, n), q: make([]int, n)}
			for c := k; c < out; c += workers {
				scale, shift := r.round(w[c*n : (c+1)*n])
				q.scales[c] = float32(scale)
				q.bias[c] -= float32(shift)
				r.store(q.values[c*n:(c+1)*n], q.fine[c*fines:(c+1)*fines])
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
	fine []bool
	grad []float32
	q    []int // in steps
}

// step returns the step of weight i and the largest number of them.
func (r *rounder) step(i int, scale float64) (step, most float64) {
	if r.fine != nil && r.fine[i] {
		return scale / fineSteps, r.most * fineSteps
	}
	return scale, r.most
}

// round finds scale and steps, and returns by how much the mean output moves.
func (r *rounder) round(row []float32) (scale, shift float64) {
	s := float64(float32(weightScale(row, r.most)))
	for i, x := range row {
		step, most := r.step(i, s)
		r.q[i] = int(clampRound(float64(x)/step, most))
	}
	if r.cov == nil {
		return s, 0
	}
	r.descend(row, s)
	for i, x := range row {
		step, _ := r.step(i, s)
		shift += (float64(r.q[i])*step - float64(x)) * r.mean[i]
	}
	return s, shift
}

// store writes the steps as bytes.
func (r *rounder) store(values, fine []int8) {
	at := 0
	for i, q := range r.q {
		if r.fine == nil || !r.fine[i] {
			values[i] = int8(q)
			continue
		}
		whole := clampRound(float64(q)/fineSteps, r.most)
		values[i] = int8(whole)
		fine[at] = int8(q - int(whole)*fineSteps)
		at++
	}
}

// descend changes single weights while that lessens the squared error of the
// output: the error is d'Cd with d the weights' errors and C the covariance, and
// the best step for weight i alone is -(Cd)_i / C_ii.
func (r *rounder) descend(row []float32, s float64) {
	n := len(row)
	clear(r.grad)
	for i, x := range row {
		step, _ := r.step(i, s)
		axpy(r.grad, r.cov[i*n:(i+1)*n], float32(float64(r.q[i])*step-float64(x)))
	}
	const passes = 8
	for range passes {
		changed := false
		for i := range n {
			step, most := r.step(i, s)
			ideal := float64(r.q[i]) - float64(r.grad[i])/(float64(r.cov[i*n+i])*step)
			next := int(clampRound(ideal, most))
			if next == r.q[i] {
				continue
			}
			axpy(r.grad, r.cov[i*n:(i+1)*n], float32(float64(next-r.q[i])*step))
			r.q[i] = next
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
