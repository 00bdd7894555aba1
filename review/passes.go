package review

import (
	"cmp"
	"math"
	"slices"
)

// firstPass returns all positions: every eighth first, then those halfway between, and so
// on, so that the graph takes shape early.
func (r *run) firstPass() []task {
	var tasks []task
	for step := 8; step >= 1; step /= 2 {
		for t := 0; t < len(r.evals); t += step {
			if step == 8 || t%(2*step) != 0 {
				tasks = append(tasks, task{t, r.conf.First})
			}
		}
	}
	return tasks
}

// worstListed is the length of the list of worst moves that the second pass confirms.
const worstListed = 10

// secondPass returns the positions to search next with twice their visits; none when the
// budget is spent.
func (r *run) secondPass() []task {
	if r.conf.Time == 0 && r.visits >= r.budget() || r.conf.Time > 0 && r.late() {
		return nil
	}
	worth := r.worth()
	plies := make([]int, 0, len(worth))
	for t, w := range worth {
		if w > 0 && 2*r.evals[t].Visits <= r.conf.Most {
			plies = append(plies, t)
		}
	}
	slices.SortStableFunc(plies, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	left := int64(math.MaxInt64)
	if r.conf.Time == 0 {
		left = r.budget() - r.visits
	}
	var tasks []task
	for _, t := range plies[:min(len(plies), roundSize(len(r.evals)))] {
		more := r.rung(t)
		if left < more-r.evals[t].Visits {
			break
		}
		left -= more - r.evals[t].Visits
		tasks = append(tasks, task{t, more})
	}
	return tasks
}

// roundSize returns the number of positions in a round of the second pass. It is large enough to
// fill batches, and does not depend on Config.Parallel.
func roundSize(positions int) int { return max(16, positions/8) }

// rung returns the next number of visits of a position.
func (r *run) rung(t int) int64 {
	v := r.conf.First
	for v <= r.evals[t].Visits {
		v *= 2
	}
	return v
}

// listedShare is the worth of a visit to a move that is certainly among the worst. It is not 0, since the
// report shows the loss and the better line of such a move. If it is uncertain whether a move is among the
// worst, a visit is worth up to about 1.
const listedShare = 0.15

// gainShare is the weight of a move's gain relative to a loss. A gain shows that one of the two
// positions is misread.
const gainShare = 0.5

// worth returns for each position the worth of a visit: the uncertainty whether the ply before or
// after it is among the worst, divided by the position's visits.
func (r *run) worth() []float64 {
	swings := make([]swing, len(r.game.Moves))
	var losses []float64
	at := r.hindsight()
	for t := range swings {
		swings[t] = r.swingBetween(t, at)
		if swings[t].ok {
			losses = append(losses, swings[t].loss)
		}
	}
	slices.Sort(losses)
	border := 0.5
	if n := len(losses) - worstListed; n > 0 {
		border = max(border, (losses[n]+losses[n-1])/2)
	}
	worth := make([]float64, len(r.evals))
	for t, s := range swings {
		if !s.ok {
			continue
		}
		p := exceeds((max(s.loss, -gainShare*s.loss) - border) / max(s.err, 0.1))
		w := 2*min(p, 1-p) + listedShare*p
		worth[t] = max(worth[t], w)
		worth[t+1] = max(worth[t+1], w)
	}
	for t := range worth {
		if e := r.evals[t]; e != nil {
			worth[t] /= float64(max(e.Visits, 1))
		}
	}
	return worth
}

// exceeds returns the probability that a loss is above a bound, if its estimate is z standard
// errors above the bound. It assumes a Laplace distribution, since misread groups give the errors
// long tails.
func exceeds(z float64) float64 {
	if z < 0 {
		return 0.5 * math.Exp(1.2*z)
	}
	return 1 - 0.5*math.Exp(-1.2*z)
}
