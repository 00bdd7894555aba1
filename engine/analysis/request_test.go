package analysis

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// anyNet serves square boards of odd size and is never evaluated.
type anyNet struct{ nn.Plain }

func (anyNet) Serves(s board.Size) error {
	if s.W%2 == 0 {
		return nn.ErrSize
	}
	return nil
}

// minimal is a query with the required fields only, as JSON texts.
var minimal = map[string]string{
	"moves": `[["B","C3"],["W","pass"]]`, "rules": `"tromp-taylor"`, "boardXSize": "5", "boardYSize": "7",
}

// parse reads the minimal query with some fields replaced; "" removes a field.
func parse(t *testing.T, changes map[string]string) (*query, []fieldError, error) {
	t.Helper()
	s, err := New(takesSettings(), anyNet{}, nil)
	require.NoError(t, err)
	all := maps.Clone(minimal)
	maps.Copy(all, changes)
	fields := map[string]json.RawMessage{}
	for name, text := range all {
		if text != "" {
			require.True(t, json.Valid([]byte(text)), text)
			fields[name] = json.RawMessage(text)
		}
	}
	return s.parseQuery("x", fields)
}

func TestDefaultsOfQuery(t *testing.T) {
	q, warnings, err := parse(t, nil)
	require.NoError(t, err)
	require.Empty(t, warnings)
	size := board.Size{W: 5, H: 7}
	rules := board.TrompTaylor()
	require.Equal(t, float32(7.5), rules.Komi)
	require.Equal(t, &query{
		id: "x",
		record: record{
			size: size, rules: rules, first: board.Black, words: []string{"C3", "pass"},
			options: board.GameOptions{PreventEncore: true, StartBlackMovesAreHandicap: true},
			moves:   []board.Move{{Color: board.Black, Point: size.Point(2, 4)}, {Color: board.White, Point: board.Pass}},
		},
		turns: []int{2}, priorities: []int64{0},
		params: Defaults().Search, limits: search.Limits{Visits: 500}, pvLen: 16,
	}, q)
}

// fieldCase is a change of fields and the query that results.
type fieldCase struct {
	name    string
	changes map[string]string
	want    func(q *query)
}

// fieldsSize is the board size of field cases.
var fieldsSize = board.Size{W: 5, H: 7}

func at(t *testing.T, vertices ...string) (points []board.Point) {
	t.Helper()
	for _, v := range vertices {
		p, err := fieldsSize.ParseVertex(v)
		require.NoError(t, err)
		points = append(points, p)
	}
	return points
}

func positionFields(t *testing.T) []fieldCase {
	return []fieldCase{
		{"size", map[string]string{"boardXSize": "19", "boardYSize": "2", "moves": "[]"}, func(q *query) {
			q.size, q.moves, q.words, q.turns = board.Size{W: 19, H: 2}, []board.Move{}, nil, []int{0}
		}},
		{"rules by any spelling", map[string]string{"rules": `"New ZEALAND"`}, func(q *query) {
			q.rules.Ko, q.rules.FriendlyPassOk, q.rules.Komi = board.KoSituational, true, 7
		}},
		{"rules as object", map[string]string{"rules": `{"ko":"SIMPLE","scoring":"TERRITORY","komi":3.5}`}, func(q *query) {
			q.rules.Ko, q.rules.Scoring, q.rules.Tax, q.rules.Komi = board.KoSimple, board.ScoringTerritory, board.TaxSeki, 3.5
		}},
		{"komi", map[string]string{"komi": "-400"}, func(q *query) { q.rules.Komi = -400 }},
		{"half komi", map[string]string{"komi": "6.5"}, func(q *query) { q.rules.Komi = 6.5 }},
		{"handicap bonus", map[string]string{"whiteHandicapBonus": `"N-1"`}, func(q *query) { q.rules.HandicapBonus = board.BonusNMinus1 }},
		{"initial stones", map[string]string{"initialStones": `[["b","a1"],["WHITE","B2"]]`}, func(q *query) {
			q.stones = []board.Move{{Color: board.Black, Point: at(t, "A1")[0]}, {Color: board.White, Point: at(t, "B2")[0]}}
		}},
		{"handicap", map[string]string{"initialStones": `[["B","A1"],["B","B2"]]`, "moves": "[]"}, func(q *query) {
			q.stones = []board.Move{{Color: board.Black, Point: at(t, "A1")[0]}, {Color: board.Black, Point: at(t, "B2")[0]}}
			q.first, q.moves, q.words, q.turns = board.White, []board.Move{}, nil, []int{0}
		}},
		{"one stone is not a handicap", map[string]string{"initialStones": `[["B","A1"]]`, "moves": "[]"}, func(q *query) {
			q.stones = []board.Move{{Color: board.Black, Point: at(t, "A1")[0]}}
			q.moves, q.words, q.turns = []board.Move{}, nil, []int{0}
		}},
		{"the first mover begins", map[string]string{"moves": `[["w","C3"]]`}, func(q *query) {
			q.first, q.moves, q.words, q.turns = board.White, []board.Move{{Color: board.White, Point: at(t, "C3")[0]}}, []string{"C3"}, []int{1}
		}},
		{"initial player", map[string]string{"initialPlayer": `"w"`}, func(q *query) { q.first = board.White }},
	}
}

