package learn

import (
	"slices"

	"kosumi/nn"
)

// Names of the terms of a loss. They mean the same as in KataGo's python/katago/train/metrics_pytorch.py. A row counts
// in a term with the stated weight times column 25; the columns are those of KataGo's global targets. In taught rows
// the targets are the teacher's numbers, each with its own weight, even for terms that measure the network's own error
// in other rows.
const (
	// TermPolicy is the cross entropy of the policy with the search's policy this turn; weight: column 26.
	TermPolicy = "policy"
	// TermReply is the cross entropy of the predicted reply with the search's policy next turn; weight: column 28.
	TermReply = "reply"
	// TermSoftPolicy is TermPolicy with the fourth root of the target.
	TermSoftPolicy = "soft_policy"
	// TermSoftReply is TermReply with the fourth root of the target.
	TermSoftReply = "soft_reply"
	// TermOptimistic is the cross entropy of channel 1 of KataGo's policy with the search's policy this turn;
	// weight: column 26 times column 27, times a factor that is larger if the row went better than expected.
	TermOptimistic = "optimistic"
	// TermValue is the cross entropy with win, loss and no result, or, for
	// values in [-1,1], the squared error of win minus loss; weight: 1 minus column 35.
	TermValue = "value"
	// TermScoreMean is the Huber loss of the final score, delta 12 points; weight: column 27.
	TermScoreMean = "score_mean"
	// TermScoreStdev is the Huber loss, delta 10, of the predicted standard deviation. Its target
	// is sqrt(pi/2) times the distance of the predicted mean from the final score; with normal
	// errors its expectation is the standard deviation. Weight: column 27.
	TermScoreStdev = "score_stdev"
	// TermLead is the Huber loss of the lead, delta 8 points; weight: column 29.
	TermLead = "lead"
	// TermVarTime is the Huber loss of the arrival time of the variance, delta 50 turns; weight: column 27.
	TermVarTime = "variance_time"
	// TermValueError is the Huber loss, delta 0.4, of the predicted squared
	// distance of the value from the short-term search value; weight: column 27.
	TermValueError = "value_error"
	// TermScoreError is TermValueError for the score instead of the value, delta 100; weight: column 27.
	TermScoreError = "score_error"
	// TermOwnership is the binary cross entropy of the owner of each point, mean
	// over the board; column 27 of a row's targets is its weight.
	TermOwnership = "ownership"
	// TermTDValue is the divergence of a training-only output from the short-term search value, in
	// nats; its weight is 1 minus column 24 of a row's targets.
	TermTDValue = "td_value"
)

// terms lists the losses with KataGo's coefficients and the measures, which have no coefficient, each
// with an explanation in words.
var terms = []struct {
	name string
	coef float64
	text string
}{
	{TermPolicy, 0.93, "the search's moves against the policy: cross entropy, in nats"},
	{TermReply, 0.15, "the same for the opponent's next move"},
	{TermSoftPolicy, 8, "the same with the search's choice flattened, which teaches the order of unlikely moves"},
	{TermSoftReply, 1.2, "the opponent's next move, flattened"},
	{TermOptimistic, 0.1, "the moves that turned out better than expected"},
	{TermValue, 0.72, "the winner: cross entropy, 0.69 without knowledge; for networks with one value in [-1,1] the squared error, 1 without knowledge"},
	{TermTDValue, 0.72, "the value some turns later"},
	{TermScoreMean, 0.0015, "the final score in points: large numbers of small weight"},
	{TermScoreStdev, 0.001, "how uncertain the final score is"},
	{TermLead, 0.006, "the lead in points, as the search saw it"},
	{TermVarTime, 0.0003, "when the game will be decided, in turns"},
	{TermValueError, 2, "how far off the value is"},
	{TermScoreError, 0.00002, "how far off the score is"},
	{TermOwnership, 1.5, "the final owner of each point: cross entropy, 0.69 without knowledge"},

	{MeasurePolicyEntropy, 0, "the policy's loss if the network knew everything that the search knows"},
	{MeasurePolicyTop1, 0, "how often the network's first move is that of the search"},
	{MeasureValueEntropy, 0, "the value's loss if the network knew every result"},
	{MeasureValueAccuracy, 0, "how often the network names the winner"},
	{MeasureTaughtKL, 0, "how far the network's policy is from its teacher's, in nats"},
	{MeasureWinrateError, 0, "how far its winrate is from the teacher's, 0 to 1"},
	{MeasureLeadError, 0, "how far its lead is from the teacher's, in points"},
	{MeasureOwnershipError, 0, "how far its ownership of a point, -1 to 1, is from the teacher's"},
}

