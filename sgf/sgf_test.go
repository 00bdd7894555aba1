package sgf_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/sgf"
)

func fixture(t testing.TB, name string) []*sgf.Node {
	t.Helper()
	roots, err := sgf.ReadFile(filepath.Join("..", "testdata", "sgf", name))
	require.NoError(t, err)
	return roots
}

// equal reports whether two game trees have the same shape and the same properties in the same
// order with the same values.
func equal(a, b *sgf.Node) bool {
	open := [][2]*sgf.Node{{a, b}}
	for len(open) > 0 {
		x, y := open[len(open)-1][0], open[len(open)-1][1]
		open = open[:len(open)-1]
		if len(x.Children) != len(y.Children) || !slices.EqualFunc(x.Properties, y.Properties, func(a, b sgf.Property) bool { return a.ID == b.ID && slices.Equal(a.Values, b.Values) }) {
			return false
		}
		for i := range x.Children {
			open = append(open, [2]*sgf.Node{x.Children[i], y.Children[i]})
		}
	}
	return true
}

func parseOne(t testing.TB, text string) *sgf.Node {
	t.Helper()
	roots, err := sgf.Parse([]byte(text))
	require.NoError(t, err)
	require.Len(t, roots, 1)
	return roots[0]
}

// requireRoundTrip requires that writing and reading returns equal trees.
func requireRoundTrip(t testing.TB, roots []*sgf.Node) {
	t.Helper()
	text, err := sgf.Marshal(roots...)
	require.NoError(t, err)
	again, err := sgf.Parse(text)
	require.NoError(t, err, "%s", text)
	require.Len(t, again, len(roots))
	for i := range roots {
		require.True(t, equal(roots[i], again[i]), "tree %d changed: %s", i, text)
	}
	second, err := sgf.Marshal(again...)
	require.NoError(t, err)
	require.True(t, bytes.Equal(text, second))
}

func TestParseEveryConstruct(t *testing.T) {
	root := fixture(t, "ff4.sgf")[0]
	require.Equal(t, "Black [5k]", root.Text("PB"))
	require.Equal(t, `White\Rook`, root.Text("PW"))
	require.Equal(t, "A comment with an escaped bracket ], a backslash \\, a colon : and\n"+
		"a hard line break, and a soft one.", root.Text("C"))
	require.Equal(t, []string{"unknown property", "two values"}, root.Values("XX"))
	require.Equal(t, `Editor\:X:1.2`, root.Get("AP"), "kept as it stands")

	var line []string
	for n := range root.MainLine() {
		for _, p := range n.Properties {
			if p.ID == "B" || p.ID == "W" {
				line = append(line, p.ID+p.Values[0])
			}
		}
	}
	require.Equal(t, []string{"Bee", "Wcc", "Bge", "Wec", "B", "Wtt"}, line)

	nodes, leaves := 0, 0
	for n := range root.All() {
		nodes++
		if len(n.Children) == 0 {
			leaves++
		}
	}
	require.Equal(t, 12, nodes)
	require.Equal(t, 4, leaves)
}

func TestParseCollectionsAndJunk(t *testing.T) {
	tests := map[string]struct {
		text  string
		trees int
	}{
		"byte order mark":             {"\uFEFF(;B[aa])", 1},
		"junk with a parenthesis":     {"mail (see below) (x (;B[aa])", 1},
		"space inside":                {"( \n ;B[aa] \n )", 1},
		"two trees":                   {"(;B[aa])(;W[bb])", 2},
		"text between":                {"(;B[aa]) and ) then (;W[bb]) end", 2},
		"empty nodes":                 {"(;;;)", 1},
		"an empty variation":          {"(;B[aa]())", 1},
		"a variation of a variation":  {"(;B[aa]((;W[bb])(;W[cc])))", 1},
		"nodes behind a variation":    {"(;B[aa](;W[bb]);W[cc])", 1},
		"utf-16 with byte order mark": {"\xFF\xFE(\x00;\x00C\x00[\x00\x42\x68]\x00)\x00", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			roots, err := sgf.Parse([]byte(test.text))
			require.NoError(t, err)
			require.Len(t, roots, test.trees)
			requireRoundTrip(t, roots)
		})
	}
	require.Len(t, fixture(t, "collection.sgf"), 3)
}

