package analysis

import (
	"math"

	"kosumi/board"
	"kosumi/search"
	"kosumi/search/thinking"
)

// response is the message about one turn. Fields are in alphabetical order, as KataGo writes them.
type response struct {
	HumanPolicy    numbers     `json:"humanPolicy,omitempty"`
	ID             string      `json:"id"`
	IsDuringSearch bool        `json:"isDuringSearch"`
	LevelMove      *levelMove  `json:"levelMove,omitempty"`
	Life           *lifeAnswer `json:"life,omitempty"`
	MoveInfos      []moveInfo  `json:"moveInfos"`
	owners
	Policy     numbers   `json:"policy,omitempty"`
	RootInfo   *rootInfo `json:"rootInfo"`
	TurnNumber int       `json:"turnNumber"`
}

// nothing is the last message about a turn that was stopped before its search found anything.
type nothing struct {
	ID             string `json:"id"`
	IsDuringSearch bool   `json:"isDuringSearch"`
	NoResults      bool   `json:"noResults"`
	TurnNumber     int    `json:"turnNumber"`
}

func noResults(t *task) nothing {
	return nothing{ID: t.query.id, TurnNumber: t.turn, NoResults: true}
}

// owners are the ownership fields, at the root or after a move.
type owners struct {
	Ownership      shares `json:"ownership,omitempty"`
	OwnershipStdev shares `json:"ownershipStdev,omitempty"`
}

// variation holds the fields of a principal variation, with the visits of each of its moves.
type variation struct {
	PV           []string `json:"pv"`
	PVEdgeVisits []int64  `json:"pvEdgeVisits,omitzero"`
	PVVisits     []int64  `json:"pvVisits,omitzero"`
}

type moveScores struct {
	ScoreLead     number `json:"scoreLead"`
	ScoreMean     number `json:"scoreMean"`
	ScoreSelfplay number `json:"scoreSelfplay"`
	ScoreStdev    number `json:"scoreStdev"`
}

type moveInfo struct {
	EdgeVisits    int64   `json:"edgeVisits"`
	EdgeWeight    number  `json:"edgeWeight"`
	HumanPrior    *number `json:"humanPrior,omitempty"`
	IsSymmetryOf  string  `json:"isSymmetryOf,omitempty"`
	LCB           number  `json:"lcb"`
	Move          string  `json:"move"`
	NoResultValue *number `json:"noResultValue,omitempty"`
	Order         int     `json:"order"`
	owners
	PlaySelectionValue number `json:"playSelectionValue"`
	Prior              number `json:"prior"`
	variation
	moveScores
	Utility    number `json:"utility"`
	UtilityLCB number `json:"utilityLcb"`
	Visits     int64  `json:"visits"`
	Weight     number `json:"weight"`
	Winrate    number `json:"winrate"`
}

type rootInfo struct {
	CurrentPlayer string `json:"currentPlayer"`
	*humanRootInfo
	RawLead               number `json:"rawLead"`
	RawNoResultProb       number `json:"rawNoResultProb"`
	RawScoreSelfplay      number `json:"rawScoreSelfplay"`
	RawScoreSelfplayStdev number `json:"rawScoreSelfplayStdev"`
	RawStScoreError       number `json:"rawStScoreError"`
	RawStWrError          number `json:"rawStWrError"`
	RawVarTimeLeft        number `json:"rawVarTimeLeft"`
	RawWinrate            number `json:"rawWinrate"`
	ScoreLead             number `json:"scoreLead"`
	ScoreSelfplay         number `json:"scoreSelfplay"`
	ScoreStdev            number `json:"scoreStdev"`
	SymHash               string `json:"symHash"`
	ThisHash              string `json:"thisHash"`
	Utility               number `json:"utility"`
	Visits                int64  `json:"visits"`
	Weight                number `json:"weight"`
	Winrate               number `json:"winrate"`
}

// humanRootInfo is the human SL network's evaluation of the root.
type humanRootInfo struct {
	ScoreMean    number `json:"humanScoreMean"`
	ScoreStdev   number `json:"humanScoreStdev"`
	ScoreError   number `json:"humanStScoreError"`
	WinrateError number `json:"humanStWrError"`
	Winrate      number `json:"humanWinrate"`
}

// viewer converts numbers from the side to move to the chosen view.
type viewer struct{ sign float64 }

func (q *query) viewer(toMove board.Color) viewer {
	if q.view != board.Empty && q.view == toMove.Opponent() {
		return viewer{-1}
	}
	return viewer{1}
}

func (v viewer) value(x float64) number { return plain(v.sign * x) }

func (v viewer) chance(x float64) number {
	if v.sign < 0 {
		x = 1 - x
	}
	return plain(x)
}

// points converts one value for each point of the board to the view of the reply; nil stays nil.
func (v viewer) points(values []float32) []float32 {
	if values == nil {
		return nil
	}
	out := make([]float32, len(values))
	for i, x := range values {
		out[i] = float32(v.value(float64(x)))
	}
	return out
}

// huge is the substitute for infinity, which JSON lacks.
const huge = 1e9

