package learn

import (
	"kosumi/nn/onnx"
	"kosumi/train/rows"
)

// endWeight returns each row's weight for a target that needs the real end of a game. In rows of games this is
// TargetFinalWeight, and taught must be 0. In taught rows it is taught, the weight of the teacher's number.
func (l *losses) endWeight(taught onnx.Value) onnx.Value {
	return l.b.Mul(l.weight(), l.b.Add(l.column(rows.TargetFinalWeight), taught))
}

// known is 1 in rows where the teacher's number in the column is known, that is, above 0; else 0.
func (l *losses) known(column int64) onnx.Value { return l.b.Op("Sign", nil, l.column(column)) }

// orTaught returns the teacher's number in taught rows and the row's own number in others, where
// taught must be 0.
func (l *losses) orTaught(own, taught onnx.Value) onnx.Value {
	return l.b.Add(l.b.Mul(own, l.but(rows.TargetTaught)), taught)
}

// optimistic adds the term of the optimistic policy. In taught rows the target is the teacher's optimistic policy,
// which is stored where other rows have the reply. If the teacher has no optimistic policy, its plain one is the
// target: the search uses this output at full weight, and without training it would get worse as the trunk changes.
func (l *losses) optimistic(target onnx.Value) {
	b, own := l.b, l.known(rows.TargetTaughtLucky)
	use := b.Add(b.Mul(l.weight(rows.TargetPolicyWeight, rows.TargetFinalWeight), l.optimism()), l.weight(rows.TargetPolicyWeight, rows.TargetTaught))
	target = b.Add(b.Mul(target, b.Sub(b.Scalar(1), own)), b.Mul(l.target(inReply, l.area+1), own))
	l.add(TermOptimistic, l.crossEntropy(l.h.policy[1], target), use)
}

// fromTeacher adds measures of the distance between network and teacher in taught rows.
func (l *losses) fromTeacher() {
	b, policy := l.b, l.target(inPolicy, l.area+1)
	kl := b.Sub(l.crossEntropy(l.h.policy[0], policy), l.entropy(policy))
	l.add(MeasureTaughtKL, kl, l.weight(rows.TargetPolicyWeight, rows.TargetTaught))
	off := b.Op("Abs", nil, b.Sub(l.winLoss(), b.Sub(l.column(rows.TargetWin), l.column(rows.TargetLoss))))
	l.add(MeasureWinrateError, b.Mul(off, b.Scalar(0.5)), b.Mul(l.weight(rows.TargetTaught), l.but(rows.TargetNoValue)))
	if len(l.h.score) > 0 {
		l.add(MeasureLeadError, b.Op("Abs", nil, b.Sub(l.lead(), l.column(rows.TargetLead))), l.weight(rows.TargetLeadWeight, rows.TargetTaught))
	}
	if l.hasOwners() {
		owned := l.h.owned
		if l.h.ownership != "" {
			owned = b.Tanh(l.h.ownership)
		}
		l.add(MeasureOwnershipError, b.ReduceMean(b.Op("Abs", nil, b.Sub(owned, l.ownersTarget())), true, 1), l.weight(rows.TargetTaughtOwners))
	}
}
