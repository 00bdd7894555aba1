package life

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// Limits on the number of states that a search visits.
const (
	proved   = 0     // use only the proofs found so far
	somewhat = 16000 // limit of the first search for a proof; the first search for evasions follows it
	noEnd    = 1 << 40
)

// wideArea is the largest number of points of an open fight in which a search tries all moves, not only those near
// the target. In an enclosed fight, it does so up to twice this number.
const wideArea = 49

// Options control how [Ask] answers a question.
type Options struct {
	Time     time.Duration // limit of time; 0: none
	Nodes    int64         // limit on searched states; 0: none
	First    board.Color   // answer only for the case that this side moves first; Empty: for both cases
	Progress func(what string, nodes int64)
	Network  Network // orders moves, and estimates the chance of life if nothing is proved; nil: none
}

// word is the number of bits of a machine word. A fight of at most this many points fits into one word; in a larger
// fight the search also tries narrow questions (see [narrow]).
const word = 64

// asker answers one question.
type asker struct {
	q       *Question
	l       *encoded
	s       *solver.Search
	opts    Options
	ctx     context.Context
	until   time.Time
	share   time.Time // time at which the present part of the work ends
	most    int64     // number of searched states at which the present part ends
	claims  []claim
	neither map[uint64]bool // by Search.Key: a complete search of the contest in this state found no proof
	what    string          // what the analysis does now; Options.Progress gets it
	narrows []ring          // the narrow questions; nil until computed
	alive   [2]float64      // the network's probability that the target lives, by first mover; below 0: unknown
}

// Ask answers a question, for either side to move first: the verdict, the ko threats that change the verdict, and
// the first moves that reach it. When the time is over or ctx ends, the answer holds the proofs found so far. An
// error wraps ErrQuestion, or says that the checker refused a proof.
func Ask(ctx context.Context, q *Question, opts Options) (*Answer, error) {
	began := time.Now()
	l, err := q.encode()
	if err != nil {
		return nil, err
	}
	a := newAsker(ctx, q, l, opts)
	a.consult()
	out := a.describe()
	var cards [2]*Card
	for _, first := range []solver.Side{solver.Attacker, solver.Defender} {
		if opts.First == board.Empty || opts.First == l.color(first) {
			cards[first] = &Card{Verdict: Unknown}
		}
	}
	out.Attacks, out.Defends = cards[solver.Attacker], cards[solver.Defender]
	a.answer(cards)
	if err := a.verify(out, cards); err != nil {
		return nil, err
	}
	for first, c := range cards {
		if c != nil && !c.Proved && a.alive[first] >= 0 {
			c.Network = &a.alive[first]
		}
	}
	if a.alive[solver.Attacker] >= 0 && a.alive[solver.Defender] >= 0 {
		out.Network = &Opinion{(a.alive[solver.Attacker] + a.alive[solver.Defender]) / 2, a.alive[solver.Attacker], a.alive[solver.Defender]}
	}
	out.Walk = a.newWalk(cards)
	out.Seconds = time.Since(began).Seconds()
	out.Record, err = a.record(out, cards)
	return out, err
}

// over reports whether the search should stop. It also calls Options.Progress.
func (a *asker) over() bool {
	if a.opts.Progress != nil {
		a.opts.Progress(a.what, a.s.Nodes)
	}
	now := time.Now()
	return a.ctx.Err() != nil || !a.share.IsZero() && now.After(a.share) || a.opts.Nodes > 0 && a.s.Nodes > a.most
}

// part begins a part of the work, and limits it to a share of the remaining time and states.
func (a *asker) part(what string, share float64) {
	a.what = what
	if a.opts.Nodes > 0 {
		a.most = a.s.Nodes + int64(share*float64(a.opts.Nodes-a.s.Nodes))
	}
	if !a.until.IsZero() {
		a.share = time.Now().Add(time.Duration(share * float64(time.Until(a.until))))
	}
}

