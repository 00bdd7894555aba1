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

// allowed tells whether c may play p so many plies below the root. A move is
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

// restricts tells whether any move is forbidden to c, wherever that is.
func (t *Tree) restricts(c board.Color) bool {
	return slices.ContainsFunc(t.bans, func(r Restriction) bool { return r.Color == c })
}

func sameRestrictions(a, b []Restriction) bool {
	return slices.EqualFunc(a, b, func(x, y Restriction) bool {
		return x.Color == y.Color && x.Depth == y.Depth && x.Allow == y.Allow && slices.Equal(x.Points, y.Points)
	})
}
