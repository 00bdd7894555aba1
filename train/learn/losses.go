package learn

import (
	"math"

	"kosumi/nn"
	"kosumi/nn/onnx"
	"kosumi/train/rows"
)

// Names of the inputs for the targets of a batch. Each target is a field of rows.Batch.
const (
	inPolicy  = "target/policy"
	inReply   = "target/reply"
	inGlobals = "target/globals"
	inPoints  = "target/points"
)

// Outputs of a graph with losses.
const (
	outLoss     = "loss"     // scalar
	outMeasures = "measures" // [2K]: weighted sums over rows of K terms and measures, then sums of the weights
)

// measured is a term or, if coef is 0, a measure.
type measured struct {
	name         string
	coef         float64
	rows, weight onnx.Value // [N,1]
}

// losses adds terms to a graph.
type losses struct {
	b     *onnx.Builder
	spec  *nn.Spec
	batch int64
	area  int64
	h     *heads
	coefs map[string]float64
	aux   *auxHeads // nil without auxiliary heads

	globals onnx.Value
	inputs  map[string]onnx.Value
	list    []measured
	stops   []string // values that no gradient flows through
}

// target declares an input of targets once and returns it.
func (l *losses) target(name string, dims ...any) onnx.Value {
	if v, ok := l.inputs[name]; ok {
		return v
	}
	v := l.b.Input(name, onnx.Float, append([]any{l.batch}, dims...)...)
	l.inputs[name] = v
	return v
}

// column is one of KataGo's global targets, [N,1].
func (l *losses) column(i int64) onnx.Value {
	return l.b.Slice(l.globals, 1, i, i+1)
}

// weight is a row's weight times the given columns.
func (l *losses) weight(columns ...int64) onnx.Value {
	w := l.column(rows.TargetGlobalWeight)
	for _, c := range columns {
		w = l.b.Mul(w, l.column(c))
	}
	return w
}

func (l *losses) but(column int64) onnx.Value {
	return l.b.Sub(l.b.Scalar(1), l.column(column))
}

func (l *losses) stop(v onnx.Value) onnx.Value {
	v = l.b.Op("Identity", nil, v)
	l.stops = append(l.stops, string(v))
	return v
}

func (l *losses) add(name string, rows, weight onnx.Value) {
	l.list = append(l.list, measured{name, l.coefs[name], rows, weight})
}

// build adds every term and returns the terms and measures. The graph gets the outputs outLoss and
// outMeasures.
func (l *losses) build() []measured {
	l.globals = l.target(inGlobals, rows.Targets)
	l.policies()
	l.values()
	l.scores()
	l.owners()
	l.fromTeacher()
	var total onnx.Value
	var sums, weights []onnx.Value
	for _, m := range l.list {
		sum := l.b.ReduceSum(l.b.Mul(m.rows, m.weight), true, 0)
		sums, weights = append(sums, sum), append(weights, l.b.ReduceSum(m.weight, true, 0))
		if m.coef == 0 {
			continue
		}
		part := l.b.Mul(sum, l.b.Scalar(m.coef/float64(l.batch)))
		if total == "" {
			total = part
		} else {
			total = l.b.Add(total, part)
		}
	}
	if total == "" {
		l.b.Fail("every loss is switched off")
		return nil
	}
	l.b.Output(outLoss, l.b.Reshape(total, 1))
	l.b.Output(outMeasures, l.b.Reshape(l.b.Concat(0, append(sums, weights...)...), -1))
	return l.list
}

// sumRows adds up all but the first axis: [N,K] to [N,1].
func (l *losses) sumRows(v onnx.Value) onnx.Value { return l.b.ReduceSum(v, true, 1) }

// crossEntropy returns -sum target log softmax(logits) of each row, [N,K] to [N,1].
func (l *losses) crossEntropy(logits, target onnx.Value) onnx.Value {
	return l.b.Op("Neg", nil, l.sumRows(l.b.Mul(target, l.b.LogSoftmax(logits, -1))))
}

