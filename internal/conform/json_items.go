package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// checkInterleaved sends many queries at once, some with reports during the search. The method Next
// checks that nothing follows a final result.
func checkInterleaved(s *Analysis) {
	const queries = 100
	rng := rand.New(rand.NewPCG(56, 1))
	want := map[turn]bool{}
	var script strings.Builder
	for i := range queries {
		id := fmt.Sprintf("q%d", i)
		q := Query(id, map[string]any{
			"moves":     [][2]string{{"B", "C3"}, {"W", "B2"}, {"B", "D2"}, {"W", "B4"}},
			"maxVisits": 1 + rng.IntN(12),
		})
		switch turns := rng.Perm(5)[:1+rng.IntN(3)]; i % 3 {
		case 0:
			q["priority"] = rng.Int64N(2000) - 1000
			want[turn{id, 4}] = true
		case 1:
			q["analyzeTurns"], q["priorities"] = turns, rng.Perm(len(turns))
			for _, n := range turns {
				want[turn{id, n}] = true
			}
		default:
			q["analyzeTurns"], q["reportDuringSearchEvery"] = turns, 0.001
			for _, n := range turns {
				want[turn{id, n}] = true
			}
		}
		text, err := json.Marshal(q)
		require.NoError(s.T, err)
		script.Write(append(text, '\n'))
	}
	go s.In.Write([]byte(script.String())) // concurrently, since answers arrive before the engine has read everything
	for n := 0; n < len(want); {
		m := s.Next()
		require.True(s.T, m.isResult(), "%v", m.Raw)
		key := turn{m.ID, m.TurnNumber}
		require.True(s.T, want[key], "nobody asked for %v", key)
		require.False(s.T, m.NoResults)
		if !m.IsDuringSearch {
			n++
		}
	}
	s.Alive()
}

// checkTerminate stops queries in every state they can be in.
func checkTerminate(s *Analysis) {
	long := func(id string, priority int) map[string]any {
		return Query(id, map[string]any{"maxVisits": endless, "priority": priority, "boardXSize": 9, "boardYSize": 9})
	}
	terminate := func(changes map[string]any) {
		request := map[string]any{"id": "t", "action": "terminate"}
		maps.Copy(request, changes)
		s.Send(request)
		m := s.Answer() // arrives after the results of waiting queries, before those of running ones
		for k := range request {
			require.Contains(s.T, m.Raw, k, "the echo of the request")
		}
	}
	s.Send(Query("done", nil))
	s.Result("done", 1)
	terminate(map[string]any{"terminateId": "done"})
	terminate(map[string]any{"terminateId": "never asked"})

	// Run one query, and queue more than can run with it.
	running := long("running", 100)
	running["reportDuringSearchEvery"] = 0.02
	s.Send(running)
	require.True(s.T, s.Next().IsDuringSearch)
	const more = 40
	for i := range more {
		q := long(fmt.Sprintf("more %d", i), -i)
		q["analyzeTurns"] = []int{0, 1}
		s.Send(q)
	}
	last := fmt.Sprintf("more %d", more-1)
	terminate(map[string]any{"terminateId": last, "turnNumbers": []int{1}})
	require.True(s.T, s.seen[turn{last, 1}], "it was waiting")
	terminate(map[string]any{"terminateId": "running"})
	require.Positive(s.T, s.Result("running", 1).RootInfo.Visits)
	terminate(map[string]any{"action": "terminate_all", "turnNumbers": []int{1}})
	for i := range more - 1 {
		s.finished(fmt.Sprintf("more %d", i), 1)
	}
	terminate(map[string]any{"action": "terminate_all"})
	for i := range more {
		s.finished(fmt.Sprintf("more %d", i), 0)
	}
	s.Send(Query("after", nil))
	require.False(s.T, s.Result("after", 1).NoResults)
}

// finished requires that the final result of a turn has been read or comes next.
func (s *Analysis) finished(id string, number int) {
	for !s.seen[turn{id, number}] {
		m := s.Next()
		require.True(s.T, m.isResult() && !m.IsDuringSearch, "%v", m.Raw)
	}
}

