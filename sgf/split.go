package sgf

import (
	"slices"

	"kosumi/board"
)

// SplitMoves gives every move of a tree a node of its own, with what stands behind it,
// where files have several in one.
func SplitMoves(root *Node) {
	for n := range root.All() {
		seen := false
		for i, p := range n.Properties {
			if moveColor(p) == board.Empty {
				continue
			}
			if seen {
				n.Children = []*Node{{Properties: slices.Clone(n.Properties[i:]), Children: n.Children}}
				n.Properties = n.Properties[:i:i]
				break
			}
			seen = true
		}
	}
}
