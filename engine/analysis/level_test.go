package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
)

// TestLevelMove: a query with a level gets a legal move in its last message, one without gets
// none, and an unknown level is refused.
func TestLevelMove(t *testing.T) {
	s := serve(t, alone(), newHashNet(t))
	moves := [][]string{{"b", "C3"}, {"w", "C2"}, {"b", "B2"}}
	for _, name := range []string{"10k", "1K"} {
		s.Send(conform.Query("q"+name, map[string]any{"moves": moves, "level": name, "maxVisits": 3}))
		got := s.Result("q"+name, 3)
		require.EqualValues(t, 3, got.RootInfo.Visits, "the analysis is what was asked for")
		chosen, ok := got.Raw["levelMove"].(map[string]any)
		require.True(t, ok, got.Raw)
		require.NotContains(t, []any{"C3", "C2", "B2"}, chosen["move"])
		require.NotEmpty(t, chosen["note"])
	}
	s.Send(conform.Query("plain", map[string]any{"moves": moves, "maxVisits": 3}))
	require.NotContains(t, s.Result("plain", 3).Raw, "levelMove")
	s.Send(conform.Query("bad", map[string]any{"level": "10p"}))
	got := s.Answer()
	require.Equal(t, "level", got.Raw["field"])
	require.Contains(t, got.Raw["error"], "30k to 1k")
}
