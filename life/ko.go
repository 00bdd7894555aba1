package life

import (
	"strings"

	"kosumi/life/solver"
)

// nameKos describes the kos of both cards in their fields Ko, as far as the kos are known.
func (a *asker) nameKos(cards [2]*Card) {
	shown := cards
	for first, c := range shown {
		if c == nil || c.AtLeast || c.NeedA+c.NeedD == 0 {
			continue
		}
		a.part("ko", 0.5)
		a.count(c, func() { c.Ko = a.ko(&cards, solver.Side(first)) })
	}
}

// ko describes the ko that a side must win to change a card's verdict; nil if that ko is unknown. If the name of the
// ko depends on the other card, the function ko fills in that card.
func (a *asker) ko(cards *[2]*Card, first solver.Side) *Ko {
	c, who := cards[first], solver.Attacker
	if c.NeedD > 0 {
		who = solver.Defender
	}
	n := max(c.NeedA, c.NeedD)
	switch {
	case n == Endless && who == solver.Attacker:
		return &Ko{Name: "double ko", First: who.String()}
	case n == Endless || c.Verdict == Held || c.Then == Held:
		return nil
	}
	var out *Ko
	if out = a.staged(first, who, int(n)); out == nil {
		return nil
	}
	bent, known := a.bentFour(cards, first)
	if !known {
		return nil
	}
	thousand, known := a.thousandYears(cards, first)
	switch {
	case !known:
		return nil
	case bent:
		out.Name, out.Steps = "bent-four type", 0
	case thousand:
		out.Name = "thousand-year ko"
	}
	return out
}

// staged names the ko that one side (the argument who) wins with n threats, but not with fewer. If this side must
// spend k of them to retake points that it has retaken before, the ko has k approach moves and n-k stages.
func (a *asker) staged(first, who solver.Side, n int) *Ko {
	reached := a.try(first, who, uint8(n))
	again, threats := 0, uint8(n)
	for ; again < n-1; again++ {
		threats = a.l.Purse(uint8(n), uint8(again))
		before := len(a.claims)
		q := a.try(first, who, threats)
		if a.l.Overspent {
			a.claims = a.claims[:before]
			return nil
		}
		if q == solver.NoGoal {
			return nil
		}
		if q == reached {
			break
		}
		threats = uint8(n)
	}
	out := &Ko{First: who.Other().String()}
	switch stages := n - again; {
	case n == 1:
		out.Name = "ko"
	case stages == 1:
		out.Name, out.Steps = "approach ko", again
	case again > 0:
		out.Name, out.Steps = "multi-stage approach ko", again
	case stages > 3:
		out.Name, out.Steps = "multi-stage ko", stages
	default:
		out.Name, out.Steps = map[int]string{2: "two-stage ko", 3: "three-stage ko"}[stages], stages
	}
	if _, at := a.decide(solver.Fight, a.with(first, who, threats), proved); at >= 0 {
		out.Line = a.dearest(at)
	}
	return out
}

// dearest returns the line of a proof that costs the winner most: in it the winner most often retakes a point that it
// has retaken before and, among such lines, spends the most threats. The line ends with the last retake.
func (a *asker) dearest(at int32) (line []string) {
	const again = 1 << 8 // extra cost of a point that was retaken before: more than all threats together cost
	type state struct {
		at    int32
		spent string // points that the winner has retaken so far
	}
	// spend returns the points spent, with the point of n's move added if it is a retake, and the move's cost.
	spend := func(n *solver.Proof, spent string) (string, int) {
		point := string(rune(n.Move))
		switch {
		case n.Kind != solver.WinnerMoves || n.Move < 0 || n.Move != n.At.Ban:
			return spent, 0
		case strings.Contains(spent, point):
			return spent, 1 + again
		}
		return spent + point, 1
	}
	known := map[state]int{}
	var price func(x state) int
	price = func(x state) (most int) {
		if c, ok := known[x]; ok || x.at < 0 {
			return c
		}
		n := a.s.Proof(x.at)
		spent, cost := spend(&n, x.spent)
		if n.Kind == solver.WinnerMoves {
			most = price(state{n.Next, spent})
		}
		for _, r := range n.Replies {
			most = max(most, price(state{r.To, spent}))
		}
		known[x] = most + cost
		return most + cost
	}
	for x := (state{at: at}); price(x) > 0; {
		n := a.s.Proof(x.at)
		move, next := n.Move, n.Next
		for _, r := range n.Replies {
			if price(state{r.To, x.spent}) == price(x) {
				move, next = r.Move, r.To
				break
			}
		}
		name := a.l.vertex(a.q.Size, move)
		spent, cost := spend(&n, x.spent)
		if cost > 0 {
			name += "!"
		}
		line, x = append(line, name), state{next, spent}
	}
	return line
}

// other returns the card for the other side to move first. If the question did not ask for that
// card, other fills it in.
func (a *asker) other(cards *[2]*Card, first solver.Side) *Card {
	o := first.Other()
	if cards[o] == nil {
		cards[o] = &Card{Verdict: Unknown}
		a.verdict(cards[o], o)
		a.ladder(cards[o], o)
	}
	return cards[o]
}

// bentFour reports whether a card's ko is one that the attacker may begin at any time: the target is dead whichever
// side moves first, and even if the defender has enough threats for a seki, its only good first move is a pass.
func (a *asker) bentFour(cards *[2]*Card, first solver.Side) (yes, known bool) {
	d := cards[first]
	if d.Verdict != Dead || d.Then != Seki {
		return false, true
	}
	if first == solver.Attacker {
		d = a.other(cards, first)
	}
	switch {
	case d.Verdict == Unknown || d.Verdict == Held || d.Verdict == Dead && (d.NeedD == 0 || d.AtLeast || d.Then == Held):
		return false, false
	case d.Verdict != Dead || d.Then != Seki:
		return false, true
	}
	list, all := a.working(a.with(solver.Defender, solver.Defender, uint8(d.NeedD)), Seki)
	passes := len(list) == 1 && list[0] == solver.Pass
	return passes && all, all || len(list) > 0 && !passes
}

// thousandYears reports whether a card's ko is one that neither side wants to begin. Whichever side moves first, the
// target is in seki, and an attacker with one threat kills it. A defender that has one threat and moves first makes
// it alive.
func (a *asker) thousandYears(cards *[2]*Card, first solver.Side) (yes, known bool) {
	if c := cards[first]; c.Verdict != Seki || c.NeedA != 1 || c.Then != Dead {
		return false, true
	}
	o := a.other(cards, first)
	if o.Verdict != Seki {
		return false, o.Verdict != Unknown && o.Verdict != Held
	}
	kills := a.try(first.Other(), solver.Attacker, 1)
	lives := a.settled(solver.Defender, a.with(solver.Defender, solver.Defender, 1))
	return kills == solver.Capture && lives == Alive, kills != solver.NoGoal && lives != Held
}
