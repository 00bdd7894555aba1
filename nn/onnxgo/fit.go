package onnxgo

import (
	"fmt"
	"slices"
	"strings"

	"kosumi/nn"
	"kosumi/nn/onnx"
)

// fixInputs checks the model's inputs against the description and fixes them at
// one row.
func fixInputs(m *onnx.Model, spec *nn.Spec) error {
	if len(spec.Inputs) == 0 || len(spec.Outputs) == 0 {
		return fmt.Errorf("%w: it names %d inputs and %d outputs; at least one input and one output are needed", nn.ErrSpec, len(spec.Inputs), len(spec.Outputs))
	}
	feeds := m.Graph.Feeds()
	for i := range spec.Inputs {
		s := &spec.Inputs[i]
		at := slices.IndexFunc(feeds, func(v onnx.ValueInfo) bool { return v.Name == s.Name })
		if at < 0 {
			return fmt.Errorf("%w: the network has no input %q; it has %s", nn.ErrSpec, s.Name, list(feeds))
		}
		if err := fits("input", s, feeds[at]); err != nil {
			return err
		}
		for j := range m.Graph.Inputs {
			if in := &m.Graph.Inputs[j]; in.Name == s.Name {
				in.Shape = rowShape(s)
				in.Type = onnx.Float
			}
		}
	}
	for _, f := range feeds {
		if !slices.ContainsFunc(spec.Inputs, func(s nn.TensorSpec) bool { return s.Name == f.Name }) {
			return fmt.Errorf("%w: the network also wants input %q %v", nn.ErrSpec, f.Name, f.Shape)
		}
	}
	return nil
}

// checkOutputs compares what inference says of the outputs, at one row, with
// the description.
func checkOutputs(m *onnx.Model, spec *nn.Spec, infos map[string]onnx.ValueInfo) error {
	for i := range spec.Outputs {
		s := &spec.Outputs[i]
		if !slices.ContainsFunc(m.Graph.Outputs, func(v onnx.ValueInfo) bool { return v.Name == s.Name }) {
			return fmt.Errorf("%w: the network has no output %q; it has %s", nn.ErrSpec, s.Name, list(m.Graph.Outputs))
		}
		if err := fits("output", s, infos[s.Name]); err != nil {
			return err
		}
	}
	return nil
}

// fits compares a declared or inferred tensor with its description. Unknown
// dimensions pass.
func fits(what string, s *nn.TensorSpec, v onnx.ValueInfo) error {
	for _, d := range s.Shape {
		if d <= 0 {
			return fmt.Errorf("%w: %s %q has dimension %d in its row %v", nn.ErrSpec, what, s.Name, d, s.Shape)
		}
	}
	if v.Type != onnx.Float && v.Type != onnx.Undefined {
		return fmt.Errorf("%w: %s %q is %v; float32 is needed", nn.ErrSpec, what, s.Name, v.Type)
	}
	if v.Shape == nil {
		return nil
	}
	want := rowShape(s)
	ok := len(want) == len(v.Shape)
	for i := 1; ok && i < len(want); i++ {
		ok = !v.Shape[i].Known() || v.Shape[i] == want[i]
	}
	if !ok {
		return fmt.Errorf("%w: %s %q is %v in the network; a batch of %v was expected", nn.ErrSpec, what, s.Name, v.Shape, s.Shape)
	}
	if v.Shape[0].Known() && v.Shape[0].Size != 1 {
		return fmt.Errorf("%w: %s %q takes exactly %d rows a run, and this backend computes one at a time", nn.ErrSpec, what, s.Name, v.Shape[0].Size)
	}
	return nil
}

// rowShape is the shape of one row with its batch of 1.
func rowShape(s *nn.TensorSpec) onnx.Shape {
	shape := onnx.Shape{onnx.D(1)}
	for _, d := range s.Shape {
		shape = append(shape, onnx.D(int64(d)))
	}
	return shape
}

func list(vs []onnx.ValueInfo) string {
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = fmt.Sprintf("%q %v", v.Name, v.Shape)
	}
	return strings.Join(texts, ", ")
}
