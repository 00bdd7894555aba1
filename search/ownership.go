package search

import (
	"math"
	"slices"

	"kosumi/board"
)

// ownership stores the ownership maps of the nodes' evaluations, for searches that ask for them,
// and averages them over a tree. A node's share is split between its own evaluation and its children.
// Children get parts in proportion to the squares of their weights, so that likely moves count more
// than in the tree's values. A node with a small share stands for its whole subtree.
type ownership struct {
	area     int
	chunks   [][]int16
	count    uint32   // indices in use, 0 (none) included
	free     []uint32 // released indices
	complete bool     // every evaluation of the tree is stored, as far as there is room

	path   []uint32 // path of the current average
	sum    []float64
	square []float64
}

const (
	ownersChunk = 256       // maps in a chunk
	ownersBytes = 128 << 20 // limit for all ownership maps; nodes beyond it have none
	ownersUnit  = math.MaxInt16
)

func (o *ownership) reset() { o.count, o.free = 1, o.free[:0] }

// begin prepares for a search and reports whether the tree can be kept: not if ownership is wanted
// and the tree's evaluations were stored without it.
func (o *ownership) begin(wanted bool, area int, empty bool) (keep bool) {
	if !wanted {
		o.complete = false
		return true
	}
	keep = empty || o.complete && o.area == area
	if o.area != area {
		o.area, o.chunks = area, nil
		o.sum, o.square = make([]float64, area), make([]float64, area)
		o.reset()
	}
	o.complete = true
	return keep
}

// place returns a place for a map, 0 if there is no room.
func (o *ownership) place() uint32 {
	if last := len(o.free) - 1; last >= 0 {
		i := o.free[last]
		o.free = o.free[:last]
		return i
	}
	i := max(1, o.count)
	if int64(i)*int64(o.area)*2 >= ownersBytes {
		return 0
	}
	o.count = i + 1
	if int(i/ownersChunk) == len(o.chunks) {
		o.chunks = append(o.chunks, make([]int16, ownersChunk*o.area))
	}
	return i
}

func (o *ownership) at(i uint32) []int16 {
	k := int(i%ownersChunk) * o.area
	return o.chunks[i/ownersChunk][k : k+o.area]
}

// keep stores the ownership that a slot's evaluation gave its node, in White's view.
func (o *ownership) keep(n *node, s *slot) {
	if !o.complete || !s.out.HasOwnership {
		return
	}
	if n.owners == 0 {
		if n.owners = o.place(); n.owners == 0 {
			return
		}
	}
	unit := float32(ownersUnit)
	if s.game.ToMove() == board.Black {
		unit = -unit
	}
	to := o.at(n.owners)
	for p, v := range s.out.Ownership[:o.area] {
		to[p] = int16(math.Round(float64(unit * max(-1, min(1, v)))))
	}
}

// release frees the map of a discarded node.
func (o *ownership) release(n *node) {
	if n.owners != 0 {
		o.free = append(o.free, n.owners)
		n.owners = 0
	}
}

// owners returns the ownership's mean and standard deviation by point over the tree below a node,
// in the view of a side; nil if the search stores no ownership or the root has none.
func (ns *nodes) owners(i uint32, white bool) (mean, stdev []float32) {
	o := &ns.own
	n := ns.a.node(i)
	if !o.complete || ns.a.node(ns.root).owners == 0 {
		return nil, nil
	}
	clear(o.sum)
	clear(o.square)
	o.path = o.path[:0]
	least := 0.5 / math.Pow(max(1, float64(n.visits)), 0.75)
	ns.addOwners(i, 1, least)
	mean, stdev = make([]float32, o.area), make([]float32, o.area)
	for p, v := range o.sum {
		stdev[p] = float32(math.Sqrt(max(0, o.square[p]-v*v)))
		if !white {
			v = -v
		}
		mean[p] = float32(max(-1, min(1, v)))
	}
	return mean, stdev
}

// addOwners adds a node's share to the sums. It returns false if the node has nothing to add. A node
// with a share smaller than least stands for its whole subtree.
func (ns *nodes) addOwners(i uint32, share, least float64) bool {
	n, o := ns.a.node(i), &ns.own
	if n.owners == 0 || n.is(flagTerminal) {
		return false
	}
	if share >= least && n.edgeCount > 0 && !slices.Contains(o.path, i) {
		o.path = append(o.path, i)
		share = ns.addOwnersBelow(n, share, least)
		o.path = o.path[:len(o.path)-1]
	}
	for p, v := range o.at(n.owners) {
		x := float64(v) / ownersUnit
		o.sum[p] += share * x
		o.square[p] += share * x * x
	}
	return true
}

// addOwnersBelow adds the shares of a node's children and returns the part left for its own
// evaluation.
func (ns *nodes) addOwnersBelow(n *node, share, least float64) (own float64) {
	const dropped = 0.01 // a child whose share is below dropped*least leaves it to the node
	var weights, squares float64
	edges := ns.a.edgesOf(n)
	for k := range edges {
		w := ns.edgeWeight(&edges[k])
		weights += w
		squares += w * w
	}
	self := max(float64(n.ownWeight), 1e-10)
	own = share * self / (weights + self)
	below := share * weights / (weights + self)
	if below <= 0 || squares <= 0 {
		return own + below
	}
	for k := range edges {
		w := ns.edgeWeight(&edges[k])
		part := w * w / squares * below
		if part < least*dropped || !ns.addOwners(edges[k].child, part, least) {
			own += part
		}
	}
	return own
}

// edgeWeight returns the part of a child's weight that the visits of one edge give it.
func (ns *nodes) edgeWeight(e *edge) float64 {
	e2 := *e
	e2.refresh(ns.a.node(e.child))
	return float64(e2.weight)
}
