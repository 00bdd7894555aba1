package search

import (
	"slices"

	"kosumi/board"
)

// expand stores the evaluation of a slot in its leaf, or the result of a finished game. grown is
// false if there is nothing to back up: the evaluation failed, the move is illegal, or the node
// only got the rest of its priors. After an error the tree is as before the descent.
func (pl *playouts) expand(s *slot) (grown bool, err error) {
	r := &s.result
	n := pl.nodes.a.node(s.leaf)
	n.flags &^= flagPending
	if s.collisionLoss > 0 {
		pl.nodes.edgeAt(s.path[len(s.path)-1]).inFlight -= s.collisionLoss
		s.collisionLoss = 0
	}
	switch {
	case r.err != nil:
		pl.nodes.release(s.path)
		return false, r.err
	case r.illegal:
		if last := len(s.path) - 1; last >= 0 {
			pl.nodes.edgeAt(s.path[last]).prior = -1
		}
		pl.nodes.release(s.path)
		return false, nil
	case s.purpose == forPriors:
		pl.tally.countEvaluation(r.fromCache)
		pl.refill(s, n)
		pl.nodes.release(s.path)
		return false, nil
	case r.terminal:
		r.weight = pl.sh.value.terminalWeight(pl.rules.weighted)
		pl.tally.stats.Terminals++
		n.flags |= flagTerminal | flagEvaluated
		pl.nodes.setOwn(n, r)
	default:
		pl.tally.countEvaluation(r.fromCache)
		pl.setEvaluation(s, n)
	}
	pl.nodes.repeats.setKey(s.leaf, r.pattern)
	pl.nodes.addOwn(s.leaf, float64(n.ownWeight))
	return true, nil
}

// setEvaluation gives a node its evaluation and priors.
func (pl *playouts) setEvaluation(s *slot, n *node) {
	r := &s.result
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
	pl.nodes.setOwn(n, r)
	if pl.p.Bias.Factor != 0 && r.hasBias && s.leaf != pl.nodes.root {
		pl.nodes.bias.attach(n, r.biasKey)
	}
	if s.human.wanted {
		n.flags |= flagHuman
	}
	pl.nodes.a.storePriors(s.leaf, s.block[:r.words], r.stored)
	pl.nodes.own.keep(n, s)
}

// refill replaces the priors of a node that had stored only the likeliest ones.
func (pl *playouts) refill(s *slot, n *node) {
	n.flags &^= flagTruncated | flagUnsorted
	edges := pl.nodes.a.edgesOf(n)
	keys := pl.nodes.keys[:0]
	for i := range edges {
		keys = append(keys, priorKey(max(0, edges[i].prior), pl.sh.size.Index(edges[i].move)))
	}
	for _, k := range s.keys[:s.result.keys] {
		if !hasMove(edges, pl.sh.size.FromIndex(keyIndex(k))) {
			keys = append(keys, k)
		}
	}
	block := s.block[:blockWords(len(keys))]
	packPriors(block, keys, pl.sh.size)
	pl.nodes.a.storePriors(s.leaf, block, len(keys))
}

func hasMove(edges []edge, p board.Point) bool {
	return slices.ContainsFunc(edges, func(e edge) bool { return e.move == p })
}

// backUp removes the virtual losses from a path. From leaf to root it also counts the visit and updates the
// nodes, until a step without weight. old is the last edge's contribution before the edge's child changed.
func (pl *playouts) backUp(s *slot, old *before) {
	ns := pl.nodes
	ns.warm(s.path)
	kind := counted
	for k := len(s.path) - 1; k >= 0; k-- {
		at := s.path[k]
		n := ns.a.node(at.node)
		e := ns.a.edge(n.edges + uint32(at.place))
		e.inFlight--
		if kind != counted {
			continue
		}
		child := ns.a.node(e.child)
		if kind = at.kind; kind != counted {
			e.refresh(child)
			continue
		}
		e.visits++
		e.refresh(child)
		n.visits++
		above := ns.snapshot(s.path[:k])
		ns.settle(at.node, e, old)
		*old = above
	}
	switch {
	case len(s.path) > 0 && s.path[0].kind == focused:
		pl.tally.stats.Focused++
	case kind != probe:
		pl.tally.countPlayout(len(s.path))
	}
}