// entropy returns the entropy of each distribution, [N,K] to [N,1].
func (l *losses) entropy(p onnx.Value) onnx.Value {
	return l.b.Op("Neg", nil, l.sumRows(l.b.Mul(p, l.b.Log(l.b.Max(p, l.b.Scalar(1e-30))))))
}

func (l *losses) policies() {
	target := l.target(inPolicy, l.area+1)
	w := l.weight(rows.TargetPolicyWeight)
	if l.coefs[TermPolicy] > 0 {
		l.add(TermPolicy, l.crossEntropy(l.h.policy[0], target), w)
	}
	l.add(MeasurePolicyEntropy, l.entropy(target), w)
	hit := l.b.Op("Equal", nil, l.top(l.h.policy[0]), l.top(target))
	l.add(MeasurePolicyTop1, l.b.Cast(hit, onnx.Float), w)
	if len(l.h.policy) > 1 && l.coefs[TermOptimistic] > 0 && l.h.wdl && len(l.h.score) > 1 {
		l.optimistic(target)
	}
	if l.aux == nil {
		return
	}
	if v := l.aux.policy[TermReply]; v != "" {
		l.add(TermReply, l.crossEntropy(v, l.target(inReply, l.area+1)), l.weight(rows.TargetReplyWeight))
	}
	if v := l.aux.policy[TermSoftPolicy]; v != "" {
		l.add(TermSoftPolicy, l.crossEntropy(v, l.soften(target)), w)
	}
	if v := l.aux.policy[TermSoftReply]; v != "" {
		l.add(TermSoftReply, l.crossEntropy(v, l.soften(l.target(inReply, l.area+1))), l.weight(rows.TargetReplyWeight))
	}
}

// top is the index of the largest number in each row, [N,1].
func (l *losses) top(v onnx.Value) onnx.Value {
	return l.b.Op("ArgMax", onnx.Attrs{"axis": onnx.AttrInt(1), "keepdims": onnx.AttrInt(1)}, v)
}

// soften takes the fourth root of a distribution.
func (l *losses) soften(p onnx.Value) onnx.Value {
	p = l.b.Sqrt(l.b.Sqrt(l.b.Add(p, l.b.Scalar(1e-7))))
	return l.b.Div(p, l.sumRows(p))
}

// optimism weighs a row by how much better than expected it went (KataGo's long-term optimistic
// policy): clip(win² + sigmoid(3(z-1.5)), 0, 1), where z is the score minus the predicted
// mean, divided by sqrt(predicted variance + 1/4).
func (l *losses) optimism() onnx.Value {
	b := l.b
	win := b.Add(l.column(rows.TargetWin), b.Mul(l.column(rows.TargetNoResult), b.Scalar(0.5)))
	mean, dev := l.scoreMean(), l.scoreStdev()
	spread := b.Sqrt(b.Add(b.Mul(dev, dev), b.Scalar(0.25)))
	z := b.Div(b.Sub(l.column(rows.TargetScore), mean), spread)
	lucky := b.Sigmoid(b.Mul(b.Sub(z, b.Scalar(1.5)), b.Scalar(3)))
	return l.stop(b.Clip(b.Add(b.Mul(win, win), lucky), 0, 1))
}

func (l *losses) values() {
	b := l.b
	w := b.Mul(l.weight(), l.but(rows.TargetNoValue))
	target := b.Slice(l.globals, 1, rows.TargetWin, rows.TargetNoResult+1)
	truth := b.Sub(l.column(rows.TargetWin), l.column(rows.TargetLoss))
	says := l.h.value
	if l.h.wdl {
		says = b.Sub(b.Slice(says, 1, 0, 1), b.Slice(says, 1, 1, 2))
		if l.coefs[TermValue] > 0 {
			l.add(TermValue, l.crossEntropy(l.h.value, target), w)
		}
		l.add(MeasureValueEntropy, l.entropy(target), w)
	} else if l.coefs[TermValue] > 0 {
		d := b.Sub(says, truth)
		l.add(TermValue, b.Mul(d, d), w)
	}
	decided := b.Op("Abs", nil, b.Op("Sign", nil, truth))
	right := b.Op("Equal", nil, b.Op("Sign", nil, says), b.Op("Sign", nil, truth))
	l.add(MeasureValueAccuracy, b.Cast(right, onnx.Float), b.Mul(w, decided))
	if l.aux != nil && l.aux.tdValue != "" {
		short := b.Slice(l.globals, 1, rows.TargetShort, rows.TargetShort+3)
		ce := b.Sub(l.crossEntropy(l.aux.tdValue, short), l.entropy(short))
		l.add(TermTDValue, ce, b.Mul(l.weight(), l.but(rows.TargetNoTD)))
	}
}