func TestPropertyNames(t *testing.T) {
	for written, want := range map[string]string{
		"B": "B", "Black": "B", "AddBlack": "AB", "GaMe": "GM", "b": "B", "aw": "AW", "LZ": "LZ", "K2": "K2", "KGSDE": "KGSDE",
	} {
		root := parseOne(t, "(;"+written+"[x])")
		require.Equal(t, want, root.Properties[0].ID, written)
	}
}

func TestCharsetOfEachTree(t *testing.T) {
	mixed := "(;CA[GBK]PB[\xB0\xA1])(;CA[UTF-8]PB[é])(;CA[no-such]PB[\xE9])(;PB[\xE9])(;C[plain])"
	roots, err := sgf.Parse([]byte(mixed))
	require.NoError(t, err)
	require.Len(t, roots, 5)
	for i, want := range []string{"啊", "é", "é", "é", ""} {
		require.Equal(t, want, roots[i].Text("PB"), "tree %d", i)
	}
	require.False(t, roots[4].Has("CA"), "an ASCII tree is left alone")
	requireRoundTrip(t, roots)

	require.Equal(t, "UTF-8", roots[0].Get("CA"), "the tree names its new charset")
	require.Equal(t, "UTF-8", parseOne(t, "(;CA[GBK]C[plain])").Get("CA"))
	require.Equal(t, "\uFFFD( \uFFFD", parseOne(t, "(;CA[UTF-8]C[\xC3\x28 \xFF])").Text("C"))
}