func searchFields(t *testing.T) []fieldCase {
	return []fieldCase{
		{"turns", map[string]string{"analyzeTurns": "[2,0,2]", "priority": "-7"}, func(q *query) {
			q.turns, q.priorities = []int{0, 2}, []int64{-7, -7}
		}},
		{"priorities", map[string]string{"analyzeTurns": "[0,1,0]", "priorities": "[4611686018427387903,-5,9]"}, func(q *query) {
			q.turns, q.priorities, q.ownPriorities = []int{0, 1}, []int64{9, -5}, true
		}},
		{"exact priority", map[string]string{"priority": "4611686018427387903"}, func(q *query) { q.priorities = []int64{1<<62 - 1} }},
		{"visits", map[string]string{"maxVisits": "1125899906842624"}, func(q *query) { q.limits.Visits = 1 << 50 }},
		{"root policy", map[string]string{"rootPolicyTemperature": "1.5", "rootFpuReductionMax": "0"}, func(q *query) {
			q.params.Root.PolicyTemperature, q.params.Root.PolicyTemperatureEarly, q.params.FPU.RootReductionMax = 1.5, 1.5, 0
		}},
		{"reports", map[string]string{"reportDuringSearchEvery": "0.25"}, func(q *query) {
			q.reports = schedule{250 * time.Millisecond, 250 * time.Millisecond}
		}},
		{"first report", map[string]string{"reportDuringSearchEvery": "2", "firstReportDuringSearchAfter": "0.001"}, func(q *query) {
			q.reports = schedule{time.Millisecond, 2 * time.Second}
		}},
		{"one report", map[string]string{"firstReportDuringSearchAfter": "1e6"}, func(q *query) { q.reports.first = 1e6 * time.Second }},
		{"avoid", map[string]string{"avoidMoves": `[{"player":"B","moves":["A1","pass"],"untilDepth":3},{"player":"B","moves":[],"untilDepth":1}]`}, func(q *query) {
			q.restrict = []thinking.Restriction{{Color: board.Black, Points: append(at(t, "A1"), board.Pass), Depth: 3}, {Color: board.Black, Depth: 1}}
		}},
		{"allow", map[string]string{"allowMoves": `[{"player":"B","moves":["A1"],"untilDepth":1},{"player":"W","moves":["B2"],"untilDepth":2}]`}, func(q *query) {
			q.restrict = []thinking.Restriction{
				{Color: board.Black, Points: at(t, "A1"), Depth: 1, Allow: true}, {Color: board.White, Points: at(t, "B2"), Depth: 2, Allow: true},
			}
		}},
		{"focus", map[string]string{"focusMoves": `["A1","pass","(2,1)"]`, "focusWeights": "[1,2.5,1e300]", "focusProb": "1"}, func(q *query) {
			q.focus = &thinking.Focus{Moves: append(at(t, "A1"), board.Pass, at(t, "C6")[0]), Weights: []float64{1, 2.5, 1e300}, Prob: 1}
		}},
		{"focus alone", map[string]string{"focusMoves": `["A1"]`}, func(q *query) { q.focus = &thinking.Focus{Moves: at(t, "A1"), Prob: 0.5} }},
		{"no focus", map[string]string{"focusMoves": "[]", "focusWeights": "[]", "focusProb": "0.3"}, func(*query) {}},
		{"details", map[string]string{
			"includeOwnershipStdev": "true", "includeMovesOwnershipStdev": "true", "includePolicy": "true", "includePVVisits": "true",
			"includeNoResultValue": "true", "includeMovesOwnership": "false", "analysisPVLen": "1000",
		}, func(q *query) {
			q.pvLen = 1001
			q.want = thinking.Details{OwnershipStdev: true, MovesOwnershipStdev: true, Policy: true, PVVisits: true, PVEdgeVisits: true, NoResult: true}
			q.limits.Ownership, q.limits.MovesOwnership = true, true
		}},
		{"ownership", map[string]string{"includeOwnership": "true", "includeMovesOwnership": "true"}, func(q *query) {
			q.want.Ownership, q.want.MovesOwnership, q.limits.Ownership, q.limits.MovesOwnership = true, true, true, true
		}},
	}
}

