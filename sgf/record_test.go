package sgf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
)

func recordOf(t testing.TB, root *sgf.Node) *sgf.Record {
	t.Helper()
	r, err := sgf.RecordOf(root)
	require.NoError(t, err)
	return r
}

// moves writes a main line as GTP vertices, for comparison with a string.
func moves(r *sgf.Record) (s string) {
	for _, m := range r.Moves() {
		s += m.Color.String()[:1] + " " + r.Size.Vertex(m.Point) + " "
	}
	return s
}

func TestRecordOfFixtures(t *testing.T) {
	r := recordOf(t, fixture(t, "ff4.sgf")[0])
	require.Equal(t, board.Square(9), r.Size)
	require.True(t, r.HasKomi)
	require.Equal(t, 5.5, r.Komi)
	require.Equal(t, "B+3.5", r.Result)
	require.Equal(t, sgf.Player{Name: "Black [5k]"}, r.Black)
	require.Equal(t, "b E5 w C7 b G5 w E7 b pass w pass ", moves(r))
	require.Equal(t, "first", r.Steps[0].Comment)
	require.Equal(t, sgf.Clock{Known: true, Seconds: 299.5}, r.Steps[1].Black)
	require.Equal(t, sgf.Clock{Known: true, Seconds: 30, Stones: 3}, r.Steps[2].Black)
	require.Nil(t, r.Setup)

	r = recordOf(t, fixture(t, "ff3.sgf")[0])
	require.Equal(t, board.Square(19), r.Size)
	require.Equal(t, 0.5, r.Komi)
	require.Equal(t, 2, r.Handicap)
	require.Len(t, r.Setup.Black, 2)
	require.Equal(t, "w D16 b Q4 w pass b pass ", moves(r))

	r = recordOf(t, fixture(t, "rectangle.sgf")[0])
	require.Equal(t, board.Size{W: 13, H: 9}, r.Size)
	require.Equal(t, "b N9 w A1 b pass w pass ", moves(r))

	r = recordOf(t, fixture(t, "collection.sgf")[2])
	require.Len(t, r.Setup.Black, 6, "a rectangle of 2 by 3")
	require.Len(t, r.Setup.White, 6)
	require.Equal(t, board.White, r.Setup.ToMove)
}

func TestRecordTreeAndBack(t *testing.T) {
	for _, name := range []string{"ff4.sgf", "ff3.sgf", "rectangle.sgf", "collection.sgf", "setup.sgf", "big5.sgf"} {
		for _, root := range fixture(t, name) {
			r := recordOf(t, root)
			tree := r.Tree()
			requireRoundTrip(t, []*sgf.Node{tree})
			require.Equal(t, r, recordOf(t, tree), name)
		}
	}
}

func TestBuildFromMoves(t *testing.T) {
	size := board.Square(5)
	r := &sgf.Record{
		Size: size, HasKomi: true, Komi: 7.5, Rules: "chinese", Result: "B+R",
		Black: sgf.Player{Name: "one"}, White: sgf.Player{Name: "two"},
		Steps: sgf.Steps([]board.Move{
			{Color: board.Black, Point: size.Point(2, 2)},
			{Color: board.White, Point: board.Pass},
			{Color: board.Black, Point: size.Point(0, 4)},
		}, []string{"visits [100]"}),
	}
	text, err := sgf.Marshal(r.Tree())
	require.NoError(t, err)
	require.Equal(t, `(;FF[4]GM[1]CA[UTF-8]SZ[5]KM[7.5]RU[chinese]PB[one]PW[two]RE[B+R];B[cc]C[visits [100\]]
;W[];B[ae])
`, string(text))
}

