package katago

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireSameAnswers compares all outputs of the old version, and checks that new ones start as
// Upgrade says.
func requireSameAnswers(t *testing.T, old, now *Network, c *goldenCase) {
	t.Helper()
	want, got := interpret(t, exact(t, old, c), c), interpret(t, exact(t, now, c), c)
	require.Len(t, got.policy, 2)
	for k, p := range got.policy {
		require.InDeltaSlice(t, want.policy[min(k, len(want.policy)-1)], p, 1e-6)
	}
	require.InDeltaSlice(t, want.value, got.value, 0)
	require.InDeltaSlice(t, want.ownership, got.ownership, 0)
	require.Len(t, got.scoreValue, 6)
	require.InDeltaSlice(t, want.scoreValue[:4], got.scoreValue[:4], 0)
	if old.Header.Version == 14 {
		require.InDeltaSlice(t, want.scoreValue, got.scoreValue, 0)
		return
	}
	m := &now.Header.Multipliers
	says := func(raw, multiplier float64) float64 { return math.Log1p(math.Exp(raw/2)) * math.Sqrt(multiplier) }
	require.InDelta(t, 0.18, says(got.scoreValue[4], m.ShorttermValueErr), 1e-6)
	require.InDelta(t, 3, says(got.scoreValue[5], m.ShorttermScoreErr), 1e-5)
}

// TestUpgrade: networks of versions 8 to 14 become valid networks of version 15 with the same answers,
// and every unit of the new layer for the pass has weights, so that it can learn.
func TestUpgrade(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	for version := 8; version <= 14; version++ {
		n := toyWith(t, version, 6)
		before := plainBytes(t, n)
		now := Upgrade(n)
		require.Equal(t, before, plainBytes(t, n), "the old network stays")
		require.Equal(t, 15, now.Header.Version)
		require.NoError(t, now.Check())
		for range 3 {
			c := randomCase(rng, n, 5, 4)
			requireSameAnswers(t, n, now, &c)
		}
		first := now.Policy.Pass1.Weights
		for unit := range now.Policy.P1.Out {
			require.NotZero(t, first[unit], "unit %d of the pass reads nothing", unit)
		}
	}
	withReal(t, func(t *testing.T, name string) {
		n := readReal(t, name)
		now := Upgrade(n)
		if n.Header.Version >= 15 {
			require.Same(t, n, now)
			return
		}
		for i, c := range goldenReal(t, name) {
			if i%41 == 0 || i == 7 {
				requireSameAnswers(t, n, now, &c)
			}
		}
	})
}

func TestUpgradeLeavesOthers(t *testing.T) {
	for version := MinVersion; version <= MaxVersion; version++ {
		if n := toy(t, version); version < 8 || version > 11 { // toy's policy head is too narrow for versions 12 to 14
			require.Same(t, n, Upgrade(n), "version %d", version)
		}
	}
}
