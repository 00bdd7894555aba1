package search

// Feed decides by whose policy moves are selected from a record of such decisions:
// 0 the search's own, 1 the human one without weight, 2 the human one with weight.
// It returns a function that tells how many are left; below 0 there were too few.
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

// applied does what a run does with a slot that came back, and returns its error.
func applied(t *Tree, s *slot) error {
	grown, err := t.playouts.expand(s)
	if grown {
		t.playouts.backUp(s, &before{})
	}
	return err
}
