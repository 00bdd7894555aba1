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

// pairBound is how large the sum of two weights may be whose products with
// unsigned bytes are added up in 16 bits: 255*128 <= 32767. Weights of different
// signs are always below it.
const pairBound = 128

// partners returns, for each weight [in, kernel] of a layer's filters, the other
// one whose product goes into the same 16 bits, -1 for none. onnxruntime takes
// two at a time of the reduction, which goes over the kernel's places and at each
// over its channels, padding included.
func partners(inputs, kernel, channels int) []int {
	out := make([]int, inputs*kernel)
	for i := range out {
		other := (i%kernel*channels + i/kernel) ^ 1
		out[i] = -1
		if c, place := other%channels, other/channels; c < inputs && place < kernel {
			out[i] = c*kernel + place
		}
	}
	return out
}

// limits are what the steps of a filter's weights keep to.
type limits struct {
	most    int    // of the whole steps of each weight
	fine    []bool // which weights are rounded to fractions of a step; nil: none
	partner []int  // with which weight's the steps stay within pairBound together, -1 for none; nil: none
}

// quantizeWeights rounds weights of len(bias) output channels to steps within the
// limits, in the scale with the least squared error for each channel; fine weights
// to 126ths of a step.
//
// With a gram it then moves single weights up or down as long as that brings the
// outputs closer to those of the float weights over the calibration rows, and
// shifts the biases so that the outputs' means are kept. That is coordinate
// descent on the layer's squared error, the objective of Nagel et al., "Up or
// Down? Adaptive Rounding for Post-Training Quantization" (2020).
func quantizeWeights(w, bias []float32, l limits, a *gram) quantizedWeights {
	out := len(bias)
	n := len(w) / out
	fines := 0
	for _, f := range l.fine {
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
			r := rounder{limits: l, cov: cov, mean: mean, grad: make([]float32, n), q: make([]int, n)}
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
	limits
	cov  []float32 // of the numbers that the weights are multiplied by, or nil
	mean []float64
	grad []float32
	q    []int // in steps
}

// parts is how many steps a whole step is for weight i.
func (r *rounder) parts(i int) int {
	if r.fine != nil && r.fine[i] {
		return fineSteps
	}
	return 1
}

// other is the partner of weight i, -1 for none.
func (r *rounder) other(i int) int {
	if r.partner == nil {
		return -1
	}
	return r.partner[i]
}

// round finds scale and steps, and returns by how much the mean output moves.
func (r *rounder) round(row []float32) (scale, shift float64) {
	s := float64(float32(r.scale(row)))
	for i := range row {
		r.q[i] = r.nearest(row, i, s)
	}
	if r.cov == nil {
		return s, 0
	}
	r.descend(row, s)
	for i, x := range row {
		shift += (float64(r.q[i])*s/float64(r.parts(i)) - float64(x)) * r.mean[i]
	}
	return s, shift
}

// nearest returns the steps of weight i by itself; where it is too large together
// with its partner, both give way by half of what is too much.
func (r *rounder) nearest(row []float32, i int, scale float64) int {
	steps := func(i int) int {
		parts := r.parts(i)
		return clampRound(float64(row[i])/scale*float64(parts), r.most*parts)
	}
	q, k := steps(i), r.other(i)
	if k < 0 {
		return q
	}
	p := steps(k)
	over := max(q+p, -q-p) - pairBound
	switch give := (over + 1) / 2; {
	case over <= 0:
		return q
	case i > k: // of an odd number the first gives the larger half
		return q - sign(q)*(over-give)
	default:
		return q - sign(q)*give
	}
}

func sign(q int) int {
	if q < 0 {
		return -1
	}
	return 1
}

// scale looks for the scale with the least squared error. Where weights share
// sums it may be up to twice as large, so that fewer have to give way.
func (r *rounder) scale(row []float32) float64 {
	top := 0.0
	for _, x := range row {
		top = max(top, math.Abs(float64(x)))
	}
	if top < 1e-30 {
		return 1
	}
	first := 1.0
	if r.partner != nil {
		first = 2
	}
	full := top / float64(r.most)
	best, least := full*first, math.Inf(1)
	for k := 0; ; k++ {
		share := first - 0.02*float64(k)
		if share < 0.53 {
			return best
		}
		scale, sum := full*share, 0.0
		for i, x := range row {
			d := float64(r.nearest(row, i, scale))*scale/float64(r.parts(i)) - float64(x)
			sum += d * d
		}
		if sum < least {
			best, least = scale, sum
		}
	}
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
		fine[at] = int8(q - whole*fineSteps)
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
		step := s / float64(r.parts(i))
		axpy(r.grad, r.cov[i*n:(i+1)*n], float32(float64(r.q[i])*step-float64(x)))
	}
	const passes = 8
	for range passes {
		changed := false
		for i := range n {
			parts := r.parts(i)
			step := s / float64(parts)
			ideal := float64(r.q[i]) - float64(r.grad[i])/(float64(r.cov[i*n+i])*step)
			next := clampRound(ideal, r.most*parts)
			if k := r.other(i); k >= 0 {
				next = min(max(next, -pairBound-r.q[k]), pairBound-r.q[k])
			}
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

// clampRound rounds to the nearest whole number within -most..most.
func clampRound(x float64, most int) int {
	return int(min(max(math.RoundToEven(x), -float64(most)), float64(most)))
}
