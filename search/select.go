package search

import (
	"math"
	"math/rand/v2"

	"kosumi/board"
)

// selector chooses the move to descend through at a node, by PUCT or the human policy; at the root
// and against mirror Go, special rules apply. Each step of a descent calls it.
type selector struct {
	parts
	rng     *rand.Rand
	gumbel  gumbelState
	counter counter
	decide  func() selection // replaces the random draw in tests
}

// Results of selection other than indices of edges.
const (
	selectNew  = -1 // the best move has no edge yet
	selectNone = -2 // no move is allowed
)

// choose selects a move by the search's policy or the human one. If a pass would end the phase, it
// calls probe, so that both the pass and some other move are visited.
func (sel *selector) choose(s *slot, i uint32, n *node) (place int, kind visitKind) {
	ns := sel.nodes
	edges := ns.a.edgesOf(n)
	if sel.p.Graph.Use {
		for k := range edges {
			edges[k].refresh(ns.a.node(edges[k].child))
		}
	}
	if i == ns.root && sel.gumbel.active {
		return sel.gumbel.next(sel.tally.stats.Playouts + int64(sel.tally.inFlight)), counted
	}
	sel.counter.follow(sel.sh, s)
	if f := sel.sh.limits.Focus; f != nil && i == ns.root {
		if move := sel.drawFocus(f.Load()); move != board.NoPoint {
			if place, ok := sel.selectFocus(n, edges, move); ok {
				return place, focused
			}
		}
	}
	switch how := sel.drawSelection(i, n); how {
	case ordinary:
		place = sel.selectMove(i, n, edges)
	case humanWeightless:
		kind = weightlessHuman
		fallthrough
	default:
		place = sel.selectHuman(i, n, edges, how)
	}
	if sel.p.Pass.MoreHacks && n.is(flagPassEnds) && place != selectNone && !restricts(sel.sh.position.bans, n.toMove()) {
		if other, ok := sel.probe(n, edges, place); ok {
			return other, probe
		}
	}
	return place, kind
}

// probe replaces the selected move by one without an edge, to be visited without weight: by the pass or, if
// the pass has the only edge, by the best other move. It returns false if the selected move stays.
func (sel *selector) probe(n *node, edges []edge, place int) (int, bool) {
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
			if p, _ := sel.nodes.a.priorAt(n, int(n.edgeCount)); p == board.Pass {
				return 0, false
			}
		}
		return selectNew, sel.nodes.bringForward(n, board.Pass)
	}
	if len(edges) == 1 && place == 0 {
		_, ok := sel.nodes.nextPrior(n)
		return selectNew, ok
	}
	return 0, false
}

// selectMove returns the place of the edge to descend through, selectNew or
// selectNone. Ties go to the edge that was created first, and to edges before
// the new move.
func (sel *selector) selectMove(i uint32, n *node, edges []edge) int {
	ns := sel.nodes
	root := i == ns.root
	x := sel.explorer(n, edges, root)
	if root && !sel.plainRoot() || sel.counter.on {
		return sel.selectSpecial(i, n, edges, &x)
	}
	best, at := math.Inf(-1), selectNone
	radius := sel.sh.value.radius()
	for k := range edges {
		e := &edges[k]
		if e.prior < 0 {
			continue
		}
		u, w := float64(e.utility), float64(e.weight)
		if w <= 0 {
			u = x.fpu
		}
		if e.inFlight != 0 {
			u, w = sel.p.VirtualLoss.lose(u, w, e.inFlight, x.sign, radius)
		}
		if s := x.score(u, w, float64(e.prior)); s > best {
			best, at = s, k
		}
	}
	if prior, ok := ns.nextPrior(n); ok && x.score(x.fpu, 0, prior) > best {
		return selectNew
	}
	return at
}

// explorer holds the parts of the PUCT formula that are the same for all moves
// of a node.
type explorer struct {
	sign  float64 // turns White's utilities into the mover's
	scale float64 // K: the exploration term is K * prior/(1+weight)
	fpu   float64 // White's utility of a move without visits
}

// explorationScale returns K = c(w)*sqrt(w+offset)*f: w is the weight of all
// children, c grows with its logarithm, and f follows the spread of utility
// below the node.
func (p *PUCT) explorationScale(childWeight, stdevFactor float64) float64 {
	c := p.Exploration
	if p.ExplorationLog != 0 {
		c += p.ExplorationLog * math.Log((childWeight+p.ExplorationBase)/p.ExplorationBase)
	}
	return c * math.Sqrt(childWeight+p.ParentOffset) * stdevFactor
}

// stdevFactor returns f: 1 if the utility below a node varies as much as expected, less if it
// varies less.
func (p *PUCT) stdevFactor(weight, utility, utilitySq float64) float64 {
	if p.UtilityStdevScale == 0 {
		return 1
	}
	stdev := p.UtilityStdevPrior
	if weight > 1 {
		square := utility * utility
		utilitySq = max(utilitySq, square)
		prior := p.UtilityStdevPrior * p.UtilityStdevPrior
		mean := ((square+prior)*p.UtilityStdevPriorWeight + utilitySq*weight) / (p.UtilityStdevPriorWeight + weight - 1)
		stdev = math.Sqrt(max(0, mean-square))
	}
	return 1 + p.UtilityStdevScale*(stdev/p.UtilityStdevPrior-1)
}

// utility returns the assumed value of an unvisited move, in White's view: mass is the sum of the
// priors of all moves with an edge, sign is explorer.sign, radius the largest possible utility.
func (f *FPU) utility(n *node, mass, sign, radius float64, root, noise bool) float64 {
	if f.Zero {
		return 0
	}
	own := float64(n.ownUtility)
	base := f.ParentWeight*own + (1-f.ParentWeight)*n.utility
	if f.ParentWeightByVisitedPolicy {
		a := mass
		if f.ParentWeightByVisitedPolicyPow == 2 {
			a *= a
		} else {
			a = math.Pow(a, f.ParentWeightByVisitedPolicyPow)
		}
		a = min(1, a)
		base = a*n.utility + (1-a)*own
	}
	reduction, lossProp := f.ReductionMax, f.LossProp
	if root {
		reduction, lossProp = f.RootReductionMax, f.RootLossProp
		if noise {
			reduction = 0
		}
	}
	fpu := base - sign*reduction*math.Sqrt(mass)
	return fpu + (-sign*radius-fpu)*lossProp
}

// explorer prepares the formula for a node.
func (sel *selector) explorer(n *node, edges []edge, root bool) explorer {
	p := sel.p
	var weight, mass float64
	for i := range edges {
		weight += float64(edges[i].weight)
		if p := edges[i].prior; p > 0 { // below 0: turned out illegal
			mass += float64(p)
		}
	}
	x := explorer{sign: n.sign()}
	f := p.PUCT.stdevFactor(n.weight, n.utility, n.utilitySq)
	x.scale = p.PUCT.explorationScale(weight, f)
	x.fpu = p.FPU.utility(n, mass, x.sign, sel.sh.value.radius(), root, p.Root.NoiseEnabled)
	return x
}

// score returns the selection value of a move, for its player: utility plus
// exploration.
func (x *explorer) score(utility, weight, prior float64) float64 {
	return x.sign*utility + x.scale*prior/(1+weight)
}

// lose mixes virtual losses into an edge: the inFlight descents below it count as lost games.
func (v *VirtualLoss) lose(utility, weight float64, inFlight uint16, sign, radius float64) (float64, float64) {
	k := float64(inFlight) * v.PerVisit
	share := k / (k + max(v.WeightFloor, weight))
	utility += (-sign*radius - utility) * share
	return utility, weight + k
}
