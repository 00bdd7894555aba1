package check

import (
	"errors"
	"fmt"
)

// The nodes of an evasion prove that a side does not reach its goal: the other side, the evader, can always move to
// another such node, perhaps for ever, or to a proof that the evader wins. Such a node holds for its state alone, not
// for all states with the same zone, and all legal moves of the evader's opponent have answers.

// evades reports whether a node is part of an evasion.
func (n *node) evades() bool { return n.kind == 'W' || n.kind == 'L' }

// provedBy maps each claim that a goal is not reached to the goal whose proof implies the claim.
var provedBy = map[string]string{NotCapture: Hold, NotHold: Capture, NotSettle: Deny}

// any reports whether a claim holds for every finite number of the loser's ko threats. Such a claim is proved by an
// evasion in which the loser has endless threats and every cycle of moves costs the loser a threat: with a finite
// number of threats, play must end.
func (c *Claim) any() bool { return c.Threats[0] == Any || c.Threats[1] == Any }

// shownBy returns the goal of the nodes that prove a claim.
func (c *Claim) shownBy() string {
	if c.any() {
		return map[string]string{Hold: NotCapture, Capture: NotHold}[c.Goal]
	}
	return c.Goal
}

// ends reports whether play from node i of an evasion ends unless the loser spends infinitely many threats. A pass
// that ends play in the evader's favour does not count as a move. done has true for nodes from which play is known to
// end, and false for nodes on the present path.
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

// enter checks node i of an evasion and sets the states of the nodes after it.
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

// evade checks that the moves of node i of an evasion lead to proofs that hold, and that all moves of
// the other side are answered.
func (f *proof[W]) evade(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	moves, passes, err := answered[W](n)
	if err != nil {
		return err
	}
	for _, a := range n.answers {
		if f.nodes[a.to].evades() {
			continue // enter has checked this move
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
	return f.unanswered(s, moves, f.b.fight)
}

// answered returns the points of the moves that a node answers, and whether it answers the pass.
func answered[W words](n *node) (moves points[W], passes bool, err error) {
	for _, a := range n.answers {
		switch {
		case a.move == passed && passes, a.move != passed && moves.has(a.move):
			return moves, passes, errors.New("two answers to one move")
		case a.move == passed:
			passes = true
		default:
			moves.add(a.move)
		}
	}
	return moves, passes, nil
}

// unanswered returns an error if z has a legal move that is not in the set answered.
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
