package review

import (
	"cmp"
	"math"
	"slices"

	"kosumi/board"
)

// Version is the version of the JSON form of [Result]. It increases when a field changes its
// meaning or is removed, not for new fields.
const Version = 1

// Result is the review of one game. Winrates are Black's, 0..1, leads Black's
// points; a loss is the mover's.
type Result struct {
	Version int  `json:"version"`
	Game    Info `json:"game"`
	// Network is the network's name. Losses by different networks or budgets are not comparable.
	Network string `json:"network"`
	// Visits is the sum over all positions. Each position has at least First visits, or 1 if the time ran out.
	Visits int64 `json:"visits"`
	First  int64 `json:"firstVisits"`
	// Complete is false after an interruption.
	Complete bool `json:"complete"`
	// Notes are sentences about assumptions and omissions; Cut is the number of moves in the record
	// after Moves.
	Notes []string `json:"notes,omitempty"`
	Cut   int      `json:"cut,omitempty"`
	// Positions has one element more than Moves: Positions[i] is the position before Moves[i].
	Positions []Position `json:"positions"`
	Moves     []Move     `json:"moves"`
	// Players are Black and White.
	Players [2]Player `json:"players"`
	// Mistakes are the plies of the worst moves of both sides, at most 20, worst first; Turning are
	// the plies where the game turned, at most 3: see turningOf.
	Mistakes []int `json:"mistakes"`
	Turning  []int `json:"turning"`
	// Groups are the groups whose life or death is proved, in order of Since; Only are the positions in which
	// it is proved that a single move saves or kills a group. Unfinished reviews have none.
	Groups []Group `json:"groups,omitempty"`
	Only   []Only  `json:"only,omitempty"`
	// Summary is one or two sentences about the game.
	Summary string `json:"summary"`
}

// Info is the record's data about the game.
type Info struct {
	Width     int     `json:"width"`
	Height    int     `json:"height"`
	Komi      float64 `json:"komi"`
	Rules     string  `json:"rules"` // rules as JSON, without komi
	Handicap  int     `json:"handicap,omitempty"`
	Black     string  `json:"black,omitempty"`
	White     string  `json:"white,omitempty"`
	BlackRank string  `json:"blackRank,omitempty"`
	WhiteRank string  `json:"whiteRank,omitempty"`
	Result    string  `json:"result,omitempty"`
	Date      string  `json:"date,omitempty"`
	Event     string  `json:"event,omitempty"`
	File      string  `json:"file,omitempty"`
}

// Position is a position of the game. Visits 0 means that it was not searched.
type Position struct {
	Visits    int64   `json:"visits"`
	Winrate   float64 `json:"winrate"`
	Lead      float64 `json:"lead"`
	Stdev     float64 `json:"stdev"` // standard deviation of the final score, in points
	Ownership Owners  `json:"ownership,omitempty"`
	// Stones holds all points, row by row from the top left: X for Black, O for White, a dot for empty.
	Stones string `json:"stones"`
	// ToMove is "b" or "w".
	ToMove string `json:"toMove"`
}

