package elo

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// SPRT configures a sequential probability ratio test of H0 "a is Elo0 stronger than b"
// against H1 "a is Elo1 stronger". The match ends when either is accepted. Alpha and Beta
// default to 0.05.
type SPRT struct {
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"`
	// Alpha is the chance of accepting H1 where H0 holds, Beta that of accepting H0 where H1
	// holds.
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
}

// WithDefaults returns c with its defaults filled in.
func (c SPRT) WithDefaults() SPRT {
	c.Alpha, c.Beta = cmp.Or(c.Alpha, 0.05), cmp.Or(c.Beta, 0.05)
	return c
}

func (c SPRT) Check() error {
	switch {
	case !(c.Elo0 < c.Elo1) || math.Abs(c.Elo0) > Limit || math.Abs(c.Elo1) > Limit:
		return fmt.Errorf("sprt: elo0 (%g) must be below elo1 (%g)", c.Elo0, c.Elo1)
	case !(c.Alpha > 0 && c.Alpha < 0.5 && c.Beta > 0 && c.Beta < 0.5):
		return errors.New("sprt: alpha and beta must be between 0 and 0.5")
	}
	return nil
}

// Verdicts of a sequential test so far.
const (
	Continue = "continue"
	AcceptH0 = "H0"
	AcceptH1 = "H1"
)

type SPRTResult struct {
	SPRT
	// LLR is the logarithm of the likelihood ratio of H1 to H0.
	LLR float64 `json:"llr"`
	// Lower and Upper are Wald's bounds: LLR <= Lower accepts H0, LLR >= Upper
	// accepts H1.
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
	// Decision is Continue, AcceptH0 or AcceptH1.
	Decision string `json:"decision"`
}

// Text describes the state of the test.
func (r SPRTResult) Text() string {
	switch r.Decision {
	case AcceptH1:
		return fmt.Sprintf("nearer elo1 (%g) than elo0 (%g); ratio %.2f passed %.2f", r.Elo1, r.Elo0, r.LLR, r.Upper)
	case AcceptH0:
		return fmt.Sprintf("nearer elo0 (%g) than elo1 (%g); ratio %.2f passed %.2f", r.Elo0, r.Elo1, r.LLR, r.Lower)
	}
	return fmt.Sprintf("undecided between elo0 (%g) and elo1 (%g); ratio %.2f, decided below %.2f or above %.2f", r.Elo0, r.Elo1, r.LLR, r.Lower, r.Upper)
}

// Test computes the test's state from single games.
func (c SPRT) Test(wins, draws, losses int) SPRTResult {
	return c.test([]float64{0, 0.5, 1}, []int{losses, draws, wins})
}

// TestPairs computes the test's state from pairs of games: pairs[k] is the number of pairs in
// which a got k half points.
func (c SPRT) TestPairs(pairs [5]int) SPRTResult {
	return c.test([]float64{0, 0.25, 0.5, 0.75, 1}, pairs[:])
}

func (c SPRT) test(scores []float64, counts []int) SPRTResult {
	c = c.WithDefaults()
	r := SPRTResult{
		SPRT:     c,
		LLR:      logLikelihoodRatio(scores, counts, scoreOf(c.Elo0), scoreOf(c.Elo1)),
		Lower:    math.Log(c.Beta / (1 - c.Alpha)),
		Upper:    math.Log((1 - c.Beta) / c.Alpha),
		Decision: Continue,
	}
	switch {
	case r.LLR >= r.Upper:
		r.Decision = AcceptH1
	case r.LLR <= r.Lower:
		r.Decision = AcceptH0
	}
	return r
}

// logLikelihoodRatio returns the generalised log likelihood ratio of two hypotheses, a mean score
// of s1 against one of s0: n times the sum over outcomes of p log(p1/p0), where p are the observed
// frequencies, and p0 and p1 the likeliest distributions with means s0 and s1. An outcome that did
// not occur counts as a thousandth of a game, so that every mean is possible.
func logLikelihoodRatio(scores []float64, counts []int, s0, s1 float64) float64 {
	n, games := 0.0, 0
	p := make([]float64, len(counts))
	for i, c := range counts {
		games += c
		p[i] = max(float64(c), 1e-3)
		n += p[i]
	}
	if games == 0 {
		return 0
	}
	for i := range p {
		p[i] /= n
	}
	x0, x1 := tilt(scores, p, s0), tilt(scores, p, s1)
	sum := 0.0
	for i := range p {
		// p0 = p / (1 + x0 (score - s0)), and p1 likewise.
		sum += p[i] * math.Log((1+x0*(scores[i]-s0))/(1+x1*(scores[i]-s1)))
	}
	return n * sum
}

// tilt solves sum p (a-s) / (1 + x (a-s)) = 0 for x by bisection: the sum decreases in x, and
// all denominators are positive at the solution.
func tilt(scores, p []float64, s float64) float64 {
	low := -1 / (scores[len(scores)-1] - s)
	high := -1 / (scores[0] - s)
	for range 200 {
		x := (low + high) / 2
		if x == low || x == high {
			break
		}
		sum := 0.0
		for i, a := range scores {
			sum += p[i] * (a - s) / (1 + x*(a-s))
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	return (low + high) / 2
}
