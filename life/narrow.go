package life

import (
	"cmp"
	"slices"
	"sort"

	"kosumi/board"
	"kosumi/life/solver"
)

// narrow is a question about the points near the target only: stones of the loser that are alive by assumption fill
// all other points. If the winner reaches its goal there, the same moves reach the goal in the full question, where
// the loser is weaker.
type narrow struct {
	*encoded
	s      *solver.Search
	winner solver.Side
	ended  map[uint64]bool // by Search.Key: a complete search of the state found no proof
	from   []int16         // for each point of this question, its point in the full question
	to     []int16         // for each point of the full question, its point in this question; -1: none
}

// Limits of narrow questions.
const (
	mostNarrow  = 64      // maximum number of points
	mostEmpty   = 32      // maximum number of empty points
	mostPacked  = 24      // maximum number of empty points if a ring is limited to the points that fit into a word
	mostSteps   = 6       // largest distance from the target
	mostStates  = 1 << 22 // maximum number of states searched for one narrow question
	cheap       = 4       // this many states of a fight that fits into a word take as long as one of a larger fight
	strong      = 4       // an attacker's chain with this many liberties or more is strong
	guideEffort = 2000    // maximum number of states searched for the guide's next move, if no proof has it
)

// ring describes a narrow question about the points nearest to the target. The method narrow makes the question when
// it is first needed.
type ring struct {
	near   []board.Point // nearest first
	least  int           // len(near): the question has all of near; less: as many of them as fit into a word, but more than least
	winner solver.Side
	walls  bool    // the defender is the winner, and the attacker's strong chains count as alive
	tried  bool    // the method narrow has tried to make the question
	made   *narrow // nil: there is no such question
}

// rings returns narrow questions about the points within k steps of the target, for k from 1 to mostSteps. Between
// the question for k and that for k+1 comes the largest question that fits into a machine word. Questions with walls
// (see ring) come before those without, and smaller ones before larger ones.
func (a *asker) rings() (list []ring) {
	whole := a.l.On.Count() - a.l.Fixed.Count()
	for _, walls := range [2]bool{true, false} {
		near, far := a.nearest(walls)
		for k, end := 1, 0; k <= mostSteps && end < len(near); k++ {
			before := end
			for end < len(near) && far[near[end]] <= k {
				end++
			}
			if end == before {
				continue
			}
			large := end == whole || end > mostNarrow || a.free(near[:end]) > mostEmpty
			for _, winner := range [2]solver.Side{solver.Defender, solver.Attacker} {
				if walls && winner == solver.Attacker {
					continue
				}
				if k > 1 {
					list = append(list, ring{near: near[:end], least: before, winner: winner, walls: walls})
				}
				if !large {
					list = append(list, ring{near: near[:end], least: end, winner: winner, walls: walls})
				}
			}
			if large {
				break
			}
		}
	}
	return list
}

// narrow returns the narrow question of ring i; nil if there is none, or if an earlier ring has the same one.
func (a *asker) narrow(i int) *narrow {
	r := &a.narrows[i]
	if r.tried {
		return r.made
	}
	r.tried = true
	n := len(r.near)
	if r.least < n {
		n = r.least + sort.Search(n-r.least, func(i int) bool {
			l := a.narrowed(r, r.least+i+1)
			return l == nil || l.Points() > word || a.free(r.near[:r.least+i+1]) > mostPacked
		})
		if n == r.least || n == len(r.near) {
			return nil
		}
	}
	l := a.narrowed(r, n)
	if l == nil || slices.ContainsFunc(a.narrows[:i], func(o ring) bool {
		return o.made != nil && o.winner == r.winner && o.made.Fixed == l.Fixed && slices.Equal(o.made.index, l.index)
	}) {
		return nil
	}
	r.made = a.search(l, r.winner)
	return r.made
}

// free returns the number of empty points in list.
func (a *asker) free(list []board.Point) (n int) {
	for _, p := range list {
		if a.q.Stones[p] == board.Empty {
			n++
		}
	}
	return n
}

