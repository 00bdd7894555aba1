package graph

import (
	"fmt"
	"slices"
	"strings"

	"kosumi/nn"
	"kosumi/nn/onnx"
)

// checkPorts compares what the model declares of its inputs and outputs with the
// description, as far as it is declared. fixed says that the graph takes exactly one row.
func checkPorts(m *onnx.Model, spec *nn.Spec) (fixed bool, err error) {
	if len(spec.Inputs) == 0 || len(spec.Outputs) == 0 {
		return false, fmt.Errorf("%w: it names %d inputs and %d outputs; at least one input and one output are needed", nn.ErrSpec, len(spec.Inputs), len(spec.Outputs))
	}
	feeds := m.Graph.Feeds()
	for _, side := range []struct {
		what  string
		specs []nn.TensorSpec
		have  []onnx.ValueInfo
	}{{"input", spec.Inputs, feeds}, {"output", spec.Outputs, m.Graph.Outputs}} {
		for i := range side.specs {
			s := &side.specs[i]
			at := slices.IndexFunc(side.have, func(v onnx.ValueInfo) bool { return v.Name == s.Name })
			if at < 0 {
				return false, fmt.Errorf("%w: the network has no %s %q; it has %s", nn.ErrSpec, side.what, s.Name, listed(side.have))
			}
			one, err := checkPort(side.what, s, side.have[at])
			if err != nil {
				return false, err
			}
			fixed = fixed || one
		}
	}
	for _, v := range feeds {
		if !slices.ContainsFunc(spec.Inputs, func(s nn.TensorSpec) bool { return s.Name == v.Name }) {
			return false, fmt.Errorf("%w: the network also wants input %q %v", nn.ErrSpec, v.Name, v.Shape)
		}
	}
	return fixed, nil
}

func checkPort(what string, s *nn.TensorSpec, v onnx.ValueInfo) (one bool, err error) {
	for _, d := range s.Shape {
		if d <= 0 {
			return false, fmt.Errorf("%w: %s %q has dimension %d in its row %v", nn.ErrSpec, what, s.Name, d, s.Shape)
		}
	}
	if v.Type != onnx.Float && v.Type != onnx.Undefined {
		return false, fmt.Errorf("%w: %s %q is %v; float32 is needed", nn.ErrSpec, what, s.Name, v.Type)
	}
	if v.Shape == nil {
		return false, nil
	}
	fits := len(v.Shape) == len(s.Shape)+1
	for i := 0; fits && i < len(s.Shape); i++ {
		d := v.Shape[i+1]
		fits = !d.Known() || d.Size == int64(s.Shape[i])
	}
	if !fits {
		return false, fmt.Errorf("%w: %s %q is %v in the network; a batch of %v was expected", nn.ErrSpec, what, s.Name, v.Shape, s.Shape)
	}
	if batch := v.Shape[0]; batch.Known() && batch.Size != 1 {
		return false, fmt.Errorf("%w: %s %q takes exactly %d rows a run; one, or any number, is needed", nn.ErrSpec, what, s.Name, batch.Size)
	}
	return v.Shape[0].Known(), nil
}

func listed(vs []onnx.ValueInfo) string {
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = fmt.Sprintf("%q %v", v.Name, v.Shape)
	}
	return strings.Join(texts, ", ")
}
