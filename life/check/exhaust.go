package check

import "fmt"

// Bounds of the states that a claim without a proof tree, and all of a file, are
// checked with.
const (
	maxStates    = 100000
	maxAllStates = 1000000
)

// reached is a state of an enumeration with where its moves lead.
type reached struct {
	state
	end   string // Capture or Settle where play is over
	moves []answer
	won   [2]bool // the goals that are asked for
}

// missed are the goals that claims without a proof tree say are not reached.
var missed = map[string][]string{Repeat: {Capture, Hold}, Unsettled: {Settle}}

// unreached requires that the goals of a claim without a proof tree are not reached
// from a state. It enumerates all states.
func (f *file) unreached(s state, claim string) error {
	all, err := f.enumerate(s)
	if err != nil {
		return err
	}
	for k, goal := range missed[claim] {
		for changed := true; changed; {
			changed = false
			for i := len(all) - 1; i >= 0; i-- {
				if r := &all[i]; !r.won[k] && f.wins(all, r, goal, k) {
					r.won[k], changed = true, true
				}
			}
		}
		if all[0].won[k] {
			return fmt.Errorf("%s is claimed, but %s is reached", claim, goal)
		}
	}
	return nil
}

// wins reports whether a state is won by what is known of those after it.
func (f *file) wins(all []reached, r *reached, goal string, k int) bool {
	winner := winnerOf(goal)
	switch r.end {
	case Capture:
		return winner == attacks
	case Settle:
		return winner == defends
	}
	for _, a := range r.moves {
		won := all[a.to].won[k]
		if r.mover == winner && won {
			return true
		}
		stops := a.move == passed && stopsPlay(goal) && r.ban == noPoint
		if r.mover != winner && !won && !stops {
			return false
		}
	}
	return r.mover != winner
}

// enumerate returns all states that can be reached from s, s first.
func (f *file) enumerate(s state) ([]reached, error) {
	index := map[string]int{}
	safe := map[string]bool{} // by stones and the targets that are left
	var key []byte
	var all []reached
	visit := func(s *state) int {
		key = append(append(key[:0], s.stones...), s.left, s.mover, byte(s.ban), byte(s.ban>>8), byte(s.threats[attacks]), byte(s.threats[defends]))
		at, ok := index[string(key)]
		if !ok {
			at = len(all)
			index[string(key)] = at
			all = append(all, reached{state: s.clone()})
		}
		return at
	}
	visit(&s)
	next := s.clone()
	for i := 0; i < len(all); i++ {
		if len(all) > maxStates {
			return nil, fmt.Errorf("a claim without a proof tree is about more than %d states", maxStates)
		}
		if f.enumerated++; f.enumerated > maxAllStates {
			return nil, fmt.Errorf("claims without a proof tree are about more than %d states", maxAllStates)
		}
		s := all[i].state
		if f.b.taken(&s) {
			all[i].end = Capture
			continue
		}
		key = append(append(key[:0], s.stones...), s.left)
		lives, ok := safe[string(key)]
		if !ok {
			lives = f.b.safe(&s)
			safe[string(key)] = lives
		}
		if lives {
			all[i].end = Settle
			continue
		}
		var moves []answer
		for p := passed; p < len(f.b.near); p++ {
			if p != passed && (s.stones[p] != 0 || !f.b.fight.has(p)) {
				continue
			}
			copy(next.stones, s.stones)
			next.ban, next.mover, next.left, next.threats = s.ban, s.mover, s.left, s.threats
			if _, ok := f.b.play(&next, p); ok {
				moves = append(moves, answer{p, visit(&next)})
			}
		}
		all[i].moves = moves
	}
	return all, nil
}
