package onnxgo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/arch"
	"kosumi/nn/katago"
	"kosumi/nn/onnxgo"
)

func TestOwnNetworks(t *testing.T) {
	for _, name := range []string{"mini", "mini-b1c8", "b2c16"} {
		t.Run(name, func(t *testing.T) {
			config, err := arch.Parse(name)
			require.NoError(t, err)
			m, err := arch.Build(config.On(9, 9), 5)
			require.NoError(t, err)
			compare(t, m)
		})
	}
}

// TestKataGoNetworks: convolutional KataGo networks equal the reference; a transformer is refused.
func TestKataGoNetworks(t *testing.T) {
	for _, name := range []string{"kb3c16", "kb2c32nbt-mish", "kb2c16-silu", "kb2c32h2nbttflrs"} {
		for _, form := range []katago.Form{katago.FormRun, katago.FormExact} {
			t.Run(name+" "+form.String(), func(t *testing.T) {
				net, err := katago.Fresh(name, 7)
				require.NoError(t, err)
				m, err := katago.Build(net, katago.Size{W: 6, H: 7}, form)
				require.NoError(t, err)
				if name == "kb2c32h2nbttflrs" {
					_, err = start(t, m, 1)
					require.ErrorIs(t, err, onnxgo.ErrOperator)
					return
				}
				compare(t, m)
			})
		}
	}
}
