package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// byTurn interpolates a setting by turn, from the value early at move 0 towards the value late. The
// distance to late halves every halflife moves of a 19x19 game, sooner on smaller boards.
func byTurn(early, late, halflife float64, turn int, sqrtArea float64) float64 {
	halvings := float64(turn) / halflife * 19 / sqrtArea
	return late + (early-late)*math.Exp2(-halvings)
}

// flatten applies the root's temperature at a turn to a policy; negative entries are illegal
// moves.
func (p *Params) flatten(policy []float32, turn int, sqrtArea float64) {
	r := &p.Root
	if r.PolicyTemperature == 1 && r.PolicyTemperatureEarly == 1 {
		return
	}
	temperature := byTurn(r.PolicyTemperatureEarly, r.PolicyTemperature, p.Choice.TemperatureHalflife, turn, sqrtArea)
	most := slices.Max(policy)
	if most <= 0 {
		return
	}
	top, sum := math.Log(float64(most)), 0.0
	for i, x := range policy {
		if x > 0 {
			policy[i] = float32(math.Exp((math.Log(float64(x)) - top) / temperature))
			sum += float64(policy[i])
		}
	}
	for i, x := range policy {
		if x > 0 {
			policy[i] = float32(float64(x) / sum)
		}
	}
}

// addNoise mixes Dirichlet noise into a policy; negative entries are illegal moves.
func (r *Root) addNoise(policy []float32, rng *rand.Rand) {
	alpha := make([]float64, len(policy))
	dirichletAlphas(alpha, policy, r)
	sum := 0.0
	for i, a := range alpha {
		if policy[i] >= 0 && a > 0 {
			alpha[i] = distuv.Gamma{Alpha: a, Beta: 1, Src: rng}.Rand()
			sum += alpha[i]
		}
	}
	if sum <= 0 {
		return
	}
	for i, p := range policy {
		if p >= 0 {
			policy[i] = float32((1-r.DirichletWeight)*float64(p) + r.DirichletWeight*alpha[i]/sum)
		}
	}
}

// dirichletAlphas shares the concentration out over the legal moves: evenly, or half evenly and
// half by how far the logarithm of a move's prior is above the average, where priors above 1 %
// count as 1 %.
func dirichletAlphas(alpha []float64, policy []float32, r *Root) {
	n, logs := 0, 0.0
	for i, p := range policy {
		if p >= 0 {
			n++
			alpha[i] = math.Log(min(float64(p), 0.01) + 1e-20)
			logs += alpha[i]
		}
	}
	if n == 0 {
		return
	}
	total := r.DirichletTotalConcentration
	if r.DirichletAlpha > 0 {
		total = r.DirichletAlpha * float64(n)
	}
	mean, shares := logs/float64(n), 0.0
	for i, p := range policy {
		if p >= 0 {
			alpha[i] = max(0, alpha[i]-mean)
			shares += alpha[i]
		}
	}
	even := 1 / float64(n)
	for i, p := range policy {
		if p < 0 {
			continue
		}
		if !r.DirichletShaped || shares <= 0 {
			alpha[i] = total * even
		} else {
			alpha[i] = total * (0.5*alpha[i]/shares + 0.5*even)
		}
	}
}
