package rows

import (
	"math"

	"kosumi/board"
)

// Value is the value of a position or a game: probabilities with sum 1, and a score in points. A Game
// has values from White's view, a row from the view of the side to move.
type Value struct {
	Win, Loss, NoResult float32
	Score               float32
}

// FromWhite converts v from White's view to the view of side c, or back.
func (v Value) FromWhite(c board.Color) Value {
	if c == board.Black {
		return Value{v.Loss, v.Win, v.NoResult, -v.Score}
	}
	return v
}

// MoveWeight is an entry of a policy target: an index and a relative weight.
type MoveWeight struct {
	Index  uint16
	Weight int16
}

// Turn is a move of a game and the search before it.
type Turn struct {
	Move board.Point
	// Policy is the policy target; nil without a search.
	Policy []MoveWeight
	// Root is the value of the search's root, if HasRoot is set.
	Root    Value
	HasRoot bool
	// Weight is the mean number of rows of the turn: its whole part is certain, its fraction a
	// probability.
	Weight float64
	Visits int

	// PolicySurprise is the divergence of the policy target from the search's prior; PriorEntropy
	// and TargetEntropy are the entropies of the network's policy and of the target; all in nats.
	PolicySurprise, PriorEntropy, TargetEntropy float32
	RawWinLoss, RawScore, RawEntropy            float32 // network without search, White's view
}

// Mode is how a game began, as KataGo numbers it.
type Mode int

// The modes: a plain game, one that branches off another, and one that begins at a position of a record.
const (
	ModePlain Mode = 0
	ModeFork  Mode = 2
	ModeSGF   Mode = 4
)

// End is how a game ended.
type End struct {
	Known    bool // the result is known: a winner, a draw, or no result
	Winner   board.Color
	NoResult bool
	// Scored says that the board was counted. Then Owners has the final owner of every point, and
	// Score is White's lead, komi included.
	Scored   bool
	Score    float32
	Owners   []board.Color
	HitLimit bool
}

func (e *End) value() Value {
	v := Value{Score: e.Score}
	switch {
	case e.NoResult:
		v.NoResult = 1
	case e.Winner == board.White:
		v.Win = 1
	case e.Winner == board.Black:
		v.Loss = 1
	default:
		v.Win, v.Loss = 0.5, 0.5
	}
	return v
}

// Game is a finished game.
type Game struct {
	Start *board.Game // position before the first of Turns
	Turns []Turn
	End   End

	Hash      [2]uint64
	Mode      Mode
	FirstTurn int     // the first searched turn
	Weight    float32 // weight of each of its rows; 0 means 1
	// LeadFromScore fills the lead with the average of scores over the next few searches. KataGo
	// instead searches for a komi that makes the game even.
	LeadFromScore bool
}

// ScoreEnd counts the final position under its rules.
func ScoreEnd(g *board.Game, hitLimit bool) End {
	e := End{Known: true, HitLimit: hitLimit}
	if g.NoResult() {
		e.NoResult = true
		return e
	}
	e.Scored = true
	e.Score = g.Score()
	e.Owners = g.Owners(nil)
	e.Winner = winnerOf(e.Score)
	return e
}

// horizons set the lengths of the long, the middle and the short average over later searches: a turn's
// own search has the weight 1 / (1 + area*horizon), the average of the next turn has the rest.
var horizons = [3]float64{0.176, 0.056, 0.016}

// averages holds a turn's three averages, from White's view, and KataGo's arrival time of their variance.
type averages struct {
	values  [3]Value
	arrival float32
}

// lookAhead computes the averages for all turns, backwards from the end. A turn without a search
// has the averages of the next turn.
func (g *Game) lookAhead(area int) []averages {
	out := make([]averages, len(g.Turns)+1)
	last := g.End.value()
	if !g.End.Known || !g.End.Scored && !g.End.NoResult {
		for t := len(g.Turns) - 1; t >= 0; t-- {
			if g.Turns[t].HasRoot {
				score := g.Turns[t].Root.Score
				if !g.End.Known {
					last = g.Turns[t].Root
				}
				last.Score = score
				break
			}
		}
	}
	for k := range horizons {
		out[len(g.Turns)].values[k] = last
	}
	later := float64(last.Win - last.Loss)
	var spread, arrival float64
	for t := len(g.Turns) - 1; t >= 0; t-- {
		turn := &g.Turns[t]
		out[t] = out[t+1]
		arrival += spread
		if turn.HasRoot {
			now := float64(turn.Root.Win - turn.Root.Loss)
			d := (later - now) * (later - now)
			spread += d
			arrival += d
			later = now
			for k, c := range horizons {
				out[t].values[k] = mix(turn.Root, out[t+1].values[k], 1/(1+float64(area)*c))
			}
		}
		out[t].arrival = float32(arrival)
	}
	return out
}

// ShortTerm returns White's win minus loss averaged over the next few searches, for each turn.
func (g *Game) ShortTerm(area int) []float64 {
	out := make([]float64, len(g.Turns))
	for t, a := range g.lookAhead(area)[:len(out)] {
		out[t] = float64(a.values[2].Win - a.values[2].Loss)
	}
	return out
}

// mix returns a*x + b*(1-x).
func mix(a, b Value, x float64) Value {
	m := func(p, q float32) float32 { return float32(float64(p)*x + float64(q)*(1-x)) }
	return Value{m(a.Win, b.Win), m(a.Loss, b.Loss), m(a.NoResult, b.NoResult), m(a.Score, b.Score)}
}

// scoreCells spreads 100 over the two cells next to a final score, or over the two middle cells if it is not known.
func scoreCells(dst []int8, score float64, known bool) {
	clear(dst)
	middle := len(dst) / 2
	if !known {
		dst[middle-1], dst[middle] = 50, 50
		return
	}
	c := math.Round(score) // rounds halves away from zero
	upper := int(math.Round(100 * (score - (c - 0.5))))
	at := int(c) + middle
	switch {
	case at <= 0:
		dst[0] = 100
	case at >= len(dst):
		dst[len(dst)-1] = 100
	default:
		dst[at], dst[at-1] = int8(upper), int8(100-upper)
	}
}
