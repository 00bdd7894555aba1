package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/search"
)

// reuseRecord is a game that KataGo played while keeping one tree.
type reuseRecord struct {
	record
	Steps []struct {
		Player         string
		ReusedVisits   int64
		RootInfo       rootInfo
		MoveInfos      []moveInfo
		Chosen, Played string
	}
}

// TestKeptTreesOracle repeats games that KataGo played with a kept tree: the same visits are
// kept, and later visits go to the same moves.
func TestKeptTreesOracle(t *testing.T) {
	testshared.Long(t)
	settings := katagoSettings(t, "search")
	eachRecord(t, "reuse", func(i int) bool { return i%20 < 2 }, func(t *testing.T, r *reuseRecord, nets networks) { r.play(t, nets, settings) })
}

func (r *reuseRecord) play(t *testing.T, nets networks, settings map[string]map[string]string) {
	tree, g := r.begin(t, nets, settings)
	for k, step := range r.Steps {
		require.Equal(t, step.ReusedVisits, tree.Visits(), "step %d", k)
		got, err := tree.Search(t.Context(), search.Limits{Visits: r.Visits})
		require.NoError(t, err)
		var same record
		same.Result.RootInfo, same.Result.MoveInfos = step.RootInfo, step.MoveInfos
		for j := range same.Result.MoveInfos { // fills in fields that these records lack
			m := &same.Result.MoveInfos[j]
			if p, err := g.Size().ParseVertex(m.Move); err == nil && got.Move(p) != nil {
				own := got.Move(p)
				m.EdgeWeight, m.PlaySelectionValue = own.EdgeWeight, own.Selection
				// The record's line includes the pass that ends the main phase of a territory game;
				// our line of an analysis stops before it.
				if n := len(own.PV); own.PVEndsPhase && len(m.Pv) == n && m.Pv[n-1] == "pass" {
					m.Pv = m.Pv[:n-1]
				}
			}
		}
		if d := compare(&same, &got); d.visits != 0 || d.report > 1e-4 || d.pv != 0 {
			t.Errorf("step %d: %+v", k, d)
		}
		p, err := g.Size().ParseVertex(step.Played)
		require.NoError(t, err)
		tree.Advance(g.ToMove(), p)
		require.NoError(t, g.PlayTolerant(g.ToMove(), p))
		require.True(t, tree.Matches(g))
	}
}
