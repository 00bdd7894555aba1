package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
)

// TestFocus: a query's focus applies to each of its turns and to no other query. Playouts spent on
// the focus count towards no limit.
func TestFocus(t *testing.T) {
	s := serve(t, alone(), newHashNet(t))
	s.Send(conform.Query("focus", map[string]any{"focusMoves": []string{"A1", "E1"}, "focusWeights": []float64{3, 1}, "focusProb": 0.6, "maxVisits": 200, "analyzeTurns": []int{0, 1}}))
	for turn := range 2 {
		m := s.Result("focus", turn)
		require.EqualValues(t, 200, m.RootInfo.Visits)
		unweighed := map[string]int64{}
		for _, mi := range m.MoveInfos {
			unweighed[mi.Move] = mi.Visits - mi.EdgeVisits
		}
		require.Greater(t, unweighed["A1"], int64(100), turn)
		require.Greater(t, unweighed["E1"], int64(30), turn)
	}
	s.Send(conform.Query("plain", map[string]any{"maxVisits": 200}))
	for _, mi := range s.Result("plain", 1).MoveInfos {
		require.Less(t, mi.Visits-mi.EdgeVisits, int64(20), mi.Move)
	}
}

// TestSetFocus changes the focus of a waiting turn while another turn is searched. Wrong actions,
// and an action for an unknown query, change nothing.
func TestSetFocus(t *testing.T) {
	net := newGated(t)
	s := serve(t, alone(), net)
	s.Send(conform.Query("q", map[string]any{"maxVisits": 100, "analyzeTurns": []int{0, 1}, "focusMoves": []string{"A1"}}))
	<-net.asked // the first turn is being searched
	for _, c := range []struct{ action, field, fault string }{
		{`"focusMoves":["A1"]`, "targetId", `Requests for a set_focus action must have a string "targetId" field`},
		{`"targetId":7`, "targetId", `Requests for a set_focus action must have a string "targetId" field`},
		{`"targetId":"q","turnNumbers":"x"`, "turnNumbers", "If provided, must be an array of integers indicating turns to change the focus of"},
		{`"targetId":"q","focusMoves":"A1"`, "focusMoves", "Must be an array of GTP board vertices"},
		{`"targetId":"q","focusMoves":["B2","F1"]`, "focusMoves", "Could not parse board location: F1"},
		{`"targetId":"q","focusMoves":["B2"],"focusWeights":[0]`, "focusWeights", "Must be an array of positive numbers with the same length as focusMoves"},
		{`"targetId":"q","focusMoves":["F1"],"focusProb":2`, "focusProb", "Must be a number from 0.0 to 1.0"},
	} {
		s.Send(`{"id":"bad","action":"set_focus",` + c.action + `}`)
		require.Equal(t, map[string]any{"id": "bad", "error": c.fault, "field": c.field}, s.Next().Raw)
	}
	for _, echoed := range []map[string]any{
		{"action": "set_focus", "focusMoves": []any{"B2"}, "id": "f", "targetId": "q", "turnNumbers": []any{1.0}},
		{"action": "set_focus", "focusMoves": []any{"F1"}, "id": "f", "targetId": "nobody"},
	} {
		s.Send(echoed)
		require.Equal(t, echoed, s.Next().Raw)
	}
	net.open()
	for turn, focus := range []string{"A1", "B2"} {
		more := map[string]int64{}
		for _, mi := range s.Result("q", turn).MoveInfos {
			more[mi.Move] = mi.Visits - mi.EdgeVisits
		}
		require.Greater(t, more[focus], int64(40))
		require.Less(t, more[map[string]string{"A1": "B2", "B2": "A1"}[focus]], int64(40))
	}
}

// TestSetFocusEnds: an action without moves removes the focus of a running search.
func TestSetFocusEnds(t *testing.T) {
	net := newGated(t)
	s := serve(t, alone(), net)
	s.Send(conform.Query("q", map[string]any{"maxVisits": 100, "focusMoves": []string{"A1"}, "focusProb": 1}))
	<-net.asked
	s.Send(`{"id":"end","action":"set_focus","targetId":"q"}`)
	require.Equal(t, "end", s.Next().ID)
	net.open()
	for _, mi := range s.Result("q", 1).MoveInfos {
		require.Less(t, mi.Visits-mi.EdgeVisits, int64(20), mi.Move)
	}
}
