package search

import (
	"cmp"
	"slices"
	"sync/atomic"

	"kosumi/board"
	"kosumi/search/thinking"
)

// report makes results from the tree, and keeps the newest one for readers while a search runs.
type report struct {
	parts
	chooser   *chooser
	published atomic.Pointer[Result]
	line      board.Game // position at the end of a variation
}

// publish makes a result for readers, and returns it.
func (rep *report) publish(stats Stats, stop StopReason, final bool) *Result {
	r := rep.result(stats, stop, final)
	rep.published.Store(r)
	return r
}

// result describes the current tree. It is a new value each time, so readers may keep it.
func (rep *report) result(stats Stats, stop StopReason, final bool) *Result {
	r := &Result{Analysis: thinking.Analysis{Size: rep.sh.size, ToMove: rep.sh.position.base.ToMove()}, Turn: rep.sh.position.base.NumMoves(), Final: final,
		Stats: stats, Stop: stop, choice: rep.p.Choice}
	r.Stats.Nodes, r.Stats.Bytes = int64(rep.nodes.a.nodeCount)-1, rep.nodes.used()
	if rep.nodes.root == 0 || !rep.nodes.a.node(rep.nodes.root).is(flagEvaluated) {
		return r
	}
	area := rep.sh.size.Area()
	moves := rep.chooser.candidates(nil, rep.nodes.root)
	r.Policy = slices.Clone(rep.rules.out.Policy[:area+1])
	r.Root = rep.rootInfo(moves)
	if rep.rules.human != nil {
		r.Human = humanInfo(&rep.rules.humanOut, area)
	}
	r.options = rep.chooser.humanOptions(moves)
	if len(moves) == 0 && r.options == nil {
		r.options = rep.chooser.unsearched()
	}
	if rep.chooser.selector.gumbel.active {
		r.Improved = rep.chooser.selector.gumbel.improved()
	}
	white := rep.sh.position.base.ToMove() == board.White
	if rep.sh.limits.Ownership {
		r.Ownership, r.OwnershipStdev = rep.nodes.owners(rep.nodes.root, white)
	}
	for k := range moves {
		r.Moves = append(r.Moves, rep.moveInfo(&moves[k], white))
	}
	slices.SortStableFunc(r.Moves, func(a, b thinking.Move) int { return compareMoves(&a, &b) })
	searched := len(r.Moves)
	if rep.p.Root.SymmetryPruning {
		r.Moves = rep.rules.addCopies(r.Moves)
	}
	if missing := rep.sh.limits.MinMoves - searched; missing > 0 && searched > 0 {
		r.Unsearched = rep.unsearchedMoves(r.Moves, missing)
	}
	for k := range r.Moves {
		r.Moves[k].Order = k
	}
	return r
}

// compareMoves sorts moves: searched ones first, then by Selection.
func compareMoves(a, b *thinking.Move) int {
	return cmp.Or(cmp.Compare(min(1, b.EdgeVisits), min(1, a.EdgeVisits)), cmp.Compare(b.Selection, a.Selection),
		cmp.Compare(b.EdgeVisits, a.EdgeVisits), cmp.Compare(b.Prior, a.Prior))
}

func (rep *report) moveInfo(m *candidate, white bool) thinking.Move {
	c := rep.nodes.a.node(m.edge.child)
	s := rep.nodes.view()
	v := thinking.Move{
		Move: m.edge.move, SymmetryOf: board.NoPoint, Prior: m.edge.prior,
		Visits: int64(m.visits), EdgeVisits: int64(m.edge.visits),
		Weight: m.weightFull, EdgeWeight: m.weight, Selection: m.value,
	}
	radius := rep.sh.value.radius()
	avg := c.avg
	if m.visits == 0 {
		avg = rep.nodes.a.node(rep.nodes.root).avg // a move without visits shows the root's value
	}
	v.Value = valueOf(&avg, s)
	v.Utility = s * m.utility
	if m.visits > 0 {
		v.Utility = s * c.utility
	}
	v.UtilityLCB = m.lcb
	v.LCB = v.Winrate - m.below/2*rep.sh.value.u.WinLossFactor/max(radius, 1e-20)
	v.PV, v.PVVisits, v.PVEdgeVisits, v.PVEndsPhase = rep.variation(m.edge)
	if rep.sh.limits.MovesOwnership {
		v.Ownership, v.OwnershipStdev = rep.nodes.owners(m.edge.child, white)
	}
	return v
}

