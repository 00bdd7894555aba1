package learn

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
	"kosumi/nn/katago"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

var writeLosses = flag.String("write-losses", "", "write the rows and the network of TestNumpyLosses to this folder, for testdata/training/make_losses.py")

// madeUp is what no teacher says: it depends on nothing but the seed. Every third one
// knows policy and value only.
func madeUp(size board.Size, seed uint64) *rows.Taught {
	rng := rand.New(rand.NewPCG(seed, 5))
	policy := func() []float32 {
		p := make([]float32, size.Area()+1)
		for k := range p {
			p[k] = float32(int(1)<<rng.IntN(12) - 1)
		}
		return p
	}
	t := &rows.Taught{Policy: policy(), Value: rows.Value{Win: float32(rng.IntN(60)) / 64, NoResult: 1.0 / 64}}
	t.Value.Loss = 1 - t.Value.Win - t.Value.NoResult
	if seed%3 == 0 {
		return t
	}
	t.HasScore, t.Value.Score, t.Lead = true, float32(rng.IntN(81)-40)/2, float32(rng.IntN(81)-40)/2
	t.Stdev, t.VarTime, t.ErrWinLoss, t.ErrScore = float32(4+rng.IntN(30)), float32(1+rng.IntN(90)), float32(1+rng.IntN(40))/64, float32(1+rng.IntN(80))/8
	t.Optimistic, t.Ownership = policy(), make([]float32, size.Area())
	for p := range t.Ownership {
		t.Ownership[p] = float32(rng.IntN(241)-120) / 120
	}
	return t
}

// loudNetwork writes an untrained network whose heads are loud enough to be told apart
// from one that says nothing.
func loudNetwork(t *testing.T) string {
	t.Helper()
	net, err := katago.Fresh("kb1c16", 1)
	require.NoError(t, err)
	for _, weights := range [][]float32{net.Policy.P2.Weights, net.Policy.Pass2.Weights, net.Value.M3.Weights, net.Value.Score.Weights, net.Value.Ownership.Weights} {
		for i := range weights {
			weights[i] *= 32
		}
	}
	path := filepath.Join(t.TempDir(), "loud.bin.gz")
	require.NoError(t, katago.WriteFile(path, net))
	return path
}

// TestNumpyLosses: what the learner says of a file of taught rows is what numpy says of
// it, to five digits.
func TestNumpyLosses(t *testing.T) {
	model, size := loudNetwork(t), board.Square(9)
	layout := rows.Layout{Encoding: features.V7, Side: 9}
	builder, err := rows.NewBuilder(layout)
	require.NoError(t, err)
	set := rows.NewSet(layout)
	g := learntest.RandomGame(t, size, 3)
	var now board.Game
	now.CopyFrom(g.Start)
	for k, turn := range g.Turns[:64] {
		require.NoError(t, builder.AppendTaught(set, &now, g.Hash, madeUp(size, uint64(k))))
		require.NoError(t, now.Play(now.ToMove(), turn.Move))
	}
	dir := t.TempDir()
	if *writeLosses != "" {
		dir = *writeLosses
	}
	require.NoError(t, set.WriteFile(filepath.Join(dir, "rows.npz")))
	l := open(t, Config{Model: model, Batch: set.N})
	if *writeLosses != "" {
		require.NoError(t, l.Export(filepath.Join(dir, "net.onnx"), "", false))
		t.Skip("written; now testdata/training/make_losses.py")
	}
	s, err := rows.OpenFolder(rows.Options{Batch: set.N, Wants: l.Wants(), Encoding: l.Encoding()}, dir)
	require.NoError(t, err)
	defer s.Close()
	var b rows.Batch
	require.NoError(t, s.Next(&b))
	got, err := l.Evaluate(&b, false)
	require.NoError(t, err)

	text, err := os.ReadFile("../../testdata/training/losses.json")
	require.NoError(t, err)
	var want map[string]struct{ Mean, Weight float64 }
	require.NoError(t, json.Unmarshal(text, &want))
	require.Len(t, want, 17)
	for name, w := range want {
		term, ok := got.Term(name)
		require.True(t, ok, name)
		require.EqualValues(t, w.Weight, term.Weight, name)
		require.InDelta(t, w.Mean, term.Mean, 1e-5*math.Abs(w.Mean), name)
	}
}
