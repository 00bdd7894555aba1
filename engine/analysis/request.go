package analysis

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/search"
	"kosumi/search/thinking"
)

// query is one checked request for analysis.
type query struct {
	id string
	record
	turns      []int   // turns to analyse, each once
	priorities []int64 // priority of each turn
	// ownPriorities says that the query sets a priority for each turn.
	ownPriorities bool

	params   search.Params
	limits   search.Limits
	restrict []thinking.Restriction
	focus    *thinking.Focus // initial focus of each turn; an action can change it
	view     board.Color     // numbers are from the view of this side; Empty: of the side to move
	reports  schedule
	want     thinking.Details
	pvLen    int            // longest variation, first move included
	level    *level.Setting // nil: no level's move is wanted
	life     []board.Point  // stones whose life is in question; none: no answer is wanted

	bytes   int64 // memory in bytes, as estimated by the method memory
	waiting int   // number of waiting tasks, kept by the queue
}

// memory estimates the bytes that a waiting query holds: its moves and lists take less than twice
// the length of its line.
func (q *query) memory(line int) int64 {
	const perTurn = int64(unsafe.Sizeof(task{})) + 4*8 // a task, and its entries in the queue and other lists
	return int64(unsafe.Sizeof(*q)) + 2*int64(line) + perTurn*int64(len(q.turns))
}

// schedule has the time before the first report of a running search and the time between reports. If
// every is 0, there are no further reports; if both are 0, there is none before the search ends.
type schedule struct{ first, every time.Duration }

// KataGo's limits for the numbers of a query.
const (
	maxVisits   = 1 << 50
	maxPriority = 1<<62 - 1
	maxKomi     = 400
	maxPVLen    = 1000
	maxSeconds  = 1e6
)

// parseQuery reads a query; the server's settings are the defaults. Fields are read in KataGo's
// order, because only the first error is reported. The error is a fieldError; warnings may come
// with it.
func (s *Server) parseQuery(id string, fields map[string]json.RawMessage) (*query, []fieldError, error) {
	r := &fieldReader{fields: fields}
	q := &query{id: id, params: s.conf.Search, limits: s.conf.Limits, view: s.conf.Perspective, pvLen: s.conf.PVLen + 1}
	q.options = s.conf.Game
	for _, name := range []string{"id", "action", "terminateId", "targetId", "turnNumbers"} { // fields of actions, see Server.handle
		delete(fields, name)
	}
	q.readBoard(r, s.conf.MaxSize, s.net)
	q.readPosition(r)
	q.readTurns(r)
	q.readRules(r)
	warnings := s.readOverrides(q, r)
	q.readSearch(r)
	q.readDetails(r)
	q.readReports(r)
	q.readPriority(r)
	q.readRestrictions(r)
	q.focus = r.focus(q.size)
	s.readLevel(q, r)
	q.life = r.points("life", q.size, r.vertices("life"))
	if r.err != nil {
		return nil, warnings, r.err
	}
	rules := q.rules
	rules.Button = rules.Button && rules.Scoring == board.ScoringArea
	if s.conf.SupportedRules != nil {
		rules = s.conf.SupportedRules(rules)
	}
	if rules != q.rules {
		warnings = append(warnings, fieldError{"rules", "Rules " + rulesText(q.rules) + " not supported by neural net, using " + rulesText(rules) + " instead"})
		q.rules = rules
	}
	for _, name := range slices.Sorted(maps.Keys(r.fields)) { // those that were not read
		if s.conf.WarnUnused {
			warnings = append(warnings, fieldError{name, "Unexpected or unused field, do you have a typo? (set warnUnusedFields=false in the config to disable this warning)"})
		}
	}
	_, err := q.position(len(q.moves)) // an illegal move is an error of the query, not of one turn
	return q, warnings, err
}

// rulesText writes rules and komi in KataGo's older form.
func rulesText(r board.Rules) string {
	return r.Text() + "komi" + strconv.FormatFloat(float64(r.Komi), 'g', 6, 64)
}

// readTurns reads the turns to analyse and their priorities. A turn named twice counts once, with
// the last priority.
func (q *query) readTurns(r *fieldReader) {
	turns, given := r.integers("analyzeTurns", "Must specify an array of integers indicating turns to analyze", true)
	switch {
	case !given:
		turns = []int64{int64(len(q.moves))}
	case len(turns) == 0: // KataGo sends no reply to an empty list
		r.fail("analyzeTurns", "Must specify at least one turn to analyze")
	}
	for _, t := range turns {
		if t < 0 || t > int64(len(q.moves)) {
			r.fail("analyzeTurns", "Invalid turn number: %d", t)
		}
	}
	priorities := slices.Repeat([]int64{0}, len(turns))
	q.ownPriorities = r.has("priorities")
	if q.ownPriorities {
		list, _ := r.integers("priorities", "Must specify an array of integers indicating priorities", false)
		switch {
		case r.err != nil:
		case !given:
			r.fail("priorities", "Can only specify when also specifying analyzeTurns")
		case len(list) != len(turns):
			r.fail("priorities", "Must be of matching length to analyzeTurns")
		}
		for _, p := range list {
			if p < -maxPriority || p > maxPriority {
				r.fail("priorities", "Invalid priority: %d", p)
			}
		}
		priorities = list
	}
	if r.err != nil {
		return
	}
	urgency := map[int]int64{}
	for i, t := range turns {
		urgency[int(t)] = priorities[i]
	}
	for t := range len(q.moves) + 1 {
		if p, wanted := urgency[t]; wanted {
			q.turns = append(q.turns, t)
			q.priorities = append(q.priorities, p)
		}
	}
}

