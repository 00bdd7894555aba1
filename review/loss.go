package review

import (
	"cmp"
	"math"
	"slices"
)

// The error of a search's lead is errorScale times the standard deviation of the score, divided by
// the cube root of the visits. The scale is fitted to the root mean square difference from searches of 500
// visits, in 331 positions of 9x9 games with g170-b6c96. The error falls more slowly than that of
// independent samples, since a misread group stays misread.
const errorScale = 0.35

// spread returns the standard error of the lead in points.
func (e *Eval) spread() float64 {
	return errorScale * e.Stdev / math.Cbrt(float64(max(e.Visits, 1)))
}

// swing compares the searches before and after a move. loss and winrate are positive if the mover
// lost something, negative if the later search found the position better for the mover.
type swing struct {
	loss, err, winrate float64
	ok                 bool
}

// standing is Black's winrate and lead in a position.
type standing struct{ winrate, lead float64 }

// hindsight returns the standings of all positions, corrected by the searches of later positions: a
// player stands at least as well before a move as after it. If two searches contradict this, the earlier
// position gets their average, weighted by the inverse squared errors. Positions without a search are zero.
func (r *run) hindsight() []standing {
	all := make([]standing, len(r.evals))
	for t, e := range r.evals {
		if e != nil {
			all[t] = standing{e.Winrate, e.Lead}
		}
	}
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

// swingBetween compares the standings before and after ply t.
func (r *run) swingBetween(t int, at []standing) swing {
	if r.evals[t] == nil || r.evals[t+1] == nil || !r.game.judged[t] {
		return swing{}
	}
	sign := Sign(letter(r.game.Moves[t].Color))
	return swing{
		loss:    sign * (at[t].lead - at[t+1].lead),
		winrate: sign * (at[t].winrate - at[t+1].winrate),
		err:     math.Hypot(r.spread(t), r.spread(t+1)),
		ok:      true,
	}
}

// spread returns the standard error of a position's lead. It is at least half of the change that the newest search
// made to the lead. Neighbouring positions misread the same groups. So if a neighbour has more visits, the error is
// also at least half of the change that all searches after the first one made to that neighbour's lead.
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

// accuracyOf returns KaTrain's accuracy, 0..100: 100 * 0.75^L, where L is a weighted mean loss. The weight is the
// expected loss of a move drawn from the priors, or a quarter of the move's loss if that is larger; 0.05 to 1.
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

// randomLoss returns the expected loss in points of a move drawn from the priors of the
// searched moves.
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

// worst returns the plies of the listed moves for which the function by returns a positive value, the
// largest value first. The argument most bounds their number.
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
