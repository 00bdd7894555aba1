package conform

import (
	"fmt"
	"regexp"
	"strings"

	"kosumi/board"

	"github.com/stretchr/testify/require"
)

var positionItems = []item[*GTP]{
	{14, "board sizes", checkBoardSizes},
	{15, "komi, rules and clock survive boardsize and clear_board", checkSettingsSurvive},
	{16, "komi", checkKomi},
	{17, "spellings in play", checkSpellings},
	{18, "play refuses occupied and off-board points", checkIllegalPlay},
	{19, "plays of one colour in a row", checkSameColour},
	{20, "genmove for the side that just moved", checkMoveTwice},
	{21, "everything works after two passes", checkAfterPasses},
	{22, "genmove is legal", checkLegalMoves},
	{23, "resignation changes nothing", checkResign},
	{24, "reg_genmove", checkRegGenmove},
}

var diagramRow = regexp.MustCompile(`^ ?(\d+)[ (]`)

// diagram reads the stones of showboard, rows from the top, X black, O white.
func (s *GTP) diagram() []string {
	var rows []string
	for _, l := range strings.Split(s.OK("showboard"), "\n") {
		m := diagramRow.FindStringIndex(l)
		if m == nil {
			continue
		}
		row := ""
		for _, c := range l[2:] {
			switch c {
			case 'X', 'O':
				row += string(c)
			case '.', '+':
				row += "."
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// size reads width and height from showboard.
func (s *GTP) size() board.Size {
	rows := s.diagram()
	require.NotEmpty(s.T, rows)
	return board.Size{W: len(rows[0]), H: len(rows)}
}

func checkBoardSizes(s *GTP) {
	for command, want := range map[string]board.Size{
		"boardsize 9": board.Square(9), "boardsize 13": board.Square(13), "boardsize 19": board.Square(19),
		"boardsize 25": board.Square(25), "boardsize 9 13": {W: 9, H: 13}, "boardsize 9:13": {W: 9, H: 13},
		"rectangular_boardsize 13 9": {W: 13, H: 9}, "boardsize 2": board.Square(2), "boardsize 7 19": {W: 7, H: 19},
	} {
		s.All("play b a1", command)
		require.Equal(s.T, want, s.size(), command)
		require.NotContains(s.T, strings.Join(s.diagram(), ""), "X", "the board is empty after %s", command)
	}
	s.All("boardsize 9", "play b c3")
	s.unchanged(func() {
		s.Refuse("unacceptable size", "boardsize 1", "boardsize 26", "boardsize 0", "boardsize -3", "rectangular_boardsize 9 26")
		s.Refuse("syntax error", "boardsize x", "boardsize", "boardsize 9 9 9", "boardsize 9 x", "boardsize 9.5",
			"boardsize 99999999999999999999", "rectangular_boardsize 9", "boardsize 9:")
	})
}

func checkSettingsSurvive(s *GTP) {
	s.All("komi 3.5", "kata-set-rules japanese", "time_settings 300 30 5")
	rules := s.OK("kata-get-rules")
	for _, c := range []string{"boardsize 9", "clear_board", "rectangular_boardsize 9 13", "boardsize 19", "clear_board"} {
		s.All(c)
		require.Equal(s.T, "3.5", s.OK("get_komi"), c)
		require.Equal(s.T, rules, s.OK("kata-get-rules"), c)
	}
}

func checkKomi(s *GTP) {
	s.All("boardsize 9", "play b c3")
	stones := s.diagram()
	for text, want := range map[string]string{
		"0": "0.0", "-3.5": "-3.5", "7": "7.0", "7,5": "7.5", "400": "400.0", "-400": "-400.0", "6.50": "6.5", "+5": "5.0",
	} {
		s.All("komi " + text)
		require.Equal(s.T, want, s.OK("get_komi"), text)
	}
	s.All("komi 7.25")
	require.Contains(s.T, []string{"7.0", "7.5"}, s.OK("get_komi"))
	s.All("komi 5.5")
	s.unchanged(func() {
		s.Refuse("syntax error", "komi abc", "komi NaN", "komi Inf", "komi", "komi 1 2", "komi 1,2,3", "komi 0x10", "komi 1e999")
		s.Refuse("unacceptable komi", "komi 400.5")
	})
	s.All("kata-set-rules chinese", "komi 6.5")
	require.Equal(s.T, stones, s.diagram())
	s.All("undo")
	s.Refuse("cannot undo", "undo")
}

func checkSpellings(s *GTP) {
	s.All("boardsize 9")
	colours := map[string]string{"b": "X", "B": "X", "black": "X", "BLACK": "X", "Black": "X", "w": "O", "W": "O", "white": "O", "WHITE": "O"}
	for c, symbol := range colours {
		for _, v := range []string{"a1", "A1"} {
			s.All("clear_board", fmt.Sprintf("play %s %s", c, v))
			require.Equal(s.T, symbol, s.diagram()[8][:1])
		}
		for _, v := range []string{"pass", "PASS", "Pass"} {
			s.All(fmt.Sprintf("play %s %s", c, v))
		}
	}
	s.Refuse("syntax error", "play", "play b", "play x c3", "play b c3 c4", "play c3 b", "play b 33", "play b c")
}

func checkIllegalPlay(s *GTP) {
	s.All("boardsize 9", "play b c3", "play w d4")
	s.unchanged(func() {
		s.Refuse("illegal move",
			"play b c3", "play w c3", "play b D4", "play b k1", "play b a10", "play w a0", "play b i5", "play b z99",
			"play w resign", "play b null", "play b aa1")
	})
	s.All("play b j9")
	// A move that the rules forbid but servers may allow is played: here a suicide.
	s.All("clear_board", "play w a2", "play w b1", "play b a1")
}

func checkSameColour(s *GTP) {
	s.All("boardsize 9", "play b a1", "play b b1")
	for i := range 10 {
		s.All(fmt.Sprintf("play w %c%d", 'A'+i%5, 5+i/5))
	}
	board := strings.Join(s.diagram(), "")
	require.Equal(s.T, 2, strings.Count(board, "X"))
	require.Equal(s.T, 10, strings.Count(board, "O"))
}

func checkMoveTwice(s *GTP) {
	s.quick()
	s.All("boardsize 9", "kata-set-param allowResignation false", "play b e5")
	first := s.OK("genmove b")
	second := s.OK("genmove b")
	for _, m := range []string{first, second} {
		require.Regexp(s.T, vertexOrPass, m)
	}
	require.NotEqual(s.T, "E5", first)
	s.OK("undo")
	s.OK("undo")
	require.Equal(s.T, 1, strings.Count(strings.Join(s.diagram(), ""), "X"))
}

var vertexOrPass = regexp.MustCompile(`^([A-HJ-Z]\d{1,2}|pass)$`)

func checkAfterPasses(s *GTP) {
	s.quick()
	s.All("boardsize 9", "play b e5", "play w pass", "play b pass")
	for _, c := range []string{
		"final_score", "final_status_list dead", "genmove w", "undo", "play b c3", "play w pass", "play b pass", "play w pass",
		"genmove b", "undo", "undo", "undo", "final_score", "final_status_list alive", "reg_genmove w", "kata-search b",
	} {
		s.OK("%s", c)
	}
}

var moveText = regexp.MustCompile(`^[A-HJ-Z]\d{1,2}$|^pass$|^resign$`)

// follow plays a game by genmove and checks each move against the rules.
func (s *GTP) follow(size board.Size, rules string, moves int) {
	r, err := board.ParseRules(rules)
	require.NoError(s.T, err)
	g, err := board.NewGame(size, r)
	require.NoError(s.T, err)
	s.All(fmt.Sprintf("boardsize %d %d", size.W, size.H), "kata-set-rules "+rules, "clear_board")
	for range moves {
		text := s.OK("genmove %s", g.ToMove())
		require.Regexp(s.T, moveText, text)
		if text == "resign" || g.Finished() {
			return
		}
		p, err := size.ParseVertex(text)
		require.NoError(s.T, err)
		require.NoError(s.T, g.Play(g.ToMove(), p), "%s\n%v", text, g.Board())
	}
}

func checkLegalMoves(s *GTP) {
	s.quick()
	s.follow(board.Square(9), "tromp-taylor", 100)
	s.follow(board.Square(5), "japanese", 60)
	s.follow(board.Square(3), "aga", 60)
	s.follow(board.Square(2), "chinese-ogs", 40)
	// The simple ko must not be taken back at once.
	s.All("boardsize 5", "kata-set-rules chinese", "gogui-play_sequence b b1 w c1 b a2 w d2 b b3 w c3 b c2 w b2")
	for range 3 {
		require.NotEqual(s.T, "C2", s.OK("reg_genmove b"))
	}
	require.Equal(s.T, "0", s.OK("is_legal b c2"))
}

func checkResign(s *GTP) {
	s.quick()
	s.All("boardsize 9", "kata-set-param allowResignation true", "komi 400")
	for range 60 {
		before := s.OK("showboard")
		if s.OK("genmove b") != "resign" {
			s.OK("genmove w")
			continue
		}
		if after := s.OK("showboard"); after != before {
			// It may now be Black's turn instead of White's.
			require.Equal(s.T, strings.Replace(before, "To move: white", "To move: black", 1), after)
		}
		require.Regexp(s.T, moveText, s.OK("genmove w"))
		s.OK("play b pass")
		return
	}
	require.FailNow(s.T, "no resignation with a komi of 400")
}

func checkRegGenmove(s *GTP) {
	s.quick()
	s.All("boardsize 9", "time_settings 60 0 0", "play b e5", "play w c3")
	s.unchanged(func() {
		first := s.OK("reg_genmove b")
		for range 3 {
			require.Equal(s.T, first, s.OK("reg_genmove b"))
		}
		require.Regexp(s.T, moveText, s.OK("reg_genmove w"))
		require.Equal(s.T, first, s.OK("reg_genmove b"))
	})
	s.All("undo", "undo")
	s.Refuse("cannot undo", "undo")
}