func TestRecordGame(t *testing.T) {
	r := recordOf(t, fixture(t, "setup.sgf")[0])
	rules := board.Japanese()
	g, err := r.Game(rules, -1)
	require.NoError(t, err)
	require.Equal(t, `.........
.........
....O.X..
.........
..O.X....
.........
..X...O..
.........
.........
`, replace(g.Board().String()))

	g, err = r.Game(rules, 2)
	require.NoError(t, err)
	require.Equal(t, board.White, g.ToMove())
	require.Equal(t, board.Black, g.At(r.Size.Point(4, 4)), "the set-up comes before the third move")

	g, err = r.Game(rules, 0)
	require.NoError(t, err)
	require.Equal(t, board.White, g.ToMove())
	require.Equal(t, 2, g.Board().Stones(board.Black))

	bad := parseOne(t, "(;SZ[9];B[aa];W[aa])")
	_, err = recordOf(t, bad).Game(rules, -1)
	require.ErrorIs(t, err, sgf.ErrPoint)
	require.ErrorContains(t, err, "move 2")
	dead := parseOne(t, "(;SZ[9]AB[aa]AW[ab][ba])")
	_, err = recordOf(t, dead).Game(rules, -1)
	require.ErrorIs(t, err, board.ErrNoLiberty)
}

func TestFirstToMove(t *testing.T) {
	for text, want := range map[string]board.Color{
		"(;SZ[9])":                  board.Black,
		"(;SZ[9]PL[W])":             board.White,
		"(;SZ[9]AB[aa])":            board.White,
		"(;SZ[9]AB[aa]AW[cc])":      board.Black,
		"(;SZ[9]AB[aa];B[bb])":      board.Black,
		"(;SZ[9];W[bb])":            board.White,
		"(;SZ[9]AB[aa][ff]PL[2];;)": board.White,
	} {
		g, err := recordOf(t, parseOne(t, text)).Game(board.Chinese(), 0)
		require.NoError(t, err, text)
		require.Equal(t, want, g.ToMove(), text)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]board.Size{
		"": board.Square(19), "SZ[9]": board.Square(9), "SZ[ 13 : 9 ]": {W: 13, H: 9}, "SZ[19x19]": board.Square(19),
	} {
		size, err := sgf.SizeOf(parseOne(t, "(;"+text+")"))
		require.NoError(t, err)
		require.Equal(t, want, size)
	}
	for _, text := range []string{"1", "26", "52", "1000000000000000000000", "-5", "9:99", "x", "9:"} {
		_, err := sgf.RecordOf(parseOne(t, "(;SZ["+text+"])"))
		require.ErrorIs(t, err, sgf.ErrSize, text)
	}
}

func TestPoints(t *testing.T) {
	nine, big := board.Square(9), board.Square(25)
	for _, test := range []struct {
		size  board.Size
		value string
		want  board.Point
	}{
		{nine, "aa", 0}, {nine, "ia", 8}, {nine, "ii", 80}, {nine, "", board.Pass}, {nine, "tt", board.Pass},
		{nine, " aa\n", 0}, {big, "tt", big.Point(19, 19)}, {big, "yy", 624},
	} {
		p, err := sgf.ParsePoint(test.size, test.value)
		require.NoError(t, err)
		require.Equal(t, test.want, p)
		if p != board.Pass {
			again, err := sgf.ParsePoint(test.size, sgf.FormatPoint(test.size, p))
			require.NoError(t, err)
			require.Equal(t, p, again)
		}
	}
	for _, value := range []string{"a", "ja", "aj", "aaa", "AA", "a1", "é"} {
		_, err := sgf.ParsePoint(nine, value)
		require.ErrorIs(t, err, sgf.ErrPoint, value)
	}
	points, err := sgf.AppendPoints(nil, nine, "cb:bc")
	require.NoError(t, err, "corners in any order")
	require.Len(t, points, 4)
	for _, value := range []string{"aa:", "aa:jj", ":aa", "tt"} {
		_, err := sgf.AppendPoints(nil, nine, value)
		require.ErrorIs(t, err, sgf.ErrPoint, value)
	}
	_, err = sgf.RecordOf(parseOne(t, "(;SZ[9];B[aa];W[zz])"))
	require.ErrorIs(t, err, sgf.ErrPoint)
	require.ErrorContains(t, err, "node 2")
}