func checkErrors(s *Analysis) {
	for _, line := range []string{
		"{", "nonsense", "[]", "5", "null", `"text"`, `{"id":5}`, `{"id":null}`, `{}`, `{"id":["x"]}`, `{"id":"x"} {"id":"y"}`,
		"\x00\xff", `{"id":"x","action":"dance"}`,
	} {
		s.Send(line)
		m := s.Next()
		require.NotEmpty(s.T, m.Error, line)
		require.NotContains(s.T, m.Raw, "id", line)
	}
	for _, bad := range []struct {
		field   string
		changes map[string]any
	}{
		{"boardXSize", map[string]any{"boardXSize": 29, "boardYSize": 29}},
		{"boardYSize", map[string]any{"boardYSize": 1}},
		{"rules", map[string]any{"rules": "martian"}},
		{"komi", map[string]any{"komi": 6.3}},
		{"moves", map[string]any{"moves": [][2]string{{"B", "C3"}, {"W", "C3"}}}},
		{"moves", map[string]any{"moves": [][2]string{{"B", "J9"}}}},
		{"maxVisits", map[string]any{"maxVisits": 0}},
		{"analyzeTurns", map[string]any{"analyzeTurns": []int{2}}},
		{"overrideSettings", map[string]any{"overrideSettings": map[string]any{"reportAnalysisWinratesAs": "RED"}}},
		{"includePolicy", map[string]any{"includePolicy": "perhaps"}},
	} {
		s.Send(Query("bad", bad.changes))
		m := s.Next()
		require.NotEmpty(s.T, m.Error, "%v", bad.changes)
		require.Equal(s.T, bad.field, m.Field, "%v", m.Raw)
		require.Equal(s.T, "bad", m.ID)
	}
	s.Send(`{"id":"t","action":"terminate"}`)
	require.Equal(s.T, "terminateId", s.Next().Field)

	s.Send(Query("odd", map[string]any{"favouriteColour": "blue", "overrideSettings": map[string]any{"noSuchSetting": 1}}))
	fields := map[string]bool{}
	for range 2 {
		m := s.Next()
		require.NotEmpty(s.T, m.Warning, "%v", m.Raw)
		require.Equal(s.T, "odd", m.ID)
		fields[m.Field] = true
	}
	require.Equal(s.T, map[string]bool{"favouriteColour": true, "overrideSettings": true}, fields)
	require.False(s.T, s.Result("odd", 1).NoResults, "a warning refuses nothing")
	s.Alive()
}

// positions are cases with every kind of illegal move, with the end of the game, and with odd boards.
var positions = []struct {
	name    string
	changes map[string]any
}{
	{"opening", nil},
	{"rectangle", map[string]any{"boardXSize": 9, "boardYSize": 6}},
	{"ko", map[string]any{"moves": moves("B B2 W C2 B A1 W D1 B C1 W B1")}},
	{"suicide", map[string]any{"initialStones": moves("B A2 B B1 B B2 W E5"), "initialPlayer": "W", "moves": moves("")}},
	{"two passes", map[string]any{"moves": moves("B C3 W pass B pass")}},
	{"no stone", map[string]any{"moves": moves("")}},
	{"one visit", map[string]any{"maxVisits": 1}},
	{"small", map[string]any{"boardXSize": 2, "boardYSize": 2, "moves": moves("B A1 W B2")}},
	{"full", map[string]any{"boardXSize": 2, "boardYSize": 2, "moves": moves("B A1 W pass B B2 W pass B A2"), "rules": "tromp-taylor"}},
	{"far ahead", map[string]any{"moves": moves("B C3"), "komi": -400, "maxVisits": 40}},
}

// moves reads "B C3 W D4".
func moves(text string) [][2]string {
	words := strings.Fields(text)
	list := make([][2]string, 0, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		list = append(list, [2]string{words[i], words[i+1]})
	}
	return list
}

