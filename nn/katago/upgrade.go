package katago

import (
	"math"
	"math/rand/v2"
	"slices"
)

// freshVersion is the version of the networks that Fresh and Upgrade make.
const freshVersion = 15

// The short-term errors that an upgraded network predicts at first: of win minus loss, and of the score
// in points. With these values the search gives an evaluation the weight it has without predictions.
const (
	firstValueError = 0.18
	firstScoreError = 3
)

// Upgrade turns a network of version 8 to 14 into one of version 15, which gives the same answers
// and can learn its new parts: a second layer for the pass; an optimistic policy, which begins as
// a copy of the plain one; and short-term errors, which begin as constants (version 14 keeps its
// own). Networks of other versions, or with a policy too narrow for the second layer, are returned
// unchanged. The result shares unchanged layers with n.
func Upgrade(n *Network) *Network {
	h, p, v := n.Header, n.Policy, n.Value
	old := p.Channels
	if h.Version < 8 || h.Version >= freshVersion || p.P1.Out < 2*old {
		return n
	}
	p.Channels = 2
	p.upgradePass()
	if old == 1 {
		p.P2.Out, p.P2.Weights = 2, moreColumns(p.P2.Weights, 1, 2)
		for i := 0; i < len(p.P2.Weights); i += 2 {
			p.P2.Weights[i+1] = p.P2.Weights[i]
		}
	}
	if h.Version < 14 {
		h.Multipliers.ShorttermScoreErr = 150
		errors := []float32{
			rawError(firstValueError, h.Multipliers.ShorttermValueErr),
			rawError(firstScoreError, h.Multipliers.ShorttermScoreErr)}
		v.ScoreBias.Weights = append(slices.Clone(v.ScoreBias.Weights[:4]), errors...)
		scores := moreColumns(v.Score.Weights, v.Score.Out, 6)
		for i := 0; i < len(scores); i += 6 {
			clear(scores[i+4 : i+6])
		}
		v.Score.Out, v.Score.Weights, v.ScoreBias.Channels = 6, scores, 6
	}
	h.Version = freshVersion
	return &Network{Header: h, Trunk: n.Trunk, Policy: p, Value: v, Source: n.Source}
}

// upgradePass inserts a layer between the pooled features and the pass logits. For each logit x
// the layer computes ReLU(x) and ReLU(-x), whose difference is x; its other outputs are unused so
// far.
func (p *PolicyHead) upgradePass() {
	in, old, hidden := p.Pass1.In, p.Pass1.Out, p.P1.Out
	f := fresh{arch: Arch{Activation: ReLU}, rng: rand.New(rand.NewPCG(1, freshVersion))}
	first := f.matmul(p.Pass1.Name, in, hidden, ReLU, 1)
	second := MatMul{Name: p.Pass1.Name + "_2", In: hidden, Out: 2, Weights: filled(2*hidden, 0)}
	bias := f.bias(p.Pass1.Name+"_bias", hidden, in, ReLU)
	clear(bias.Weights[:2*old])
	for i := range in {
		for c, w := range p.Pass1.Weights[i*old:][:old] {
			first.Weights[i*hidden+2*c], first.Weights[i*hidden+2*c+1] = w, -w
		}
	}
	for c := range 2 {
		at := 2 * min(c, old-1)
		second.Weights[2*at+c], second.Weights[2*(at+1)+c] = 1, -1
	}
	p.Pass1, p.PassBias, p.PassAct, p.Pass2 = first, bias, f.act(p.Pass1.Name+"_act"), second
}

// moreColumns returns a matrix with more columns; the new ones come last and are 0.
func moreColumns(m []float32, old, wide int) []float32 {
	to := make([]float32, len(m)/old*wide)
	for i := 0; i*old < len(m); i++ {
		copy(to[i*wide:(i+1)*wide], m[i*old:(i+1)*old])
	}
	return to
}

// rawError returns the raw network output that means an error of the given size, from version 14 on.
func rawError(size, multiplier float64) float32 {
	return float32(2 * math.Log(math.Expm1(size/math.Sqrt(multiplier))))
}
