package search

import "kosumi/board"

// store is a tree as it stands: nodes with their edges and priors, and what hangs
// on them. Its averages are made in backup.go, and what a move leads to is kept in
// reuse.go. Searching it is the work of [Tree].
type store struct {
	p       *Params
	a       arena
	bias    biasTable
	repeats repeats
	recall  recall
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
func (st *store) reset() {
	st.a.reset()
	st.bias.reset()
	st.graph.reset()
	st.own.reset()
	st.root = 0
}

// bytes is the memory that the tree holds, free parts included, used what of it
// is in use.
func (st *store) bytes() int64 { return st.a.bytes() + st.graph.bytes() }
func (st *store) used() int64  { return st.a.used() + st.graph.bytes() }

// visits returns the visits of the root, 0 without a tree.
func (st *store) visits() int64 {
	if st.root == 0 {
		return 0
	}
	return int64(st.a.node(st.root).visits)
}

func (st *store) edgeAt(p step) *edge {
	return st.a.edge(st.a.node(p.node).edges + uint32(p.place))
}

func (st *store) rememberStep(p step) before {
	e := st.edgeAt(p)
	return remember(e, st.a.node(e.child))
}

// setOwn stores a node's own evaluation.
func (st *store) setOwn(n *node, r *leafResult) {
	n.own = r.own
	n.ownUtility, n.ownWeight = float32(r.utility), float32(r.weight)
	n.errs.winLoss, n.errs.score = r.errWinLoss, r.errScore
}

// bringForward makes a move the next one to get an edge. It returns false if it
// is not among the moves left.
func (st *store) bringForward(n *node, move board.Point) bool {
	first := int(n.edgeCount)
	for k := first; k < int(n.priorCount); k++ {
		p, prior := st.a.priorAt(n, k)
		if p != move {
			continue
		}
		for ; k > first; k-- {
			q, other := st.a.priorAt(n, k-1)
			st.a.setPrior(n, k, q, other)
		}
		st.a.setPrior(n, first, p, prior)
		return true
	}
	return false
}

// nextPrior returns the prior of the best move without an edge.
func (st *store) nextPrior(n *node) (float64, bool) {
	k := int(n.edgeCount)
	if k >= int(n.priorCount) {
		return 0, false
	}
	return float64(st.a.priorOf(n, k)), true
}

// visit is a place in a walk over the tree: a node and its next edge.
type visit struct {
	node uint32
	next int32
}

// rescore computes all averages of the tree anew, children before parents, after
// the centre of the score terms moved. A node without edges keeps its weight.
func (st *store) rescore(v *valuer) {
	st.unmark()
	st.stack = append(st.stack[:0], visit{node: st.root})
	st.a.node(st.root).flags |= flagMark
	for len(st.stack) > 0 {
		top := &st.stack[len(st.stack)-1]
		n := st.a.node(top.node)
		if int(top.next) < int(n.edgeCount) {
			child := st.a.edge(n.edges + uint32(top.next)).child
			top.next++
			if c := st.a.node(child); !c.is(flagMark) {
				c.flags |= flagMark
				st.stack = append(st.stack, visit{node: child})
			}
			continue
		}
		st.rescoreNode(top.node, v)
		st.stack = st.stack[:len(st.stack)-1]
	}
}

func (st *store) rescoreNode(i uint32, v *valuer) {
	n := st.a.node(i)
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
		n.charge(st.repeats.of(i))
		return
	}
	edges := st.a.edgesOf(n)
	for k := range edges {
		edges[k].refresh(st.a.node(edges[k].child))
	}
	st.rebuild(i)
}

// unmark takes the marks of earlier walks off all nodes.
func (st *store) unmark() {
	for i := uint32(1); i < st.a.nodeCount; i++ {
		st.a.node(i).flags &^= flagMark
	}
}
