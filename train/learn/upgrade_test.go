package learn

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/autodiff"
	"kosumi/nn/model"
	"kosumi/train/learn/learntest"
)

// TestUpgradedNetwork: a version 8 network is trained as version 15, which answers the same before
// the first step, and learns the optimistic policy and the errors.
func TestUpgradedNetwork(t *testing.T) {
	paths := []string{synthetic(t, "synth-v8")}
	if g170, ok := testshared.Beyond(t, "models/katago/g170-b6c96-s175395328-d26788732.bin.gz"); ok {
		paths = append(paths, g170)
	}
	for _, path := range paths {
		l := open(t, Config{Model: path, Batch: 8, Method: autodiff.Adam, Rate: 2e-3})
		now := filepath.Join(t.TempDir(), "now.bin.gz")
		require.NoError(t, l.Export(now, "", false))
		before, after := answers(t, path), answers(t, now)
		for i := range before {
			was, is := &before[i], &after[i]
			require.InDeltaSlice(t, was.Policy[:], is.Policy[:], 1e-6)
			require.InDeltaSlice(t, []float32{was.Win, was.NoResult, was.ScoreMean, was.ScoreStdev, was.Lead},
				[]float32{is.Win, is.NoResult, is.ScoreMean, is.ScoreStdev, is.Lead}, 1e-6)
			require.InDeltaSlice(t, was.Ownership[:], is.Ownership[:], 1e-6)
			require.Equal(t, []float32{-1, -1}, []float32{was.ErrWinLoss, was.ErrScore})
			require.InDeltaSlice(t, []float32{0.18, 3}, []float32{is.ErrWinLoss, is.ErrScore}, 1e-5)
		}
		b := randomBatch(l, board.Square(5), 8, 1)
		teach(b, 0, 1, 2, 3, 4, 5, 6, 7)
		first, err := l.Evaluate(b, false)
		require.NoError(t, err)
		for range 80 {
			_, err := l.Step(b)
			require.NoError(t, err)
		}
		last, err := l.Evaluate(b, false)
		require.NoError(t, err)
		for _, name := range []string{TermOptimistic, TermValueError, TermScoreError} {
			was, _ := first.Term(name)
			is, ok := last.Term(name)
			require.True(t, ok)
			require.Less(t, is.Mean, 0.95*was.Mean, name)
		}
	}
}

// answers returns a network's outputs for the positions of a game, every other one with its
// optimistic policy.
func answers(t *testing.T, path string) (all []nn.Output) {
	t.Helper()
	m, err := model.Open(path, model.Config{Provider: model.Kernel})
	require.NoError(t, err)
	defer m.Close()
	server, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 1})
	require.NoError(t, err)
	defer server.Close()
	g := learntest.RandomGame(t, board.Square(9), 3)
	var now board.Game
	now.CopyFrom(g.Start)
	for i, turn := range g.Turns[:12] {
		var out nn.Output
		require.NoError(t, server.Evaluate(t.Context(), &nn.Query{Game: &now, NeedOwnership: true, Symmetry: int8(i % 8), Optimism: float32(i % 2)}, &out))
		all = append(all, out)
		require.NoError(t, now.Play(now.ToMove(), turn.Move))
	}
	return all
}