// plain converts a number that does not depend on the view: it is limited to ±huge, since JSON lacks
// infinity, and NaN becomes 0.
func plain(x float64) number {
	if math.IsNaN(x) {
		return 0
	}
	return number(max(-huge, min(huge, x)))
}

// unsigned is the viewer for numbers that are the same from every view.
var unsigned = viewer{1}

// response converts a result to the fields that the query wants.
func (t *task) response(r *search.Result, during bool) response {
	q := t.query
	v := q.viewer(r.ToMove)
	out := response{ID: q.id, TurnNumber: t.turn, IsDuringSearch: during,
		RootInfo: t.rootInfo(r, v), MoveInfos: make([]moveInfo, 0, len(r.Moves)),
		owners: v.owners(q.want.Ownership, r.Ownership, q.want.OwnershipStdev, r.OwnershipStdev)}
	for i := range r.Moves {
		m := q.moveInfo(&r.Moves[i], v)
		if r.Human != nil {
			prior := plain(max(0, float64(r.Human.Policy[r.Size.Index(r.Moves[i].Move)])))
			m.HumanPrior = &prior
		}
		out.MoveInfos = append(out.MoveInfos, m)
	}
	if q.want.Policy {
		out.Policy = numbers(unsigned.points(r.Policy))
		if r.Human != nil {
			out.HumanPolicy = numbers(unsigned.points(r.Human.Policy))
		}
	}
	return out
}

func (t *task) rootInfo(r *search.Result, v viewer) *rootInfo {
	root := &r.Root
	player := "B"
	if r.ToMove == board.White {
		player = "W"
	}
	out := &rootInfo{
		Visits: root.Visits, Winrate: v.chance(root.Winrate), ScoreLead: v.value(root.Lead),
		ScoreSelfplay: v.value(root.ScoreMean), ScoreStdev: plain(root.ScoreStdev),
		Utility: v.value(root.Utility), Weight: plain(root.Weight), CurrentPlayer: player,
		ThisHash: t.hash, SymHash: t.symHash,
		RawWinrate: v.chance(root.Raw.Winrate), RawLead: v.value(root.Raw.Lead),
		RawScoreSelfplay: v.value(root.Raw.ScoreMean), RawScoreSelfplayStdev: plain(root.Raw.ScoreStdev),
		RawNoResultProb: plain(root.Raw.NoResult), RawStWrError: plain(root.Raw.WinrateError),
		RawStScoreError: plain(root.Raw.ScoreError), RawVarTimeLeft: plain(root.Raw.VarTimeLeft),
	}
	if h := r.Human; h != nil {
		out.humanRootInfo = &humanRootInfo{Winrate: v.chance(h.Winrate), ScoreMean: v.value(h.ScoreMean),
			ScoreStdev: plain(h.ScoreStdev), WinrateError: plain(h.WinrateError), ScoreError: plain(h.ScoreError)}
	}
	return out
}

// owners returns the ownership, its standard deviation, both or neither, as the query wants.
func (v viewer) owners(mean bool, ownership []float32, spread bool, stdev []float32) (o owners) {
	if mean {
		o.Ownership = shares(v.points(ownership))
	}
	if spread {
		o.OwnershipStdev = shares(unsigned.points(stdev))
	}
	return o
}

func (q *query) moveInfo(m *thinking.Move, v viewer) moveInfo {
	out := moveInfo{
		Move: q.size.Vertex(m.Move), Visits: m.Visits, EdgeVisits: m.EdgeVisits,
		Weight: plain(m.Weight), EdgeWeight: plain(m.EdgeWeight), Winrate: v.chance(m.Winrate),
		moveScores: moveScores{ScoreMean: v.value(m.Lead), ScoreLead: v.value(m.Lead), ScoreSelfplay: v.value(m.ScoreMean), ScoreStdev: plain(m.ScoreStdev)},
		Prior:      plain(float64(m.Prior)), LCB: v.chance(m.LCB),
		Utility: v.value(m.Utility), UtilityLCB: v.value(m.UtilityLCB),
		PlaySelectionValue: plain(m.Selection), Order: m.Order,
		variation: q.variation(m),
		owners:    v.owners(q.want.MovesOwnership, m.Ownership, q.want.MovesOwnershipStdev, m.OwnershipStdev),
	}
	if q.want.NoResult {
		chance := plain(m.NoResult)
		out.NoResultValue = &chance
	}
	if m.SymmetryOf != board.NoPoint {
		out.IsSymmetryOf = q.size.Vertex(m.SymmetryOf)
	}
	return out
}

// variation returns a move's principal variation, cut to the length that the query asks for.
func (q *query) variation(m *thinking.Move) variation {
	n := min(len(m.PV), q.pvLen)
	if m.PVEndsPhase && n == len(m.PV) { // KataGo leaves out a move that begins a clean-up phase
		n--
	}
	out := variation{PV: make([]string, 0, n)}
	for _, p := range m.PV[:n] {
		out.PV = append(out.PV, q.size.Vertex(p))
	}
	if q.want.PVVisits {
		out.PVVisits = m.PVVisits[:min(n, len(m.PVVisits))]
		out.PVEdgeVisits = m.PVEdgeVisits[:min(n, len(m.PVEdgeVisits))]
	}
	return out
}
