package onnxgo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/arch"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnxgo"
)

// describe takes a description from what the file declares.
func describe(t *testing.T, m *onnx.Model) nn.Spec {
	t.Helper()
	var spec nn.Spec
	specs := func(list []onnx.ValueInfo) []nn.TensorSpec {
		var out []nn.TensorSpec
		for _, v := range list {
			s := nn.TensorSpec{Name: v.Name}
			for _, d := range v.Shape[1:] {
				require.True(t, d.Known(), "%s %v", v.Name, v.Shape)
				s.Shape = append(s.Shape, int(d.Size))
			}
			out = append(out, s)
		}
		return out
	}
	spec.Inputs, spec.Outputs = specs(m.Graph.Feeds()), specs(m.Graph.Outputs)
	return spec
}

// TestOwnNetworks compares both backends on networks as this project makes them.
func TestOwnNetworks(t *testing.T) {
	needLibrary(t)
	for _, name := range []string{"mini", "mini-b1c8", "b2c16"} {
		t.Run(name, func(t *testing.T) {
			config, err := arch.Parse(name)
			require.NoError(t, err)
			m, err := arch.Build(config.On(9, 9), 5)
			require.NoError(t, err)
			data, err := m.Marshal()
			require.NoError(t, err)
			compare(t, data, describe(t, m))
		})
	}
}

// TestKataGoNetworks compares both backends on networks in KataGo's format: a convolutional
// one runs, the transformers are refused by operator.
func TestKataGoNetworks(t *testing.T) {
	needLibrary(t)
	build := func(t *testing.T, name string) ([]byte, nn.Spec) {
		net, err := katago.ReadFile(testshared.Path(t, "golden/katago/synthetic-models/"+name))
		require.NoError(t, err)
		m, err := katago.Build(net, katago.Size{W: 7, H: 6}, katago.Options{})
		require.NoError(t, err)
		data, err := m.Marshal()
		require.NoError(t, err)
		return data, describe(t, m)
	}
	t.Run("convolutions", func(t *testing.T) {
		data, spec := build(t, "synth-v8.txt.gz")
		compare(t, data, spec)
	})
	for _, name := range []string{"synth-v17-norope-rms.bin.gz", "synth-v17-nbt-transformer-spatial-rms.bin.gz"} {
		t.Run(name, func(t *testing.T) {
			data, spec := build(t, name)
			_, err := onnxgo.Open(data, spec, 1)
			require.ErrorIs(t, err, onnxgo.ErrOperator)
			t.Log(err)
		})
	}
}

// TestFreshKataGoNetworks covers the activations of today's networks.
func TestFreshKataGoNetworks(t *testing.T) {
	needLibrary(t)
	for _, name := range []string{"kb3c16", "kb2c32nbt-mish", "kb2c16-silu"} {
		for form, o := range map[string]katago.Options{"run": {}, "exact": {Form: katago.FormExact}} {
			t.Run(name+" "+form, func(t *testing.T) {
				net, err := katago.Fresh(name, 7)
				require.NoError(t, err)
				m, err := katago.Build(net, katago.Size{W: 6, H: 7}, o)
				require.NoError(t, err)
				data, err := m.Marshal()
				require.NoError(t, err)
				compare(t, data, describe(t, m))
			})
		}
	}
}
