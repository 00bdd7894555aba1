// Package commands has KataGo's commands of the Go Text Protocol, with the arguments, errors and
// replies of KataGo 1.18. They replace the usual commands of a [gtp.Server], because clients expect
// KataGo's commands from a program that calls itself KataGo.
//
// The handlers share a [Personality], which holds the engine and the program's own answers.
package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/engine/clock"
	"kosumi/gtp"
	"kosumi/katago"
	"kosumi/nn"
	"kosumi/search/setting"
	"kosumi/search/thinking"
)

// Personality is the state that the commands share: the engine, and what the program adds to the
// replies.
type Personality struct {
	Engine Engine
	// Version is the reply to the command version.
	Version string
	Params  *katago.Params
	// Perspective is the side for which winrates and scores are given; Empty: the side to move.
	Perspective board.Color
	PVLen       int // maximum number of moves that a variation shows after its first
	MaxSize     int // longest side of a board
	ForcedKomi  *float32
	// Say writes a line for people to the log and to standard error.
	Say func(line string)
	// Models lists the loaded networks under the names that the user gave.
	Models func() []thinking.ModelInfo
	// Supports reports whether the network was trained under the rules.
	Supports func(board.Rules) bool
	// Clock is the time setting at the start; the zero value is no limit.
	Clock clock.Settings
	// LoadSGF loads a record as KataGo does. before is the number of the first move left out,
	// counted from 1; 0 loads all moves. It logs the rules used. Error texts become part of the
	// reply.
	LoadSGF func(name string, data []byte, before int) error
	// Benchmark searches positions on a board of the given size, with the given visits each, and
	// writes the reply of kata-benchmark.
	Benchmark func(ctx context.Context, size, visits int, to *gtp.Reply) error
}

// Engine is the engine that the commands control.
type Engine interface {
	gtp.Engine
	// Turn sets the side to move, and drops the history if the side changes. choosing says that a
	// move is requested next; then the handicap advantage is kept even if the history is dropped.
	Turn(c board.Color, choosing bool)
	// DropTree drops the search tree.
	DropTree()
}

// listed are the commands of list_commands, in KataGo's order.
var listed = strings.Fields(`protocol_version name version known_command list_commands quit boardsize rectangular_boardsize clear_board
	set_position komi get_komi play undo kata-get-rules kata-set-rule kata-set-rules kata-get-models kata-get-param kata-set-param
	kata-list-params kgs-rules genmove kata-search kata-search_cancellable genmove_debug kata-search_debug clear_cache showboard
	fixed_handicap place_free_handicap set_free_handicap time_settings kgs-time_settings time_left kata-list_time_settings
	kata-time_settings final_score final_status_list loadsgf printsgf lz-genmove_analyze kata-genmove_analyze kata-search_analyze
	kata-search_analyze_cancellable lz-analyze kata-analyze kata-raw-nn kata-raw-human-nn cputime gomill-cpu_time kata-benchmark
	kata-debug-print-tc debug_moves stop`)

// hidden are the commands that KataGo supports but does not list.
var hidden = []string{"analyze", "genmove_analyze", "kata-get-params", "kata-set-params"}

// NewServer returns a GTP server with KataGo's commands. say, if not nil, gets a line about each
// move that the engine chooses by search and plays.
func NewServer(p *Personality, log *slog.Logger, say func(line string)) *gtp.Server {
	opts := gtp.Options{Dialect: &gtp.Dialect{Parse: parse, Fail: fail}, Chat: gtp.Chat{Say: say, View: p.seen, Moves: p.PVLen + 1}}
	s := gtp.NewServer(p.Engine, log, opts)
	table := s.Table()
	table.Add((&handlers{p, s.Mover(), &opts.Chat}).list()...)
	table.Add((&clockCommands{Personality: p, settings: "as at the start", overtime: hasPeriods(p.Clock)}).list()...)
	table.Wrap(p.dropsTree, "clear_board", "set_position", "undo", "kata-set-rules", "kata-set-rule", "kgs-rules", "fixed_handicap",
		"place_free_handicap", "set_free_handicap", "loadsgf", "final_score", "final_status_list")
	table.Keep(listed, hidden)
	return s
}

// handlers implement the commands.
type handlers struct {
	*Personality
	mover *gtp.Mover
	chat  *gtp.Chat
}

