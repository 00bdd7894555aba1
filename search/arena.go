package search

import (
	"slices"
	"unsafe"
)

// Sizes of the arenas' chunks: powers of two, 256 KiB each, so that a shift and a mask split an
// index into chunk and slot, and no block straddles two chunks.
const (
	nodeBits  = 11
	edgeBits  = 13
	wordBits  = 16
	nodeChunk = 1 << nodeBits
	edgeChunk = 1 << edgeBits
	wordChunk = 1 << wordBits

	chunkBytes = nodeChunk * int64(unsafe.Sizeof(node{}))

	// MinBytes is the smallest Params.Memory.MaxBytes allowed; it leaves room for a small search.
	MinBytes = 16 * chunkBytes

	defaultBytes = 4 << 30
)

// Chunks of nodes, edges and words must be equally large: any difference but 0 overflows an
// unsigned constant.
const (
	_ = -(nodeChunk*unsafe.Sizeof(node{}) - edgeChunk*unsafe.Sizeof(edge{}))
	_ = -(edgeChunk*unsafe.Sizeof(edge{}) - wordChunk*unsafe.Sizeof(uint32(0)))
)

// arena holds all nodes, edges and priors of a tree. It contains no pointers, so the garbage
// collector never looks inside. Index 0 of each kind is never given out and means none.
//
// Edges come in blocks of 1, 2, 4, ... edges; a full block of a node is traded for one twice as
// large, and the old one is kept on a list for reuse. Priors come in blocks as long as needed,
// headed by their owner (see priors.go).
type arena struct {
	nodes []*[nodeChunk]node
	edges []*[edgeChunk]edge
	words []*[wordChunk]uint32

	nodeCount uint32 // indices given out, 0 included
	edgeCount uint32
	wordCount uint32
	freeEdges [edgeClasses]uint32 // heads of the lists of free blocks
}

// edgeClasses is the number of sizes of edge blocks: 1<<0 to 1<<10 edges.
const edgeClasses = 11

func (a *arena) node(i uint32) *node   { return &a.nodes[i>>nodeBits][i&(nodeChunk-1)] }
func (a *arena) edge(i uint32) *edge   { return &a.edges[i>>edgeBits][i&(edgeChunk-1)] }
func (a *arena) word(i uint32) *uint32 { return &a.words[i>>wordBits][i&(wordChunk-1)] }

// edgesOf returns the edges of a node in the order of their creation.
func (a *arena) edgesOf(n *node) []edge {
	if n.edgeCount == 0 {
		return nil
	}
	at := n.edges & (edgeChunk - 1)
	return a.edges[n.edges>>edgeBits][at : at+uint32(n.edgeCount)]
}

// reset drops the content and keeps the memory.
func (a *arena) reset() {
	a.nodeCount, a.edgeCount, a.wordCount = 1, 2, 2
	a.freeEdges = [edgeClasses]uint32{}
}

// bytes returns the memory that the arena holds.
func (a *arena) bytes() int64 {
	return int64(len(a.nodes)+len(a.edges)+len(a.words)) * chunkBytes
}

// used returns the bytes given out, including blocks that are no longer in use.
func (a *arena) used() int64 {
	return int64(a.nodeCount)*int64(unsafe.Sizeof(node{})) +
		int64(a.edgeCount)*int64(unsafe.Sizeof(edge{})) +
		int64(a.wordCount)*int64(unsafe.Sizeof(uint32(0)))
}

// indices is the number of indices of each kind, 0 included: enough for 512 GiB of nodes, 128
// of edges, 16 of words.
const indices = 1 << 32

// spent reports whether giving out that many more bytes might use up the indices of one kind.
func (a *arena) spent(bytes int64) bool {
	left := min((indices-int64(a.nodeCount))*int64(unsafe.Sizeof(node{})),
		(indices-int64(a.edgeCount))*int64(unsafe.Sizeof(edge{})),
		(indices-int64(a.wordCount))*int64(unsafe.Sizeof(uint32(0))))
	return left < bytes
}