func checkNumbers(s *Analysis) {
	for _, p := range positions {
		wishes := map[string]any{
			"includePolicy": true, "includeOwnership": true, "includeOwnershipStdev": true, "includeMovesOwnership": true,
			"includePVVisits": true, "includeNoResultValue": true, "analysisPVLen": 3, "maxVisits": 12,
		}
		maps.Copy(wishes, p.changes)
		q := Query(p.name, wishes)
		s.Send(q)
		m := s.Result(p.name, len(q["moves"].([][2]string)))
		require.False(s.T, m.NoResults)
		g := gameOf(s, q)
		area := g.Size().Area()
		legal := g.LegalMoves(nil)
		require.Len(s.T, m.Policy, area+1, p.name)
		sum := 0.0
		for i, prior := range m.Policy {
			if !legal[i] {
				require.Equal(s.T, -1.0, prior, "%s: %s", p.name, g.Size().Vertex(g.Size().FromIndex(i)))
				continue
			}
			require.True(s.T, 0 <= prior && prior <= 1, "%s: %v", p.name, prior)
			sum += prior
		}
		require.InDelta(s.T, 1, sum, 1e-3, p.name)
		checkOwnershipOf(s, &m, area)
		for _, mi := range m.MoveInfos {
			require.LessOrEqual(s.T, len(mi.PV), 4, "the move and three more")
			require.Len(s.T, mi.PVVisits, len(mi.PV))
		}
	}
}

func checkOwnershipOf(s *Analysis, m *Message, area int) {
	require.Len(s.T, m.Ownership, area, m.ID)
	require.Len(s.T, m.OwnershipStdev, area, m.ID)
	for i := range area {
		require.LessOrEqual(s.T, math.Abs(m.Ownership[i]), 1.0)
		require.GreaterOrEqual(s.T, m.OwnershipStdev[i], 0.0)
	}
	for _, mi := range m.MoveInfos {
		if mi.Visits > 0 {
			require.Len(s.T, mi.Ownership, area, "%s %s", m.ID, mi.Move)
		}
	}
}

// gameOf plays the game that a query asks about.
func gameOf(s *Analysis, q map[string]any) *board.Game {
	rules, err := board.ParseRules(q["rules"].(string))
	require.NoError(s.T, err)
	g, err := board.NewGame(board.Size{W: q["boardXSize"].(int), H: q["boardYSize"].(int)}, rules)
	require.NoError(s.T, err)
	list := func(field string) (all []board.Move) {
		pairs, _ := q[field].([][2]string)
		for _, pair := range pairs {
			c, err := board.ParseColor(pair[0])
			require.NoError(s.T, err)
			p, err := g.Size().ParseVertex(pair[1])
			require.NoError(s.T, err)
			all = append(all, board.Move{Color: c, Point: p})
		}
		return all
	}
	var stones [3][]board.Point
	for _, m := range list("initialStones") {
		stones[m.Color] = append(stones[m.Color], m.Point)
	}
	first := board.Black
	if q["initialPlayer"] == "W" {
		first = board.White
	}
	require.NoError(s.T, g.Setup(stones[board.Black], stones[board.White], first))
	for _, m := range list("moves") {
		require.NoError(s.T, g.PlayTolerant(m.Color, m.Point))
	}
	return g
}

func checkEnd(s *Analysis) {
	const queries = 20
	for i := range queries {
		s.Send(Query(fmt.Sprintf("q%d", i), map[string]any{"maxVisits": 30}))
	}
	require.NoError(s.T, s.In.Close())
	for range queries {
		m := s.Next()
		require.True(s.T, m.isResult() && !m.NoResults, "%v", m.Raw)
	}
	s.Ends(true)
	_, more := <-s.Lines
	require.False(s.T, more)

	idle := s.again(s.T)
	idle.Alive()
	require.NoError(s.T, idle.In.Close())
	idle.Ends(true)

	hasty := s.again(s.T, "-quit-without-waiting")
	for i := range queries {
		hasty.Send(Query(fmt.Sprintf("q%d", i), map[string]any{"maxVisits": endless, "reportDuringSearchEvery": 0.01}))
	}
	require.True(s.T, hasty.Next().IsDuringSearch)
	require.NoError(s.T, hasty.In.Close())
	hasty.Ends(true)
}
