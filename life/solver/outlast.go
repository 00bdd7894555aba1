package solver

import "slices"

// pays reports whether a move of a state costs a threat, stops whether it ends play.
func (n *evading) pays(m int16) bool { return m >= 0 && m == n.at.Ban }

func (e *evader) stops(n *evading, m int16) bool {
	return m < 0 && n.at.Ban == NoBan && n.at.Mover != e.side && n.at.Mover == e.contest.stopper()
}

// acyclic reports whether no way along edges leads back to where it began.
func acyclic(next [][]int32) bool {
	const open, done = 1, 2
	state := make([]uint8, len(next))
	var ends func(i int32) bool
	ends = func(i int32) bool {
		if state[i] == 0 {
			state[i] = open
			if slices.ContainsFunc(next[i], func(to int32) bool { return !ends(to) }) {
				return false
			}
			state[i] = done
		}
		return state[i] == done
	}
	return ends(0)
}

// Outlast looks for an evasion that Ends, among at most so many states, all of which it
// looks at, and reports whether it found one.
func (s *Search) Outlast(goal Goal, root *Position, most int) bool {
	e := s.newEvader(goal)
	e.state(root)
	for i := 0; i < len(e.states); i++ {
		if len(e.states) > most || i&255 == 0 && s.full() {
			return false
		}
		p := e.states[i].at
		for _, m := range e.legal(&p) {
			next := p
			e.Move(&next, m)
			to := e.state(&next)
			e.states[i].moves = append(e.states[i].moves, Reply{m, to})
		}
	}
	// Those that are left stay among each other; those that are won get there without a
	// threat being spent.
	left := make([]bool, len(e.states))
	for i := range left {
		left[i] = true
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
		if slices.Equal(won, left) {
			break
		}
		left = won
	}
	if len(left) == 0 || !left[0] {
		return false
	}
	s.Evasions = append(s.Evasions, e.collect())
	return true
}

// wins reports whether the evader has a move that wins, which becomes its first, or the
// other side none but those that cost it a threat and stay.
func (e *evader) wins(n *evading, won, left []bool) bool {
	wins := func(m Reply, in []bool) bool { return m.To != lostState && (m.To < 0 || in[m.To]) }
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
