package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"kosumi/board"
	"kosumi/nn"
)

// lcb returns the lower confidence bound of a move's utility for its player, and how far the bound
// lies below the average. weight and weightSq belong to the edge; utility and utilitySq are
// the child's averages in White's view, and bonus is the ending bonus.
func (c *Choice) lcb(weight, weightSq, utility, utilitySq, bonus, sign, radius float64) (bound, below float64) {
	if weight <= 0 || weightSq <= 0 {
		below = 2 * radius * c.LCBStdevs
		return -below, below
	}
	ess := weight * weight / weightSq
	prior := weight / (ess * ess * ess)
	square := utility * utility
	utilitySq = max(utilitySq, square+1e-8)
	utilitySq = (utilitySq*weight + (utilitySq+radius*radius)*prior) / (weight + prior)
	ess = (weight + prior) * (weight + prior) / (weightSq + prior*prior)
	below = c.LCBStdevs * math.Sqrt((utilitySq-square)/ess)
	return sign*(utility+bonus) - below, below
}

// chooser values the moves of a node for the final choice. Reports and early stopping use it;
// it changes nothing.
type chooser struct {
	parts
	selector *selector
}

// candidate is a move that may be chosen at a node.
type candidate struct {
	edge       edge
	visits     int32   // visits of the child
	weight     float64 // the edge's share of the child's weight
	weightFull float64 // weight of the child
	utility    float64 // utility of the child, without ending bonus
	bonus      float64 // ending bonus in utility, White's view
	score      float64 // PUCT score after the search
	value      float64 // selection value: the largest is chosen
	plain      float64 // value before LCB
	unmixed    float64 // value before the human policy's share is mixed in
	lcb, below float64
}

// candidates fills dst with a node's moves, in order of creation, with the values by which they
// are chosen.
func (ch *chooser) candidates(dst []candidate, i uint32) []candidate {
	n := ch.nodes.a.node(i)
	root := i == ch.nodes.root
	dst = dst[:0]
	sign, radius := n.sign(), ch.sh.value.radius()
	edges := ch.nodes.a.edgesOf(n)
	x := ch.selector.explorer(n, edges, root)
	for k := range edges {
		e, c := edges[k], ch.nodes.a.node(edges[k].child)
		m := candidate{edge: e, visits: c.visits, weightFull: c.weight, utility: x.fpu}
		squares := 0.0
		if c.visits > 0 && c.weight > 0 {
			share := float64(e.visits) / float64(c.visits)
			m.weight, squares = c.weight*share, c.weightSq*share
		}
		if m.weight > 0 {
			m.utility = c.utility
			if root {
				m.bonus = ch.rules.bonusUtility(e.move, &c.avg, &ch.sh.value)
			}
		}
		m.lcb, m.below = ch.p.Choice.lcb(m.weight, squares, c.utility, c.utilitySq, m.bonus, sign, radius)
		m.score = x.score(m.utility+m.bonus, m.weight, float64(e.prior))
		if e.prior >= 0 {
			m.value = m.weight
		}
		dst = append(dst, m)
	}
	if root && ch.passIsEarly(dst) {
		for k := range dst {
			if dst[k].edge.move == board.Pass {
				dst[k].value = 0
			}
		}
	}
	if root && ch.selector.gumbel.active {
		for k := range dst {
			dst[k].plain = dst[k].value
		}
		ch.selector.gumbel.choose(dst)
		ch.p.Choice.dropSmall(dst)
		return dst
	}
	ch.p.Choice.judge(dst, &x, root)
	if !ch.imitate(dst, i, n) {
		fallBack(dst)
		ch.p.Choice.dropSmall(dst)
	}
	scaleUp(dst)
	return dst
}

