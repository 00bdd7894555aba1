package search

import (
	"kosumi/board"
	"kosumi/search/thinking"
)

// mostFocus is the largest share of the playouts that may go to a focus. They do not count at the
// root, so if all did, a search with a limit of visits would never end.
const mostFocus = 0.99

// drawFocus decides whether the next playout goes to a move of the focus, and returns the move to
// search for it, or NoPoint.
func (sel *selector) drawFocus(f *thinking.Focus) board.Point {
	if f == nil || len(f.Moves) == 0 || f.Prob <= 0 || sel.rng.Float64() >= min(f.Prob, mostFocus) {
		return board.NoPoint
	}
	total := 0.0
	for k, p := range f.Moves {
		if sel.rules.searchedFor(p) != board.NoPoint {
			total += f.Weight(k)
		}
	}
	if total == 0 {
		return board.NoPoint
	}
	drawn, r := board.NoPoint, sel.rng.Float64()*total
	for k, p := range f.Moves {
		if q := sel.rules.searchedFor(p); q != board.NoPoint {
			drawn = q
			if r -= f.Weight(k); r < 0 {
				break
			}
		}
	}
	return drawn
}

// selectFocus returns the edge of a root move. If the move has no edge, it is the next to get one,
// and selectNew is returned. If the move is illegal after all, the ordinary selection replaces it.
// ok is false if the move already has the largest possible count of visits.
func (sel *selector) selectFocus(n *node, edges []edge, move board.Point) (place int, ok bool) {
	for k := range edges {
		if edges[k].move == move && edges[k].prior >= 0 {
			return k, sel.nodes.a.node(edges[k].child).visits < mostVisits
		}
	}
	if sel.nodes.bringForward(n, move) {
		return selectNew, true
	}
	return sel.selectMove(sel.nodes.root, n, edges), true
}

// searchedFor returns the root move that is searched for p: itself, or its symmetric original;
// NoPoint if neither is searched.
func (ru *rootRules) searchedFor(p board.Point) board.Point {
	i := ru.position.base.Size().Index(p)
	if ru.out.Policy[i] < 0 || !ru.position.allows(p) {
		return board.NoPoint
	}
	if q := ru.copyOf[i]; q != board.NoPoint {
		p = q
	}
	if !ru.allowed(p) {
		return board.NoPoint
	}
	return p
}
