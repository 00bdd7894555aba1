package search

// Feed makes a search read the policy that selects each move from a record instead of drawing it: 0 is the
// search's own policy, 1 the human one for a visit without weight, 2 the human one for a visit with weight.
// left returns how many recorded draws remain; negative if there were too few.
func (t *Tree) Feed(draws string) (left func() int) {
	at := 0
	t.selector.decide = func() selection {
		at++
		if at > len(draws) {
			return ordinary
		}
		return map[byte]selection{'0': ordinary, '1': humanWeightless, '2': humanWeightful}[draws[at-1]]
	}
	return func() int { return len(draws) - at }
}

// applied applies an answered slot as a run does.
func applied(t *Tree, s *slot) error {
	grown, err := t.playouts.expand(s)
	if grown {
		t.playouts.backUp(s, &before{})
	}
	return err
}
