package check

import "fmt"

// Bounds of the states that a claim without a proof tree, and all of a file, are
// checked with.
const (
	maxStates    = 100000
	maxAllStates = 1000000
)

// reached is a state of an enumeration with where its moves lead.
type reached[W words] struct {
	state[W]
	end   string // Capture or Settle where play is over
	moves []answer
	won   [2]bool // the goals that are asked for
}

// missed are the goals that claims without a proof tree say are not reached.
var missed = map[string][]string{Repeat: {Capture, Hold}, Unsettled: {Settle}}

// unreached requires that the goals of a claim without a proof tree are not reached
// from a state. It enumerates all states.
func (f *proof[W]) unreached(s state[W], claim string) error {
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
func (f *proof[W]) wins(all []reached[W], r *reached[W], goal string, k int) bool {
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
func (f *proof[W]) enumerate(s state[W]) ([]reached[W], error) {
	type stones struct {
		stones [2]points[W]
		left   uint64
	}
	index := map[state[W]]int{}
	safe := map[stones]bool{} // by stones and the targets that are left
	var all []reached[W]
	visit := func(s *state[W]) int {
		at, ok := index[*s]
		if !ok {
			at = len(all)
			index[*s] = at
			all = append(all, reached[W]{state: *s})
		}
		return at
	}
	visit(&s)
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
		key := stones{s.stones, uint64(s.left)}
		lives, ok := safe[key]
		if !ok {
			lives = f.b.safe(&s)
			safe[key] = lives
		}
		if lives {
			all[i].end = Settle
			continue
		}
		moves := make([]answer, 0, 8)
		for p, rest := passed, f.b.free(&s); ; p = rest.take() {
			next := s
			if _, ok := f.b.play(&next, p); ok {
				moves = append(moves, answer{p, visit(&next)})
			}
			if rest.empty() {
				break
			}
		}
		all[i].moves = moves
	}
	return all, nil
}
