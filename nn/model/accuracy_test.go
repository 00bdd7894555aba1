package model_test

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/features/featurestest"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
	"kosumi/nn/ort"
)

// difference compares processed outputs in 16-bit integers with those in float32: mean and
// maximum over all positions.
type difference struct {
	policyKL, policyKLMax   float64 // Kullback-Leibler divergence from float32, in nats
	winrate, winrateMax     float64 // of the winning probability of the side to move, 0 to 1
	lead, leadMax           float64 // points
	sameMove                float64 // fraction of positions with the same best move
	ownership, ownershipMax float64 // mean over the points of a board, values in [-1,1]
}

func (d *difference) add(want, got *nn.Output, size board.Size) {
	kl, best, bestGot := 0.0, 0, 0
	for i := range size.Area() + 1 {
		if p := float64(want.Policy[i]); p > 0 {
			kl += p * math.Log(p/math.Max(float64(got.Policy[i]), 1e-12))
		}
		if want.Policy[i] > want.Policy[best] {
			best = i
		}
		if got.Policy[i] > got.Policy[bestGot] {
			bestGot = i
		}
	}
	own := 0.0
	for i := range size.Area() {
		own += math.Abs(float64(got.Ownership[i]-want.Ownership[i])) / float64(size.Area())
	}
	win, lead := math.Abs(float64(got.Value()-want.Value()))/2, math.Abs(float64(got.Lead-want.Lead))
	for _, x := range []struct {
		sum, most *float64
		value     float64
	}{{&d.policyKL, &d.policyKLMax, kl}, {&d.winrate, &d.winrateMax, win}, {&d.lead, &d.leadMax, lead}, {&d.ownership, &d.ownershipMax, own}} {
		*x.sum += x.value
		*x.most = math.Max(*x.most, x.value)
	}
	if best == bestGot {
		d.sameMove++
	}
}

// serve opens a network on the CPU, by a provider and in a precision.
func serve(t *testing.T, path, provider, precision string) *nn.Server {
	t.Helper()
	m, err := model.Open(path, model.Config{Provider: provider, Precision: precision})
	if errors.Is(err, model.ErrProvider) {
		testshared.Absent(t, "onnxruntime is needed: run make deps: %v", err)
	}
	require.NoError(t, err)
	require.Equal(t, provider, m.Describe().Provider)
	t.Cleanup(func() { m.Close() })
	return nntest.Server(t, m, nn.ServerConfig{MaxBatch: 1, FixedSymmetry: true, Meta: &features.Amateurs})
}

func measure(t *testing.T, exact, other *nn.Server, games []*board.Game) (d difference) {
	t.Helper()
	require.NotEmpty(t, games)
	var want, got nn.Output
	for _, g := range games {
		q := &nn.Query{Game: g, NeedOwnership: true}
		require.NoError(t, exact.Evaluate(t.Context(), q, &want))
		require.NoError(t, other.Evaluate(t.Context(), q, &got))
		d.add(&want, &got, g.Size())
	}
	for _, sum := range []*float64{&d.policyKL, &d.winrate, &d.lead, &d.ownership, &d.sameMove} {
		*sum /= float64(len(games))
	}
	t.Logf("%d positions: policy KL %.2g (worst %.2g), winrate %.2g (%.2g), lead %.2g (%.2g), ownership %.2g (%.2g), same move %.4f",
		len(games), d.policyKL, d.policyKLMax, d.winrate, d.winrateMax, d.lead, d.leadMax, d.ownership, d.ownershipMax, d.sameMove)
	return d
}

func needIntegers(t *testing.T) {
	if isa, ok := kernel.Best(); !ok || !isa.Integers() {
		t.Skip("this processor has no kernels in integers")
	}
}

// recorded returns recorded positions; in a short run, only those of the common sizes.
func recorded(t *testing.T) (games []*board.Game) {
	t.Helper()
	positions := featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz"))
	for _, p := range bySize(positions, testing.Short() || testshared.Race) {
		games = append(games, p.Game(t))
	}
	return games
}

// networksHere lists kosumi-zero, which is in the repository, and KataGo's if the reference data is present.
func networksHere(t *testing.T) []string {
	paths := []string{filepath.Join("..", "..", "models", "kosumi-zero.bin.gz")}
	if folder, ok := testshared.Beyond(t, "models/katago"); ok {
		for _, name := range []string{"g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm", "b7c96h6kv3qk32v16tflrs-fson-bnh"} {
			paths = append(paths, filepath.Join(folder, name+".bin.gz"))
		}
	}
	return paths
}

// TestIntegersOnGames bounds the differences between 16-bit integers and float32 on recorded
// positions; see docs/measurements.md.
func TestIntegersOnGames(t *testing.T) {
	testshared.Long(t)
	needIntegers(t)
	games := recorded(t)
	for _, path := range networksHere(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			d := measure(t, serve(t, path, model.Kernel, "fp32"), serve(t, path, model.Kernel, "int16"), games)
			require.Less(t, d.policyKL, 1e-4)
			require.Less(t, d.winrate, 5e-4)
			require.Less(t, d.lead, 0.05)
			require.Less(t, d.leadMax, 1.0)
		})
	}
}

// TestKernelsAgree compares networks on the kernels alone with the same networks in onnxruntime, in
// both precisions. The kernels compute the layers either way, but other operators may be rounded
// differently, which integers amplify.
func TestKernelsAgree(t *testing.T) {
	testshared.Slow(t)
	needIntegers(t)
	var games []*board.Game
	for i, g := range recorded(t) {
		if i%8 == 0 {
			games = append(games, g)
		}
	}
	for _, path := range networksHere(t) {
		for precision, most := range map[string]difference{
			"fp32":  {policyKLMax: 1e-6, winrateMax: 1e-5, leadMax: 1e-3, ownershipMax: 1e-5},
			"int16": {policyKLMax: 1e-5, winrateMax: 1e-3, leadMax: 0.1, ownershipMax: 1e-3},
		} {
			t.Run(filepath.Base(path)+"/"+precision, func(t *testing.T) {
				d := measure(t, serve(t, path, ort.CPU, precision), serve(t, path, model.Kernel, precision), games)
				require.Less(t, d.policyKLMax, most.policyKLMax)
				require.Less(t, d.winrateMax, most.winrateMax)
				require.Less(t, d.leadMax, most.leadMax)
				require.Less(t, d.ownershipMax, most.ownershipMax)
				require.Equal(t, 1.0, d.sameMove)
			})
		}
	}
}
