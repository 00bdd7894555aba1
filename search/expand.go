package search

import "kosumi/board"

// apply brings a slot that was run into the tree. It returns the error of the
// evaluation, if there was one; then the tree is as before the descent.
func (t *Tree) apply(s *slot) error {
	r := &s.result
	n := t.nodes.a.node(s.leaf)
	n.flags &^= flagPending
	if s.collisionLoss > 0 {
		t.nodes.edgeAt(s.path[len(s.path)-1]).inFlight -= s.collisionLoss
		s.collisionLoss = 0
	}
	switch {
	case r.err != nil:
		t.release(s)
		return r.err
	case r.illegal:
		t.forbid(s)
		return nil
	case s.purpose == forPriors:
		t.countEvaluation(s)
		t.refill(s, n)
		t.release(s)
		return nil
	}
	var old before // a new node gave nothing yet
	if r.terminal {
		t.finishGame(s, n)
	} else {
		t.countEvaluation(s)
		t.expand(s)
	}
	t.backUp(s, &old)
	return nil
}

func (t *Tree) countEvaluation(s *slot) {
	t.search.stats.Evaluations++
	if s.result.fromCache {
		t.search.stats.CacheHits++
	}
}

// forbid gives up a move that turned out illegal in the position where it is.
func (t *Tree) forbid(s *slot) {
	if last := len(s.path) - 1; last >= 0 {
		t.nodes.edgeAt(s.path[last]).prior = -1
	}
	t.release(s)
}

// finishGame makes a node the end of the game.
func (t *Tree) finishGame(s *slot, n *node) {
	r := &s.result
	t.search.stats.Terminals++
	n.flags |= flagTerminal | flagEvaluated
	n.own = r.own
	n.ownUtility = float32(r.utility)
	n.errs.winLoss, n.errs.score = -1, -1
	n.ownWeight = float32(t.sh.value.terminalWeight(t.top.weighted))
	t.nodes.repeats.setKey(s.leaf, r.pattern)
	t.nodes.addOwn(s.leaf, float64(n.ownWeight))
}

// expand gives a node its evaluation and priors.
func (t *Tree) expand(s *slot) {
	r, n := &s.result, t.nodes.a.node(s.leaf)
	n.flags |= flagEvaluated
	if r.passEnds {
		n.flags |= flagPassEnds
	}
	if s.forced {
		n.flags |= flagForced
	}
	if !r.sorted {
		n.flags |= flagUnsorted
	}
	if r.stored < r.keys {
		n.flags |= flagTruncated
	}
	t.nodes.setOwn(n, r)
	if t.p.Bias.Factor != 0 && r.hasBias && s.leaf != t.nodes.root {
		t.nodes.bias.attach(n, r.biasKey)
	}
	if s.human.wanted {
		n.flags |= flagHuman
	}
	t.nodes.a.storePriors(s.leaf, s.block[:r.words], r.stored)
	t.nodes.own.keep(n, s)
	t.nodes.repeats.setKey(s.leaf, r.pattern)
	t.nodes.addOwn(s.leaf, float64(n.ownWeight))
}

// refill replaces the priors of a node that had stored only the likeliest ones.
func (t *Tree) refill(s *slot, n *node) {
	n.flags &^= flagTruncated | flagUnsorted
	edges := t.nodes.a.edgesOf(n)
	keys := t.scratch.keys[:0]
	for i := range edges {
		keys = append(keys, priorKey(max(0, edges[i].prior), t.sh.size.Index(edges[i].move)))
	}
	for _, k := range s.keys[:s.result.keys] {
		if !hasMove(edges, t.sh.size.FromIndex(keyIndex(k))) {
			keys = append(keys, k)
		}
	}
	block := s.block[:blockWords(len(keys))]
	packPriors(block, keys, t.sh.size)
	t.nodes.a.storePriors(s.leaf, block, len(keys))
}

func hasMove(edges []edge, p board.Point) bool {
	for i := range edges {
		if edges[i].move == p {
			return true
		}
	}
	return false
}

// rememberLast takes down what the last edge of a path gives to its parent.
func (t *Tree) rememberLast(s *slot) before {
	if len(s.path) == 0 {
		return before{}
	}
	e := t.nodes.edgeAt(s.path[len(s.path)-1])
	return remember(e, t.nodes.a.node(e.child))
}

// backUp counts a descent on every edge of its path, takes its virtual losses
// back and brings the nodes up to date, from the leaf to the root. old is what
// the last edge gave before its child changed.
func (t *Tree) backUp(s *slot, old *before) arrival {
	t.warm(s.path)
	end := counted
	for k := len(s.path) - 1; k >= 0; k-- {
		at := s.path[k]
		n := t.nodes.a.node(at.node)
		e := t.nodes.a.edge(n.edges + uint32(at.place))
		e.inFlight--
		if end == uncounted {
			continue
		}
		child := t.nodes.a.node(e.child)
		if end == unweighted {
			continue
		}
		if at.mute != loud {
			e.refresh(child)
			if end = uncounted; at.mute == human {
				end = unweighted
			}
			continue
		}
		e.visits++
		e.refresh(child)
		n.visits++
		var above before
		if k > 0 {
			above = t.nodes.rememberStep(s.path[k-1])
		}
		t.nodes.settle(at.node, e, old)
		*old = above
	}
	t.countPlayout(len(s.path), end)
	return end
}

// warm reads what backing a path up will read. The network has emptied the caches
// since the descent, and these reads do not wait for each other.
func (t *Tree) warm(path []step) {
	touched := uint16(0)
	for k := range path {
		n := t.nodes.a.node(path[k].node)
		touched ^= t.nodes.a.edge(n.edges+uint32(path[k].place)).inFlight ^ n.sinceExact
	}
	t.scratch.touched = touched // so that the reads are made
}

func (t *Tree) countPlayout(depth int, end arrival) {
	if end == uncounted {
		return
	}
	st := &t.search.stats
	st.Playouts++
	st.DepthSum += int64(depth)
	st.MaxDepth = max(st.MaxDepth, depth)
}
