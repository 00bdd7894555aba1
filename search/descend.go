package search

import (
	"kosumi/board"
)

// arrival says how a descent ended.
type arrival uint8

const (
	atLeaf      arrival = iota // the slot has to be run, then applied
	counted                    // backed up, no evaluation was needed
	uncounted                  // backed up without weight, as if it had not been
	unweighted                 // backed up without weight, but counted as a playout
	atCollision                // given up at a node that is being evaluated
)

// descend walks from the root to a leaf, leaving a virtual loss on every edge,
// and fills the slot. Unless it returns atLeaf the losses are gone again.
func (t *Tree) descend(s *slot) arrival {
	s.reset()
	t.counter.restart()
	for i := t.nodes.root; ; {
		n := t.nodes.a.node(i)
		switch {
		case n.is(flagPending):
			return t.collide(s, n)
		case n.is(flagTerminal):
			t.search.stats.Terminals++
			old := t.rememberLast(s)
			t.nodes.addOwn(i, t.sh.value.terminalWeight(t.top.weighted))
			return t.backUp(s, &old)
		case !n.is(flagEvaluated):
			return t.await(s, i, forLeaf)
		case n.is(flagTruncated) && n.edgeCount >= n.priorCount:
			return t.await(s, i, forPriors)
		}
		place, quiet := t.choose(s.path, i, n)
		if place == selectNone {
			old := t.rememberLast(s)
			t.nodes.addOwn(i, float64(n.ownWeight))
			return t.backUp(s, &old)
		}
		if place == selectNew {
			var ok bool
			if place, ok = t.newChild(s, i); !ok {
				continue // a move that turned out illegal is gone now
			}
			n = t.nodes.a.node(i)
		}
		if end := t.follow(s, i, n, place, quiet); end != atLeaf {
			return end
		}
		i = t.nodes.a.edge(n.edges + uint32(place)).child
	}
}

func (s *slot) reset() {
	s.path = s.path[:0]
	s.collisionLoss, s.replayed, s.forced, s.purpose = 0, false, false, forLeaf
	s.result.err, s.result.illegal, s.result.terminal, s.result.hasBias, s.result.pattern = nil, false, false, false, 0
}

// choose selects a move by the search's policy or the human one, or makes a
// weightless probe of passing and of not passing where a pass would end the phase.
func (t *Tree) choose(path []step, i uint32, n *node) (place int, quiet muteness) {
	edges := t.nodes.a.edgesOf(n)
	if t.p.Graph.Use {
		for k := range edges {
			edges[k].refresh(t.nodes.a.node(edges[k].child))
		}
	}
	if i == t.nodes.root && t.gumbel.active {
		return t.gumbel.next(t.search.stats.Playouts + int64(t.search.inFlight)), loud
	}
	t.counter.follow(t, path)
	switch how := t.drawSelection(i, n); how {
	case ordinary:
		place = t.selectMove(i, n, edges)
	case humanWeightless:
		quiet = human
		fallthrough
	default:
		place = t.selectHuman(i, n, edges, how)
	}
	if t.p.Pass.MoreHacks && n.is(flagPassEnds) && place != selectNone && !t.restricts(n.toMove()) {
		if probe, ok := t.probe(n, edges, place); ok {
			return probe, probed
		}
	}
	return place, quiet
}

// probe tells which move to look at without weight in place of the selected
// one: the pass if it has no edge, or the best other move if only the pass has.
func (t *Tree) probe(n *node, edges []edge, place int) (int, bool) {
	visits, hasPass := 0, false
	for i := range edges {
		visits += int(edges[i].visits)
		hasPass = hasPass || edges[i].move == board.Pass
	}
	if visits < 2 {
		return 0, false
	}
	if !hasPass {
		if place == selectNew {
			if p, _ := t.nodes.a.priorAt(n, int(n.edgeCount)); p == board.Pass {
				return 0, false
			}
		}
		return selectNew, t.nodes.bringForward(n, board.Pass)
	}
	if len(edges) == 1 && place == 0 {
		_, ok := t.nodes.nextPrior(n)
		return selectNew, ok
	}
	return 0, false
}

// follow steps through an edge. Anything but atLeaf means that the descent is
// over: the child has visits that this edge has not, or lies on the path already.
func (t *Tree) follow(s *slot, i uint32, n *node, place int, quiet muteness) arrival {
	e := t.nodes.a.edge(n.edges + uint32(place))
	s.path = append(s.path, step{node: i, place: int32(place), move: e.move, mute: quiet})
	e.inFlight++
	if quiet != loud {
		if quiet == probed {
			t.search.stats.Probes++
		}
		return atLeaf
	}
	child := t.nodes.a.node(e.child)
	behind := e.visits < child.visits && child.is(flagEvaluated)
	if behind && t.p.Graph.LeakProb > 0 && t.rng.Float64() < t.p.Graph.LeakProb {
		behind = false
	}
	if behind || t.p.Graph.Use && s.visited(e.child) {
		t.search.stats.CatchUps++
		old := t.rememberLast(s)
		return t.backUp(s, &old)
	}
	return atLeaf
}

