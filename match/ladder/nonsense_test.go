package ladder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
)

// Each record ends with a move that is nonsense, or only looks like it.
func TestCountNonsense(t *testing.T) {
	for name, c := range map[string]struct {
		record     string
		eyes, gift int
	}{
		"quiet move":              {"(;SZ[7];B[dd])", 0, 0},
		"fills an eye":            {"(;SZ[7]AB[ab][ba][bb];B[aa])", 1, 0},
		"saves a stone in an eye": {"(;SZ[7]AB[ab][ba]AW[bb][ac][ca];B[aa])", 0, 0},
		"gives five stones away":  {"(;SZ[7]AB[aa][ba][ca][da]AW[ab][bb][cb][db][eb][ga];B[ea])", 0, 1},
		"gives four stones away":  {"(;SZ[7]AB[aa][ba][ca]AW[ab][bb][cb][db][fa];B[da])", 0, 0},
		"pass":                    {"(;SZ[7];B[])", 0, 0},
	} {
		roots, err := sgf.Parse([]byte(c.record))
		require.NoError(t, err, name)
		by, err := CountNonsense(roots[0])
		require.NoError(t, err, name)
		require.Equal(t, Nonsense{Moves: 1, Eyes: c.eyes, SelfAtaris: c.gift}, by[board.Black], name)
		require.Zero(t, by[board.White], name)
	}
	_, err := CountNonsense(&sgf.Node{Properties: []sgf.Property{{ID: "SZ", Values: []string{"99"}}}})
	require.Error(t, err)
}
