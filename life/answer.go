package life

import (
	"fmt"
	"slices"
	"strconv"

	"kosumi/board"
	"kosumi/life/solver"
	"kosumi/sgf"
)

// Verdicts on a target, for one side to move first and no threats on either side.
const (
	Dead       = "dead"       // the attacker takes it
	Alive      = "alive"      // the defender makes it pass-alive
	Seki       = "seki"       // it is not taken, and not made pass-alive
	Held       = "held"       // it is not taken; whether it can be made pass-alive is open
	Repetition = "repetition" // it depends on the ko rule
	Unknown    = "unknown"    // nothing was proved in the time
)

// Need is a number of threats more than the other side has: 1 to 3, or Endless for
// "no number that was tried". 0 is none needed.
type Need int

// MarshalJSON writes a number, or "inf".
func (n Need) MarshalJSON() ([]byte, error) {
	if n >= solver.Endless {
		return []byte(`"inf"`), nil
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}

// Ko describes the ko by which a verdict changes.
type Ko struct {
	Name  string   `json:"name"`            // ko, approach ko, two-stage ko, ...
	First string   `json:"first"`           // who takes first: attacker or defender
	Steps int      `json:"steps,omitempty"` // local moves of an approach ko, stages of a ko of several
	Line  []string `json:"line,omitempty"`  // moves up to the last retake; a ! marks a retake that costs a threat
}

// Card is the answer for one side to move first.
type Card struct {
	Verdict string `json:"verdict"`
	Proved  bool   `json:"proved"` // the checker has verified the proof of the verdict
	// Moves are the first moves that reach the verdict; AllMoves says that every other
	// one is proved not to.
	Moves    []string `json:"moves,omitempty"`
	AllMoves bool     `json:"allMoves"`
	AnyMove  bool     `json:"anyMove,omitempty"` // every first move reaches it
	// NeedD is how many threats more the defender needs to be saved, NeedA how many the
	// attacker needs to kill; Then is the verdict with them.
	NeedD Need   `json:"needD,omitempty"`
	NeedA Need   `json:"needA,omitempty"`
	Then  string `json:"then,omitempty"`
	Ko    *Ko    `json:"ko,omitempty"`
	// Network is the probability by the network that the target lives, where the verdict
	// is not proved.
	Network *float64 `json:"network,omitempty"`
	Zone    []string `json:"zone,omitempty"` // the points that the proof of the verdict depends on
	// Proof is the file that holds the proof of what is proved, where one was written.
	Proof string   `json:"proof,omitempty"`
	Nodes int64    `json:"nodes"`
	Known []string `json:"provedBounds,omitempty"` // what is proved where the verdict is not
}

// Answer is what was found about a question.
type Answer struct {
	Target     []string `json:"target"`
	Quantifier string   `json:"quantifier"` // any: all must live; all: the attacker must take every one
	Rules      string   `json:"rules"`
	Assumed    []string `json:"assumed"` // a stone of each chain about the fight that is alive by assumption
	Attacker   string   `json:"attacker"`
	Defender   string   `json:"defender"`
	Attacks    *Card    `json:"attackerFirst,omitempty"`
	Defends    *Card    `json:"defenderFirst,omitempty"`
	// Network is what a network thinks, proved or not; nil without one.
	Network *Opinion `json:"network,omitempty"`
	Seconds float64  `json:"seconds"`
	// Proof is the proof of all that is called proved, for the checker; empty if nothing is.
	Proof []byte `json:"-"`
	// Record is the answer as a game record to play through, with the proof in it.
	Record *sgf.Node `json:"-"`
	// Walk plays against whoever doubts what is proved; nil if nothing is, or too much.
	Walk *Walk `json:"-"`
}

// Opinion is what a network thinks of a question: the probability that the target lives,
// for either side to move first and their mean.
type Opinion struct {
	Alive    float64 `json:"alive"`
	Attacker float64 `json:"attackerFirst"`
	Defender float64 `json:"defenderFirst"`
}

// Unsettled reports whether it is proved that the verdict depends on who moves first.
func (a *Answer) Unsettled() bool {
	return a.Attacks != nil && a.Defends != nil && a.Attacks.Proved && a.Defends.Proved && a.Attacks.Verdict != a.Defends.Verdict
}

// describe returns an answer that says what is asked.
func (a *asker) describe() *Answer {
	q, size := a.q, a.q.Size
	out := &Answer{Quantifier: "any", Rules: "basic ko, no suicide", Assumed: []string{}, Defender: a.l.defender.String(), Attacker: a.l.defender.Opponent().String()}
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
		color := map[solver.Side]string{solver.Attacker: out.Attacker, solver.Defender: out.Defender}[who]
		out.Rules += fmt.Sprintf("; %s may not retake on %s at first", title(color), a.l.vertex(size, at))
	}
	return out
}
