package sgf_test

import (
	"strings"
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

// moves returns a main line as GTP vertices.
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
`, g.Board().String())

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
		"SZ[19×19]": board.Square(19), "SZ[19*19]": board.Square(19), "SZ[１９]": board.Square(19), "SZ[13路]": board.Square(13), "SZ[9 x 13]": {W: 9, H: 13},
	} {
		size, err := sgf.SizeOf(parseOne(t, "(;"+text+")"))
		require.NoError(t, err)
		require.Equal(t, want, size)
	}
	for _, text := range []string{"1", "26", "52", "1000000000000000000000", "-5", "9:99", "x", "9:"} {
		_, err := sgf.RecordOf(parseOne(t, "(;SZ["+text+"])"))
		require.ErrorIs(t, err, sgf.ErrSize, text)
	}
	for text, want := range map[string]error{"GM[1]": nil, "GM[ 1 ]": nil, "GM[]": nil, "GM[2]": sgf.ErrNotGo, "GM[3]SZ[99]": sgf.ErrNotGo, "GM[chess]": sgf.ErrNotGo} {
		_, err := sgf.RecordOf(parseOne(t, "(;"+text+";B[aa])"))
		require.ErrorIs(t, err, want, text)
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
}

// TestSetUpTwice: if a node sets up a point more than once, White takes precedence over Black and
// a stone over an empty point, in any order; a later node takes precedence over an earlier one.
func TestSetUpTwice(t *testing.T) {
	for _, c := range []struct {
		text         string
		black, white int
	}{
		{"(;SZ[9]AB[aa]AW[aa])", 0, 1},
		{"(;SZ[9]AW[aa]AB[aa])", 0, 1},
		{"(;SZ[9]AB[aa]AE[aa])", 1, 0},
		{"(;SZ[9]AE[aa:cc]AB[aa])", 1, 0},
		{"(;SZ[9]AE[aa]AW[aa]AB[aa])", 0, 1},
		{"(;SZ[9]AB[aa][aa])", 1, 0},
		{"(;SZ[9]AB[aa];AE[aa])", 0, 0},
		{"(;SZ[9]AB[aa];AW[aa])", 0, 1},
	} {
		r := recordOf(t, parseOne(t, c.text))
		black, white := 0, 0
		if r.Setup != nil {
			black, white = len(r.Setup.Black), len(r.Setup.White)
		}
		require.Equal(t, []int{c.black, c.white}, []int{black, white}, c.text)
	}
}

// TestBadPoints: a record ends before an invalid move, and invalid set-up stones are left out,
// each with a note.
func TestBadPoints(t *testing.T) {
	for text, want := range map[string]struct{ moves, note string }{
		"(;SZ[9];B[aa];W[zz];B[bb])":          {"b A9 ", `The record ends after move 1: "zz" is not a point of a board of 9x9 (W).`},
		"(;SZ[9];B[aa];W[resign])":            {"b A9 ", `The record ends after move 1: "resign" is not a point of a board of 9x9 (W).`},
		"(;SZ[9]AB[cc][tt];W[bb];B[aa])":      {"w B8 b A9 ", `Stones to set up are left out: "tt" in a list of points (AB).`},
		"(;SZ[9];B[aa];AW[dd][jj]AE[aa];W[])": {"b A9 w pass ", `Stones to set up are left out: "jj" is not a point of a board of 9x9 (AW).`},
		"(;SZ[9];B[aa][bb];W[cc])":            {"b A9 w C7 ", `B has 2 points in one move; the first was taken.`},
		"(;SZ[9];B[pass];W[PASS];B[tt])":      {"b pass w pass b pass ", ""},
		"(;SZ[21:9];B[tt];W[ua])":             {"b pass w V9 ", ""},
		"(;SZ[9:21];B[tt])":                   {"b pass ", ""},
		"(;SZ[20];B[tt])":                     {"b U1 ", ""},
		"(;SZ[19];B[tt])":                     {"b pass ", ""},
		"(;SZ[9];B[5e])":                      {"", `The record ends after its set-up: "5e" is not a point of a board of 9x9 (B).`},
	} {
		r := recordOf(t, parseOne(t, text))
		require.Equal(t, want.moves, moves(r), text)
		require.Equal(t, strings.Contains(want.note, " is not a point") || strings.Contains(want.note, "left out"), r.Fault != nil, text)
		if r.Fault != nil {
			require.ErrorIs(t, r.Fault, sgf.ErrPoint)
		}
		if want.note != "" {
			require.Equal(t, []string{want.note}, r.Notes, text)
		}
	}
	r := recordOf(t, parseOne(t, "(;SZ[9]AB[cc][tt][bb];W[dd];AW[zz][ee])"))
	require.Len(t, r.Setup.Black, 2)
	require.Len(t, r.Steps[1].Setup.White, 1)
}

// TestKomi: the meaning of KM depends on other root properties.
func TestKomi(t *testing.T) {
	for text, want := range map[string]float64{
		"KM[6.5]": 6.5, "KM[6,5]": 6.5, "KM[-3.5]": -3.5, "KM[7 points]": 7, "KM[0]": 0, "KM[-0]": 0, "KM[+5.5]": 5.5, "KM[ 7.50 ]": 7.5, "KM[.5]": 0.5, "KM[7.]": 7,
		"KM[6 1/2]": 6.5, "KM[6½]": 6.5, "KM[6-1/2]": 6.5, "KM[½]": 0.5, "KM[-5 1/2]": -5.5, "KM[13/2]": 6.5, "KM[６．５]": 6.5, "KM[6目半]": 6.5, "KM[六目半]": 6.5,
		"KM[komi 6.5]": 6.5, "KM[Komi: 6½]": 6.5, "KM[贴3又3/4子]": 7.5, "KM[黑贴3又四分之三子]": 7.5, "KM[黑贴二又四分之三子]": 5.5, "KM[黑贴7目半]": 7.5, "KM[コミ6目半]": 6.5, "KM[덤 6집반]": 6.5, "KM[덤6.5]": 6.5,
		"KM[逆コミ5目半]": -5.5, "KM[6点半]": 6.5, "KM[6.499999]": 6.5, "KM[7.50000001]": 7.5,
		"KM[7目]": 7, "KM[5e-1]": 0.5, "KM[3 3/4子]RU[Chinese]": 7.5, "KM[6집반]": 6.5,
		"KM[375]": 7.5, "KM[650]": 6.5, "KM[375]RU[Chinese]": 7.5, "KM[275]": 5.5, "KM[325]": 6.5, "KM[550]": 5.5, "KM[750]": 7.5,
		"KM[700]": 7, "KM[700]RU[Chinese]": 7, "KM[350]": 7, "KM[350]RU[Chinese]": 7, "KM[350]AP[foxwq]RU[Chinese]": 7, "KM[350]AP[foxwq]RU[Japanese]": 7,
		"KM[700]AP[foxwq]RU[Chinese]": 7, "KM[50]AP[foxwq]RU[Chinese]": 0.5, "KM[50]AP[foxwq]RU[Japanese]": 0.5, "KM[600]AP[foxwq]RU[Japanese]": 6,
		"KM[300]AP[foxwq]RU[Chinese]": 6, "KM[7.5]AP[foxwq]RU[Chinese]": 7.5, "KM[0]AP[foxwq]RU[Chinese]HA[2]AB[dd][pp]": 0, "KM[0]AP[foxwq]RU[Chinese]HA[1]": 0, "KM[50]AP[GNU Go:3.8]AP[foxwq]HA[2]AB[dd][pp]": 0.5,
		"KM[50]": 50, "KM[100]": 100, "KM[-200]": -200, "KM[700]SZ[9]": 7,
		"KM[3.75]RU[Chinese]": 7.5, "KM[2.75]RU[Chinese]": 5.5, "KM[3.25]RU[AGA]": 6.5, "KM[3.75]": 7.5, "KM[-2.75]": -5.5, "KM[3.75]RU[Japanese]": 7.5, "KM[3.5]RU[Chinese]": 3.5,
	} {
		r := recordOf(t, parseOne(t, "(;"+text+")"))
		require.True(t, r.HasKomi, text)
		require.Equal(t, want, r.Komi, text)
		rules, notes := r.RulesOr(board.Chinese())
		require.Equal(t, float32(want), rules.Komi, text)
		require.NotContains(t, strings.Join(notes, " "), "komi", text)
	}
	for text, usual := range map[string]float32{
		"": 7.5, "KM[]": 7.5, "KM[none]": 7.5, "KM[NaN]": 7.5, "KM[1e99]": 7.5, "KM[99999]": 7.5, "KM[1e3]": 7.5, "KM[1e999]": 7.5, "KM[1/0]": 7.5, "KM[6.3]": 7.5,
		"KM[700.5]": 7.5, "KM[6.75]": 7.5, "KM[6'5]": 7.5, "KM[6..5]": 7.5, "KM[6;5]": 7.5, "KM[0x10]": 7.5, "KM[1e3]RU[Japanese]": 6.5, "KM[-1500]RU[Chinese]": 7.5, "KM[x]HA[2]AB[dd][pp]": 0.5, "HA[2]AB[dd][pp]": 0.5,
		"KM[90]SZ[9]RU[Chinese]": 7.5, "KM[0]AP[foxwq]RU[Japanese]": 6.5,
	} {
		r := recordOf(t, parseOne(t, "(;"+text+")"))
		require.False(t, r.HasKomi, text)
		rules, notes := r.RulesOr(board.Chinese())
		require.Equal(t, usual, rules.Komi, text)
		require.Contains(t, strings.Join(notes, " "), "komi", text)
	}
	r := recordOf(t, parseOne(t, "(;KM[3.75]RU[Chinese];B[aa])"))
	require.Equal(t, []string{`The komi "3.75" of the record means 7.5 points.`}, r.Notes)
	r = recordOf(t, parseOne(t, "(;KM[1e3]RU[Chinese];B[aa])"))
	_, notes := r.RulesOr(board.Japanese())
	require.Equal(t, []string{`The komi "1e3" of the record makes no sense; 7.5 was taken.`}, notes)
}

// TestHandicap: if HA names two or more stones, those set up or played before White's first move are
// counted. If there are none and White begins, as many as HA says are placed.
func TestHandicap(t *testing.T) {
	for text, want := range map[string]struct {
		handicap, stones int
		note             string
	}{
		"HA[2]AB[cc][gg];W[ee]":                   {2, 2, ""},
		"HA[9]AB[cc][gg];W[ee]":                   {2, 2, "names 9 handicap stones and has 2; 2 were counted"},
		"HA[3];W[ee];B[dd]":                       {3, 3, "names 3 handicap stones and has none; they were placed on the star points"},
		"HA[9];W[eh];B[dd]":                       {9, 9, "they were placed"},
		"HA[9];B[ee];W[dd]":                       {0, 0, "names 9 handicap stones and has none; none was counted"},
		"HA[9];W[ee];B[dd]":                       {0, 0, "none was counted"}, // White takes a star point
		"HA[3];B[cc];B[gg];B[cg];W[ee]":           {3, 0, ""},
		"HA[3];B[cc];W[];B[gg];W[tt];B[cg];W[ee]": {3, 0, ""},
		"HA[3]AB[cc][gg];B[cg];W[ee]":             {2, 2, "has 2"},
		"HA[2];B[cc];B[gg]":                       {2, 0, ""},
		"HA[4]":                                   {4, 4, "they were placed"},
		"HA[1];B[ee]":                             {1, 0, ""},
		"HA[2 stones]AB[cc][gg];W[ee]":            {2, 2, ""},
		"HA[-1];B[ee]":                            {0, 0, `The handicap "-1" of the record makes no sense`},
		"HA[two];B[ee]":                           {0, 0, `The handicap "two" of the record makes no sense`},
		"HA[２]AB[cc][gg];W[ee]":                   {2, 2, ""},
		"HA[二子]AB[cc][gg];W[ee]":                  {2, 2, ""},
		"HA[0];B[ee]":                             {0, 0, ""},
		"HA[];B[ee]":                              {0, 0, ""},
		"HA[2]AB[cc][gg][hh]AW[dd][ee];B[aa]":     {2, 3, ""},
		"HA[2]AW[cc];W[ee]":                       {0, 0, "none was counted"},
		"HA[50];W[ee]":                            {0, 0, "none was counted"},
	} {
		root := parseOne(t, "(;SZ[9]"+text+")")
		r := recordOf(t, root)
		stones := 0
		if r.Setup != nil {
			stones = len(r.Setup.Black)
		}
		require.Equal(t, [2]int{want.handicap, want.stones}, [2]int{r.Handicap, stones}, "%s %q", text, r.Notes)
		require.Equal(t, want.note == "", len(r.Notes) == 0, text)
		require.Contains(t, strings.Join(r.Notes, " "), want.note, text)
		r.AddPlaced(root)
		again := recordOf(t, root)
		require.Equal(t, [2]int{r.Handicap, stones}, [2]int{again.Handicap, len(root.Values("AB"))}, text)
	}
}

// TestPlayable: moves that break the rules are played and noted; a move on an occupied point ends
// the game.
func TestPlayable(t *testing.T) {
	ko := "(;SZ[5]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[bb];B[ee])"
	r := recordOf(t, parseOne(t, ko))
	n, notes, err := r.Playable(board.Japanese())
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Equal(t, []string{"Move 2, white B4, is against the rules (ko); it was played as the record has it."}, notes)
	r = recordOf(t, parseOne(t, "(;SZ[9];B[aa];W[bb];B[aa];W[cc])"))
	n, notes, err = r.Playable(board.Japanese())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, []string{"The record ends after move 2: black A9 cannot be played, the point is occupied."}, notes)
	_, _, err = recordOf(t, parseOne(t, "(;SZ[9]AB[aa];B[aa])")).Playable(board.Japanese())
	require.ErrorIs(t, err, sgf.ErrPoint)
}

func TestClocks(t *testing.T) {
	r := recordOf(t, parseOne(t, "(;SZ[9];B[aa]BL[-2]OB[x]WL[inf])"))
	require.Equal(t, sgf.Clock{Known: true}, r.Steps[0].Black)
	require.Equal(t, sgf.Clock{}, r.Steps[0].White)
}

func TestBoardRules(t *testing.T) {
	japanese := board.Japanese()
	japanese.Komi = 5.5
	for text, want := range map[string]board.Rules{"RU[Japanese]KM[5.5]": japanese, "RU[Chinese]": board.Chinese()} {
		rules, err := recordOf(t, parseOne(t, "(;"+text+")")).BoardRules()
		require.NoError(t, err, text)
		require.Equal(t, want, rules, text)
	}
	_, err := recordOf(t, parseOne(t, "(;SZ[9])")).BoardRules()
	require.ErrorIs(t, err, sgf.ErrValue)
}

// TestRuleNames reads the names of rules that people and servers write.
func TestRuleNames(t *testing.T) {
	for want, names := range map[string][]string{
		"japanese": {"Japanese", "Japanese Rules", "japan", "JP", "日本", "日本ルール", "日本规则", "日本規則", "일본", "일본 규칙", "일본룰", "Territory", "Territory scoring", "Nihon Ki-in",
			"日本棋院", "日本囲碁規則", "Japanese (byo-yomi)", "Japanese, 6.5 komi", "ＪＡＰＡＮＥＳＥ", "nihon kiin rules", "Japanisch", "японские правила"},
		"chinese":       {"Chinese", "chinese rules", "中国", "中國", "中国ルール", "中国规则", "中國規則", "중국", "중국 규칙", "Area", "area scoring", "Chinese, Pair Go", "cn", "数子法", "中国围棋规则"},
		"chinese-ogs":   {"Chinese (OGS)", "chinese-ogs", "Chinese OGS"},
		"chinese-kgs":   {"Chinese (KGS)", "chinese kgs"},
		"korean":        {"Korean", "한국", "한국 규칙", "韩国规则", "韓国ルール", "韓國", "Korea", "KR"},
		"aga":           {"AGA", "AGA rules", "American", "BGA", "French", "French rules", "アメリカ"},
		"ing":           {"GOE", "Ing", "ING Goe", "Ing's SST", "应氏规则", "応氏ルール", "응씨룰"},
		"new-zealand":   {"NZ", "New Zealand", "New Zealand rules", "ニュージーランドルール", "新西兰规则"},
		"tromp-taylor":  {"Tromp/Taylor", "Tromp-Taylor", "tromp taylor rules", "TrompTaylor", "トロンプ・テイラー・ルール"},
		"stone-scoring": {"stone scoring", "Old Chinese"},
	} {
		rules, err := board.ParseRules(want)
		require.NoError(t, err)
		for _, name := range names {
			got, err := recordOf(t, parseOne(t, "(;RU["+name+"])")).BoardRules()
			require.NoError(t, err, name)
			require.Equal(t, rules, got, name)
		}
	}
	for _, name := range []string{"house rules", "koXscoreY", "koSIMPLEscoreAREAsui7", "Mars", "rules", "規則", "unknown", "?", "none", "Japan or China"} {
		r := recordOf(t, parseOne(t, "(;KM[5]RU["+name+"])"))
		_, err := r.BoardRules()
		require.ErrorIs(t, err, sgf.ErrValue, name)
		rules, notes := r.RulesOr(board.Japanese())
		require.Equal(t, []string{"The rules \"" + name + "\" are not known; rules with territory scoring were taken."}, notes)
		require.Equal(t, board.ScoringTerritory, rules.Scoring)
		require.Equal(t, float32(5), rules.Komi)
	}
}