// TermNames lists the names of the losses of all kinds of networks.
func TermNames() (names []string) {
	for _, t := range terms {
		if t.coef > 0 {
			names = append(names, t.name)
		}
	}
	return names
}

// Explained explains a term or measure in words. It returns "" for unknown names.
func Explained(name string) string {
	for _, t := range terms {
		if t.name == name {
			return t.text
		}
	}
	return ""
}

// defaultLosses returns KataGo's coefficients for KataGo networks. For other kinds policy and value
// have coefficients 1 and 1, as in AlphaGo Zero, and networks with two heads have no other terms.
func defaultLosses(kind nn.Kind) map[string]float64 {
	all := map[string]float64{}
	for _, t := range terms {
		if t.coef > 0 && kind != nn.KindDualHead {
			all[t.name] = t.coef
		}
	}
	if kind != nn.KindKataGo {
		all[TermPolicy], all[TermValue] = 1, 1
	}
	return all
}

// Measures that are reported with the losses; they have no coefficient.
const (
	// MeasurePolicyEntropy is the entropy of the policy target, in nats: the least possible value
	// of TermPolicy.
	MeasurePolicyEntropy = "policy_entropy"
	// MeasurePolicyTop1 is the share of rows in which target and network prefer the same move.
	MeasurePolicyTop1 = "policy_top1"
	// MeasureValueEntropy is the entropy of the value target.
	MeasureValueEntropy = "value_entropy"
	// MeasureValueAccuracy is the share of rows of decided games in which the network names the winner.
	MeasureValueAccuracy = "value_accuracy"
	// MeasureTaughtKL is the divergence of the network's policy from the
	// teacher's, in nats. This and the next three are taken over taught rows only.
	MeasureTaughtKL = "policy_kl"
	// MeasureWinrateError is the mean distance, 0..1, of the network's winrate from the teacher's.
	// A winrate is (1 + win - loss) / 2.
	MeasureWinrateError = "winrate_error"
	// MeasureLeadError is the mean absolute error of leads in points, or of scores if the network
	// predicts no lead.
	MeasureLeadError = "lead_error"
	// MeasureOwnershipError is the mean distance, 0..2, of the network's ownership of a point from
	// the teacher's. Ownerships are in [-1,1].
	MeasureOwnershipError = "ownership_error"
)

// Term is one part of a result: the mean over its rows, each with its weight.
type Term struct {
	Name   string  `json:"name"`
	Mean   float64 `json:"mean"`   // 0, not NaN, if Weight is 0
	Weight float64 `json:"weight"` // sum of the weights of the rows
	Coef   float64 `json:"coef"`   // coefficient in the loss; 0 for measures
}

// Result is the result of a step or an evaluation.
type Result struct {
	Loss     float64 `json:"loss"` // sum of Coef x term over the rows, divided by Rows or, in a step, by Config.Batch
	Terms    []Term  `json:"terms"`
	GradNorm float64 `json:"grad_norm"` // before clipping; 0 in an evaluation
	Rate     float64 `json:"rate"`      // learning rate of the step
	Rows     int     `json:"rows"`
	// Skipped says that the loss or the gradient was not finite, so the weights did not change.
	Skipped bool `json:"skipped,omitempty"`
}

// Term returns the term or measure of a name; ok is false if there is none.
func (r *Result) Term(name string) (t Term, ok bool) {
	i := slices.IndexFunc(r.Terms, func(t Term) bool { return t.Name == name })
	if i < 0 {
		return Term{}, false
	}
	return r.Terms[i], true
}

// Add joins two results, as if their rows had been evaluated together.
func (r *Result) Add(o *Result) {
	if r.Rows == 0 {
		*r = *o
		r.Terms = slices.Clone(o.Terms)
		return
	}
	all := float64(r.Rows + o.Rows)
	r.Loss = (r.Loss*float64(r.Rows) + o.Loss*float64(o.Rows)) / all
	r.GradNorm = (r.GradNorm*float64(r.Rows) + o.GradNorm*float64(o.Rows)) / all
	for _, t := range o.Terms {
		i := slices.IndexFunc(r.Terms, func(u Term) bool { return u.Name == t.Name })
		if i < 0 {
			r.Terms = append(r.Terms, t)
			continue
		}
		u := &r.Terms[i]
		if w := u.Weight + t.Weight; w > 0 {
			u.Mean = (u.Mean*u.Weight + t.Mean*t.Weight) / w
			u.Weight = w
		}
	}
	r.Rows += o.Rows
	r.Rate = o.Rate
}
