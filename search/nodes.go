package search

import "kosumi/board"

// nodes is a tree as it stands: nodes with their edges and priors, and what hangs
// on them. Its averages are made in backup.go, and what a move leads to is kept in
// reuse.go. Searching it is the work of [Tree].
type nodes struct {
	p       *Params
	a       arena
	bias    biasTable
	repeats repeats
	cache   cacheView
	graph   transpositions
	own     ownership
	root    uint32 // 0: no tree yet
	// keepWeights leaves children the weights of their visits: against mirror Go,
	// where selection is bent on purpose.
	keepWeights bool

	children []child // scratch of one rebuild
	stack    []visit // scratch of walks
}

// reset drops the tree and keeps its memory.
func (ns *nodes) reset() {
	ns.a.reset()
	ns.bias.reset()
	ns.graph.reset()
	ns.own.reset()
	ns.root = 0
}

// bytes is the memory that the tree holds, free parts included, used what of it
// is in use.
func (ns *nodes) bytes() int64 { return ns.a.bytes() + ns.graph.bytes() }
func (ns *nodes) used() int64  { return ns.a.used() + ns.graph.bytes() }

// visits returns the visits of the root, 0 without a tree.
func (ns *nodes) visits() int64 {
	if ns.root == 0 {
		return 0
	}
	return int64(ns.a.node(ns.root).visits)
}

func (ns *nodes) edgeAt(p step) *edge {
	return ns.a.edge(ns.a.node(p.node).edges + uint32(p.place))
}

func (ns *nodes) rememberStep(p step) before {
	e := ns.edgeAt(p)
	return remember(e, ns.a.node(e.child))
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
	first := int(n.edgeCount)
	for k := first; k < int(n.priorCount); k++ {
		p, prior := ns.a.priorAt(n, k)
		if p != move {
			continue
		}
		for ; k > first; k-- {
			q, other := ns.a.priorAt(n, k-1)
			ns.a.setPrior(n, k, q, other)
		}
		ns.a.setPrior(n, first, p, prior)
		return true
	}
	return false
}

// nextPrior returns the prior of the best move without an edge.
func (ns *nodes) nextPrior(n *node) (float64, bool) {
	k := int(n.edgeCount)
	if k >= int(n.priorCount) {
		return 0, false
	}
	return float64(ns.a.priorOf(n, k)), true
}

// visit is a place in a walk over the tree: a node and its next edge.
type visit struct {
	node uint32
	next int32
}

// rescore computes all averages of the tree anew, children before parents, after
// the centre of the score terms moved. A node without edges keeps its weight.
func (ns *nodes) rescore(v *valuer) {
	ns.unmark()
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
		ns.rescoreNode(top.node, v)
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
	if n.edgeCount == 0 { // its weight is of the old centre until it gets a child
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

// unmark takes the marks of earlier walks off all nodes.
func (ns *nodes) unmark() {
	for i := uint32(1); i < ns.a.nodeCount; i++ {
		ns.a.node(i).flags &^= flagMark
	}
}
