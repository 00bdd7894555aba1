package life

import "kosumi/life/solver"

// mostClimbed is how many threats are tried one by one where endless ones may change a
// verdict, and nothing shows that no number does.
const mostClimbed = 8

// mostOutlasting is how many states are looked at to show that.
const mostOutlasting = 30000

// same stands for a capture, or a safety of the target, that threats do not change.
const same = solver.NoGoal + 1

// ladder finds how many threats change the verdict.
func (a *asker) ladder(c *Card, first solver.Side) {
	p := a.root(first, 0, 0)
	for _, q := range []solver.Contest{solver.Fight, solver.Life} {
		if q, at := a.decide(q, &p, proved); (q == solver.Capture || q == solver.Hold || q == solver.Settle) && a.s.Proof(at).Free {
			return // whatever the threats
		}
	}
	switch c.Verdict {
	case Dead:
		c.NeedD = a.climb(c, first, solver.Defender)
	case Alive, Seki, Held:
		c.NeedA = a.climb(c, first, solver.Attacker)
	}
}

// with returns the start with so many threats of one side's, none of the other's.
func (a *asker) with(first, who solver.Side, k uint8) *solver.Position {
	p := a.root(first, 0, 0)
	p.Threat[who] = k
	return &p
}

// climb returns how many threats of one side's change the target's capture, or its safety,
// and notes in the card whether that is a bound, and the verdict then. 0: no number changes
// it, or nothing is known.
func (a *asker) climb(c *Card, first, who solver.Side) Need {
	// One threat more changes most that any number does, and where three change nothing two
	// do not either.
	n, q, most := uint8(1), same, uint8(0)
	for _, most = range [...]uint8{1, 3, solver.Endless} {
		if q = a.try(first, who, most, most < solver.Endless); q != same {
			break
		}
		n = most + 1
	}
	sure, till, hard := most, most, true
	switch {
	case q == same || q == solver.NoGoal && n == most:
		return 0
	case most < solver.Endless && q == solver.NoGoal:
		sure = 0
	case most < solver.Endless:
	case q == solver.Repeat && a.ends(first, who):
		n, till = most, most
	case q == solver.Repeat || q == solver.NoGoal:
		sure, till, hard = 0, mostClimbed+1, false
	default: // a proof spends a number of threats, which is enough
		sure, till = 0, solver.MostThreats+1
	}
	for ; n < till; n++ {
		if r := a.try(first, who, n, hard); r != same {
			if r != solver.NoGoal {
				q, sure = r, n
			}
			break
		}
	}
	c.AtLeast = n != sure
	switch {
	case q == solver.Repeat:
		c.Then = Repetition
	case q == solver.Capture:
		c.Then = Dead
	case q != solver.NoGoal && c.AtLeast:
		c.Then = Held
	case q != solver.NoGoal:
		c.Then = a.settled(first, a.with(first, who, n))
	}
	return Need(n)
}

// try gives one side so many threats, the other none, and returns what the target's
// capture, or its safety, changes to, same, or NoGoal where nothing was proved. Unless it
// tries hard it does not search to the end: that nothing changes is no news.
func (a *asker) try(first, who solver.Side, k uint8, hard bool) (q solver.Goal) {
	p := a.with(first, who, k)
	if hard {
		q, _ = a.settle(first, p)
	} else {
		q = a.glance(first, p)
	}
	if q != solver.NoGoal && q != solver.Repeat && q.Winner() != who {
		return same
	}
	return q
}

// glance is settle with little effort.
func (a *asker) glance(first solver.Side, p *solver.Position) solver.Goal {
	tries := glances[:]
	if a.l.On.Count()-a.l.Fixed.Count() > small {
		tries = tries[:2]
	}
	for _, r := range tries {
		q, at, evaded := a.round(r, solver.Fight, p, p, solver.Repeat)
		if evaded {
			return solver.Repeat
		}
		if at >= 0 {
			a.claim(first, q, p, at)
			return q
		}
	}
	return solver.NoGoal
}

// ends reports whether the other side has its way against any number of threats of one
// side's that is not endless, as the evasion just found may show, and claims that.
func (a *asker) ends(first, who solver.Side) bool {
	p := a.with(first, who, solver.Endless)
	goal := solver.Fight.Goal(who)
	list := a.s.Evasions
	at := len(list) - 1
	if list[at].Goal != goal {
		at--
	}
	if !list[at].Ends {
		if at = len(list); a.l.On.Count()-a.l.Fixed.Count() > small || !a.s.Outlast(goal, p, mostOutlasting) {
			return false
		}
	}
	p.Threat[who] = solver.Any
	a.claim(first, solver.Fight.Goal(who.Other()), p, int32(at))
	a.claims[len(a.claims)-1].evaded = true
	return true
}
