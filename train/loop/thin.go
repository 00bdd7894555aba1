package loop

import "slices"

// mostRecords bounds what the state, which is written anew after each stage, says
// of the past.
const mostRecords = 500

// thin makes a long history shorter: of its older half every two iterations become
// one, unless the network of the first of them is still there. Sums stay what they
// are; of all else the later iteration's numbers stay.
func (s *State) thin(most int) {
	if len(s.History) <= most || len(s.History) != len(s.Networks) {
		return
	}
	half := len(s.History) / 2
	records, networks := s.History[:0:0], s.Networks[:0:0]
	for i := 0; i < len(s.History); i++ {
		r, n := s.History[i], s.Networks[i]
		if i+1 < half && n.Gone && n.Name != s.Current && n.Name != s.Base {
			i++
			r, n = merged(&r, &s.History[i]), s.Networks[i]
		}
		records, networks = append(records, r), append(networks, n)
	}
	s.History, s.Networks = slices.Clip(records), slices.Clip(networks)
}

// merged is two iterations as one.
func merged(a, b *Record) Record {
	m := *b
	m.Stats = add(a.Stats, b.Stats)
	m.Evals += a.Evals
	m.Seconds = Seconds{a.Seconds.Selfplay + b.Seconds.Selfplay, a.Seconds.Train + b.Seconds.Train, a.Seconds.Gate + b.Seconds.Gate}
	return m
}

// iterationOf is the iteration that made network i.
func (s *State) iterationOf(i int) int {
	if i < len(s.History) {
		return s.History[i].Iteration
	}
	return i
}
