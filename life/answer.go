package life

import (
	"fmt"
	"slices"
	"strconv"

	"kosumi/board"
	"kosumi/life/solver"
	"kosumi/sgf"
)

// Verdicts on a target if a given side moves first and neither side has ko threats.
const (
	Dead       = "dead"       // the attacker captures the target
	Alive      = "alive"      // the defender makes the target pass-alive
	Seki       = "seki"       // the target is neither captured nor pass-alive
	Held       = "held"       // the target is not captured; whether it becomes pass-alive is not proved
	Repetition = "repetition" // the outcome depends on the ko rule
	Unknown    = "unknown"    // no verdict is proved in the given time
)

// Need is how many ko threats a side needs to change the verdict if its opponent has none; 0: no number is known.
type Need int

// Endless is the [Need] of a side that changes the verdict with endless threats, but with no finite number of them.
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
	First string   `json:"first"`           // the side that takes the ko first: attacker or defender
	Steps int      `json:"steps,omitempty"` // number of approach moves, or of stages of a multi-stage ko
	Line  []string `json:"line,omitempty"`  // moves up to the last retake; a ! marks a retake that costs a threat
}

// Card is the answer for one side to move first.
type Card struct {
	Verdict string `json:"verdict"`
	Proved  bool   `json:"proved"` // the checker verified the verdict's proof
	// Moves are the first moves that reach the verdict. AllMoves reports that all other moves are proved to
	// fail. If AllMoves is set and Moves is empty, the target is safe before the first move.
	Moves    []string `json:"moves,omitempty"`
	AllMoves bool     `json:"allMoves"`
	// NeedD is the number of threats with which the defender changes the verdict, NeedA the number with
	// which the attacker does. Then is the verdict with that many threats. If AtLeast is set, the number
	// is only a lower bound; Then is empty if no number is known to be enough.
	NeedD   Need   `json:"needD,omitempty"`
	NeedA   Need   `json:"needA,omitempty"`
	AtLeast bool   `json:"needAtLeast,omitempty"`
	Then    string `json:"then,omitempty"`
	Ko      *Ko    `json:"ko,omitempty"`
	// Network is the network's estimate of the target's chance to live, 0..1; nil if a verdict is proved.
	Network *float64 `json:"network,omitempty"`
	Zone    []string `json:"zone,omitempty"`  // the points that the verdict's proof depends on
	Proof   string   `json:"proof,omitempty"` // file of the proof, set by the caller
	Nodes   int64    `json:"nodes"`
	Known   []string `json:"provedBounds,omitempty"` // the statements proved so far, if no verdict is proved
}

// Answer is the answer to a [Question] about life and death.
type Answer struct {
	Target     []string `json:"target"`
	Quantifier string   `json:"quantifier"` // any: the attacker must capture one of the targets; all: every one
	Rules      string   `json:"rules"`
	Assumed    []string `json:"assumed"` // for each surrounding chain that is assumed alive, one of its stones
	Attacker   string   `json:"attacker"`
	Defender   string   `json:"defender"`
	Attacks    *Card    `json:"attackerFirst,omitempty"`
	Defends    *Card    `json:"defenderFirst,omitempty"`
	// Network is the network's opinion, whether or not verdicts are proved; nil: it gave none.
	Network *Opinion `json:"network,omitempty"`
	Seconds float64  `json:"seconds"`
	// Proof is the proof file of all claims; empty if there are none.
	Proof []byte `json:"-"`
	// Record is the answer as a game record to play through, with the proof.
	Record *sgf.Node `json:"-"`
	// Walk plays the proof against a user's moves; nil if nothing is proved without ko threats, or if the
	// proof is too large.
	Walk *Walk `json:"-"`
}

// Opinion is a network's estimate of the target's chance to live, 0..1, if the attacker moves first and if the
// defender does. Alive is the mean of both.
type Opinion struct {
	Alive    float64 `json:"alive"`
	Attacker float64 `json:"attackerFirst"`
	Defender float64 `json:"defenderFirst"`
}

// Unsettled reports whether it is proved that the verdict depends on who moves first.
func (a *Answer) Unsettled() bool {
	return a.Attacks != nil && a.Defends != nil && a.Attacks.Proved && a.Defends.Proved && a.Attacks.Verdict != a.Defends.Verdict
}

// describe returns an answer that describes the question and has no results yet.
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