// Move is a move of the game and its judgement.
type Move struct {
	Number int    `json:"number"` // counted from 1
	Color  string `json:"color"`  // "b" or "w"
	Move   string `json:"move"`   // a vertex, or "pass"
	// Judged reports whether the loss is known. The loss is unknown if a set-up or a move of the same
	// side follows, or if the position after the move was not searched.
	Judged bool `json:"judged"`
	// Loss is in points, 0 or more; Error is one standard deviation of it.
	Loss  float64 `json:"loss"`
	Error float64 `json:"error"`
	// WinrateLoss is the mover's loss of winrate, 0..1.
	WinrateLoss float64 `json:"winrateLoss"`
	Class       Class   `json:"class"`
	// Certain reports whether the loss minus its error is still in Class.
	Certain bool `json:"certain"`
	// Listed reports whether the move is by a reviewed side and lost 1.5 points or more.
	Listed bool `json:"listed"`
	// Prior is the network's probability of the move; Order is the move's place among the searched
	// moves, 0 for the first choice, -1 if it was not searched.
	Prior float64 `json:"prior"`
	Order int     `json:"order"`
	// Best are the 12 best searched moves, best first, and the played move if it was searched.
	Best []Candidate `json:"best,omitempty"`
	// Refutation is the expected continuation after the move.
	Refutation []string `json:"refutation,omitempty"`
	// Kind and Reason describe the mistake; empty for good moves.
	Kind   Kind   `json:"kind,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Claims are the claims that make up Reason, at most two: what the move let happen, then what the
	// better move does.
	Claims []Claim `json:"claims,omitempty"`
	// Points are the points that Reason mentions.
	Points []string `json:"points,omitempty"`
	Phase  Phase    `json:"phase"`

	random float64 // expected loss of a move drawn from the priors, in points
}

// Class is the category of a move by the points it lost.
type Class string

// The classes, from best to worst.
const (
	Best       Class = "best"       // less than 0.5 points
	Good       Class = "good"       // 0.5 to 1.5
	Inaccuracy Class = "inaccuracy" // 1.5 to 3
	Mistake    Class = "mistake"    // 3 to 6
	Blunder    Class = "blunder"    // 6 to 12
	Disaster   Class = "disaster"   // 12 or more
)

// Classes are all classes, from best to worst.
var Classes = []Class{Best, Good, Inaccuracy, Mistake, Blunder, Disaster}

// ClassBounds separate the classes: Classes[i] has the losses from ClassBounds[i-1] to less than
// ClassBounds[i] points.
var ClassBounds = []float64{0.5, 1.5, 3, 6, 12}

// ClassIndex returns the index in [Classes] of a loss in points.
func ClassIndex(loss float64) int {
	for i, b := range ClassBounds {
		if loss < b {
			return i
		}
	}
	return len(ClassBounds)
}

// ClassOf returns the class of a loss in points.
func ClassOf(loss float64) Class { return Classes[ClassIndex(loss)] }

// Mark returns the annotation symbol of a class: "?!", "?", "??", "???" or "".
func (c Class) Mark() string {
	return map[Class]string{Inaccuracy: "?!", Mistake: "?", Blunder: "??", Disaster: "???"}[c]
}

// Phase is a part of a game, by the number of moves played.
type Phase string

// The phases: up to 14 % of the board's points, up to 40 %, and later.
const (
	Opening Phase = "opening"
	Middle  Phase = "middle"
	Endgame Phase = "endgame"
)

// Phases are all phases in order.
var Phases = []Phase{Opening, Middle, Endgame}

func phaseOf(ply int, size board.Size) Phase {
	switch area := float64(size.Area()); {
	case float64(ply) < 0.14*area:
		return Opening
	case float64(ply) < 0.40*area:
		return Middle
	}
	return Endgame
}

// Player sums up one side.
type Player struct {
	Name string `json:"name,omitempty"`
	Rank string `json:"rank,omitempty"`
	Totals
	ByPhase map[Phase]Totals `json:"byPhase,omitempty"`
	ByKind  map[Kind]Totals  `json:"byKind,omitempty"`
}

// Totals are sums and means over the judged moves of a side.
type Totals struct {
	Moves int `json:"moves"`
	// Loss is the sum of points lost, Mean the points lost per move.
	Loss float64 `json:"loss"`
	Mean float64 `json:"meanLoss"`
	// Accuracy is 0..100, by KaTrain's formula: 100 * 0.75^L, where L is a weighted mean loss. The weight is the
	// expected loss of a move drawn from the priors, or a quarter of the move's loss if that is larger. Accuracies
	// are comparable only between reviews with the same network and visits.
	Accuracy float64 `json:"accuracy"`
	// First is the share of moves that were the first choice, Five the share that were among the first
	// five and lost less than 0.5 points.
	First float64 `json:"firstChoice"`
	Five  float64 `json:"topFive"`
	// Classes counts moves by class.
	Classes map[Class]int `json:"classes,omitempty"`
}

// Conditions for a finest move.
const (
	finestGap    = 1.0 // minimum lead over the second choice, in points
	finestVisits = 3   // minimum number of visits of the second choice
)

// Finest returns the plies of a side's finest moves, finest first: first choices, no passes, that are at least
// finestGap better than the second choice, ordered by that difference times one minus the move's prior.
func (r *Result) Finest(color string) []int {
	plies, worth := []int{}, map[int]float64{}
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Color != color || m.Move == "pass" || !m.Judged || m.Class != Best || len(m.Best) < 2 || m.Best[0].Move != m.Move || m.Best[1].Visits < finestVisits {
			continue
		}
		if gap := math.Abs(m.Best[0].Lead - m.Best[1].Lead); gap >= finestGap {
			plies, worth[i] = append(plies, i), gap*(1-m.Prior)
		}
	}
	slices.SortStableFunc(plies, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	return plies
}
