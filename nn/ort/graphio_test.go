package ort

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/nntest"
)

func TestReadPorts(t *testing.T) {
	n := nntest.FourHeads(board.Size{W: 7, H: 5}, 4, 1)
	inputs, outputs, err := readPorts(n.Model)
	require.NoError(t, err)
	require.Len(t, inputs, 2, "weights are no inputs")
	require.Equal(t, "spatial", inputs[0].name)
	require.Equal(t, "[N,22,5,7]", inputs[0].String())
	require.EqualValues(t, kindFloat, inputs[0].kind)
	require.Equal(t, "global", inputs[1].name)
	require.Len(t, outputs, 4)
	require.Equal(t, "ownership", outputs[3].name)

	_, _, err = readPorts([]byte{0x3a, 0x05, 0x01})
	require.ErrorIs(t, err, ErrModel)
	_, _, err = readPorts(nil)
	require.ErrorIs(t, err, ErrModel)
}

// FuzzReadPorts wants an error or an answer for any bytes.
func FuzzReadPorts(f *testing.F) {
	f.Add(nntest.DualHead(board.Square(3), 1, 2, 1).Model)
	f.Add([]byte{0x3a, 0x04, 0x5a, 0x02, 0x0a, 0x00})
	f.Fuzz(func(t *testing.T, model []byte) {
		inputs, outputs, err := readPorts(model)
		if err != nil {
			require.ErrorIs(t, err, ErrModel)
			return
		}
		for _, p := range append(inputs, outputs...) {
			require.NotEmpty(t, p.String())
		}
	})
}