// TestDamage: damaged files are read as far as possible, with the expected moves and first note.
func TestDamage(t *testing.T) {
	for name, c := range map[string]struct{ text, moves, note string }{
		"no last parenthesis":         {"(;SZ[9];B[aa](;W[bb]", "b A9 w B8", "ends before the game does"},
		"cut off in a comment":        {"(;SZ[9];B[aa]\nC[never", "b A9", "C[never has no closing bracket"},
		"cut off behind an escape":    {"(;SZ[9];B[aa]C[a\\]", "b A9", "no closing bracket"},
		"cut off in a move":           {"(;SZ[9];B[aa];W[b", "b A9", "W[b has no closing bracket"},
		"cut off before a move":       {"(;SZ[9];B[aa];W[", "b A9", "W[ has no closing bracket"},
		"cut off behind a move":       {"(;SZ[9];B[aa];W[bb", "b A9 w B8", "no closing bracket"},
		"a comment without a value":   {"(;SZ[9];B[aa]C;W[bb])", "b A9 w B8", "C has no value"},
		"a comment without its end":   {"(;SZ[9];B[aa]C[hello;W[bb];B[cc])", "b A9 w B8 b C7", "C[hello has no closing bracket"},
		"a move without its end":      {"(;SZ[9];B[aa;W[bb];B[cc])", "b A9 w B8 b C7", "B[aa has no closing bracket"},
		"moves without their ends":    {"(;SZ[9];B[aa;W[bb;B[cc];W[dd])", "b A9 w B8 b C7 w D6", "B[aa has no closing bracket"},
		"no first semicolon":          {"(SZ[9];B[aa];W[bb])", "b A9 w B8", "no semicolon"},
		"no first semicolon, no size": {"(B[aa];W[bb])", "b A19 w B18", "no semicolon"},
		"no first parenthesis":        {";SZ[9];B[aa];W[bb])", "b A9 w B8", "no opening parenthesis"},
		"neither":                     {"SZ[9]\n;B[aa];W[bb]", "b A19 w B18", "no opening parenthesis"},
		"junk between":                {"(;SZ[9];B[aa]%%;W[bb])", "b A9 w B8", "'%' is no part of a record"},
		"a value alone":               {"(;SZ[9][xx];[yy]B[aa];W[bb])", "b A9 w B8", "'[' is no part"},
		"a name of 70 letters":        {"(;SZ[9]" + strings.Repeat("A", 70) + "[x];B[aa])", "b A9", "70 letters"},
		"a torn game of several":      {"(;SZ[9];B[aa];W[b\n(;SZ[9];B[cc])", "b A9 | b C7", "W[b has no closing bracket"},
		"a game without its end":      {"(;SZ[9];B[aa];W[bb]\n(;SZ[9];B[cc])\n(;SZ[9];B[dd])", "b A9 w B8 | b C7 | b D6", "not closed"},
		"a comment without end, game": {"(;SZ[9];B[aa]C[hello)\n(;SZ[9];B[cc];W[dd])", "b A9 | b C7 w D6", "C[hello has no closing"},
		"a quoted game":               {"(;SZ[9];B[aa]C[see (;SZ[9\\];B[bb\\])];W[cc])", "b A9 w C7", ""},
		"a broken quotation":          {"(;SZ[9];B[aa]C[see ;B[dd] for this];W[cc])", "b A9 w C7", "for has no value"},
		"a parenthesis too many":      {"(;SZ[9];B[aa]);W[bb];B[cc])", "b A9 w B8 b C7", "closes the game too early"},
		"too many after variations":   {"(;SZ[9];B[aa](;W[bb])(;W[cc]));B[dd])", "b A9 w B8", "closes the game too early"},
		"a second game, no bracket":   {"(;SZ[9];B[aa])\n;SZ[9];B[bb])", "b A9 | b B8", "no opening parenthesis"},
		"a size without its end":      {"(;SZ[9KM[6.5];B[aa];W[bb])", "b A9 w B8", "SZ[9 has no closing bracket"},
		"a size, the next line":       {"(;SZ[9\nKM[6.5]\nPB[x];B[aa];W[bb])", "b A9 w B8", "SZ[9 has no closing bracket"},
		"a name without its end":      {"(;SZ[9]\nPB[Joe\nPW[Jim]\n;B[aa];W[bb])", "b A9 w B8", "PB[Joe has no closing bracket"},
		"moves of one node, no end":   {"(;SZ[9];B[aa W[bb];B[cc])", "b A9 w B8 b C7", "B[aa has no closing bracket"},
		"a comment with a bracket":    {"(;SZ[9];B[aa]C[see B[cc\nW[dd];W[bb])", "b A9 w B8", ""},
		"properties in a variation":   {"(;SZ[9];B[aa](;FF[4]W[bb])(;W[cc]))", "b A9 w B8", ""},
	} {
		roots, err := sgf.Parse([]byte(c.text))
		require.NoError(t, err, name)
		var got, notes []string
		for _, root := range roots {
			got = append(got, strings.TrimSpace(moves(recordOf(t, root))))
			notes = append(notes, root.Notes()...)
		}
		require.Equal(t, c.moves, strings.Join(got, " | "), "%s: %q", name, notes)
		require.Equal(t, c.note == "", len(notes) == 0, "%s: %q", name, notes)
		if c.note != "" {
			require.Contains(t, notes[0], c.note, name)
		}
		requireRoundTrip(t, roots)
	}
	for _, text := range []string{"", "no game", "(", "()", "((", "B[aa]", "; and (that)"} {
		_, err := sgf.Parse([]byte(text))
		require.ErrorIs(t, err, sgf.ErrNoTree, "%q", text)
	}
}

func TestLimits(t *testing.T) {
	_, err := sgf.Options{MaxBytes: 10}.Parse([]byte("(;C[0123456789])"))
	require.ErrorIs(t, err, sgf.ErrTooLarge)
	_, err = sgf.Options{MaxElements: 5}.Parse([]byte("(;B[aa];W[bb])"))
	require.ErrorIs(t, err, sgf.ErrTooLarge)
	_, err = sgf.Options{MaxElements: 6}.Parse([]byte("(;B[aa];W[bb])"))
	require.ErrorIs(t, err, sgf.ErrTooLarge, "the tree itself counts too")
	_, err = sgf.Options{MaxElements: 7}.Parse([]byte("(;B[aa];W[bb])"))
	require.NoError(t, err)
	_, err = sgf.Parse([]byte(strings.Repeat("(;", 5<<20)))
	require.ErrorIs(t, err, sgf.ErrTooLarge)
}

