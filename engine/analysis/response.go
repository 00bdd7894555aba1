package analysis

import (
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/search"
)

// response is one message about one turn of which something is known.
type response struct {
	ID             string     `json:"id"`
	TurnNumber     int        `json:"turnNumber"`
	IsDuringSearch bool       `json:"isDuringSearch"`
	MoveInfos      []moveInfo `json:"moveInfos"`
	RootInfo       *rootInfo  `json:"rootInfo"`
	Ownership      []float32  `json:"ownership,omitempty"`
	OwnershipStdev []float32  `json:"ownershipStdev,omitempty"`
	Policy         []float32  `json:"policy,omitempty"`
	HumanPolicy    []float32  `json:"humanPolicy,omitempty"`
}

// nothing is the last message about a turn of which nothing is known.
type nothing struct {
	ID             string `json:"id"`
	TurnNumber     int    `json:"turnNumber"`
	IsDuringSearch bool   `json:"isDuringSearch"`
	NoResults      bool   `json:"noResults"`
}

func noResults(t *task) nothing {
	return nothing{ID: t.query.id, TurnNumber: t.turn, NoResults: true}
}

type moveInfo struct {
	Move               string    `json:"move"`
	Visits             int64     `json:"visits"`
	EdgeVisits         int64     `json:"edgeVisits"`
	Weight             float64   `json:"weight"`
	EdgeWeight         float64   `json:"edgeWeight"`
	Winrate            float64   `json:"winrate"`
	NoResultValue      *float64  `json:"noResultValue,omitempty"`
	ScoreMean          float64   `json:"scoreMean"`
	ScoreStdev         float64   `json:"scoreStdev"`
	ScoreLead          float64   `json:"scoreLead"`
	ScoreSelfplay      float64   `json:"scoreSelfplay"`
	Prior              float64   `json:"prior"`
	HumanPrior         *float64  `json:"humanPrior,omitempty"`
	LCB                float64   `json:"lcb"`
	Utility            float64   `json:"utility"`
	UtilityLCB         float64   `json:"utilityLcb"`
	PlaySelectionValue float64   `json:"playSelectionValue"`
	IsSymmetryOf       string    `json:"isSymmetryOf,omitempty"`
	Order              int       `json:"order"`
	PV                 []string  `json:"pv"`
	PVVisits           []int64   `json:"pvVisits,omitempty"`
	PVEdgeVisits       []int64   `json:"pvEdgeVisits,omitempty"`
	Ownership          []float32 `json:"ownership,omitempty"`
	OwnershipStdev     []float32 `json:"ownershipStdev,omitempty"`
}

type rootInfo struct {
	Visits                int64    `json:"visits"`
	Winrate               float64  `json:"winrate"`
	NoResultValue         *float64 `json:"noResultValue,omitempty"`
	ScoreLead             float64  `json:"scoreLead"`
	ScoreSelfplay         float64  `json:"scoreSelfplay"`
	ScoreStdev            float64  `json:"scoreStdev"`
	Utility               float64  `json:"utility"`
	Weight                float64  `json:"weight"`
	CurrentPlayer         string   `json:"currentPlayer"`
	ThisHash              string   `json:"thisHash"`
	SymHash               string   `json:"symHash"`
	RawWinrate            float64  `json:"rawWinrate"`
	RawLead               float64  `json:"rawLead"`
	RawScoreSelfplay      float64  `json:"rawScoreSelfplay"`
	RawScoreSelfplayStdev float64  `json:"rawScoreSelfplayStdev"`
	RawNoResultProb       float64  `json:"rawNoResultProb"`
	RawStWrError          float64  `json:"rawStWrError"`
	RawStScoreError       float64  `json:"rawStScoreError"`
	RawVarTimeLeft        float64  `json:"rawVarTimeLeft"`
	*humanRootInfo
}

// humanRootInfo is what a network of human moves says of the position.
type humanRootInfo struct {
	Winrate      float64 `json:"humanWinrate"`
	ScoreMean    float64 `json:"humanScoreMean"`
	ScoreStdev   float64 `json:"humanScoreStdev"`
	WinrateError float64 `json:"humanStWrError"`
	ScoreError   float64 `json:"humanStScoreError"`
}

// viewer turns numbers of the side to move into those of the chosen view.
type viewer struct{ sign float64 }

func (q *query) viewer(toMove board.Color) viewer {
	if q.view == Black && toMove == board.White || q.view == White && toMove == board.Black {
		return viewer{-1}
	}
	return viewer{1}
}

func (v viewer) value(x float64) float64 { return finite(v.sign * x) }

func (v viewer) chance(x float64) float64 {
	if v.sign < 0 {
		x = 1 - x
	}
	return finite(x)
}