func (k *handlers) list() []gtp.Handler {
	keep := thinking.MoveRequest{Keep: true}
	return []gtp.Handler{
		{Name: "name", Run: gtp.Text("KataGo")}, {Name: "version", Run: gtp.Text(k.Version)}, {Name: "known_command", Run: k.known},
		{Name: "cputime", Run: k.cpuTime}, {Name: "gomill-cpu_time", Run: k.cpuTime},
		{Name: "boardsize", Run: k.boardSize}, {Name: "rectangular_boardsize", Run: k.boardSize}, {Name: "komi", Run: k.komi},
		{Name: "get_komi", Run: k.getKomi}, {Name: "play", Run: k.play}, {Name: "set_position", Run: k.setPosition}, {Name: "showboard", Run: k.showBoard},
		{Name: "fixed_handicap", Run: k.fixedHandicap}, {Name: "place_free_handicap", Run: k.freeHandicap},
		{Name: "set_free_handicap", Run: k.setHandicap},
		{Name: "kata-get-rules", Run: k.getRules}, {Name: "kata-set-rules", Run: k.setRules}, {Name: "kata-set-rule", Run: k.setRule},
		{Name: "kgs-rules", Run: k.kgsRules},
		{Name: "kata-list-params", Run: k.listParams}, {Name: "kata-get-params", Run: k.getParams}, {Name: "kata-get-param", Run: k.getParam},
		{Name: "kata-set-param", Run: k.setParam}, {Name: "kata-set-params", Run: k.setParams}, {Name: "kata-get-models", Run: k.getModels},
		{Name: "genmove", Run: k.genMove(thinking.MoveRequest{}, false)}, {Name: "genmove_debug", Run: k.genMove(thinking.MoveRequest{}, true)},
		{Name: "kata-search", Run: k.genMove(keep, false)}, {Name: "kata-search_debug", Run: k.genMove(keep, true)},
		{Name: "kata-search_cancellable", Run: k.genMove(keep, false), ByInput: true},
		{Name: "genmove_analyze", Run: k.moveAnalysis(plain, thinking.MoveRequest{})},
		{Name: "lz-genmove_analyze", Run: k.moveAnalysis(leela, thinking.MoveRequest{})},
		{Name: "kata-genmove_analyze", Run: k.moveAnalysis(kata, thinking.MoveRequest{})}, {Name: "kata-search_analyze", Run: k.moveAnalysis(kata, keep)},
		{Name: "kata-search_analyze_cancellable", Run: k.moveAnalysis(kata, keep), ByInput: true}, {Name: "analyze", Run: k.analyze(plain), ByInput: true},
		{Name: "lz-analyze", Run: k.analyze(leela), ByInput: true}, {Name: "kata-analyze", Run: k.analyze(kata), ByInput: true},
		{Name: "kata-raw-nn", Run: k.rawNetwork},
		{Name: "loadsgf", Run: k.loadSGF},
		{Name: "debug_moves", Run: k.debugMoves}, {Name: "kata-benchmark", Run: k.benchmark}, {Name: "final_status_list", Run: k.statusList},
	}
}

// dropsTree makes a command drop the search tree when it succeeds. It is for commands that set a
// position or rules, even the same ones, or that run their own searches for scoring.
func (p *Personality) dropsTree(run gtp.HandlerFunc) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
		err := run(ctx, c, r)
		if err == nil {
			p.Engine.DropTree()
		}
		return err
	}
}

// parse reads a command line. If fault is not empty, it is the whole reply. ok is false for a
// line that is blank or only a comment.
func parse(line string) (c gtp.Command, fault string, ok bool) {
	text := strings.TrimSpace(gtp.Clean(line))
	if !strings.ContainsFunc(text, func(r rune) bool { return r > ' ' && r <= '~' }) {
		return c, "", false
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 {
		id, err := strconv.ParseInt(text[:digits], 10, 32)
		if err != nil {
			return c, fmt.Sprintf("? GTP id '0' could not be parsed: Could not parse digits, overflow: %s\n", text[:digits]), true
		}
		c.ID = strconv.FormatInt(id, 10)
		if text = strings.TrimSpace(text[digits:]); text == "" {
			return c, "? empty command\n", true
		}
	}
	c.Name, c.Rest, _ = strings.Cut(text, " ")
	if c.Rest != "" {
		c.Args = strings.Split(c.Rest, " ") // in KataGo, two blanks in a row enclose an empty argument
	}
	c.Rest = strings.TrimSpace(c.Rest)
	return c, "", true
}

// args returns the arguments as KataGo quotes them in errors.
func args(c gtp.Command) string { return strings.Join(c.Args, " ") }

// fail returns err with KataGo's text, nil for nil.
func fail(err error) error {
	var unnamed *nn.ProfileError
	var fixed gtp.Failure
	switch {
	case errors.As(err, &fixed):
		return fixed
	case errors.As(err, &unnamed):
		return gtp.Failf("SGFMetadata is required for %s but was not initialized. Did you specify humanSLProfile=... in katago's config or via overrides?", unnamed.Network)
	case errors.Is(err, engine.ErrNoHumans):
		return gtp.Failure("Cannot run kata-raw-human-nn, -human-model was not provided")
	case errors.Is(err, engine.ErrNoProfile):
		return gtp.Failure("Cannot run kata-raw-human-nn, humanSLProfile parameter was not set")
	}
	return err
}

func (k *handlers) known(_ context.Context, c gtp.Command, r *gtp.Reply) error {
	if len(c.Args) != 1 {
		return gtp.Failf("Expected single argument for known_command but got '%s'", args(c))
	}
	return r.Print(slices.Contains(listed, c.Args[0]))
}

func (k *handlers) cpuTime(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	return r.Print(setting.General(k.mover.Thought().Seconds()))
}

func parseColor(word string) (board.Color, error) {
	c, err := board.ParseColor(word)
	if err != nil {
		return c, gtp.Failf("Could not parse color: '%s'", word)
	}
	return c, nil
}
