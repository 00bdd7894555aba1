package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search"
)

// rawRecord is the network's evaluation of a root position, without search, as KataGo reports it.
type rawRecord struct {
	record
	PolicyOptimism float64
	CurrentPlayer  string
	RawNet         struct {
		Winrate, Lead, ScoreSelfplay, ScoreSelfplayStdev, NoResultProb,
		StWrError, StScoreError, VarTimeLeft float64
	}
	Policy    []float32 // by point, then pass; -1 if illegal
	Ownership []float32 // White's view
}

// TestRawOracle compares the root's evaluation with KataGo's, so that a difference between
// searches can be traced to its inputs.
func TestRawOracle(t *testing.T) {
	eachRecord(t, "raw", func(i int) bool { return i%5 == 0 }, func(t *testing.T, r *rawRecord, nets networks) { r.check(t, nets) })
}

func (r *rawRecord) check(t *testing.T, nets networks) {
	p := search.Plain()
	p.Net.Symmetry, p.Net.RootOptimism = 0, r.PolicyOptimism
	server := nets.get(r.Net, true)
	server.ClearCache()
	tree, err := search.New(p, server, nil)
	require.NoError(t, err)
	g := r.game(t)
	tree.Reset(g)
	got, err := tree.Search(t.Context(), search.Limits{Visits: 1})
	require.NoError(t, err)
	require.Equal(t, r.CurrentPlayer == "W", got.ToMove == board.White)

	s, rate := 1.0, func(x float64) float64 { return x }
	if got.ToMove == board.Black {
		s, rate = -1, func(x float64) float64 { return 1 - x }
	}
	raw, want := &got.Root.Raw, &r.RawNet
	const points = 5e-3 // tolerance for scores, which reach tens of points
	require.InDelta(t, want.Winrate, rate(raw.Winrate), 1e-4)
	require.InDelta(t, want.NoResultProb, raw.NoResult, 1e-4)
	require.InDelta(t, want.Lead, s*raw.Lead, points)
	require.InDelta(t, want.ScoreSelfplay, s*raw.ScoreMean, points)
	require.InDelta(t, want.ScoreSelfplayStdev, raw.ScoreStdev, points)
	if raw.WinrateError >= 0 {
		require.InDelta(t, want.StWrError, raw.WinrateError, 1e-4)
		require.InDelta(t, want.StScoreError, raw.ScoreError, points)
		require.InDelta(t, want.VarTimeLeft, raw.VarTimeLeft, points)
	} else {
		require.Negative(t, want.StWrError)
	}
	require.Len(t, got.Policy, len(r.Policy))
	for i, w := range r.Policy {
		if w < 0 {
			require.Negative(t, got.Policy[i], "move %d", i)
		} else {
			require.InDelta(t, w, got.Policy[i], 1e-4, "move %d", i)
		}
	}
	for i, w := range r.Ownership {
		require.InDelta(t, w, s*float64(raw.Ownership[i]), 1e-3, "point %d", i)
	}
}
