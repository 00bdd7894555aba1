package life

import (
	"fmt"
	"slices"
)

// counter counts the ko threats that one side, the payer, needs to change a verdict if the other side has none.
// It also counts how many of these threats the payer must spend to retake points that it has retaken before.
type counter struct {
	*oracle
	payer int8 // 1 is the attacker, 2 the defender
	known map[string][]bool
}

// wish is a goal: side brings about end. If pass is true, it is also enough that the other side can only pass.
type wish struct {
	side, end int8
	pass      bool
}

var (
	toCapture = wish{1, taken, false}
	toSettle  = wish{2, safe, false}
	toHold    = wish{2, safe, true}
	toDeny    = wish{1, taken, true}
)

const endless = -1

// reached reports for each state whether a goal is reached if the payer has the given number of threats. The argument
// again limits how many of them it may spend to retake points that it has retaken before; spent lists these points.
func (c *counter) reached(g wish, threats, again int, spent []int8) []bool {
	key := fmt.Sprint(g, threats, again, spent)
	if v, ok := c.known[key]; ok {
		return v
	}
	v := make([]bool, len(c.nodes))
	for i := range c.nodes {
		v[i] = c.nodes[i].end == g.end
	}
	after := func(m *oracleMove) []bool {
		point := slices.Contains(spent, m.at)
		switch {
		case threats == endless:
			return v
		case threats == 0 || point && again == 0:
			return nil
		case threats == 1:
			return c.reached(g, 0, 0, nil)
		case again >= threats:
			return c.reached(g, threats-1, threats-1, nil) // no limit: each threat may retake a point again
		case point:
			return c.reached(g, threats-1, again-1, spent)
		}
		more := append(slices.Clone(spent), m.at)
		slices.Sort(more)
		return c.reached(g, threats-1, again, more)
	}
	for changed := true; changed; {
		changed = false
		for i := len(c.nodes) - 1; i >= 0; i-- {
			n := &c.nodes[i]
			if n.end != openEnd || v[i] {
				continue
			}
			some, all := false, true
			for k := range n.moves {
				m, r := &n.moves[k], v
				if m.paid {
					if n.mover != c.payer {
						continue
					}
					if r = after(m); r == nil {
						continue
					}
				}
				if m.at < 0 && g.pass && n.mover != g.side && n.ban < 0 {
					continue
				}
				some, all = some || r[m.to], all && r[m.to]
			}
			if n.mover == g.side && some || n.mover != g.side && all {
				v[i], changed = true, true
			}
		}
	}
	c.known[key] = v
	return v
}

// verdict returns the verdict of state i if the payer has a number of threats.
func (c *counter) verdict(i int32, threats int) int {
	switch {
	case c.reached(toCapture, threats, threats, nil)[i]:
		return isDead
	case c.reached(toSettle, threats, threats, nil)[i]:
		return isAlive
	case c.reached(toHold, threats, threats, nil)[i]:
		return isSeki
	}
	return isRepetition
}

// need returns the least number of threats that changes the verdict of state i (0 if no number does, endless if only
// endless threats do), and the verdict with that many.
func (c *counter) need(i int32) (n, then int) {
	was := c.verdict(i, 0)
	changes := func(v int) bool { return (v == isDead) != (was == isDead) || v == isRepetition }
	if !changes(c.verdict(i, endless)) {
		return 0, 0
	}
	for n = 1; ; n++ {
		if v := c.verdict(i, n); changes(v) {
			return n, v
		}
		if slices.Equal(c.reached(toCapture, n, n, nil), c.reached(toCapture, n-1, n-1, nil)) &&
			slices.Equal(c.reached(toHold, n, n, nil), c.reached(toHold, n-1, n-1, nil)) {
			return endless, c.verdict(i, endless)
		}
	}
}

// again returns how many of n threats the payer must spend to retake points that it has retaken before, if it is to
// change the verdict of state i to then.
func (c *counter) again(i int32, n, then int) int {
	for again := 0; ; again++ {
		capture, hold := c.reached(toCapture, n, again, nil)[i], c.reached(toHold, n, again, nil)[i]
		if then == isDead && capture || then >= isSeki && hold || then == isRepetition && !capture && !hold {
			return again
		}
	}
}

// koSummary describes the ko of initial state i: the verdict without threats, the number of threats that changes the
// verdict, the verdict with that many threats, and the name of the ko.
func (o *oracle) koSummary(i int32) string {
	a, d := o.payer(1), o.payer(2)
	verdict := a.verdict(i, 0)
	c, id := a, "needA"
	if verdict == isDead {
		c, id = d, "needD"
	}
	out := verdictNames[verdict]
	if verdict == isRepetition {
		return out
	}
	n, then := c.need(i)
	switch {
	case n == 0:
		return out
	case n == endless && c == a:
		return fmt.Sprintf("%s %s=inf:%s double ko", out, id, verdictNames[then])
	case n == endless:
		return fmt.Sprintf("%s %s=inf:%s", out, id, verdictNames[then])
	}
	name := ""
	switch again := c.again(i, n, then); {
	case n == 1:
		name = "ko"
	case again == n-1:
		name = fmt.Sprint("approach ko ", again)
	case again > 0:
		name = fmt.Sprint("multi-stage approach ko ", again)
	default:
		name = fmt.Sprintf("%s-stage ko %d", map[int]string{2: "two", 3: "three", 4: "multi"}[min(n, 4)], n)
	}
	if verdict == isDead && then == isSeki && d.verdict(1, 0) == isDead {
		if n, then := d.need(1); n > 0 && then == isSeki && slices.Equal(o.onlyMoves(d, n), []string{"pass"}) {
			name = "bent-four type"
		}
	}
	if verdict == isSeki && a.verdict(1-i, 0) == isSeki && a.verdict(0, 1) == isDead && a.verdict(1, 1) == isDead && d.verdict(1, 1) == isAlive {
		name = "thousand-year ko"
	}
	return fmt.Sprintf("%s %s=%d:%s %s", out, id, n, verdictNames[then], name)
}

// onlyMoves returns the defender's first moves that hold the target with n threats.
func (o *oracle) onlyMoves(d *counter, n int) (list []string) {
	for _, m := range o.nodes[1].moves {
		if !m.paid && d.verdict(m.to, n) >= isSeki {
			list = append(list, o.s.vertex(int(m.at)))
		}
	}
	return list
}
