package quant

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
)

func TestHalfComputesTheSame(t *testing.T) {
	needLibrary(t)
	for name, n := range networks {
		t.Run(name, func(t *testing.T) {
			m, x := newMaker(n.planes)
			net := m.model(t, n.build(m, x))
			before, err := net.Marshal()
			require.NoError(t, err)
			out, err := Half(net)
			require.NoError(t, err)
			after, err := net.Marshal()
			require.NoError(t, err)
			require.Equal(t, before, after)
			require.Equal(t, net.Graph.Inputs, out.Graph.Inputs)
			require.Equal(t, net.Graph.Outputs, out.Graph.Outputs)

			types, err := onnx.InferTypes(out)
			require.NoError(t, err)
			for _, node := range out.Graph.Nodes {
				if node.Is("Conv") {
					want := onnx.Float16
					if node.Int("group", 1) != 1 {
						want = onnx.Float
					}
					require.Equal(t, want, types[node.Outputs[0]].Type)
				}
				if node.Is("GlobalAveragePool") {
					require.Equal(t, onnx.Float, types[node.Outputs[0]].Type, "sums stay in 32 bits")
				}
			}
			require.Less(t, distance(t, net, out, newRows(n.planes, 16, false)), 0.003)
		})
	}
}

// TestHalfKeepsWhatDoesNotFit leaves a convolution with huge weights in 32 bits.
func TestHalfKeepsWhatDoesNotFit(t *testing.T) {
	needLibrary(t)
	m, x := newMaker(4)
	big := m.ConvWith(x, m.floats(1e6, 4, 4, 1, 1), "", onnx.ConvOptions{})
	net := m.model(t, m.conv(m.Mul(big, m.Scalar(1e-6)), 4, 4, 3, onnx.ConvOptions{}))
	out, err := Half(net)
	require.NoError(t, err)
	types, err := onnx.InferTypes(out)
	require.NoError(t, err)
	require.Equal(t, onnx.Float, types[string(big)].Type)
	require.Equal(t, 1, count(out, "Cast")-1, "one into 16 bits, one out of them")
	require.Less(t, distance(t, net, out, newRows(4, 8, false)), 0.003)
}

func TestHalfRefusesWhatItCannotDo(t *testing.T) {
	_, err := Half(&onnx.Model{Opset: 17, Graph: &onnx.Graph{}})
	require.ErrorIs(t, err, ErrGraph)
	m, x := newMaker(4)
	_, err = Half(m.model(t, m.Op("ReduceMean", nil, x)))
	require.ErrorIs(t, err, ErrNothing)
}
