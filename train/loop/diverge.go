package loop

import (
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/train/learn"
)

const (
	// watched is the number of steps whose mean loss is judged.
	watched = 20
	// worseThanNothing bounds the loss, as a multiple of that of a uniform guess. A
	// learner above it has diverged.
	worseThanNothing = 2
	// mostRefused is the number of networks refused in a row that counts as divergence. With the
	// default gate, three networks as strong as the current one are all refused about once in 15,000 times.
	mostRefused = 3
	// leastRate is the lowest rate tried, as a share of the recipe's rate.
	leastRate = 1.0 / 1000
)

// watch detects divergence: it compares the mean loss of 20 steps with that of a uniform guess.
// Losses of earlier steps are no reference, because new games and board sizes keep coming in.
type watch struct {
	steps   int
	recent  learn.Result
	nothing float64 // policy loss of a uniform guess, summed over the steps
}

// see adds a step. Its error wraps [learn.ErrDiverged].
func (w *watch) see(r *learn.Result, size board.Size) error {
	if r.Skipped {
		return nil // the learner itself reports skipped steps
	}
	w.recent.Add(r)
	w.nothing += math.Log(float64(size.Area() + 1))
	if w.steps++; w.steps < watched {
		return nil
	}
	policy := w.nothing / watched
	value := math.Log(3) // loss of a uniform guess among win, loss and no result
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
