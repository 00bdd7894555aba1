package search

import (
	"cmp"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/thinking"
)

// result reports on the tree as it is. It is made anew each time, so that
// readers may keep it.
func (t *Tree) result(final bool) *Result {
	r := &Result{Analysis: thinking.Analysis{Size: t.sh.size, ToMove: t.base.ToMove()}, Turn: t.base.NumMoves(), Final: final,
		Stats: t.search.stats, Stop: t.search.stop, choice: t.p.Choice}
	r.Stats.Nodes, r.Stats.Bytes = int64(t.nodes.a.nodeCount)-1, t.nodes.used()
	if t.nodes.root == 0 || !t.nodes.a.node(t.nodes.root).is(flagEvaluated) {
		return r
	}
	area := t.sh.size.Area()
	moves := t.candidates(nil, t.nodes.root)
	r.Policy = slices.Clone(t.top.out.Policy[:area+1])
	r.Root = t.rootInfo(moves)
	if t.top.human != nil {
		r.Human = humanInfo(&t.top.humanOut, area)
	}
	r.options = t.humanOptions(moves)
	if len(moves) == 0 && r.options == nil {
		r.options = t.unsearched()
	}
	if t.gumbel.active {
		r.Improved = t.gumbel.improved()
	}
	white := t.base.ToMove() == board.White
	if t.sh.limits.Ownership {
		r.Ownership, r.OwnershipStdev = t.nodes.owners(t.nodes.root, white)
	}
	for k := range moves {
		r.Moves = append(r.Moves, t.moveInfo(&moves[k], white))
	}
	slices.SortStableFunc(r.Moves, func(a, b thinking.Move) int { return compareMoves(&a, &b) })
	searched := len(r.Moves)
	if t.p.Root.SymmetryPruning {
		r.Moves = t.top.addCopies(r.Moves)
	}
	if missing := t.sh.limits.MinMoves - searched; missing > 0 && searched > 0 {
		r.Unsearched = t.unsearchedMoves(r.Moves, missing)
	}
	for k := range r.Moves {
		r.Moves[k].Order = k
	}
	return r
}

// compareMoves sorts moves: those that were searched first, then by what is chosen by.
func compareMoves(a, b *thinking.Move) int {
	return cmp.Or(cmp.Compare(min(1, b.EdgeVisits), min(1, a.EdgeVisits)), cmp.Compare(b.Selection, a.Selection),
		cmp.Compare(b.EdgeVisits, a.EdgeVisits), cmp.Compare(b.Prior, a.Prior))
}

// view turns White's values into those of the side to move at the root.
func (t *Tree) view() float64 { return t.nodes.a.node(t.nodes.root).sign() }

func (t *Tree) moveInfo(m *candidate, white bool) thinking.Move {
	c := t.nodes.a.node(m.edge.child)
	s := t.view()
	v := thinking.Move{
		Move: m.edge.move, SymmetryOf: board.NoPoint, Prior: m.edge.prior,
		Visits: int64(m.visits), EdgeVisits: int64(m.edge.visits),
		Weight: m.weightFull, EdgeWeight: m.weight, Selection: m.value,
	}
	radius := t.sh.value.radius()
	avg := c.avg
	if m.visits == 0 {
		avg = t.nodes.a.node(t.nodes.root).avg // nothing is known but what the parent is worth
	}
	v.Value = valueOf(&avg, s)
	v.Utility = s * m.utility
	if m.visits > 0 {
		v.Utility = s * c.utility
	}
	v.UtilityLCB = m.lcb
	v.LCB = v.Winrate - m.below/2*t.sh.value.u.WinLossFactor/max(radius, 1e-20)
	v.PV, v.PVVisits, v.PVEdgeVisits, v.PVEndsPhase = t.variation(m.edge)
	if t.sh.limits.MovesOwnership {
		v.Ownership, v.OwnershipStdev = t.nodes.owners(m.edge.child, white)
	}
	return v
}

// valueOf returns what an outcome is worth in the view s, but for its utility.
func valueOf(o *outcome, s float64) thinking.Value {
	return thinking.Value{
		Winrate: 0.5 + 0.5*s*float64(o.winLoss), NoResult: float64(o.noResult),
		Lead: s * float64(o.lead), ScoreMean: s * float64(o.scoreMean), ScoreStdev: o.stdev(),
	}
}

