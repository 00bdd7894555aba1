package review

import (
	"encoding/base64"
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/search"
)

// Limits of [Eval].
const (
	maxMoves = 24 // maximum number of moves of a position
	maxLine  = 12 // maximum number of moves of a continuation
)

// Eval is the result of the search of one position. Winrate is Black's, 0..1; leads are
// Black's, in points.
type Eval struct {
	Visits  int64   `json:"visits"`
	Winrate float64 `json:"winrate"`
	Lead    float64 `json:"lead"`
	// Stdev is the standard deviation of the final score, in points.
	Stdev float64 `json:"stdev"`
	// Moves are the searched moves, best first, at most 24, and the played move.
	Moves []Candidate `json:"moves"`
	// Ownership is the ownership of the position, BestOwnership that of the position after the best
	// move. Both are empty if the network has no ownership.
	Ownership     Owners `json:"ownership,omitempty"`
	BestOwnership Owners `json:"bestOwnership,omitempty"`
}

// Candidate is a move of a position.
type Candidate struct {
	// Move is a vertex such as "Q16", or "pass".
	Move   string `json:"move"`
	Visits int64  `json:"visits"`
	// Prior is the network's probability of the move, 0..1.
	Prior   float64 `json:"prior"`
	Winrate float64 `json:"winrate"`
	Lead    float64 `json:"lead"`
	// Line is the expected continuation, the move itself first.
	Line []string `json:"line,omitempty"`
}

// Owners is the ownership of each point, rows from the top: 100 is Black's, -100 White's. In JSON
// it is the base64 of one byte a point, the value plus 100.
type Owners []int8

func (o Owners) MarshalText() ([]byte, error) {
	raw := make([]byte, len(o))
	for i, v := range o {
		raw[i] = byte(int(v) + 100)
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil
}

func (o *Owners) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(raw) > board.MaxPoints {
		return fmt.Errorf("ownership: not the base64 of a board")
	}
	*o = make(Owners, len(raw))
	for i, b := range raw {
		(*o)[i] = int8(max(-100, min(100, int(b)-100)))
	}
	return nil
}

// pointsPerWinrate converts winrates to points for a network without score: 6 % of winrate
// are one point, as in LizzieYzy Next.
const pointsPerWinrate = 1 / 0.06

// searchParams returns p without noise, with one evaluation at a time and one orientation, so
// that searches are repeatable.
func searchParams(p search.Params) search.Params {
	p.Root.NoiseEnabled, p.Root.WideNoise = false, 0
	p.Parallel.Workers = 1
	p.Net.Symmetry = 0
	p.Net.PlayoutDoublingAdvantage = 0
	p.Pass.IgnorePreRootHistory = false // keep the history, so that neighbouring positions share evaluations
	p.AntiMirror = false
	p.Seed = 1
	p.Stop.FutileVisitsThreshold = 0
	return p
}

// evalOf converts a search result to Black's view.
func evalOf(r *search.Result, played board.Point) *Eval {
	e := &Eval{Visits: r.Root.Visits, Stdev: Round(r.Root.ScoreStdev, 3)}
	e.Winrate, e.Lead = blacks(r, r.Root.Winrate, r.Root.Lead)
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.SymmetryOf != board.NoPoint && m.Move != played || len(e.Moves) >= maxMoves && m.Move != played {
			continue
		}
		c := Candidate{Move: r.Size.Vertex(m.Move), Visits: m.Visits, Prior: Round(float64(m.Prior), 4)}
		c.Winrate, c.Lead = blacks(r, m.Winrate, m.Lead)
		for k, p := range m.PV {
			if k == maxLine || k > 0 && k < len(m.PVVisits) && m.PVVisits[k] < 2 && r.Root.Visits > 64 {
				break
			}
			c.Line = append(c.Line, r.Size.Vertex(p))
		}
		e.Moves = append(e.Moves, c)
	}
	if played != board.NoPoint && r.Move(played) == nil {
		c := Candidate{Move: r.Size.Vertex(played)}
		if i := r.Size.Index(played); i < len(r.Policy) {
			c.Prior = Round(max(0, float64(r.Policy[i])), 4)
		}
		e.Moves = append(e.Moves, c)
	}
	black := r.ToMove == board.Black
	e.Ownership = ownersOf(r.Ownership, black)
	if len(r.Moves) > 0 {
		e.BestOwnership = ownersOf(r.Moves[0].Ownership, black)
	}
	return e
}

// blacks converts winrate and lead of the side to move into Black's.
func blacks(r *search.Result, winrate, lead float64) (float64, float64) {
	if !r.Root.Raw.HasScore {
		lead = (winrate - 0.5) * pointsPerWinrate
	}
	if r.ToMove == board.White {
		winrate, lead = 1-winrate, -lead
	}
	return Round(winrate, 4), Round(lead, 3)
}

func ownersOf(own []float32, black bool) Owners {
	if own == nil {
		return nil
	}
	out := make(Owners, len(own))
	for i, v := range own {
		if !black {
			v = -v
		}
		out[i] = int8(math.Round(100 * float64(max(-1, min(1, v)))))
	}
	return out
}

// Round rounds to a number of decimals, so that stored and computed values are equal. NaN and
// infinities become 0.
func Round(x float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	if x = math.Round(x*scale) / scale; x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0 // replaces negative zero, too
	}
	return x
}
