package arch

import "kosumi/nn/onnx"

// Fold returns a copy of a network made for inference: BatchNormalization
// merged into the convolutions before it, nodes that do nothing dropped. The
// network given stays as it is and shares its weights with the copy.
func Fold(m *onnx.Model) *onnx.Model {
	c := m.Clone()
	onnx.RemoveIdentities(c.Graph)
	onnx.FoldBatchNorm(c)
	return c
}
