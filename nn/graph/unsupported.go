package graph

import (
	"slices"

	"kosumi/nn"
	"kosumi/nn/onnx"
)

// Unsupported lists the operators of a model, fused or not, that the kernels have no steps
// for, each once: what has some is computed rightly, and slowly. Errors are those of
// [Open].
func Unsupported(m *onnx.Model, spec nn.Spec) (operators []string, err error) {
	if _, err := fit(m, &spec); err != nil {
		return nil, err
	}
	l := &layout{model: m, spec: &spec, maxBatch: 1, pool: map[string]int{}, layers: map[*onnx.Node]*layer{}}
	if err := l.add(1); err != nil {
		return nil, err
	}
	for _, w := range l.plans[0].work {
		if w.unsupported != nil && !slices.Contains(operators, w.unsupported.node.OpType) {
			operators = append(operators, w.unsupported.node.OpType)
		}
	}
	return operators, nil
}
