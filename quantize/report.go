package quantize

import (
	"context"
	"errors"
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// Report compares a rewritten network with its float32 original, position by
// position: means over all of them. Differences are of post-processed outputs.
type Report struct {
	Positions    int     `json:"positions"`
	PolicyKL     float64 `json:"policy_kl"`     // Kullback-Leibler divergence from the original's policy, in nats
	PolicyKLMax  float64 `json:"policy_kl_max"` // the worst position's
	Top1         float64 `json:"policy_top1"`   // share of positions where both like the same move best
	Winrate      float64 `json:"winrate_error"` // of the side to move's winning probability, 0 to 1
	WinrateMax   float64 `json:"winrate_error_max"`
	Lead         float64 `json:"lead_error"` // in points
	LeadMax      float64 `json:"lead_error_max"`
	ScoreMean    float64 `json:"score_error"`
	Ownership    float64 `json:"ownership_error"` // of each point's value in [-1,1]
	HasLead      bool    `json:"has_lead"`
	HasOwnership bool    `json:"has_ownership"`
	WinrateBias  float64 `json:"winrate_bias"` // mean signed error
	LeadBias     float64 `json:"lead_bias"`
	Unusable     int     `json:"unusable"` // positions where the network gave NaN or infinity
}

// String is one line for people.
func (r Report) String() string {
	s := fmt.Sprintf("policy KL %.4f, top-1 %.1f %%, winrate error %.4f", r.PolicyKL, 100*r.Top1, r.Winrate)
	if r.HasLead {
		s += fmt.Sprintf(", lead error %.2f", r.Lead)
	}
	if r.HasOwnership {
		s += fmt.Sprintf(", ownership error %.4f", r.Ownership)
	}
	return s + fmt.Sprintf(" (%d positions)", r.Positions)
}

// compareBatch is the batch in which positions are compared.
const compareBatch = 8

// compareGraph runs a rewritten graph of a network beside the original.
func compareGraph(ctx context.Context, m *model.Model, size board.Size, rewritten *onnx.Model, o Options) (Report, error) {
	var r Report
	data, err := rewritten.Marshal()
	if err != nil {
		return r, err
	}
	spec, err := m.Spec(size)
	if err != nil {
		return r, err
	}
	b, err := ort.Open(data, spec, ort.Config{Library: o.Library, MaxBatch: compareBatch})
	if err != nil {
		return r, fmt.Errorf("the quantized network: %w", err)
	}
	defer b.Close()
	err = compare(ctx, m, size, b, o.Verify, &r, func(done int) { o.Progress("compare", done, len(o.Verify)) })
	r.mean()
	return r, err
}

// Compare evaluates positions, of any sizes, with a network as its file has it
// and with another opening of it, as that computes.
func Compare(ctx context.Context, m, other *model.Model, games []*board.Game) (Report, error) {
	var r Report
	bySize := map[board.Size][]*board.Game{}
	for _, g := range games {
		bySize[g.Size()] = append(bySize[g.Size()], g)
	}
	for size, part := range bySize {
		b, err := other.Open(size, compareBatch)
		if err != nil {
			return r, err
		}
		err = compare(ctx, m, size, b, part, &r, nil)
		if err = errors.Join(err, b.Close()); err != nil {
			return r, err
		}
	}
	r.mean()
	return r, nil
}

// compare adds to a report how the answers of a backend differ.
func compare(ctx context.Context, m *model.Model, size board.Size, b nn.Backend, games []*board.Game, r *Report, progress func(done int)) error {
	want, err := answers(ctx, m, size, games)
	if err != nil {
		return err
	}
	spec, err := m.Spec(size)
	if err != nil {
		return err
	}
	return evaluate(ctx, b, spec, size, games, func(i int, out *nn.Output, ok bool) {
		if !ok {
			r.Unusable++
		}
		r.add(&want[i], out, size)
		if progress != nil {
			progress(i + 1)
		}
	})
}

// answers evaluates positions with the original network.
func answers(ctx context.Context, m *model.Model, size board.Size, games []*board.Game) ([]nn.Output, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	b, err := m.OpenOriginal(size, compareBatch)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	all := make([]nn.Output, len(games))
	return all, evaluate(ctx, b, spec, size, games, func(i int, out *nn.Output, _ bool) { all[i] = *out })
}

// evaluate runs positions through one backend, in order.
func evaluate(ctx context.Context, b nn.Backend, spec nn.Spec, size board.Size, games []*board.Game, see func(i int, out *nn.Output, ok bool)) error {
	codec, err := nn.NewCodec(spec, size)
	if err != nil {
		return err
	}
	batch := b.MaxBatch()
	in, out := nn.Rows(spec.Inputs, b.Inputs(), batch), nn.Rows(spec.Outputs, b.Outputs(), batch)
	scratch := codec.NewScratch()
	var answer nn.Output
	for at := 0; at < len(games); at += batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := games[at:min(at+batch, len(games))]
		for i, g := range part {
			if err := codec.Encode(&nn.Query{Game: g, Meta: &features.Amateurs}, 0, in[i], scratch); err != nil {
				return err
			}
		}
		if err := b.Run(len(part)); err != nil {
			return err
		}
		for i, g := range part {
			ok := codec.Decode(&nn.Query{Game: g, NeedOwnership: true, Meta: &features.Amateurs}, 0, out[i], scratch, &answer)
			see(at+i, &answer, ok)
		}
	}
	return nil
}

// add counts one position.
func (r *Report) add(want, got *nn.Output, size board.Size) {
	r.Positions++
	n := size.Area() + 1
	kl, best, bestGot := 0.0, 0, 0
	for i := range n {
		p, q := float64(want.Policy[i]), float64(got.Policy[i])
		if p > 0 {
			kl += p * math.Log(p/math.Max(q, 1e-12))
		}
		if want.Policy[i] > want.Policy[best] {
			best = i
		}
		if got.Policy[i] > got.Policy[bestGot] {
			bestGot = i
		}
	}
	r.PolicyKL += kl
	r.PolicyKLMax = math.Max(r.PolicyKLMax, kl)
	if best == bestGot {
		r.Top1++
	}
	win := float64(got.Value()-want.Value()) / 2
	r.Winrate += math.Abs(win)
	r.WinrateBias += win
	r.WinrateMax = math.Max(r.WinrateMax, math.Abs(win))
	if want.HasScore {
		r.HasLead = true
		r.Lead += math.Abs(float64(got.Lead - want.Lead))
		r.LeadMax = math.Max(r.LeadMax, math.Abs(float64(got.Lead-want.Lead)))
		r.LeadBias += float64(got.Lead - want.Lead)
		r.ScoreMean += math.Abs(float64(got.ScoreMean - want.ScoreMean))
	}
	if want.HasOwnership {
		r.HasOwnership = true
		sum := 0.0
		for i := range size.Area() {
			sum += math.Abs(float64(got.Ownership[i] - want.Ownership[i]))
		}
		r.Ownership += sum / float64(size.Area())
	}
}

// mean turns sums into means.
func (r *Report) mean() {
	n := float64(max(r.Positions, 1))
	for _, x := range []*float64{&r.PolicyKL, &r.Top1, &r.Winrate, &r.WinrateBias, &r.Lead, &r.LeadBias, &r.ScoreMean, &r.Ownership} {
		*x /= n
	}
}