// visited reports whether the path went through a node before.
func (s *slot) visited(i uint32) bool {
	for k := range s.path {
		if s.path[k].node == i {
			return true
		}
	}
	return false
}

// await marks a node as being evaluated by this slot.
func (t *Tree) await(s *slot, i uint32, why purpose) arrival {
	n := t.nodes.a.node(i)
	s.leaf, s.purpose = i, why
	s.forced = s.forced || n.is(flagForced)
	if why == forPriors {
		s.replayed = false
	}
	n.flags |= flagPending
	n.slot = uint16(s.index)
	return atLeaf
}

// collide gives a descent up at a node that is being evaluated. One virtual
// loss stays on the edge to it until the evaluation is done, so that the next
// descent looks elsewhere.
func (t *Tree) collide(s *slot, n *node) arrival {
	t.search.stats.Collisions++
	if last := len(s.path) - 1; last >= 0 {
		here := s.path[last]
		if other := t.holder(n); len(other.path) > 0 {
			there := other.path[len(other.path)-1]
			if there.node == here.node && there.place == here.place {
				t.nodes.edgeAt(here).inFlight++
				other.collisionLoss++
			}
		}
	}
	t.release(s)
	return atCollision
}

// holder returns the slot that evaluates a pending node.
func (t *Tree) holder(n *node) *slot { return t.slots[n.slot] }

// release takes the virtual losses of a descent back.
func (t *Tree) release(s *slot) {
	for k := range s.path {
		t.nodes.edgeAt(s.path[k]).inFlight--
	}
}

// newChild gives the best move without an edge an edge, to a new node or, with
// graph search, to one that other moves led to. It returns false if the move is
// not legal; then it will not be offered again.
func (t *Tree) newChild(s *slot, i uint32) (int, bool) {
	n := t.nodes.a.node(i)
	move, prior := t.nodes.a.priorAt(n, int(n.edgeCount))
	forced := i == t.nodes.root && move == board.Pass && t.p.Pass.Conservative
	var found uint32
	var hash board.Hash
	if t.p.Graph.Use {
		if !s.advance(&t.sh, move, forced) {
			return 0, t.dropPrior(n)
		}
		forced = false // unless the game is over
		hash = s.game.GraphHashWithin(t.nodes.graph.hashes.get(i), t.p.Graph.RepBound)
		if s.forced {
			hash = board.Hash{Hi: hash.Hi ^ forcedHash.Hi, Lo: hash.Lo ^ forcedHash.Lo}
		}
		found = t.nodes.graph.find(hash)
		if found != 0 && t.nodes.a.node(found).toMove() == n.toMove() {
			found, hash = 0, board.Hash{Hi: t.rng.Uint64(), Lo: t.rng.Uint64()}
		}
	}
	child := found
	if child == 0 {
		child = t.nodes.a.newNode()
		c := t.nodes.a.node(child)
		c.flags = ^n.flags & flagWhite
		if forced || s.forced {
			c.flags |= flagForced
		}
		if t.p.Graph.Use {
			t.nodes.graph.hashes.set(child, hash)
			t.nodes.graph.add(child)
			t.nodes.cache.lookup(child, hash)
		}
	}
	place := t.nodes.a.newEdge(n)
	if n.is(flagUnsorted) {
		t.nodes.a.raiseNext(n)
	}
	e := t.nodes.a.edge(n.edges + uint32(place))
	e.child, e.move, e.prior, e.mult = child, move, prior, 1
	return place, true
}

// advance brings the slot's game to the end of the path and one move beyond,
// which may not be legal there: then it returns false.
func (s *slot) advance(sh *shared, move board.Point, forced bool) bool {
	s.replayed = false
	s.path = append(s.path, step{move: move})
	ok := s.replay(sh)
	s.path = s.path[:len(s.path)-1]
	s.forced = ok && (s.forced || forced) && s.game.Finished()
	return ok
}

// dropPrior takes the next move off a node's list. It returns false.
func (t *Tree) dropPrior(n *node) bool {
	drop, count := int(n.edgeCount), int(n.priorCount)
	keys := t.scratch.keys[:0]
	for k := range count {
		if p, prior := t.nodes.a.priorAt(n, k); k != drop {
			keys = append(keys, priorKey(prior, t.sh.size.Index(p)))
		}
	}
	n.priorCount--
	for k, key := range keys {
		t.nodes.a.setPrior(n, k, t.sh.size.FromIndex(keyIndex(key)), keyPrior(key))
	}
	if n.is(flagUnsorted) {
		t.nodes.a.raiseNext(n)
	}
	return false
}
