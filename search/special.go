package search

import (
	"math"
	"math/rand/v2"
)

// plainRoot tells whether moves at the root are selected like everywhere else.
func (t *Tree) plainRoot() bool {
	r := &t.p.Root
	return !t.top.hasBonus && r.WideNoise == 0 && r.DesiredPerChildVisitsCoeff == 0 && t.p.Stop.FutileVisitsThreshold == 0
}

// selectSpecial is selectMove with what holds only at the root (ending bonus,
// futile moves, forced visits and wide noise) and only against mirror Go.
func (t *Tree) selectSpecial(n *node, edges []edge, x *explorer, root bool) int {
	best, at := math.Inf(-1), selectNone
	radius := t.sh.value.radius()
	var total float64
	for i := range edges {
		total += float64(edges[i].weight)
	}
	for i := range edges {
		e := &edges[i]
		if e.prior < 0 {
			continue
		}
		u, w := x.fpu, float64(e.weight)
		if w > 0 {
			u = float64(e.utility)
			if root {
				u += t.top.bonusUtility(e.move, &t.a.node(e.child).avg, &t.sh.value)
			}
		}
		if e.inFlight != 0 {
			u, w = t.p.VirtualLoss.lose(u, w, e.inFlight, x.sign, radius)
		}
		if s := t.specialScore(n, e, x, float64(e.prior), u, w, total, root); s > best {
			best, at = s, i
		}
	}
	return t.orNew(n, edges, x, root, best, at)
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
func (t *Tree) orNew(n *node, edges []edge, x *explorer, root bool, best float64, at int) int {
	prior, ok := t.nextPrior(n)
	place := int(n.edgeCount)
	if t.counter.on {
		place, prior, ok = t.counter.next(t, n)
	}
	if !ok {
		return at
	}
	u := x.fpu
	if root {
		prior, u = t.p.Root.widen(prior, u, x.sign, t.rng)
	}
	if x.score(u, 0, prior) <= best || root && t.futileNew(n) {
		return at
	}
	if place != int(n.edgeCount) {
		p, _ := t.a.priorAt(n, place)
		t.bringForward(n, p)
		n.flags |= flagUnsorted
	}
	return selectNew
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
