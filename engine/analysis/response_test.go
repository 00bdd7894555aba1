package analysis

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search"
	"kosumi/search/thinking"
)

// found is a result with a different number in every field.
func found(toMove board.Color) *search.Result {
	pass := thinking.Move{Move: board.Pass, Order: 1, SymmetryOf: 3, Value: thinking.Value{Winrate: 0.5}, PV: []board.Point{board.Pass}}
	return &search.Result{Analysis: thinking.Analysis{
		Size: board.Square(2), ToMove: toMove,
		Moves: []thinking.Move{{
			Move: 0, Visits: 10, EdgeVisits: 9, Weight: 8, EdgeWeight: 7, Prior: 0.25, LCB: 0.625, UtilityLCB: 0.375,
			Value:     thinking.Value{Winrate: 0.75, NoResult: 0.125, Utility: 0.5, Lead: 3, ScoreMean: 4, ScoreStdev: 5},
			Selection: 6, SymmetryOf: board.NoPoint,
			PV: []board.Point{0, 3, board.Pass}, PVVisits: []int64{10, 5, 1}, PVEdgeVisits: []int64{9, 4, 1},
			Ownership: []float32{1, -0.5, 0.25, 0}, OwnershipStdev: []float32{0.5, 0.25, 0, 1},
		}, pass},
		Root: thinking.Root{
			Visits: 11, Weight: 12,
			Value: thinking.Value{Winrate: 0.75, NoResult: 0.25, Utility: 0.5, Lead: 2, ScoreMean: 1.5, ScoreStdev: 3},
			Raw:   thinking.Raw{Winrate: 0.25, NoResult: 0.125, ScoreMean: -1, ScoreStdev: 6, Lead: -2, WinrateError: 0.5, ScoreError: 7, VarTimeLeft: 8},
		},
		Policy:    []float32{0.5, -1, 0.25, 0.125, 0.125},
		Ownership: []float32{0.5, -0.25, 0, -1}, OwnershipStdev: []float32{0.125, 0, 1, 0.5},
	}}
}

// inJSON is a response as a client decodes it.
func inJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(text, &m))
	return m
}

// TestPerspectives requires that all numbers follow the perspective, except policy, standard
// deviations and the probability of no result.
func TestPerspectives(t *testing.T) {
	everything := thinking.Details{Ownership: true, OwnershipStdev: true, MovesOwnership: true, MovesOwnershipStdev: true,
		Policy: true, PVVisits: true, NoResult: true}
	for _, c := range []struct {
		view    board.Color
		toMove  board.Color
		flipped bool
	}{
		{board.Empty, board.Black, false}, {board.Black, board.Black, false}, {board.White, board.Black, true},
		{board.Empty, board.White, false}, {board.Black, board.White, true}, {board.White, board.White, false},
	} {
		task := &task{turn: 7, hash: "cd", symHash: "ab", query: &query{id: "q", record: record{size: board.Square(2)}, view: c.view, want: everything, pvLen: 2}}
		got := inJSON(t, task.response(found(c.toMove), true))
		sign, chance := 1.0, func(x float64) float64 { return x }
		if c.flipped {
			sign, chance = -1, func(x float64) float64 { return 1 - x }
		}
		signed := func(values ...float64) []any {
			var out []any
			for _, x := range values {
				out = append(out, sign*x)
			}
			return out
		}
		player := map[board.Color]string{board.Black: "B", board.White: "W"}[c.toMove]
		require.Equal(t, map[string]any{
			"visits": 11.0, "weight": 12.0, "winrate": chance(0.75), "scoreLead": sign * 2,
			"scoreSelfplay": sign * 1.5, "scoreStdev": 3.0, "utility": sign * 0.5, "currentPlayer": player,
			"thisHash": "cd", "symHash": "ab", "rawWinrate": chance(0.25), "rawLead": sign * -2,
			"rawScoreSelfplay": sign * -1, "rawScoreSelfplayStdev": 6.0, "rawNoResultProb": 0.125, "rawStWrError": 0.5,
			"rawStScoreError": 7.0, "rawVarTimeLeft": 8.0,
		}, got["rootInfo"])
		moves := got["moveInfos"].([]any)
		require.Equal(t, map[string]any{
			"move": "A2", "visits": 10.0, "edgeVisits": 9.0, "weight": 8.0, "edgeWeight": 7.0, "prior": 0.25, "order": 0.0,
			"winrate": chance(0.75), "lcb": chance(0.625), "noResultValue": 0.125, "utility": sign * 0.5, "utilityLcb": sign * 0.375,
			"scoreMean": sign * 3, "scoreLead": sign * 3, "scoreSelfplay": sign * 4, "scoreStdev": 5.0, "playSelectionValue": 6.0,
			"pv": []any{"A2", "B1"}, "pvVisits": []any{10.0, 5.0}, "pvEdgeVisits": []any{9.0, 4.0},
			"ownership": signed(1, -0.5, 0.25, 0), "ownershipStdev": []any{0.5, 0.25, 0.0, 1.0},
		}, moves[0])
		require.Equal(t, "B1", moves[1].(map[string]any)["isSymmetryOf"])
		require.Equal(t, "pass", moves[1].(map[string]any)["move"])
		require.Equal(t, signed(0.5, -0.25, 0, -1), got["ownership"])
		require.Equal(t, []any{0.125, 0.0, 1.0, 0.5}, got["ownershipStdev"])
		require.Equal(t, []any{0.5, -1.0, 0.25, 0.125, 0.125}, got["policy"])
		require.Equal(t, 7.0, got["turnNumber"])
		require.Equal(t, true, got["isDuringSearch"])
		require.Equal(t, "q", got["id"])
	}
}

