package search

import (
	"slices"

	"kosumi/board"
)

// Restriction forbids moves near the root.
type Restriction struct {
	Color  board.Color
	Points []board.Point // may hold board.Pass
	// Depth is how many plies from the root the list holds for: 1 is the root
	// only.
	Depth int
	// Allow turns the list round: all other moves are forbidden.
	Allow bool
}

// allowed reports whether c may play p so many plies below the root. A move is
// forbidden if any list forbids it.
func allowed(bans []Restriction, c board.Color, p board.Point, depth int) bool {
	for i := range bans {
		b := &bans[i]
		if b.Color == c && depth < b.Depth && slices.Contains(b.Points, p) != b.Allow {
			return false
		}
	}
	return true
}

// withinBans returns how many moves of a variation from the root are made until a
// forbidden one: positions that several ways lead to were searched for one of them.
func withinBans(bans []Restriction, c board.Color, pv []board.Point) int {
	for depth, p := range pv {
		if !allowed(bans, c, p, depth) {
			return max(1, depth)
		}
		c = c.Opponent()
	}
	return len(pv)
}

// sameBelow reports whether a symmetry maps the moves that are allowed below the root
// to moves that are, at each ply.
func sameBelow(bans []Restriction, g *board.Game, k board.Symmetry) bool {
	size := g.Size()
	for _, b := range bans {
		// Between the last plies of two lists what is allowed does not change.
		last := b.Depth - 1
		if (last%2 == 0) != (b.Color == g.ToMove()) {
			last--
		}
		if last < 1 {
			continue
		}
		for p := range board.Point(size.Area()) {
			if allowed(bans, b.Color, p, last) != allowed(bans, b.Color, size.SymMap(k, p), last) {
				return false
			}
		}
	}
	return true
}

// restricts reports whether any move is forbidden to c, wherever that is.
func restricts(bans []Restriction, c board.Color) bool {
	return slices.ContainsFunc(bans, func(r Restriction) bool { return r.Color == c })
}

func sameRestrictions(a, b []Restriction) bool {
	return slices.EqualFunc(a, b, func(x, y Restriction) bool {
		return x.Color == y.Color && x.Depth == y.Depth && x.Allow == y.Allow && slices.Equal(x.Points, y.Points)
	})
}
