package search

import "kosumi/board"

// nodes is the tree: nodes with their edges and priors, and tables of data per node. backup.go
// computes the averages, reuse.go keeps the part below a move, and [playouts] adds nodes.
type nodes struct {
	p       *Params
	a       arena
	bias    biasTable
	repeats repeats
	graph   transpositions
	own     ownership
	root    uint32 // 0 without a tree
	// keepWeights averages children without pruning or weighting them by value. It is on against
	// mirror Go, where selection is biased on purpose.
	keepWeights bool

	// Scratch space: one field each for rebuild, walks, dropPrior and warm.
	children []child
	stack    []visit
	keys     [board.MaxMoves]uint64
	touched  uint16
}

// reset drops the tree and keeps its memory.
func (ns *nodes) reset() {
	ns.a.reset()
	ns.bias.reset()
	ns.graph.reset()
	ns.own.reset()
	ns.root = 0
}

// bytes is the memory that the tree holds, free parts included.
func (ns *nodes) bytes() int64 { return ns.a.bytes() + ns.graph.bytes() }

func (ns *nodes) used() int64 { return ns.a.used() + ns.graph.bytes() }

// visits returns the visits of the root, 0 without a tree.
func (ns *nodes) visits() int64 {
	if ns.root == 0 {
		return 0
	}
	return int64(ns.a.node(ns.root).visits)
}

// view is the sign that converts White's values to the view of the side to move at the root.
func (ns *nodes) view() float64 { return ns.a.node(ns.root).sign() }

func (ns *nodes) edgeAt(p step) *edge {
	return ns.a.edge(ns.a.node(p.node).edges + uint32(p.place))
}

// snapshot returns what the last edge of a path contributes to the averages of the edge's parent, or
// the zero value if this visit computes the averages from all children.
func (ns *nodes) snapshot(path []step) before {
	if len(path) == 0 {
		return before{}
	}
	last := path[len(path)-1]
	n, b := ns.a.node(last.node), &ns.p.Backup
	if b.ExactShare == 0 || n.visits+1 < exactVisits {
		return before{}
	}
	e := ns.a.edge(n.edges + uint32(last.place))
	return snapshot(e, ns.a.node(e.child))
}

// release removes the virtual losses of a descent.
func (ns *nodes) release(path []step) {
	for k := range path {
		ns.edgeAt(path[k]).inFlight--
	}
}

// warm prefetches the memory that backUp will read for a path. The network has evicted it from
// the caches since the descent; these reads run in parallel.
func (ns *nodes) warm(path []step) {
	touched := uint16(0)
	for k := range path {
		n := ns.a.node(path[k].node)
		touched ^= ns.a.edge(n.edges+uint32(path[k].place)).inFlight ^ n.sinceExact
	}
	ns.touched = touched // so that the compiler keeps the reads
}

// setOwn stores a node's own evaluation.
func (ns *nodes) setOwn(n *node, r *leafResult) {
	n.own = r.own
	n.ownUtility, n.ownWeight = float32(r.utility), float32(r.weight)
	n.errs.winLoss, n.errs.score = r.errWinLoss, r.errScore
}

// bringForward makes a move the next one to get an edge. It returns false if it
// is not among the moves left.
func (ns *nodes) bringForward(n *node, move board.Point) bool {
	for k := int(n.edgeCount); k < int(n.priorCount); k++ {
		p, prior := ns.a.priorAt(n, k)
		if p != move {
			continue
		}
		for ; k > int(n.edgeCount); k-- {
			p, other := ns.a.priorAt(n, k-1)
			ns.a.setPrior(n, k, p, other)
		}
		ns.a.setPrior(n, k, move, prior)
		return true
	}
	return false
}

// promote makes a move the next one to get an edge; it must have none.
func (ns *nodes) promote(n *node, move board.Point) int {
	if p, _ := ns.a.priorAt(n, int(n.edgeCount)); p != move {
		ns.bringForward(n, move)
		n.flags |= flagUnsorted
	}
	return selectNew
}

// dropPrior removes from a node's list the move that would get the next edge.
func (ns *nodes) dropPrior(n *node, size board.Size) {
	drop, count := int(n.edgeCount), int(n.priorCount)
	keys := ns.keys[:0]
	for k := range count {
		if p, prior := ns.a.priorAt(n, k); k != drop {
			keys = append(keys, priorKey(prior, size.Index(p)))
		}
	}
	n.priorCount--
	for k, key := range keys {
		ns.a.setPrior(n, k, size.FromIndex(keyIndex(key)), keyPrior(key))
	}
	if n.is(flagUnsorted) {
		ns.a.raiseNext(n)
	}
}

// nextPrior returns the prior of the best move without an edge.
func (ns *nodes) nextPrior(n *node) (float64, bool) {
	k := int(n.edgeCount)
	if k >= int(n.priorCount) {
		return 0, false
	}
	return float64(ns.a.priorOf(n, k)), true
}

// visit is a position in a walk over the tree: a node and its next edge.
type visit struct {
	node uint32
	next int32
}

// rescore recomputes all averages of the tree after the centre of the score terms moved. Nodes
// without edges keep their weights.
func (ns *nodes) rescore(v *valuer) {
	ns.walk(func(i uint32) { ns.rescoreNode(i, v) })
}

// walk marks every node that the root leads to, and no other, and calls f for each, children before
// parents.
func (ns *nodes) walk(f func(i uint32)) {
	for i := uint32(1); i < ns.a.nodeCount; i++ {
		ns.a.node(i).flags &^= flagMark
	}
	ns.stack = append(ns.stack[:0], visit{node: ns.root})
	ns.a.node(ns.root).flags |= flagMark
	for len(ns.stack) > 0 {
		top := &ns.stack[len(ns.stack)-1]
		n := ns.a.node(top.node)
		if int(top.next) < int(n.edgeCount) {
			child := ns.a.edge(n.edges + uint32(top.next)).child
			top.next++
			if c := ns.a.node(child); !c.is(flagMark) {
				c.flags |= flagMark
				ns.stack = append(ns.stack, visit{node: child})
			}
			continue
		}
		f(top.node)
		ns.stack = ns.stack[:len(ns.stack)-1]
	}
}

func (ns *nodes) rescoreNode(i uint32, v *valuer) {
	n := ns.a.node(i)
	if !n.is(flagEvaluated) {
		return
	}
	n.ownUtility = float32(v.of(&n.own))
	if !n.is(flagTerminal) {
		n.ownWeight = float32(v.weight(float64(n.own.scoreMean), float64(n.errs.winLoss), float64(n.errs.score)))
	}
	if n.edgeCount == 0 { // until n gets a child, n.weight stays as computed with the old score centre
		n.utility = v.of(&n.avg)
		n.utilitySq = n.utility * n.utility
		n.charge(ns.repeats.of(i))
		return
	}
	edges := ns.a.edgesOf(n)
	for k := range edges {
		edges[k].refresh(ns.a.node(edges[k].child))
	}
	ns.rebuild(i)
}