// TestUnwishedIsLeftOut requires that a reply has only the requested fields.
func TestUnwishedIsLeftOut(t *testing.T) {
	task := &task{query: &query{record: record{size: board.Square(2)}, pvLen: 15}}
	got := inJSON(t, task.response(found(board.Black), false))
	for _, key := range []string{"ownership", "ownershipStdev", "policy", "noResults"} {
		require.NotContains(t, got, key)
	}
	move := got["moveInfos"].([]any)[0].(map[string]any)
	for _, key := range []string{"ownership", "ownershipStdev", "pvVisits", "pvEdgeVisits", "noResultValue", "isSymmetryOf"} {
		require.NotContains(t, move, key)
	}
	require.NotContains(t, got["rootInfo"], "noResultValue")
	require.Equal(t, []any{"A2", "B1", "pass"}, move["pv"])

	none := inJSON(t, task.response(&search.Result{Analysis: thinking.Analysis{ToMove: board.White, Root: thinking.Root{Visits: 1}}}, false))
	require.Equal(t, []any{}, none["moveInfos"], "a list, also where no move was searched")
	require.Equal(t, map[string]any{"id": "", "turnNumber": 0.0, "isDuringSearch": false, "noResults": true}, inJSON(t, noResults(task)))
}

// TestBrokenNumbers: a reply is valid JSON although every number is NaN or infinite.
func TestBrokenNumbers(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, view := range []board.Color{board.Black, board.White} {
			task := &task{query: &query{record: record{size: board.Square(2)}, view: view, pvLen: 15, want: thinking.Details{Ownership: true, OwnershipStdev: true,
				MovesOwnership: true, MovesOwnershipStdev: true, Policy: true, PVVisits: true, NoResult: true}}}
			r := found(board.Black)
			broken := []float32{float32(bad), float32(bad), 0, 1}
			r.Policy, r.Ownership, r.OwnershipStdev = broken, broken, broken
			value := thinking.Value{Winrate: bad, NoResult: bad, Utility: bad, Lead: bad, ScoreMean: bad, ScoreStdev: bad}
			r.Root = thinking.Root{Visits: 1, Weight: bad, Value: value,
				Raw: thinking.Raw{Winrate: bad, NoResult: bad, ScoreMean: bad, ScoreStdev: bad, Lead: bad, WinrateError: bad, ScoreError: bad, VarTimeLeft: bad}}
			r.Moves[0] = thinking.Move{Weight: bad, EdgeWeight: bad, Prior: float32(bad), Value: value, LCB: bad, UtilityLCB: bad, Selection: bad,
				PV: []board.Point{0}, Ownership: broken, OwnershipStdev: broken}
			got := inJSON(t, task.response(r, false))
			require.NotNil(t, got["rootInfo"])
			require.Len(t, got["ownership"], 4)
		}
	}
}
