package nntest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/onnx"
)

// fixture is a set of files that all compute the same.
type fixture struct {
	reference string   // inputs and outputs, JSON
	outputs   []string // names of outputs in the reference, in the order of the networks' outputs
	files     []string
}

// fixtures are the files that PyTorch exported; see testdata/onnx/README.md.
var fixtures = []fixture{
	{"pytorch-dualhead-9x9.json", []string{"policy", "value"}, []string{
		"pytorch-dualhead-9x9.onnx", "pytorch-dualhead-9x9-plain.onnx", "pytorch-dualhead-9x9-bn.onnx",
		"pytorch-dualhead-9x9-dynamo.onnx", "pytorch-dualhead-9x9-latest.onnx",
	}},
	{"pytorch-agz-9x9.json", []string{"policy", "value"}, []string{"pytorch-agz-9x9.onnx"}},
	{"pytorch-seed-9x9.json", []string{"policy", "value", "score", "ownership"}, []string{"pytorch-seed-9x9.onnx"}},
}

// TestFixtures runs the backend on networks that PyTorch exported, from a folder, and compares the
// outputs with PyTorch's.
func TestFixtures(t *testing.T, folder string, open Opener) {
	for _, f := range fixtures {
		text := []byte(testshared.Read(t, filepath.Join(folder, f.reference)))
		var want map[string][]numbers
		require.NoError(t, json.Unmarshal(text, &want))
		for _, name := range f.files {
			t.Run(strings.TrimSuffix(name, ".onnx"), func(t *testing.T) {
				model := []byte(testshared.Read(t, filepath.Join(folder, name)))
				testFixture(t, open, model, f.outputs, want)
			})
		}
	}
}

// numbers is a list of numbers, or one number alone.
type numbers []float32

func (n *numbers) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]float32)(n))
	}
	*n = make(numbers, 1)
	return json.Unmarshal(b, &(*n)[0])
}

func testFixture(t *testing.T, open Opener, model []byte, outputs []string, want map[string][]numbers) {
	file, err := onnx.Read(model)
	require.NoError(t, err)
	feeds := file.Graph.Feeds()
	require.Len(t, feeds, 1)
	require.Len(t, file.Graph.Outputs, len(outputs))
	rows := len(want["planes"])
	if feeds[0].Shape[0].Known() {
		rows = 1
	}
	spec := SpecOf(t, file)
	b, err := open(t, model, spec, rows)
	require.NoError(t, err)
	defer b.Close()
	for first := 0; first < len(want["planes"]); first += rows {
		n := &Network{Spec: spec}
		for i := range rows {
			copy(row(spec.Inputs, b.Inputs(), i)[0], want["planes"][first+i])
		}
		require.NoError(t, b.Run(rows))
		for i := range rows {
			var reference [][]float32
			for _, name := range outputs {
				reference = append(reference, want[name][first+i])
			}
			closeTo(t, n, reference, row(spec.Outputs, b.Outputs(), i), "PyTorch's own")
		}
	}
}

// SpecOf describes a graph's inputs and outputs by their declared shapes, whose dimensions after
// the batch must be known.
func SpecOf(t testing.TB, m *onnx.Model) (spec nn.Spec) {
	t.Helper()
	specs := func(list []onnx.ValueInfo) (all []nn.TensorSpec) {
		for _, v := range list {
			sizes, known := v.Shape[1:].Sizes()
			require.True(t, known, "%s %v", v.Name, v.Shape)
			s := nn.TensorSpec{Name: v.Name}
			for _, n := range sizes {
				s.Shape = append(s.Shape, int(n))
			}
			all = append(all, s)
		}
		return all
	}
	spec.Inputs, spec.Outputs = specs(m.Graph.Feeds()), specs(m.Graph.Outputs)
	return spec
}
