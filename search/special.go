package search

import (
	"math"
	"math/rand/v2"

	"kosumi/board"
)

// plainRoot reports whether moves at the root are selected like everywhere else.
func (sel *selector) plainRoot() bool {
	r := &sel.p.Root
	return !sel.rules.hasBonus && r.WideNoise == 0 && r.DesiredPerChildVisitsCoeff == 0 && sel.p.Stop.FutileVisitsThreshold == 0
}

// selectSpecial is selectMove with additional terms: at the root (ending bonus, futile moves, forced
// visits and wide noise), and everywhere against mirror Go.
func (sel *selector) selectSpecial(i uint32, n *node, edges []edge, x *explorer) int {
	root := i == sel.nodes.root
	best, at := math.Inf(-1), selectNone
	radius := sel.sh.value.radius()
	var total float64
	for k := range edges {
		total += float64(edges[k].weight)
	}
	for k := range edges {
		e := &edges[k]
		if e.prior < 0 {
			continue
		}
		u, w := x.fpu, float64(e.weight)
		if w > 0 {
			u = float64(e.utility)
			if root {
				u += sel.rules.bonusUtility(e.move, &sel.nodes.a.node(e.child).avg, &sel.sh.value)
			}
		}
		if e.inFlight != 0 {
			u, w = sel.p.VirtualLoss.lose(u, w, e.inFlight, x.sign, radius)
		}
		if s := sel.specialScore(n, e, x, float64(e.prior), u, w, total, root); s > best {
			best, at = s, k
		}
	}
	place := int(n.edgeCount)
	prior, ok := sel.nodes.nextPrior(n)
	if sel.counter.on {
		place, prior, ok = sel.counter.next(sel.nodes, n)
	}
	if !ok {
		return at
	}
	p, _ := sel.nodes.a.priorAt(n, place)
	return sel.orNew(n, x, p, prior, root, best, at)
}

// specialScore is the selection value of an edge with a prior, a utility and a
// weight.
func (sel *selector) specialScore(n *node, e *edge, x *explorer, prior, utility, weight, total float64, root bool) float64 {
	if root {
		switch k := sel.p.Root.DesiredPerChildVisitsCoeff; {
		case sel.p.Stop.FutileVisitsThreshold > 0 && sel.futile(n, e):
			return futileScore
		case k > 0 && prior > 0 && weight < math.Sqrt(k*prior*total):
			return forcedScore
		}
		prior, utility = sel.p.Root.widen(prior, utility, x.sign, sel.rng)
	}
	if c := &sel.counter; c.on {
		prior = float64(c.prior(e.move, float32(prior)))
		gain := x.sign * (utility - n.utility)
		utility += x.sign * c.bonus(e.move, gain, n.utility, weight, total)
	}
	return x.score(utility, weight, prior)
}

// orNew chooses between the best edge and a move without an edge. If the move scores higher than the
// edge's score (best), it becomes the next one to get an edge and orNew returns selectNew; otherwise
// orNew returns the edge's index (at). If root is true, the rules of the root apply.
func (sel *selector) orNew(n *node, x *explorer, move board.Point, prior float64, root bool, best float64, at int) int {
	u := x.fpu
	if root {
		prior, u = sel.p.Root.widen(prior, u, x.sign, sel.rng)
	}
	if x.score(u, 0, prior) <= best || root && sel.futileNew(n) {
		return at
	}
	return sel.nodes.promote(n, move)
}

const (
	forcedScore = 1e20
	futileScore = -1e40
)

// futile reports whether an edge of the root can no longer reach the required share of the
// heaviest edge's weight with the remaining visits.
func (sel *selector) futile(n *node, e *edge) bool {
	if sel.tally.target < 0 {
		return false
	}
	visits := float64(sel.nodes.a.node(e.child).visits)
	perVisit := n.weight / float64(n.visits)
	wanted := sel.p.Stop.FutileVisitsThreshold * sel.nodes.heaviest(n) * float64(e.visits+1) / (float64(e.weight) + perVisit)
	return visits+sel.tally.left() < wanted
}

// futileNew is like futile, for a move without an edge.
func (sel *selector) futileNew(n *node) bool {
	if sel.p.Stop.FutileVisitsThreshold <= 0 || sel.tally.target < 0 {
		return false
	}
	return sel.tally.left() < sel.p.Stop.FutileVisitsThreshold*sel.nodes.heaviest(n)/(n.weight/float64(n.visits))
}

func (ns *nodes) heaviest(n *node) float64 {
	w := 0.0
	for _, e := range ns.a.edgesOf(n) {
		w = max(w, float64(e.weight))
	}
	return w
}

// widen applies the noise that makes analysis look at more moves.
func (r *Root) widen(prior, utility, sign float64, rng *rand.Rand) (float64, float64) {
	q := r.WideNoise
	if q == 0 {
		return prior, utility
	}
	prior = math.Pow(prior, 1/(4*q+1))
	if rng.Uint64()&1 == 0 {
		utility += sign * q * math.Abs(rng.NormFloat64())
	}
	return prior, utility
}