// winLoss is the predicted win minus loss, [N,1].
func (l *losses) winLoss() onnx.Value {
	if !l.h.wdl {
		return l.h.value
	}
	p := l.b.Softmax(l.h.value, -1)
	return l.b.Sub(l.b.Slice(p, 1, 0, 1), l.b.Slice(p, 1, 1, 2))
}

// huber is x²/2 up to |x| = delta and linear beyond.
func (l *losses) huber(x onnx.Value, delta float64) onnx.Value {
	b := l.b
	a := b.Op("Abs", nil, x)
	near := b.Min(a, b.Scalar(delta))
	return b.Mul(near, b.Sub(a, b.Mul(near, b.Scalar(0.5))))
}

// softplus is ln(1+e^x), with a gradient that never vanishes; see lively.
func (l *losses) softplus(x onnx.Value) onnx.Value { return l.lively(x, l.b.Softplus(x)) }

// lively returns y, a function of x that is flat for low x, and gives it the slope 0.05 + 0.95 dy/dx
// in training, so that gradients never vanish.
func (l *losses) lively(x, y onnx.Value) onnx.Value {
	h := l.b.Add(l.b.Mul(x, l.b.Scalar(0.05)), l.b.Mul(y, l.b.Scalar(0.95)))
	return l.b.Add(l.stop(l.b.Sub(y, h)), h)
}

// scoreMean is the predicted score in points, [N,1].
func (l *losses) scoreMean() onnx.Value {
	if l.spec.Kind != nn.KindKataGo {
		return l.h.score[0]
	}
	if l.spec.KataGo.Version <= 3 {
		return l.b.Mul(l.h.score[0], l.b.Scalar(2*math.Sqrt(float64(l.area))))
	}
	return l.b.Mul(l.h.score[0], l.b.Scalar(l.spec.KataGo.Multipliers.ScoreMean))
}

// scoreStdev is the predicted standard deviation of the score in points.
func (l *losses) scoreStdev() onnx.Value {
	return l.b.Mul(l.softplus(l.h.score[1]), l.b.Scalar(l.spec.KataGo.Multipliers.ScoreStdev))
}

// lead is the predicted lead in points, or the mean score if the network has no lead.
func (l *losses) lead() onnx.Value {
	if len(l.h.score) <= 3 {
		return l.scoreMean()
	}
	return l.b.Mul(l.h.score[2], l.b.Scalar(l.spec.KataGo.Multipliers.Lead))
}

func (l *losses) scores() {
	if len(l.h.score) == 0 {
		return
	}
	b, truth, mean := l.b, l.column(rows.TargetScore), l.scoreMean()
	if l.coefs[TermScoreMean] > 0 {
		l.add(TermScoreMean, l.huber(b.Sub(mean, truth), 12), l.endWeight(l.column(rows.TargetTaughtScore)))
	}
	if l.spec.Kind != nn.KindKataGo {
		return
	}
	mult := &l.spec.KataGo.Multipliers
	if len(l.h.score) > 1 && l.coefs[TermScoreStdev] > 0 {
		off := b.Mul(b.Op("Abs", nil, b.Sub(l.stop(mean), truth)), b.Scalar(math.Sqrt(math.Pi/2)))
		off = l.orTaught(off, l.column(rows.TargetTaughtStdev))
		l.add(TermScoreStdev, l.huber(b.Sub(l.scoreStdev(), off), 10), l.endWeight(l.known(rows.TargetTaughtStdev)))
	}
	if len(l.h.score) > 3 && l.coefs[TermLead] > 0 {
		l.add(TermLead, l.huber(b.Sub(l.lead(), l.column(rows.TargetLead)), 8), l.weight(rows.TargetLeadWeight))
	}
	if len(l.h.score) > 3 && l.coefs[TermVarTime] > 0 {
		time := b.Mul(l.softplus(l.h.score[3]), b.Scalar(mult.VarTime))
		l.add(TermVarTime, l.huber(b.Sub(time, b.Add(l.column(rows.TargetArrival), b.Scalar(1e-5))), 50),
			l.endWeight(b.Mul(l.column(rows.TargetTaught), l.known(rows.TargetArrival))))
	}
	if len(l.h.score) > 5 {
		l.errors(mean)
	}
}