// passIsEarly reports whether, under territory rules, filling a neutral point is as good as
// passing: neutral points must be filled before the end.
func (ch *chooser) passIsEarly(moves []candidate) bool {
	g := &ch.sh.position.base
	if !ch.p.Pass.FillDameBefore || g.Rules().Scoring != board.ScoringTerritory || g.Phase() != 0 || !ch.rules.out.HasOwnership {
		return false
	}
	at := slices.IndexFunc(moves, func(m candidate) bool { return m.edge.move == board.Pass })
	if at < 0 || moves[at].weight <= 0 {
		return false
	}
	pass := &moves[at]
	s := ch.nodes.view()
	avg := ch.nodes.a.node(pass.edge.child).avg
	for k := range moves {
		m := &moves[k]
		if k == at || m.weight <= 0 || m.edge.visits <= 500 && m.weight <= 2*math.Sqrt(pass.weight) || !ch.rules.neutral(m.edge.move) {
			continue
		}
		c := ch.nodes.a.node(m.edge.child).avg
		if s*(m.utility-pass.utility) > -0.1 && s*float64(c.scoreMean-avg.scoreMean) > -0.5 && s*float64(c.lead-avg.lead) > -0.5 {
			return true
		}
	}
	return false
}

// fallBack makes the priors the selection values if no move has a value.
func fallBack(moves []candidate) {
	if slices.ContainsFunc(moves, func(m candidate) bool { return m.value > leastValue }) {
		return
	}
	for k := range moves {
		v := max(0, float64(moves[k].edge.prior))
		moves[k].value, moves[k].plain = v, v
	}
}

// dropSmall applies Choice.Prune and Choice.Subtract to the selection values.
func (c *Choice) dropSmall(moves []candidate) {
	value, plain := largest(moves)
	for k := range moves {
		m := &moves[k]
		m.value, m.plain = c.trusted(m.value, value), c.trusted(m.plain, plain)
	}
}

// largest returns the largest value after LCB and the largest before it.
func largest(moves []candidate) (value, plain float64) {
	for k := range moves {
		value, plain = max(value, moves[k].value), max(plain, moves[k].plain)
	}
	return value, plain
}

// leastValue and smaller values count as 0.
const leastValue = 1e-50

// scaleUp makes the largest value at least 1.
func scaleUp(moves []candidate) {
	value, plain := largest(moves)
	for k := range moves {
		if value > 0 && value < 1 {
			moves[k].value /= value
		}
		if plain > 0 && plain < 1 {
			moves[k].plain /= plain
		}
	}
}

// judge turns weights into selection values: at the root it removes the weight that the final
// values do not justify, then it raises the move with the best lower bound.
func (c *Choice) judge(moves []candidate, x *explorer, root bool) {
	best := mostTrusted(moves)
	if best < 0 {
		return
	}
	if root && c.Reduce {
		top := moves[best].score
		for k := range moves {
			m := &moves[k]
			if k == best {
				continue
			}
			wanted := math.Inf(1)
			if gap := top - x.sign*(m.utility+m.bonus); gap > 0 {
				wanted = max(0, x.scale*float64(m.edge.prior)/gap-1)
			}
			m.value = math.Ceil(min(m.value, wanted))
		}
	}
	for k := range moves {
		moves[k].plain = moves[k].value
	}
	if c.UseLCB {
		c.applyLCB(moves, moves[best].value)
	}
}

// mostTrusted returns the index of the move with the most weight, adjusted by visits and
// prior; -1 if there is none.
func mostTrusted(moves []candidate) int {
	best, at := math.Inf(-1), -1
	for k := range moves {
		m := &moves[k]
		visits := float64(m.edge.visits)
		v := m.value*max(0, visits-1)/max(1, visits) + 2*float64(m.edge.prior)
		if v > best {
			best, at = v, k
		}
	}
	return at
}

// applyLCB raises the weight of the move with the best lower bound, so that no move with a worse
// bound outweighs it. The raise grows with the difference of the bounds relative to their spread.
func (c *Choice) applyLCB(moves []candidate, most float64) {
	best, at := math.Inf(-1), -1
	for k := range moves {
		m := &moves[k]
		if m.value > 0 && m.value >= c.MinVisitPropForLCB*most && m.lcb > best {
			best, at = m.lcb, k
		}
	}
	if at < 0 {
		return
	}
	lifted := moves[at].value
	for k := range moves {
		m := &moves[k]
		excess := best - m.lcb
		if k == at || excess < 0 {
			continue
		}
		factor := (m.below + excess) / (m.below + 0.2*excess)
		lifted = max(lifted, m.value*min(25, factor*factor))
	}
	moves[at].value = lifted
}

