package elo

import "slices"

// interval returns Rao's 95 % score interval for the mean of n > 0 independent scores;
// counts[i] of them were scores[i], and scores ascend from 0 to 1 in equal steps. A mean is in the
// interval unless Pearson's test rejects the likeliest distribution over the scores with that mean.
// Without draws it is Wilson's interval; for large n it approaches the mean ± 1.96 standard errors.
func interval(scores []float64, counts []int) (low, high float64) {
	back := slices.Clone(counts)
	slices.Reverse(back)
	return lowest(scores, counts), 1 - lowest(scores, back)
}

// lowest returns the lower end of interval. The likeliest distribution with a mean below that of the scores
// has probabilities proportional to counts[i] / (1 + u scores[i]) for some u > 0. If no score was
// 0, u has an upper bound, beyond which some of the probability moves to the score 0.
func lowest(scores []float64, counts []int) float64 {
	n, mean, inverse := 0.0, 0.0, 0.0
	for i, c := range counts {
		n += float64(c)
		mean += float64(c) * scores[i]
		if c > 0 {
			inverse += float64(c) / scores[i]
		}
	}
	mean /= n
	const z2 = z95 * z95
	if moved := n * mean / (n + z2); counts[0] == 0 && moved <= n/inverse {
		return moved
	}
	if mean == 0 {
		return 0
	}
	// tilted returns the mean for u, and how far Pearson's statistic is above its quantile.
	tilted := func(u float64) (m, above float64) {
		weight := 0.0
		for i, c := range counts {
			w := float64(c) / n / (1 + u*scores[i])
			weight += w
			m += w * scores[i]
		}
		m /= weight
		return m, n*u*weight*(mean-m) - z2
	}
	least, most := 0.0, 1.0 // bounds of u/(1+u)
	for range 60 {
		t := (least + most) / 2
		if _, above := tilted(t / (1 - t)); above < 0 {
			least = t
		} else {
			most = t
		}
	}
	m, _ := tilted(least / (1 - least))
	return m
}
