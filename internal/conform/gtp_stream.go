package conform

import (
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

var streamItems = []item[*GTP]{
	{48, "genmove_analyze", checkGenmoveAnalyze},
	{49, "kata-search", checkSearch},
	{50, "# interrupt", checkInterrupt},
	{51, "stop, clear_cache, cputime", checkAnyTime},
}

func checkGenmoveAnalyze(s *GTP) {
	s.quick()
	s.All("boardsize 9", "kata-set-param allowResignation false")
	s.OK("reg_genmove b")
	empty := s.OK("showboard")
	for _, name := range []string{"lz-genmove_analyze", "kata-genmove_analyze", "genmove_analyze"} {
		s.quick()
		s.OpenStream("%s w 5", name)
		last, _ := s.Rest()
		require.Regexp(s.T, `^play (pass|[A-HJ]\d)$`, last)
		require.NotEqual(s.T, empty, s.OK("showboard"))
		s.All("undo")

		s.endless()
		s.All("kata-set-param maxTime 0.6")
		began := time.Now()
		s.OpenStream("%s b 5", name)
		s.Info()
		s.Send("\n# comment\n8 protocol_version\n")
		last, at := s.Rest()
		require.Regexp(s.T, `^play (pass|[A-HJ]\d)$`, last)
		require.Greater(s.T, at.Sub(began), 300*time.Millisecond, "input does not end it")
		require.Equal(s.T, []string{"=8 2"}, s.Next().Raw)
		s.All("undo")
	}
	s.quick()
	s.OpenStream("kata-genmove_analyze b 5 ownership true rootInfo true allow b C3 1")
	for {
		line := s.Line().Text
		if strings.HasPrefix(line, "play ") {
			require.Equal(s.T, "play C3", line)
			break
		}
		require.Contains(s.T, line, " rootInfo ")
	}
	require.Empty(s.T, s.Line().Text)
	s.All("undo")
	require.Equal(s.T, empty, strings.Replace(s.OK("showboard"), "To move: white", "To move: black", 1))
	s.OpenStream("kata-search_analyze b 5")
	last, _ := s.Rest()
	require.Regexp(s.T, `^play `, last)
	require.Equal(s.T, empty, strings.Replace(s.OK("showboard"), "To move: white", "To move: black", 1))
	s.Refuse("syntax error", "lz-genmove_analyze b x")
	s.Silent(50 * time.Millisecond)
}

func checkSearch(s *GTP) {
	s.quick()
	s.All("boardsize 9", "play b e5")
	s.unchanged(func() {
		require.Regexp(s.T, moveText, s.OK("kata-search w"))
		require.Regexp(s.T, moveText, s.OK("kata-search_cancellable w"))
		s.endless()
		s.Send("6 kata-search_cancellable w\n")
		s.Silent(settle)
		s.Send("\n")
		require.Equal(s.T, []string{"=6 cancelled"}, s.Next().Raw)
		s.Send("kata-search_cancellable w\n")
		s.Silent(settle)
		s.Send("7 protocol_version\n")
		require.Equal(s.T, "cancelled", s.Next().Text)
		require.Equal(s.T, "2", s.Next().Text)
		s.OpenStream("kata-search_analyze_cancellable w 5")
		s.Info()
		last, _ := s.CloseStream()
		require.Equal(s.T, "play cancelled", last)
	})
}

func checkInterrupt(s *GTP) {
	s.quick()
	s.All("boardsize 9", "kata-set-param allowResignation false")
	require.Equal(s.T, []string{"= "}, s.Ask("gogui-interrupt").Raw)
	s.OK("reg_genmove b")
	s.Send("# interrupt\n")
	s.Silent(100 * time.Millisecond)
	s.endless()
	for _, c := range []string{"genmove b", "reg_genmove w", "kgs-genmove_cleanup w", "kata-search b"} {
		s.Send(c + "\n")
		s.Send("3 protocol_version\n") // a command sent meanwhile must not disturb the search
		s.Silent(settle)
		s.Send("# interrupt\r\n")
		require.Regexp(s.T, vertexOrPass, s.Next().Text, c)
		require.Equal(s.T, []string{"=3 2"}, s.Next().Raw)
	}
	s.Silent(50 * time.Millisecond)
}

func checkAnyTime(s *GTP) {
	s.quick()
	before := -1.0
	for _, c := range []string{"boardsize 9", "genmove b", "play w pass", "play b pass", "genmove w", "undo", "clear_board", "name"} {
		s.All("stop", "clear_cache")
		f, err := strconv.ParseFloat(s.OK("cputime"), 64)
		require.NoError(s.T, err)
		require.GreaterOrEqual(s.T, f, max(before, 0))
		before = f
		s.OK("%s", c)
	}
	s.OpenStream("kata-analyze 5")
	s.Info()
	s.Send("stop\n")
	s.Rest()
	require.Equal(s.T, []string{"= "}, s.Next().Raw)
}
