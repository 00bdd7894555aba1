package life

import (
	"slices"

	"kosumi/life/solver"
)

// aim returns a contest and a goal of it: a first move reaches the verdict if it reaches this goal. If the result
// every is true, all first moves reach the verdict.
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

// moves finds the first moves that reach the verdict.
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
	for _, m := range a.l.byRows(list) {
		c.Moves = append(c.Moves, a.l.vertex(a.q.Size, m))
	}
}

// working returns the first moves that reach a verdict, and whether all other moves are proved to
// fail.
func (a *asker) working(p *solver.Position, verdict string) (list []int16, all bool) {
	c, works, every := aim(p.Mover, verdict)
	var open []int16
	for _, m := range append([]int16{solver.Pass}, a.s.Room(p).Points()...) {
		next := *p
		if _, legal := a.s.Move(&next, m); legal && (m < 0 || m != p.Ban) {
			open = append(open, m)
		}
	}
	if every {
		return open, true
	}
	var known []int32
	for _, r := range rounds {
		open = slices.DeleteFunc(open, func(m int16) bool {
			next := *p
			a.s.Move(&next, m)
			q, at := a.covered(&next, m, works, known)
			if at < 0 {
				var evaded bool
				if q, at, evaded = a.round(r, c, p, &next, works, m); evaded {
					if misses[works] != nil {
						list = append(list, m)
					}
					return true
				}
			}
			if at < 0 {
				return false
			}
			known = append(known, at)
			a.claim(p.Mover, q, p, at, m)
			if q == works {
				list = append(list, m)
			}
			return true
		})
	}
	return list, len(open) == 0
}

// covered looks for a proof found earlier that also decides the state after the first move m: one of the proofs in
// known, which were found for other first moves, or a proof of capture if m is a pass and the goal works is settle.
// It returns NoGoal and -1 if there is none.
func (a *asker) covered(next *solver.Position, m int16, works solver.Goal, known []int32) (q solver.Goal, at int32) {
	for _, i := range known {
		if a.s.Covers(i, next) {
			return a.s.Proof(i).Goal, i
		}
	}
	if m == solver.Pass && works == solver.Settle {
		if q, at := a.decide(solver.Fight, next, proved); q == solver.Capture {
			return q, at
		}
	}
	return solver.NoGoal, -1
}
