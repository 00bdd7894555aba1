package elo

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEstimateElo(t *testing.T) {
	// 136 wins, 111 draws, 96 losses: fastchess, a tool for chess matches, publishes 40.70 +/-
	// 30.43.
	e := Of(136, 111, 96)
	require.InDelta(t, 40.70, e.Elo, 0.01)
	require.InDelta(t, 30.43, (e.High-e.Low)/2, 0.25)
	// Pairs from the same source: 34 LL, 54 LD, 63 of one point, 64 WD, 75 WW: 55.58 +/- 27.65.
	e = OfPairs([5]int{34, 54, 63, 64, 75})
	require.InDelta(t, 55.58, e.Elo, 0.01)
	require.InDelta(t, 27.65, (e.High-e.Low)/2, 0.25)
}

func TestEstimateEloAtTheEnds(t *testing.T) {
	require.Equal(t, Estimate{0, -Limit, Limit}, Of(0, 0, 0))

	// Ten wins of ten: Wilson's lower end is 10/(10+1.96^2) = 0.7225; the Elo difference is that of
	// 10.5 wins in 11 games.
	e := Of(10, 0, 0)
	require.InDelta(t, eloOf(10.5/11), e.Elo, 1e-9)
	require.InDelta(t, eloOf(10/(10+z95*z95)), e.Low, 1e-9)
	require.Equal(t, float64(Limit), e.High)
	lost := Of(0, 0, 10)
	require.InDelta(t, -e.Elo, lost.Elo, 1e-9)
	require.InDelta(t, -e.Low, lost.High, 1e-9)
}

func TestEstimateEloIsOrderedAndFinite(t *testing.T) {
	for w := range 12 {
		for d := range 6 {
			for l := range 12 {
				e := Of(w, d, l)
				require.LessOrEqual(t, e.Low, e.Elo, "%d %d %d", w, d, l)
				require.LessOrEqual(t, e.Elo, e.High, "%d %d %d", w, d, l)
				require.False(t, e.Elo == 0 && math.Signbit(e.Elo), "-0")
				mirror := Of(l, d, w)
				require.InDelta(t, e.Low, -mirror.High, 1e-6)
			}
		}
	}
}

func TestSPRTText(t *testing.T) {
	r := SPRTResult{SPRT: SPRT{Elo0: 0, Elo1: 150}, LLR: 3.07, Lower: -2.944, Upper: 2.944, Decision: AcceptH1}
	require.Equal(t, "nearer elo1 (150) than elo0 (0); ratio 3.07 passed 2.94", r.Text())
	r.LLR, r.Decision = -3, AcceptH0
	require.Equal(t, "nearer elo0 (0) than elo1 (150); ratio -3.00 passed -2.94", r.Text())
	r.LLR, r.Decision = 0.5, Continue
	require.Equal(t, "undecided between elo0 (0) and elo1 (150); ratio 0.50, decided below -2.94 or above 2.94", r.Text())
}

// TestSPRTPublishedValues compares likelihood ratios with those of fishtest that fastchess's tests quote.
func TestSPRTPublishedValues(t *testing.T) {
	require.InDelta(t, -1.57, SPRT{Elo0: 0.5, Elo1: 2.5}.Test(21404, 40708, 21184).LLR, 0.01)
	require.InDelta(t, -2.59, SPRT{Elo0: 0, Elo1: 2}.Test(57433, 106593, 57030).LLR, 0.01)
	require.InDelta(t, -3.07, SPRT{Elo0: 0.5, Elo1: 2.5}.TestPairs([5]int{223, 9863, 21279, 10037, 246}).LLR, 0.01)
	require.InDelta(t, -4.98, SPRT{Elo0: 0, Elo1: 2}.TestPairs([5]int{871, 26175, 55983, 26678, 821}).LLR, 0.01)
}

func TestSPRTDecides(t *testing.T) {
	c := SPRT{Elo0: 0, Elo1: 200}
	require.Equal(t, AcceptH1, c.Test(30, 0, 2).Decision)
	require.Equal(t, AcceptH0, c.Test(10, 0, 20).Decision)
	require.Equal(t, Continue, c.Test(2, 0, 1).Decision)
	r := c.Test(0, 0, 0)
	require.Equal(t, SPRTResult{SPRT: c.WithDefaults(), Lower: r.Lower, Upper: r.Upper, Decision: Continue}, r)
	require.InDelta(t, -2.944, r.Lower, 1e-3, "log(0.05/0.95)")
	require.InDelta(t, 2.944, r.Upper, 1e-3)
	require.Equal(t, AcceptH1, c.TestPairs([5]int{0, 0, 1, 0, 14}).Decision)
	for _, bad := range []SPRT{{Elo0: 5, Elo1: 5}, {Elo0: 5, Elo1: 0}, {Elo1: 5, Alpha: 0.6}, {Elo1: 5, Beta: -1}, {Elo1: math.NaN()}} {
		require.Error(t, bad.WithDefaults().Check(), "%+v", bad)
	}
}

