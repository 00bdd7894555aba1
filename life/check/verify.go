package check

import (
	"errors"
	"fmt"
)

// verify goes over all nodes twice: downward to give each its state, by the first
// move that leads to it, and upward to compute zones and to hold every move against
// the node that it is said to lead to.
func (f *file) verify() error {
	f.Nodes = len(f.nodes)
	f.states = make([]state, len(f.nodes))
	f.goals = make([]string, len(f.nodes))
	for i := range f.Claims {
		c := &f.Claims[i]
		if missed[c.Goal] != nil {
			continue
		}
		if c.root < 0 || c.root >= len(f.nodes) {
			return errors.New("a claim without a node")
		}
		s, err := f.rootOf(c)
		if err != nil {
			return err
		}
		if f.goals[c.root] == "" {
			f.goals[c.root], f.states[c.root] = c.Goal, s
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
		s, err := f.rootOf(c)
		if err != nil {
			return err
		}
		if missed[c.Goal] != nil {
			if err := f.unreached(s, c.Goal); err != nil {
				return err
			}
			continue
		}
		if err := f.matches(&s, c.Goal, c.root); err != nil {
			return err
		}
		for _, p := range f.nodes[c.root].zone.list() {
			c.Zone = append(c.Zone, f.name(p))
		}
		c.Free = f.nodes[c.root].free
	}
	return nil
}

// rootOf returns the state that a claim is about.
func (f *file) rootOf(c *Claim) (state, error) {
	s := f.start.clone()
	s.mover = attacks
	if c.First == "defender" {
		s.mover = defends
	}
	if c.First != f.Banned {
		s.ban = noPoint
	}
	s.threats = [3]int{attacks: c.Threats[0], defends: c.Threats[1]}
	for _, name := range c.After {
		p := passed
		if name != "pass" {
			if p = f.point(name); p < 0 {
				return s, fmt.Errorf("no point %q", name)
			}
		}
		if _, ok := f.b.play(&s, p); !ok {
			return s, fmt.Errorf("the move %s of a claim is not legal", name)
		}
	}
	return s, nil
}

func winnerOf(goal string) byte {
	if goal == Capture || goal == Deny {
		return attacks
	}
	return defends
}

// stopsPlay reports whether a pass of the loser's without a ban ends play.
func stopsPlay(goal string) bool { return goal == Hold || goal == Deny }

// descend gives the nodes after node i their states.
func (f *file) descend(i int) error {
	n, s := &f.nodes[i], &f.states[i]
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
		if taken || winner != attacks || !f.b.doomed(s, func(*net, int, []int) {}) {
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
		next := s.clone()
		e, ok := f.b.play(&next, a.move)
		if !ok || n.kind == 'w' && e.suicide != nil {
			return errors.New("a move is not legal")
		}
		if f.goals[a.to] == "" {
			f.goals[a.to], f.states[a.to] = goal, next
		}
	}
	return nil
}

// ascend computes the zone of node i from those of the nodes after it.
func (f *file) ascend(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	n.zone, n.free = newPoints(len(f.b.near)), true
	var err error
	switch n.kind {
	case 's':
		f.safeZone(s, n.zone)
	case 'd':
		f.doomedZone(s, n.zone)
	case 'w':
		err = f.winner(i)
	case 'l':
		err = f.loser(i)
	}
	return err
}

// matches reports whether a state is won by the proof of node i.
func (f *file) matches(s *state, goal string, i int) error {
	n, t := &f.nodes[i], &f.states[i]
	w := winnerOf(goal)
	l := 3 - w
	if goal != f.goals[i] || s.mover != t.mover || s.left != t.left {
		return fmt.Errorf("a move leads to node %d, which is of another kind", i)
	}
	for p, c := range s.stones {
		if c != t.stones[p] && n.zone.has(p) {
			return fmt.Errorf("a move leads to node %d, which differs on %s", i, f.name(p))
		}
	}
	banS, banT := f.banIn(s, n.zone), f.banIn(t, n.zone)
	if banS != banT && (s.mover == w && banS != noPoint || s.mover == l && banT != noPoint) {
		return fmt.Errorf("a move leads to node %d, where another point is banned", i)
	}
	if !n.free && (s.threats[w] < t.threats[w] || s.threats[l] > t.threats[l]) {
		return fmt.Errorf("a move leads to node %d, which needs other threats", i)
	}
	return nil
}

func (f *file) banIn(s *state, z points) int {
	if s.ban != noPoint && z.has(s.ban) {
		return s.ban
	}
	return noPoint
}

// after plays a move of node i and holds the result against the node that it leads to.
func (f *file) after(i int, a answer) (effect, error) {
	next := f.states[i].clone()
	e, ok := f.b.play(&next, a.move)
	if !ok {
		return e, errors.New("a move is not legal")
	}
	return e, f.matches(&next, f.goals[i], a.to)
}
