package sgf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
)

// TestWalk lists the moves of trees with variations: colour, point, moves before it
// that are not forgotten, stones on the board and the comment.
func TestWalk(t *testing.T) {
	for _, c := range []struct{ name, text, want, fault string }{
		{"a line", "(;SZ[5];B[bb]C[one];W[cc];B[])", "b B4 0 0 one, w C3 1 1, b pass 2 2", ""},
		{"variations", "(;SZ[5];B[bb](;W[cc];B[dd])(;W[cd](;B[aa])(;B[ab])))",
			"b B4 0 0, w C3 1 1, b D2 2 2, w C2 1 1, b A5 2 2, b A4 2 2", ""},
		{"set-up", "(;SZ[5]AB[aa][bb]PL[W];W[cc];AE[aa]AW[dd];B[ee])", "w C3 0 2, b E1 0 3", ""},
		{"out of turn", "(;SZ[5];B[bb];W[bc];W[cc];B[dd])", "b B4 0 0, w B3 1 1, w C3 2 2, b D2 1 3", ""},
		{"a stone there", "(;SZ[5];B[bb];W[bb];B[cc])", "b B4 0 0", "there is a stone"},
		{"off the board", "(;SZ[5];B[zz])", "", "point"},
		{"no such board", "(;SZ[99])", "", "99"},
		{"too deep", "(;SZ[5]" + strings.Repeat("(;B[tt]", 1200) + strings.Repeat(")(;W[tt])", 1200) + ")", "*", "inside each other"},
	} {
		trees, err := sgf.Parse([]byte(c.text))
		require.NoError(t, err, c.name)
		var got []string
		err = sgf.Walk(trees[0], board.TrompTaylor(), func(g *board.Game, m board.Move, comment string) {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%v %s %d %d %s", strings.ToLower(m.Color.String()[:1]), g.Size().Vertex(m.Point),
				g.NumMoves()-g.Forgotten(), g.Board().Stones(board.Black)+g.Board().Stones(board.White), comment)))
		})
		if c.want != "*" {
			require.Equal(t, c.want, strings.Join(got, ", "), c.name)
		}
		if c.fault == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.fault, c.name)
		}
	}
}

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

// TestHandicapPlayed: stones that Black plays before White's first are handicap stones,
// with and without HA.
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
