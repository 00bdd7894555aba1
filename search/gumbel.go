package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"kosumi/board"
)

// Gumbel is another way to search the root of a short, limited search: a sample of moves, drawn
// with Gumbel noise on the priors, is halved repeatedly by the values found ("Policy improvement
// by planning with Gumbel", Danihelka et al., ICLR 2022). It improves the policy with any number
// of visits, and is better than PUCT below about 64 visits.
type Gumbel struct {
	Considered int     // moves at the start, 16 in the paper; 0: off
	VisitScale float64 // c_visit, 50 in the paper
	ValueScale float64 // c_scale, 1 in the paper, for values from 0 to 1
	Greedy     bool    // without noise: for play rather than for training
}

type gumbelState struct {
	active   bool
	p        Gumbel
	nodes    *nodes
	size     board.Size
	radius   float64 // largest possible utility
	schedule []int32 // for each playout, the number of earlier visits of the move to search
	skipped  int64   // playouts of this search that visited no move
	noise    [board.MaxMoves]float64
	logits   [board.MaxMoves]float64 // log prior; -Inf where not allowed
	base     [board.MaxMoves]int32   // edge visits before this search
	scores   [board.MaxMoves]float64 // scratch
	visits   [board.MaxMoves]int32
}

// begin draws the noise and makes the schedule, if the next search is a Gumbel search: target is
// its number of playouts, fresh says that the root is new.
func (g *gumbelState) begin(ns *nodes, p Gumbel, size board.Size, radius float64, target int64, rng *rand.Rand, fresh bool) {
	g.nodes, g.p, g.size, g.radius = ns, p, size, radius
	g.active = p.Considered > 0 && target > 0
	if !g.active {
		return
	}
	for i := range g.noise {
		g.noise[i], g.logits[i], g.base[i] = 0, math.Inf(-1), 0
	}
	moves := 0
	g.eachMove(func(i, place int, prior float64) {
		moves++
		g.logits[i] = math.Log(prior + 1e-30)
		if !p.Greedy {
			g.noise[i] = -math.Log(-math.Log(1 - rng.Float64()))
		}
		if place >= 0 {
			g.base[i] = g.nodes.a.edgesOf(g.nodes.a.node(g.nodes.root))[place].visits
		}
	})
	g.skipped = 0
	if fresh {
		g.skipped = 1 // the root's own evaluation
	}
	g.schedule = halvingSchedule(g.schedule[:0], min(p.Considered, moves), int(target))
}

// eachMove calls f for every move that the root searches, with its policy
// index and the place of its edge, -1 if it has none.
func (g *gumbelState) eachMove(f func(i, place int, prior float64)) {
	n := g.nodes.a.node(g.nodes.root)
	edges := g.nodes.a.edgesOf(n)
	for k := range edges {
		if edges[k].prior >= 0 {
			f(g.size.Index(edges[k].move), k, float64(edges[k].prior))
		}
	}
	for k := len(edges); k < int(n.priorCount); k++ {
		p, prior := g.nodes.a.priorAt(n, k)
		f(g.size.Index(p), -1, float64(prior))
	}
}

// halvingSchedule appends, for each visit, the number of earlier visits of the move to choose. In a round
// all moves still considered get equal shares; their number is halved after each round, down to two.
func halvingSchedule(dst []int32, considered, visits int) []int32 {
	if considered <= 1 {
		for v := range visits {
			dst = append(dst, int32(v))
		}
		return dst
	}
	rounds := int(math.Ceil(math.Log2(float64(considered))))
	had := make([]int32, considered)
	for len(dst) < visits {
		share := max(1, visits/(rounds*considered))
		for range share {
			dst = append(dst, had[:considered]...)
			for k := range considered {
				had[k]++
			}
		}
		considered = max(2, considered/2)
	}
	return dst[:visits]
}

// score fills scores with log prior + scaled value, by policy index, and visits with this search's
// visits, pending ones included.
func (g *gumbelState) score() {
	n, scores, visits := g.nodes.a.node(g.nodes.root), &g.scores, &g.visits
	edges := g.nodes.a.edgesOf(n)
	value := g.values()
	for i := range g.size.Area() + 1 {
		scores[i] = g.logits[i] + value.of(0, false)
		visits[i] = 0
	}
	for k := range edges {
		e := &edges[k]
		i := g.size.Index(e.move)
		scores[i] = g.logits[i] + value.of(float64(e.utility), e.weight > 0)
		visits[i] = e.visits - g.base[i] + int32(e.inFlight)
	}
}

