package life

import "kosumi/life/solver"

// nameKos describes the kos of both cards, as far as the line of play fits a name.
func (a *asker) nameKos(cards [2]*Card) {
	for first, c := range cards {
		if c == nil {
			continue
		}
		switch {
		case c.NeedD > 0 && c.NeedD < solver.Endless:
			c.Ko = a.ko(solver.Side(first), solver.Defender, c.NeedD)
		case c.NeedA > 0 && c.NeedA < solver.Endless:
			c.Ko = a.ko(solver.Side(first), solver.Attacker, c.NeedA)
		case c.NeedA == solver.Endless:
			c.Ko = &Ko{Name: "double ko", First: "attacker"}
		}
	}
	a.nameBentFour(cards)
	a.nameThousandYears(cards)
}

// ko names the ko that one side wins with n threats: by the retakes that its proof
// pays for, where it pays most.
func (a *asker) ko(first, who solver.Side, n Need) *Ko {
	out := &Ko{Name: "ko", First: who.Other().String()}
	p := a.root(first, 0, 0)
	p.Threat[who] = uint8(n)
	at := int32(-1)
	for _, c := range []solver.Contest{solver.Fight, solver.Life} {
		if q, i := a.decide(c, &p, proved); at < 0 && i >= 0 && q.Winner() == who {
			at = i
		}
	}
	if at < 0 {
		return out
	}
	line, paid := dearest(a.s, at)
	for _, m := range line {
		name := a.l.vertex(a.q.Size, m.move)
		if m.paid {
			name += "!"
		}
		out.Line = append(out.Line, name)
	}
	if n == 1 || len(paid) != int(n) {
		return out
	}
	// Retakes on the same or neighbouring points are of one mouth.
	var mouths solver.Set
	count := 0
	for _, m := range paid {
		s := solver.Single(m)
		if near := a.l.Around(&s); !near.Meets(&mouths) {
			count++
		}
		mouths.Add(m)
	}
	switch count {
	case 1:
		if localBetween(line, who == first) == int(n)-1 {
			out.Name, out.Steps = "approach ko", int(n)-1
		}
	case int(n):
		out.Name, out.Steps = map[Need]string{2: "two-stage ko", 3: "three-stage ko"}[n], int(n)
	}
	return out
}

// localBetween returns between how many retakes that follow one another their side
// plays a move that is neither a pass nor a retake. first says that it moves first.
func localBetween(line []koMove, first bool) (n int) {
	paid, local := false, false
	for i, m := range line {
		if (i%2 == 0) != first {
			continue
		}
		if m.paid {
			if paid && local {
				n++
			}
			paid, local = true, false
		} else if m.move >= 0 {
			local = true
		}
	}
	return n
}

type koMove struct {
	move int16
	paid bool
}

// dearest returns the line of a proof in which the winner pays for most retakes, up
// to the last of them, and those.
func dearest(s *solver.Search, at int32) (line []koMove, paid []int16) {
	cost := map[int32]int{}
	var price func(i int32) int
	price = func(i int32) int {
		if i < 0 {
			return 0
		}
		if c, ok := cost[i]; ok {
			return c
		}
		n := s.Proof(i)
		best := 0
		if n.Kind == solver.WinnerMoves {
			best = price(n.Next)
			if n.Move >= 0 && n.Move == n.At.Ban {
				best++
			}
		}
		for _, r := range n.Replies {
			best = max(best, price(r.To))
		}
		cost[i] = best
		return best
	}
	for left := price(at); left > 0; left = price(at) {
		n := s.Proof(at)
		if n.Kind == solver.WinnerMoves {
			pays := n.Move >= 0 && n.Move == n.At.Ban
			line = append(line, koMove{n.Move, pays})
			if pays {
				paid = append(paid, n.Move)
			}
			at = n.Next
			continue
		}
		for _, r := range n.Replies {
			if r.To >= 0 && price(r.To) == left {
				line = append(line, koMove{move: r.Move})
				at = r.To
				break
			}
		}
	}
	return line, paid
}

// nameBentFour names the ko that the attacker may begin when he likes: with the
// threats that hold it, the defender's one good move is a pass.
func (a *asker) nameBentFour(cards [2]*Card) {
	d := cards[solver.Defender]
	if d == nil || d.Verdict != Dead || d.Then != Seki && d.Then != Held || d.NeedD >= solver.Endless || d.Ko == nil {
		return
	}
	a.part("bent four", 0.8)
	p := a.root(solver.Defender, 0, uint8(d.NeedD))
	list, all := a.working(&p, d.Then)
	if all && len(list) == 1 && list[0] == solver.Pass {
		d.Ko.Name = "bent-four type"
		if c := cards[solver.Attacker]; c != nil && c.Ko != nil && c.Verdict == Dead {
			c.Ko.Name = "bent-four type"
		}
	}
}

// nameThousandYears names the ko that neither side wants to begin: seki whoever
// moves, but one threat kills, and one threat lives.
func (a *asker) nameThousandYears(cards [2]*Card) {
	x, d := cards[solver.Attacker], cards[solver.Defender]
	if x == nil || d == nil || x.Verdict != Seki || d.Verdict != Seki || x.NeedA != 1 || d.NeedA != 1 {
		return
	}
	a.part("thousand-year ko", 0.8)
	p := a.root(solver.Defender, 0, 1)
	if q, _ := a.decide(solver.Life, &p, noEnd); q != solver.Settle {
		return
	}
	for _, c := range cards {
		if c.Ko != nil {
			c.Ko.Name = "thousand-year ko"
		}
	}
}
