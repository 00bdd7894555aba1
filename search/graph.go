package search

import (
	"unsafe"

	"kosumi/board"
)

// transpositions finds nodes by their graph hash in an open hash table. It also keeps the hash of
// every node, since a child's hash is made from its parent's.
type transpositions struct {
	slots  []transposition
	count  int
	hashes byNode[board.Hash]
}

// transposition is a node and a part of its hash, so that a search of the table rarely reads the
// whole hash of another node.
type transposition struct {
	tag  uint32
	node uint32
}

// forcedHash is mixed into the hash of a position in which the game continues after two passes.
var forcedHash = board.Hash{Hi: 0x6a09e667f3bcc908, Lo: 0xbb67ae8584caa73b}

func (g *transpositions) reset() {
	clear(g.slots)
	g.count = 0
}

func (g *transpositions) bytes() int64 {
	return int64(len(g.slots))*int64(unsafe.Sizeof(transposition{})) +
		int64(len(g.hashes))*nodeChunk*int64(unsafe.Sizeof(board.Hash{}))
}

// growth returns the bytes that the enlarged table will take; 0 while less than half of its room is used.
func (g *transpositions) growth() int64 {
	if 8*g.count < 3*len(g.slots) {
		return 0
	}
	return 2 * int64(len(g.slots)) * int64(unsafe.Sizeof(transposition{}))
}

// find returns the node of a hash, 0 if there is none.
func (g *transpositions) find(h board.Hash) uint32 {
	if len(g.slots) == 0 {
		return 0
	}
	mask := uint64(len(g.slots) - 1)
	for at := h.Lo & mask; g.slots[at].node != 0; at = (at + 1) & mask {
		if s := g.slots[at]; s.tag == uint32(h.Hi) && g.hashes.get(s.node) == h {
			return s.node
		}
	}
	return 0
}

// add enters a node; its hash must be set and not in the table yet.
func (g *transpositions) add(i uint32) {
	if 4*(g.count+1) > 3*len(g.slots) {
		old := g.slots
		g.slots, g.count = make([]transposition, max(1024, 2*len(old))), 0
		for _, s := range old {
			if s.node != 0 {
				g.place(s.node)
			}
		}
	}
	g.place(i)
}

func (g *transpositions) place(i uint32) {
	h := g.hashes.get(i)
	mask := uint64(len(g.slots) - 1)
	at := h.Lo & mask
	for g.slots[at].node != 0 {
		at = (at + 1) & mask
	}
	g.slots[at] = transposition{uint32(h.Hi), i}
	g.count++
}
