package life

// nameKos describes the kos of both cards, as far as the line of play fits a name.
func (a *asker) nameKos(cards [2]*Card) {
	for first, c := range cards {
		if c == nil {
			continue
		}
		switch {
		case c.NeedD > 0 && c.NeedD < endless:
			c.Ko = a.ko(side(first), defender, c.NeedD)
		case c.NeedA > 0 && c.NeedA < endless:
			c.Ko = a.ko(side(first), attacker, c.NeedA)
		case c.NeedA == endless:
			c.Ko = &Ko{Name: "double ko", First: "attacker"}
		}
	}
	a.nameBentFour(cards)
	a.nameThousandYears(cards)
}

// ko names the ko that one side wins with n threats: by the retakes that its proof
// pays for, where it pays most.
func (a *asker) ko(first, who side, n Need) *Ko {
	out := &Ko{Name: "ko", First: who.other().String()}
	p := a.root(first, 0, 0)
	p.threat[who] = uint8(n)
	at := int32(-1)
	for _, c := range []contest{fight, life} {
		if q, i := a.decide(c, &p, 1); at < 0 && i >= 0 && q.winner() == who {
			at = i
		}
	}
	if at < 0 {
		return out
	}
	line, paid := a.s.dearest(at)
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
	var mouths set
	count := 0
	for _, m := range paid {
		s := single(m)
		if near := a.l.around(&s); !near.meets(&mouths) {
			count++
		}
		mouths.add(m)
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
func (s *search) dearest(at int32) (line []koMove, paid []int16) {
	cost := map[int32]int{}
	var price func(i int32) int
	price = func(i int32) int {
		if i < 0 {
			return 0
		}
		if c, ok := cost[i]; ok {
			return c
		}
		n := &s.proofs[i]
		best := 0
		if n.kind == winnerMoves {
			best = price(n.next)
			if n.move >= 0 && n.move == n.at.ban {
				best++
			}
		}
		for _, r := range n.replies {
			best = max(best, price(r.to))
		}
		cost[i] = best
		return best
	}
	for left := price(at); left > 0; left = price(at) {
		n := &s.proofs[at]
		if n.kind == winnerMoves {
			pays := n.move >= 0 && n.move == n.at.ban
			line = append(line, koMove{n.move, pays})
			if pays {
				paid = append(paid, n.move)
			}
			at = n.next
			continue
		}
		for _, r := range n.replies {
			if r.to >= 0 && price(r.to) == left {
				line = append(line, koMove{move: r.move})
				at = r.to
				break
			}
		}
	}
	return line, paid
}

// nameBentFour names the ko that the attacker may begin when he likes: with the
// threats that hold it, the defender's one good move is a pass.
func (a *asker) nameBentFour(cards [2]*Card) {
	d := cards[defender]
	if d == nil || d.Verdict != Dead || d.Then != Seki && d.Then != Held || d.NeedD >= endless || d.Ko == nil {
		return
	}
	a.part("bent four", 0.8)
	p := a.root(defender, 0, uint8(d.NeedD))
	list, all := a.working(&p, d.Then)
	if all && len(list) == 1 && list[0] == pass {
		d.Ko.Name = "bent-four type"
		if c := cards[attacker]; c != nil && c.Ko != nil && c.Verdict == Dead {
			c.Ko.Name = "bent-four type"
		}
	}
}

// nameThousandYears names the ko that neither side wants to begin: seki whoever
// moves, but one threat kills, and one threat lives.
func (a *asker) nameThousandYears(cards [2]*Card) {
	x, d := cards[attacker], cards[defender]
	if x == nil || d == nil || x.Verdict != Seki || d.Verdict != Seki || x.NeedA != 1 || d.NeedA != 1 {
		return
	}
	a.part("thousand-year ko", 0.8)
	p := a.root(defender, 0, 1)
	if q, _ := a.decide(life, &p, noEnd); q != settle {
		return
	}
	for _, c := range cards {
		if c.Ko != nil {
			c.Ko.Name = "thousand-year ko"
		}
	}
}
