package quantize_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features/featurestest"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/quantize"
)

var accuracyPositions = flag.Int("quantize.positions", 64, "positions of self-play that TestIntegersOnSelfPlay compares, for each board size")

// TestIntegersOnSelfPlay compares 16-bit integers with float32 on positions of games
// that the network plays against itself; see docs/measurements/speed.md.
func TestIntegersOnSelfPlay(t *testing.T) {
	path := testshared.Path(t, "models/katago/g170-b6c96-s175395328-d26788732.bin.gz")
	exact, _ := openOnCPU(t, path, model.Config{})
	integers, _ := openOnCPU(t, path, model.Config{Precision: "auto"})
	for _, side := range []int{9, 19} {
		size := board.Square(side)
		games, err := quantize.SelfPositions(t.Context(), exact, size, quantize.SelfPlay{Positions: *accuracyPositions, Seed: 7})
		require.NoError(t, err)
		r, err := quantize.Compare(t.Context(), exact, integers, games)
		require.NoError(t, err)
		t.Logf("%dx%d, %s: policy KL %.2g (worst %.2g), winrate %.2g (%.2g), lead %.2g (%.2g), same move %.4f, %d positions", side, side,
			integers.Describe().Precision, r.PolicyKL, r.PolicyKLMax, r.Winrate, r.WinrateMax, r.Lead, r.LeadMax, r.Top1, r.Positions)
		require.Less(t, r.PolicyKL, 1e-4)
		require.Less(t, r.Winrate, 5e-4)
		require.Less(t, r.Lead, 0.05)
		require.Zero(t, r.Unusable)
	}
}

// TestIntegersOnGames holds 16-bit integers to what the differences from float32 may
// be: means over the recorded positions, and the worst lead.
func TestIntegersOnGames(t *testing.T) {
	if isa, ok := kernel.Best(); !ok || !isa.Integers() {
		t.Skip("this processor has no kernels in integers")
	}
	positions := games(t, featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz")), testing.Short())
	for _, name := range []string{"g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm", "b7c96h6kv3qk32v16tflrs-fson-bnh"} {
		path := testshared.Path(t, "models/katago/"+name+".bin.gz")
		exact, _ := openOnCPU(t, path, model.Config{})
		integers, _ := openOnCPU(t, path, model.Config{Precision: "int16"})
		r, err := quantize.Compare(t.Context(), exact, integers, positions)
		require.NoError(t, err)
		t.Log(name, r, "KL", r.PolicyKL, "worst", r.PolicyKLMax, "winrate", r.WinrateMax, "lead", r.LeadMax)
		require.Less(t, r.PolicyKL, 1e-4, name)
		require.Less(t, r.Winrate, 5e-4, name)
		require.Less(t, r.Lead, 0.05, name)
		require.Less(t, r.LeadMax, 1.0, name)
		require.Zero(t, r.Unusable)
	}
}

// games takes positions; a short run those of the common sizes only.
func games(t *testing.T, positions []featurestest.Position, short bool) (all []*board.Game) {
	for i := range positions {
		if p := &positions[i]; !short || p.X == p.Y && (p.X == 9 || p.X == 19) {
			all = append(all, p.Game(t))
		}
	}
	return all
}
