package life

import (
	"slices"

	"kosumi/board"
	"kosumi/life/solver"
)

// narrow is a question restricted to the surroundings of the target: all points farther away are
// living stones of the loser. If the winner reaches the goal there, the same moves reach it in the
// full question, where the loser is weaker.
type narrow struct {
	*encoded
	s      *solver.Search
	winner solver.Side
	ended  map[uint64]bool // keys of states whose search ended without a proof
	from   []int16         // for each point here, its point in the full question
	to     []int16         // for each point of the full question, its point here; -1: none
}

// Limits of narrow questions.
const (
	mostNarrow  = 64      // maximum number of points
	mostEmpty   = 32      // maximum number of empty points
	mostSteps   = 6       // largest distance from the target
	mostStates  = 1 << 22 // maximum number of states searched for one question
	strong      = 4       // fewest liberties of an attacker's chain that is a wall
	guideEffort = 2000    // states searched for a move in a state that the verdict's search did not visit
)

// narrowed returns the narrow questions about the target: first those in which the attacker's
// strong chains are alive, then the others, and smaller ones first within both.
func (a *asker) narrowed() []*narrow {
	list := a.rings(true)
	for _, n := range a.rings(false) {
		if !slices.ContainsFunc(list, func(m *narrow) bool {
			return m.winner == n.winner && m.Fixed == n.Fixed && slices.Equal(m.index, n.index)
		}) {
			list = append(list, n)
		}
	}
	return list
}

// rings returns the narrow questions about the points up to 1, 2, ... mostSteps steps away. With
// walls, the defender is the winner, and the attacker's strong chains are alive.
func (a *asker) rings(walls bool) (list []*narrow) {
	far := a.steps(walls)
	before := 0
	for k := 1; k <= mostSteps; k++ {
		count, empty, outside := 0, 0, 0
		for p, at := range a.l.index {
			if at >= 0 && far[p] >= 0 && far[p] <= k {
				count++
				if a.q.Stones[p] == board.Empty {
					empty++
				}
			} else if at >= 0 && !a.l.Fixed.Has(at) {
				outside++
			}
		}
		if outside == 0 || count > mostNarrow || empty > mostEmpty {
			break
		}
		if count == before {
			continue
		}
		before = count
		if n := a.narrow(far, k, solver.Defender, walls); n != nil {
			list = append(list, n)
		}
		if n := a.narrow(far, k, solver.Attacker, false); n != nil && !walls {
			list = append(list, n)
		}
	}
	return list
}

// steps returns the distance of each point of the fight from the target, -1 if it is not
// connected. All stones of a defender's chain are at the same distance; passing an attacker's
// stone whose chain is strong costs one step more, or with walls, is not possible.
func (a *asker) steps(walls bool) []int {
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
			if (walls || far[p] == d-1) && a.q.Stones[p] == a.l.defender.Opponent() && a.liberties(p) >= strong {
				if !walls {
					late = append(late, p)
				}
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

// narrow returns the question about the points at most k steps away; nil if it is invalid. With
// walls, the attacker's strong chains are alive.
func (a *asker) narrow(far []int, k int, winner solver.Side, walls bool) *narrow {
	q := *a.q
	loser := a.l.defender
	if winner == solver.Defender {
		loser = loser.Opponent()
	}
	q.Stones, q.Assumed = slices.Clone(a.q.Stones), slices.Clone(a.q.Assumed)
	for p, at := range a.l.index {
		if at < 0 || a.l.Fixed.Has(at) {
			continue
		}
		if far[p] < 0 || far[p] > k {
			q.Stones[p] = loser
			q.Assumed = append(q.Assumed, board.Point(p))
		} else if walls && q.Stones[p] == loser && a.liberties(board.Point(p)) >= strong {
			q.Assumed = append(q.Assumed, board.Point(p))
		}
	}
	l, err := q.encode()
	if err != nil || len(l.Targets) != len(a.l.Targets) {
		return nil
	}
	n := &narrow{encoded: l, s: solver.NewSearch(l.Game), winner: winner, ended: map[uint64]bool{}, from: make([]int16, l.Points()), to: slices.Repeat([]int16{-1}, a.l.Points())}
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

// contest returns the contest to search. For a defending winner it is Life: a defender with two
// eyes needs no answer to moves that do not touch them.
func (n *narrow) contest() solver.Contest {
	if n.winner == solver.Defender {
		return solver.Life
	}
	return solver.Fight
}

// guide returns the guide that plays the winner's moves of a narrow question.
func (a *asker) guide(n *narrow) solver.Guide {
	return func(p *solver.Position, after int32, last int16) (int16, int32) {
		q := n.position(p)
		at := n.reply(after, last)
		if at < 0 || !n.s.Covers(at, &q) {
			at = n.decide(a, &q, guideEffort)
		}
		if at < 0 {
			return solver.NoMove, -1
		}
		r := n.s.Proof(at)
		switch {
		case r.Goal.Winner() != n.winner || r.Kind != solver.WinnerMoves:
			return solver.NoMove, -1
		case r.Move >= 0:
			return n.from[r.Move], r.Next
		}
		return r.Move, r.Next
	}
}

// reply returns the number of the proof that follows another one after a move of the loser, or
// after a pass if the move is not mentioned; negative if there is none.
func (n *narrow) reply(at int32, move int16) int32 {
	if at < 0 || n.s.Proof(at).Kind != solver.LoserMoves {
		return -1
	}
	if move >= 0 {
		if move = n.to[move]; move < 0 {
			move = solver.Pass
		}
	}
	pass := int32(-1)
	for _, r := range n.s.Proof(at).Replies {
		if r.Move == move {
			return r.To
		}
		if r.Move == solver.Pass {
			pass = r.To
		}
	}
	return pass
}

// decide searches the narrow question within a limit of further states, and adds these to the count
// of a.
func (n *narrow) decide(a *asker, p *solver.Position, effort int64) int32 {
	c := n.contest()
	if at := n.s.Known(c, p); at >= 0 {
		return at
	}
	before := n.s.Nodes
	if a.opts.Nodes > 0 {
		effort = min(effort, a.most-a.s.Nodes)
	}
	if effort = min(effort, mostStates-before); effort <= 0 || n.ended[n.s.Key(c, p)] {
		return -1
	}
	n.s.MaxNodes = before + effort
	at, ended := n.s.Pursue(c, p, n.winner)
	n.ended[n.s.Key(c, p)] = ended
	a.s.Nodes += n.s.Nodes - before
	return at
}

// followed searches narrow questions, whose states are cheap, and proves the full question by
// following the winning moves of one of them; -1 if it finds no proof.
func (a *asker) followed(c solver.Contest, p *solver.Position, effort int64) int32 {
	if _, again := a.l.Parts(max(p.Threat[0], p.Threat[1])); again >= 0 {
		return -1 // the narrow game numbers limited threats (purses) differently
	}
	if a.narrows == nil {
		a.narrows = a.narrowed()
	}
	for _, n := range a.narrows {
		if a.over() {
			break
		}
		if n.winner == solver.Attacker && c == solver.Life {
			continue
		}
		q := n.position(p)
		most := effort
		if n.Points() <= word {
			most *= 8
		}
		at := n.decide(a, &q, most)
		if at < 0 || n.s.Proof(at).Goal.Winner() != n.winner {
			continue
		}
		a.s.MaxNodes = a.s.Nodes + 16*effort
		if at = a.s.Follow(c, p, n.winner, a.guide(n)); at >= 0 {
			return at
		}
	}
	return -1
}
