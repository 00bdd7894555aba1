package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDelay: a wait is bounded, and on average 0.5*Scale/(probability+0.1).
func TestDelay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	require.Zero(t, Delay{}.forMove(0.5, rng))
	d := Delay{Scale: 2, Most: 1e6}
	for _, p := range []float64{0, 0.15, 0.9} {
		sum := 0.0
		for range 20000 {
			sum += d.forMove(p, rng).Seconds()
		}
		require.InEpsilon(t, 1/(p+0.1), sum/20000, 0.03, p)
	}
	d.Most = 0.25
	for range 1000 {
		require.LessOrEqual(t, d.forMove(0, rng).Seconds(), 0.25)
	}
}
