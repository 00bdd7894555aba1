package nn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"kosumi/board"
)

// EvaluateSymmetries shows the position in each of the given orientations, past
// the cache, and fills out with the mean of the answers: of probabilities,
// values, score moments, errors and ownership. All queries are asked at once, so
// that they make a batch. It is meant for roots and for analysis, and allocates.
func EvaluateSymmetries(ctx context.Context, e Evaluator, q *Query, symmetries []int8, out *Output) error {
	if len(symmetries) == 0 {
		return fmt.Errorf("%w: no symmetries to evaluate", ErrQuery)
	}
	answers := make([]Output, len(symmetries))
	errs := make([]error, len(symmetries))
	var all sync.WaitGroup
	for i, sym := range symmetries {
		all.Go(func() {
			one := *q
			one.Symmetry, one.SkipCache = sym, true
			errs[i] = e.Evaluate(ctx, &one, &answers[i])
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	Average(out, answers, q.Game.Size())
	return nil
}

// Average fills out with the arithmetic mean of post-processed answers to the
// same position, as KataGo does. Symmetry is that of the first. There must be at
// least one.
func Average(out *Output, answers []Output, size board.Size) {
	*out = answers[0]
	if len(answers) == 1 {
		return
	}
	weight := 1 / float64(len(answers))
	mean := func(get func(o *Output) float32) float64 {
		sum := 0.0
		for i := range answers {
			sum += float64(get(&answers[i]))
		}
		return sum * weight
	}
	for i := range size.Area() + 1 {
		if out.Policy[i] >= 0 {
			out.Policy[i] = float32(mean(func(o *Output) float32 { return o.Policy[i] }))
		}
	}
	for i, x := range out.numbers() {
		*x = float32(mean(func(o *Output) float32 { return *o.numbers()[i] }))
	}
	if out.HasScore && out.ScoreStdev > 0 {
		variance := mean(func(o *Output) float32 { return o.ScoreMeanSq })
		average := mean(func(o *Output) float32 { return o.ScoreMean })
		out.ScoreStdev = float32(math.Sqrt(max(0, variance-average*average)))
	}
	if out.HasOwnership {
		for i := range size.Area() {
			out.Ownership[i] = float32(mean(func(o *Output) float32 { return o.Ownership[i] }))
		}
	}
}