func TestFieldsOfQuery(t *testing.T) {
	for _, c := range slices.Concat(positionFields(t), searchFields(t)) {
		t.Run(c.name, func(t *testing.T) {
			want, _, err := parse(t, nil)
			require.NoError(t, err)
			c.want(want)
			q, warnings, err := parse(t, c.changes)
			require.NoError(t, err)
			require.Empty(t, warnings)
			require.Equal(t, want, q)
		})
	}
}

func TestFaultsOfQuery(t *testing.T) {
	wrong := map[string][]string{
		"boardXSize":                   {"", "1", "26", "29", "-5", "5.5", `"5"`, "true", "null", "1e99", "6"},
		"boardYSize":                   {"", "0", "26", "[]", "null"},
		"rules":                        {"", "5", "null", "[]", `"martian"`, `{"ko":"NONE"}`, `{"kO2":"SIMPLE"}`, `{"komi":"x"}`, `""`},
		"komi":                         {"6.3", "400.5", "-401", `"7"`, "null", "1e999"},
		"whiteHandicapBonus":           {"0", `"n"`, `"M"`, "null"},
		"initialStones":                {"5", "null", `[["B","pass"]]`, `[["B","Z1"]]`, `[["X","A1"]]`, `["B"]`},
		"moves":                        {"", "null", "{}", `[["B"]]`, `[["B","C3","x"]]`, `[["B",3]]`, `[[null,"C3"]]`, `[["B","C3"],["W","C3"]]`, `[["B","C8"]]`, `[["B","I3"]]`},
		"initialPlayer":                {`"x"`, "1", "null", `""`},
		"analyzeTurns":                 {"[3]", "[-1]", "2", `["1"]`, "null", "[]"},
		"maxVisits":                    {"0", "-1", "1.5", "1125899906842625", `"100"`, "null", "1e30"},
		"analysisPVLen":                {"0", "1001", "true"},
		"rootPolicyTemperature":        {"0", "101", "[]"},
		"rootFpuReductionMax":          {"-0.1", "2.1"},
		"includeOwnership":             {"1", `"true"`, "null"},
		"includeOwnershipStdev":        {"0"},
		"includeMovesOwnership":        {"{}"},
		"includeMovesOwnershipStdev":   {"2"},
		"includePolicy":                {`"yes"`},
		"includePVVisits":              {"[]"},
		"includeNoResultValue":         {"3"},
		"avoidMoves":                   {"5", `[{}]`, `[{"player":"B","moves":["A1"]}]`, `[{"player":"B","moves":["A1"],"untilDepth":0}]`, `[{"player":"B","untilDepth":1}]`, `[{"player":"B","moves":["Z1"],"untilDepth":1}]`, `[{"player":"Q","moves":["A1"],"untilDepth":1}]`},
		"allowMoves":                   {`[{"player":"B","moves":["A1"],"untilDepth":1},{"player":"B","moves":["A2"],"untilDepth":1}]`, "null"},
		"focusMoves":                   {"5", "null", `"A1"`, `["Z1"]`, `["A1",null]`, `[["B","A1"]]`, `[""]`},
		"focusWeights":                 {"[1]", "5", "null", `"1"`},
		"focusProb":                    {"-0.1", "1.01", "null", `"0.5"`, "[0.5]", "1e999"},
		"overrideSettings":             {"5", "null", `{"reportAnalysisWinratesAs":"RED"}`, `{"maxTime":-1}`, `{"maxTime":"soon"}`, `{"wideRootNoise":6}`, `{"maxVisits":0}`, `{"conservativePass":"maybe"}`, `{"rootNumSymmetriesToSample":9}`, `{"playoutDoublingAdvantagePla":"X"}`, `{"ignorePreRootHistory":null}`},
		"reportDuringSearchEvery":      {"0", "0.0001", "1000001", `"1"`},
		"firstReportDuringSearchAfter": {"0", "-1"},
		"priority":                     {"1.5", `"5"`, "4611686018427387905", "-4611686018427387905", "9223372036854775808"},
		"priorities":                   {"[1]", "5", "null"},
	}
	for field, texts := range wrong {
		for _, text := range texts {
			_, _, err := parse(t, map[string]string{field: text})
			require.Error(t, err, "%s %s", field, text)
			if got := err.(fieldError).field; !slices.Contains([]string{"player", "moves", "untilDepth"}, got) { // a field inside a restriction
				require.Equal(t, field, got, "%s %s: %v", field, text, err)
			}
			require.NotEmpty(t, err.(fieldError).text)
		}
	}
	for field, changes := range map[string]map[string]string{
		"priority":   {"priority": "1", "priorities": "[1]", "analyzeTurns": "[0]"},
		"priorities": {"priorities": "[1,2]", "analyzeTurns": "[0]"},
		"allowMoves": {"allowMoves": "[]", "avoidMoves": "[]"},
	} {
		_, _, err := parse(t, changes)
		require.Error(t, err, "%v", changes)
		require.Equal(t, field, err.(fieldError).field, "%v", err)
	}
	for _, weights := range []string{"[]", "[1,2]", "[0]", "[-1]", `["1"]`, "[null]", "[true]", "[1e999]"} {
		_, _, err := parse(t, map[string]string{"focusMoves": `["A1"]`, "focusWeights": weights})
		require.EqualError(t, err, "focusWeights: Must be an array of positive numbers with the same length as focusMoves", weights)
	}
	_, _, err := parse(t, map[string]string{"priorities": "[4611686018427387905]", "analyzeTurns": "[0]"})
	require.ErrorContains(t, err, "Invalid priority: 4611686018427387905")
	_, _, err = parse(t, map[string]string{"moves": `[["B","C3"],["W","D4"],["B","D4"]]`})
	require.EqualError(t, err, "moves: Illegal move 2: D4")
	_, _, err = parse(t, map[string]string{"moves": `[["B","A2"],["W","E5"],["B","B1"],["W","A1"]]`})
	require.EqualError(t, err, "moves: Illegal move 3: A1", "the suicide of a single stone")
}

