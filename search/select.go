package search

import (
	"math"

	"kosumi/board"
)

// explorer holds the parts of the PUCT formula that are the same for all moves
// of a node.
type explorer struct {
	sign  float64 // turns White's utilities into the mover's
	scale float64 // K: times prior/(1+weight) is what exploration is worth
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

// stdevFactor returns f: 1 where the utility below a node varies as much as
// expected, less where it varies less.
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

// utility returns what an unvisited move of a node is taken to be worth, in
// White's view: mass is the prior of all moves that have an edge, sign that of
// the node, radius the largest utility there is.
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
func (t *Tree) explorer(n *node, edges []edge, root bool) explorer {
	var weight, mass float64
	for i := range edges {
		weight += float64(edges[i].weight)
		if p := edges[i].prior; p > 0 { // below 0: turned out illegal
			mass += float64(p)
		}
	}
	x := explorer{sign: n.sign()}
	f := t.p.PUCT.stdevFactor(n.weight, n.utility, n.utilitySq)
	x.scale = t.p.PUCT.explorationScale(weight, f)
	x.fpu = t.p.FPU.utility(n, mass, x.sign, t.sh.value.radius(), root, t.p.Root.NoiseEnabled)
	return x
}

// score returns the selection value of a move, for its player: utility plus
// exploration.
func (x *explorer) score(utility, weight, prior float64) float64 {
	return x.sign*utility + x.scale*prior/(1+weight)
}

// lose mixes virtual losses into an edge: inFlight descents below it are taken
// to come back as lost games.
func (v *VirtualLoss) lose(utility, weight float64, inFlight uint16, sign, radius float64) (float64, float64) {
	k := float64(inFlight) * v.PerVisit
	if v.Form == LossWeight {
		share := k / (k + max(v.WeightFloor, weight))
		utility += (-sign*radius - utility) * share
	}
	return utility, weight + k
}

// Places that selection may return besides those of edges.
const (
	selectNew  = -1 // the best move that has no edge yet
	selectNone = -2 // no move is allowed here
)

// selectMove returns the place of the edge to descend through, selectNew or
// selectNone. Ties go to the edge that was created first, and to edges before
// the new move.
func (t *Tree) selectMove(i uint32, n *node, edges []edge) int {
	root := i == t.nodes.root
	x := t.explorer(n, edges, root)
	if root && !t.plainRoot() || t.counter.on {
		return t.selectSpecial(i, n, edges, &x)
	}
	best, at := math.Inf(-1), selectNone
	radius := t.sh.value.radius()
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
			u, w = t.p.VirtualLoss.lose(u, w, e.inFlight, x.sign, radius)
		}
		if s := x.score(u, w, float64(e.prior)); s > best {
			best, at = s, k
		}
	}
	known := board.NoPoint
	if t.nodes.cache.active {
		known, best = t.bestCached(i, n, &x, t.nodes.ownPrior(n), false, best)
	}
	if prior, ok := t.nodes.nextPrior(n); ok && x.score(x.fpu, 0, prior) > best {
		return selectNew
	}
	return t.nodes.promote(n, known, at)
}