func (a *arena) newNode() uint32 {
	i := a.nodeCount
	a.nodeCount++
	if int(i>>nodeBits) == len(a.nodes) {
		a.nodes = append(a.nodes, new([nodeChunk]node))
	}
	*a.node(i) = node{}
	return i
}

// newEdge appends an edge to a node and returns its place among the node's
// edges.
func (a *arena) newEdge(n *node) int {
	count := int(n.edgeCount)
	if count == 0 {
		n.edges, n.edgeClass = a.newBlock(0), 0
	} else if count == 1<<n.edgeClass {
		old, class := n.edges, n.edgeClass
		a.putEdges(n, a.edgesOf(n), class+1)
		a.edge(old).child = a.freeEdges[class]
		a.freeEdges[class] = old
	}
	n.edgeCount++
	*a.edge(n.edges + uint32(count)) = edge{}
	return count
}

// putEdges gives a node a new block of a size class and copies the edges into it.
func (a *arena) putEdges(n *node, edges []edge, class uint8) {
	n.edges, n.edgeClass = a.newBlock(class), class
	copy(a.edgesOf(n), edges)
}

func (a *arena) newBlock(class uint8) uint32 {
	if i := a.freeEdges[class]; i != 0 {
		a.freeEdges[class] = a.edge(i).child
		return i
	}
	size := uint32(1) << class
	i := a.edgeCount
	if left := edgeChunk - i&(edgeChunk-1); left < size {
		i += left
	}
	a.edgeCount = i + size
	if int(i>>edgeBits) == len(a.edges) {
		a.edges = append(a.edges, new([edgeChunk]edge))
	}
	return i
}

// newWords returns n words in a row, n even and <= wordChunk.
func (a *arena) newWords(n int) uint32 {
	i := a.wordCount
	if left := wordChunk - i&(wordChunk-1); left < uint32(n) {
		// A block without an owner fills the end of the chunk, so that blocks follow each other
		// without gaps.
		head := a.wordsAt(i, 2)
		head[0], head[1] = 0, left
		i += left
	}
	a.wordCount = i + uint32(n)
	if int(i>>wordBits) == len(a.words) {
		a.words = append(a.words, new([wordChunk]uint32))
	}
	return i
}

// wordsAt returns n words from i on.
func (a *arena) wordsAt(i uint32, n int) []uint32 {
	at := i & (wordChunk - 1)
	return a.words[i>>wordBits][at : at+uint32(n)]
}

// keepChunks takes spare edge chunks into the arena until it has at least two, and more than half
// as many as node chunks.
func (a *arena) keepChunks(spare []*[edgeChunk]edge) {
	for _, c := range spare {
		if len(a.edges) > max(1, len(a.nodes)/2) {
			return
		}
		a.edges = append(a.edges, c)
	}
}

func (a *arena) trim() {
	a.nodes = cut(a.nodes, int(a.nodeCount>>nodeBits)+1)
	a.edges = cut(a.edges, int(a.edgeCount>>edgeBits)+1)
	a.words = cut(a.words, int(a.wordCount>>wordBits)+1)
}

func cut[T any](chunks []*T, n int) []*T {
	return slices.Delete(chunks, min(n, len(chunks)), len(chunks))
}

// byNode maps node indices to values, in chunks like those of the nodes.
type byNode[T any] []*[nodeChunk]T

// get returns the value set for a node, or the zero value.
func (b byNode[T]) get(i uint32) (v T) {
	if int(i>>nodeBits) < len(b) {
		v = b[i>>nodeBits][i&(nodeChunk-1)]
	}
	return v
}

func (b *byNode[T]) set(i uint32, v T) {
	for int(i>>nodeBits) >= len(*b) {
		*b = append(*b, new([nodeChunk]T))
	}
	(*b)[i>>nodeBits][i&(nodeChunk-1)] = v
}
