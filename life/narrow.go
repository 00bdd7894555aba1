package life

import (
	"slices"

	"kosumi/board"
	"kosumi/life/solver"
)

// narrow is a question restricted to the surroundings of the target: all points farther away
// are living stones of the loser. If the winner reaches the goal there, the same moves reach it
// in the full question, where the loser has less.
type narrow struct {
	*encoded
	s      *solver.Search
	winner solver.Side
	from   []int16 // point of the full question for each point
	to     []int16 // inverse of from; -1: none
}

// Limits of narrow questions.
const (
	mostNarrow  = 64      // points
	mostSteps   = 6       // largest distance from the target
	mostStates  = 1 << 20 // states searched for one question
	guideEffort = 2000    // states searched for a move in a state that the verdict's search did not visit
)

// narrowed returns the narrow questions about the target, smaller ones first.
func (a *asker) narrowed() (list []*narrow) {
	far := a.steps()
	before := 0
	for k := 1; k <= mostSteps; k++ {
		count, outside := 0, 0
		for p, at := range a.l.index {
			if at >= 0 && far[p] >= 0 && far[p] <= k {
				count++
			} else if at >= 0 && !a.l.Fixed.Has(at) {
				outside++
			}
		}
		if outside == 0 || count > mostNarrow {
			break
		}
		if count == before {
			continue
		}
		before = count
		for _, winner := range []solver.Side{solver.Defender, solver.Attacker} {
			if n := a.narrow(far, k, winner); n != nil {
				list = append(list, n)
			}
		}
	}
	return list
}

// steps returns the distance of each point of the fight from the target, -1 if it is not
// connected. All stones of a defender's chain are at the same distance; passing an attacker's
// stone whose chain has more than three liberties costs one step more.
func (a *asker) steps() []int {
	q := a.q
	far := slices.Repeat([]int{-1}, len(q.Stones))
	var list, next []board.Point
	add := func(p board.Point, d int) {
		if a.l.index[p] < 0 || far[p] >= 0 {
			return
		}
		for _, p := range q.walk(p, make([]bool, len(q.Stones)), func(from, to board.Point) bool {
			return q.Stones[p] == a.l.defender && q.Stones[to] == a.l.defender
		}) {
			if far[p] < 0 && a.l.index[p] >= 0 {
				far[p] = d
				list = append(list, p)
			}
		}
	}
	for _, t := range q.Targets {
		add(t, 0)
	}
	var late []board.Point
	for d := 1; len(list)+len(late) > 0; d++ {
		next, list = append(list, late...), nil
		late = nil
		for _, p := range next {
			if a.l.Fixed.Has(a.l.index[p]) {
				continue
			}
			if a.q.Stones[p] == a.l.defender.Opponent() && far[p] == d-1 && a.liberties(p) > 3 {
				late = append(late, p)
				continue
			}
			for n := range nextTo(q.Size, p) {
				add(n, d)
			}
		}
	}
	return far
}

// liberties returns the number of liberties of the attacker's chain on p.
func (a *asker) liberties(p board.Point) int {
	chain := a.s.Chain(&a.l.start, solver.Attacker, a.l.index[p])
	near := a.s.Around(&chain)
	empty := a.s.Empty(&a.l.start)
	n := 0
	for _, m := range near.Points(nil) {
		if empty.Has(m) {
			n++
		}
	}
	return n
}

// narrow returns the question about the points at most k steps away; nil if it is invalid.
func (a *asker) narrow(far []int, k int, winner solver.Side) *narrow {
	q := *a.q
	loser := a.l.defender
	if winner == solver.Defender {
		loser = loser.Opponent()
	}
	q.Stones, q.Assumed = slices.Clone(a.q.Stones), slices.Clone(a.q.Assumed)
	for p, at := range a.l.index {
		if at >= 0 && !a.l.Fixed.Has(at) && (far[p] < 0 || far[p] > k) {
			q.Stones[p] = loser
			q.Assumed = append(q.Assumed, board.Point(p))
		}
	}
	l, err := q.encode()
	if err != nil || len(l.Targets) != len(a.l.Targets) {
		return nil
	}
	n := &narrow{encoded: l, s: solver.NewSearch(l.Game), winner: winner, from: make([]int16, l.Points()), to: slices.Repeat([]int16{-1}, a.l.Points())}
	for m, p := range l.point {
		if p != board.NoPoint && l.On.Has(int16(m)) {
			n.from[m] = a.l.index[p]
			n.to[a.l.index[p]] = int16(m)
		}
	}
	n.s.Stop = a.over
	return n
}

// position converts a position of the full question into one of the narrow question.
func (n *narrow) position(p *solver.Position) solver.Position {
	var stones [2]solver.Set
	for m, p1 := range n.point {
		at := int16(m)
		if p1 == board.NoPoint || !n.On.Has(at) {
			continue
		}
		from, m := &p.Stones, n.from[m]
		if n.Fixed.Has(at) {
			from, m = &n.start.Stones, at
		}
		for c := range stones {
			if from[c].Has(m) {
				stones[c].Add(at)
			}
		}
	}
	ban := solver.NoBan
	if p.Ban != solver.NoBan && n.to[p.Ban] >= 0 {
		ban = n.to[p.Ban]
	}
	return n.Like(p, stones, ban)
}

// guide returns the guide that plays the winner's moves of a narrow question.
func (a *asker) guide(n *narrow, c solver.Contest) solver.Guide {
	return func(p *solver.Position) int16 {
		if p.Mover != n.winner {
			return solver.NoMove
		}
		q := n.position(p)
		at := n.decide(a, c, &q, guideEffort)
		if at < 0 || n.s.Proof(at).Goal.Winner() != n.winner || n.s.Proof(at).Kind != solver.WinnerMoves {
			return solver.NoMove
		}
		m := n.s.Proof(at).Move
		if m >= 0 {
			m = n.from[m]
		}
		return m
	}
}

// decide searches the narrow question with at most effort more states, which count for a.
func (n *narrow) decide(a *asker, c solver.Contest, p *solver.Position, effort int64) int32 {
	if at := n.s.Known(c, p); at >= 0 {
		return at
	}
	before := n.s.Nodes
	if a.opts.Nodes > 0 {
		effort = min(effort, a.most-a.s.Nodes)
	}
	if effort = min(effort, mostStates-before); effort <= 0 {
		return -1
	}
	n.s.MaxNodes = before + effort
	at, _ := n.s.Decide(c, p)
	a.s.Nodes += n.s.Nodes - before
	return at
}

// followed searches narrow questions, whose states are cheap, and proves the full question by
// following the winning moves of one of them; -1 if it finds no proof.
func (a *asker) followed(c solver.Contest, p *solver.Position, effort int64) int32 {
	if _, again := a.l.Parts(max(p.Threat[0], p.Threat[1])); again >= 0 {
		return -1 // purses, limited numbers of retakes, are numbered per game
	}
	if a.narrows == nil {
		a.narrows = a.narrowed()
	}
	for _, n := range a.narrows {
		if a.over() {
			break
		}
		q := n.position(p)
		at := n.decide(a, c, &q, 4*effort)
		if at < 0 || n.s.Proof(at).Goal.Winner() != n.winner {
			continue
		}
		a.s.MaxNodes = a.s.Nodes + 16*effort
		if at = a.s.Follow(c, p, a.guide(n, c)); at >= 0 {
			return at
		}
	}
	return -1
}
