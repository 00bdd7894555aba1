package life

import "kosumi/life/solver"

// same means that threats do not change the result (capture or hold).
const same = solver.NoGoal + 1

// ladder finds how many ko threats change the verdict, by trying more and more of them.
func (a *asker) ladder(c *Card, first solver.Side) {
	p := a.root(first, 0, 0)
	for _, q := range []solver.Contest{solver.Fight, solver.Life} {
		if q, at := a.decide(q, &p, proved); (q == solver.Capture || q == solver.Hold || q == solver.Settle) && a.s.Proof(at).Free {
			return // threats change nothing
		}
	}
	switch c.Verdict {
	case Dead:
		c.NeedD = a.climb(c, first, solver.Defender)
	case Alive, Seki, Held:
		c.NeedA = a.climb(c, first, solver.Attacker)
	}
}

// with returns the start position in which one side has k threats and the other none.
func (a *asker) with(first, who solver.Side, k uint8) *solver.Position {
	p := a.root(first, 0, 0)
	p.Threat[who] = k
	return &p
}

// climb returns the least number of threats of one side (the argument who) that changes the result (capture or hold),
// and sets AtLeast and Then of the card. It returns 0 if no number does, or if nothing is proved.
func (a *asker) climb(c *Card, first, who solver.Side) Need {
	// One threat is tried first: it usually suffices if any number does. If three fail, two fail as well.
	n, q, most := uint8(1), same, uint8(0)
	for _, most = range [...]uint8{1, 3, solver.Endless} {
		if q = a.try(first, who, most); q != same {
			break
		}
		n = most + 1
	}
	if q == same || q == solver.NoGoal && n == most {
		return 0
	}
	sure, till := most, most
	if q == solver.NoGoal {
		sure = 0
	}
	if most == solver.Endless {
		sure, till = 0, solver.MostThreats+1 // proofs are finite: if endless threats win, a finite number does too
		switch ends, known := a.ends(q, first, who); {
		case ends:
			n, sure, till = most, most, most
		case !known:
			till = n
		}
	}
	for ; n < till; n++ {
		if r := a.try(first, who, n); r != same {
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

// try finds the result (capture or hold) if one side (the argument who) has k threats. It returns a goal or Repeat, or
// same if the other side still wins, or NoGoal if nothing is proved. Endless threats rarely change the result, so with
// them try searches less.
func (a *asker) try(first, who solver.Side, k uint8) (q solver.Goal) {
	p, at := a.with(first, who, k), int32(-1)
	if k < solver.Endless {
		q, _ = a.settle(first, p)
	} else {
		tries, evaded := glances[:], false
		switch {
		case a.l.On.Count()-a.l.Fixed.Count() > small:
			tries = tries[:2]
		case a.opts.Nodes > 0 && a.opts.Nodes < ample:
			tries = tries[:3]
		}
		for i := 0; i < len(tries) && at < 0 && !evaded; i++ {
			q, at, evaded = a.round(tries[i], solver.Fight, p, p, solver.Repeat)
		}
		if evaded {
			return solver.Repeat
		}
		if at >= 0 {
			a.claim(first, q, p, at)
		}
	}
	if q != solver.NoGoal && q != solver.Repeat && q.Winner() != who {
		return same
	}
	return q
}

// ends reports whether one side (the argument who) loses with every finite number of threats, although endless threats
// change the result to q. If the evasion of this side's goal proves this, ends claims it. known is false if nothing
// is proved.
func (a *asker) ends(q solver.Goal, first, who solver.Side) (yes, known bool) {
	if q != solver.Repeat {
		return false, q != solver.NoGoal
	}
	at := len(a.s.Evasions) - 1
	if a.s.Evasions[at].Goal.Winner() != who {
		at--
	}
	e := a.s.Evasions[at]
	if e.Ends {
		a.claim(first, solver.Fight.Goal(who.Other()), a.with(first, who, solver.Any), int32(at))
		a.claims[len(a.claims)-1].evaded = true
	}
	return e.Ends, e.Ends || e.Never
}
