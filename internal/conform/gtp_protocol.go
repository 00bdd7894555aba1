package conform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

var protocolItems = []item[*GTP]{
	{1, "blanks and control bytes in input change nothing", checkDirtyInput},
	{2, "comments and blank lines are silent", checkSilentLines},
	{3, "id and comment", checkIDAndComment},
	{4, "empty success", checkEmptySuccess},
	{5, "unknown command and lone id", checkUnknown},
	{6, "ids are echoed", checkIDs},
	{7, "list_commands", checkListCommands},
	{8, "known_command", checkKnownCommand},
	{9, "nothing before the first reply, which comes at once", checkFirstReply},
	{10, "500 commands at once", checkPipelining},
	{11, "a line of 200 kB", checkLongLine},
}

func checkDirtyInput(s *GTP) {
	s.quick()
	for _, p := range [][2]string{
		{"name\r", "name"},
		{"\tprotocol_version   \t\r", "protocol_version"},
		{"kno\x01wn_\x7fcommand\tna\x02me ", "known_command name"},
		{"  7   version\r", "7 version"},
		{"8\tboardsize\t9\r", "8 boardsize 9"},
		{"komi 6.5 \r", "komi 6.5"},
		{"is_legal\tblack \x1b c3", "is_legal black c3"},
	} {
		dirty := s.Ask("%s", p[0])
		require.Equal(s.T, s.Ask("%s", p[1]).Raw, dirty.Raw, "%q", p[0])
	}
	require.Equal(s.T, "6.5", s.OK("get_komi"))
	s.OK("play\tB\tC3 \r")
	s.Refuse("illegal move", "play b c3")
}

func checkSilentLines(s *GTP) {
	s.Send("# a comment\n\n   \t \r\n#\n\x01\x02\n  # another\r\n")
	s.Silent(100 * time.Millisecond)
	require.Equal(s.T, []string{"= 2"}, s.Ask("protocol_version").Raw)
}

func checkIDAndComment(s *GTP) {
	name := s.OK("name")
	require.NotEmpty(s.T, name)
	require.Equal(s.T, []string{"=5 " + name}, s.Ask("5 name # x").Raw)
	s.Silent(50 * time.Millisecond)
}

func checkEmptySuccess(s *GTP) {
	require.Equal(s.T, []string{"= "}, s.Ask("clear_board").Raw)
	require.Equal(s.T, []string{"=5 "}, s.Ask("5 clear_board").Raw)
	s.Silent(50 * time.Millisecond)
}

func checkUnknown(s *GTP) {
	require.Equal(s.T, []string{"? unknown command"}, s.Ask("frobnicate").Raw)
	require.Equal(s.T, []string{"?9 unknown command"}, s.Ask("9 Name").Raw, "names are case-sensitive")
	lone := s.Ask("12")
	require.False(s.T, lone.OK)
	require.Equal(s.T, "12", lone.ID)
	require.Equal(s.T, "2", s.OK("protocol_version"))
}

func checkIDs(s *GTP) {
	for _, id := range []string{"0", "1", "007", "65536", "2147483647"} {
		r := s.Ask("%s protocol_version", id)
		require.True(s.T, r.OK)
		require.Equal(s.T, id, r.ID)
	}
	require.False(s.T, s.Ask("2147483648 protocol_version").OK, "beyond 31 bits")
}

// listed are the commands that clients look for before they use them.
var listed = strings.Fields(`
	protocol_version name version known_command list_commands quit boardsize rectangular_boardsize clear_board komi
	get_komi play genmove reg_genmove undo gg-undo set_position loadsgf printsgf showboard fixed_handicap
	place_free_handicap set_free_handicap time_settings time_left kgs-time_settings kata-time_settings
	kata-list_time_settings final_score estimate_score final_status final_status_list kgs-genmove_cleanup kgs-game_over kgs-rules kgs-chat
	kata-set-rules kata-get-rules kata-set-rule kata-get-param kata-set-param kata-list-params kata-get-params
	kata-set-params kata-get-models lz-analyze kata-analyze lz-genmove_analyze kata-genmove_analyze kata-search
	kata-search_cancellable kata-search_analyze kata-search_analyze_cancellable stop kata-raw-nn clear_cache cputime
	gogui-analyze_commands gogui-interrupt gogui-play_sequence gogui-setup gogui-setup_player is_legal all_legal`)

// unlisted must not be listed: clients that see them expect something else.
var unlisted = []string{"analyze", "genmove_analyze", "gogui-sigint"}

func (s *GTP) commands() []string {
	r := s.Ask("list_commands")
	require.True(s.T, r.OK)
	require.Equal(s.T, "= protocol_version", r.Raw[0])
	return strings.Split(r.Text, "\n")
}

func checkListCommands(s *GTP) {
	names := s.commands()
	for _, n := range names {
		require.Regexp(s.T, `^[a-z][a-zA-Z0-9_-]*$`, n)
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	require.Len(s.T, slices.Compact(sorted), len(names), "a name is listed twice")
	require.Subset(s.T, names, listed)
	for _, n := range unlisted {
		require.NotContains(s.T, names, n)
	}
}

func checkKnownCommand(s *GTP) {
	for _, n := range s.commands() {
		require.Equal(s.T, "true", s.OK("known_command %s", n), n)
	}
	for _, n := range append([]string{"frobnicate", "NAME", ""}, unlisted...) {
		require.Equal(s.T, "false", s.OK("known_command %s", n), n)
	}
}

func checkFirstReply(s *GTP) {
	s.Send("1 name\n2 version\n")
	name, version := s.Next(), s.Next()
	require.Equal(s.T, "1", name.ID)
	require.Equal(s.T, "2", version.ID)
	require.NotEmpty(s.T, name.Text)
	require.Regexp(s.T, `^\d+\.\d+\.\d+`, version.Text)
	require.LessOrEqual(s.T, len(version.Text), 40)
}

func checkPipelining(s *GTP) {
	const n = 500
	commands := []string{"protocol_version", "play b pass", "known_command name", "undo", "nonsense", "boardsize 9", "get_komi"}
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%d %s\n", i, commands[i%len(commands)])
	}
	go s.In.Write([]byte(text.String())) // concurrently, since the engine may answer before it has read everything
	for i := range n {
		r := s.Next()
		require.Equal(s.T, strconv.Itoa(i), r.ID)
		require.Equal(s.T, commands[i%len(commands)] != "nonsense", r.OK, commands[i%len(commands)])
	}
}

func checkLongLine(s *GTP) {
	s.All("boardsize 9")
	r := s.Ask("3 gogui-play_sequence%s", strings.Repeat(" B PASS W PASS", 200_000/14+1))
	require.Equal(s.T, "3", r.ID)
	require.Equal(s.T, "2", s.OK("protocol_version"))
	r = s.Ask("4 play b %s", strings.Repeat("A", 200_000))
	require.Equal(s.T, "4", r.ID)
	require.False(s.T, r.OK)
	require.Equal(s.T, "2", s.OK("protocol_version"))
}
