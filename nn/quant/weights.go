package quant

import "math"

// quantizedWeights are a convolution's weights [out, ...] with a scale for each
// output channel and zero point 0.
type quantizedWeights struct {
	values []int8
	scales []float32
}

// quantizeWeights rounds weights of so many output channels to -most..most, in
// the scale that makes the least squared error for each channel.
func quantizeWeights(w []float32, out int, most int) quantizedWeights {
	q := quantizedWeights{values: make([]int8, len(w)), scales: make([]float32, out)}
	n := len(w) / out
	for c := range out {
		row := w[c*n : (c+1)*n]
		scale := weightScale(row, float64(most))
		q.scales[c] = float32(scale)
		inv := 1 / float64(q.scales[c])
		for i, x := range row {
			q.values[c*n+i] = int8(clampRound(float64(x)*inv, float64(most)))
		}
	}
	return q
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
