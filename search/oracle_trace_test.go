package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/search"
)

// traceRecord is a KataGo search, playout by playout.
type traceRecord struct {
	record
	Playouts []struct {
		Path, Kind              string // kind: eval, terminal or catchup
		Counted                 *bool  // false: the visit was to a pass and has no weight
		LeafUtility, LeafWeight float64
		RootVisits              int64
		RootUtility, RootWeight float64
	}
}

// TestTracesOracle follows KataGo searches step by step: each playout takes the same path, ends
// the same way, and leaves the root with the same averages.
func TestTracesOracle(t *testing.T) {
	settings := katagoSettings(t, "search")
	eachRecord(t, "traces", func(i int) bool { return i%6 < 2 }, func(t *testing.T, r *traceRecord, nets networks) { r.check(t, nets, settings) })
}

func (r *traceRecord) check(t *testing.T, nets networks, settings map[string]map[string]string) {
	tree, g := r.begin(t, nets, settings)
	k := 0
	err := tree.Trace(t.Context(), r.Visits, func(got search.Step) {
		require.Less(t, k, len(r.Playouts))
		want := &r.Playouts[k]
		var path []string
		for _, p := range got.Path {
			path = append(path, g.Size().Vertex(p))
		}
		require.Equal(t, want.Path, strings.Join(path, " "), "playout %d", k)
		require.Equal(t, want.Counted == nil || *want.Counted, got.Counted, "playout %d", k)
		require.Equal(t, want.Counted != nil && !*want.Counted, got.Mute, "playout %d", k)
		switch want.Kind {
		case "eval":
			require.True(t, got.Evaluated, "playout %d", k)
		case "terminal":
			require.True(t, got.Terminal, "playout %d", k)
		case "catchup":
			require.True(t, got.CaughtUp && !got.Evaluated && !got.Terminal, "playout %d", k)
		default:
			t.Fatalf("unknown kind %q", want.Kind)
		}
		if want.Kind != "catchup" {
			require.InDelta(t, want.LeafUtility, got.LeafUtility, 1e-4, "playout %d", k)
			require.InEpsilon(t, want.LeafWeight, got.LeafWeight, 1e-3, "playout %d", k)
		}
		require.Equal(t, want.RootVisits, got.RootVisits, "playout %d", k)
		require.InDelta(t, want.RootUtility, got.RootUtility, 1e-4, "playout %d", k)
		require.InEpsilon(t, want.RootWeight, got.RootWeight, 1e-3, "playout %d", k)
		k++
	})
	require.NoError(t, err)
	require.Equal(t, len(r.Playouts), k)
}
