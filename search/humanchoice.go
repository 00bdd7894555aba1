package search

import (
	"math"

	"kosumi/board"
)

// option is a move with the value by which it is chosen.
type option struct {
	move    board.Point
	value   float64
	utility float64 // from the view of the side to move at the root; NaN if not searched
}

// imitates reports whether the human policy has a share in the choice at a node.
func (ch *chooser) imitates(i uint32, n *node) bool {
	return ch.sh.human.eval != nil && ch.p.Human.ChosenShare > 0 && ch.selector.humanOf(i, n) != nil
}

// imitate mixes the human policy into the values by which a node's moves are chosen, both those
// with LCB and those without. It returns false if the human policy has no share.
func (ch *chooser) imitate(moves []candidate, i uint32, n *node) bool {
	if len(moves) == 0 || !ch.imitates(i, n) {
		return false
	}
	for k := range moves {
		moves[k].unmixed = moves[k].value
	}
	early := i == ch.nodes.root && ch.passIsEarly(moves)
	mixed := ch.options(moves, false)
	ch.p.Human.share(mixed, ch.selector.humanOf(i, n), ch.sh.size, early)
	for k := range moves {
		moves[k].value = mixed[k].value
		mixed[k].value = moves[k].plain
	}
	ch.p.Choice.settle(mixed, moves)
	ch.p.Human.share(mixed, ch.selector.humanOf(i, n), ch.sh.size, early)
	for k := range moves {
		moves[k].plain = mixed[k].value
	}
	return true
}

// options lists the moves of a node with the values by which they are chosen. If all is true, the
// node must be the root, and every other legal move follows.
func (ch *chooser) options(moves []candidate, all bool) []option {
	list := make([]option, 0, len(moves)+ch.sh.size.Area()+1)
	sign := ch.nodes.view()
	for k := range moves {
		m := &moves[k]
		o := option{move: m.edge.move, value: m.unmixed, utility: math.NaN()}
		if c := ch.nodes.a.node(m.edge.child); c.visits > 0 && c.weight > 0 {
			o.utility = sign * c.utility
		}
		list = append(list, o)
	}
	ch.p.Choice.settle(list, moves)
	if !all {
		return list
	}
	edges := ch.nodes.a.edgesOf(ch.nodes.a.node(ch.nodes.root))
	for i := range ch.sh.size.Area() + 1 {
		p := ch.sh.size.FromIndex(i)
		if ch.rules.human.at(i) >= 0 && ch.rules.allowed(p) && !hasMove(edges, p) {
			list = append(list, option{move: p, utility: math.NaN()})
		}
	}
	return list
}

// humanOptions lists all moves that may be chosen at the root. It returns nil if the human policy
// has no share in the choice.
func (ch *chooser) humanOptions(moves []candidate) []option {
	if !ch.imitates(ch.nodes.root, ch.nodes.a.node(ch.nodes.root)) {
		return nil
	}
	list := ch.options(moves, true)
	if len(moves) == 0 { // nothing was searched: use the main policy
		for k := range list {
			list[k].value = max(0, float64(ch.rules.out.Policy[ch.sh.size.Index(list[k].move)]))
		}
	}
	ch.p.Human.share(list, ch.rules.human, ch.sh.size, ch.passIsEarly(moves))
	return list
}

// settle replaces the values by the priors if no move has a value, then drops values too small to trust.
func (c *Choice) settle(list []option, moves []candidate) {
	if most(list) <= leastValue {
		for k := range moves {
			list[k].value = max(0, float64(moves[k].edge.prior))
		}
	}
	top := most(list)
	for k := range moves {
		list[k].value = c.trusted(list[k].value, top)
	}
}

// share mixes the human policy into the values of list. The policy gets ChosenShare of the values'
// sum, in proportion to policy * exp(utility/PiklLambda).
func (h *Human) share(list []option, policy humanBits, size board.Size, passIsEarly bool) {
	mean, best, searched := 0.0, math.Inf(-1), 0
	for k := range list {
		if u := list[k].utility; !math.IsNaN(u) {
			mean += u
			best = max(best, u)
			searched++
		}
	}
	if searched > 0 {
		mean /= float64(searched)
	}
	best = max(best, mean)
	wish := make([]float64, len(list))
	sum, noPass := 0.0, 0.0
	total, totalNoPass := 0.0, 0.0
	for k := range list {
		o := &list[k]
		u := o.utility
		if math.IsNaN(u) {
			u = mean
		}
		wish[k] = max(0, policy.at(size.Index(o.move)))
		if o.move == board.Pass && passIsEarly {
			wish[k] = 0
		}
		wish[k] *= math.Exp((u - best) / h.PiklLambda)
		sum += wish[k]
		total += o.value
		if o.move != board.Pass {
			totalNoPass += o.value
		}
	}
	if !(sum > 0) {
		return
	}
	for k := range wish {
		wish[k] /= sum
		if list[k].move != board.Pass {
			noPass += wish[k]
		}
	}
	if h.IgnorePass && noPass > 0 {
		for k := range wish {
			if list[k].move == board.Pass {
				wish[k] = (total - totalNoPass) / total
			} else {
				wish[k] *= totalNoPass / total / noPass
			}
		}
	}
	for k := range list {
		list[k].value += h.ChosenShare * (total*wish[k] - list[k].value)
	}
}
