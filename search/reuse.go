package search

import (
	"math/bits"

	"kosumi/board"
)

// Advance plays a move at the root and keeps the subtree below it, with its visits, as the new
// tree. It returns false if there was nothing to keep: the move was not searched, or searched
// under restrictions, it is not the turn of c, the game would end there, a pass may have another
// effect than in the old tree, or the playout doubling advantage now belongs to the other side.
// Restrictions are lifted. After an illegal move the tree has no position and needs Reset.
func (t *Tree) Advance(c board.Color, p board.Point) bool {
	pos := &t.position
	if !pos.ready {
		return false
	}
	var child uint32
	if t.nodes.root != 0 && c == pos.game.ToMove() && len(pos.bans) == 0 && pos.game.Legal(c, p) == nil {
		child = t.nodes.childOf(p)
	}
	err := pos.play(c, p)
	if err != nil || child == 0 || pos.passChanges(&t.p.Pass) || t.p.Net.PlayoutDoublingAdvantage != 0 && t.p.Net.AdvantageFor == board.Empty {
		t.Clear()
		return false
	}
	t.nodes.reroot(child)
	t.report.published.Store(&Result{})
	return true
}

// childOf returns the node after a root move, 0 if it was not evaluated or the game ends there.
func (ns *nodes) childOf(p board.Point) uint32 {
	for _, e := range ns.a.edgesOf(ns.a.node(ns.root)) {
		if e.move != p || e.prior < 0 {
			continue
		}
		if n := ns.a.node(e.child); n.is(flagEvaluated) && !n.is(flagTerminal) {
			return e.child
		}
	}
	return 0
}

// reroot makes the root a copy of a node and discards everything unreachable from it.
func (ns *nodes) reroot(child uint32) {
	root := ns.a.newNode()
	n := ns.a.node(root)
	*n = *ns.a.node(child)
	n.bias, n.owners = biasShare{}, 0
	n.flags &^= flagForced
	if n.edgeCount > 0 {
		ns.a.putEdges(n, ns.a.edgesOf(n), n.edgeClass)
	}
	n.priors, n.priorCount = 0, 0 // the root fetches its priors again
	if ns.p.Graph.Use {
		ns.graph.hashes.set(root, ns.graph.hashes.get(child))
	}
	ns.repeats.setKey(root, 0)
	ns.root = root
	ns.compact()
}

// compact discards everything unreachable from the root and closes the gaps, so that a tree kept
// through a game stays within its memory limit. Nodes and priors, the bulk, move in place and keep
// their order; edge blocks are copied, since they are not in the order of their nodes.
func (ns *nodes) compact() {
	ns.walk(func(uint32) {})
	ns.graph.reset()
	for i := uint32(1); i < ns.a.nodeCount; i++ {
		if n := ns.a.node(i); !n.is(flagMark) {
			ns.bias.release(n)
			ns.own.release(n)
		}
	}
	moved := ns.bias.sweep()
	index := ns.rankMarked()
	ns.slidePriors(index)
	ns.slideNodes(index, moved)
}

// ranks gives marked nodes their new indices. Each element covers 64 nodes: a bit for
// each marked one, and the new index of the first of these.
type ranks []struct {
	marks  uint64
	before uint32
}

// of returns the new index of a marked node.
func (r ranks) of(i uint32) uint32 {
	w := &r[i/64]
	return w.before + uint32(bits.OnesCount64(w.marks&(1<<(i%64)-1)))
}

func (r ranks) has(i uint32) bool { return r[i/64].marks>>(i%64)&1 != 0 }

func (ns *nodes) rankMarked() ranks {
	r := make(ranks, ns.a.nodeCount/64+1)
	next := uint32(1)
	for i := range ns.a.nodeCount {
		w := &r[i/64]
		if i%64 == 0 {
			w.before = next
		}
		if i > 0 && ns.a.node(i).is(flagMark) {
			w.marks |= 1 << (i % 64)
			next++
		}
	}
	return r
}

// slidePriors closes the gaps between the blocks of priors of marked nodes. The nodes
// still have their old indices.
func (ns *nodes) slidePriors(index ranks) {
	a := &ns.a
	end := a.wordCount
	a.wordCount = 2
	for i := uint32(2); i < end; {
		head := a.wordsAt(i, 2)
		owner, length := head[0], head[1]
		if owner != 0 && index.has(owner) && a.node(owner).priors == i {
			block := a.wordsAt(i, int(length))
			to := a.newWords(int(length))
			copy(a.wordsAt(to, int(length)), block)
			a.wordsAt(to, 1)[0] = index.of(owner)
			a.node(owner).priors = to
		}
		i += length
	}
}

// slideNodes moves the marked nodes to their new places, with copies of their
// edges.
func (ns *nodes) slideNodes(index ranks, bias []uint32) {
	a := &ns.a
	var fresh arena
	fresh.reset()
	next := uint32(1)
	for i := uint32(1); i < a.nodeCount; i++ {
		n := a.node(i)
		if !n.is(flagMark) {
			continue
		}
		n.flags &^= flagMark
		if n.bias.entry != 0 {
			n.bias.entry = bias[n.bias.entry]
		}
		if n.edgeCount > 0 {
			fresh.putEdges(n, a.edgesOf(n), n.edgeClass)
			edges := fresh.edgesOf(n)
			for k := range edges {
				edges[k].child = index.of(edges[k].child)
			}
		}
		if next != i {
			*a.node(next) = *n
			if ns.p.Graph.Use {
				ns.graph.hashes.set(next, ns.graph.hashes.get(i))
			}
			ns.repeats.setKey(next, ns.repeats.keys.get(i))
		}
		next++
	}
	ns.root = index.of(ns.root)
	a.nodeCount = next
	spare := a.edges
	a.edges, a.edgeCount, a.freeEdges = fresh.edges, fresh.edgeCount, fresh.freeEdges
	a.keepChunks(spare)
	ns.fillTranspositions()
}

// fillTranspositions enters all nodes, the root excepted, into an empty table.
func (ns *nodes) fillTranspositions() {
	if !ns.p.Graph.Use {
		return
	}
	for i := uint32(1); i < ns.a.nodeCount; i++ {
		if i != ns.root {
			ns.graph.add(i)
		}
	}
}
