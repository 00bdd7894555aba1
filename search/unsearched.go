package search

import (
	"cmp"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/search/thinking"
)

// unsearchedMoves lists the n unsearched moves with the largest priors, and their symmetric
// copies, but no copies of searched moves. Their ownership is that of the root.
func (rep *report) unsearchedMoves(searched []thinking.Move, n int) []thinking.Move {
	top, policy := rep.rules, rep.rules.out.Policy[:rep.sh.size.Area()+1]
	done := map[board.Point]bool{}
	var rest []thinking.Move
	for _, m := range searched {
		done[m.Move] = m.SymmetryOf == board.NoPoint
	}
	for i, prior := range slices.Backward(policy) { // backwards, so that of equal priors the last wins
		if p := rep.sh.size.FromIndex(i); prior >= 0 && !done[p] && (rep.p.Root.LooseImages || top.position.allows(p)) {
			rest = append(rest, rep.unsearchedMove(p, prior))
		}
	}
	slices.SortStableFunc(rest, func(a, b thinking.Move) int { return cmp.Compare(b.Prior, a.Prior) })
	rest = rest[:min(n, len(rest))]
	if rep.sh.limits.MovesOwnership {
		own, stdev := rep.nodes.owners(rep.nodes.root, rep.sh.position.base.ToMove() == board.White)
		for i := range rest {
			rest[i].Ownership, rest[i].OwnershipStdev = own, stdev
		}
	}
	if !rep.p.Root.SymmetryPruning || len(top.symmetries) == 0 {
		return rest
	}
	for _, m := range searched {
		done[m.Move] = true
	}
	var all []thinking.Move
	identity := []board.Symmetry{0}
	for _, m := range rest {
		for _, k := range slices.Concat(identity, top.symmetries) {
			c := image(m, rep.sh.size, k)
			if done[c.Move] || !top.position.allows(c.Move) {
				continue
			}
			if done[c.Move] = true; c.Move == m.Move {
				c = m
			}
			all = append(all, c)
		}
	}
	return all
}

// unsearchedMove describes a root move without an edge: its utility is the value that the search
// assumes for such moves, and its score is that of the root.
func (rep *report) unsearchedMove(p board.Point, prior float32) thinking.Move {
	n := rep.nodes.a.node(rep.nodes.root)
	s, u := rep.nodes.view(), &rep.sh.value
	x := rep.chooser.selector.explorer(n, rep.nodes.a.edgesOf(n), true)
	v := thinking.Move{Move: p, SymmetryOf: board.NoPoint, Prior: prior, PV: []board.Point{p}, Value: valueOf(&n.avg, s)}
	v.NoResult = 0
	winLoss := 0.0
	if u.u.WinLossFactor == 1 {
		winLoss = min(max(float64(n.avg.winLoss)+x.fpu-n.utility, -1), 1)
	}
	v.Utility, v.Winrate = s*x.fpu, 0.5+0.5*s*winLoss
	v.LCB, v.UtilityLCB = v.Winrate, math.Copysign(0, s) // KataGo reports no bound here
	return v
}
