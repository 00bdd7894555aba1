package search

import "math"

// before is an edge's contribution to the averages of the edge's parent, before the edge's child
// changed.
type before struct {
	weight           float64 // edge weight times mult
	utility, squared float64
	avg              outcome
	square           float64 // (weight/child's weight)^2 * child's weightSq
}

// snapshot returns the edge's contribution to its parent's averages.
func snapshot(e *edge, child *node) before {
	b := before{weight: float64(e.weight) * float64(e.mult)}
	if b.weight == 0 {
		return b
	}
	b.utility, b.squared, b.avg = child.utility, child.utilitySq, child.avg
	share := b.weight / child.weight
	b.square = share * share * child.weightSq
	return b
}

// exactVisits is the number of visits below which a node averages all its children each time.
const exactVisits = 64

// settle updates a node's averages after an edge got visits or the edge's child changed. At
// intervals it averages all children, else it applies that edge's change. The node's visits must be
// counted already.
func (ns *nodes) settle(i uint32, changed *edge, old *before) {
	n := ns.a.node(i)
	b := &ns.p.Backup
	n.sinceExact++
	if b.ExactShare == 0 || n.visits < exactVisits || int(n.sinceExact)*b.ExactShare >= int(n.visits) ||
		n.sinceExact == math.MaxUint16 || changed == nil {
		ns.rebuild(i)
		return
	}
	ns.adjust(n, changed, old)
}

// adjust replaces an edge's contribution to the averages. It uses edge.mult as rebuild last set it.
func (ns *nodes) adjust(n *node, e *edge, old *before) {
	child := ns.a.node(e.child)
	now := snapshot(e, child)
	w := n.weight + now.weight - old.weight
	if w <= 0 {
		return
	}
	sum := func(mean, was, is float64) float64 {
		return (mean*n.weight + is*now.weight - was*old.weight) / w
	}
	n.utility = sum(n.utility, old.utility, now.utility)
	n.utilitySq = max(sum(n.utilitySq, old.squared, now.squared), n.utility*n.utility)
	a, o, c := &n.avg, &old.avg, &now.avg
	a.winLoss = float32(sum(float64(a.winLoss), float64(o.winLoss), float64(c.winLoss)))
	a.noResult = float32(sum(float64(a.noResult), float64(o.noResult), float64(c.noResult)))
	a.scoreMean = float32(sum(float64(a.scoreMean), float64(o.scoreMean), float64(c.scoreMean)))
	a.scoreMeanSq = float32(sum(float64(a.scoreMeanSq), float64(o.scoreMeanSq), float64(c.scoreMeanSq)))
	a.lead = float32(sum(float64(a.lead), float64(o.lead), float64(c.lead)))
	n.weightSq = max(0, n.weightSq+now.square-old.square)
	n.weight = w
}

// sums adds up weighted outcomes.
type sums struct {
	utility, utilitySq                              float64
	winLoss, noResult, scoreMean, scoreMeanSq, lead float64
}

func (s *sums) add(w float64, o *outcome) {
	s.winLoss += w * float64(o.winLoss)
	s.noResult += w * float64(o.noResult)
	s.scoreMean += w * float64(o.scoreMean)
	s.scoreMeanSq += w * float64(o.scoreMeanSq)
	s.lead += w * float64(o.lead)
}

