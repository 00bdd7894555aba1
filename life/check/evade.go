package check

import (
	"errors"
	"fmt"
)

// Evasion nodes say that a goal is not reached. One side, the evader, always has a move
// to another such node or to a proof of its own goal; play among them may go on for ever.
// They have no zones: each is about its state alone, and answers every legal move.

// evades reports whether a node is part of an evasion.
func (n *node) evades() bool { return n.kind == 'W' || n.kind == 'L' }

// provedBy are the goals that exclude those of claims about what is not reached.
var provedBy = map[string]string{NotCapture: Hold, NotHold: Capture, NotSettle: Deny}

// any reports whether a claim is about any number of threats of the loser's: an evasion of
// the loser's goal with endless ones shows it if play goes round only where they are spent.
func (c *Claim) any() bool { return c.Threats[0] == Any || c.Threats[1] == Any }

// shownBy returns the goal of the nodes that show a claim.
func (c *Claim) shownBy() string {
	if c.any() {
		return map[string]string{Hold: NotCapture, Capture: NotHold}[c.Goal]
	}
	return c.Goal
}

// ends reports whether play from node i of an evasion ends, unless the loser spends threats
// for ever; a pass that ends play in the evader's favour is none. done holds for nodes from
// which it ends, and not for those that lead here.
func (f *proof[W]) ends(i int, done map[int]bool) bool {
	if ends, met := done[i]; met {
		return ends
	}
	done[i] = false
	n, s := &f.nodes[i], &f.states[i]
	for _, a := range n.answers {
		spends := n.kind == 'L' && a.move != passed && a.move == int(s.ban)
		stops := n.kind == 'L' && f.goals[i] == NotCapture && a.move == passed && s.ban == noPoint
		if f.nodes[a.to].evades() && !spends && !stops && !f.ends(a.to, done) {
			return false
		}
	}
	done[i] = true
	return true
}

// enter holds node i of an evasion against the rules and gives the nodes after it their
// states.
func (f *proof[W]) enter(i int) error {
	n, s, goal := &f.nodes[i], &f.states[i], f.goals[i]
	other := provedBy[goal]
	switch {
	case other == "":
		return errors.New("an evasion of a goal that is proved")
	case f.b.taken(s):
		return errors.New("moves follow after the target is captured")
	case goal != NotCapture && f.b.safe(s):
		return errors.New("the target is pass-alive")
	case (n.kind == 'W') != (s.mover == winnerOf(goal)):
		return errors.New("the other side is to move")
	}
	for _, a := range n.answers {
		if a.to == ended || a.to >= len(f.nodes) {
			return errors.New("a move leads to no node")
		}
		if n.kind == 'W' && goal == NotHold && a.move == passed && s.ban == noPoint {
			return errors.New("play ends there")
		}
		next := *s
		if _, ok := f.b.play(&next, a.move); !ok {
			return errors.New("a move is not legal")
		}
		want := other
		if f.nodes[a.to].evades() {
			want = goal
		} else if a.to <= i {
			return errors.New("the node after a move must come later")
		}
		if f.goals[a.to] == "" {
			f.goals[a.to], f.states[a.to] = want, next
		}
		if f.goals[a.to] != want || f.nodes[a.to].evades() && f.states[a.to] != next {
			return fmt.Errorf("a move leads to node %d, which is of another kind", a.to)
		}
	}
	return nil
}

// evade requires that the moves of node i of an evasion lead to states that are evaded,
// and that all of the other side's are answered.
func (f *proof[W]) evade(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	passes := false
	var answered points[W]
	for _, a := range n.answers {
		if a.move == passed && passes || a.move != passed && answered.has(a.move) {
			return errors.New("two answers to one move")
		}
		if a.move == passed {
			passes = true
		} else {
			answered.add(a.move)
		}
		if f.nodes[a.to].evades() {
			continue // the same state, by enter
		}
		next := *s
		f.b.play(&next, a.move)
		if err := f.matches(&next, f.goals[a.to], a.to); err != nil {
			return err
		}
	}
	if n.kind == 'W' {
		return nil
	}
	if !passes {
		return errors.New("the pass has no answer")
	}
	return f.unanswered(s, answered, f.b.fight)
}

// unanswered returns an error that names a legal move in z that has no answer, if any.
func (f *proof[W]) unanswered(s *state[W], answered, z points[W]) error {
	for rest := z.and(f.b.free(s)).minus(answered); !rest.empty(); {
		p := rest.take()
		next := *s
		if _, ok := f.b.play(&next, p); ok {
			return fmt.Errorf("the move %s has no answer", f.vertex(p))
		}
	}
	return nil
}
