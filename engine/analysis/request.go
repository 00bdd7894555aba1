package analysis

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/search"
)

// query is one request for analysis, checked.
type query struct {
	id         string
	size       board.Size
	rules      board.Rules
	black      []board.Point // set up before the first move
	white      []board.Point
	first      board.Color // to play the first move
	moves      []board.Move
	turns      []int   // to analyse, each once
	priorities []int64 // one for each turn

	params   search.Params
	limits   search.Limits
	restrict []search.Restriction
	advanced board.Color // whom the playout doubling advantage is for; Empty: the side to move
	view     Perspective
	reports  schedule
	wishes   wishes
}

// schedule says when a search that goes on is reported. Zero: only its end.
type schedule struct{ first, every time.Duration }

// wishes are what a query wants to be told.
type wishes struct {
	pvLen                               int
	ownership, ownershipStdev           bool
	movesOwnership, movesOwnershipStdev bool
	policy, pvVisits, noResult          bool
}

// Limits of a query's numbers, as of KataGo.
const (
	maxVisits   = 1 << 50
	maxPriority = 1 << 62
	maxKomi     = 400
	maxPVLen    = 1000
	maxSeconds  = 1e6
)

const defaultPVLen = 15

// parseQuery reads a query over the server's defaults. The error is a fieldError.
func (s *Server) parseQuery(id string, fields map[string]json.RawMessage) (*query, []fieldError, error) {
	r := &fieldReader{fields: fields}
	q := &query{id: id, params: s.conf.Search, limits: s.conf.Limits, view: s.conf.Perspective, wishes: wishes{pvLen: defaultPVLen}}
	q.readBoard(r, s.net)
	q.readRules(r)
	q.readPosition(r)
	q.readTurns(r)
	warnings := q.readOverrides(r)
	q.readSearch(r)
	q.readRestrictions(r)
	q.readWishes(r)
	if r.err != nil {
		return nil, nil, r.err
	}
	for _, name := range r.rest() {
		warnings = append(warnings, fieldError{name, "unknown field, ignored"})
	}
	return q, warnings, q.checkMoves()
}

func (q *query) readBoard(r *fieldReader, net Network) {
	var w, h int64
	hasW := r.integer("boardXSize", board.MinSize, board.MaxSize, &w)
	hasH := r.integer("boardYSize", board.MinSize, board.MaxSize, &h)
	switch {
	case r.err != nil:
		return
	case !hasW:
		r.fail(faultf("boardXSize", "is required: an integer from %d to %d", board.MinSize, board.MaxSize))
		return
	case !hasH:
		r.fail(faultf("boardYSize", "is required: an integer from %d to %d", board.MinSize, board.MaxSize))
		return
	}
	q.size = board.Size{W: int(w), H: int(h)}
	if err := net.Serves(q.size); err != nil {
		r.fail(faultf("boardXSize", "%v", err))
	}
}

func (q *query) readRules(r *fieldReader) {
	const want = "the name of a rule set, such as \"chinese\", or an object"
	var text json.RawMessage
	if !r.take("rules", want, &text) {
		r.fail(faultf("rules", "is required: %s", want))
		return
	}
	name := string(text)
	if text[0] != '{' && json.Unmarshal(text, &name) != nil {
		r.fail(faultf("rules", "must be %s", want))
		return
	}
	var err error
	if q.rules, err = board.ParseRules(name); err != nil {
		r.fail(faultf("rules", "%v", err))
		return
	}
	var bonus string
	if r.take("whiteHandicapBonus", wantedBonus, &bonus) {
		kind, ok := bonuses[bonus]
		if !ok {
			r.fail(faultf("whiteHandicapBonus", "must be %s", wantedBonus))
		}
		q.rules.HandicapBonus = kind
	}
	komi := 0.0
	if r.number("komi", -maxKomi, maxKomi, &komi) {
		if komi*2 != math.Trunc(komi*2) {
			r.fail(faultf("komi", "must be a multiple of 0.5"))
		}
		q.rules.Komi = float32(komi)
	}
}

const wantedBonus = `"0", "N" or "N-1"`

var bonuses = map[string]board.HandicapBonus{"0": board.BonusZero, "N": board.BonusN, "N-1": board.BonusNMinus1}

func (q *query) readPosition(r *fieldReader) {
	stones, _ := q.moveList(r, "initialStones")
	for _, m := range stones {
		switch {
		case m.Point == board.Pass:
			r.fail(faultf("initialStones", "a pass is no stone"))
		case m.Color == board.Black:
			q.black = append(q.black, m.Point)
		default:
			q.white = append(q.white, m.Point)
		}
	}
	var given bool
	if q.moves, given = q.moveList(r, "moves"); !given {
		r.fail(faultf("moves", "is required: %s", wantedMoves))
	}
	var player string
	if r.take("initialPlayer", wantedPlayer, &player) {
		c, err := board.ParseColor(player)
		if err != nil {
			r.fail(faultf("initialPlayer", "must be %s", wantedPlayer))
		}
		q.first = c
		return
	}
	switch {
	case len(q.moves) > 0:
		q.first = q.moves[0].Color
	case len(q.black) > 1 && len(q.white) == 0: // handicap stones
		q.first = board.White
	default:
		q.first = board.Black
	}
}

const (
	wantedMoves  = "a list of [player, location]"
	wantedPlayer = `"B" or "W"`
)

