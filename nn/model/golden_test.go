package model_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features/featurestest"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
)

// needLibrary skips the test without onnxruntime; under CI that is a failure.
func needLibrary(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		testshared.Absent(t, "onnxruntime is needed: run make deps: %v", err)
	}
}

// limits are the allowed differences between another fp32 runtime's processed outputs and
// KataGo's.
var limits = map[string]float64{
	"win": 1e-4, "loss": 1e-4, "noResult": 1e-4, "scoreMean": 2e-3, "lead": 2e-3, "scoreMeanSq": 1, // relative errors, see below
	"varTimeLeft": 1e-3, "errWinLoss": 2e-4, "errScore": 2e-3, "policy": 1e-4, "policyOptimism1": 1e-4, "ownership": 1e-4,
}

// TestKataGoNetworksEndToEnd evaluates every recorded position as a search does, from the game
// record to probabilities, and compares with KataGo.
func TestKataGoNetworksEndToEnd(t *testing.T) {
	positions := featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz"))
	for _, name := range []string{"g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm", "b7c96h6kv3qk32v16tflrs-fson-bnh"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.Open(testshared.Path(t, "models/katago/"+name+".bin.gz"), model.Config{Provider: "cpu"})
			needLibrary(t, err)
			server := nntest.Server(t, m, nn.ServerConfig{FixedSymmetry: true, MaxBatch: 1})
			answers := map[string]*featurestest.Post{}
			for _, line := range featurestest.Read(t, testshared.Path(t, "golden/katago/nn-"+name+".jsonl.gz")) {
				answers[line.ID] = line.Post
			}
			d := featurestest.Differences{}
			for _, p := range bySize(positions, testing.Short() || testshared.Race) {
				require.Contains(t, answers, p.ID)
				compare(t, d, server, p, answers[p.ID])
			}
			t.Log(d)
			for output, x := range d {
				require.LessOrEqual(t, x, limits[output], output)
			}
		})
	}
}

// bySize sorts positions by board size, so that few graphs are open at once; a short run uses the
// common sizes only.
func bySize(all []featurestest.Position, short bool) []*featurestest.Position {
	var out []*featurestest.Position
	for i := range all {
		if p := &all[i]; !short || p.X == p.Y && (p.X == 9 || p.X == 19) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b *featurestest.Position) int { return (a.X*100 + a.Y) - (b.X*100 + b.Y) })
	return out
}

func compare(t *testing.T, d featurestest.Differences, server *nn.Server, p *featurestest.Position, want *featurestest.Post) {
	t.Helper()
	g := p.Game(t)
	q := nn.Query{Game: g, Options: p.Options(), NeedOwnership: true, PolicyTemperature: p.Params.Temperature}
	var out nn.Output
	require.NoError(t, server.Evaluate(context.Background(), &q, &out), p.ID)
	d.Add(want, &out, g.ToMove())
	d.See("scoreMeanSq", 0, (want.ScoreMeanSq-float64(out.ScoreMeanSq))/(1e-4*want.ScoreMeanSq+0.05))
	if want.Optimistic == nil {
		return
	}
	q.Optimism = 1
	require.NoError(t, server.Evaluate(context.Background(), &q, &out), p.ID)
	d.SeeAll("policyOptimism1", want.Optimistic, out.Policy[:])
}