// Choose picks a move: at temperature 0 the best one, else at random with probabilities
// proportional to Selection^(1/temperature). Moves that are symmetric copies are not chosen.
// Without any visited move it picks by the network's policy. It returns board.Pass if there is
// nothing to choose from.
func (r *Result) Choose(temperature float64, rng *rand.Rand) board.Point {
	list := r.options
	if most(list) <= 0 {
		list = nil
		for i := range r.Moves {
			if m := &r.Moves[i]; m.SymmetryOf == board.NoPoint {
				list = append(list, option{move: m.Move, value: m.Selection})
			}
		}
	}
	if most(list) <= 0 {
		list = nil
		for i, p := range r.Policy {
			if p > 0 {
				list = append(list, option{move: r.Size.FromIndex(i), value: float64(p)})
			}
		}
	}
	if len(list) == 0 {
		return board.Pass
	}
	return list[r.choice.draw(list, temperature, rng)].move
}

// unsearched lists the moves to choose from by policy if no move at the root was searched.
// Symmetric copies and other moves left out of the search are listed only if there is nothing else.
func (ch *chooser) unsearched() []option {
	var all, searched []option
	pos := ch.sh.position
	for i, prior := range ch.rules.out.Policy[:ch.sh.size.Area()+1] {
		p := ch.sh.size.FromIndex(i)
		if prior < 0 || pos.base.Legal(pos.base.ToMove(), p) != nil || !pos.allows(p) {
			continue
		}
		o := option{move: p, value: float64(prior)}
		all = append(all, o)
		if ch.rules.allowed(p) {
			searched = append(searched, o)
		}
	}
	if len(searched) > 0 {
		return searched
	}
	return all
}

// most returns the largest value, 0 or more.
func most(list []option) float64 {
	m := 0.0
	for _, o := range list {
		m = max(m, o.value)
	}
	return m
}

// trusted returns v minus Choice.Subtract, or 0 if v is below Choice.Prune. Both settings
// are capped at 1/64 of top, the largest value.
func (c *Choice) trusted(v, top float64) float64 {
	if v < min(c.Prune, top/64) {
		return 0
	}
	return max(0, v-min(c.Subtract, top/64))
}

// argmaxTemperature is the temperature at and below which the largest value is drawn.
const argmaxTemperature = 1e-4

// draw returns a place with probability proportional to value^(1/temperature). The temperature
// changes only shares below TemperatureOnlyBelow.
func (c *Choice) draw(list []option, temperature float64, rng *rand.Rand) int {
	largest := most(list)
	at := max(0, slices.IndexFunc(list, func(o option) bool { return o.value == largest }))
	if temperature <= argmaxTemperature && c.TemperatureOnlyBelow >= 1 || rng == nil || largest <= 0 {
		return at
	}
	temperature = max(temperature, argmaxTemperature)
	top := math.Log(largest)
	limit := c.untouched(list) - top
	weights := make([]float64, len(list))
	for i, o := range list {
		if v := o.value; v > 0 {
			if weights[i] = v / largest; math.Log(v)-top <= limit {
				weights[i] = math.Exp((math.Log(v)-top-limit)/temperature + limit)
			}
		}
	}
	return nn.Draw(weights, 1, rng)
}

// untouched returns the logarithm of the value above which the temperature leaves a move's
// probability as it is.
func (c *Choice) untouched(list []option) float64 {
	all := 0.0
	for _, o := range list {
		all += max(0, o.value)
	}
	return min(math.Log(most(list)), math.Log(max(1e-50, c.TemperatureOnlyBelow))+math.Log(all))
}

// TemperatureAt returns the temperature that moves are chosen with at a turn:
// TemperatureEarly at move 0, falling to Temperature.
func (c *Choice) TemperatureAt(turn int, size board.Size) float64 {
	return byTurn(c.TemperatureEarly, c.Temperature, c.TemperatureHalflife, turn, math.Sqrt(float64(size.Area())))
}
