package search

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"kosumi/board"
)

// EvalCacheParams let a search begin from the finds of earlier ones at the same positions: a
// variation that was played out and searched is known from then on, and is seen
// sooner from the positions before it. It needs Graph.Use, and rests while the
// opponent plays mirror Go.
type EvalCacheParams struct {
	Use bool // KataGo off (useEvalCache)
	// MinVisits is how many visits a position needs to be remembered. KataGo 100
	// (evalCacheMinVisits).
	MinVisits int
	// Shared is where several trees remember things; nil is a place of the tree's own.
	Shared *EvalCache
	// Group keeps searches apart that differ in something else than their Params:
	// those of one group share what they found.
	Group uint64
}

// EvalCache holds what searches found. Searches with other Params do not meet in it.
// It grows until it is cleared, by some 200 bytes for a position. Any number of trees
// may use it at a time.
type EvalCache struct {
	mu    sync.Mutex
	known map[board.Hash]*cachedEval
}

// NewEvalCache returns an empty cache.
func NewEvalCache() *EvalCache { return &EvalCache{known: map[board.Hash]*cachedEval{}} }

// Clear forgets everything. Trees that know something from it already keep that.
func (c *EvalCache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
}

func (c *EvalCache) find(key board.Hash) *cachedEval {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[key]
}

func (c *EvalCache) put(key board.Hash, e *cachedEval) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[key] = e
}

// cachedEval is what is known of a position. It does not change once it is in a cache.
type cachedEval struct {
	avg    outcome
	visits float32 // 0: only the moves are known
	moves  []cachedMove
}

// cachedMove is what is known of a move. A cachedEval has the pass first, the others
// in the order of the board.
type cachedMove struct {
	move               board.Point
	winLoss, scoreMean float32 // White's
	visits             float32
}

// with returns a copy that knows of a move as well, unless it knows more already.
func (e *cachedEval) with(m cachedMove) {
	at, found := slices.BinarySearchFunc(e.moves, m.move, func(a cachedMove, p board.Point) int { return int(a.move) - int(p) })
	switch {
	case !found:
		e.moves = slices.Insert(e.moves, at, m)
	case m.visits >= e.moves[at].visits:
		e.moves[at] = m
	}
}

// share is what the cached averages count for at a position with so many visits:
// nearly all at one visit, next to nothing at as many visits as were cached. Where
// these are many, what lies below has been cached as well.
func (e *cachedEval) share(visits int, minVisits float64) float64 {
	weight := float64(e.visits)
	if weight > minVisits {
		weight = math.Sqrt(minVisits * weight)
	}
	r := float64(visits) / weight
	return 1 / (1 + 3*r*(1+2*r*r))
}

// blend draws averages towards the cached ones. The spread of the score stays.
func (e *cachedEval) blend(o *outcome, share float64) {
	mix := func(to *float32, from float32) { *to += float32(share * (float64(from) - float64(*to))) }
	mean := float64(o.scoreMean)
	mix(&o.winLoss, e.avg.winLoss)
	mix(&o.noResult, e.avg.noResult)
	mix(&o.scoreMean, e.avg.scoreMean)
	mix(&o.lead, e.avg.lead)
	blended := float64(o.scoreMean)
	o.scoreMeanSq = float32(max(0, float64(o.scoreMeanSq)-mean*mean+blended*blended))
}

// cacheView is a tree's view of an EvalCache: what that knows of each of its nodes.
type cacheView struct {
	evals  *EvalCache
	active bool       // in the search that goes on
	params board.Hash // is mixed into the keys of positions
	least  float64    // visits
	value  *valuer
	known  byNode[*cachedEval]
}

// begin makes ready for a search. rests says that nothing shall be looked up in it.
func (c *cacheView) begin(p *Params, v *valuer, rests bool) {
	c.active = p.EvalCache.Use && p.Graph.Use && !rests
	if !c.active {
		return
	}
	if p.EvalCache.Shared != nil {
		c.evals = p.EvalCache.Shared
	} else if c.evals == nil {
		c.evals = NewEvalCache()
	}
	c.params, c.least, c.value = p.fingerprint(), float64(p.EvalCache.MinVisits), v
}

// fingerprint tells searches apart whose results mean different things.
func (p Params) fingerprint() board.Hash {
	p.Seed, p.EvalCache.Shared, p.RepeatPenalty.History, p.RepeatPenalty.Player = 0, nil, nil, board.Empty
	h := fnv.New128a()
	_, _ = fmt.Fprintf(h, "%+v", p) // a hash takes everything
	sum := h.Sum(nil)
	return board.Hash{Hi: binary.BigEndian.Uint64(sum), Lo: binary.BigEndian.Uint64(sum[8:])}
}

func (c *cacheView) key(h board.Hash) board.Hash {
	return board.Hash{Hi: h.Hi ^ c.params.Hi, Lo: h.Lo ^ c.params.Lo}
}

// lookup looks a new node up by its graph hash.
func (c *cacheView) lookup(i uint32, h board.Hash) {
	if c.active {
		c.known.set(i, c.evals.find(c.key(h)))
	} else if len(c.known) > 0 {
		c.known.set(i, nil)
	}
}

