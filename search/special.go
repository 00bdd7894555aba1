package search

import (
	"math"
	"math/rand/v2"

	"kosumi/board"
)

// plainRoot reports whether moves at the root are selected like everywhere else.
func (t *Tree) plainRoot() bool {
	r := &t.p.Root
	return !t.top.hasBonus && r.WideNoise == 0 && r.DesiredPerChildVisitsCoeff == 0 && t.p.Stop.FutileVisitsThreshold == 0
}

// selectSpecial is selectMove with what holds only at the root (ending bonus,
// futile moves, forced visits and wide noise) and only against mirror Go.
func (t *Tree) selectSpecial(i uint32, n *node, edges []edge, x *explorer) int {
	root := i == t.nodes.root
	best, at := math.Inf(-1), selectNone
	radius := t.sh.value.radius()
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
				u += t.top.bonusUtility(e.move, &t.nodes.a.node(e.child).avg, &t.sh.value)
			}
		}
		if e.inFlight != 0 {
			u, w = t.p.VirtualLoss.lose(u, w, e.inFlight, x.sign, radius)
		}
		if s := t.specialScore(n, e, x, float64(e.prior), u, w, total, root); s > best {
			best, at = s, k
		}
	}
	return t.orNew(i, n, x, best, at)
}

// specialScore is the selection value of an edge with a prior, a utility and a
// weight.
func (t *Tree) specialScore(n *node, e *edge, x *explorer, prior, utility, weight, total float64, root bool) float64 {
	if root {
		switch k := t.p.Root.DesiredPerChildVisitsCoeff; {
		case t.p.Stop.FutileVisitsThreshold > 0 && t.futile(n, e):
			return futileScore
		case k > 0 && prior > 0 && weight < math.Sqrt(k*prior*total):
			return forcedScore
		}
		prior, utility = t.p.Root.widen(prior, utility, x.sign, t.rng)
	}
	if c := &t.counter; c.on {
		prior = float64(c.prior(e.move, float32(prior)))
		gain := x.sign * (utility - n.utility)
		utility += x.sign * c.bonus(e.move, gain, n.utility, weight, total)
	}
	return x.score(utility, weight, prior)
}

// orNew returns the place of the best edge, or selectNew if the best move without
// one scores more.
func (t *Tree) orNew(i uint32, n *node, x *explorer, best float64, at int) int {
	root, known := i == t.nodes.root, board.NoPoint
	if t.nodes.cache.active {
		known, best = t.bestCached(i, n, x, t.nodes.ownPrior(n), root, best)
	}
	prior, ok := t.nodes.nextPrior(n)
	place := int(n.edgeCount)
	if t.counter.on {
		place, prior, ok = t.counter.next(t, n)
	}
	if !ok {
		return t.nodes.promote(n, known, at)
	}
	u := x.fpu
	if root {
		prior, u = t.p.Root.widen(prior, u, x.sign, t.rng)
	}
	if x.score(u, 0, prior) <= best || root && t.futileNew(n) {
		return t.nodes.promote(n, known, at)
	}
	p, _ := t.nodes.a.priorAt(n, place)
	return t.nodes.promote(n, p, at)
}

const (
	forcedScore = 1e20
	futileScore = -1e40
)

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