// rootInfo averages the moves by what they are chosen by, without LCB, and the
// root's own evaluation.
func (t *Tree) rootInfo(moves []candidate) thinking.Root {
	n := t.nodes.a.node(t.nodes.root)
	s := t.view()
	info := thinking.Root{Hash: t.game.Hash(), Visits: int64(n.visits), Weight: n.weight,
		TreeWinLoss: s * float64(n.avg.winLoss), TreeLead: s * float64(n.avg.lead), Raw: rawInfo(&t.top.out, t.sh.size.Area())}
	weight := float64(n.ownWeight)
	var all sums
	all.utility = weight * float64(n.ownUtility)
	all.add(weight, &n.own)
	for k := range moves {
		m := &moves[k]
		if m.weight <= 0 || m.plain <= 0 {
			continue
		}
		c := t.nodes.a.node(m.edge.child)
		weight += m.plain
		all.utility += m.plain * c.utility
		all.add(m.plain, &c.avg)
	}
	mean := node{weight: weight}
	mean.setAverages(&all)
	info.Value = valueOf(&mean.avg, s)
	info.Utility = s * mean.utility
	return info
}

// variation follows the best moves after a move at the root, until a clean-up phase
// begins.
func (t *Tree) variation(e edge) (pv []board.Point, visits, edgeVisits []int64, endsPhase bool) {
	pv, visits, edgeVisits = t.principal(e)
	if !t.p.Root.LooseImages {
		pv = pv[:withinBans(t.bans, t.base.ToMove(), pv)]
	}
	n, endsPhase := t.untilPhaseEnd(pv)
	return pv[:n], visits[:n], edgeVisits[:n], endsPhase
}

// principal follows the best moves below an edge.
func (t *Tree) principal(e edge) (pv []board.Point, visits, edgeVisits []int64) {
	const longest = 64
	var moves []candidate
	for len(pv) < longest {
		n := t.nodes.a.node(e.child)
		pv = append(pv, e.move)
		visits, edgeVisits = append(visits, int64(n.visits)), append(edgeVisits, int64(e.visits))
		if n.edgeCount == 0 || n.is(flagTerminal) {
			break
		}
		moves = t.candidates(moves, e.child)
		best := 0
		for k := range moves {
			if moves[k].value > moves[best].value {
				best = k
			}
		}
		if moves[best].value <= 0 {
			break
		}
		e = moves[best].edge
	}
	return pv, visits, edgeVisits
}

// untilPhaseEnd returns how many moves of a variation are made until a clean-up
// phase begins, which games as people play them do not have, and whether one does.
func (t *Tree) untilPhaseEnd(pv []board.Point) (n int, begins bool) {
	if t.base.Rules().Scoring != board.ScoringTerritory || !t.game.Options().PreventEncore || !slices.Contains(pv, board.Pass) {
		return len(pv), false
	}
	g := &t.scratch.line
	g.CopyFrom(&t.base)
	for k, p := range pv {
		if g.PlayTolerant(g.ToMove(), p) != nil {
			return max(1, k), false
		}
		if g.Phase() != t.base.Phase() {
			return k + 1, true
		}
	}
	return len(pv), false
}

// passIsEarly reports whether, under territory rules, a neutral point is as good
// as passing, since the points are asked for at the end.
func (t *Tree) passIsEarly(moves []candidate) bool {
	g := &t.base
	if !t.p.Pass.FillDameBefore || g.Rules().Scoring != board.ScoringTerritory || g.Phase() != 0 || !t.top.out.HasOwnership {
		return false
	}
	at := slices.IndexFunc(moves, func(m candidate) bool { return m.edge.move == board.Pass })
	if at < 0 || moves[at].weight <= 0 {
		return false
	}
	pass := &moves[at]
	s := t.view()
	avg := t.nodes.a.node(pass.edge.child).avg
	for k := range moves {
		m := &moves[k]
		if k == at || m.weight <= 0 || m.edge.visits <= 500 && m.weight <= 2*math.Sqrt(pass.weight) || !t.top.neutral(m.edge.move) {
			continue
		}
		c := t.nodes.a.node(m.edge.child).avg
		if s*(m.utility-pass.utility) > -0.1 && s*float64(c.scoreMean-avg.scoreMean) > -0.5 && s*float64(c.lead-avg.lead) > -0.5 {
			return true
		}
	}
	return false
}
