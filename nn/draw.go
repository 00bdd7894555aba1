package nn

import (
	"math"
	"math/rand/v2"
)

// Draw draws an index of a policy, or of any list of weights, with a probability
// proportional to weight^(1/temperature), where temperature is above 0. Weights of 0
// and below, such as those of illegal moves, are never drawn. If there is no positive
// weight it returns -1 and uses no random number.
func Draw[F float32 | float64](weights []F, temperature float64, rng *rand.Rand) int {
	top := F(0)
	for _, w := range weights {
		top = max(top, w)
	}
	if top <= 0 {
		return -1
	}
	share := func(w F) float64 { return math.Pow(float64(w)/float64(top), 1/temperature) }
	sum := 0.0
	for _, w := range weights {
		if w > 0 {
			sum += share(w)
		}
	}
	x, last := rng.Float64()*sum, -1
	for i, w := range weights {
		if w > 0 {
			last = i
			if x -= share(w); x < 0 {
				break
			}
		}
	}
	return last
}