// TestTolerance: irregular moves of real records are accepted: ko, suicide, one colour twice.
func TestTolerance(t *testing.T) {
	for name, moves := range map[string]string{
		"twice":   `[["B","C3"],["B","D4"],["W","A1"],["W","B1"]]`,
		"ko":      `[["B","B1"],["W","C1"],["B","A2"],["W","D2"],["B","B3"],["W","C3"],["B","C2"],["W","B2"],["B","C2"]]`,
		"suicide": `[["B","A2"],["W","A1"],["B","B2"],["W","E5"],["B","C1"],["W","B1"]]`,
	} {
		q, _, err := parse(t, map[string]string{"moves": moves, "rules": `"chinese"`})
		require.NoError(t, err, name)
		g, err := q.position(len(q.moves))
		require.NoError(t, err)
		require.Equal(t, q.moves[len(q.moves)-1].Color.Opponent(), g.ToMove())
		if name == "twice" {
			require.Equal(t, 1, g.NumMoves(), "a game begins where a colour moves twice")
		}
	}
}

const unexpected = "Unexpected or unused field, do you have a typo? (set warnUnusedFields=false in the config to disable this warning)"

func TestWarnings(t *testing.T) {
	_, warnings, err := parse(t, map[string]string{
		"zebra": "1", "action2": "{}", "overrideSettings": `{"noSuch":1,"another":[],"delayMoveMax":5,"useEvalCache":false,"midgameTimeFactor":0.1,"humanSLProfile":""}`,
	})
	require.NoError(t, err)
	require.Equal(t, []fieldError{
		{"overrideSettings", "Unknown config params: another,delayMoveMax,noSuch"},
		{"overrideSettings", "Config params without effect here: midgameTimeFactor"},
		{"action2", unexpected}, {"zebra", unexpected},
	}, warnings)
}

