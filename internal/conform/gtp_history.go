package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kosumi/board"

	"github.com/stretchr/testify/require"
)

var historyItems = []item[*GTP]{
	{25, "undo", checkUndo},
	{26, "gg-undo", checkUndoSeveral},
	{27, "set_position", checkSetPosition},
	{28, "gogui-play_sequence is all or nothing", checkPlaySequence},
	{29, "gogui-setup", checkGoguiSetup},
}

var setupItems = []item[*GTP]{
	{30, "fixed_handicap", checkFixedHandicap},
	{31, "free handicap", checkFreeHandicap},
	{32, "loadsgf", checkLoadSGF},
	{33, "no empty line in printsgf and showboard", checkNoEmptyLine},
}

func checkUndo(s *GTP) {
	s.quick()
	s.All("boardsize 5", "kata-set-rules chinese")
	empty := s.OK("showboard")
	moves := strings.Fields("b b1 w c1 b a2 w d2 b b3 w c3 b c2 w b2 b pass w a5")
	var boards []string
	for i := 0; i < len(moves); i += 2 {
		boards = append(boards, s.OK("showboard"))
		s.OK("play %s %s", moves[i], moves[i+1])
	}
	for i := len(boards) - 1; i >= 0; i-- {
		s.OK("undo")
		require.Equal(s.T, boards[i], s.OK("showboard"))
		if i == len(boards)-2 { // White has just taken the ko
			require.Equal(s.T, "0", s.OK("is_legal b c2"), "the ko is restored")
		}
	}
	require.Equal(s.T, empty, s.OK("showboard"))
	s.Refuse("cannot undo", "undo")
	s.OK("genmove b")
	s.OK("undo")
	require.Equal(s.T, empty, s.OK("showboard"))
	s.All("boardsize 9", "fixed_handicap 2", "play w e5", "undo")
	s.Refuse("cannot undo", "undo")
	require.Equal(s.T, 2, strings.Count(strings.Join(s.diagram(), ""), "X"))
}

func checkUndoSeveral(s *GTP) {
	s.All("boardsize 9", "play b a1")
	one := s.OK("showboard")
	s.All("play w b2", "play b c3", "play w pass", "gg-undo 3")
	require.Equal(s.T, one, s.OK("showboard"))
	s.All("play w b2")
	two := s.OK("showboard")
	s.Refuse("cannot undo", "gg-undo 3")
	s.Refuse("syntax error", "gg-undo x")
	s.Refuse("", "gg-undo -1")
	require.Equal(s.T, two, s.OK("showboard"))
	s.All("gg-undo")
	require.Equal(s.T, one, s.OK("showboard"))
	s.All("gg-undo 1")
	s.Refuse("cannot undo", "gg-undo 1")
}

func checkSetPosition(s *GTP) {
	s.All("boardsize 5", "play b e5", "set_position b a1 W C3 black d4 white E1")
	require.Equal(s.T, []string{".....", "...X.", "..O..", ".....", "X...O"}, s.diagram())
	s.Refuse("cannot undo", "undo")
	require.Equal(s.T, "1", s.OK("is_legal b b1"))
	s.unchanged(func() {
		s.Refuse("",
			"set_position b a1 w a1", "set_position b", "set_position b a1 w", "set_position b pass",
			"set_position b a2 b b1 w a1", "set_position b f1", "set_position x a1", "set_position b a1 b resign")
	})
	s.All("set_position")
	require.NotRegexp(s.T, "[XO]", strings.Join(s.diagram(), ""))
}

func checkPlaySequence(s *GTP) {
	s.All("boardsize 9", "play b e5")
	s.unchanged(func() {
		s.Refuse("illegal move", "gogui-play_sequence w c3 b d4 w e5", "gogui-play_sequence w c3 b d4 w k9", "gogui-play_sequence w c3 b d4 w c3")
		s.Refuse("syntax error", "gogui-play_sequence w c3 b")
	})
	s.All("gogui-play_sequence W C3 B PASS w d4", "gogui-play_sequence", "gg-undo 3")
	require.Equal(s.T, 1, strings.Count(strings.Join(s.diagram(), ""), "X"))
	s.All("undo")
}

