package nn

import (
	"math"

	"kosumi/board"
)

// Average computes the arithmetic mean of post-processed answers to the same position, as KataGo
// does. The result's Symmetry is the first answer's. There must be at least one answer.
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
