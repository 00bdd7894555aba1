package check

import (
	"errors"
	"fmt"
)

// proof is a proof file with the fight on a board.
type proof[W words] struct {
	*file
	b      board[W]
	cell   []int // for each point of the fight, its point on the whole board
	start  state[W]
	states []state[W]
	zones  []points[W]
}

// verified verifies a file whose fight fits into W.
func verified[W words](f *file, box layout) error {
	p, err := newProof[W](f, box)
	if err != nil {
		return err
	}
	return p.verify(box)
}

// newProof puts the fight of a file on a board.
func newProof[W words](f *file, box layout) (*proof[W], error) {
	p := &proof[W]{file: f, cell: make([]int, 64*mostWords)}
	p.b.suicide, p.b.all = f.Suicide, f.All
	for i, step := range box.step {
		p.b.axes[i].step = uint(max(step, -step))
	}
	p.start.ban = noPoint
	for cell, at := range box.at {
		if at == noPoint {
			continue
		}
		p.cell[at] = cell
		p.b.fight.add(at)
		for i, next := range [2]int{cell + 1, cell + f.Width} {
			if next < len(box.at) && box.at[next] != noPoint && (i > 0 || next%f.Width > 0) {
				p.b.axes[i].low.add(min(at, box.at[next]))
			}
		}
		if c := f.stones[cell]; c != 0 {
			p.start.stones[c-1].add(at)
			if f.fixed[cell] {
				p.b.fixed.add(at)
			}
		}
	}
	for _, t := range f.targets {
		p.b.targets = append(p.b.targets, box.at[t])
	}
	p.start.left = 1<<len(f.targets) - 1
	if f.banned != noPoint {
		p.start.ban = int16(box.at[f.banned])
	}
	for i := range f.nodes {
		for j := range f.nodes[i].answers {
			a := &f.nodes[i].answers[j]
			if a.move == passed {
				continue
			}
			if a.move = box.at[a.move]; a.move == noPoint {
				return nil, fmt.Errorf("node %d: a move outside of the fight", i)
			}
		}
	}
	return p, nil
}

// vertex returns the name of a point of the fight.
func (f *proof[W]) vertex(p int) string { return f.name(f.cell[p]) }

