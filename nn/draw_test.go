package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
)

func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	weights := []float32{-1, 0.5, 0, 0.25, 0.25}
	const n = 40_000
	for _, temperature := range []float64{0.5, 1, 2, 1e6} {
		sum := 0.0
		for _, w := range weights {
			sum += math.Pow(float64(max(w, 0)), 1/temperature)
		}
		if temperature == 1e6 {
			sum = 3
		}
		var counts [5]int
		for range n {
			counts[nn.Draw(weights, temperature, rng)]++
		}
		require.Zero(t, counts[0]+counts[2], "never drawn")
		for _, i := range []int{1, 3, 4} {
			want := math.Pow(float64(weights[i]), 1/temperature) / sum
			require.InDelta(t, want, float64(counts[i])/n, 4*math.Sqrt(want*(1-want)/n), "%v at %v", i, temperature)
		}
	}
	require.Equal(t, 3, nn.Draw([]float64{0, 1e-300, 0, 1}, 0.01, rng), "the largest, at low temperatures")
	require.Equal(t, -1, nn.Draw([]float32{-1, 0}, 1, rng))
	require.Equal(t, -1, nn.Draw[float64](nil, 1, nil), "no randomness is used up")
	require.Equal(t, 0, nn.Draw([]float64{math.SmallestNonzeroFloat64}, 1, rng))
}
