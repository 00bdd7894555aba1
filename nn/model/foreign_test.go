package model_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/model"
	"kosumi/nn/onnx"
)

func changed(t *testing.T, fixture string, change func(*onnx.Model)) string {
	t.Helper()
	m, err := onnx.Read([]byte(testshared.Read(t, filepath.Join(fixtures, fixture))))
	require.NoError(t, err)
	change(m)
	return written(t, m)
}

// TestOnePositionAtATime: exports whose batch size is 1, the exporters' default, evaluate whole
// batches.
func TestOnePositionAtATime(t *testing.T) {
	for _, fixture := range []string{"pytorch-dualhead-9x9.onnx", "pytorch-dualhead-9x9-dynamo.onnx", "pytorch-dualhead-9x9-latest.onnx"} {
		path := changed(t, fixture, func(m *onnx.Model) { require.NoError(t, onnx.SetBatch(m, onnx.D(1))) })
		m, err := open(t, path, model.Overrides{})
		require.NoError(t, err, fixture)
		b, err := m.Open(board.Square(9), 4)
		require.NoError(t, err, fixture)
		require.NoError(t, b.Run(4), fixture)
		b.Close()
	}
}

func TestExportsOfTrainingAreRefused(t *testing.T) {
	path := changed(t, "pytorch-dualhead-9x9-bn.onnx", func(m *onnx.Model) {
		for _, n := range m.Graph.Nodes {
			if n.Is("BatchNormalization") {
				if n.Attrs == nil {
					n.Attrs = map[string]onnx.Attr{}
				}
				n.Attrs["training_mode"] = onnx.AttrInt(1)
				n.Outputs = n.Outputs[:1]
			}
		}
	})
	_, err := open(t, path, model.Overrides{})
	require.ErrorIs(t, err, model.ErrFile)
	require.ErrorContains(t, err, "net.eval()")
}