// readPriority reads the priority common to all turns.
func (q *query) readPriority(r *fieldReader) {
	if !r.has("priority") {
		return
	}
	if q.ownPriorities {
		r.fail("priority", "Cannot specify both priority and priorities")
		return
	}
	var one int64
	r.integer("priority", -maxPriority, maxPriority, "Must be a number between -2^62 and 2^62", &one)
	q.priorities = slices.Repeat([]int64{one}, len(q.turns))
}

func (q *query) readSearch(r *fieldReader) {
	r.integer("maxVisits", 1, maxVisits, "Must be an integer from 1 to 2^50", &q.limits.Visits)
	var length int64
	if r.integer("analysisPVLen", 1, maxPVLen, "Must be an integer from 1 to 1000", &length) {
		q.pvLen = int(length) + 1
	}
	root := &q.params.Root
	r.number("rootFpuReductionMax", 0, 2, "Must be a number from 0.0 to 2.0", &q.params.FPU.RootReductionMax)
	if r.number("rootPolicyTemperature", 0.01, 100, "Must be a number from 0.01 to 100.0", &root.PolicyTemperature) {
		root.PolicyTemperatureEarly = root.PolicyTemperature
	}
	if r.err != nil {
		return
	}
	if err := q.params.Validate(); err != nil {
		r.fail("overrideSettings", "Could not set settings: %v", errors.Unwrap(err))
	}
}

func (q *query) readReports(r *fieldReader) {
	const fault = "Must be number of seconds from 0.001 to 1000000.0"
	var every, first float64
	r.number("reportDuringSearchEvery", 0.001, maxSeconds, fault, &every)
	r.number("firstReportDuringSearchAfter", 0.001, maxSeconds, fault, &first)
	q.reports = schedule{first: seconds(first), every: seconds(every)}
	if first == 0 {
		q.reports.first = q.reports.every
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

const errRestrictions = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"

// readRestrictions reads the moves that the search must avoid, or the only ones allowed.
func (q *query) readRestrictions(r *fieldReader) {
	field, allow := "avoidMoves", r.has("allowMoves")
	if allow {
		field = "allowMoves"
		if r.has("avoidMoves") {
			r.fail(field, "Cannot specify both allowMoves and avoidMoves")
		}
	}
	var lists []map[string]json.RawMessage
	if !r.take(field, errRestrictions, &lists) {
		return
	}
	if allow && len(lists) > 2 {
		r.fail(field, "Currently allowMoves only allows at most one entry per player")
	}
	seen := map[board.Color]bool{}
	for _, l := range lists {
		one, ok := q.restriction(r, field, l)
		if !ok {
			return
		}
		if one.Allow = allow; allow && seen[one.Color] {
			r.fail(field, "Cannot specify allowMoves more than once for the same player")
		}
		seen[one.Color] = true
		q.restrict = append(q.restrict, one)
	}
}

// restriction reads one entry of avoidMoves or allowMoves. An error names the list if the entry lacks a field, and
// otherwise the wrong field of the entry.
func (q *query) restriction(r *fieldReader, field string, fields map[string]json.RawMessage) (one thinking.Restriction, ok bool) {
	for _, name := range []string{"moves", "untilDepth", "player"} {
		if _, there := fields[name]; !there {
			r.fail(field, "%s", errRestrictions)
		}
	}
	if r.err != nil {
		return one, false
	}
	inner := &fieldReader{fields: fields}
	one.Color = readPlayer(inner, "player", inner.raw("player"))
	one.Points = inner.points("moves", q.size, inner.vertices("moves"))
	var depth int64
	inner.integer("untilDepth", 1, 1e9, "Must be a positive integer", &depth)
	one.Depth = int(depth)
	if r.err == nil {
		r.err = inner.err
	}
	return one, r.err == nil
}

func (q *query) readDetails(r *fieldReader) {
	w := &q.want
	r.boolean("includeMovesOwnership", &w.MovesOwnership)
	r.boolean("includeMovesOwnershipStdev", &w.MovesOwnershipStdev)
	r.boolean("includeOwnership", &w.Ownership)
	r.boolean("includeOwnershipStdev", &w.OwnershipStdev)
	r.boolean("includePolicy", &w.Policy)
	r.boolean("includePVVisits", &w.PVVisits)
	r.boolean("includeNoResultValue", &w.NoResult)
	w.PVEdgeVisits = w.PVVisits
	q.limits.Ownership, q.limits.MovesOwnership = w.Owners()
}