// moveList reads a list of [player, location].
func (q *query) moveList(r *fieldReader, field string) (moves []board.Move, given bool) {
	var list [][]string
	if !r.take(field, wantedMoves, &list) {
		return nil, false
	}
	moves = make([]board.Move, 0, len(list))
	for i, pair := range list {
		if len(pair) != 2 {
			r.fail(faultf(field, "entry %d is not [player, location]", i))
			return nil, true
		}
		c, err := board.ParseColor(pair[0])
		if err != nil {
			r.fail(faultf(field, "entry %d: player %q must be %s", i, pair[0], wantedPlayer))
			return nil, true
		}
		p, err := q.size.ParseVertex(pair[1])
		if err != nil {
			r.fail(faultf(field, "entry %d: no location %q on the board", i, pair[1]))
			return nil, true
		}
		moves = append(moves, board.Move{Color: c, Point: p})
	}
	return moves, true
}

// readTurns reads which turns are wanted and how urgently. Turns keep the order
// in which they are named; one that is named twice counts once, with the last
// priority.
func (q *query) readTurns(r *fieldReader) {
	turns := []int{len(q.moves)}
	given := r.take("analyzeTurns", "a list of integers", &turns)
	priorities := readPriorities(r, given, len(turns))
	if r.err != nil {
		return
	}
	place := map[int]int{}
	for i, t := range turns {
		if t < 0 || t > len(q.moves) {
			r.fail(faultf("analyzeTurns", "turn %d is not in 0 to %d", t, len(q.moves)))
			return
		}
		if k, again := place[t]; again {
			q.priorities[k] = priorities[i]
			continue
		}
		place[t] = len(q.turns)
		q.turns = append(q.turns, t)
		q.priorities = append(q.priorities, priorities[i])
	}
}

// readPriorities returns a priority for each of n turns.
func readPriorities(r *fieldReader, turnsGiven bool, n int) []int64 {
	var one int64
	hasOne := r.integer("priority", -maxPriority, maxPriority, &one)
	var many []int64
	switch hasMany := r.take("priorities", "a list of integers", &many); {
	case hasMany && hasOne:
		r.fail(faultf("priority", "priority and priorities exclude each other"))
	case hasMany && (!turnsGiven || len(many) != n):
		r.fail(faultf("priorities", "needs analyzeTurns of the same length"))
	case hasMany:
		for _, p := range many {
			if p < -maxPriority || p > maxPriority {
				r.fail(faultf("priorities", "%d is not within -2^62 and 2^62", p))
			}
		}
		return many
	}
	return slices.Repeat([]int64{one}, n)
}

func (q *query) readSearch(r *fieldReader) {
	r.integer("maxVisits", 1, maxVisits, &q.limits.Visits)
	root := &q.params.Root
	if r.number("rootPolicyTemperature", 0.01, 100, &root.PolicyTemperature) {
		root.PolicyTemperatureEarly = root.PolicyTemperature
	}
	r.number("rootFpuReductionMax", 0, 2, &q.params.FPU.RootReductionMax)
	var every, first float64
	r.number("reportDuringSearchEvery", 0.001, maxSeconds, &every)
	r.number("firstReportDuringSearchAfter", 0.001, maxSeconds, &first)
	q.reports = schedule{first: seconds(first), every: seconds(every)}
	if first == 0 {
		q.reports.first = q.reports.every
	}
	if r.err != nil {
		return
	}
	if err := q.params.Validate(); err != nil {
		r.fail(faultf("overrideSettings", "%s", strings.ReplaceAll(err.Error(), "\n", "; ")))
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

const wantedRestrictions = `a list of {"player": "B" or "W", "moves": list of locations, "untilDepth": 1 or more}`

// readRestrictions reads which moves the search has to stay away from.
func (q *query) readRestrictions(r *fieldReader) {
	_, avoid := r.fields["avoidMoves"]
	_, allow := r.fields["allowMoves"]
	field := "avoidMoves"
	if allow {
		field = "allowMoves"
	}
	if avoid && allow {
		r.fail(faultf(field, "avoidMoves and allowMoves exclude each other"))
	}
	var lists []struct {
		Player     string   `json:"player"`
		Moves      []string `json:"moves"`
		UntilDepth int      `json:"untilDepth"`
	}
	r.take(field, wantedRestrictions, &lists)
	seen := map[board.Color]bool{}
	for _, l := range lists {
		c, err := board.ParseColor(l.Player)
		if err != nil || l.UntilDepth < 1 || l.Moves == nil {
			r.fail(faultf(field, "must be %s", wantedRestrictions))
			return
		}
		if allow && seen[c] {
			r.fail(faultf(field, "only one list for each player"))
		}
		seen[c] = true
		one := search.Restriction{Color: c, Depth: l.UntilDepth, Allow: allow}
		for _, m := range l.Moves {
			p, err := q.size.ParseVertex(m)
			if err != nil {
				r.fail(faultf(field, "no location %q on the board", m))
				return
			}
			one.Points = append(one.Points, p)
		}
		q.restrict = append(q.restrict, one)
	}
}

func (q *query) readWishes(r *fieldReader) {
	w := &q.wishes
	r.boolean("includeOwnership", &w.ownership)
	r.boolean("includeOwnershipStdev", &w.ownershipStdev)
	r.boolean("includeMovesOwnership", &w.movesOwnership)
	r.boolean("includeMovesOwnershipStdev", &w.movesOwnershipStdev)
	r.boolean("includePolicy", &w.policy)
	r.boolean("includePVVisits", &w.pvVisits)
	r.boolean("includeNoResultValue", &w.noResult)
	length := int64(w.pvLen)
	r.integer("analysisPVLen", 1, maxPVLen, &length)
	w.pvLen = int(length)
	q.limits.Ownership = w.ownership || w.ownershipStdev || w.movesOwnership || w.movesOwnershipStdev
}
