package quant

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWeightScale(t *testing.T) {
	row := []float32{1.27, -0.64, 0.01, 0}
	require.InEpsilon(t, 0.01, weightScale(row, 127), 1e-6, "all are whole steps of 0.01")
	require.InEpsilon(t, 1.27/63, weightScale([]float32{1.27, -1.27, 0}, 63), 1e-6)
	require.Equal(t, 1.0, weightScale([]float32{0, 0}, 127))
}

func TestNearestWeights(t *testing.T) {
	w := []float32{1.27, -0.64, 0.01, 0 /**/, -12.7, 6.4, 0.14, 0.06}
	q := quantizeWeights(w, []float32{3, -4}, 127, nil, nil)
	require.Equal(t, []int8{127, -64, 1, 0 /**/, -127, 64, 1, 1}, q.values)
	require.InEpsilonSlice(t, []float32{0.01, 0.1}, q.scales, 1e-6)
	require.Equal(t, []float32{3, -4}, q.bias)
	require.Empty(t, q.fine)

	narrow := quantizeWeights(w, []float32{0, 0}, 63, nil, nil)
	for _, v := range narrow.values {
		require.LessOrEqual(t, max(v, -v), int8(63))
	}
}

// TestRoundingLooksAtTheOutputs has two inputs that are always equal, 2 on
// average, and weights of 0.4 steps for each: one of them is to be rounded up,
// since 1 is closer to 0.8 than 0 is.
func TestRoundingLooksAtTheOutputs(t *testing.T) {
	// Moments of (x, x, y, 1) where x is 1 or 3 and y, which is apart, 0.
	m := []float64{
		5, 5, 0, 2,
		5, 5, 0, 2,
		0, 0, 0, 0,
		2, 2, 0, 1,
	}
	a := &gram{n: 3, moments: m, samples: 1}
	require.Equal(t, []float64{2, 2, 0}, a.mean())
	cov := a.covariance(a.mean())
	damp := float32(0.01 * 2.0 / 3)
	require.InDeltaSlice(t, []float32{1 + damp, 1, 0, 1, 1 + damp, 0, 0, 0, damp}, cov, 1e-6)

	w := []float32{0.4, 0.4, 127}
	require.Equal(t, []int8{0, 0, 127}, quantizeWeights(w, []float32{0}, 127, nil, nil).values)
	q := quantizeWeights(w, []float32{5}, 127, a, nil)
	require.Equal(t, float32(1), q.scales[0])
	require.ElementsMatch(t, []int8{0, 1}, q.values[:2])
	// The mean output rose by (1 - 0.8)*2, which the bias takes back.
	require.InDelta(t, 5-0.4, q.bias[0], 1e-5)
}

// TestFineWeights splits a weight into whole steps and 127ths.
func TestFineWeights(t *testing.T) {
	w := []float32{127, 2.3622047, -0.0078740, 40.25}
	fine := []bool{false, true, true, true}
	q := quantizeWeights(w, []float32{0}, 127, nil, fine)
	require.Equal(t, float32(1), q.scales[0])
	require.Equal(t, []int8{127, 2, 0, 40}, q.values)
	require.Equal(t, []int8{46, -1, 32}, q.fine, "300, -1 and 5112 127ths")
	for i, f := range q.fine {
		require.InDelta(t, w[i+1], float64(q.values[i+1])+float64(f)/fineSteps, 0.5/fineSteps)
	}
}

func TestWeightOrders(t *testing.T) {
	// Two outputs, one input, a kernel of 1x2: patches in front, then outputs.
	require.Equal(t, []int8{1, 3, 2, 4}, patchOrder([]int8{1, 2, 3, 4}, []int64{2, 1, 1, 2}))
	padded, n := padInputs([]int8{1, 2, 3, 4}, []int64{2, 1, 1, 2}, 1)
	require.Equal(t, []int8{1, 2, 0, 0, 3, 4, 0, 0}, padded)
	require.Equal(t, int64(2), n)

	// Moments ordered by place, then channel, come into the order of weights:
	// channel, then place.
	a := &gram{n: 4, moments: make([]float64, 25)}
	for i := range 5 {
		a.moments[i*5+i] = float64(i + 1)
	}
	a.reorder(&conv{inputs: 2, kernel: 2})
	require.Equal(t, []float64{1, 3, 2, 4, 5}, []float64{a.moments[0], a.moments[6], a.moments[12], a.moments[18], a.moments[24]})
}
