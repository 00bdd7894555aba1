package search

import (
	"slices"

	"kosumi/board"
	"kosumi/search/thinking"
)

// withinBans returns the number of moves of a variation before the first forbidden one, at least 1.
// A variation can contain a forbidden move: a position that several move orders reach is searched
// under the restrictions of only one of them.
func withinBans(bans []thinking.Restriction, c board.Color, pv []board.Point) int {
	for depth, p := range pv {
		if !thinking.Permits(bans, c, p, depth) {
			return max(1, depth)
		}
		c = c.Opponent()
	}
	return len(pv)
}

// sameBelow reports whether a symmetry maps the moves allowed below the root to allowed moves, at
// each ply.
func sameBelow(bans []thinking.Restriction, g *board.Game, k board.Symmetry) bool {
	size := g.Size()
	for _, b := range bans {
		// A restriction allows the same moves at all plies up to its Depth: comparing at the last of them is enough.
		last := b.Depth - 1
		if (last%2 == 0) != (b.Color == g.ToMove()) {
			last--
		}
		if last < 1 {
			continue
		}
		for p := range board.Point(size.Area()) {
			if thinking.Permits(bans, b.Color, p, last) != thinking.Permits(bans, b.Color, size.SymMap(k, p), last) {
				return false
			}
		}
	}
	return true
}

// restricts reports whether any move is forbidden to c at any depth.
func restricts(bans []thinking.Restriction, c board.Color) bool {
	return slices.ContainsFunc(bans, func(r thinking.Restriction) bool { return r.Color == c })
}

func sameRestrictions(a, b []thinking.Restriction) bool {
	return slices.EqualFunc(a, b, func(x, y thinking.Restriction) bool {
		return x.Color == y.Color && x.Depth == y.Depth && x.Allow == y.Allow && slices.Equal(x.Points, y.Points)
	})
}
