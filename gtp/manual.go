package gtp

import (
	"fmt"
	"strings"

	"kosumi/search/setting"
)

// usage says how a command is called, what it does, and who defines it.
type usage struct{ args, does, from string }

// The programs that define commands.
const (
	standard = "GTP 2"
	byKataGo = "KataGo"
	byLeela  = "Leela Zero"
	byGoGui  = "GoGui"
	byKGS    = "KGS"
	byGNUGo  = "GNU Go"
	byGomill = "gomill"
	byUs     = "Kosumi"
)

// manual explains every command. [Server.Manual] makes docs/gtp.md of it.
var manual = map[string]usage{
	"protocol_version": {"", "the version of the protocol: 2", standard},
	"name":             {"", "the program's name", standard},
	"version":          {"", "its version: three dotted integers", standard},
	"known_command":    {"COMMAND", "true or false", standard},
	"list_commands":    {"", "every command, one a line", standard},
	"quit":             {"", "ends the session; a search under way is given up", standard},
	"cputime":          {"", "seconds that moves have taken so far", byGNUGo},
	"gomill-cpu_time":  {"", "as cputime", byGomill},
	"stop":             {"", "ends pondering and analysis", byLeela},
	"clear_cache":      {"", "forgets evaluated positions and the search tree", byKataGo},

	"boardsize":             {"SIZE [HEIGHT]", "a new, empty board, 2 to 25 each way", standard},
	"rectangular_boardsize": {"WIDTH HEIGHT", "as boardsize, by width and height", byKataGo},
	"clear_board":           {"", "takes all stones off and forgets the moves", standard},
	"komi":                  {"KOMI", "points that White gets", standard},
	"get_komi":              {"", "the komi", byKataGo},
	"play":                  {"COLOR VERTEX", "plays a move; ko and superko are the server's business unless --strict-play", standard},
	"undo":                  {"", "takes the last move back, with its time on both clocks", standard},
	"gg-undo":               {"[N]", "takes N moves back", byGNUGo},
	"set_position":          {"[COLOR VERTEX]...", "puts stones on an empty board, as a position without moves", byKataGo},
	"showboard":             {"", "the board as text", standard},
	"is_legal":              {"COLOR VERTEX", "1 or 0", byGNUGo},
	"all_legal":             {"COLOR", "the points where a move is legal", byGNUGo},
	"last_move":             {"", "colour and vertex of the last move", byGNUGo},
	"move_history":          {"", "all moves, the last one first", byGNUGo},

	"fixed_handicap":      {"N", "handicap stones on the usual points", standard},
	"place_free_handicap": {"N", "handicap stones where the engine wants them", standard},
	"set_free_handicap":   {"VERTEX...", "handicap stones where the client wants them", standard},

	"genmove":                 {"COLOR", "chooses a move and plays it; a vertex, pass or resign", standard},
	"reg_genmove":             {"COLOR", "chooses a move without playing it, always the best one", standard},
	"kata-search":             {"COLOR", "chooses a move as genmove does without playing it", byKataGo},
	"kata-search_cancellable": {"COLOR", "as kata-search; any input ends it", byKataGo},
	"time_settings":           {"MAIN PERIOD STONES", "clocks in seconds: absolute or Canadian time", standard},
	"time_left":               {"COLOR SECONDS STONES", "the time left on a clock", standard},
	"kgs-time_settings":       {"SYSTEM [ARGUMENTS]", "one of none, absolute MAIN, canadian MAIN PERIOD STONES, byoyomi MAIN PERIOD PERIODS", byKGS},
	"kata-time_settings":      {"SYSTEM [ARGUMENTS]", "as kgs-time_settings, and fischer MAIN INCREMENT, fischer-capped MAIN INCREMENT LIMIT MAXIMUM", byKataGo},
	"kata-list_time_settings": {"", "the systems that kata-time_settings knows", byKataGo},

	"final_score":       {"", "the result with dead stones removed, as in B+3.5; in the middle of a game an estimate (estimate_score says more)", standard},
	"estimate_score":    {"", "the leader in the middle of a game, by how much and how surely; the points and groups still open", byGNUGo},
	"final_status_list": {"STATUS", "chains that are alive, dead, seki, or points black_territory, white_territory, dame", standard},
	"final_status":      {"VERTEX", "the fate of one point", byGNUGo},
	"loadsgf":           {"FILE [N]", "a game record, up to the position before move N", standard},
	"printsgf":          {"[FILE]", "the game as SGF, into a file or as the reply", byGNUGo},

	"lz-analyze":                      {analyzeArgs, "analyses until the next line of input, as Leela Zero writes it", byLeela},
	"kata-analyze":                    {analyzeArgs, "as lz-analyze, with KataGo's fields", byKataGo},
	"analyze":                         {analyzeArgs, "as kata-analyze, by the short name that Sabaki tries", byKataGo},
	"lz-genmove_analyze":              {analyzeArgs, "as genmove, with analysis on the way", byLeela},
	"kata-genmove_analyze":            {analyzeArgs, "as genmove, with analysis on the way", byKataGo},
	"genmove_analyze":                 {analyzeArgs, "as genmove, with analysis on the way", byKataGo},
	"kata-search_analyze":             {analyzeArgs, "as kata-search, with analysis on the way", byKataGo},
	"kata-search_analyze_cancellable": {analyzeArgs, "as kata-search_analyze; any input ends it", byKataGo},
	"kata-get-rules":                  {"", "the rules as JSON, without komi", byKataGo},
	"kata-set-rules":                  {"RULES", "rules by name or as JSON; komi stays, but at a terminal the custom one comes with them", byKataGo},
	"kata-set-rule":                   {"KEY VALUE", "one part of the rules", byKataGo},
	"kgs-rules":                       {"NAME", "one of chinese, japanese, aga and new_zealand", byKGS},
	"kata-get-param":                  {"NAME", "a setting; the table below has them", byKataGo},
	"kata-set-param":                  {"NAME [VALUE]", "changes a setting", byKataGo},
	"kata-list-params":                {"", "the names of all settings", byKataGo},
	"kata-get-params":                 {"", "all settings as JSON", byKataGo},
	"kata-set-params":                 {"JSON", "changes many settings, all or none", byKataGo},
	"kata-get-models":                 {"", "the networks in use as JSON", byKataGo},
	"kata-raw-nn":                     {"[COLOR] SYMMETRY [OPTIMISM]", "the network's outputs for the position, in one orientation (0 to 7) or in all", byKataGo},
	"kata-raw-human-nn":               {"[COLOR] SYMMETRY", "those of the human-like network", byKataGo},

	"gogui-analyze_commands": {"", "GoGui's analysis menu", byGoGui},
	"gogui-interrupt":        {"", "reports that the line \"# interrupt\" makes a genmove answer at once", byGoGui},
	"gogui-version":          {"", "accepts any version of GoGui", byGoGui},
	"gogui-title":            {"", "the title of GoGui's window", byGoGui},
	"gogui-play_sequence":    {"COLOR VERTEX...", "plays moves, all or none", byGoGui},
	"gogui-setup":            {"COLOR VERTEX...", "puts stones on an empty board", byGoGui},
	"gogui-setup_player":     {"COLOR", "the side to move first in a position that was set up", byGoGui},
	"kosumi-param":           {"[NAME VALUE]", "the settings that people change, as GoGui's dialog wants them", byUs},
	"kosumi-policy":          {"", "the network's policy on the board, for GoGui: the best move is 1", byUs},
	"kosumi-life":            {"STONE... [any or all] [SECONDS]", "whether stones live, for either side to move first, with proofs: every one of them (any, the default), or at least one (all)", byUs},
	"kosumi-life_list":       {"[SECONDS]", "the groups whose life is proved to depend on who moves first", byUs},
	"kosumi-ownership":       {"", "the network's ownership on the board, for GoGui: Black's points are positive", byUs},

	"kgs-genmove_cleanup": {"COLOR", "as genmove, and takes dead stones off before it passes", byKGS},
	"kgs-game_over":       {"", "the game has ended: stop pondering", byKGS},
	"kgs-chat":            {"TYPE NAME TEXT", "answers people who talk to the bot with its name and version", byKGS},
}

// analyzeArgs are those of the analysis commands.
const analyzeArgs = "[COLOR] [CENTISECONDS] [KEY VALUE]..."

// Manual returns every command as a Markdown table, in the order of
// list_commands, those that are not listed last. A command that the manual does
// not explain is named in missing, an explanation without a command in surplus.
func (s *Server) Manual() (text string, missing, surplus []string) {
	var b, hidden strings.Builder
	b.WriteString("| command | what it does | from |\n|---|---|---|\n")
	for _, name := range s.table.order {
		u, ok := manual[name]
		if !ok {
			missing = append(missing, name)
		}
		out := &b
		if h, _ := s.table.Find(name); h.Hidden {
			out = &hidden
			u.does += " (not in list_commands)"
		}
		call := name
		if u.args != "" {
			call += " " + u.args
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", call, setting.Sentence(u.does), u.from)
	}
	for name := range manual {
		if _, ok := s.table.Find(name); !ok {
			surplus = append(surplus, name)
		}
	}
	return b.String() + hidden.String(), missing, surplus
}
