package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParamsFor(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   params
	}{
		{0, 255, params{1, 0}},
		{-128, 127, params{1, 128}},
		{-255, 0, params{1, 255}},
		{0, 0, params{1, 0}},
		{5, 10, params{10.0 / 255, 0}},     // widened to hold 0
		{-10, -5, params{10.0 / 255, 255}}, // likewise
		// 0 lies between two levels, so the step is stretched: 127 of them reach an
		// end.
		{-1, 1, params{1.0 / 127, 127}},
		{-253.5, 1.5, params{253.5 / 253, 253}}, // not 254: the one step left would have to be 1.5
		{-3, 252, params{1, 3}},
		{-1e-40, 1e-40, params{1, 0}},
	} {
		got := paramsFor(c.lo, c.hi)
		require.Equal(t, c.want.zero, got.zero, "%g..%g", c.lo, c.hi)
		require.InEpsilon(t, c.want.scale, got.scale, 1e-6, "%g..%g", c.lo, c.hi)
	}
}

// TestParamsCoverTheirRange tries random ranges: both ends are within, and no
// range costs much more than its width over 255 steps.
func TestParamsCoverTheirRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		size := math.Exp(20 * (rng.Float64() - 0.5))
		lo, hi := -rng.Float64()*size, rng.Float64()*size
		p := paramsFor(lo, hi)
		slack := 1e-5 * size
		require.LessOrEqual(t, p.low(), lo+slack, "%g..%g", lo, hi)
		require.GreaterOrEqual(t, p.high(), hi-slack, "%g..%g", lo, hi)
		require.LessOrEqual(t, float64(p.scale), (hi-lo)/(levels-1)*1.01, "%g..%g", lo, hi)
	}
}

func histogramOf(t *testing.T, data ...float32) *histogram {
	t.Helper()
	var h histogram
	require.NoError(t, h.add(data))
	return &h
}

func TestHistogram(t *testing.T) {
	h := histogramOf(t, 0, 0, 1, -1, 0.5)
	require.Equal(t, 1.0/1024, h.width)
	require.Equal(t, []any{uint64(2), uint64(5), float32(-1), float32(1), 0.5, 2.25}, []any{h.zeros, h.total, h.min, h.max, h.sum, h.squares})
	require.Equal(t, []uint32{1, 1, 1}, []uint32{h.counts[0], h.counts[1024+512], h.counts[2047]})

	require.NoError(t, h.add([]float32{2, -0.25})) // twice the range: bins join in pairs
	require.Equal(t, 1.0/512, h.width)
	require.Equal(t, []uint32{1, 1, 1, 1, 1},
		[]uint32{h.counts[1024-512], h.counts[1024-128], h.counts[1024+256], h.counts[1024+511], h.counts[2047]})
	require.Equal(t, uint64(7), h.total)

	zeros := histogramOf(t, 0, 0, 0)
	require.Zero(t, zeros.width)
	require.Equal(t, uint64(3), zeros.zeros)
	require.Equal(t, params{scale: 1}, choose(zeros, Options{}))

	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		var h histogram
		require.ErrorIs(t, h.add([]float32{1, bad}), ErrCalibration)
	}
}

func TestHistogramsMerge(t *testing.T) {
	a := histogramOf(t, 0, 1, 2)
	var sum histogram
	sum.merge(a, affine{scale: 1})
	sum.merge(histogramOf(t, 0, 4), affine{scale: 0.5, shift: -1}) // -1, 1
	sum.merge(&histogram{}, affine{scale: 1})                      // nothing was seen
	require.Equal(t, []any{uint64(5), uint64(1), float32(-1), float32(2)}, []any{sum.total, sum.zeros, sum.min, sum.max})
	all := uint64(sum.zeros)
	for _, n := range sum.counts {
		all += uint64(n)
	}
	require.Equal(t, sum.total, all)
}

func TestQuantile(t *testing.T) {
	var data []float32
	for i := range 100 {
		data = append(data, float32(i+1)/100)
	}
	h := histogramOf(t, data...)
	for _, p := range []float64{0.01, 0.5, 0.9, 1} {
		require.InDelta(t, p, h.quantile(p), 0.002)
	}
	require.NoError(t, h.add(make([]float32, 900))) // now 9 of 10 are 0
	require.InDelta(t, 0, h.quantile(0.5), 0.002)
	require.InDelta(t, 0.5, h.quantile(0.95), 0.002)
}

func TestSquaredError(t *testing.T) {
	h := histogramOf(t, 0, 1, 1, 4)
	// The range ends at 2.55: the ones are rounded, 4 is clipped.
	p := params{scale: 0.01}
	want := (2*0.01*0.01/12 + 1.45*1.45) / 4
	require.InDelta(t, want, h.squaredError(p), 0.01*want)
}

// TestMethods gives numbers within 1 and a single one of 20.
func TestMethods(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	data := []float32{20}
	for range 9999 {
		data = append(data, float32(rng.NormFloat64()/4))
	}
	h := histogramOf(t, data...)
	high := map[Method]float64{}
	for _, m := range []Method{MSE, Max, Percentile, Entropy} {
		o, err := Options{Method: m, Percentile: 0.001}.withDefaults()
		require.NoError(t, err)
		p := choose(h, o)
		high[m] = p.high()
		require.Greater(t, p.scale, float32(0), m)
		require.LessOrEqual(t, p.high(), 20.2, m)
	}
	require.InDelta(t, 20, high[Max], 0.2)
	require.InDelta(t, 0.77, high[Percentile], 0.15, "3.09 standard deviations")
	mse, max := choose(h, Options{}), choose(h, Options{Method: Max})
	require.LessOrEqual(t, h.squaredError(mse), h.squaredError(max))
	require.Less(t, high[Entropy], 20.0)

	for _, m := range []Method{MSE, Max, Percentile, Entropy} {
		back, err := ParseMethod(m.String())
		require.NoError(t, err)
		require.Equal(t, m, back)
	}
	_, err := ParseMethod("best")
	require.ErrorIs(t, err, ErrOptions)
}
