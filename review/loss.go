package review

import (
	"cmp"
	"math"
	"slices"
)

// The lead that a search finds strays from that of a search of 500 visits by
// errorScale standard deviations of the score over the cube root of the visits
// (root mean square, 331 positions of 9x9 games, g170-b6c96): it falls more slowly
// than that of independent samples would, since a misread group stays misread.
const errorScale = 0.35

// spread is one standard deviation of the lead that a search found.
func (e *Eval) spread() float64 {
	return errorScale * e.Stdev / math.Cbrt(float64(max(e.Visits, 1)))
}

// swing is what one ply changed, for the mover, as two searches see it: negative
// where the later one found more than the first.
type swing struct {
	loss, err, winrate float64
	ok                 bool
}

// standing is what a position is worth, Black's winrate and lead.
type standing struct{ winrate, lead float64 }

// standings are the positions as their own searches see them; positions that were
// not searched are zero.
func (r *run) standings() []standing {
	all := make([]standing, len(r.evals))
	for t, e := range r.evals {
		if e != nil {
			all[t] = standing{e.Winrate, e.Lead}
		}
	}
	return all
}

// hindsight carries back what the searches of later positions found: a player stands
// at least as well before a move as after it, since it could be played. If two
// searches contradict that, the surer one counts for more.
func (r *run) hindsight() []standing {
	all := r.standings()
	for t := len(r.game.Moves) - 1; t >= 0; t-- {
		s := r.swingBetween(t, all)
		if !s.ok {
			continue
		}
		before, after := r.spread(t), r.spread(t+1)
		share := before * before / max(before*before+after*after, 1e-9)
		if s.loss < 0 {
			all[t].lead += share * (all[t+1].lead - all[t].lead)
		}
		if s.winrate < 0 {
			all[t].winrate += share * (all[t+1].winrate - all[t].winrate)
		}
	}
	return all
}

// swingBetween compares the positions before and after ply t, given what positions are
// worth.
func (r *run) swingBetween(t int, at []standing) swing {
	if r.evals[t] == nil || r.evals[t+1] == nil || !r.game.judged[t] {
		return swing{}
	}
	sign := r.sign(t)
	return swing{
		loss:    sign * (at[t].lead - at[t+1].lead),
		winrate: sign * (at[t].winrate - at[t+1].winrate),
		err:     math.Hypot(r.spread(t), r.spread(t+1)),
		ok:      true,
	}
}

// spread is that of a position's lead: at least half of what the last doubling of
// its visits changed, and half of what more visits than its own have changed at a
// neighbour: what one position misreads, the next ones do too.
func (r *run) spread(t int) float64 {
	e := r.evals[t]
	s := max(e.spread(), 0.5*r.moved[t])
	for _, u := range []int{t - 1, t + 1} {
		if u >= 0 && u < len(r.evals) && r.evals[u] != nil && r.evals[u].Visits > e.Visits {
			s = max(s, 0.5*math.Abs(r.evals[u].Lead-r.first[u]))
		}
	}
	return s
}

// accuracyOf is KaTrain's measure: moves count by how much a move drawn by the
// priors would have lost, and 0.75 to the power of the mean loss is left.
func accuracyOf(moves []*Move) float64 {
	var sum, weights float64
	for _, m := range moves {
		w := max(0.05, min(1, max(min(1, m.random), m.Loss/4)))
		sum, weights = sum+w*m.Loss, weights+w
	}
	if weights == 0 {
		return 0
	}
	return Round(100*math.Pow(0.75, sum/weights), 1)
}

// randomLoss is what a move drawn by the priors would lose, among the moves that
// were searched.
func randomLoss(e *Eval, sign float64) float64 {
	var sum, priors float64
	for _, c := range e.Moves {
		if c.Visits > 0 {
			sum += c.Prior * max(0, sign*(e.Lead-c.Lead))
			priors += c.Prior
		}
	}
	if priors == 0 {
		return 0
	}
	return sum / priors
}

// totalsOf sums moves up.
func totalsOf(moves []*Move) Totals {
	t := Totals{Moves: len(moves), Classes: map[Class]int{}}
	if len(moves) == 0 {
		return t
	}
	var first, five float64
	for _, m := range moves {
		t.Loss += m.Loss
		t.Classes[m.Class]++
		if m.Order == 0 {
			first++
		}
		if m.Order == 0 || m.Order > 0 && m.Order < 5 && m.Loss < 0.5 {
			five++
		}
	}
	n := float64(len(moves))
	t.Mean, t.First, t.Five = Round(t.Loss/n, 3), Round(first/n, 3), Round(five/n, 3)
	t.Loss, t.Accuracy = Round(t.Loss, 2), accuracyOf(moves)
	return t
}

// worst returns the plies of the listed moves that are worst by a measure, worst
// first, without those that have 0.
func worst(moves []Move, most int, by func(*Move) float64) []int {
	plies := []int{}
	for i := range moves {
		if moves[i].Listed && by(&moves[i]) > 0 {
			plies = append(plies, i)
		}
	}
	slices.SortStableFunc(plies, func(a, b int) int { return cmp.Compare(by(&moves[b]), by(&moves[a])) })
	return plies[:min(most, len(plies))]
}
