package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLife: a query with the field "life" gets a proof at each turn, or the reason why there is
// none, such as a point without a stone. The field does not change the analysis.
func TestLife(t *testing.T) {
	s := serve(t, alone(), newHashNet(t))
	corner := [][]string{{"b", "A8"}, {"b", "B8"}, {"b", "C8"}, {"b", "D8"}, {"b", "D9"},
		{"w", "A7"}, {"w", "B7"}, {"w", "C7"}, {"w", "D7"}, {"w", "E8"}, {"w", "E9"}}
	ask := func(id string, stones ...string) map[string]any {
		s.Send(map[string]any{"id": id, "initialStones": corner, "moves": [][]string{}, "rules": "chinese", "boardXSize": 9, "boardYSize": 9, "maxVisits": 3, "life": stones})
		got := s.Result(id, 0)
		require.EqualValues(t, 3, got.RootInfo.Visits)
		answer, ok := got.Raw["life"].(map[string]any)
		require.True(t, ok, got.Raw)
		return answer
	}
	answer := ask("corner", "B8")
	require.Equal(t, []any{"B8"}, answer["target"])
	for first, verdict := range map[string]string{"attackerFirst": "dead", "defenderFirst": "alive"} {
		card := answer[first].(map[string]any)
		require.Equal(t, verdict, card["verdict"], first)
		require.Equal(t, true, card["proved"], first)
		require.Equal(t, []any{"B9"}, card["moves"], first)
	}
	require.Equal(t, map[string]any{"error": "there is no stone on E5"}, ask("nothing", "E5"))
	require.Contains(t, ask("both", "B8", "B7")["error"], "colour")
	s.Send(map[string]any{"id": "bad", "moves": [][]string{}, "rules": "chinese", "boardXSize": 9, "boardYSize": 9, "life": "B2"})
	require.Equal(t, "life", s.Answer().Raw["field"])
}