// of returns what is known of a node, nil if nothing is.
func (c *cacheView) of(i uint32) *cachedEval {
	if !c.active {
		return nil
	}
	return c.known.get(i)
}

// cached returns what the averages of a node are drawn towards; nil at the root,
// whose moves are to be judged by this search.
func (ns *nodes) cached(i uint32, n *node) *cachedEval {
	if !ns.cache.active || i == ns.root || n.is(flagForced) {
		return nil
	}
	return ns.cache.of(i)
}

// blend draws a node's averages towards what is known of it. visits are its own one
// and those of its edges.
func (ns *nodes) blend(i uint32, n *node, visits int) {
	e := ns.cached(i, n)
	if e == nil {
		return
	}
	share := e.share(visits, ns.cache.least)
	e.blend(&n.avg, share)
	v := ns.cache.value
	known := float64(e.avg.winLoss)*v.u.WinLossFactor + float64(e.avg.noResult)*v.u.NoResultForWhite +
		v.ofScore(float64(e.avg.scoreMean), n.avg.stdev())
	n.charge(share * (known - n.utility))
}

// save puts into the cache the nodes of the tree that have visits enough. forced says that
// the game is over at the root.
func (ns *nodes) save(forced bool) {
	c := &ns.cache
	if !c.active {
		return
	}
	for i := uint32(1); i < ns.a.nodeCount; i++ {
		n := ns.a.node(i)
		if float64(n.visits) < c.least || !n.is(flagEvaluated) || n.is(flagForced|flagTerminal) || i == ns.root && forced {
			continue
		}
		key := c.key(ns.graph.hashes.get(i))
		old := c.evals.find(key)
		if old != nil && float32(n.visits) < old.visits*0.75 {
			continue
		}
		c.evals.put(key, ns.summary(i, n, old))
	}
}

// summary is what is known of a node once it has been searched, after what was known
// before.
func (ns *nodes) summary(i uint32, n *node, old *cachedEval) *cachedEval {
	e := &cachedEval{}
	if old != nil {
		*e = *old
		e.moves = slices.Clone(old.moves)
	}
	edges := ns.a.edgesOf(n)
	for k := range edges {
		c := ns.a.node(edges[k].child)
		if float64(c.visits) >= ns.cache.least {
			e.with(cachedMove{edges[k].move, c.avg.winLoss, c.avg.scoreMean, float32(c.visits)})
		}
	}
	if i != ns.root || !ns.passMatters(n, edges) {
		e.avg, e.visits = n.avg, float32(n.visits)
	}
	return e
}

// passMatters reports whether a pass is among the best moves of the root or has many of
// its visits. The root treats passes in a way of its own.
func (ns *nodes) passMatters(n *node, edges []edge) bool {
	var all, passes int64
	best, pass := math.Inf(-1), math.Inf(-1)
	for k := range edges {
		u := n.sign() * ns.a.node(edges[k].child).utility
		all += int64(edges[k].visits)
		best = max(best, u)
		if edges[k].move == board.Pass {
			passes, pass = int64(edges[k].visits), u
		}
	}
	return passes*8 >= all || pass+0.05 >= best
}

// bestCached looks at the known moves of a node that have no edge yet. It returns
// the one whose selection value is the highest, if it is above best, and that value.
// policy is the human one if moves are selected by it, else nil; special says that the
// root's own exceptions hold.
func (sel *selector) bestCached(i uint32, n *node, x *explorer, policy humanBits, special bool, best float64) (move board.Point, score float64) {
	move, score = board.NoPoint, best
	e := sel.nodes.cache.of(i)
	if e == nil || n.is(flagForced) || special && sel.futileNew(n) {
		return move, score
	}
	for _, m := range e.moves {
		place := sel.nodes.placeOf(n, m.move)
		if place < 0 {
			continue
		}
		h := float64(sel.nodes.a.priorOf(n, place))
		if policy != nil {
			h = policy.at(sel.sh.size.Index(m.move))
		}
		if h < 0 {
			continue
		}
		u := float64(m.winLoss)*sel.sh.value.u.WinLossFactor + sel.sh.value.ofScore(float64(m.scoreMean), 0)
		if special {
			h, u = sel.p.Root.widen(h, u, x.sign, sel.rng)
		}
		if s := x.score(u, 0, h); s > score {
			move, score = m.move, s
		}
	}
	return move, score
}

// placeOf returns the place of a move among the priors of a node that have no edge
// yet, -1 if it is not there.
func (ns *nodes) placeOf(n *node, move board.Point) int {
	for k := int(n.edgeCount); k < int(n.priorCount); k++ {
		if p, _ := ns.a.priorAt(n, k); p == move {
			return k
		}
	}
	return -1
}

// promote makes a move the next one to get an edge, where there is one; else the place
// of an edge stays chosen.
func (ns *nodes) promote(n *node, move board.Point, at int) int {
	if move == board.NoPoint {
		return at
	}
	if p, _ := ns.a.priorAt(n, int(n.edgeCount)); p != move {
		ns.bringForward(n, move)
		n.flags |= flagUnsorted
	}
	return selectNew
}