// answer fills in the cards: verdicts, then the effect of threats, then moves.
func (a *asker) answer(cards [2]*Card) {
	shares := [2]float64{0.45, 0.8}
	if cards[solver.Attacker] == nil || cards[solver.Defender] == nil {
		shares = [2]float64{0.8, 0.8}
	}
	for _, step := range []struct {
		what   string
		shares [2]float64
		do     func(*Card, solver.Side)
	}{{"", shares, a.verdict}, {"threats, ", [2]float64{0.4, 0.4}, a.ladder}, {"moves, ", [2]float64{0.6, 0.6}, a.moves}} {
		for first, c := range cards {
			if c != nil {
				a.part(fmt.Sprintf("%s%v first", step.what, solver.Side(first)), step.shares[first])
				a.count(c, func() { step.do(c, solver.Side(first)) })
			}
		}
	}
	a.nameKos(cards)
}

// count adds the states searched by f to a card.
func (a *asker) count(c *Card, f func()) {
	before := a.s.Nodes
	f()
	c.Nodes += a.s.Nodes - before
}

func (a *asker) root(first solver.Side, kA, kD uint8) solver.Position {
	return a.l.root(a.q, first, [2]uint8{kA, kD})
}

// decide returns the goal of a contest that is proved to be reached from p, and the number of the proof. If no proof
// is known yet, it searches at most effort states for one. It returns NoGoal and -1 if it finds none.
func (a *asker) decide(c solver.Contest, p *solver.Position, effort int64) (solver.Goal, int32) {
	if a.over() {
		effort = proved
	}
	if at := a.s.Known(c, p); at >= 0 {
		return a.s.Proof(at).Goal, at
	}
	if key := a.s.Key(c, p); effort > proved && !a.neither[key] {
		a.s.MaxNodes = a.s.Nodes + effort
		at, neither := a.s.Decide(c, p)
		if at >= 0 {
			return a.s.Proof(at).Goal, at
		}
		a.neither[key] = neither
	}
	return solver.NoGoal, -1
}

// claim records a statement with its proof: goal q is reached after the moves in after, with the threats of p.
func (a *asker) claim(first solver.Side, q solver.Goal, p *solver.Position, at int32, after ...int16) {
	a.claims = append(a.claims, claim{first: first, goal: q, threat: p.Threat, proof: at, after: after})
}

// verdict finds a card's verdict: the result if neither side has ko threats.
func (a *asker) verdict(c *Card, first solver.Side) {
	p := a.root(first, 0, 0)
	q, at := a.settle(first, &p)
	if at >= 0 {
		for _, p := range a.l.byRows(a.s.Zone(at).Points()) {
			c.Zone = append(c.Zone, a.l.vertex(a.q.Size, p))
		}
	}
	switch q {
	case solver.NoGoal:
	case solver.Repeat:
		c.Verdict = Repetition
	case solver.Capture:
		c.Verdict = Dead
	default:
		c.Verdict = a.settled(first, &p)
	}
}

// settled finds whether a target that cannot be captured becomes pass-alive, and claims the result. It returns
// Alive if the target is proved to do so, Seki if it is proved not to, and Held if nothing is proved.
func (a *asker) settled(first solver.Side, p *solver.Position) string {
	q, at, evaded := a.find(solver.Life, p, p, solver.Deny)
	if at >= 0 {
		a.claim(first, q, p, at)
	}
	switch {
	case evaded || q == solver.Deny:
		return Seki
	case q == solver.Settle:
		return Alive
	}
	return Held
}

// settle finds whether capture or hold is reached from a state, and claims the result. It returns the goal, with the
// number of its proof, or Repeat if neither is reached, or NoGoal if nothing is proved.
func (a *asker) settle(first solver.Side, p *solver.Position) (solver.Goal, int32) {
	q, at, evaded := a.find(solver.Fight, p, p, solver.Repeat)
	if evaded {
		return solver.Repeat, -1
	}
	if at >= 0 {
		a.claim(first, q, p, at)
	}
	return q, at
}

// find searches a contest in the state p; start is the same state. It searches in turn for a proof that a goal is
// reached, and for evasions, which prove the result miss (see misses). It claims evasions, but not the proof.
func (a *asker) find(c solver.Contest, start, p *solver.Position, miss solver.Goal) (q solver.Goal, at int32, evaded bool) {
	for i, r := range rounds {
		if a.s.Wide || i > 0 && a.l.On.Count() > word {
			return a.findWide(c, start, p, miss)
		}
		if q, at, evaded = a.round(r, c, start, p, miss); at >= 0 || evaded {
			break
		}
	}
	return q, at, evaded
}

