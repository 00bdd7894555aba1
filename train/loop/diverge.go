package loop

import (
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/train/learn"
)

const (
	// watched is how many steps a verdict on the learner rests on.
	watched = 20
	// worseThanNothing is how many times the loss of one who knows nothing, and
	// takes all answers to be alike, no learner comes to that is not lost.
	worseThanNothing = 2
	// mostRefused is how many networks refused in a row are taken for divergence.
	// Networks that are no worse come to that once in 15,000 times.
	mostRefused = 3
	// leastRate is the share of the recipe's rate at which there is no point in
	// trying a lower one.
	leastRate = 1.0 / 1000
)

// watch follows the losses of the latest steps. A loop takes in new games and boards
// all the time, so that the losses of earlier ones are no measure: that of an even
// guess is.
type watch struct {
	steps   int
	recent  learn.Result
	nothing float64 // loss of the policy of one who knows nothing, summed over the steps
}

// see takes in a step. Its error wraps [learn.ErrDiverged].
func (w *watch) see(r *learn.Result, size board.Size) error {
	if r.Skipped {
		return nil // the learner counts them
	}
	w.recent.Add(r)
	w.nothing += math.Log(float64(size.Area() + 1))
	if w.steps++; w.steps < watched {
		return nil
	}
	policy := w.nothing / watched
	value := math.Log(3) // a win, a loss, no result
	for _, part := range []struct {
		name    string
		nothing float64
	}{{learn.TermPolicy, policy}, {learn.TermValue, value}} {
		t, ok := w.recent.Term(part.name)
		if ok && t.Weight > 0 && !(t.Mean <= worseThanNothing*part.nothing) {
			return fmt.Errorf("%w: the loss of the %s is %.3g, an even guess has %.3g", learn.ErrDiverged, part.name, t.Mean, part.nothing)
		}
	}
	*w = watch{}
	return nil
}