// valueOf converts an outcome to the view of the side with sign s; the utility is left out.
func valueOf(o *outcome, s float64) thinking.Value {
	return thinking.Value{
		Winrate: 0.5 + 0.5*s*float64(o.winLoss), NoResult: float64(o.noResult),
		Lead: s * float64(o.lead), ScoreMean: s * float64(o.scoreMean), ScoreStdev: o.stdev(),
	}
}

// rootInfo averages the root's own evaluation and the averages of the moves. A move weighs as much
// as its selection value before LCB.
func (rep *report) rootInfo(moves []candidate) thinking.Root {
	n := rep.nodes.a.node(rep.nodes.root)
	s := rep.nodes.view()
	info := thinking.Root{Visits: int64(n.visits), Weight: n.weight,
		TreeWinLoss: s * float64(n.avg.winLoss), TreeLead: s * float64(n.avg.lead), Raw: rawInfo(&rep.rules.out, rep.sh.size.Area())}
	weight := float64(n.ownWeight)
	var all sums
	all.utility = weight * float64(n.ownUtility)
	all.add(weight, &n.own)
	for k := range moves {
		m := &moves[k]
		if m.weight <= 0 || m.plain <= 0 {
			continue
		}
		c := rep.nodes.a.node(m.edge.child)
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
func (rep *report) variation(e edge) (pv []board.Point, visits, edgeVisits []int64, endsPhase bool) {
	pv, visits, edgeVisits = rep.principal(e)
	if !rep.p.Root.LooseImages {
		pv = pv[:withinBans(rep.sh.position.bans, rep.sh.position.base.ToMove(), pv)]
	}
	n, endsPhase := rep.untilPhaseEnd(pv)
	return pv[:n], visits[:n], edgeVisits[:n], endsPhase
}

// principal follows the best moves below an edge.
func (rep *report) principal(e edge) (pv []board.Point, visits, edgeVisits []int64) {
	const longest = 64
	var moves []candidate
	for len(pv) < longest {
		n := rep.nodes.a.node(e.child)
		pv = append(pv, e.move)
		visits, edgeVisits = append(visits, int64(n.visits)), append(edgeVisits, int64(e.visits))
		if n.edgeCount == 0 || n.is(flagTerminal) {
			break
		}
		moves = rep.chooser.candidates(moves, e.child)
		best := slices.MaxFunc(moves, func(a, b candidate) int { return cmp.Compare(a.value, b.value) })
		if best.value <= 0 {
			break
		}
		e = best.edge
	}
	return pv, visits, edgeVisits
}

// untilPhaseEnd returns how many moves of a variation are made until a clean-up phase begins, and
// whether one begins. It counts all moves if the game itself has such phases; games between people
// have none.
func (rep *report) untilPhaseEnd(pv []board.Point) (n int, begins bool) {
	if rep.sh.position.base.Rules().Scoring != board.ScoringTerritory || !rep.sh.position.game.Options().PreventEncore || !slices.Contains(pv, board.Pass) {
		return len(pv), false
	}
	g := &rep.line
	g.CopyFrom(&rep.sh.position.base)
	for k, p := range pv {
		if g.PlayTolerant(g.ToMove(), p) != nil {
			return max(1, k), false
		}
		if g.Phase() != rep.sh.position.base.Phase() {
			return k + 1, true
		}
	}
	return len(pv), false
}
