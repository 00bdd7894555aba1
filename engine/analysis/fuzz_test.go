package analysis

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzHandle sends arbitrary lines to a server and ends all searches. Every line of output must be
// a JSON object. There are at least as many answers as lines of input, at most two errors a line,
// and exactly one final result for each turn to analyse.
func FuzzHandle(f *testing.F) {
	for _, seed := range []string{
		query5Text("q"), `{"id":"x","action":"query_version"}`, `{"id":"x","action":"query_models"}`, `{"id":"x","action":"clear_cache"}`,
		`{"id":"x","action":"terminate","terminateId":"q","turnNumbers":[1]}`, `{"id":"x","action":"terminate_all"}`,
		`{"id":"x","action":"set_focus","targetId":"q","turnNumbers":[1],"focusMoves":["A1","pass"],"focusWeights":[1,2],"focusProb":0.5}`,
		"{}", "[]", "null", "{", "\x00", `{"id":"\ud800"}`, `{"id":5}`, "\r\n\r\n" + query5Text("a") + "\n" + query5Text("b"),
		`{"id":"all","initialStones":[["B","A1"]],"initialPlayer":"W","moves":[["W","C3"]],"rules":{"ko":"SIMPLE","scoring":"TERRITORY"},` +
			`"komi":0.5,"whiteHandicapBonus":"N","boardXSize":3,"boardYSize":4,"analyzeTurns":[0,1],"maxVisits":3,"analysisPVLen":2,` +
			`"rootPolicyTemperature":2,"rootFpuReductionMax":1,"includeOwnership":true,"includeMovesOwnership":true,"includePolicy":true,` +
			`"includePVVisits":true,"includeNoResultValue":true,"avoidMoves":[{"player":"B","moves":["A1","pass"],"untilDepth":2}],` +
			`"overrideSettings":{"maxTime":1,"reportAnalysisWinratesAs":"BLACK","x":1},"reportDuringSearchEvery":1,"priorities":[1,-1],"focusMoves":["A2"],"focusProb":1,"zzz":{}}`,
	} {
		f.Add([]byte(seed))
	}
	net := newHashNet(f)
	c := testConfig()
	c.Threads, c.MaxLine = 2, 1<<14
	c.Limits.Visits = 4
	f.Fuzz(func(t *testing.T, input []byte) {
		s, err := New(c, net, nil)
		require.NoError(t, err)
		var out bytes.Buffer
		lines := append(bytes.Split(input, []byte("\n")), []byte(`{"id":"end","action":"terminate_all"}`)) // some searches are endless
		require.NoError(t, s.Serve(t.Context(), bytes.NewReader(bytes.Join(lines, []byte("\n"))), &out))
		lines = slices.DeleteFunc(lines, func(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 })
		final, other := 0, 0
		for line := range strings.Lines(out.String()) {
			var m map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &m), line)
			require.NotEmpty(t, m)
			switch searching, result := m["isDuringSearch"].(bool); {
			case result && m["action"] == nil && !searching:
				final++
			case !result && m["warning"] == nil:
				other++
			}
		}
		require.EqualValues(t, s.queue.arrived, final)
		require.GreaterOrEqual(t, final+other, len(lines))
		require.LessOrEqual(t, strings.Count(out.String(), `"error":`), 2*len(lines))
	})
}
