package search

import (
	"math/rand/v2"
	"slices"

	"kosumi/board"
)

// playouts carries out single playouts: it selects a path to a leaf, expands the leaf once it
// is evaluated, and backs the evaluation up. A [run] decides when each step is due; between descent
// and backup a playout lives in its slot.
type playouts struct {
	parts
	selector *selector
	rng      *rand.Rand
	slots    []*slot // one for each evaluation that may be pending
}

// makeSlots makes at least n slots.
func (pl *playouts) makeSlots(n int) {
	for len(pl.slots) < n {
		pl.slots = append(pl.slots, &slot{index: len(pl.slots)})
	}
}

// arrival is the reason why a descent ended.
type arrival uint8

const (
	atLeaf      arrival = iota // the slot has to be run, then the leaf expanded
	backedUp                   // backed up without an evaluation
	atCollision                // abandoned at a node under evaluation
)

// descend walks from the root to a leaf, leaving a virtual loss on every edge, and fills the
// slot. Unless it returns atLeaf, it removes the losses again; after a collision one stays, see collide.
func (pl *playouts) descend(s *slot) arrival {
	ns := pl.nodes
	s.reset()
	pl.selector.counter.on = false
	for i := ns.root; ; {
		n := ns.a.node(i)
		switch {
		case n.is(flagPending):
			return pl.collide(s, n)
		case n.is(flagTerminal):
			pl.tally.stats.Terminals++
			old := ns.snapshot(s.path)
			ns.addOwn(i, pl.sh.value.terminalWeight(pl.rules.weighted))
			pl.backUp(s, &old)
			return backedUp
		case !n.is(flagEvaluated):
			return pl.await(s, i, forLeaf)
		case n.is(flagTruncated) && n.edgeCount >= n.priorCount:
			return pl.await(s, i, forPriors)
		}
		place, kind := pl.selector.choose(s, i, n)
		if place == selectNone {
			old := ns.snapshot(s.path)
			ns.addOwn(i, float64(n.ownWeight))
			pl.backUp(s, &old)
			return backedUp
		}
		if place == selectNew {
			var ok bool
			if place, ok = pl.newChild(s, i); !ok {
				continue // the illegal move was removed
			}
			n = ns.a.node(i)
		}
		if end := pl.follow(s, i, n, place, kind); end != atLeaf {
			return end
		}
		i = ns.a.edge(n.edges + uint32(place)).child
	}
}

func (s *slot) reset() {
	s.path = s.path[:0]
	s.collisionLoss, s.played, s.forced, s.purpose = 0, -1, false, forLeaf
	s.result.err, s.result.illegal, s.result.terminal, s.result.hasBias, s.result.pattern = nil, false, false, false, 0
}

// follow steps through an edge. It returns atLeaf if the descent goes on, and backedUp if it ends here: the
// child has visits that this edge lacks, or lies on the path already.
func (pl *playouts) follow(s *slot, i uint32, n *node, place int, kind visitKind) arrival {
	ns := pl.nodes
	e := ns.a.edge(n.edges + uint32(place))
	s.path = append(s.path, step{node: i, place: int32(place), move: e.move, kind: kind})
	e.inFlight++
	if kind != counted {
		if kind == probe {
			pl.tally.stats.Probes++
		}
		return atLeaf
	}
	child := ns.a.node(e.child)
	behind := e.visits < child.visits && child.is(flagEvaluated)
	if behind || pl.p.Graph.Use && slices.ContainsFunc(s.path, func(at step) bool { return at.node == e.child }) {
		pl.tally.stats.CatchUps++
		old := ns.snapshot(s.path)
		pl.backUp(s, &old)
		return backedUp
	}
	return atLeaf
}

// await marks a node as being evaluated by this slot.
func (pl *playouts) await(s *slot, i uint32, why purpose) arrival {
	n := pl.nodes.a.node(i)
	s.leaf, s.purpose = i, why
	s.forced = s.forced || n.is(flagForced)
	n.flags |= flagPending
	n.slot = uint16(s.index)
	return atLeaf
}

// collide gives up a descent at a node that is being evaluated. One virtual loss stays on the
// edge to it until the evaluation is done, so that the next descent looks elsewhere.
func (pl *playouts) collide(s *slot, n *node) arrival {
	pl.tally.stats.Collisions++
	if last := len(s.path) - 1; last >= 0 {
		here := s.path[last]
		if other := pl.slots[n.slot]; len(other.path) > 0 {
			there := other.path[len(other.path)-1]
			if there.node == here.node && there.place == here.place {
				pl.nodes.edgeAt(here).inFlight++
				other.collisionLoss++
			}
		}
	}
	pl.nodes.release(s.path)
	return atCollision
}

// newChild makes an edge for the best move without one. The edge leads to a new node or, with graph
// search, to one that other move orders reached. It returns false if the move is not legal; then it will not
// be offered again.
func (pl *playouts) newChild(s *slot, i uint32) (int, bool) {
	n := pl.nodes.a.node(i)
	move, prior := pl.nodes.a.priorAt(n, int(n.edgeCount))
	forced := i == pl.nodes.root && move == board.Pass && pl.p.Pass.Conservative
	var found uint32
	var hash board.Hash
	if pl.p.Graph.Use {
		if !s.advance(pl.sh, move, forced) {
			pl.nodes.dropPrior(n, pl.sh.size)
			return 0, false
		}
		forced = false // advance has set s.forced if the game is over
		hash = s.game.GraphHashWithin(pl.nodes.graph.hashes.get(i), pl.p.Graph.RepBound)
		if s.forced {
			hash = board.Hash{Hi: hash.Hi ^ forcedHash.Hi, Lo: hash.Lo ^ forcedHash.Lo}
		}
		found = pl.nodes.graph.find(hash)
		if found != 0 && pl.nodes.a.node(found).toMove() == n.toMove() {
			found, hash = 0, board.Hash{Hi: pl.rng.Uint64(), Lo: pl.rng.Uint64()}
		}
	}
	child := found
	if child == 0 {
		child = pl.nodes.a.newNode()
		c := pl.nodes.a.node(child)
		c.flags = ^n.flags & flagWhite
		if forced || s.forced {
			c.flags |= flagForced
		}
		if pl.p.Graph.Use {
			pl.nodes.graph.hashes.set(child, hash)
			pl.nodes.graph.add(child)
		}
	}
	place := pl.nodes.a.newEdge(n)
	if n.is(flagUnsorted) {
		pl.nodes.a.raiseNext(n)
	}
	e := pl.nodes.a.edge(n.edges + uint32(place))
	e.child, e.move, e.prior, e.mult = child, move, prior, 1
	return place, true
}

// advance brings the slot's game to the end of the path and plays one more move; false if the
// move is illegal.
func (s *slot) advance(sh *shared, move board.Point, forced bool) bool {
	ok := s.catchUp(sh, len(s.path)) && s.arrive(sh, move)
	s.forced = ok && (s.forced || forced) && s.game.Finished()
	return ok
}