// gumbelValue converts the utilities of moves to the terms added to their logits.
type gumbelValue struct {
	sign, radius float64
	mixed        float64 // value of a move without visits, 0 to 1
	scale        float64
}

// values prepares gumbelValue for the root: a move without visits gets a mixture of the root's
// own value and the visited moves' values, weighted by their priors.
func (g *gumbelState) values() gumbelValue {
	n := g.nodes.a.node(g.nodes.root)
	v := gumbelValue{sign: n.sign(), radius: max(1e-9, g.radius)}
	var most int32
	var visits, weighted, priors float64
	for _, e := range g.nodes.a.edgesOf(n) {
		most = max(most, e.visits)
		if e.weight > 0 && e.prior > 0 {
			visits += float64(e.visits)
			weighted += float64(e.prior) * v.unit(float64(e.utility))
			priors += float64(e.prior)
		}
	}
	v.mixed = v.unit(float64(n.ownUtility))
	if priors > 0 {
		v.mixed = (v.mixed + visits*weighted/priors) / (1 + visits)
	}
	p := &g.p
	v.scale = (p.VisitScale + float64(most)) * p.ValueScale
	return v
}

// unit converts a utility to a value for the mover, from 0 (lost) to 1 (won).
func (v *gumbelValue) unit(utility float64) float64 {
	return 0.5 + 0.5*v.sign*utility/v.radius
}

func (v *gumbelValue) of(utility float64, visited bool) float64 {
	if !visited {
		return v.scale * v.mixed
	}
	return v.scale * v.unit(utility)
}

// next returns the root's edge to visit next, after a number of finished and pending playouts of
// the search. If the move to visit has no edge, it is the next to get one, and selectNew is
// returned.
func (g *gumbelState) next(playouts int64) int {
	wanted := g.schedule[max(0, min(playouts-g.skipped, int64(len(g.schedule))-1))]
	g.score()
	best, move, at := math.Inf(-1), board.NoPoint, selectNone
	g.eachMove(func(i, place int, _ float64) {
		const farOff = 1e6 // moves whose number of visits is not the wanted one come last
		s := g.noise[i] + g.scores[i] - farOff*math.Abs(float64(g.visits[i]-wanted))
		if s > best {
			best, move, at = s, g.size.FromIndex(i), place
		}
	})
	if at < 0 && move != board.NoPoint && g.nodes.bringForward(g.nodes.a.node(g.nodes.root), move) {
		return selectNew
	}
	return at
}

// choose puts the winner of the halving above the other moves. For play (Gumbel.Greedy) it weights
// the others by the improved policy.
func (g *gumbelState) choose(moves []candidate) {
	g.score()
	var most int32
	top := 0.0
	for k := range moves {
		most = max(most, g.visits[g.size.Index(moves[k].edge.move)])
		top = max(top, moves[k].value)
	}
	best, at := math.Inf(-1), -1
	for k := range moves {
		i := g.size.Index(moves[k].edge.move)
		if s := g.noise[i] + g.scores[i]; g.visits[i] == most && s > best {
			best, at = s, k
		}
	}
	if at < 0 {
		return
	}
	moves[at].value = top + 1
	if !g.p.Greedy {
		return
	}
	// Halving leaves the last moves with equal visits, so a random choice must not use visits,
	// but each move's probability in the improved policy.
	for k := range moves {
		if k != at && moves[k].value > 0 {
			i := g.size.Index(moves[k].edge.move)
			moves[k].value = top * math.Exp(min(0, g.scores[i]-best))
		}
	}
}

// improved returns the improved policy, a target for training: prior times exp(scaled value),
// with the mixed value for moves without visits. By policy index, sum 1; -1 if illegal or not
// allowed.
func (g *gumbelState) improved() []float32 {
	g.score()
	out := slices.Repeat([]float32{-1}, g.size.Area()+1)
	top, sum := math.Inf(-1), 0.0
	g.eachMove(func(i, _ int, _ float64) { top = max(top, g.scores[i]) })
	g.eachMove(func(i, _ int, _ float64) {
		out[i] = float32(math.Exp(g.scores[i] - top))
		sum += float64(out[i])
	})
	for i := range out {
		if out[i] >= 0 {
			out[i] = float32(float64(out[i]) / sum)
		}
	}
	return out
}
