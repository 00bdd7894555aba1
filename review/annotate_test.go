package review

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
)

// TestSecondReview: a review of a reviewed record removes all marks of the first review, and
// keeps all marks made by people.
func TestSecondReview(t *testing.T) {
	const game = `(;GM[1]FF[4]CA[UTF-8]SZ[7]KM[7]RU[Chinese];B[dd]C[mine]TR[aa:gg];W[de]MA[ab]HO[2];B[ed]W[ee]C[two moves];B[cd];W[fd]DO[];B[fc];W[ge]SQ[aa:cc])`
	g := load(t, game)
	plain, err := Run(t.Context(), g, Server(t), quick(), nil, nil)
	require.NoError(t, err)
	marked := func(res *Result, loss float64) *Result {
		out := *res
		out.Mistakes = nil
		out.Moves = append([]Move{}, res.Moves...)
		for i := range out.Moves {
			m := &out.Moves[i]
			m.Listed = loss > 0 && i > 0
			m.Judged, m.Loss, m.Class, m.Reason = m.Listed, loss, ClassOf(loss), "Reason."
			if m.Listed {
				out.Mistakes = append(out.Mistakes, i)
			}
		}
		return &out
	}
	text := func(g *Game, res *Result) string {
		data, err := sgf.Marshal(Annotated(g, res, "Kosumi"))
		require.NoError(t, err)
		return string(data)
	}
	first := text(g, marked(plain, 4))
	require.Contains(t, first, "BM[1]")
	require.Contains(t, first, "HO[1]")
	require.Contains(t, first, "HO[2]", "a mark of the record's own")
	require.Equal(t, 1, strings.Count(first, "MA[ab]"))

	again := load(t, first)
	require.Equal(t, g.Moves, again.Moves)
	require.Equal(t, first, text(again, marked(plain, 4)), "the same review twice")
	clean := text(again, marked(plain, 0))
	require.Equal(t, text(g, marked(plain, 0)), clean)
	for _, id := range []string{"BM[", "HO[1", "Kosumi: better"} {
		require.NotContains(t, clean, id)
	}
	require.Contains(t, clean, "DO[]", "a mark of the record's own, where nothing was marked")
	require.Equal(t, 1, strings.Count(clean, "MA["))
	n := 0
	for range 3 {
		root := load(t, clean)
		clean = text(root, marked(plain, 0))
		n = strings.Count(clean, commentBegin)
	}
	require.Equal(t, len(g.Moves)+1, n, "one comment a move")
}

// TestHandicapByPlay: Black's handicap stones, and White's passes between them, are not judged.
func TestHandicapByPlay(t *testing.T) {
	for record, judged := range map[string]string{
		"(;SZ[7]HA[3];B[cc];W[];B[ee];W[tt];B[ce];W[ec];B[dd];W[de])": ".....xxx",
		"(;SZ[7];B[cc];W[];B[ee];W[ec];B[dd])":                        "...xx",
		"(;SZ[7]HA[2];B[cc];B[ee];W[ec];B[dd])":                       "..xx",
		"(;SZ[7]HA[2];B[cc];W[];B[ee];W[];B[dd];W[])":                 "...xxx",
		"(;SZ[7];B[cc];W[ec];B[dd];W[];B[de])":                        "xxxxx",
		"(;SZ[7];B[cc];W[];B[dd];W[])":                                "xxxx",
		"(;SZ[7]HA[2]AB[cc][ee];W[ec];B[dd];W[])":                     "xxx",
	} {
		g := load(t, record)
		var got strings.Builder
		for _, j := range g.judged {
			got.WriteByte(".x"[map[bool]int{true: 1}[j]])
		}
		require.Equal(t, judged, got.String(), record)
	}
}

// TestNotes: a review begins with its assumptions, corrections and omissions.
func TestNotes(t *testing.T) {
	for record, want := range map[string][]string{
		"(;SZ[7]KM[700]RU[Chinese];B[cc];W[dd])":                               {`The komi "700" of the record means 7 points.`},
		"(;SZ[7]KM[1e3]RU[日本ルール];B[cc];W[dd])":                                 {`The komi "1e3" of the record makes no sense; 6.5 was taken.`},
		"(;SZ[7]KM[7]RU[Chinese];B[cc];W[zz];B[dd])":                           {`The record ends after move 1: "zz" is not a point of a board of 7x7 (W).`},
		"(;SZ[7]KM[7]RU[Chinese]AB[cc][tt];B[dd])":                             {`Stones to set up are left out: "tt" in a list of points (AB).`},
		"(;SZ[7]KM[7]RU[Chinese];B[cc];W[cc])":                                 {"The record ends after move 1: white C5 cannot be played, the point is occupied."},
		"(;SZ[7]KM[7]RU[Chinese];B[cc]C;W[dd]":                                 {"Line 1 of the file: C has no value; it was left out.", "Line 1 of the file: the file ends before the game does; the part before was read."},
		"(;SZ[7]KM[7]RU[Chinese]HA[4];B[cc];W[dd])":                            {"The record names 4 handicap stones and has none; none was counted."},
		"(;SZ[5]KM[7]RU[Chinese]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[bb])": {"Move 2, white B4, is against the rules (ko); it was played as the record has it."},
	} {
		require.Equal(t, want, load(t, record).Notes, record)
	}
	for _, record := range []string{"(;SZ[7];B[zz])", "(;SZ[7]AB[cc];B[cc])", "(;SZ[7])"} {
		roots, err := sgf.Parse([]byte(record))
		require.NoError(t, err)
		_, err = Load(roots[0], board.Chinese())
		require.ErrorIs(t, err, ErrGame, record)
	}
}