// points turns a list of numbers by points of the board.
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

// huge stands for infinity, which JSON does not have.
const huge = 1e9

// finite keeps what JSON cannot hold out of it.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(-huge, min(huge, x))
}

func finitePointer(x float64) *float64 {
	x = finite(x)
	return &x
}

// unsigned is the view of numbers that are nobody's.
var unsigned = viewer{1}

// response writes a result down as the query wants it.
func (t *task) response(r *search.Result, during bool) response {
	q := t.query
	v := q.viewer(r.ToMove)
	out := response{ID: q.id, TurnNumber: t.turn, IsDuringSearch: during,
		RootInfo: t.rootInfo(r, v), MoveInfos: make([]moveInfo, 0, len(r.Moves))}
	for i := range r.Moves {
		m := q.moveInfo(&r.Moves[i], v)
		if r.Human != nil {
			m.HumanPrior = finitePointer(max(0, float64(r.Human.Policy[r.Size.Index(r.Moves[i].Move)])))
		}
		out.MoveInfos = append(out.MoveInfos, m)
	}
	if q.wishes.ownership {
		out.Ownership = v.points(r.Ownership)
	}
	if q.wishes.ownershipStdev {
		out.OwnershipStdev = unsigned.points(r.OwnershipStdev)
	}
	if q.wishes.policy {
		out.Policy = unsigned.points(r.Policy)
		if r.Human != nil {
			out.HumanPolicy = unsigned.points(r.Human.Policy)
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
		ScoreSelfplay: v.value(root.ScoreMean), ScoreStdev: finite(root.ScoreStdev),
		Utility: v.value(root.Utility), Weight: finite(root.Weight), CurrentPlayer: player,
		ThisHash: hashText(root.Hash), SymHash: t.symHash,
		RawWinrate: v.chance(root.Raw.Winrate), RawLead: v.value(root.Raw.Lead),
		RawScoreSelfplay: v.value(root.Raw.ScoreMean), RawScoreSelfplayStdev: finite(root.Raw.ScoreStdev),
		RawNoResultProb: finite(root.Raw.NoResult), RawStWrError: finite(root.Raw.WinrateError),
		RawStScoreError: finite(root.Raw.ScoreError), RawVarTimeLeft: finite(root.Raw.VarTimeLeft),
	}
	if t.query.wishes.noResult {
		out.NoResultValue = finitePointer(root.NoResult)
	}
	if h := r.Human; h != nil {
		out.humanRootInfo = &humanRootInfo{Winrate: v.chance(h.Winrate), ScoreMean: v.value(h.ScoreMean),
			ScoreStdev: finite(h.ScoreStdev), WinrateError: finite(h.WinrateError), ScoreError: finite(h.ScoreError)}
	}
	return out
}

func hashText(h board.Hash) string { return fmt.Sprintf("%016X%016X", h.Hi, h.Lo) }

func (q *query) moveInfo(m *search.MoveInfo, v viewer) moveInfo {
	out := moveInfo{
		Move: q.size.Vertex(m.Move), Visits: m.Visits, EdgeVisits: m.EdgeVisits,
		Weight: finite(m.Weight), EdgeWeight: finite(m.EdgeWeight), Winrate: v.chance(m.Winrate),
		ScoreMean: v.value(m.Lead), ScoreLead: v.value(m.Lead), ScoreSelfplay: v.value(m.ScoreMean),
		ScoreStdev: finite(m.ScoreStdev), Prior: finite(float64(m.Prior)), LCB: v.chance(m.LCB),
		Utility: v.value(m.Utility), UtilityLCB: v.value(m.UtilityLCB),
		PlaySelectionValue: finite(m.Selection), Order: m.Order,
	}
	if q.wishes.noResult {
		out.NoResultValue = finitePointer(m.NoResult)
	}
	if m.SymmetryOf != board.NoPoint {
		out.IsSymmetryOf = q.size.Vertex(m.SymmetryOf)
	}
	n := min(len(m.PV), q.wishes.pvLen)
	for _, p := range m.PV[:n] {
		out.PV = append(out.PV, q.size.Vertex(p))
	}
	if q.wishes.pvVisits {
		out.PVVisits = m.PVVisits[:min(n, len(m.PVVisits))]
		out.PVEdgeVisits = m.PVEdgeVisits[:min(n, len(m.PVEdgeVisits))]
	}
	if q.wishes.movesOwnership {
		out.Ownership = v.points(m.Ownership)
	}
	if q.wishes.movesOwnershipStdev {
		out.OwnershipStdev = unsigned.points(m.OwnershipStdev)
	}
	return out
}
