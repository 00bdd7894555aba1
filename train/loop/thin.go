package loop

import "slices"

// mostRecords bounds the history in the state, which is rewritten after each stage.
const mostRecords = 500

// thin shortens a long history: in its older half it merges each pair of iterations, unless the
// network of the earlier one still exists. Sums are added up; other numbers are those of the later
// iteration.
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

func merged(a, b *Record) Record {
	m := *b
	m.Stats = add(a.Stats, b.Stats)
	m.Evals += a.Evals
	m.Seconds = Seconds{a.Seconds.Selfplay + b.Seconds.Selfplay, a.Seconds.Train + b.Seconds.Train, a.Seconds.Gate + b.Seconds.Gate}
	return m
}

// iterationOf returns the iteration that made network i.
func (s *State) iterationOf(i int) int {
	if i < len(s.History) {
		return s.History[i].Iteration
	}
	return i
}