// errors adds the terms of the predicted squared short-term errors. KataGo measures them against
// the network's own short-term values and scores, which its files do not contain; here the value
// and the score mean replace them. Taught rows have the errors that the teacher expects.
func (l *losses) errors(mean onnx.Value) {
	b, mult := l.b, &l.spec.KataGo.Multipliers
	if l.coefs[TermValueError] > 0 {
		v := l.stop(l.winLoss())
		d := b.Sub(v, b.Sub(l.column(rows.TargetShort), l.column(rows.TargetShort+1)))
		taught := l.column(rows.TargetTaughtValue)
		square := l.orTaught(b.Add(b.Mul(d, d), b.Scalar(1e-8)), b.Mul(taught, taught))
		l.add(TermValueError, l.huber(b.Sub(l.squaredError(l.h.score[4], mult.STValueError), square), 0.4), l.endWeight(l.known(rows.TargetTaughtValue)))
	}
	if l.coefs[TermScoreError] > 0 {
		d := b.Sub(l.stop(mean), l.column(rows.TargetShort+3))
		taught := l.column(rows.TargetTaughtPoints)
		square := l.orTaught(b.Add(b.Mul(d, d), b.Scalar(1e-4)), b.Mul(taught, taught))
		l.add(TermScoreError, l.huber(b.Sub(l.squaredError(l.h.score[5], mult.STScoreError), square), 100), l.endWeight(l.known(rows.TargetTaughtPoints)))
	}
}

// squaredError is an error head's output as a squared error: softplus(x/2)² from
// version 14 on, softplus(x) before, times the multiplier.
func (l *losses) squaredError(x onnx.Value, mult float64) onnx.Value {
	b := l.b
	if l.spec.KataGo.Version >= 14 {
		y := b.Softplus(b.Mul(x, b.Scalar(0.5)))
		return b.Mul(l.lively(x, b.Mul(y, y)), b.Scalar(mult))
	}
	return b.Mul(l.softplus(x), b.Scalar(mult))
}

// hasOwners reports whether the network has an ownership output and trains it.
func (l *losses) hasOwners() bool {
	return l.coefs[TermOwnership] > 0 && (l.h.ownership != "" || l.h.owned != "")
}

// ownersTarget is the owner of each point in [-1,1], [N,A].
func (l *losses) ownersTarget() onnx.Value {
	points := l.target(inPoints, 5, l.spec.Inputs[0].Shape[1], l.spec.Inputs[0].Shape[2])
	return l.b.Reshape(l.b.Slice(points, 1, 0, 1), l.batch, l.area)
}

func (l *losses) owners() {
	b := l.b
	if !l.hasOwners() {
		return
	}
	truth, w := l.ownersTarget(), l.endWeight(l.column(rows.TargetTaughtOwners))
	if l.h.ownership == "" {
		d := b.Sub(l.h.owned, truth)
		l.add(TermOwnership, b.ReduceMean(b.Mul(d, d), true, 1), w)
		return
	}
	// Binary cross entropy with logit x = 2*raw and target t = (1+o)/2: softplus(x) - t x.
	x := b.Mul(l.h.ownership, b.Scalar(2))
	t := b.Mul(b.Add(truth, b.Scalar(1)), b.Scalar(0.5))
	l.add(TermOwnership, b.ReduceMean(b.Sub(b.Softplus(x), b.Mul(t, x)), true, 1), w)
}