// TestEloText: a text shows no "-0" and no infinite end.
func TestEloText(t *testing.T) {
	for _, test := range []struct {
		e    Estimate
		want string
	}{
		{Estimate{-0.2, -30, 29.6}, "+0, 95 % between -30 and +30"},
		{Estimate{120.4, -0.4, 250}, "+120, 95 % between +0 and +250"},
		{Estimate{-200, -Limit, 10}, "-200, 95 % below +10"},
		{Estimate{200, -10, Limit}, "+200, 95 % above -10"},
		{Estimate{0, -Limit, Limit}, "not known yet"},
	} {
		require.Equal(t, test.want, test.e.Text())
	}
}

// TestIntervalAgainstReference: the ends of the interval are the means at which Pearson's
// statistic reaches its quantile, with the likeliest distribution found by search.
func TestIntervalAgainstReference(t *testing.T) {
	const z2 = z95 * z95
	// pearson is n (mean - m)^2 / variance, with the variance of the likeliest distribution with
	// mean m.
	pearson := func(w, d, l int, m float64) float64 {
		likelihood := func(draws float64) (sum float64) {
			for _, x := range []struct {
				n int
				p float64
			}{{w, m - draws/2}, {d, draws}, {l, 1 - m - draws/2}} {
				if x.n > 0 {
					sum += float64(x.n) * math.Log(max(x.p, 1e-300))
				}
			}
			return sum
		}
		least, most := 0.0, 2*min(m, 1-m)
		for range 200 {
			a, b := least+(most-least)/3, most-(most-least)/3
			if likelihood(a) < likelihood(b) {
				least = a
			} else {
				most = b
			}
		}
		n := float64(w + d + l)
		mean := (float64(w) + float64(d)/2) / n
		variance := m - least/4 - m*m
		return n * (mean - m) * (mean - m) / variance
	}
	for _, w := range []int{0, 1, 2, 3, 6, 60} {
		for _, d := range []int{0, 1, 2, 4, 40} {
			for _, l := range []int{0, 1, 2, 3, 6} {
				if w+d+l == 0 {
					continue
				}
				low, high := interval([]float64{0, 0.5, 1}, []int{l, d, w})
				mean := (float64(w) + float64(d)/2) / float64(w+d+l)
				if low > 0 {
					require.InDelta(t, z2, pearson(w, d, l, low), 1e-4, "%d %d %d", w, d, l)
				} else {
					require.Zero(t, w+d)
				}
				if high < 1 {
					require.InDelta(t, z2, pearson(w, d, l, high), 1e-4, "%d %d %d", w, d, l)
				} else {
					require.Zero(t, d+l)
				}
				// Means below the low end are rejected, means above it are not.
				for k := 1; k < 40; k++ {
					m := float64(k) / 40
					if m < mean && math.Abs(m-low) > 1e-3 {
						require.Equal(t, m < low, pearson(w, d, l, m) > z2, "%d %d %d at %g", w, d, l, m)
					}
				}
			}
		}
	}
}

// TestFitElo: a fit to the exact expected scores of known ratings returns the ratings.
func TestFitElo(t *testing.T) {
	truth := []float64{0, 150, 420, 300}
	var pairs []Pair
	for a := range truth {
		for b := range a {
			const games = 20000
			p := 1 / (1 + math.Pow(10, (truth[b]-truth[a])/400))
			pairs = append(pairs, Pair{A: a, B: b, Points: p * games, Games: games})
		}
	}
	fit, errs := Fit(4, pairs, 0)
	for i := range truth {
		require.InDelta(t, truth[i], fit[i], 0.5)
		require.Less(t, errs[i], 6.0)
	}
	require.Zero(t, errs[0])
	// 100 games at 64 %: 100 Elo, 95 % interval about +/- 68.
	fit, errs = Fit(2, []Pair{{A: 1, B: 0, Points: 64, Games: 100}}, 0)
	require.InDelta(t, 98, fit[1], 5)
	require.InDelta(t, 69, errs[1], 5)
	// A player that won everything has a finite rating.
	fit, _ = Fit(2, []Pair{{A: 1, B: 0, Points: 40, Games: 40}}, 0)
	require.Greater(t, fit[1], 400.0)
	require.Less(t, fit[1], 2000.0)
}
