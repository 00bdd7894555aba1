package life

import (
	"fmt"
	"slices"
	"strconv"

	"kosumi/board"
	"kosumi/life/solver"
	"kosumi/sgf"
)

// Verdicts on a target, for one side to move first without ko threats.
const (
	Dead       = "dead"       // the attacker captures the target
	Alive      = "alive"      // the defender makes the target pass-alive
	Seki       = "seki"       // the target is neither captured nor pass-alive
	Held       = "held"       // the target is not captured; whether it becomes pass-alive is not proved
	Repetition = "repetition" // the outcome depends on the ko rule
	Unknown    = "unknown"    // no verdict is proved in the given time
)

// Need is the lead in ko threats with which a side changes the verdict; 0: no number is known to do so.
type Need int

// Endless means that no finite number of threats is enough.
const Endless Need = solver.Endless

// MarshalJSON writes a number, or "inf".
func (n Need) MarshalJSON() ([]byte, error) {
	if n == Endless {
		return []byte(`"inf"`), nil
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}

// Ko describes the ko that a side must win to change a verdict.
type Ko struct {
	Name  string   `json:"name"`            // ko, approach ko, two-stage ko, ...
	First string   `json:"first"`           // who takes first: attacker or defender
	Steps int      `json:"steps,omitempty"` // approach moves, or stages of a multi-stage ko
	Line  []string `json:"line,omitempty"`  // moves up to the last retake; a ! marks a retake that costs a threat
}

// Card is the answer for one side to move first.
type Card struct {
	Verdict string `json:"verdict"`
	Proved  bool   `json:"proved"` // the checker verified the verdict's proof
	// Moves are the first moves that reach the verdict. AllMoves says that it is proved that no other
	// moves do. If AllMoves is set and Moves is empty, the target is already safe without a move.
	Moves    []string `json:"moves,omitempty"`
	AllMoves bool     `json:"allMoves"`
	// NeedD is the number of threats with which the defender saves the target, NeedA the number
	// with which the attacker kills it. The field Then has the verdict with that many threats. If AtLeast
	// is set, the number is a lower bound, and Then is empty if no number is known to be enough.
	NeedD   Need   `json:"needD,omitempty"`
	NeedA   Need   `json:"needA,omitempty"`
	AtLeast bool   `json:"needAtLeast,omitempty"`
	Then    string `json:"then,omitempty"`
	Ko      *Ko    `json:"ko,omitempty"`
	// Network is the target's chance of life in the network's opinion, 0..1, if no verdict is
	// proved.
	Network *float64 `json:"network,omitempty"`
	Zone    []string `json:"zone,omitempty"`  // the points that the verdict's proof depends on
	Proof   string   `json:"proof,omitempty"` // file of the proof, set by the caller
	Nodes   int64    `json:"nodes"`
	Known   []string `json:"provedBounds,omitempty"` // the statements proved so far, if no verdict is proved
}

// Answer is the answer to a [Question] about life and death.
type Answer struct {
	Target     []string `json:"target"`
	Quantifier string   `json:"quantifier"` // any or all: how many of the targets the attacker must capture
	Rules      string   `json:"rules"`
	Assumed    []string `json:"assumed"` // for each surrounding chain that is assumed alive, one of its stones
	Attacker   string   `json:"attacker"`
	Defender   string   `json:"defender"`
	Attacks    *Card    `json:"attackerFirst,omitempty"`
	Defends    *Card    `json:"defenderFirst,omitempty"`
	// Network is the network's opinion, even if verdicts are proved; nil without a network.
	Network *Opinion `json:"network,omitempty"`
	Seconds float64  `json:"seconds"`
	// Proof is the proof file of all claims; empty if there are none.
	Proof []byte `json:"-"`
	// Record is the answer as a game record to play through, with the proof.
	Record *sgf.Node `json:"-"`
	// Walk plays the proof against a user's moves; nil if nothing is proved, or the proof is too
	// large.
	Walk *Walk `json:"-"`
}

// Opinion is the target's chance of life according to a network, 0..1: for either side to move
// first, and the mean of both.
type Opinion struct {
	Alive    float64 `json:"alive"`
	Attacker float64 `json:"attackerFirst"`
	Defender float64 `json:"defenderFirst"`
}

// Unsettled reports whether it is proved that the verdict depends on who moves first.
func (a *Answer) Unsettled() bool {
	return a.Attacks != nil && a.Defends != nil && a.Attacks.Proved && a.Defends.Proved && a.Attacks.Verdict != a.Defends.Verdict
}

// describe returns an answer with the data of the question.
func (a *asker) describe() *Answer {
	q, size := a.q, a.q.Size
	out := &Answer{Quantifier: "any", Rules: "basic ko, no suicide", Assumed: []string{}, Defender: a.l.defender.String(), Attacker: a.l.color(solver.Attacker).String()}
	for _, t := range q.Targets {
		out.Target = append(out.Target, size.Vertex(t))
	}
	for _, t := range q.Assumed {
		if chain := q.chains([]board.Point{t}); slices.ContainsFunc(a.l.point, func(p board.Point) bool { return p != board.NoPoint && chain[p] }) {
			out.Assumed = append(out.Assumed, size.Vertex(t))
		}
	}
	if q.All {
		out.Quantifier = "all"
	}
	if q.Suicide {
		out.Rules = "basic ko, suicide of two stones or more"
	}
	if at, who := a.l.ban(q); at != solver.NoBan {
		out.Rules += fmt.Sprintf("; %s may not retake on %s at first", title(a.l.color(who).String()), a.l.vertex(size, at))
	}
	return out
}