// verify visits all nodes twice. The first time, a node gets the state after the first move that leads to it. The
// second time, in reverse order, zones are computed, and the state after every move is compared with the node to
// which the move leads.
func (f *proof[W]) verify(box layout) error {
	f.Nodes = len(f.nodes)
	f.states = make([]state[W], len(f.nodes))
	f.zones = make([]points[W], len(f.nodes))
	f.goals = make([]string, len(f.nodes))
	for i := range f.Claims {
		c := &f.Claims[i]
		if c.root < 0 || c.root >= len(f.nodes) {
			return errors.New("a claim without a node")
		}
		s, err := f.rootOf(c, box)
		if err != nil {
			return err
		}
		goal := c.shownBy()
		if f.nodes[c.root].evades() != (provedBy[goal] != "") {
			return errors.New("a claim about a node of another kind")
		}
		if f.goals[c.root] == "" {
			f.goals[c.root], f.states[c.root] = goal, s
		}
	}
	for i := range f.nodes {
		if f.goals[i] == "" {
			return fmt.Errorf("node %d: nothing leads to it", i)
		}
		if err := f.descend(i); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	for i := len(f.nodes) - 1; i >= 0; i-- {
		if err := f.ascend(i); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	for i := range f.Claims {
		c := &f.Claims[i]
		s, err := f.rootOf(c, box)
		if err != nil {
			return err
		}
		if err := f.matches(&s, c.shownBy(), c.root); err != nil {
			return err
		}
		if c.any() && !f.ends(c.root, map[int]bool{}) {
			return errors.New("play may go round without a threat")
		}
		for z := f.zones[c.root]; !z.empty(); {
			c.Zone = append(c.Zone, f.vertex(z.take()))
		}
		c.Free = f.nodes[c.root].free
	}
	return nil
}

func (f *proof[W]) rootOf(c *Claim, box layout) (state[W], error) {
	s := f.start
	s.mover = attacks
	if c.First == "defender" {
		s.mover = defends
	}
	if c.First != f.Banned {
		s.ban = noPoint
	}
	for i, n := range c.Threats {
		if s.threats[i] = uint8(n); n == Any {
			s.threats[i] = Endless
		}
	}
	s.again = uint8(c.Again)
	for _, name := range c.After {
		p := passed
		if name != "pass" {
			if p = f.point(name); p < 0 {
				return s, fmt.Errorf("no point %q", name)
			}
			if p = box.at[p]; p == noPoint {
				return s, fmt.Errorf("the move %s of a claim lies outside of the fight", name)
			}
		}
		if _, ok := f.b.play(&s, p); !ok {
			return s, fmt.Errorf("the move %s of a claim is not legal", name)
		}
	}
	return s, nil
}

// winnerOf returns the winner of a goal, or the evader of a goal that is not reached.
func winnerOf(goal string) uint8 {
	switch goal {
	case Capture, Deny, NotHold, NotSettle:
		return attacks
	}
	return defends
}

// stopsPlay reports whether the loser's pass ends play, provided that no retake is banned.
func stopsPlay(goal string) bool { return goal == Hold || goal == Deny }

// descend checks node i and sets the states of the nodes after it.
func (f *proof[W]) descend(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	if n.evades() {
		return f.enter(i)
	}
	goal := f.goals[i]
	winner := winnerOf(goal)
	taken := f.b.taken(s)
	switch {
	case n.kind == 't':
		if !taken || winner != attacks {
			return errors.New("the target is not taken")
		}
		return nil
	case n.kind == 's':
		if taken || winner != defends || !f.b.safe(s) {
			return errors.New("the target is not pass-alive")
		}
		return nil
	case n.kind == 'd':
		if taken || winner != attacks || !f.b.doomed(s, nil) {
			return errors.New("the target may still get two eyes")
		}
		return nil
	case taken:
		return errors.New("moves follow after the target is captured")
	case goal == Deny && f.b.safe(s):
		return errors.New("the target is pass-alive")
	case (n.kind == 'w') != (s.mover == winner):
		return errors.New("the other side is to move")
	}
	for _, a := range n.answers {
		if a.to == ended {
			if a.move != passed || !stopsPlay(goal) || s.ban != noPoint {
				return errors.New("play does not end there")
			}
			continue
		}
		if a.to >= len(f.nodes) {
			return errors.New("a move leads to no node")
		}
		if f.goals[a.to] != "" {
			continue // ascend checks the move
		}
		next := *s
		if _, ok := f.b.play(&next, a.move); !ok {
			return errors.New("a move is not legal")
		}
		f.goals[a.to], f.states[a.to] = goal, next
	}
	return nil
}

// ascend computes the zone of node i from the zones of the nodes after it.
func (f *proof[W]) ascend(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	n.free = true
	var err error
	switch n.kind {
	case 's':
		f.zones[i] = f.b.safeZone(s)
	case 'd':
		f.zones[i] = f.b.doomedZone(s)
	case 'w':
		err = f.winner(i)
	case 'l':
		err = f.loser(i)
	default:
		if n.evades() {
			n.free, f.zones[i] = false, f.b.fight
			err = f.evade(i)
		}
	}
	return err
}

// matches returns an error unless the proof of node i wins state s.
func (f *proof[W]) matches(s *state[W], goal string, i int) error {
	n, t, z := &f.nodes[i], &f.states[i], f.zones[i]
	w := winnerOf(goal)
	l := 1 - w
	if goal != f.goals[i] || s.mover != t.mover || s.left != t.left {
		return fmt.Errorf("a move leads to node %d, which is of another kind", i)
	}
	for side := range s.stones {
		now, then := s.stones[side].and(z), t.stones[side].and(z)
		if now != then {
			return fmt.Errorf("a move leads to node %d, which differs on %s", i, f.vertex(now.minus(then).or(then.minus(now)).first()))
		}
	}
	banS, banT := banIn(s, z), banIn(t, z)
	if banS != banT && (s.mover == w && banS != noPoint || s.mover == l && banT != noPoint) {
		return fmt.Errorf("a move leads to node %d, where another point is banned", i)
	}
	if n.evades() && *s != *t {
		return fmt.Errorf("a move leads to node %d, which is about one state", i)
	}
	if !n.free && (s.threats[w] < t.threats[w] || s.threats[l] > t.threats[l] || s.again != t.again || s.spent != t.spent) {
		return fmt.Errorf("a move leads to node %d, which needs other threats", i)
	}
	return nil
}

func banIn[W words](s *state[W], z points[W]) int16 {
	if s.ban != noPoint && z.has(int(s.ban)) {
		return s.ban
	}
	return noPoint
}

// after plays a move of node i and checks that the proof of the next node wins the state after the move.
func (f *proof[W]) after(i int, a answer) (effect[W], error) {
	next := f.states[i]
	e, ok := f.b.play(&next, a.move)
	if !ok {
		return e, errors.New("a move is not legal")
	}
	return e, f.matches(&next, f.goals[i], a.to)
}
