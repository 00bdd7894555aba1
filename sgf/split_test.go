package sgf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/sgf"
)

func TestSplitMoves(t *testing.T) {
	for text, want := range map[string]string{
		"(;SZ[5];B[aa]W[bb]B[cc]C[x](;W[dd])(;W[ee]C[y]B[ab]))": "(;SZ[5];B[aa];W[bb];B[cc]C[x]\n(;W[dd])\n(;W[ee]C[y];B[ab]))\n",
		"(;SZ[5]B[aa];AB[cc]W[bb];B[])":                         "(;SZ[5]B[aa];AB[cc]W[bb];B[])\n",
	} {
		root := parseOne(t, text)
		before := moves(recordOf(t, root))
		sgf.SplitMoves(root)
		out, err := sgf.Marshal(root)
		require.NoError(t, err)
		require.Equal(t, want, string(out))
		require.Equal(t, before, moves(recordOf(t, root)))
	}
}

// TestHandicapPlayed: Black's moves and set-up stones before White's first move count for White's
// handicap bonus, with and without HA.
func TestHandicapPlayed(t *testing.T) {
	for text, want := range map[string]float32{
		"(;RU[Chinese];B[dd];B[pp];B[pd];W[dp])":              3,
		"(;RU[Chinese]HA[3];B[dd];B[pp];B[pd];W[dp])":         3,
		"(;RU[Chinese]HA[3];B[dd];W[];B[pp];W[];B[pd];W[dp])": 3,
		"(;RU[Chinese]HA[2];B[dd];B[pp];B[pd];W[dp])":         2,
		"(;RU[AGA];B[dd];B[pp];B[pd];W[dp])":                  2,
		"(;RU[Chinese]HA[2]AB[dd][pp];W[dp];B[pd])":           2,
		"(;RU[Chinese]AB[dd][pp];W[dp];B[pd])":                2,
		"(;RU[Chinese];B[dd];W[dp];B[pd];B[pp])":              0,
		"(;RU[Japanese];B[dd];B[pp];B[pd];W[dp])":             0,
		"(;RU[Chinese]AB[dd][pp]AW[dp];B[pd])":                0,
	} {
		r := recordOf(t, parseOne(t, text))
		rules, err := r.BoardRules()
		require.NoError(t, err)
		g, err := r.Game(rules, -1)
		require.NoError(t, err)
		require.Equal(t, want, g.HandicapBonusScore(), text)
	}
}
