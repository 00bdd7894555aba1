package conform

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

var scoringItems = []item[*GTP]{
	{34, "final_score", checkFinalScore},
	{35, "final_status_list", checkFinalStatus},
	{36, "kgs-genmove_cleanup", checkCleanup},
}

var clockItems = []item[*GTP]{
	{37, "time_settings and time_left", checkTimeSettings},
	{38, "kgs- and kata-time_settings", checkNamedTimeSettings},
	{39, "the engine keeps its own clock", checkOwnClock},
	{40, "byo-yomi is kept", checkByoyomi},
}

const scorePattern = `^(0|[BW]\+\d+\.\d)$`

func checkFinalScore(s *GTP) {
	s.quick()
	s.All("boardsize 9", "kata-set-rules tromp-taylor")
	for _, setup := range []string{"komi 7", "komi 0", "komi 6.5", "play b e5", "play w c3", "play b pass", "play w pass"} {
		s.All(setup)
		require.Regexp(s.T, scorePattern, s.OK("final_score"), setup)
	}
	s.All("boardsize 5", "komi 0", "set_position "+wall(5, 5, "b", 2))
	require.Equal(s.T, "B+25.0", s.OK("final_score"))
	require.Regexp(s.T, `^([BW]\+|0)[^\n]*\nBlack wins \d+ %, by a search of \d+ visits\nstones and territory: Black \d+ sure, \d+ likely; White \d+ sure, \d+ likely; \d+ open`,
		s.OK("estimate_score"))
	s.All("komi 24.5")
	require.Equal(s.T, "B+0.5", s.OK("final_score"))
	s.All("komi 25")
	require.Equal(s.T, "0", s.OK("final_score"))
	s.All("komi 28")
	require.Equal(s.T, "W+3.0", s.OK("final_score"))
}

// wall is a set_position list of stones of one colour on a whole board except
// for two eyes in corners of the given row.
func wall(w, h int, colour string, row int) string {
	var b strings.Builder
	for y := 1; y <= h; y++ {
		for x := range w {
			if (x == 0 || x == w-1) && y == row {
				continue
			}
			fmt.Fprintf(&b, "%s %c%d ", colour, "ABCDEFGHJKLMNOPQRSTUVWXYZ"[x], y)
		}
	}
	return b.String()
}

func (s *GTP) statusList(status string) []string {
	return strings.Fields(s.OK("final_status_list %s", status))
}

func checkFinalStatus(s *GTP) {
	s.quick()
	for _, setup := range []string{
		"play b e5", "play w c3", "play b d3", "play w d4", "gogui-play_sequence b c4 w b4 b e4 w g7 b pass w pass",
		"set_position " + wall(9, 9, "b", 3), "set_position w e5 b a1 b b1 b a2 w j9",
	} {
		s.All("boardsize 9", setup)
		seen := map[string]string{}
		for _, status := range []string{"dead", "alive", "seki"} {
			for _, v := range s.statusList(status) {
				require.NotContains(s.T, seen, v)
				seen[v] = status
			}
		}
		rows := s.diagram()
		stones := 0
		for y, row := range rows {
			for x, c := range row {
				v := fmt.Sprintf("%c%d", "ABCDEFGHJ"[x], 9-y)
				if c == '.' {
					require.NotContains(s.T, seen, v)
					require.Contains(s.T, []string{"white_territory", "black_territory", "dame"}, s.OK("final_status %s", v))
					continue
				}
				stones++
				require.Contains(s.T, seen, v)
				if stones%5 == 0 {
					require.Equal(s.T, seen[v], s.OK("final_status %s", v))
				}
			}
		}
		require.Len(s.T, seen, stones)
	}
	s.Refuse("", "final_status_list", "final_status_list x", "final_status_list DEAD", "final_status_list dead alive", "final_status z99", "final_status pass")
	s.All("boardsize 9")
	require.Equal(s.T, []string{"= "}, s.Ask("final_status_list dead").Raw, "an empty list is a success")
}

// checkCleanup makes Black, who owns the whole board, take a dead stone that has two liberties
// left.
func checkCleanup(s *GTP) {
	s.quick()
	position := wall(9, 9, "b", 9)
	for _, v := range []string{"E4", "E6"} {
		position = strings.Replace(position, "b "+v+" ", "", 1)
	}
	position = strings.Replace(position, "b E5", "w E5", 1)
	s.All("boardsize 9", "kata-set-rules chinese", "kata-set-param allowResignation false", "set_position "+position)
	require.Equal(s.T, []string{"E5"}, s.statusList("dead"))
	for n := 0; s.OK("kgs-genmove_cleanup b") != "pass"; n++ {
		require.Less(s.T, n, 5, "the dead stone is not taken")
		s.OK("play w pass")
	}
	require.NotContains(s.T, strings.Join(s.diagram(), ""), "O")
	require.Empty(s.T, s.statusList("dead"))
	s.unchanged(func() { s.All("kgs-game_over") })
	s.OK("play w pass")
}

func checkTimeSettings(s *GTP) {
	s.quick()
	s.All("time_left b 10 0") // time_left must work before any time settings
	s.unchanged(func() {
		s.All("time_settings 0 1 0", "time_settings 300.5 30.0 5", "time_left b 12.50 0", "time_left W 0 0",
			"time_left b -2 0", "time_left b 21 3", "time_left white 5,5 1", "time_left b 100")
		s.Refuse("syntax error",
			"time_settings", "time_settings 1 2", "time_settings a 0 0", "time_left", "time_left b", "time_left x 1 0",
			"time_left b nan 0")
	})
	s.All("boardsize 9", "time_settings 0 10 1", "time_left b -2 1")
	require.Regexp(s.T, moveText, s.OK("genmove b"))
}

func checkNamedTimeSettings(s *GTP) {
	require.Contains(s.T, s.OK("kata-list_time_settings"), "fischer-capped")
	s.All("boardsize 9", "play b c3", "komi 5.5")
	s.unchanged(func() {
		for _, c := range []string{"kgs-time_settings none", "kgs-time_settings byoyomi 300 20 5", "kata-time_settings fischer-capped 60 5 120 -1"} {
			s.All(c, "time_left b 10 0")
		}
		s.Refuse("syntax error",
			"kgs-time_settings", "kgs-time_settings hourglass 10", "kgs-time_settings absolute", "kata-time_settings fischer 1",
			"kata-time_settings byoyomi 1 2 x", "kata-time_settings fischer-capped 60 5 10 -1", "kgs-time_settings canadian 300 30 0")
	})
}

func checkOwnClock(s *GTP) {
	s.quick()
	s.All("boardsize 9", "kata-set-param allowResignation false")
	s.OK("reg_genmove b") // waits until the network is loaded
	s.endless()
	s.All("time_settings 10 0 0")
	for i := range 60 {
		s.OK("genmove %s", []string{"b", "w"}[i%2]) // an endless search
	}
}

func checkByoyomi(s *GTP) {
	s.quick()
	s.All("boardsize 9")
	s.OK("reg_genmove b")
	s.endless()
	for _, c := range []string{"b", "w"} {
		s.All("kgs-time_settings byoyomi 0 5 3", "time_left "+c+" 5 1")
		s.OK("genmove %s", c)
	}
}
