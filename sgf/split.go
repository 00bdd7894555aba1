package sgf

import (
	"slices"

	"kosumi/board"
)

// SplitMoves splits nodes with several moves, so that each move has its own node with the
// properties that follow it.
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