// findWide does the work of the method find in large or open fights, where it also searches narrow questions.
func (a *asker) findWide(c solver.Contest, start, p *solver.Position, miss solver.Goal) (q solver.Goal, at int32, evaded bool) {
	for effort := int64(somewhat); ; effort *= 2 {
		r := round{effort, int(min(effort/8, 50000))}
		if q, at, evaded = a.round(r, c, start, p, miss); at >= 0 || evaded || effort >= noEnd || a.over() {
			return q, at, evaded
		}
		if at = a.followed(c, p, effort); at >= 0 {
			return a.s.Proof(at).Goal, at, false
		}
	}
}

// round searches for a proof, then for evasions, within the limits r. after lists the moves from start to p.
func (a *asker) round(r round, c solver.Contest, start, p *solver.Position, miss solver.Goal, after ...int16) (q solver.Goal, at int32, evaded bool) {
	goals := misses[miss]
	if goals == nil {
		goals = []solver.Goal{miss}
	}
	if q, at = a.decide(c, p, r.effort); at < 0 && r.states > 0 {
		var reached bool
		if evaded, reached = a.evaded(start, p, goals, r.states, after...); reached {
			q, at = a.decide(c, p, proved)
		}
	}
	return q, at, evaded
}

// round holds the limits of one call of the method round.
type round struct {
	effort int64 // states searched for a proof
	states int   // states searched for an evasion
}

var (
	rounds  = [...]round{{somewhat, 2000}, {16 * somewhat, 50000}, {noEnd, 0}}
	glances = [...]round{{200, 200}, {4000, 2000}, {4000, 8000}, {4 * somewhat, 50000}}
)

// Conditions under which a search with endless threats runs all rounds of glances; otherwise it omits the last ones.
const (
	small = 16            // the fight has at most this many points, not counting stones alive by assumption
	ample = 40 * somewhat // Options.Nodes is 0 or at least this
)

// misses maps a result to goals: evasions of all these goals prove the result.
var misses = map[solver.Goal][]solver.Goal{solver.Repeat: {solver.Capture, solver.Hold}, solver.Deny: {solver.Settle}}

// evaded searches for an evasion of each goal from p. ok reports that it found and claimed them all; reached reports
// that it failed because one of the goals is reached.
func (a *asker) evaded(start, p *solver.Position, goals []solver.Goal, states int, after ...int16) (ok, reached bool) {
	if a.s.Wide || a.over() {
		return false, false
	}
	before := len(a.claims)
	for _, q := range goals {
		at, lost := a.s.Evade(q, p, states)
		if at < 0 {
			a.claims = a.claims[:before]
			return false, lost
		}
		a.claim(start.Mover, q, start, at, after...)
		a.claims[len(a.claims)-1].evaded = true
	}
	return true, false
}

// verify lets the checker verify all claims, and marks the proved cards.
func (a *asker) verify(out *Answer, cards [2]*Card) error {
	if len(a.claims) == 0 {
		return nil
	}
	a.s.Forget()
	data := a.l.proofFile(a.q, a.s, a.claims)
	_, err := check.Proof(data)
	a.s.Forget()
	if err != nil {
		return fmt.Errorf("nothing is proved: the checker refused the proof: %w", err)
	}
	out.Proof = data
	for first, c := range cards {
		if c == nil {
			continue
		}
		c.Proved = slices.Contains([]string{Dead, Alive, Seki, Repetition}, c.Verdict)
		if !c.Proved {
			c.Known = a.bounds(solver.Side(first))
		}
	}
	return nil
}

// bounds describes what is proved about the start if the given side moves first.
func (a *asker) bounds(first solver.Side) (out []string) {
	for _, c := range a.claims {
		if c.first != first || len(c.after) > 0 {
			continue
		}
		text := map[solver.Goal]string{solver.Capture: "dead", solver.Settle: "alive", solver.Hold: "not dead", solver.Deny: "not alive"}[c.goal]
		if c.evaded {
			text = map[solver.Goal]string{solver.Capture: "not dead", solver.Settle: "not alive", solver.Hold: "not held"}[c.goal]
		}
		out = append(out, text+" "+under(c.threat, a.l.color(solver.Attacker).String(), a.l.defender.String()))
	}
	return out
}