// nearest returns the points of the fight without stones that are alive by assumption, nearest to the target first,
// and the distance of each point in steps. All stones of a defender's chain have the same distance. A path over a
// strong chain of the attacker takes one extra step for each of its stones; if walls is true, no path leads over
// such a chain.
func (a *asker) nearest(walls bool) (near []board.Point, far []int) {
	q := a.q
	far = slices.Repeat([]int{-1}, len(q.Stones))
	gap := make([]int, len(q.Stones)) // squared distance from the target; in a defender's chain, that of its nearest stone
	target := q.chains(q.Targets)
	var list, next []board.Point
	add := func(p board.Point, d int) {
		if a.l.index[p] < 0 || far[p] >= 0 {
			return
		}
		chain := q.walk(p, make([]bool, len(q.Stones)), func(from, to board.Point) bool {
			return q.Stones[p] == a.l.defender && q.Stones[to] == a.l.defender && a.l.index[to] >= 0
		})
		least := q.apart(chain, target)
		for _, p := range chain {
			far[p], gap[p] = d, least
		}
		list = append(list, chain...)
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
			if far[p] == d-1 {
				near = append(near, p)
			}
			if (walls || far[p] == d-1) && q.Stones[p] == a.l.defender.Opponent() && a.liberties(p) >= strong {
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
	slices.SortStableFunc(near, func(p, q board.Point) int {
		return cmp.Or(far[p]-far[q], gap[p]-gap[q])
	})
	return near, far
}

// apart returns the least squared distance between a point of list and a marked point.
func (q *Question) apart(list []board.Point, marked []bool) int {
	least := 1 << 30
	for _, p := range list {
		x, y := q.Size.XY(p)
		for t, in := range marked {
			if in {
				u, v := q.Size.XY(board.Point(t))
				least = min(least, (x-u)*(x-u)+(y-v)*(y-v))
			}
		}
	}
	return least
}

// liberties returns the number of liberties of the attacker's chain on p.
func (a *asker) liberties(p board.Point) int {
	chain := a.s.Chain(&a.l.start, solver.Attacker, a.l.index[p])
	libs := a.s.Around(&chain).And(a.s.Empty(&a.l.start))
	return libs.Count()
}

// narrowed returns the question about the nearest n points of a ring; nil if it is invalid.
func (a *asker) narrowed(r *ring, n int) *encoded {
	q := *a.q
	loser := a.l.color(r.winner.Other())
	in := make([]bool, len(q.Stones))
	for _, p := range r.near[:n] {
		in[p] = true
	}
	q.Stones, q.Assumed = slices.Clone(a.q.Stones), slices.Clone(a.q.Assumed)
	for p, at := range a.l.index {
		if at < 0 || a.l.Fixed.Has(at) {
			continue
		}
		if !in[p] {
			q.Stones[p] = loser
			q.Assumed = append(q.Assumed, board.Point(p))
		} else if r.walls && q.Stones[p] == loser && a.liberties(board.Point(p)) >= strong {
			q.Assumed = append(q.Assumed, board.Point(p))
		}
	}
	l, err := q.encode()
	if err != nil || len(l.Targets) != len(a.l.Targets) {
		return nil
	}
	return l
}

// search returns a narrow question with its search.
func (a *asker) search(l *encoded, winner solver.Side) *narrow {
	n := &narrow{encoded: l, s: solver.NewSearch(l.Game), winner: winner, ended: map[uint64]bool{}, from: make([]int16, l.Points()), to: slices.Repeat([]int16{-1}, a.l.Points())}
	for m, p := range l.point {
		if p != board.NoPoint && l.On.Has(int16(m)) {
			n.from[m] = a.l.index[p]
			n.to[a.l.index[p]] = int16(m)
		}
	}
	n.s.Stop, n.s.Reuse = a.over, true
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

// guide returns a guide that plays the moves with which the winner wins a narrow question.
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

// reply looks up a move of the loser in proof at, and returns the number of the proof of the state after the move;
// -1 if there is none. A move that the proof does not mention counts as a pass.
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

// decide returns the number of a proof of the narrow question in state p; -1 if it finds none with at most effort
// states. It adds the cost of these states to the full question's count of states.
func (n *narrow) decide(a *asker, p *solver.Position, effort int64) int32 {
	c := solver.Fight
	if n.winner == solver.Defender {
		c = solver.Life // two eyes make short proofs: moves that do not touch them need no answer
	}
	if at := n.s.Known(c, p); at >= 0 {
		return at
	}
	before := n.s.Nodes
	share := int64(1) // number of states that count as one state of the full question
	if n.Points() <= word && a.l.Points() > word {
		share = cheap
	}
	if a.opts.Nodes > 0 {
		effort = min(effort, share*(a.most-a.s.Nodes))
	}
	if effort = min(effort, mostStates-before); effort <= 0 || n.ended[n.s.Key(c, p)] {
		return -1
	}
	n.s.MaxNodes = before + effort
	at, ended := n.s.Pursue(c, p, n.winner)
	n.ended[n.s.Key(c, p)] = ended
	a.s.Nodes += (n.s.Nodes - before) / share
	return at
}

// followed searches narrow questions, which takes less time, and proves the full question with the winning moves of
// one of them. It returns the number of the proof; -1 without a proof.
func (a *asker) followed(c solver.Contest, p *solver.Position, effort int64) int32 {
	if _, again := a.l.Parts(max(p.Threat[0], p.Threat[1])); again >= 0 {
		return -1 // the narrow game numbers limited threats (purses) differently
	}
	if a.narrows == nil {
		a.narrows = a.rings()
	}
	for i := range a.narrows {
		if a.over() {
			break
		}
		if a.narrows[i].winner == solver.Attacker && c == solver.Life {
			continue
		}
		n := a.narrow(i)
		if n == nil {
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