func TestDepthCostsNoStack(t *testing.T) {
	const depth = 300_000
	text := strings.Repeat("(;B[aa]", depth) + strings.Repeat(")", depth)
	root := parseOne(t, text)
	requireRoundTrip(t, []*sgf.Node{root})

	branchy := strings.Repeat("(;B[aa](;W[bb])", depth) + strings.Repeat(")", depth)
	root = parseOne(t, branchy)
	requireRoundTrip(t, []*sgf.Node{root})
	nodes := 0
	for range root.All() {
		nodes++
	}
	require.Equal(t, 2*depth, nodes)

	for _, open := range []string{strings.Repeat("(;", depth), "(;" + strings.Repeat("(", depth)} {
		require.Contains(t, parseOne(t, open).Notes()[0], "ends before the game does")
	}
}

func TestTextAndEscape(t *testing.T) {
	for value, want := range map[string]string{
		"plain":                   "plain",
		`a\]b\\c\:d`:              `a]b\c:d`,
		"soft\\\nbreak":           "softbreak",
		"soft\\\r\nbreak":         "softbreak",
		"hard\r\nbreak\rtwo\n\rx": "hard\nbreak\ntwo\nx",
		"tab\tand\vmore":          "tab and more",
		"escaped tab\\\t":         "escaped tab ",
		`end\`:                    "end",
	} {
		require.Equal(t, want, sgf.Text(value), "%q", value)
	}
	require.Equal(t, "two lines", sgf.SimpleText("two\nlines"))

	rng := rand.New(rand.NewPCG(1, 2))
	letters := []rune("ab]\\[;:\n é")
	for range 500 {
		var text []rune
		for range rng.IntN(12) {
			text = append(text, letters[rng.IntN(len(letters))])
		}
		require.Equal(t, string(text), sgf.Text(sgf.Escape(string(text))))
	}
}

func TestWriteMendsWhatCannotStand(t *testing.T) {
	root := &sgf.Node{}
	root.Set("C", `bare ] and end\`, `fine \] \\`)
	root.Set("EMPTY")
	text, err := sgf.Marshal(root)
	require.NoError(t, err)
	again := parseOne(t, string(text))
	require.Equal(t, []string{`bare \] and end\\`, `fine \] \\`}, again.Values("C"))
	require.False(t, again.Has("EMPTY"))

	for _, id := range []string{"", "b", "A B", "1A", "Ab", "Ä", strings.Repeat("A", 65)} {
		bad := &sgf.Node{Properties: []sgf.Property{{ID: id, Values: []string{"x"}}}}
		var out bytes.Buffer
		require.ErrorIs(t, sgf.Write(&out, bad), sgf.ErrProperty, "%q", id)
		require.Zero(t, out.Len())
	}
}

type brokenDisk struct{}

var errDisk = errors.New("disk full")

func (brokenDisk) Write([]byte) (int, error) { return 0, errDisk }

func TestWriteReportsTheWriter(t *testing.T) {
	require.ErrorIs(t, sgf.Write(brokenDisk{}, &sgf.Node{}), errDisk)
	_, err := sgf.ReadFile(filepath.Join(t.TempDir(), "absent.sgf"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestNodeEditing(t *testing.T) {
	root := parseOne(t, "(;AB[aa]C[x]AB[bb][cc])")
	require.Equal(t, []string{"aa", "bb", "cc"}, root.Values("AB"))
	root.Set("AB", "dd")
	require.Equal(t, []string{"dd"}, root.Values("AB"))
	require.Len(t, root.Properties, 2)
	root.SetText("C", "")
	require.False(t, root.Has("C"))
	require.Equal(t, "", root.Get("C"))
	for x, want := range map[float64]string{-0.04: "0.0", 12.25: "12.3", -3: "-3.0", 100: "100.0"} {
		root.SetTenths("V", x)
		require.Equal(t, want, root.Get("V"))
	}
	root.Remove("V")
	root.NewChild().Set("B", "aa")
	other := parseOne(t, "(;AB[dd];B[aa])")
	require.True(t, equal(root, other))
	other.Children[0].Set("B", "ab")
	require.False(t, equal(root, other))
}

func TestScoreResult(t *testing.T) {
	for score, want := range map[float64]string{3.5: "W+3.5", -0.5: "B+0.5", -81: "B+81", 0: "0", float64(float32(6.7)): "W+6.7"} {
		require.Equal(t, want, sgf.ScoreResult(score))
	}
}