func TestOverrides(t *testing.T) {
	require.False(t, Defaults().Search.AntiMirror, "positions are judged by themselves")
	for _, c := range []struct {
		text string
		want func(q *query)
	}{
		{`{"reportAnalysisWinratesAs":"black"}`, func(q *query) { q.view = board.Black }},
		{`{"reportAnalysisWinratesAs":"SIDETOMOVE"}`, func(*query) {}},
		{`{"maxTime":2.5}`, func(q *query) { q.limits.Time = 2500 * time.Millisecond }},
		{`{"maxTime":"2.5"}`, func(q *query) { q.limits.Time = 2500 * time.Millisecond }},
		{`{"maxTime":1e20}`, func(*query) {}},
		{`{"maxTime":0}`, func(q *query) { q.limits.Time = 1 }},
		{`{"maxVisits":7,"maxPlayouts":8}`, func(q *query) { q.limits.Visits, q.limits.Playouts = 7, 8 }},
		{`{"wideRootNoise":0,"playoutDoublingAdvantage":-1.5,"playoutDoublingAdvantagePla":"WHITE"}`, func(q *query) {
			q.params.Root.WideNoise, q.params.Net.PlayoutDoublingAdvantage, q.params.Net.AdvantageFor = 0, -1.5, board.White
		}},
		{`{"ignorePreRootHistory":"false","conservativePass":false,"rootNumSymmetriesToSample":"2"}`, func(q *query) {
			q.params.Pass.IgnorePreRootHistory, q.params.Pass.Conservative, q.params.Root.NumSymmetries = false, false, 2
		}},
		{`{"antiMirror":true}`, func(q *query) { q.params.AntiMirror = true }},
		{`{"rootPolicyTemperature":2}`, func(q *query) {
			q.params.Root.PolicyTemperature, q.params.Root.PolicyTemperatureEarly = 2, 2
		}},
	} {
		want, _, err := parse(t, nil)
		require.NoError(t, err)
		c.want(want)
		q, warnings, err := parse(t, map[string]string{"overrideSettings": c.text})
		require.NoError(t, err, c.text)
		require.Empty(t, warnings, c.text)
		require.Equal(t, want, q, c.text)
	}
	q, _, err := parse(t, map[string]string{"overrideSettings": `{"maxVisits":7}`, "maxVisits": "9"})
	require.NoError(t, err)
	require.EqualValues(t, 9, q.limits.Visits, "the query's own field counts")
}

func TestParsePerspective(t *testing.T) {
	for name, want := range map[string]board.Color{"BLACK": board.Black, "white": board.White, "SideToMove": board.Empty, "b": board.Black} {
		got, err := ParsePerspective(name)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := ParsePerspective("RED")
	require.ErrorContains(t, err, `"RED"`)
}
