package life

import (
	"kosumi/board"
	"kosumi/life/solver"
)

// narrow is a question about the surroundings of the target alone, in which the points
// farther away all are stones of the loser's that are alive. If the winner reaches his goal
// there, the same moves reach it in the question itself, where the loser has less.
type narrow struct {
	*encoded
	s      *solver.Search
	winner solver.Side
	from   []int16 // of each point, that of the question
	to     []int16 // the other way, -1 where there is none
}

// Bounds of narrow questions.
const (
	mostNarrow  = 64      // points
	mostSteps   = 6       // from the target
	mostStates  = 1 << 20 // that are searched for one of them
	guideEffort = 2000    // states that are searched for a move where the search for the verdict did not come by
)

// narrowed returns narrow questions about the target, smaller ones first.
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

// steps returns how far each point of the fight is from the target, -1 where nothing leads
// there. A step leads over stones of one chain of the defender's; it takes one more to pass
// an attacker's stone whose chain is not short of liberties.
func (a *asker) steps() []int {
	q := a.q
	far := make([]int, len(q.Stones))
	for p := range far {
		far[p] = -1
	}
	var list, next []board.Point
	add := func(p board.Point, d int) {
		if a.l.index[p] < 0 || far[p] >= 0 {
			return
		}
		q.walk(p, make([]bool, len(q.Stones)), func(from, to board.Point) bool {
			return q.Stones[p] == a.l.defender && q.Stones[to] == a.l.defender
		}, func(p board.Point) {
			if far[p] < 0 && a.l.index[p] >= 0 {
				far[p] = d
				list = append(list, p)
			}
		})
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
			x, y := q.Size.XY(p)
			for _, s := range [4][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}} {
				if nx, ny := x+s[0], y+s[1]; nx >= 0 && ny >= 0 && nx < q.Size.W && ny < q.Size.H {
					add(q.Size.Point(nx, ny), d)
				}
			}
		}
	}
	return far
}

// liberties returns how many liberties the chain on p has.
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

// narrow returns the question about the points at most k steps away; nil where there is
// none.
func (a *asker) narrow(far []int, k int, winner solver.Side) *narrow {
	q := *a.q
	loser := a.l.defender
	if winner == solver.Defender {
		loser = loser.Opponent()
	}
	q.Stones = append([]board.Color{}, a.q.Stones...)
	q.Assumed = append([]board.Point{}, a.q.Assumed...)
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
	n := &narrow{encoded: l, s: solver.NewSearch(l.Game), winner: winner, from: make([]int16, l.Points()), to: make([]int16, a.l.Points())}
	for m := range n.to {
		n.to[m] = -1
	}
	for m, p := range l.point {
		if p != board.NoPoint && l.On.Has(int16(m)) {
			n.from[m] = a.l.index[p]
			n.to[a.l.index[p]] = int16(m)
		}
	}
	n.s.Stop = a.over
	return n
}

// position is that of the narrow question for one of the question itself.
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

// guide returns the winner's move in a state of the question.
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

// decide searches the narrow question with so many states more, which count.
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

// followed searches narrow questions, which takes little time a state, and follows the
// moves that win one of them.
func (a *asker) followed(c solver.Contest, p *solver.Position, effort int64) int32 {
	if _, again := a.l.Parts(max(p.Threat[0], p.Threat[1])); again >= 0 {
		return -1 // a purse is of one game
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
