package elo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/match/elo"
)

// TestFitElo: a fit to the exact expected scores of known ratings returns the ratings.
func TestFitElo(t *testing.T) {
	truth := []float64{0, 150, 420, 300}
	var pairs []elo.Pair
	for a := range truth {
		for b := range a {
			const games = 20000
			p := 1 / (1 + math.Pow(10, (truth[b]-truth[a])/400))
			pairs = append(pairs, elo.Pair{A: a, B: b, Points: p * games, Games: games})
		}
	}
	fit, errs := elo.Fit(4, pairs, 0)
	for i := range truth {
		require.InDelta(t, truth[i], fit[i], 0.5)
		require.Less(t, errs[i], 6.0)
	}
	require.Zero(t, errs[0])
	// 100 games at 64 %: 100 Elo, 95 % interval about +/- 68.
	fit, errs = elo.Fit(2, []elo.Pair{{A: 1, B: 0, Points: 64, Games: 100}}, 0)
	require.InDelta(t, 98, fit[1], 5)
	require.InDelta(t, 69, errs[1], 5)
	// A player that won everything has a finite rating.
	fit, _ = elo.Fit(2, []elo.Pair{{A: 1, B: 0, Points: 40, Games: 40}}, 0)
	require.Greater(t, fit[1], 400.0)
	require.Less(t, fit[1], 2000.0)
}
