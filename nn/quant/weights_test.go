package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// eight are the limits of processors that add up exactly.
var eight = limits{most: 127}

func TestWeightScale(t *testing.T) {
	scale := func(most int, row ...float32) float64 {
		r := rounder{limits: limits{most: most}}
		return r.scale(row)
	}
	require.InEpsilon(t, 0.01, scale(127, 1.27, -0.64, 0.01, 0), 1e-6, "all are whole steps of 0.01")
	require.InEpsilon(t, 1.27/63, scale(63, 1.27, -1.27, 0), 1e-6)
	require.Equal(t, 1.0, scale(127, 0, 0))
}

func TestNearestWeights(t *testing.T) {
	w := []float32{1.27, -0.64, 0.01, 0 /**/, -12.7, 6.4, 0.14, 0.06}
	q := quantizeWeights(w, []float32{3, -4}, eight, nil)
	require.Equal(t, []int8{127, -64, 1, 0 /**/, -127, 64, 1, 1}, q.values)
	require.InEpsilonSlice(t, []float32{0.01, 0.1}, q.scales, 1e-6)
	require.Equal(t, []float32{3, -4}, q.bias)
	require.Empty(t, q.fine)
}

// TestPartners has two places of a kernel and three channels: padded to four,
// the third is alone at each place; unpadded it meets the next place's first.
func TestPartners(t *testing.T) {
	require.Equal(t, []int{2, 3, 0, 1, -1, -1}, partners(3, 2, 4), "weights are ordered by channel, then place")
	require.Equal(t, []int{2, 4, 0, 5, 1, 3}, partners(3, 2, 3))
	require.Equal(t, []int{-1}, partners(1, 1, 1))
	for _, c := range []struct{ inputs, kernel, channels int }{{5, 9, 8}, {5, 9, 5}, {22, 25, 24}, {96, 9, 96}, {7, 1, 7}} {
		list := partners(c.inputs, c.kernel, c.channels)
		for i, k := range list {
			require.NotEqual(t, i, k)
			if k >= 0 {
				require.Equal(t, i, list[k])
			}
		}
	}
}

// TestPairsStayWithinTheirBound has pairs that are too large together: they give
// way by the same amount, or the scale grows, whatever costs less.
func TestPairsStayWithinTheirBound(t *testing.T) {
	l := limits{most: 127, partner: []int{1, 0, 3, 2}}
	r := rounder{limits: l}
	row := []float32{127, 100, -127, 127}
	require.Equal(t, []int{77, 51, -127, 127}, []int{r.nearest(row, 0, 1), r.nearest(row, 1, 1), r.nearest(row, 2, 1), r.nearest(row, 3, 1)},
		"99 too much, the first gives 50; different signs are never too much")
	row = []float32{-127, -2, 0, 0}
	require.Equal(t, []int{-126, -2}, []int{r.nearest(row, 0, 1), r.nearest(row, 1, 1)})

	q := quantizeWeights([]float32{127, 127, 3, 0}, []float32{0}, l, nil)
	require.InDelta(t, 2, q.scales[0], 0.05, "as large as 7 bits would have it")
	q = quantizeWeights([]float32{127, 2, -128, 3}, []float32{0}, l, nil)
	require.InDelta(t, 1, q.scales[0], 0.05, "hardly larger")

	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 { // with and without a look at the outputs
		n := 2 + rng.IntN(20)
		moments := make([]float64, (n+1)*(n+1))
		for range 40 {
			x := make([]float64, n+1)
			for i := range x {
				x[i] = rng.Float64() + 0.3*rng.NormFloat64()
			}
			x[n] = 1
			for i, a := range x {
				for k, b := range x {
					moments[i*(n+1)+k] += a * b
				}
			}
		}
		w := make([]float32, 2*n)
		for i := range w {
			w[i] = float32(math.Abs(rng.NormFloat64()) * math.Pow(10, rng.Float64()*3))
		}
		l := limits{most: 127, partner: partners(n, 1, n)}
		for _, a := range []*gram{nil, {n: n, moments: moments, samples: 40}} {
			q := quantizeWeights(w, make([]float32, 2), l, a)
			for o := range 2 {
				for i, k := range l.partner {
					if k >= 0 {
						sum := int(q.values[o*n+i]) + int(q.values[o*n+k])
						require.LessOrEqual(t, max(sum, -sum), pairBound)
					}
				}
			}
		}
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
	require.Equal(t, []int8{0, 0, 127}, quantizeWeights(w, []float32{0}, eight, nil).values)
	q := quantizeWeights(w, []float32{5}, eight, a)
	require.Equal(t, float32(1), q.scales[0])
	require.ElementsMatch(t, []int8{0, 1}, q.values[:2])
	// The mean output rose by (1 - 0.8)*2, which the bias takes back.
	require.InDelta(t, 5-0.4, q.bias[0], 1e-5)
}

// TestFineWeights splits a weight into whole steps and 126ths.
func TestFineWeights(t *testing.T) {
	w := []float32{127, 2.3622047, -0.0078740, 40.25}
	fine := []bool{false, true, true, true}
	q := quantizeWeights(w, []float32{0}, limits{most: 127, fine: fine}, nil)
	require.Equal(t, float32(1), q.scales[0])
	require.Equal(t, []int8{127, 2, 0, 40}, q.values)
	require.Equal(t, []int8{46, -1, 32}, q.fine, "298, -1 and 5072 126ths")
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