func checkGoguiSetup(s *GTP) {
	s.quick()
	s.All("boardsize 9", "clear_board", "gogui-setup B D4 W F6 B E5", "gogui-setup_player W")
	require.Contains(s.T, s.OK("showboard"), "To move: white")
	require.Equal(s.T, 3, len(strings.Join(s.diagram(), ""))-strings.Count(strings.Join(s.diagram(), ""), "."))
	s.unchanged(func() {
		s.Refuse("board not empty", "gogui-setup B A1")
		s.Refuse("syntax error", "gogui-setup_player X")
	})
	s.All("gogui-setup_player B")
	require.Contains(s.T, s.OK("showboard"), "To move: black")
	s.Refuse("cannot undo", "undo")
	s.All("clear_board", "gogui-setup", "gogui-setup_player W", "play w a1")
}

// fixedPoints are the points of fixed handicaps on 19x19 by the protocol's
// section 4.1.1.
var fixedPoints = map[int]string{
	2: "D4 Q16", 3: "D4 Q16 D16", 4: "D4 Q16 D16 Q4", 5: "D4 Q16 D16 Q4 K10", 6: "D4 Q16 D16 Q4 D10 Q10",
	7: "D4 Q16 D16 Q4 D10 Q10 K10", 8: "D4 Q16 D16 Q4 D10 Q10 K16 K4", 9: "D4 Q16 D16 Q4 D10 Q10 K16 K4 K10",
}

func checkFixedHandicap(s *GTP) {
	for n := 2; n <= 9; n++ {
		s.All("boardsize 19")
		text := s.OK("fixed_handicap %d", n)
		require.ElementsMatch(s.T, strings.Fields(fixedPoints[n]), strings.Split(text, " "))
		require.Contains(s.T, s.OK("showboard"), "To move: white")
		require.Equal(s.T, n, strings.Count(strings.Join(s.diagram(), ""), "X"))
		s.Refuse("cannot undo", "undo")
		s.Refuse("board not empty", "fixed_handicap 2")
	}
	s.All("boardsize 19")
	s.Refuse("invalid number of stones", "fixed_handicap 10", "fixed_handicap 1", "fixed_handicap 0", "fixed_handicap -2")
	s.Refuse("syntax error", "fixed_handicap", "fixed_handicap x")
	for size, most := range map[int]int{6: 0, 7: 4, 8: 4, 9: 9, 12: 4, 13: 9, 25: 9} {
		for n := 2; n <= 10; n++ {
			s.All(fmt.Sprintf("boardsize %d", size))
			r := s.Ask("fixed_handicap %d", n)
			require.Equal(s.T, n <= most, r.OK, "%d stones on %d", n, size)
		}
	}
	s.All("boardsize 9")
	require.ElementsMatch(s.T, strings.Fields("C3 G7 C7 G3"), strings.Fields(s.OK("fixed_handicap 4")))
	s.OK("play w e5")
}

func checkFreeHandicap(s *GTP) {
	size := board.Square(19)
	for n := 2; n <= 25; n++ {
		s.All("boardsize 19")
		r := s.Ask("place_free_handicap %d", n)
		require.True(s.T, r.OK)
		require.Len(s.T, r.Raw, 1, "all on one line")
		seen := map[board.Point]bool{}
		for _, v := range strings.Split(r.Text, " ") {
			p, err := size.ParseVertex(v)
			require.NoError(s.T, err)
			require.NotEqual(s.T, board.Pass, p)
			seen[p] = true
		}
		require.Len(s.T, seen, n)
		require.Equal(s.T, n, strings.Count(strings.Join(s.diagram(), ""), "X"))
		require.Contains(s.T, s.OK("showboard"), "To move: white")
	}
	s.Refuse("board not empty", "place_free_handicap 2", "set_free_handicap D4 Q16")
	s.All("boardsize 19")
	s.Refuse("invalid number of stones", "place_free_handicap 1")
	s.Refuse("syntax error", "place_free_handicap")
	s.Refuse("bad vertex list", "set_free_handicap D4 D4", "set_free_handicap D4 pass", "set_free_handicap D4 Z26", "set_free_handicap D4")
	var all []string
	for i := range size.Area() {
		all = append(all, size.Vertex(board.Point(i)))
	}
	s.Refuse("bad vertex list", "set_free_handicap "+strings.Join(all, " "))
	for _, n := range []int{2, 9, 100, 360} {
		s.All("boardsize 19", "set_free_handicap "+strings.Join(all[:n], " "))
		require.Contains(s.T, s.OK("showboard"), "To move: white")
		s.Refuse("cannot undo", "undo")
	}
}