func TestKomiAndClocks(t *testing.T) {
	for text, want := range map[string]float64{
		"KM[6.5]": 6.5, "KM[6,5]": 6.5, "KM[-3.5]": -3.5, "KM[7 points]": 7, "KM[375]": 7.5, "KM[650]": 6.5, "KM[0]": 0,
	} {
		r := recordOf(t, parseOne(t, "(;"+text+")"))
		require.True(t, r.HasKomi)
		require.Equal(t, want, r.Komi, text)
	}
	for _, text := range []string{"", "KM[]", "KM[none]", "KM[NaN]", "KM[1e99]", "KM[99999]"} {
		r := recordOf(t, parseOne(t, "(;"+text+")"))
		if text == "KM[1e99]" {
			require.Equal(t, 1.0, r.Komi, "what follows the number is its unit")
			continue
		}
		require.False(t, r.HasKomi, text)
	}
	r := recordOf(t, parseOne(t, "(;SZ[9];B[aa]BL[-2]OB[x]WL[inf])"))
	require.Equal(t, sgf.Clock{Known: true}, r.Steps[0].Black)
	require.Equal(t, sgf.Clock{}, r.Steps[0].White)
}

// TestKomiOfFox: the Fox server writes no komi for even games that have one.
func TestKomiOfFox(t *testing.T) {
	const head = "(;GM[1]FF[4]\nSZ[19]\nGN[]\nDT[2020-07-25]\nPB[a]PW[b]BR[15级]WR[15级]\n"
	for text, want := range map[string]struct {
		komi float64
		has  bool
	}{
		"KM[0]HA[0]RU[Japanese]AP[GNU Go:3.8]RE[B+R]TM[1200]AP[foxwq]RL[0];B[pd])": {0, false},
		"KM[0]HA[2]RU[Chinese]AP[GNU Go:3.8]AP[foxwq];AB[pd][dp];W[dc])":           {0, true},
		"KM[0]HA[1]RU[Chinese]AP[GNU Go:3.8]AP[foxwq];B[pd])":                      {0, true},
		"KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]AP[foxwq];B[pd])":                    {7.5, true},
		"KM[0]HA[0]RU[Japanese]AP[GNU Go:3.8];B[pd])":                              {0, true},
	} {
		roots, err := sgf.Parse([]byte(head + text))
		require.NoError(t, err)
		r, err := sgf.RecordOf(roots[0])
		require.NoError(t, err)
		require.Equal(t, want.has, r.HasKomi, text)
		require.Equal(t, want.komi, r.Komi, text)
	}
}

func TestBoardRules(t *testing.T) {
	japanese := board.Japanese()
	japanese.Komi = 5.5
	tromp := board.TrompTaylor()
	for text, want := range map[string]board.Rules{
		"RU[Japanese]KM[5.5]": japanese,
		"RU[Chinese]":         board.Chinese(),
		"RU[koPOSITIONALscoreAREAtaxNONEsui1whb0]KM[7.5]": tromp,
	} {
		rules, err := recordOf(t, parseOne(t, "(;"+text+")")).BoardRules()
		require.NoError(t, err, text)
		require.Equal(t, want, rules, text)
	}
	rules, err := recordOf(t, parseOne(t, "(;RU[koSITUATIONALscoreTERRITORYtaxSEKIsui0button0whbN-1fpok1])")).BoardRules()
	require.NoError(t, err)
	require.Equal(t, board.ScoringTerritory, rules.Scoring)
	require.Equal(t, board.BonusNMinus1, rules.HandicapBonus)
	for _, name := range []string{"GOE", "NZ", "AGA", "Korean"} {
		_, err := recordOf(t, parseOne(t, "(;RU["+name+"])")).BoardRules()
		require.NoError(t, err, name)
	}
	for _, name := range []string{"", "house rules", "koXscoreY", "koSIMPLEscoreAREAsui7", `koSIMPLEscore","x":"`} {
		_, err := recordOf(t, parseOne(t, "(;RU["+name+"])")).BoardRules()
		require.ErrorIs(t, err, sgf.ErrValue, name)
	}
}

// replace makes a diagram comparable whatever blanks it has between points.
func replace(diagram string) string {
	out := make([]byte, 0, len(diagram))
	for i := range len(diagram) {
		if diagram[i] != ' ' {
			out = append(out, diagram[i])
		}
	}
	return string(out)
}
