package solver

import "slices"

// pays reports whether a move of a state costs a threat.
func (n *evading) pays(m int16) bool { return m >= 0 && m == n.at.Ban }

// stops reports whether a move of a state is a pass with which the evader's opponent ends play.
func (e *evader) stops(n *evading, m int16) bool {
	return m < 0 && n.at.Ban == NoBan && n.at.Mover != e.side && n.at.Mover == e.contest.stopper()
}

// outlast looks for moves with which the evader makes play end in the sense of [Evasion.Ends], makes it play them,
// and reports whether it found them. If the moves tried so far are not enough, it tries others, with a limited number
// of states. The result none reports that the evader has no untried moves left.
func (e *evader) outlast() (found, none bool) {
	most := 8*len(e.states) + 2000
	for {
		won := e.ending()
		if won[0] {
			return true, false
		}
		none = true
		for i := range won {
			if n := &e.states[i]; won[i] || n.lost || n.at.Mover != e.side {
				continue
			}
			if k := slices.IndexFunc(e.states[i].moves, func(m Reply) bool { return m.To == unknown }); k >= 0 {
				next := e.states[i].at
				e.Move(&next, e.states[i].moves[k].Move)
				to := e.state(&next)
				e.states[i].moves[k].To, none = to, false
			}
		}
		if none || !e.run(most) || e.states[0].lost {
			return false, none
		}
	}
}

// ending marks the states from which the evader can make play end. In each it puts a move that does so at the front.
func (e *evader) ending() []bool {
	// From a state in won the evader makes play end, or makes the other side spend a threat and reach a
	// state in left. States that are not in won are removed from left until the two sets are equal.
	left := make([]bool, len(e.states))
	for i := range left {
		left[i] = !e.states[i].lost
	}
	for {
		won := make([]bool, len(e.states))
		for again := true; again; {
			again = false
			for i := range won {
				if left[i] && !won[i] && e.wins(&e.states[i], won, left) {
					won[i], again = true, true
				}
			}
		}
		if slices.Equal(won, left) || !won[0] {
			return won
		}
		left = won
	}
}

// wins reports whether a state belongs in won. If the evader moves, one move must lead to a state in won; wins puts
// this move first. Otherwise every move must lead to won, end play, or cost a threat and lead to a state in left.
func (e *evader) wins(n *evading, won, left []bool) bool {
	wins := func(m Reply, in []bool) bool {
		return m.To != lostState && m.To != unknown && (m.To < 0 || in[m.To])
	}
	if n.at.Mover == e.side {
		i := slices.IndexFunc(n.moves, func(m Reply) bool { return wins(m, won) })
		if i > 0 {
			n.moves[0], n.moves[i] = n.moves[i], n.moves[0]
		}
		return i >= 0
	}
	return !slices.ContainsFunc(n.moves, func(m Reply) bool {
		if n.pays(m.Move) {
			return !wins(m, left)
		}
		return !wins(m, won) && !e.stops(n, m.Move)
	})
}