func checkLoadSGF(s *GTP) {
	dir, err := filepath.Abs(s.T.TempDir())
	require.NoError(s.T, err)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(s.T, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	game := write("game.sgf", "(;GM[1]FF[4]SZ[5]KM[5.5];B[aa];W[bb];B[cc];W[])\n")
	s.All("loadsgf " + game)
	require.Equal(s.T, []string{"X....", ".O...", "..X..", ".....", "....."}, s.diagram())
	require.Equal(s.T, "5.5", s.OK("get_komi"))
	s.All("undo", "undo", "undo", "undo")
	s.Refuse("cannot undo", "undo")
	s.All("loadsgf " + game + " 3") // the position before the third move
	require.Equal(s.T, []string{"X....", ".O...", ".....", ".....", "....."}, s.diagram())
	s.All("loadsgf "+game+" 1", "loadsgf "+game+" 999")
	require.Equal(s.T, []string{"X....", ".O...", "..X..", ".....", "....."}, s.diagram())

	setup := write("set up.sgf", "(;SZ[5]AB[aa][ba]AW[ee]PL[W])")
	for _, name := range []string{setup, `"` + setup + `"`, `"` + setup + `" 1`} {
		s.All("boardsize 9", "loadsgf "+name)
		require.Equal(s.T, []string{"XX...", ".....", ".....", ".....", "....O"}, s.diagram())
		require.Contains(s.T, s.OK("showboard"), "To move: white")
	}
	erased := write("erased.sgf", "(;SZ[5]AB[aa][ba];AE[aa])")
	require.True(s.T, s.Ask("loadsgf %s", erased).OK)
	working, err := os.Getwd()
	require.NoError(s.T, err)
	relative, err := filepath.Rel(working, game)
	require.NoError(s.T, err)
	s.All("boardsize 9", "loadsgf "+relative)
	require.Equal(s.T, board.Square(5), s.size())

	s.unchanged(func() {
		s.Refuse("cannot load file", "loadsgf "+filepath.Join(dir, "missing.sgf"), "loadsgf "+dir,
			"loadsgf "+write("bad.sgf", "no game at all"), "loadsgf "+write("empty.sgf", ""), "loadsgf "+write("huge.sgf", "(;SZ[52])"))
		s.Refuse("syntax error", "loadsgf")
	})
}

func checkNoEmptyLine(s *GTP) {
	s.quick()
	for _, size := range []int{2, 9, 19, 25} {
		s.All(fmt.Sprintf("boardsize %d", size), "play b a1", "play w pass")
		require.Contains(s.T, s.OK("printsgf"), ";") // the method Next has checked the form of the reply
		require.Len(s.T, s.diagram(), size)
	}
	s.All("boardsize 9", "play b c3", "play w d4", "komi 5.5")
	path := filepath.Join(s.T.TempDir(), "saved.sgf")
	require.NoError(s.T, os.WriteFile(path, []byte(s.OK("printsgf")), 0o644))
	before := s.diagram()
	s.All("boardsize 5", "loadsgf "+path)
	require.Equal(s.T, before, s.diagram())
	s.All("play b e5", "printsgf "+path, "clear_board", "loadsgf "+path)
	require.Equal(s.T, 2, strings.Count(strings.Join(s.diagram(), ""), "X"))
	require.Equal(s.T, "5.5", s.OK("get_komi"))
}
