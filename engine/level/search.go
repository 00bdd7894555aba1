package level

import "kosumi/search"

// Searched returns settings for the search that a dial chooses from: every likely move gets its
// share of a search of fixed length, independent of clock, komi and opponent.
func Searched(p search.Params, dial float64) (search.Params, search.Limits) {
	p.Net.PlayoutDoublingAdvantage, p.Root.WideNoise, p.AntiMirror = 0, 0, false
	p.Human = p.Human.Alone()
	p.Root.Gumbel = search.Gumbel{Considered: Considered, VisitScale: 50, ValueScale: 1, Greedy: true}
	return p, search.Limits{Playouts: VisitsAt(dial)}
}