// rebuild computes a node's averages from its own evaluation and all children. Nodes without an
// evaluation and ends of the game stay as they are.
func (ns *nodes) rebuild(i uint32) {
	n := ns.a.node(i)
	if !n.is(flagEvaluated) || n.is(flagTerminal) {
		return
	}
	n.sinceExact = 0
	edges := ns.a.edgesOf(n)
	original, total := ns.weighChildren(n, edges)

	var s sums
	squares := 0.0
	k := 0
	for j := range edges {
		e := &edges[j]
		if e.weight <= 0 {
			e.mult = 0
			continue
		}
		w := ns.children[k].weight
		k++
		e.mult = float32(w / float64(e.weight))
		c := ns.a.node(e.child)
		s.utility += w * c.utility
		s.utilitySq += w * c.utilitySq
		s.add(w, &c.avg)
		share := w / c.weight
		squares += share * share * c.weightSq
	}

	own := float64(n.ownUtility)
	if n.bias.entry != 0 {
		own += ns.bias.update(n, original, s.utility, total)
	}
	w0 := float64(n.ownWeight)
	s.utility += w0 * own
	s.utilitySq += w0 * own * own
	s.add(w0, &n.own)
	n.weight = total + w0
	n.weightSq = squares + w0*w0
	n.setAverages(&s)
	n.charge(ns.repeats.of(i))
}

// charge shifts a node's average utility and keeps its variance.
func (n *node) charge(by float64) {
	if by != 0 {
		was := n.utility
		n.utility += by
		n.utilitySq += n.utility*n.utility - was*was
	}
}

func (n *node) setAverages(s *sums) {
	r := 1 / n.weight
	n.utility, n.utilitySq = s.utility*r, s.utilitySq*r
	n.avg = outcome{
		winLoss:     float32(s.winLoss * r),
		noResult:    float32(s.noResult * r),
		scoreMean:   float32(s.scoreMean * r),
		scoreMeanSq: float32(s.scoreMeanSq * r),
		lead:        float32(s.lead * r),
	}
}

// weighChildren fills ns.children with the weights of a node's children in its averages;
// children without weight are left out. It returns the sums of the weights before and after
// noise pruning and value weighting.
func (ns *nodes) weighChildren(n *node, edges []edge) (original, total float64) {
	ns.children = ns.children[:0]
	sign := n.sign()
	// Selection has just refreshed the edges. Children may have changed since, which matters only if
	// results must be exact (ExactShare 0).
	refresh := ns.p.Graph.Use && ns.p.Backup.ExactShare == 0
	for j := range edges {
		e := &edges[j]
		if refresh {
			e.refresh(ns.a.node(e.child))
		}
		if e.weight <= 0 {
			continue
		}
		w := float64(e.weight)
		original += w
		ns.children = append(ns.children, child{
			weight:  w,
			utility: sign * float64(e.utility),
			prior:   max(leastPrior, float64(e.prior)),
		})
	}
	total = original
	if len(ns.children) < 2 || ns.keepWeights {
		return original, total
	}
	b := &ns.p.Backup
	if b.UseNoisePruning {
		total = pruneNoise(ns.children, b.NoisePruneUtilityScale, b.NoisePruningCap)
	}
	if b.ValueWeightExponent > 0 {
		weighByValue(ns.children, total, b.ValueWeightExponent)
	}
	return original, total
}

// addOwn adds the node's own evaluation to its averages as a visit with the given weight: for a new
// node, at the end of a game, and if no move is allowed.
func (ns *nodes) addOwn(i uint32, weight float64) {
	n := ns.a.node(i)
	u := float64(n.ownUtility)
	if !n.is(flagTerminal) && n.bias.entry != 0 {
		u += ns.bias.correction(n)
	}
	u += ns.repeats.of(i)
	s := sums{utility: n.utility * n.weight, utilitySq: n.utilitySq * n.weight}
	s.add(n.weight, &n.avg)
	s.utility += weight * u
	s.utilitySq += weight * u * u
	s.add(weight, &n.own)
	n.weight += weight
	n.weightSq += weight * weight
	n.visits++
	n.setAverages(&s)
}

// exactRoot recomputes the root's averages from all children, if they were updated by
// differences. A root without moves keeps its averages.
func (ns *nodes) exactRoot() {
	if ns.root != 0 && ns.p.Backup.ExactShare > 0 && ns.a.node(ns.root).edgeCount > 0 {
		ns.rebuild(ns.root)
	}
}
