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

// Efforts, in states: what is spent before repetitions are looked for, and no bound.
const (
	somewhat = 16000
	noEnd    = 1 << 40
)

// wideArea is how many points are all tried where the fight is not enclosed, and half
// of how many are where it is.
const wideArea = 49

// Options bound how a question is answered.
type Options struct {
	Time     time.Duration // 0: none
	Nodes    int64         // at most so many states; 0: no bound
	First    board.Color   // only with this side to move first; Empty: both
	Progress func(what string, nodes int64)
	Network  Network // orders moves, and says what is likely where nothing is proved; nil: none
}

// asker answers one question.
type asker struct {
	q       *Question
	l       *laid
	s       *solver.Search
	opts    Options
	ctx     context.Context
	until   time.Time
	share   time.Time // when the part under way has to end
	most    int64     // and after how many states
	claims  []claim
	neither map[uint64]bool // contests and states where the search ended without a proof
	what    string
	alive   [2]float64 // what the network says of the target with either side to move, below 0 where it says nothing
}

// Ask answers a question: the verdict for either side to move first, what threats
// change, and the first moves that work. When the time is over or ctx ends, the answer
// holds what was proved until then. An error wraps ErrQuestion, or says that the
// checker refused a proof.
func Ask(ctx context.Context, q *Question, opts Options) (*Answer, error) {
	began := time.Now()
	l, err := q.lay()
	if err != nil {
		return nil, err
	}
	a := newAsker(ctx, q, l, opts)
	a.look()
	out := a.describe()
	var cards [2]*Card
	for _, first := range []solver.Side{solver.Attacker, solver.Defender} {
		if opts.First == board.Empty || (opts.First == l.defender) == (first == solver.Defender) {
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

// over reports whether the search should stop, and tells how far it is.
func (a *asker) over() bool {
	if a.opts.Progress != nil {
		a.opts.Progress(a.what, a.s.Nodes)
	}
	now := time.Now()
	return a.ctx.Err() != nil || !a.share.IsZero() && now.After(a.share) || a.opts.Nodes > 0 && a.s.Nodes > a.most
}

// part gives the next part of the work a share of the time that is left.
func (a *asker) part(what string, share float64) {
	a.what = what
	if a.opts.Nodes > 0 {
		a.most = a.s.Nodes + int64(share*float64(a.opts.Nodes-a.s.Nodes))
	}
	if !a.until.IsZero() {
		a.share = time.Now().Add(time.Duration(share * float64(time.Until(a.until))))
	}
}

// answer fills the cards: verdicts first, then what threats change, then moves.
func (a *asker) answer(cards [2]*Card) {
	shares := [2]float64{0.45, 0.8}
	if cards[solver.Attacker] == nil || cards[solver.Defender] == nil {
		shares = [2]float64{0.8, 0.8}
	}
	for first, c := range cards {
		if c != nil {
			a.part(fmt.Sprintf("%v first", solver.Side(first)), shares[first])
			a.count(c, func() { a.verdict(c, solver.Side(first)) })
		}
	}
	for first, c := range cards {
		if c != nil {
			a.part(fmt.Sprintf("threats, %v first", solver.Side(first)), 0.4)
			a.count(c, func() { a.ladder(c, solver.Side(first)) })
		}
	}
	for first, c := range cards {
		if c != nil {
			a.part(fmt.Sprintf("moves, %v first", solver.Side(first)), 0.6)
			a.count(c, func() { a.moves(c, solver.Side(first)) })
		}
	}
	a.nameKos(cards)
}

func (a *asker) count(c *Card, f func()) {
	before := a.s.Nodes
	f()
	c.Nodes += a.s.Nodes - before
}

func (a *asker) root(first solver.Side, kA, kD uint8) solver.Position {
	return a.l.root(a.q, first, [2]uint8{kA, kD})
}

// decide searches a contest with so many states more, and returns the goal that is
// reached and the number of its proof; NoGoal and -1 where none was found.
func (a *asker) decide(c solver.Contest, p *solver.Position, effort int64) (solver.Goal, int32) {
	if key := a.s.Key(c, p); !a.neither[key] && !a.over() {
		a.s.MaxNodes = a.s.Nodes + effort
		at, neither := a.s.Decide(c, p)
		if at >= 0 {
			return a.s.Proof(at).Goal, at
		}
		a.neither[key] = neither
	}
	return solver.NoGoal, -1
}

// claim notes what was proved.
func (a *asker) claim(first solver.Side, q solver.Goal, p *solver.Position, at int32, after ...int16) {
	a.claims = append(a.claims, claim{first: first, goal: q, threat: p.Threat, proof: at, after: after})
}

// verdict settles the question without threats.
func (a *asker) verdict(c *Card, first solver.Side) {
	p := a.root(first, 0, 0)
	q, at := a.settle(first, &p)
	if at >= 0 {
		c.Zone = a.zone(at)
	}
	switch q {
	case solver.NoGoal:
		return
	case solver.Repeat:
		c.Verdict = Repetition
		return
	case solver.Capture:
		c.Verdict = Dead
		return
	}
	c.Verdict = a.settled(first, &p)
}

// settled finds out whether a target that is held is made pass-alive too, and claims
// that: Alive, Seki, or Held where it stays open.
func (a *asker) settled(first solver.Side, p *solver.Position) string {
	q, at := a.decide(solver.Life, p, a.patience(p))
	if at < 0 && a.enumerated(solver.Unsettled, p) {
		a.claim(first, solver.Unsettled, p, -1)
		return Seki
	}
	if at < 0 {
		q, at = a.decide(solver.Life, p, noEnd)
	}
	switch q {
	case solver.Settle:
		a.claim(first, q, p, at)
		return Alive
	case solver.Deny:
		a.claim(first, q, p, at)
		return Seki
	}
	return Held
}

// zone returns the names of the points of a proof's zone.
func (a *asker) zone(at int32) (names []string) {
	z := a.s.Zone(at)
	for _, p := range z.Points(nil) {
		names = append(names, a.q.Size.Vertex(a.l.point[p]))
	}
	return names
}

// ladder finds how many threats change the verdict.
func (a *asker) ladder(c *Card, first solver.Side) {
	p := a.root(first, 0, 0)
	for _, q := range []solver.Contest{solver.Fight, solver.Life} {
		if q, at := a.decide(q, &p, 1); (q == solver.Capture || q == solver.Hold || q == solver.Settle) && a.s.Proof(at).Free {
			return // whatever the threats
		}
	}
	switch c.Verdict {
	case Dead:
		c.NeedD, c.Then = a.climb(first, solver.Defender)
	case Alive, Seki, Held:
		c.NeedA, c.Then = a.climb(first, solver.Attacker)
	}
}

// climb gives one side more and more threats, the other none, until the target's
// capture, or its safety, can be proved. 0 is an end without a change, or an open one.
func (a *asker) climb(first, who solver.Side) (Need, string) {
	p := a.root(first, 0, 0)
	p.Threat[who] = solver.Endless
	if q, at := a.decide(solver.Fight, &p, somewhat); at >= 0 && q.Winner() != who {
		a.claim(first, q, &p, at)
		return 0, ""
	}
	for k := uint8(1); k <= solver.Endless; k++ {
		p := a.root(first, 0, 0)
		p.Threat[who] = k
		q, at := a.settle(first, &p)
		switch {
		case q == solver.NoGoal:
			return 0, ""
		case q == solver.Repeat:
			return Need(k), Repetition
		case a.s.Proof(at).Free:
			return 0, ""
		}
		if (q == solver.Capture) != (who == solver.Attacker) {
			continue
		}
		if q == solver.Capture {
			return Need(k), Dead
		}
		return Need(k), a.settled(first, &p)
	}
	return 0, ""
}

// settle finds which of capture and hold is reached from a state, or that neither
// is, and claims it; NoGoal where nothing was proved.
func (a *asker) settle(first solver.Side, p *solver.Position) (solver.Goal, int32) {
	q, at := a.decide(solver.Fight, p, a.patience(p))
	if at < 0 && a.enumerated(solver.Repeat, p) {
		a.claim(first, solver.Repeat, p, -1)
		return solver.Repeat, -1
	}
	if at < 0 {
		q, at = a.decide(solver.Fight, p, noEnd)
	}
	if at >= 0 {
		a.claim(first, q, p, at)
	}
	return q, at
}

// enumerated reports whether a state is unsettled, or only repeats: the checker
// verifies that by enumeration.
func (a *asker) enumerated(what solver.Goal, p *solver.Position, after ...int16) bool {
	states := a.states(p)
	if states == 0 || a.over() || !a.affords(states) {
		return false
	}
	first := p.Mover
	if len(after)%2 == 1 {
		first = first.Other()
	}
	data := a.l.proofFile(a.q, a.s, []claim{{first: first, goal: what, threat: p.Threat, proof: -1, after: after}})
	_, err := check.Proof(data)
	return err == nil
}

// mostEnumerated is how many empty points a state has at most from which all are enumerated.
const mostEnumerated = 9

// states returns about how many states an enumeration meets, 0 where that is too many.
func (a *asker) states(p *solver.Position) int64 {
	empty := a.s.Empty(p)
	if !a.l.closed || empty.Count() > mostEnumerated {
		return 0
	}
	states := int64(1)
	for range empty.Count() {
		states *= 3
	}
	return states
}

// A state of an enumeration costs the checker as much as so many of the search, and so long.
const (
	stateNodes = 4
	stateTime  = 200 * time.Microsecond
)

// patience returns how many states are searched before repetitions are looked for: the
// more, the dearer the enumeration, but no more than half of what a part of the work may take.
func (a *asker) patience(p *solver.Position) int64 {
	effort := 10 * a.states(p)
	if a.opts.Nodes > 0 {
		effort = min(effort, (a.most-a.s.Nodes)/2)
	}
	return max(somewhat, effort)
}

// affords reports whether what is left of a part of the work is enough to enumerate so
// many states, and charges it for that.
func (a *asker) affords(states int64) bool {
	if a.opts.Nodes > 0 {
		if a.s.Nodes+stateNodes*states > a.most {
			return false
		}
		a.s.Nodes += stateNodes * states
	}
	return a.share.IsZero() || time.Until(a.share) > time.Duration(states)*stateTime
}

// aim returns what a first move must reach for a verdict, and in which contest;
// every where each move reaches it.
func aim(first solver.Side, verdict string) (c solver.Contest, works solver.Goal, every bool) {
	switch {
	case verdict == Repetition:
		return solver.Fight, solver.Repeat, false
	case first == solver.Attacker && verdict == Dead:
		return solver.Fight, solver.Capture, false
	case first == solver.Attacker && verdict == Seki:
		return solver.Life, solver.Deny, false
	case first == solver.Defender && verdict == Alive:
		return solver.Life, solver.Settle, false
	case first == solver.Defender && (verdict == Seki || verdict == Held):
		return solver.Fight, solver.Hold, false
	}
	return 0, 0, true
}

// moves finds which first moves work.
func (a *asker) moves(c *Card, first solver.Side) {
	if c.Verdict == Unknown || c.Verdict == Held && first == solver.Attacker {
		return
	}
	p := a.root(first, 0, 0)
	if over, by := a.s.Ended(&p); over && by != solver.LeafDoomed {
		c.AllMoves = true
		return
	}
	list, all := a.working(&p, c.Verdict)
	c.AllMoves = all && !a.s.Wide
	for _, m := range list {
		c.Moves = append(c.Moves, a.l.vertex(a.q.Size, m))
	}
}

// working returns the first moves that reach a verdict, and whether all others are
// proved not to. The pass comes first.
func (a *asker) working(p *solver.Position, verdict string) (list []int16, all bool) {
	first := p.Mover
	c, works, every := aim(first, verdict)
	all = true
	empty := a.s.Room(p)
	unreached := solver.NoGoal
	switch works {
	case solver.Repeat:
		unreached = solver.Repeat
	case solver.Deny:
		unreached = solver.Unsettled
	}
	var known []int32
	for _, m := range append([]int16{solver.Pass}, empty.Points(nil)...) {
		next := *p
		if m == p.Ban && m >= 0 {
			continue
		}
		if _, legal := a.s.Move(&next, m); !legal {
			continue
		}
		if every {
			list = append(list, m)
			continue
		}
		at := int32(-1)
		for _, i := range known {
			if a.s.Covers(i, &next) {
				at = i
			}
		}
		q := works
		shared := at >= 0
		if shared {
			q = a.s.Proof(at).Goal
		} else {
			q, at = a.decide(c, &next, a.patience(&next))
		}
		if at < 0 && unreached != solver.NoGoal && a.enumerated(unreached, &next, m) {
			list = append(list, m)
			a.claim(first, unreached, p, -1, m)
			continue
		}
		if at < 0 {
			q, at = a.decide(c, &next, noEnd)
		}
		if at < 0 {
			all = false
			continue
		}
		known = append(known, at)
		a.claim(first, q, p, at, m)
		a.claims[len(a.claims)-1].shared = shared
		if q == works {
			list = append(list, m)
		}
	}
	return list, all
}

// verify has the checker read the proof of all that was proved, and marks the cards.
func (a *asker) verify(out *Answer, cards [2]*Card) error {
	if len(a.claims) == 0 {
		return nil
	}
	data := a.l.proofFile(a.q, a.s, a.claims)
	_, err := check.Proof(data)
	if err != nil && a.dropShared(cards) {
		data = a.l.proofFile(a.q, a.s, a.claims)
		_, err = check.Proof(data)
	}
	if err != nil {
		return fmt.Errorf("nothing is proved: the checker refused what the search found: %w", err)
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

// dropShared takes back what is claimed of first moves by the proof of another state, and
// reports whether there was anything. Which liberties a zone holds may depend on what
// stands outside of it: the checker, which meets both states, may find the proof's zone in
// one of them to be more than they have in common.
func (a *asker) dropShared(cards [2]*Card) bool {
	before := len(a.claims)
	a.claims = slices.DeleteFunc(a.claims, func(c claim) bool {
		if c.shared {
			card := cards[c.first]
			card.AllMoves = false
			card.Moves = slices.DeleteFunc(card.Moves, func(m string) bool { return m == a.l.vertex(a.q.Size, c.after[0]) })
		}
		return c.shared
	})
	return len(a.claims) < before
}

// bounds says what is proved of a first mover.
func (a *asker) bounds(first solver.Side) (out []string) {
	for _, c := range a.claims {
		if c.first != first || len(c.after) > 0 {
			continue
		}
		text := map[solver.Goal]string{
			solver.Capture: "dead", solver.Settle: "alive", solver.Hold: "not dead", solver.Deny: "not alive", solver.Repeat: "repetition", solver.Unsettled: "not alive",
		}[c.goal]
		out = append(out, fmt.Sprintf("%s at kA=%d kD=%d", text, c.threat[0], c.threat[1]))
	}
	return out
}
