// Package elo computes strength from the results of games: Elo differences with their 95 %
// errors, a sequential test, and the ratings of many players.
//
// Elo numbers are logistic, 400 points for odds of ten to one. Error bars are Rao's score
// interval of the mean score (Rao 1948; without draws Wilson 1927). If openings are played in
// pairs of games, each pair is one score. The sequential test is the generalised SPRT (GSPRT) with the
// exact likelihood ratio over win, draw and loss, or over the five results of a pair, as in
// Stockfish's fishtest (Van den Bergh, "A practical introduction to the GSPRT").
package elo

import (
	"fmt"
	"math"
)

// Limit bounds Elo differences. An end of an error bar at the limit is unbounded and is never
// shown as a number.
const Limit = 4000

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Estimate is an Elo difference with its 95 % error bar: Low <= Elo <= High,
// each within -Limit..Limit.
type Estimate struct {
	Elo  float64 `json:"elo"`
	Low  float64 `json:"elo_low"`
	High float64 `json:"elo_high"`
}

// eloOf returns the Elo difference that gives a mean score, which is in [0,1].
func eloOf(score float64) float64 {
	if score <= 0 {
		return -Limit
	}
	if score >= 1 {
		return Limit
	}
	return min(max(-400*math.Log10(1/score-1), -Limit), Limit) + 0 // never minus zero
}

// scoreOf returns the mean score that an Elo difference gives.
func scoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Of returns the Elo difference from results against one opponent. Its error bar ([interval]) is
// valid even for few games and for one-sided results. n wins out of n, for which Elo would be
// infinite, count as n+1/2 wins out of n+1.
func Of(wins, draws, losses int) Estimate {
	return estimate([]float64{0, 0.5, 1}, []int{losses, draws, wins})
}

// OfPairs is Of for pairs of games: pairs[k] is the number of pairs in which the side got k half
// points. The error is computed over pairs because the games of a pair are not independent.
func OfPairs(pairs [5]int) Estimate {
	return estimate([]float64{0, 0.25, 0.5, 0.75, 1}, pairs[:])
}

// estimate returns the Elo difference, with its error bar, from the possible scores and how often
// each occurred.
func estimate(scores []float64, counts []int) Estimate {
	n, mean := 0.0, 0.0
	for i, c := range counts {
		n += float64(c)
		mean += float64(c) * scores[i]
	}
	if n == 0 {
		return Estimate{0, -Limit, Limit}
	}
	mean /= n
	low, high := interval(scores, counts)
	if mean == 0 || mean == 1 {
		mean = (mean*n + 0.5) / (n + 1)
	}
	return Estimate{eloOf(mean), eloOf(low), eloOf(high)}
}

// Text formats a difference: signed, rounded to a whole number.
func Text(v float64) string { return fmt.Sprintf("%+.0f", math.Round(v)+0) } // + 0: no "-0"

// Text formats the difference with its error bar, without unbounded ends.
func (e Estimate) Text() string {
	switch low, high := e.Low > -Limit, e.High < Limit; {
	case low && high:
		return fmt.Sprintf("%s, 95 %% between %s and %s", Text(e.Elo), Text(e.Low), Text(e.High))
	case low:
		return fmt.Sprintf("%s, 95 %% above %s", Text(e.Elo), Text(e.Low))
	case high:
		return fmt.Sprintf("%s, 95 %% below %s", Text(e.Elo), Text(e.High))
	}
	return "not known yet"
}
