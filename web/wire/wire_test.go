package wire_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/handout"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// TestRules: the page's rule sets are recorded by their names, rules of a record by the names
// that other programs know.
func TestRules(t *testing.T) {
	for _, r := range wire.RuleSets() {
		rules, err := board.ParseRules(r.ID)
		require.NoError(t, err)
		require.NoError(t, wire.CheckRules(rules))
		rules.Komi = 7.25
		again, err := board.ParseRules(wire.RulesName(rules)) // the same rules, whatever the komi
		require.NoError(t, err)
		again.Komi = rules.Komi
		require.Equal(t, rules, again, r.ID)
		require.ErrorAs(t, wire.CheckRules(rules), new(api.Error))
		require.NotContains(t, wire.RecordedRules(rules, r.ID), "{")
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []board.Color{board.Black, board.White, board.Empty} {
		require.Equal(t, c, wire.ParseColour(wire.Letter(c)))
	}
	for most := range 12 {
		require.True(t, utf8.ValidString(wire.Shown("aé天元b", most)), most)
	}
	require.Equal(t, "a?b", wire.Shown("a\nb", 10))
	require.Equal(t, "7.5", wire.Decimal(7.5))
	require.Equal(t, "0", wire.Decimal(wire.Round(-0.001, 2)), "no minus zero")
	require.Equal(t, "bw.", wire.ReviewedStones("XO."))
	require.Equal(t, 1.5, wire.Blacks(board.White, -1.5))
	require.Equal(t, []string{"A1", "pass"}, wire.Vertices(board.Square(9), []board.Point{board.Square(9).Point(0, 8), board.Pass, 0}, 2))
	require.Equal(t, "superko", wire.Illegal(board.ErrSuperko).(api.Error).Args[0])
}

// TestSharedReview reads the game in the HTML file of a review. Other pages are refused with what to
// do: stones set up between moves are not in the file, and problems are no game.
func TestSharedReview(t *testing.T) {
	page := func(kind, record string) string {
		root, err := sgf.Parse([]byte(record))
		require.NoError(t, err)
		g, err := review.Load(root[0], board.Japanese())
		require.NoError(t, err)
		res := review.Result{Game: g.Info()}
		for i := range len(g.Moves) + 1 {
			at, err := g.Position(i)
			require.NoError(t, err)
			res.Positions = append(res.Positions, review.Position{Stones: review.Stones(at)})
			if i < len(g.Moves) {
				res.Moves = append(res.Moves, review.Move{Color: wire.Letter(g.Moves[i].Color), Move: g.Record.Size.Vertex(g.Moves[i].Point)})
			}
		}
		text, err := json.Marshal(review.Page{Kind: kind, Data: res})
		require.NoError(t, err)
		return "<!DOCTYPE html>\n<html>" + handout.Data + string(text) + "</script><script>\"(;GM[1])\"</script></html>"
	}
	for _, record := range []string{
		"(;SZ[9]KM[6.5]RU[Japanese]PB[Ann </script>]BR[5k]PW[Ben]RE[W+R]DT[2026-01-02];B[ee];W[cc];B[];W[])",
		"(;SZ[13:9]HA[2]KM[0.5]RU[Chinese]AB[cc][gg];W[ee];B[ce])",
	} {
		before, _ := sgf.Parse([]byte(record))
		after, err := wire.ParseSGF([]byte(page("review", record)))
		require.NoError(t, err)
		want, _ := review.Load(before[0], board.Chinese())
		got, err := review.Load(after[0], board.Chinese())
		require.NoError(t, err)
		require.Equal(t, want.Info(), got.Info())
		require.Equal(t, want.Moves, got.Moves)
	}
	for _, other := range []string{page("review", "(;SZ[9]RU[Chinese];B[ee];AB[aa];W[cc])"), page("drills", "(;SZ[9]RU[Chinese];B[ee])"), " <HTML>"} {
		_, err := wire.ParseSGF([]byte(other))
		require.EqualError(t, err, "it is a page for the browser: open it there, and drop the game's .sgf file here")
	}
}

// TestNotSGF: content that is not a game record gets an error that says so.
func TestNotSGF(t *testing.T) {
	for _, text := range []string{"", "%PDF-1.7", "hello"} {
		_, err := wire.ParseSGF([]byte(text))
		require.EqualError(t, err, "it is not a game record", text)
	}
}
