package loop

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFitElo gives the fit exact expected scores of known ratings.
func TestFitElo(t *testing.T) {
	truth := []float64{0, 150, 420, 300}
	var pairs []pairPoints
	for a := range truth {
		for b := range a {
			const games = 20000
			p := 1 / (1 + math.Pow(10, (truth[b]-truth[a])/400))
			pairs = append(pairs, pairPoints{a, b, p * games, games})
		}
	}
	elo, errs := fitElo(4, pairs, 0)
	for i := range truth {
		require.InDelta(t, truth[i], elo[i], 0.5)
		require.Less(t, errs[i], 6.0)
	}
	require.Zero(t, errs[0])
	// 100 games at 64 %: 100 Elo, 95 % within 68 or so.
	elo, errs = fitElo(2, []pairPoints{{1, 0, 64, 100}}, 0)
	require.InDelta(t, 98, elo[1], 5)
	require.InDelta(t, 69, errs[1], 5)
	// A player that won everything stays finite.
	elo, _ = fitElo(2, []pairPoints{{1, 0, 40, 40}}, 0)
	require.Greater(t, elo[1], 400.0)
	require.Less(t, elo[1], 2000.0)
}
