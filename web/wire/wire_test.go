package wire_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/handout"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// TestRules: each rule set of the page reads back the same from its name, and records name it
// instead of holding its JSON.
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

// TestSharedReview reads the game in the HTML file of a review. HTML files of problems, and
// of games with stones set up between moves, are refused, and the error says what to do.
func TestSharedReview(t *testing.T) {
	page := func(end string) []byte {
		data := `{"kind":"review","data":{"game":{"width":3,"height":2,"komi":0.5,"rules":"japanese","handicap":2,"black":"Ann","whiteRank":"5k","result":"W+R"},
			"positions":[{"stones":"X....X"},{"stones":"XO...X"},{"stones":"` + end + `"}],"moves":[{"color":"w","move":"B2"},{"color":"b","move":"pass"}]}}`
		return []byte("<!DOCTYPE html>" + handout.Data + data + "</script><script>\"(;GM[1])\"</script>")
	}
	roots, err := wire.ParseSGF(page("XO...X"))
	require.NoError(t, err)
	text, err := sgf.Marshal(roots...)
	require.NoError(t, err)
	require.Equal(t, "(;FF[4]GM[1]CA[UTF-8]AP[Kosumi]SZ[3:2]KM[0.5]HA[2]RU[Japanese]PB[Ann]WR[5k]RE[W+R]AB[aa][cb];W[ba];B[])", strings.Join(strings.Fields(string(text)), ""))
	for _, other := range []string{string(page("XO.X.X")), handout.Data + `{"kind":"drills","data":{"problems":[]}}`} {
		_, err := wire.ParseSGF([]byte(other))
		require.EqualError(t, err, "it is a page for the browser: open it there, and choose the game's .sgf file here")
	}
}

// TestNotSGF: content that is not a game record gets an error that says so.
func TestNotSGF(t *testing.T) {
	for _, text := range []string{"", "%PDF-1.7", "hello"} {
		_, err := wire.ParseSGF([]byte(text))
		require.EqualError(t, err, "it is not a game record", text)
	}
}
