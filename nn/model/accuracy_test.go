package model

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

var accuracyPositions = flag.Int("model.positions", 64, "positions of self-play that TestIntegersOnSelfPlay compares, for each board size")

// TestIntegersOnSelfPlay compares 16-bit integers with float32 on positions of games
// that the network plays against itself; see docs/speed.md.
func TestIntegersOnSelfPlay(t *testing.T) {
	library(t)
	path := testshared.Path(t, "models/katago/g170-b6c96-s175395328-d26788732.bin.gz")
	exact, _ := openOnCPU(t, path, Config{})
	integers, _ := openOnCPU(t, path, Config{Precision: "auto"})
	for _, side := range []int{9, 19} {
		size := board.Square(side)
		games, err := exact.SelfPositions(t.Context(), size, SelfPlay{Positions: *accuracyPositions, Seed: 7})
		require.NoError(t, err)
		r, err := exact.CompareWith(t.Context(), integers, games)
		require.NoError(t, err)
		t.Logf("%dx%d, %s: policy KL %.2g (worst %.2g), winrate %.2g (%.2g), lead %.2g (%.2g), same move %.4f, %d positions", side, side,
			integers.Describe().Precision, r.PolicyKL, r.PolicyKLMax, r.Winrate, r.WinrateMax, r.Lead, r.LeadMax, r.Top1, r.Positions)
		require.Less(t, r.PolicyKL, 1e-4)
		require.Less(t, r.Winrate, 5e-4)
		require.Less(t, r.Lead, 0.05)
		require.Zero(t, r.Unusable)
	}
}
